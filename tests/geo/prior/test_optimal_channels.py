"""The optimal mechanism on cells: the loss of raw places, a private channel, the right law."""

from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import BadNumber
from dprivacy.geo import apart, city, optimal_places, protect_places
from dprivacy.numbers import ln
from dprivacy.spaces import points
from dprivacy.verify import privacy

RNG = np.random.default_rng(12)
LAT, LON = 40.7 + RNG.normal(0, 0.008, 300), -74.0 + RNG.normal(0, 0.005, 300)


@pytest.fixture(scope="module")
def town():
    return city("40.7, -74.0, 2 km", cell="1 km", places=(LAT, LON))


@pytest.fixture(scope="module")
def found(town):
    return optimal_places(town, radius="2 km", eps="ln 4")


def test_the_loss_of_a_cell_is_the_mean_distance_of_its_public_places(town):
    table = town.losses.matrix.floats
    inside = town.region.holds(LAT, LON)
    lat, lon = LAT[inside], LON[inside]
    cells = town.nearest(lat, lon)
    for cell in (5, 6, 9, 10, int(cells[0])):
        here = cells == cell
        for report in (0, 7, cell):
            there = (town.places[0][report], town.places[1][report])
            mean = apart(lat[here], lon[here], *there).mean()
            assert table[report, cell] == pytest.approx(mean, abs=0.52)
    empty = set(range(len(town))) - set(cells.tolist())
    for cell in empty:
        assert table[:, cell] == pytest.approx(town.metres[:, cell], abs=0.5)


def test_protecting_with_the_optimal_mechanism(town, found):
    assert privacy(found.channel, town.space, eps=found.guarantee.rate)
    cells = points([[0, 0], [1, 1]])
    assert found.guarantee.rate * 1000 * cells.distance(0, 1) < ln(4)  # across a corner, 0 m apart
    lat, lon = town.places
    data = protect_places(
        np.full(4000, lat[5]), np.full(4000, lon[5]), radius="2 km", optimal=found, force=True
    ).data
    assert set(zip(data.lat, data.lon, strict=True)) <= set(zip(lat, lon, strict=True))
    seen = np.bincount(town.nearest(data.lat, data.lon), minlength=len(town)) / 4000
    told = dict(zip(found.channel.columns, found.channel.matrix.floats[5], strict=True))
    for k, label in enumerate(town.space.labels):
        chance = told.get(label, 0.0)
        assert abs(seen[k] - chance) <= 5 * np.sqrt(chance * (1 - chance) / 4000) + 1e-9
    assert "reports" in found.explain()
    assert "another channel on them could gain" in found.explain()
    assert found.to_dict()["bound_m"] is None
    with pytest.raises(BadNumber, match="outside the declared region"):
        found.randomise([(0.0, 0.0)])


def test_reports_of_one_person_add_up_as_with_noise(found):
    here = [40.7] * 3, [-74.0] * 3
    given = {"radius": "2 km", "optimal": found, "force": True}
    many = protect_places(*here, people=["ann"] * 3, **given).data
    assert many.guarantee.total == 3 * ln(4)
    third = optimal_places(found.known, radius="2 km", eps=ln(4) / 3)
    given |= {"optimal": third, "people": ["ann"] * 3, "reports": 3}
    shared = protect_places(*here, **given).data
    assert shared.guarantee.total == ln(4)
    assert third.guarantee.slack == found.guarantee.slack
    assert Q(2, 10**6) < found.guarantee.slack < 1415
