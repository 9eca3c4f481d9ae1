"""The frontier of a city: one guarantee for three mechanisms, and what is left to an adversary."""

import numpy as np
import pytest

from dprivacy.errors import WrongShape
from dprivacy.flow import loss as losses, posterior_uncertainty
from dprivacy.geo import (
    NAMES,
    city,
    displacement,
    frontier,
    optimal_places,
    place_mechanism,
    protect_places,
)
from dprivacy.geo.prior.place_frontier import _error
from dprivacy.numbers import Level
from support.check_ins import check_ins

RNG = np.random.default_rng(12)
LAT, LON = 40.7 + RNG.normal(0, 0.008, 150), -74.0 + RNG.normal(0, 0.005, 150)


@pytest.fixture(scope="module")
def town():
    return city("40.7, -74.0, 2 km", cell="1 km", places=(LAT, LON))


@pytest.fixture(scope="module")
def compared(town):
    return frontier(town, radius="500 m", eps=["ln 2", "ln 4"])


def at(found, name, eps):
    return next(p for p in found.points if p.mechanism == name and p.eps == Level(eps))


@pytest.mark.parametrize("eps", ["ln 2", "ln 4"])
def test_the_three_keep_one_guarantee(compared, town, eps):
    planar, remapped, best = (at(compared, name, eps) for name in NAMES)
    assert remapped.mean < planar.mean
    assert planar.mean == place_mechanism(eps=eps, radius="500 m", region=town.region).law.mean
    assert planar.adversary == remapped.adversary <= remapped.mean * 1.001
    assert best.adversary <= best.mean * 1.001
    assert all(p.adversary < compared.blind for p in (planar, remapped, best))
    assert all(p.mean < p.within_95 and p.mean <= p.worst for p in (planar, remapped, best))
    delivered = optimal_places(town, eps=eps, radius="500 m")
    assert best.mean == pytest.approx(float(delivered.optimum.loss), abs=0.5)
    assert delivered.guarantee.exponent("500 m") == Level(eps)
    assert best.bound is None  # cells are not what is bounded


def test_more_privacy_costs_more(compared):
    for name in NAMES:
        for quantity in ("mean", "within_95", "worst", "adversary"):
            (_, private), (_, open_) = compared.curve(name, quantity)
            assert private > open_


def test_the_adversary_of_the_channel_is_that_of_another_room(compared, town):
    """A guess may be anywhere on the plane, and so is a little better than a public place."""
    best = optimal_places(town, eps="ln 2", radius="500 m")
    rows = best.channel.matrix.floats[town.public_cells]
    few = RNG.choice(len(town.public), 40, replace=False)
    points, weights = town.public.points[few], np.full(40, 1 / 40)
    table = np.linalg.norm(points[:, None] - points, axis=2)
    cost = losses.matrix(range(40), range(40), table)
    theirs = float(posterior_uncertainty(rows[few].tolist(), prior=weights.tolist(), loss=cost))
    ours = _error((rows[few] * weights[:, None]).T, points)
    assert 0.95 * theirs < ours <= theirs * (1 + 1e-9)


def test_words_and_plain_data(compared, town):
    text = str(compared)
    assert "planar Laplace" in text
    assert "within 500 m, for two raw positions" in text
    assert "how far reports are from raw public places" in text
    assert "bound" not in text
    told = compared.to_dict()
    assert len(told["points"]) == 6
    assert told["points"][0]["eps"] == "ln(2)"
    assert told["known"]["rows"] == town.rows
    with pytest.raises(WrongShape, match="at least one level"):
        frontier(town, eps=[])


def test_best_guesses_are_nearer_to_the_truth_at_the_same_guarantee():
    lat, lon = 40.7 + RNG.normal(0, 0.004, 2000), -74.0 + RNG.normal(0, 0.004, 2000)
    known = city("40.7, -74.0, 3 km", places=(lat[:1000], lon[:1000]))
    inside = known.region.holds(lat, lon)
    true = lat[1000:][inside[1000:]], lon[1000:][inside[1000:]]
    raw, better = (
        protect_places(*true, radius="400 m", region=known.region).data,
        protect_places(*true, radius="400 m", city=known).data,
    )
    near, far = (displacement(*true, found.lat, found.lon).mean for found in (better, raw))
    assert near < 0.9 * far
    assert better.guarantee == raw.guarantee


@pytest.mark.slow
@pytest.mark.parametrize("name", ["new york", "san francisco"])
def test_on_real_check_ins_cells_cost_more_than_they_gain(name):
    data = check_ins(name, 1000)
    known = city(data.region, cell="200 m", places=data.public)
    found = frontier(known, eps=["ln 4"], seconds=60)
    planar, remapped, best = (at(found, mechanism, "ln 4") for mechanism in NAMES)
    assert remapped.mean < 0.9 * planar.mean
    assert best.mean > planar.mean
