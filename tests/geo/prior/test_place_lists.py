"""Listed places: who is refused, what is charged, what is guaranteed, and the bound."""

import itertools
import math
import re
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import BadNumber, Malformed, NotApplicable, TooLarge, UnknownName
from dprivacy.geo import apart, frontier, optimal_places, place_list, protect_places
from dprivacy.geo.prior.optimal_channels import bound_in_words
from dprivacy.numbers import ln
from dprivacy.verify import privacy
from support.geo_truth import TRICKY, geodesic, step

RNG = np.random.default_rng(4)
LAT, LON = 40.73 + RNG.normal(0, 0.003, 25), -73.99 + RNG.normal(0, 0.004, 25)


@pytest.fixture(scope="module")
def venues():
    return place_list(LAT, LON)


@pytest.fixture(scope="module")
def best(venues):
    return optimal_places(venues)


def test_a_place_that_is_not_listed_is_refused_by_its_row_and_never_by_its_value(venues, best):
    lat, lon = LAT[:4].copy(), LON[:4].copy()
    near = step(lat[1], lon[1], 30.0, 0.9)
    lat[1], lon[1] = near
    assert len(protect_places(lat, lon, among=venues, optimal=best).data) == 4
    lat[2], lon[2] = step(lat[2], lon[2], 30.0, 1.1)
    lat[3] = 40.7298765
    words = r"^row 2 lies more than 1 m from every listed place \(and 1 more\); leave such rows out"
    with pytest.raises(BadNumber, match=words) as caught:
        protect_places(lat, lon, among=venues, optimal=best)
    assert not any(digits in str(caught.value) for digits in ("40.7", "73.9", "1.1"))
    wide = place_list(LAT, LON, tolerance="2000 m")
    assert wide.nearest(lat[:3], lon[:3]).tolist() == venues.nearest(LAT[:3], LON[:3]).tolist()


def test_the_tolerance_is_charged_twice_and_the_sentence_speaks_of_the_list(venues, best):
    claim = best.guarantee
    assert claim.slack == Q(2) + Q(2, 10**6)
    assert claim.rate * 200 + claim.overhead == ln(4)
    assert claim.brief() == (
        "Within 200 m, the odds between two places of the list change by at most a factor of 4."
    )
    found = protect_places(LAT, LON, among=venues, optimal=best)
    assert found.data.guarantee.listed == 25
    told = re.search(r"off on average by at least ([\d.]+) m if the odds between", found.explain())
    assert float(told[1]) <= Q(best.optimum.bound)
    assert "of the 25 listed places, D apart, change by at most e^(D/146 m)." in found.explain()
    assert 1 / Q(best.bound_scale) <= best.guarantee.rate
    assert found.data.choice.used == "optimal"
    assert "moving them by at most 1 m to a place of the list (by 2 m)" in found.explain()
    assert found.card.guarantee.sentence.startswith("Within 200 m, the odds between two places of")
    reports = set(zip(found.data.lat.tolist(), found.data.lon.tolist(), strict=True))
    assert reports <= set(zip(LAT.round(7).tolist(), LON.round(7).tolist(), strict=True))


@pytest.mark.parametrize("centre", TRICKY)
def test_rows_near_listed_places_are_never_told_apart_by_more_than_is_promised(centre):
    rng = np.random.default_rng(9)
    lat, lon = step(
        np.full(12, centre[0]), np.full(12, centre[1]), rng.uniform(0, 360, 12),
        np.concatenate([[0, 0.5, 199, 200], rng.uniform(0, 900, 8)]),
    )  # fmt: skip
    known = place_list(lat, lon)
    found = optimal_places(known, gap=0.05)
    claim = found.guarantee
    assert privacy(found.channel, known.space, eps=claim.rate)
    rows = [
        step(lat, lon, rng.uniform(0, 360, 12), 0.999 * rng.uniform(0, 1, 12)) for _ in range(3)
    ]
    every = [np.concatenate(side) for side in zip(*rows, strict=True)]
    at = known.nearest(*every)
    away = geodesic(every[0][:, None], every[1][:, None], every[0], every[1])
    for x, z in itertools.combinations(range(36), 2):
        far = max(Q(float(away[x, z]) - 1e-6), claim.radius)
        between = known.space.distance(int(at[x]), int(at[z]))
        assert claim.rate * between <= claim.level * (far / claim.radius)


def test_places_listed_twice_are_twice_as_likely_and_their_own_best_guess():
    known = place_list([*LAT, *LAT[:3]], [*LON, *LON[:3]])
    assert len(known) == 25
    assert sorted(known.counts) == [1] * 22 + [2] * 3
    assert float(sum(known.prior.weights)) == 1
    assert known.public.weights.max() == pytest.approx(2 / 28)


def test_the_optimum_on_the_list_is_least_and_the_bound_below_all(venues):
    found = frontier(venues, eps=["ln 2", "ln 4"])
    for eps in (math.log(2), math.log(4)):
        here = {p.mechanism: p for p in found.points if math.isclose(float(p.eps), eps)}
        assert here["optimal"].mean < here["remapped"].mean < here["planar Laplace"].mean
        assert all(here["optimal"].bound <= point.mean for point in here.values())
        assert here["optimal"].mean <= here["optimal"].bound * 1.002
    assert "two places of the list" in found.explain()
    assert re.search(
        r"by at least 3?\d\d m if .* e\^\(D/292 m\); by \d+ m if they", found.explain()
    )


@pytest.mark.parametrize(("radius", "metres", "tolerance"), [(10, 8, 1), (200, 90, 100)])
def test_a_bound_that_another_mechanism_gets_below_is_not_told(radius, metres, tolerance):
    """The list pays for its tolerance, twice, and planar noise does not."""
    side = np.arange(5) * metres / 111_000
    lat, lon = np.meshgrid(40.73 + side, -73.99 + side / 0.758)
    known = place_list(lat.ravel(), lon.ravel(), tolerance=tolerance)
    best = optimal_places(known, radius=radius)
    points = frontier(known, radius=radius, eps=["ln 4"]).points
    assert best.bound > min(point.mean for point in points)
    assert [point.bound for point in points] == [None] * 3


def test_a_bound_is_cut_off_and_never_rounded_up():
    for bound in (212.651, 212.999, 0.0999999, 1999.99, 12345.6):
        value, unit = re.search(
            r"at least ([\d.]+) (k?m) if", bound_in_words(9, [(bound, 146.0)])
        ).groups()
        told = Q(value) * {"m": 1, "km": 1000}[unit]
        assert Q(bound) * Q(99, 100) < told <= Q(bound)


def test_a_pair_of_columns_is_a_list_and_reports_are_drawn_from_its_channel():
    found = protect_places(LAT[:9], LON[:9], among=(LAT[:9], LON[:9]), people=range(9), reports=2)
    assert found.data.guarantee.total == ln(4)
    assert found.data.guarantee.listed == 9
    away = apart(found.data.lat[:, None], found.data.lon[:, None], LAT[:9], LON[:9])
    assert away.min(axis=1).max() < 0.1


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"among": 5}, "latitudes, longitudes"),
        ({"among": ([], [])}, "at least one place"),
        (
            {"among": ([0.0, 0.0], [0.0, 180.0])},
            "a list of places, .* at most 3,000 km from its middle",
        ),
        ({"among": ([10.0, 50.0], [20.0, 90.0])}, "a list of places, .* at most 3,000 km from its"),
        ({"among": ([40.0], [-74.0]), "region": "40, -74, 9 km"}, "leave the region out"),
    ],
)
def test_lists_that_are_refused(given, words):
    with pytest.raises((Malformed, NotApplicable), match=words):
        protect_places([40.0], [-74.0], **given)


def test_a_list_as_wide_as_a_city():
    """Towns that are tens of kilometres apart, 200 m being what is hidden."""
    pytest.importorskip("numba")
    draw = np.random.default_rng(1)
    towns = draw.integers(0, 12, 180)
    lat = 40.5 + 0.5 * draw.random(12)[towns] + draw.normal(0, 0.004, 180)
    lon = -74.2 + 0.6 * draw.random(12)[towns] + draw.normal(0, 0.005, 180)
    found = optimal_places(place_list(lat, lon), gap=1e-2)
    assert found.optimum.finished
    assert found.bound <= found.optimum.loss <= 1.011 * found.bound
    assert found.optimum.loss < 150  # planar noise: 289 m


def test_long_lists_and_devices():
    lat = np.linspace(40.0, 41.0, 10_001)
    assert len(place_list(lat[1:], np.full(10_000, -74.0))) == 10_000
    with pytest.raises(TooLarge, match=r"10,001 different places are more than 10,000"):
        place_list(lat, np.full(10_001, -74.0))
    few = place_list(LAT[:3], LON[:3])
    for call in (lambda: optimal_places(few, device="tpu"), lambda: frontier(few, device="tpu")):
        with pytest.raises(UnknownName, match="device should be one of 'cpu', 'gpu', not 'tpu'"):
            call()


def test_where_most_reports_are_the_true_place_the_choice_says_so():
    """It said that 95 % of them are within half a millimetre."""
    lat, lon = 40.7 + np.arange(10) / 20, np.full(10, -74.0)  # every 5.5 km
    told = protect_places(lat, lon, among=place_list(lat, lon)).explain()
    assert "95 % of its reports are the place itself, and at the public place" in told
