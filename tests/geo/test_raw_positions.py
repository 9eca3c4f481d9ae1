"""Every mechanism on places keeps one guarantee for raw positions: 100,000 pairs, decided exactly."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import BadNumber
from dprivacy.geo import city, optimal_places, place_list, place_mechanism, protect_places
from dprivacy.verify import privacy
from support.geo_truth import TRICKY, geodesic, step

PAIRS = 100_000
CENTRES = [(40.7, -74.0), (-17.7, 180.0), (90.0, 0.0), (-90.0, 45.0), (0.0, 179.999)]


def near_and_far(rng, centre, reach, n=PAIRS):
    """Pairs within `reach` of a centre, a millimetre to the whole width apart."""
    lat, lon = (np.full(n, side) for side in centre)
    first = step(lat, lon, rng.uniform(0, 360, n), reach * np.sqrt(rng.uniform(0, 1, n)) / 3)
    length = np.where(
        rng.uniform(0, 1, n) < 0.3,
        rng.choice([1e-3, 199.9999, 200.0, 200.0001], n),
        10 ** rng.uniform(-3, math.log10(reach / 2), n),
    )
    second = step(*first, rng.uniform(0, 360, n), length)
    return first, second


def kept(squares, unit, claim, away):
    """Whether rate·√squares·unit ≤ level·max(D, r)/r for all; rate = level/(r + slack), so level goes.

    Squares are whole numbers of units; distances are rounded down, as is the slack.
    """
    radius, slack = claim.radius, claim.slack.bounds(128)[0]
    right = (1 + slack / radius) ** 2
    for square, far in zip(squares.tolist(), away.tolist(), strict=True):
        if square * unit**2 > right * max(Q(far) - Q(1, 10**6), radius) ** 2:
            return False
    return True


@pytest.mark.parametrize("cell", [None, "50 m"])
@pytest.mark.parametrize("centre", CENTRES)
def test_noise_in_the_plane_and_in_space(centre, cell):
    rng = np.random.default_rng(1)
    first, second = near_and_far(rng, centre, 20_000.0, PAIRS // 5)
    away = geodesic(*first, *second)
    for region in ((*centre, "30 km"), None):
        mechanism = place_mechanism(region=region, cell=cell)
        gaps = mechanism.cells(*first) - mechanism.cells(*second)
        assert kept((gaps**2).sum(axis=1), mechanism.cell, mechanism.guarantee, away)


@pytest.mark.parametrize("centre", CENTRES)
def test_cells_of_the_optimal_mechanism(centre):
    known = city((*centre, "1 km"), cell="500 m")
    found = optimal_places(known, gap=0.05)
    assert privacy(found.channel, known.space, eps=found.guarantee.rate)
    first, second = near_and_far(np.random.default_rng(2), centre, 1000.0, PAIRS // 5)
    edge = 250 * np.arange(-4, 5)  # both sides of every border between cells
    east, north = (side.ravel() for side in np.meshgrid(edge, edge))
    borders = [known.plane.places(np.stack([east + h, north + h], axis=1)) for h in (-1e-3, 1e-3)]
    first, second = (
        [np.concatenate(sides) for sides in zip(pair, border, strict=True)]
        for pair, border in zip((first, second), borders, strict=True)
    )
    rows = [np.divmod(known.nearest(*side), known.columns) for side in (first, second)]
    gaps = np.stack([a - b for a, b in zip(*rows, strict=True)])
    assert kept((gaps**2).sum(axis=0), known.cell, found.guarantee, geodesic(*first, *second))


def test_without_the_step_of_cells_the_promise_would_be_broken():
    known = city("40.7, -74, 1 km", cell="500 m")
    claim = place_mechanism(region=known.region).guarantee  # which charges a lattice of 0.2 m only
    first = known.plane.places(np.array([[-1e-3, -1e-3]]))
    second = known.plane.places(np.array([[1e-3, 1e-3]]))
    rows = [np.divmod(known.nearest(*side), known.columns) for side in (first, second)]
    square = sum((a - b) ** 2 for a, b in zip(*rows, strict=True))
    assert square.tolist() == [2]
    assert not kept(square, known.cell, claim, geodesic(*first, *second))


def test_listed_places():
    lat, lon = step(
        np.full(30, 40.7), np.full(30, -74.0), np.arange(30) * 40.0, 30.0 * np.arange(30)
    )
    known = place_list(lat, lon, tolerance="5 m")
    found = optimal_places(known, gap=0.05)
    assert privacy(found.channel, known.space, eps=found.guarantee.rate)
    rng = np.random.default_rng(3)
    which = rng.integers(0, 30, (2, PAIRS))
    moved = [
        step(lat[at], lon[at], rng.uniform(0, 360, PAIRS), rng.choice([0, 1, 4.999], PAIRS))
        for at in which
    ]
    at = [known.nearest(*side) for side in moved]
    listed = np.array(known.millimetres)
    squares = ((listed[at[0]] - listed[at[1]]) ** 2).sum(axis=1)
    assert kept(squares, Q(1, 1000), found.guarantee, geodesic(*moved[0], *moved[1]))


CRESCENT = [[-74.0, 40.0], [-73.0, 40.5], [-74.0, 41.0], [-73.5, 40.5], [-74.0, 40.0]]
REGIONS = [
    {"type": "Polygon", "coordinates": [CRESCENT]},
    "40.5, -73.4, 20 km",
    "40.3, -73.6, 40.7, -73.2",
]


@pytest.mark.parametrize("region", REGIONS)
def test_no_true_place_is_moved_into_a_region_convex_or_not(region):
    """Moving into a region that is not convex may put two neighbours far apart: rows are refused."""
    for clamp in (False, True):
        with pytest.raises(BadNumber, match="row 1 lies outside the declared region"):
            protect_places([40.5, 40.5], [-73.3, -73.9], region=region, clamp=clamp)


@pytest.mark.parametrize("centre", TRICKY)
def test_best_guesses_work_at_poles_and_at_the_date_line(centre):
    rng = np.random.default_rng(6)
    n = 300
    lat, lon = step(
        np.full(n, centre[0]), np.full(n, centre[1]), rng.uniform(0, 360, n), rng.uniform(0, 400, n)
    )
    known = city((*centre, "1 km"), places=(lat, lon))
    found = protect_places(lat, lon, city=known).data
    assert found.choice.used == "remapped"
    away = geodesic(lat, lon, found.lat, found.lon)
    told = found.choice.distances["remapped"]
    assert abs(away.mean() - told.mean) < 5 * away.std() / math.sqrt(n)
    assert told.mean < 0.8 * found.choice.distances["planar Laplace"].mean
