"""Distances from raw public places: against sums by hand, releases, and figures on real check-ins."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dprivacy.errors import InsecureSeedWarning, NotApplicable
from dprivacy.geo import (
    Plane,
    apart,
    city,
    frontier,
    optimal_places,
    place_mechanism,
    protect_places,
)
from dprivacy.geo.earth.regions import as_region
from dprivacy.geo.prior.best_guess import BestGuess
from dprivacy.geo.prior.least_distance import _noisy, least, moved_by, moved_by_channel
from dprivacy.geo.prior.public_places import PublicPlaces
from support.check_ins import CENTRES, check_ins

RNG = np.random.default_rng(8)
LAT, LON = 40.73 + RNG.normal(0, 0.003, 90), -73.99 + RNG.normal(0, 0.004, 90)
REGION = "40.73, -73.99, 2 km"


@pytest.fixture(scope="module")
def town():
    return city(REGION, cell="1 km", places=(LAT, LON))


def by_lattice(public, rate, guess):
    """Mean distances of planar noise and of guesses from it, by summing over a lattice."""
    step = 0.15 / rate  # the lattice that guesses are made for
    reach = np.abs(public.points).max() + 16 / rate
    side = np.arange(-math.ceil(reach / step), math.ceil(reach / step) + 1) * step
    lattice = np.stack(np.meshgrid(side, side), axis=-1).reshape(-1, 2)
    reports = guess.guesses(lattice)
    plain = remapped = 0.0
    for point, weight in zip(public.points, public.weights, strict=True):
        away = np.linalg.norm(lattice - point, axis=1)
        chance = np.exp(-rate * away)
        chance /= chance.sum()
        plain += weight * (chance @ away)
        remapped += weight * (chance @ np.linalg.norm(reports - point, axis=1))
    return plain, remapped


@pytest.mark.parametrize("eps", ["ln 2", "ln 4"])
def test_means_are_those_of_a_sum_over_a_lattice(town, eps):
    noise = place_mechanism(eps=eps, region=town.region)
    found = moved_by(noise, town.public)
    rate = float(noise.guarantee.rate)
    plain, remapped = by_lattice(town.public, rate, BestGuess(town.public, rate, 200.0))
    assert found["planar Laplace"].mean == pytest.approx(plain, rel=5e-3)
    assert found["remapped"].mean == pytest.approx(remapped, rel=5e-3)
    assert found["planar Laplace"].worst == found["planar Laplace"].mean == pytest.approx(2 / rate)


@pytest.mark.parametrize("n", [20_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_the_mean_of_a_release_is_that_of_the_frontier(town, n):
    told = {p.mechanism: p for p in frontier(town, eps=["ln 4"], radius="200 m").points}
    where = np.random.default_rng(3).permutation(np.arange(n) % len(LAT))  # all equally often
    best = optimal_places(town)
    for given, name in (
        ({"region": town.region}, "planar Laplace"),
        ({"city": town}, "remapped"),
        ({"optimal": best, "force": True}, "optimal"),
    ):
        found = protect_places(LAT[where], LON[where], **given).data
        away = apart(LAT[where], LON[where], found.lat, found.lon)
        error = away.std() / math.sqrt(n)
        assert abs(away.mean() - told[name].mean) < 4 * error
        assert np.quantile(away, 0.95) == pytest.approx(told[name].within_95, rel=0.05)
        by_place = np.bincount(where, weights=away) / np.bincount(where)
        assert by_place.max() == pytest.approx(told[name].worst, rel=0.25)


def test_nothing_worse_than_planar_noise_leaves_unless_it_is_forced(town):
    best = optimal_places(town)
    found = moved_by_channel(best).mean
    assert found > 2 * 288
    assert found == pytest.approx(float(best.optimum.loss), abs=0.5)  # of losses in whole metres
    chosen = protect_places([40.73], [-73.99], optimal=best).data
    assert chosen.choice.used == "remapped"
    assert "optimal mechanism on cells of 1 km by" in chosen.explain()
    assert "The best guess under the prior is used: it moves public places by" in chosen.explain()
    forced = protect_places([40.73], [-73.99], optimal=best, force=True).data
    assert forced.choice.used == "optimal"
    assert forced.law is None
    means = {name: one.mean for name, one in chosen.choice.distances.items()}
    assert means[chosen.choice.used] == min(means.values())
    with pytest.raises(NotApplicable, match="force is for the optimal"):
        protect_places([40.73], [-73.99], city=town, force=True)


@pytest.mark.parametrize(
    ("places", "used"),
    [
        (None, "remapped"),  # evenly anywhere: only the border helps
        (([40.73], [-73.99]), "remapped"),
        (([40.716, 40.744], [-73.99, -73.99]), "remapped"),
    ],
)
def test_the_least_mean_is_used_whatever_the_prior(places, used):
    known = city(REGION, places=places)
    choice = least(place_mechanism(region=known.region), known.public)
    assert choice.used == used
    assert choice.distances[used].mean <= choice.distances["planar Laplace"].mean


@pytest.mark.parametrize("radius", ["20 m", "50 m", "1 km"])
def test_where_only_the_region_is_known_distances_are_those_of_anybody_in_it(radius):
    known = city("52, 5, 3 km")
    metres = np.random.default_rng(4).uniform(-3000, 3000, (6000, 2))
    lat, lon = known.plane.places(metres[np.hypot(*metres.T) < 2999.9])
    with pytest.warns(InsecureSeedWarning):  # fresh noise would fail one run in a hundred
        found = protect_places(lat, lon, city=known, radius=radius, insecure_seed=4).data
    away, told = apart(lat, lon, found.lat, found.lon), found.choice.distances
    used = told[found.choice.used]
    assert abs(away.mean() - used.mean) < 4 * away.std() / math.sqrt(len(away))
    assert np.quantile(away, 0.95) == pytest.approx(used.within_95, rel=0.05)
    assert used.mean <= told["planar Laplace"].mean


def test_where_only_the_region_is_known_every_cell_in_it_is_as_likely():
    for known in (city("52, 5, 3 km"), city("52, 5, 3 km", cell="130 m")):
        inside = np.hypot(*known.centres.T) + float(known.cell) / math.sqrt(2) < 3000
        assert inside.sum() > 100
        assert len(set(known.weights[inside].tolist())) == 1


def test_an_adversary_who_knows_the_region_only_guesses_no_worse_than_the_report():
    known = city("52, 5, 3 km", cell="3 km")
    for point in frontier(known, eps=["ln 4"], radius="50 m").points[:2]:
        assert point.adversary <= 2 * 50 / math.log(4) * 1.01


def test_a_region_that_holds_no_point_of_its_cells_is_refused():
    sliver = [[5, 52], [5.05, 52.05], [5.0500001, 52.05], [5, 52]]
    with pytest.raises(NotApplicable, match="too narrow"):
        city({"type": "Polygon", "coordinates": [sliver]})


def test_with_cells_the_way_to_the_centre_is_in_the_distance(town):
    noise = place_mechanism(region=town.region, cell="200 m")
    rate = float(noise.guarantee.rate)
    found = moved_by(noise, town.public)["planar Laplace"].mean
    assert 2 / rate < found < 2 / rate + 100


def test_an_optimum_of_another_guarantee_or_city_is_refused(town):
    best = optimal_places(town)
    with pytest.raises(NotApplicable, match=r"is for ln\(2\).* within 200 m, and ln\(4\)"):
        protect_places([40.73], [-73.99], optimal=optimal_places(town, eps="ln 2"))
    with pytest.raises(NotApplicable, match="of the same city or list"):
        protect_places([40.73], [-73.99], optimal=best, city=city(REGION))
    with pytest.raises(NotApplicable, match="leave out among and optimal"):
        protect_places([40.73], [-73.99], optimal=best, people=["ann"], permanent_key=b"k" * 16)
    with pytest.raises(Exception, match="what optimal_places found"):
        protect_places([40.73], [-73.99], optimal="best")


GOLDEN = {  # planar noise, and the best guess with the prior at full resolution
    ("ln 4", 200): (288.5, 242.4),
    ("ln 2", 200): (577.1, 406.2),
    ("ln 4", 500): (721.3, 584.4),
    ("ln 2", 500): (1442.7, 909.5),
}


FLAT = {  # the same for San Francisco's few check-ins, nobody elsewhere: on others', and on its own
    ("ln 4", 200): (363.9, 170.8),
    ("ln 2", 200): (634.7, 291.0),
    ("ln 4", 500): (662.3, 507.4),
}


def halves(name, half, elsewhere):
    """Public places, and those of other people."""
    data = check_ins(name, half)
    region = as_region(data.region)
    lat, lon = Plane(*CENTRES[name]).places(data.test)
    return PublicPlaces.read(region, data.public, elsewhere), PublicPlaces.read(region, (lat, lon))


def mean(noise, public, law):
    """The mean distance of best guesses for people of another law than the prior."""
    noisy = _noisy(noise, law)
    guess = BestGuess(public, float(noise.guarantee.rate), float(noise.guarantee.radius))
    away = guess.guesses(noisy.reshape(-1, 2)).reshape(noisy.shape) - law.points[:, None]
    return law.weights @ np.linalg.norm(away, axis=2).mean(axis=1)


@pytest.mark.slow
@pytest.mark.parametrize(("eps", "radius"), GOLDEN)
def test_new_york(eps, radius):
    public, others = halves("new york", 5 * radius, 0.05)
    noise = place_mechanism(eps=eps, radius=radius, region=public.region)
    assert noise.law.mean == pytest.approx(GOLDEN[eps, radius][0], rel=2e-3)
    assert mean(noise, public, others) == pytest.approx(GOLDEN[eps, radius][1], rel=2e-2)


@pytest.mark.slow
@pytest.mark.parametrize(("eps", "radius"), FLAT)
def test_san_francisco(eps, radius):
    public, others = halves("san francisco", 5 * radius, 0.0)
    noise = place_mechanism(eps=eps, radius=radius, region=public.region)
    assert mean(noise, public, others) == pytest.approx(FLAT[eps, radius][0], rel=2e-2)
    assert mean(noise, public, public) == pytest.approx(FLAT[eps, radius][1], rel=2e-2)
    few = replace(public, elsewhere=0.3)  # 89 places, and most people are at others
    assert mean(noise, few, others) < noise.law.mean


@pytest.mark.slow
def test_in_a_whole_city_people_at_unknown_places_are_not_moved_farther_than_by_planar_noise():
    known, others = halves("new york", 25_000, 0.05)
    noise = place_mechanism(region=known.region)
    assert mean(noise, known, others) < noise.law.mean
    assert mean(noise, replace(known, elsewhere=0.0), others) > noise.law.mean
