"""The Earth as points of space and as shadows: right, and never farther apart than in truth."""

import numpy as np
import pyproj
import pytest
from flint import arb, ctx

from dprivacy.geo import Plane, apart
from dprivacy.geo.earth.ellipsoid import to_space, to_surface
from dprivacy.geo.metre_guarantee import DOUBLES
from support.geo_truth import TRICKY, geodesic, pairs, step


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def anywhere(rng, n):
    return np.degrees(np.arcsin(rng.uniform(-1, 1, n))), rng.uniform(-180, 180, n)


def test_points_in_space_are_those_of_proj(rng):
    lat, lon = anywhere(rng, 3000)
    there = pyproj.Transformer.from_crs(4979, 4978, always_xy=True).transform(lon, lat, 0 * lon)
    assert np.abs(to_space(lat, lon) - np.stack(there, axis=1)).max() < 5e-9
    back = to_surface(to_space(lat, lon))
    assert np.abs(back[0] - lat).max() < 1e-12
    assert np.abs(back[1] - lon).max() < 1e-12


def exact_space(lat, lon):
    """The same formulas in Arb, from the doubles as they are."""
    a, f = arb(6378137), 1 / (arb(298257223563) / 10**9)
    squash = f * (2 - f)
    phi, lam = (arb(float(v)) * arb.pi() / 180 for v in (lat, lon))
    normal = a / (1 - squash * phi.sin() ** 2).sqrt()
    flat = normal * phi.cos()
    return [flat * lam.cos(), flat * lam.sin(), (1 - squash) * normal * phi.sin()]


def test_rounding_in_doubles_is_far_below_what_is_counted_in(rng):
    lat, lon = anywhere(rng, 150)
    lat = np.concatenate([lat, [t[0] for t in TRICKY]])
    lon = np.concatenate([lon, [t[1] for t in TRICKY]])
    found = to_space(lat, lon)
    plane = Plane(40.7, -74.0)
    shadow = plane.shadow(lat, lon)
    worst = worst_shadow = 0.0
    with ctx.workprec(200):
        axes = [[arb(float(v)) for v in row] for row in plane._axes]
        centre = [arb(float(v)) for v in plane._centre]
        for k in range(len(lat)):
            truth = exact_space(lat[k], lon[k])
            worst = max(
                worst, *(abs(float(t - float(v))) for t, v in zip(truth, found[k], strict=True))
            )
            for axis, said in zip(axes, shadow[k], strict=False):
                value = sum(
                    (a * (t - c) for a, t, c in zip(axis, truth, centre, strict=True)), arb(0)
                )
                worst_shadow = max(worst_shadow, abs(float(value - float(said))))
    assert worst < 1e-8
    assert worst_shadow < 2e-8
    assert max(worst, worst_shadow) * 4 < float(DOUBLES.metres) / 10


def test_the_axes_of_a_plane_do_not_lengthen():
    for lat, lon in TRICKY:
        axes = Plane(lat, lon)._axes
        assert np.linalg.norm(axes, 2) < 1 + 1e-15


@pytest.mark.parametrize("near", [1.0, 200.0, 50_000.0, 3e6, 1.9e7])
def test_nothing_is_put_farther_apart_than_it_is(rng, near):
    """Across the date line, poles, zones: in space and in every plane, also for places out of sight."""
    first, second = pairs(rng, near)
    truth = geodesic(*first, *second)
    grace = truth * 1e-12 + 1e-7
    lines = to_space(*first) - to_space(*second)
    assert (np.linalg.norm(lines, axis=1) <= truth + grace).all()
    for centre in [(40.7, -74.0), *TRICKY]:
        plane = Plane(*centre)
        away = plane.shadow(*first) - plane.shadow(*second)
        assert (np.hypot(*away.T) <= truth + grace).all()


@pytest.mark.parametrize("centre", TRICKY)
def test_near_the_centre_a_shadow_is_as_good_as_the_place(rng, centre):
    plane = Plane(*centre)
    lat, lon = step(
        np.full(200, centre[0]),
        np.full(200, centre[1]),
        rng.uniform(0, 360, 200),
        rng.uniform(0, 1e5, 200),
    )
    back = plane.places(plane.shadow(lat, lon))
    assert geodesic(lat, lon, *back).max() < 1e-5
    other = step(lat, lon, rng.uniform(0, 360, 200), np.full(200, 500.0))
    away = np.hypot(*(plane.shadow(lat, lon) - plane.shadow(*other)).T)
    assert away.min() > 500 * (1 - 2e-4)


def test_points_beyond_the_horizon_become_places_all_the_same(rng):
    plane = Plane(10.0, 20.0)
    lat, lon = plane.places(rng.uniform(-5e7, 5e7, (500, 2)))
    assert np.isfinite(lat).all()
    assert (np.abs(lat) <= 90).all()
    assert (np.abs(lon) <= 180).all()
    assert np.isfinite(np.stack(to_surface(rng.uniform(-1e8, 1e8, (500, 3))))).all()
    assert np.isfinite(np.stack(to_surface(np.zeros((1, 3))))).all()


def test_distances_are_as_accurate_as_they_say(rng):
    first, second = pairs(rng, 30_000.0)
    assert np.abs(apart(*first, *second) - geodesic(*first, *second)).max() < 1e-3
    lat, lon = anywhere(rng, 2000)
    truth = geodesic(lat, lon, lat[::-1], lon[::-1])
    assert (
        np.abs(apart(lat, lon, lat[::-1], lon[::-1]) / np.maximum(truth, 1) - 1)[truth > 1].max()
        < 0.03
    )
