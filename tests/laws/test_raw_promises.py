"""A referee on raw inputs: no release exceeds what it promises about the values that people have."""

import inspect
import itertools
import math
import typing
from dataclasses import replace
from fractions import Fraction as Q
from importlib import import_module
from pathlib import Path as File

import pytest

import dprivacy
from dprivacy.curves import coefficient_noise, make_basis
from dprivacy.curves.curve_basis import NAMES
from dprivacy.curves.curve_distances import NORMS
from dprivacy.mechanisms import FAMILIES, laplace, planar_laplace
from dprivacy.model import Sourced
from dprivacy.numbers import Level
from dprivacy.release import Released
from dprivacy.release.plans.column_domains import TYPES
from dprivacy.spaces import Vectors
from support.raw_applications import curve_path
from support.raw_laws import Loss, Noise, Path, Row, loss, promise_of, ruling
from support.raw_mechanisms import ENOUGH, around_points, around_steps
from support.raw_releases import protected_column
from support.referee_table import KINDS, by_name, lines, paths

pytestmark = pytest.mark.filterwarnings("ignore::dprivacy.errors.PrivacyLeakWarning")
PAGE = File(__file__).parents[2] / "docs" / "theory" / "referee.md"
READ_BACK = {"read_by_spark"}  # gives back what was released before
NO_MECHANISM = {"PrivateHash"}  # what two mechanisms on hashes share


@pytest.mark.parametrize("kind", KINDS)
def test_no_output_exceeds_what_is_promised_for_raw_inputs(kind):
    found = by_name(map(ruling, paths(kind)))
    assert {name: one.broken for name, one in found.items() if one.broken} == {}
    assert {name: one.pairs for name, one in found.items() if one.pairs < ENOUGH} == {}
    assert all(0 < one.share < 1 + 1e-9 for one in found.values())


def test_the_factor_that_people_read_is_no_smaller():
    for path in paths("families"):
        laws = path.laws(path.values)
        if path.delta:
            continue
        for (x, here), (z, there) in itertools.product(
            zip(path.values, laws, strict=True), repeat=2
        ):
            assert path.guarantee.odds_factor(x, z) >= loss(here, there).ratio


def test_every_family_column_mechanism_and_release_is_looked_at():
    covered = {name for kind in KINDS for path in paths(kind) for name in path.covers}
    rooms = [import_module(f"dprivacy.{name}") for name in ("curves", "geo", "text", "hashing")]
    rooms += [import_module(f"dprivacy.{name}") for name in ("mechanisms", "design", "release")]
    classes, todo = set(), [Sourced]
    while todo:
        todo += (below := todo.pop().__subclasses__())
        classes |= {one.__name__ for one in below if one.__module__.startswith("dprivacy.")}
    offered = [getattr(room, name) for room in [dprivacy, *rooms] for name in dir(room)]
    releases = {
        one.__name__
        for one in offered
        if inspect.isfunction(one)
        and typing.get_origin(inspect.signature(one).return_annotation) is Released
    }
    assert {"protect_curves", "sanitise", "sanitise_file", "match"} <= releases
    needed = {family.name for family in FAMILIES} | set(TYPES) | classes | releases
    needed |= {"nulls refuse", "nulls category", "nulls replace"}
    needed |= {
        f"{distance} × {basis}"
        for distance in NORMS
        for basis in (*NAMES, "principal")
        if distance != "readings" or basis == "readings"
    }
    assert sorted(needed - covered - READ_BACK - NO_MECHANISM) == []


@pytest.mark.parametrize("distance", NORMS)
def test_rounding_before_noise_without_charging_is_caught(distance, monkeypatch):
    monkeypatch.setattr(coefficient_noise, "rounding_slack", lambda *given: Q(0))
    monkeypatch.setattr(coefficient_noise, "_MOST_HALVINGS", 0)
    basis = make_basis("readings", 4) if distance == "readings" else make_basis("cosine", 4, 1)
    values = [[0.375] * 4, [0.625] * 4, [0.0] * 4]
    path = curve_path("twin", basis, values, {"eps": 1, "grid": 1, "distance": distance})
    found = ruling(path)
    assert (values[0], values[1]) in found.broken
    if distance == "readings":
        assert found.share == pytest.approx(4)  # e^4 where e is promised


def test_a_grid_whose_promise_is_about_raw_numbers_is_caught():
    numbers, places = laplace(0, 10**6, eps=1, grid=1), planar_laplace(eps=1)
    raw = promise_of(replace(numbers.guarantee, space=Vectors(1)), lambda x: [x])
    twin = Path("twin", [0.4, 0.6, 3], lambda values: around_steps(numbers, values), raw)
    assert ruling(twin).broken == ((0.4, 0.6), (0.4, 0.6), (0.4, 3), (0.4, 3))
    values = [(0.4, 0.4), (0.6, 0.6), (0.0, 9.0)]
    raw = promise_of(replace(places.guarantee, space=Vectors(2)))
    twin = Path("twin", values, lambda values: around_points(places, values), raw)
    assert (values[0], values[1]) in ruling(twin).broken


def test_clamping_after_scaling_is_caught():
    mechanism = laplace(0, 40, eps=1, grid=1)

    def scaled(values):
        return [
            (Noise((Q(min(max(round(4 * x), 0), 40)),), Level(1)),) for x in values
        ]  # quarters, in bounds of quarters, with the noise of wholes

    promised = promise_of(mechanism.guarantee, space=mechanism.grid)
    assert ruling(Path("twin", [0, 1, 2, 30], scaled, promised)).broken


@pytest.mark.parametrize("policy", ["category", {"replace": "b"}])
def test_a_missing_value_that_is_passed_is_caught(policy):
    values = ["a", "b", "c", None]
    spec = {"type": "categories", "values": values[:3], "epsilon": "1", "nulls": policy}
    path = protected_column("twin", spec, values)
    assert not ruling(path).broken

    def passed(values):
        laws = path.laws(values)
        silent = (Row((0,) * len(laws[0][0].weights) + (1,)),)
        kept = [(Row((*row.weights, 0)),) for (row,) in laws]
        return [silent if x is None else law for x, law in zip(values, kept, strict=True)]

    found = ruling(replace(path, laws=passed))
    assert {z for _, z in found.broken} == {None}
    assert found.share == math.inf


def test_one_unit_in_the_last_place_of_one_weight_is_caught():
    for path in paths("listed columns"):
        if path.name == "table: ordered":
            break
    laws = path.laws(path.values)

    def moved(values):
        (row,) = laws[0]
        return [(Row((row.weights[0] + sum(row.weights) // 2**29, *row.weights[1:])),), *laws[1:]]

    assert not ruling(path).broken
    assert ruling(replace(path, laws=moved)).broken


def test_bounds_that_touch_are_decided_exactly():
    three = Loss(Q(3), Level(0), exact=True)
    assert three.within(Level("ln 3"))
    assert not three.within(Level("ln 3") - Q(1, 10**70))
    assert not Loss(Q(3), Level(0), exact=False).within(Level("ln 3"))
    assert not Loss(math.inf, Level(0), exact=True).within(Level(1000))
    assert Loss(math.inf, Level(0), exact=True).within(math.inf)


def test_losses_by_hand():
    assert Row((1, 2, 1)).ratio(Row((2, 4, 10))) == 2
    assert Row((1, 0)).ratio(Row((1, 1))) == 2
    assert Row((1, 1)).ratio(Row((1, 0))) == math.inf
    one = (Row((3, 1)), Noise((Q(1), Q(5)), Level("ln 2")), Noise((Q(0), Q(0)), Level(1), 2))
    two = (Row((1, 3)), Noise((Q(2), Q(3)), Level("ln 2")), Noise((Q(3), Q(4)), Level(1), 2))
    found = loss(one, two)
    assert (found.ratio, found.exact) == (3, True)
    assert found.exponent == Level("ln 8") + 5


@pytest.mark.slow
def test_the_page_has_the_table_that_the_referee_prints():
    table = lines(ruling(path) for kind in KINDS for path in paths(kind))
    assert "\n".join(table) in PAGE.read_text(encoding="utf-8")
