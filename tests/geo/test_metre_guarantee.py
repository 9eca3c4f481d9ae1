"""The guarantee about true places, decided exactly: cells, rounding and projection are all in it."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction as Q

import numpy as np
import pyproj
import pytest

from dprivacy.errors import BadLevel, BadNumber
from dprivacy.geo import MetreGuarantee, place_mechanism
from dprivacy.geo.earth.lengths import in_words, metres
from dprivacy.geo.metre_guarantee import SHADOW, snapped
from dprivacy.model import Channel
from dprivacy.numbers import Level, ln, root
from dprivacy.spaces import points
from dprivacy.verify import exactly, privacy
from support.geo_truth import TRICKY, geodesic, pairs, step


@pytest.fixture
def rng():
    return np.random.default_rng(8)


@pytest.mark.statement("T", "Ex 3.2.1")
@pytest.mark.parametrize("eps", ["ln 4", "ln(3/2)", "1", "0.1", "sqrt(2)", "2 ln 3"])
@pytest.mark.parametrize("axes", [2, 3])
def test_at_the_radius_the_level_is_met_exactly(eps, axes):
    claim = MetreGuarantee.read(radius="200 m", eps=eps, steps=[snapped("0.2 m", axes=axes)])
    assert claim.slack == root(axes) / 5 + Q(2, 10**6)
    assert claim.rate * 200 + claim.overhead == Level(eps)
    assert claim.exponent("200 m") == Level(eps)
    assert claim.exponent("199.999 m") < Level(eps)
    for far in ("200.001 m", "1 km", "30 km"):
        assert claim.exponent(far) <= Level(eps) * (metres(far) / 200)
    assert claim.eps * 200 < Level(eps)  # the price of the cells
    assert claim.factor("200 m") >= float(Level(eps).exp() or math.exp(float(Level(eps))))


def exponent(mechanism, x, z):
    """The exact ε between two true places: the noise's level times the distance of their cells.

    P_x(y)/P_z(y) = e^(level·(‖y−z‖ − ‖y−x‖)) ≤ e^(level·‖x−z‖), and y = x attains it.
    """
    here = mechanism.cells(*(np.array([side]) for side in x))[0]
    there = mechanism.cells(*(np.array([side]) for side in z))[0]
    square = sum((int(a) - int(b)) ** 2 for a, b in zip(here, there, strict=True))
    return mechanism.guarantee.eps * root(square) * mechanism.cell


@pytest.mark.statement("T", "Ex 3.2.1")
@pytest.mark.parametrize("cell", [None, "50 m", "170 m"])
def test_no_pair_within_the_radius_breaks_the_promise_anywhere_on_earth(rng, cell):
    mechanism = place_mechanism(radius="200 m", eps="ln 4", cell=cell)
    first, second = pairs(rng, 200.0, 200)
    worst = max(
        exponent(mechanism, x, z)
        for x, z in zip(zip(*first, strict=True), zip(*second, strict=True), strict=True)
    )
    assert worst <= ln(4)
    assert float(worst) > 0.7 * math.log(4)  # the promise is not idle


@pytest.mark.parametrize("centre", TRICKY)
def test_nor_in_a_region_at_the_date_line_a_pole_or_between_zones(rng, centre):
    mechanism = place_mechanism(radius="200 m", eps="ln 4", cell="50 m", region=(*centre, "20 km"))
    lat, lon = step(
        np.full(40, centre[0]),
        np.full(40, centre[1]),
        rng.uniform(0, 360, 40),
        rng.uniform(0, 1e4, 40),
    )
    other = step(lat, lon, rng.uniform(0, 360, 40), np.full(40, 199.9999))
    for k in range(40):
        assert exponent(mechanism, (lat[k], lon[k]), (other[0][k], other[1][k])) <= ln(4)


def test_without_the_slack_the_promise_would_be_broken(rng):
    """The broken twin: ε/radius per metre, cells forgotten."""
    mechanism = place_mechanism(radius="200 m", eps="ln 4", cell="50 m", region="40.7, -74, 20 km")
    naive = ln(4) / 200
    worst = Level(0)
    for turn in range(0, 360, 5):
        z = step(40.7002, -74.0003, turn, 199.99)
        here = exponent(mechanism, (40.7002, -74.0003), z) / mechanism.guarantee.eps
        worst = max(worst, naive * here)
    assert worst > ln(4)


def test_a_zone_for_each_place_would_leak_at_the_border():
    """The other broken twin: each place in its own UTM zone, outputs on the zone's metric grid.

    Two places a metre apart on both sides of 78° W have outputs that the other can never have.
    """
    outputs = []
    for zone, lon in ((17, -78.000006), (18, -77.999994)):
        there = pyproj.Transformer.from_crs(4326, 32600 + zone, always_xy=True)
        x, y = np.rint(there.transform(lon, 40.7))
        grid = [(x + a, y + b) for a in range(-3, 4) for b in range(-3, 4)]
        back = there.transform(*np.array(grid).T, direction="INVERSE")
        outputs.append({(round(v, 9), round(w, 9)) for v, w in zip(*back, strict=True)})
    assert geodesic(40.7, -78.000006, 40.7, -77.999994) < 1.1
    assert not outputs[0] & outputs[1]
    mechanism = place_mechanism(radius="200 m", eps="ln 4", region="40.7, -78, 20 km")
    assert exponent(mechanism, (40.7, -78.000006), (40.7, -77.999994)) < ln(4) / 100


def window(level, secrets, near):
    """P(y | x) for y in a window and one column for the rest, from the law itself."""
    far = np.arange(-int(40 / level), int(40 / level) + 1)
    whole = np.exp(-level * np.hypot(far[:, None], far)).sum()
    g = list(itertools.product(range(-near, near + 1), repeat=2))
    rows = [[math.exp(-level * math.dist(x, y)) / whole for y in g] for x in secrets]
    return Channel(secrets, [*g, "elsewhere"], [[*row, 1 - math.fsum(row)] for row in rows])


@pytest.mark.statement("T", "Def 9.4.1")
def test_the_channel_on_a_window_is_certified_in_exact_arithmetic():
    mechanism = place_mechanism(
        radius="200 m", eps="ln 4", cell="100 m", step="100 m", region="0,0,9 km"
    )
    step_level = mechanism.guarantee.eps * 100
    secrets = list(itertools.product(range(3), repeat=2))
    space = points(secrets, labels=secrets)
    channel = window(float(step_level), secrets, 4)
    proof = exactly(channel, space, eps=step_level)
    assert proof
    assert proof.achieved[1] <= float(step_level)
    assert proof.achieved[0] > 0.99 * float(step_level)  # and nothing less would do
    assert not privacy(proof.channel, space, eps=step_level * Q(95, 100))
    far = max(space.distance(x, z) for x in secrets for z in secrets if math.dist(x, z) <= 2)
    assert step_level * far <= ln(4)


def test_the_sentence_and_several_reports():
    one = MetreGuarantee.read(radius="200 m", eps="ln 4", steps=[SHADOW, snapped("1 m")])
    assert one.brief() == (
        "Within 200 m, the odds between two true places change by at most a factor of 4."
    )
    nothing, _, doubles = (step["metres"] for step in one.to_dict()["steps"])
    assert nothing == 0 < Q(2, 10**6) <= Q(doubles)
    assert "taking their shadows on a plane (by nothing), moving them to a lattice of 1 m " in (
        one.explain()
    )
    assert "(by 1.42 m), computing in doubles (by less than 1 mm)." in one.explain()
    listed = MetreGuarantee.read(radius="200 m", eps="ln 4", listed=7)
    assert listed.brief() == (
        "Within 200 m, the odds between two places of the list change by at most a factor of 4."
    )
    many = replace(MetreGuarantee.read(radius="1.5 km", eps="ln 4"), reports=3)
    assert many.total == 3 * ln(4)
    assert many.brief() == (
        "Between two tracks of 3 reports that stay within 1.5 km of each other, the odds change by at "
        "most a factor of 64. This is for all reports of a person together; levels add up. By one "
        "report alone, within 1.5 km, the odds between two true places change by at most a factor of 4."
    )
    assert many.to_dict()["total_level"] == str(3 * ln(4))
    places = replace(many, permanent=True)
    assert places.brief() == (
        "Between two tracks with the same pattern of visits, to 3 places each, that stay within 1.5 km "
        "of each other, the odds change by at most a factor of 64. This is for all places of a person "
        "together; levels add up. By one place alone, within 1.5 km, the odds between two true places "
        "change by at most a factor of 4."
    )
    assert replace(places, reports=1).brief() == (
        "Within 1.5 km, the odds between two true places change by at most a factor of 4, however "
        "often a person is there."
    )
    assert "Together, 3 places of a person are" in replace(places, level=ln(400)).warning
    assert one.factor("20000 km") == math.inf
    assert one.odds_factor((40.7, -74.0), (40.7, -74.0)) == 1
    assert 2 < one.odds_factor((40.7, -74.0), (40.701, -74.0)) < 4


def test_a_printed_length_never_says_more_than_is_promised():
    assert in_words(Q("1999.9996")) == "1.99999 km"
    assert in_words(Q(1, 3)) == "0.333333 m"
    assert in_words(Q(200)) == "200 m"
    assert in_words(1999.9996) == "2 km"
    assert in_words(0.0) == "0 m"
    assert in_words(2.8e-13) == "less than 1 cm"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("200m", 200),
        ("1.5 km", 1500),
        (" 3 mi ", Q("4828.032")),
        ("600 ft", Q("182.88")),
        ("3/4", Q(3, 4)),
    ],
)
def test_lengths_as_people_write_them(text, value):
    assert metres(text) == value


@pytest.mark.parametrize(
    "bad",
    ["", "m", "ln 2", "-5 m", "5 parsec", "1//2 m", "9" * 200, None, True, math.nan, math.inf, [1]],
)
def test_lengths_that_are_none(bad):
    with pytest.raises(BadNumber, match="the radius should be a length such as '200 m'"):
        metres(bad, what="the radius")


def test_lengths_and_levels_out_of_range():
    for bad in (0, "0.0001 m", "30000 km"):
        with pytest.raises(BadNumber, match=r"between 0\.001 m and 20,000 km"):
            metres(bad)
    for bad in (0, -1, "x", math.nan, True):
        with pytest.raises(BadLevel):
            place_mechanism(eps=bad)
    with pytest.raises(BadNumber, match="whole number of steps"):
        place_mechanism(cell="1 m", step="0.3 m")
