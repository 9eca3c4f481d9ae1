"""Cities: the remap, the optimal mechanism, the frontier; on real check-ins where they are at hand."""

import numpy as np
import pandas as pd
import pytest

from dprivacy.design import optimal, remap
from dprivacy.errors import BadNumber, NotApplicable, WrongShape
from dprivacy.flow import loss as losses, posterior_uncertainty
from dprivacy.geo import city, displacement, frontier, optimal_places, protect_places
from dprivacy.geo.place_frontier import NAMES, _planar, _total
from dprivacy.model import Channel, Dist
from dprivacy.numbers import Level, ln
from dprivacy.numbers.matrices import Mat
from dprivacy.spaces import points
from dprivacy.verify import privacy
from support.real_data import real

RNG = np.random.default_rng(12)


@pytest.fixture(scope="module")
def town():
    lat = 40.7 + RNG.normal(0, 0.008, 600)
    lon = -74.0 + RNG.normal(0, 0.005, 600)
    return city("40.7, -74.0, 2 km", cell="1 km", places=(lat, lon))


@pytest.fixture(scope="module")
def compared(town):
    return frontier(town, radius="500 m", eps=["ln 2", "ln 4"])


def at(found, name, eps):
    return next(p for p in found.points if p.mechanism == name and p.eps == Level(eps))


@pytest.mark.parametrize("eps", ["ln 2", "ln 4"])
def test_the_order_of_the_three(compared, eps):
    planar, remapped, best = (at(compared, name, eps) for name in NAMES)
    assert best.mean < remapped.mean < planar.mean
    assert best.bound <= best.mean <= best.bound * 1.002
    assert planar.adversary == remapped.adversary
    assert best.adversary <= best.mean * (1 + 1e-9)
    assert all(p.adversary < compared.blind for p in (planar, remapped, best))
    assert all(p.mean < p.within_95 or p.mean < 300 for p in (planar, remapped, best))


def test_more_privacy_costs_more(compared):
    for name in NAMES:
        for quantity in ("mean", "adversary"):
            (_, private), (_, open_) = compared.curve(name, quantity)
            assert private > open_


def test_the_remapped_loss_is_that_of_design_remap_and_of_a_bayesian_adversary(town):
    """The joint table as a channel, read by two other rooms."""
    rate = float(ln(2)) / 500
    joint = _planar(town, rate)
    assert joint.sum() == pytest.approx(1)
    held = np.flatnonzero(town.weights)
    rows = joint[held] / town.weights[held, None]
    assert rows.sum(axis=1) == pytest.approx(np.ones(len(held)))
    labels = [town.space.labels[k] for k in held]
    channel = Channel(labels, range(rows.shape[1]), Mat(rows / rows.sum(axis=1, keepdims=True)))
    prior = Dist(labels, Mat(town.weights[held][None, :]))
    table = town.metres[:, held]
    loss = {
        (w, x): table[i, j] for i, w in enumerate(town.space.labels) for j, x in enumerate(labels)
    }
    costs = losses.function(town.space.labels, labels, lambda w, x: float(loss[w, x]))
    found = at(frontier(town, radius="500 m", eps=["ln 2"]), "remapped", "ln 2")
    assert float(remap(channel, prior=prior, loss=costs).after) == pytest.approx(found.mean)
    assert float(posterior_uncertainty(channel, prior=prior, loss=costs)) == pytest.approx(
        found.adversary
    )


def test_the_optimum_is_no_worse_than_any_private_reading_of_it(town):
    best = optimal(town.space, eps=ln(2) / 500, prior=town.prior, gap=1e-3)
    assert privacy(best.channel, town.space, eps=ln(2) / 500)
    after = remap(best.channel, prior=town.prior, loss=losses.metric(town.space)).after
    assert float(after) == pytest.approx(float(best.loss), rel=1e-6)


def test_the_lattice_is_summed_up_rightly():
    for level in (0.06, 0.099, 0.11, 0.3, 2.0):
        far = np.arange(-int(50 / level) - 1, int(50 / level) + 2)
        assert _total(level) == pytest.approx(
            np.exp(-level * np.hypot(far[:, None], far)).sum(), rel=1e-8
        )


def test_words_and_plain_data(compared, town):
    text = str(compared)
    assert "planar Laplace" in text
    assert "500 m apart" in text
    told = compared.to_dict()
    assert len(told["points"]) == 6
    assert told["points"][0]["eps"] == "ln(2)"
    assert told["city"]["rows"] == town.rows
    with pytest.raises(WrongShape, match="at least one level"):
        frontier(town, eps=[])


def test_protecting_with_the_optimal_mechanism(town):
    found = optimal_places(town, radius="2 km", eps="ln 4")
    assert privacy(found.channel, town.space, eps=found.guarantee.eps)
    cells = points([[0, 0], [1, 1]])
    assert found.guarantee.eps * 1000 * cells.distance(0, 1) < ln(4)  # across a corner, 0 m apart
    lat, lon = town.places
    reported = found.protect(np.full(4000, lat[5]), np.full(4000, lon[5])).data
    assert set(zip(reported.lat, reported.lon, strict=True)) <= set(zip(lat, lon, strict=True))
    seen = np.bincount(town.cell_of(reported.lat, reported.lon), minlength=len(town)) / 4000
    told = dict(zip(found.channel.columns, found.channel.matrix.floats[5], strict=True))
    for k, label in enumerate(town.space.labels):
        chance = told.get(label, 0.0)
        assert abs(seen[k] - chance) <= 5 * np.sqrt(chance * (1 - chance) / 4000) + 1e-9
    assert "no private channel gets below" in found.explain()
    assert "centres of cells of 1 km" in found.to_dict()["guarantee"]["steps"][1]["step"]
    assert reported.law is None
    with pytest.raises(BadNumber, match="outside the declared region"):
        found.protect([0.0], [0.0])


def test_remapping_takes_reports_to_plausible_cells_and_nearer_to_the_truth():
    lat, lon = 40.7 + RNG.normal(0, 0.004, 4000), -74.0 + RNG.normal(0, 0.004, 4000)
    known = city("40.7, -74.0, 3 km", cell="200 m", places=(lat[:3000], lon[:3000]))
    inside = known.region.holds(lat, lon)
    true = lat[3000:][inside[3000:]], lon[3000:][inside[3000:]]
    raw, better = (
        protect_places(*true, radius="400 m", region=known.region).data,
        protect_places(*true, radius="400 m", city=known).data,
    )
    plausible = {(a, b) for a, b, w in zip(*known.places, known.weights, strict=True) if w}
    assert set(zip(better.lat, better.lon, strict=True)) <= plausible
    assert (
        displacement(*true, better.lat, better.lon).mean
        < displacement(*true, raw.lat, raw.lon).mean
    )
    assert better.guarantee == raw.guarantee
    with pytest.raises(NotApplicable, match="should be the city's own"):
        protect_places(*true, city=known, region="40.7, -74.0, 4 km")


def checkins(name):
    """Public check-ins inside the boxes below."""
    if name == "nyc":
        folder = real("foursquare_nyc")
        visits = pd.read_parquet(folder / "checkins.parquet").merge(
            pd.read_parquet(folder / "pois.parquet"), on="poi"
        )
        return visits["lat"].to_numpy(), visits["lon"].to_numpy(), "40.735, -73.99, 3.75 km"
    visits = pd.read_csv(real("gowalla_brightkite", "gowalla_checkins.csv.gz"))
    return visits["lat"].to_numpy(), visits["lon"].to_numpy(), "37.775, -122.42, 3.75 km"


@pytest.mark.parametrize("name", ["nyc", "san francisco"])
def test_on_real_check_ins_the_optimum_beats_the_remap_small(name):
    lat, lon, region = checkins(name)
    found = frontier(city(region, cell="1.5 km", places=(lat, lon)), radius="500 m", eps=["ln 2"])
    planar, remapped, best = (at(found, mechanism, "ln 2") for mechanism in NAMES)
    assert best.mean < 0.9 * remapped.mean < planar.mean


@pytest.mark.slow
@pytest.mark.parametrize("name", ["nyc", "san francisco"])
def test_on_real_check_ins_the_optimum_beats_the_remap_at_225_cells(name):
    lat, lon, region = checkins(name)
    town = city(region, cell="500 m", places=(lat, lon))
    assert len(town) >= 225
    found = frontier(town, radius="500 m", eps=["ln 2"])
    planar, remapped, best = (at(found, mechanism, "ln 2") for mechanism in NAMES)
    assert best.mean < 0.96 * remapped.mean < planar.mean
    assert best.mean <= best.bound * 1.0011
