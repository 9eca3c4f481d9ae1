"""Kantorovich and total variation, against the programs that define them."""

import itertools
import math
from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from dprivacy.errors import (
    BadNumber,
    NotApplicable,
    NotStochastic,
    UnknownCategory,
    WrongKind,
    WrongShape,
)
from dprivacy.estimation import estimate, kantorovich, total_variation
from dprivacy.estimation.transport import transport_plan as transport_module
from dprivacy.estimation.transport.distribution_distances import line_coordinates
from dprivacy.mechanisms import randomised_response
from dprivacy.model import Dist, uniform
from dprivacy.spaces import GridLine, discrete, from_table, graph, grid, hamming_cube, line, points


def by_lipschitz_functions(p, q, space) -> float:
    """Def 8.3.2 as a linear program over the functions."""
    n = len(space)
    change = np.array([float(a) - float(b) for a, b in zip(p, q, strict=True)])
    pairs = list(itertools.permutations(range(n), 2))
    rows = np.zeros((len(pairs), n))
    for k, (i, j) in enumerate(pairs):
        rows[k, i], rows[k, j] = 1, -1
    right = [space.distances.floats[i, j] for i, j in pairs]
    found = linprog(-change, A_ub=rows, b_ub=right, bounds=[(0, None)] * n)
    assert found.success
    return -float(found.fun)


@st.composite
def two_distributions(draw, n: int):
    weights = st.lists(st.integers(0, 9), min_size=n, max_size=n).filter(any)
    first, second = draw(weights), draw(weights)
    return [Q(w, sum(first)) for w in first], [Q(w, sum(second)) for w in second]


SPACES = [
    line([5, 1, 4, 2, 9, 0]),
    discrete("uvwxyz"[k] for k in range(6)),
    grid(2, 3),
    grid(2, 3, metric="manhattan"),
    graph([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0)]),
    points(np.random.default_rng(0).random((6, 2))),
    line(np.random.default_rng(1).random(6).tolist()),
]


@pytest.mark.parametrize("space", SPACES, ids=repr)
@pytest.mark.statement("T", "Def 8.3.2")
def test_it_is_the_largest_difference_of_expectations(space) -> None:
    @given(two_distributions(6))
    @settings(max_examples=25)
    def check(pair) -> None:
        p, q = pair
        found = kantorovich(p, q, space)
        assert float(found) == pytest.approx(by_lipschitz_functions(p, q, space), abs=1e-7)
        rational = space.distances.integers is not None
        assert isinstance(found, Q) == rational

    check()


@given(two_distributions(6), two_distributions(6))
@settings(max_examples=40)
def test_it_is_a_metric(first, second) -> None:
    p, q, r = first[0], first[1], second[0]
    space = grid(2, 3, metric="manhattan")
    assert kantorovich(p, p, space) == 0
    assert kantorovich(p, q, space) == kantorovich(q, p, space)
    assert kantorovich(p, r, space) <= kantorovich(p, q, space) + kantorovich(q, r, space)


def test_order_of_labels_does_not_matter() -> None:
    p, q = {3: "1/2", 7: "1/2"}, {0: "1/4", 7: "3/4"}
    for order in ([0, 3, 7], [7, 0, 3], [3, 7, 0]):
        assert kantorovich(p, q, line(order)) == Q(7, 4)


def test_points_on_a_line_are_recognised_whatever_they_are_called() -> None:
    table = from_table(list("abc"), [[0, 5, 2], [5, 0, 3], [2, 3, 0]])
    assert line_coordinates(table) is not None
    assert line_coordinates(grid(2, 2)) is None
    assert line_coordinates(discrete(range(3))) is None
    assert line_coordinates(discrete(range(2))) is not None


def test_all_on_one_label() -> None:
    space = hamming_cube(3)
    first, last = space.labels[0], space.labels[-1]
    assert kantorovich({first: 1}, {last: 1}, space) == space.distance(first, last)


def test_unordered_categories_give_total_variation() -> None:
    p, q = ["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]
    space = discrete(["a", "b", "c"])
    assert kantorovich(p, q, space) == total_variation(p, q) == Q(1, 4)
    assert kantorovich(p, q, space.scaled("3")) == Q(3, 4)
    assert kantorovich(p, q, space.scaled("ln 2")) == pytest.approx(math.log(2) / 4)


def test_infinite_distances() -> None:
    space = graph([(0, 1), (2, 3)], extended=True)
    assert kantorovich({0: 1}, {1: 1}, space) == 1
    assert kantorovich({0: 1}, {2: 1}, space) == math.inf


def test_a_signed_estimate_has_a_distance_too() -> None:
    R = randomised_response([0, 1, 2], eps="ln 2")
    found = estimate(R, {0: 9, 1: 1, 2: 0}, estimator="inverse")
    assert not found.proper
    assert kantorovich(found, {0: 1}, line(3)) == sum(
        abs(c)
        for c in itertools.accumulate(a - b for a, b in zip(found.shares[:2], (1, 0), strict=True))
    )


def test_a_line_too_long_for_a_table() -> None:
    p = {k: 1 / 50_000 for k in range(50_000)}
    q = {k: 1 / 50_000 for k in range(1, 50_001)}
    assert kantorovich(p, q, GridLine()) == pytest.approx(1, abs=1e-8)
    assert kantorovich({Q(1, 2): 1}, {2: 1}, GridLine()) == Q(3, 2)


def test_programs_in_floats_agree(monkeypatch) -> None:
    rng = np.random.default_rng(3)
    space = grid(4, 5, metric="manhattan")
    p, q = rng.dirichlet(np.ones(20)), rng.dirichlet(np.ones(20))
    expected = by_lipschitz_functions(p, q, space)
    assert kantorovich(p, q, space) == pytest.approx(expected, abs=1e-7)
    monkeypatch.setattr(transport_module, "_network_simplex", lambda: None)
    assert kantorovich(p, q, space) == pytest.approx(expected, abs=1e-7)  # along the edges
    plain = space.restrict(space.labels)
    assert kantorovich(p, q, plain) == pytest.approx(expected, abs=1e-7)  # all pairs


def test_pot_agrees_where_it_is_installed() -> None:
    ot = pytest.importorskip("ot")
    rng = np.random.default_rng(3)
    space = points(rng.random((30, 2)))
    p, q = rng.dirichlet(np.ones(30)), rng.dirichlet(np.ones(30))
    assert kantorovich(p, q, space) == pytest.approx(
        float(ot.emd2(p, q, np.ascontiguousarray(space.distances.floats))), abs=1e-9
    )


def test_qif_agrees_where_it_is_installed() -> None:
    qif = pytest.importorskip("qif")
    rng = np.random.default_rng(4)
    space = points(rng.random((12, 2)))
    table = space.distances.floats
    theirs = qif.metric.kantorovich(lambda i, j: float(table[i, j]))
    for _ in range(5):
        p, q = rng.dirichlet(np.ones(12)), rng.dirichlet(np.ones(12))
        assert kantorovich(p, q, space) == pytest.approx(theirs(p, q), abs=1e-5)


def test_total_variation_of_anything_with_labels() -> None:
    assert total_variation(Dist(["a", "b"], [0.5, 0.5]), {"a": 1.0}) == 0.5
    assert total_variation({"a": 1}, {"b": 1}) == 1
    assert total_variation(uniform(["a", "b"]), uniform(["b", "c"])) == Q(1, 2)
    assert total_variation([1, 0], {"a": 0, "b": 1}, labels=["a", "b"]) == 1


@pytest.mark.parametrize(
    ("p", "q", "error", "words"),
    [
        ({"z": 1}, {0: 1}, UnknownCategory, "not one of the 3 labels"),
        ([1, 0], {0: 1}, WrongShape, "3 weights, one for each label, not 2"),
        (["1/2", 0, 0], {0: 1}, NotStochastic, "sum to 1/2"),
        ([0.5, 0.5, 0.1], {0: 1}, NotStochastic, "sum to"),
        ([math.nan, 0.5, 0.5], {0: 1}, BadNumber, "NaN"),
        ("abc", {0: 1}, WrongKind, "list of weights"),
    ],
)
def test_bad_distributions(p, q, error, words) -> None:
    with pytest.raises(error, match=words):
        kantorovich(p, q, line(3))


def test_bad_spaces() -> None:
    with pytest.raises(WrongShape, match="line:4"):
        kantorovich([1], [1], "line")
    with pytest.raises(WrongKind, match="discrete"):
        kantorovich([1], [1], ["a"])
    with pytest.raises(NotApplicable, match="labels"):
        total_variation([1, 0], {"a": 1})
