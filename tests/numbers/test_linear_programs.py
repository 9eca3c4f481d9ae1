"""Certified linear programs: every outcome carries its own proof, and the proof is checked here."""

from dataclasses import replace
from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from dprivacy.errors import MixedArithmetic
from dprivacy.numbers import Mat
from dprivacy.numbers.exact_simplex import simplex
from dprivacy.numbers.linear_programs import Outcome, certified, feasible, minimise

entry = st.integers(-3, 3)


@st.composite
def programs(draw):
    """Small programs; degenerate, redundant, contradictory and unbounded ones are all common."""
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    cost = [Q(draw(entry), draw(st.integers(1, 3))) for _ in range(columns)]
    table = [[Q(draw(entry), draw(st.integers(1, 2))) for _ in range(columns)] for _ in range(rows)]
    right = [Q(draw(entry)) for _ in range(rows)]
    shape = draw(st.sampled_from(["free", "feasible", "redundant", "degenerate"]))
    if shape != "free":
        point = [Q(draw(st.integers(0, 2))) for _ in range(columns)]
        right = [sum((a * x for a, x in zip(row, point, strict=True)), Q(0)) for row in table]
    if shape == "redundant":
        table.append([2 * a for a in table[0]])
        right.append(2 * right[0])
    if shape == "degenerate":
        right = [Q(0)] * rows
    return cost, table, right


def dot(u, v):
    return sum((a * b for a, b in zip(u, v, strict=True)), Q(0))


def proves(cost, table, right, outcome):
    """The certificate, checked from its definition and without the library."""
    columns = list(zip(*table, strict=True))
    if outcome.status == "optimal":
        return (
            all(x >= 0 for x in outcome.x)
            and all(dot(row, outcome.x) == b for row, b in zip(table, right, strict=True))
            and all(dot(column, outcome.y) <= c for column, c in zip(columns, cost, strict=True))
            and dot(cost, outcome.x) == dot(right, outcome.y) == outcome.value
        )
    if outcome.status == "infeasible":
        return all(dot(column, outcome.y) <= 0 for column in columns) and dot(right, outcome.y) > 0
    return (
        all(x >= 0 for x in outcome.x)
        and all(dot(row, outcome.x) == 0 for row in table)
        and dot(cost, outcome.x) < 0
    )


def by_scipy(cost, table, right):
    answer = linprog(
        [float(c) for c in cost],
        A_eq=np.array(table, dtype=float),
        b_eq=np.array(right, dtype=float),
        bounds=(0, None),
        method="highs",
        options={"presolve": False},
    )
    return {0: "optimal", 2: "infeasible", 3: "unbounded"}.get(answer.status), answer.fun


@given(programs())
@settings(max_examples=150)
def test_outcomes_are_proved_and_agree(program):
    cost, table, right = program
    matrix = Mat.of(table)
    outcome, slow = minimise(cost, matrix, right), Outcome(*simplex(cost, table, right))
    for answer in (outcome, slow):
        assert proves(cost, table, right, answer)
        assert certified(cost, matrix, right, answer)
    assert outcome.status == slow.status
    if outcome.status == "optimal":
        assert outcome.value == slow.value
    status, value = by_scipy(cost, table, right)
    if status is not None:
        assert status == outcome.status
    if status == "optimal":
        assert abs(value - float(outcome.value)) < 1e-6


@given(programs())
@settings(max_examples=80)
def test_feasible(program):
    _, table, right = program
    outcome = feasible(Mat.of(table), right)
    nothing = [Q(0)] * len(table[0])
    if outcome.status == "optimal":
        assert all(x >= 0 for x in outcome.x)
        assert all(dot(row, outcome.x) == b for row, b in zip(table, right, strict=True))
    else:
        assert proves(nothing, table, right, outcome)
    assert outcome.status == minimise(nothing, Mat.of(table), right).status


@given(programs(), st.data())
@settings(max_examples=80)
def test_certified_rejects_what_was_tampered_with(program, data):
    cost, table, right = program
    matrix, outcome = Mat.of(table), minimise(program[0], Mat.of(program[1]), program[2])
    part = data.draw(st.sampled_from(["x", "y"]))
    vector = list(getattr(outcome, part))
    at = data.draw(st.integers(0, len(vector) - 1))
    vector[at] += data.draw(st.sampled_from([Q(1), Q(-1), Q(1, 10**40), Q(-1, 10**40)]))
    twin = replace(outcome, **{part: vector})
    assert certified(cost, matrix, right, twin) is proves(cost, table, right, twin)
    if outcome.status == "optimal":
        assert not certified(cost, matrix, right, replace(outcome, value=outcome.value + 1))
    for status in {"optimal", "infeasible", "unbounded"} - {outcome.status}:
        assert not certified(cost, matrix, right, replace(outcome, status=status))


def test_a_ray_of_an_empty_program_proves_nothing():
    cost, matrix, right = [Q(-1), Q(0)], Mat.of([[0, 1]]), [Q(-1)]
    assert minimise(cost, matrix, right).status == "infeasible"
    ray = Outcome("unbounded", [Q(1), Q(0)], [Q(0)], Q(-1))
    assert not certified(cost, matrix, right, ray)


def test_vectors_of_the_wrong_length_prove_nothing():
    cost, matrix, right = [Q(1)], Mat.of([[1]]), [Q(1)]
    good = minimise(cost, matrix, right)
    assert certified(cost, matrix, right, good)
    for twin in (replace(good, x=[Q(1), Q(0)]), replace(good, x=[]), replace(good, y=[Q(1), Q(0)])):
        assert not certified(cost, matrix, right, twin)


def test_numbers_beyond_what_highs_can_tell_apart():
    tiny = Q(1, 10**40)
    # x + y = 1 at costs 1 and 1 − 10^-40: floats see a tie.
    outcome = minimise([Q(1), 1 - tiny], Mat.of([[1, 1]]), [Q(1)])
    assert outcome.x == [0, 1]
    assert outcome.value == 1 - tiny
    # x = 10^-40 and x = 0 contradict each other.
    outcome = minimise([Q(0)], Mat.of([[1], [1]]), [tiny, Q(0)])
    assert outcome.status == "infeasible"
    assert proves([Q(0)], [[Q(1)], [Q(1)]], [tiny, Q(0)], outcome)


@pytest.mark.parametrize("huge", [Q(10**400), Q(1, 10**400)])
def test_numbers_beyond_the_doubles(huge):
    outcome = minimise([huge], Mat.of([[1]]), [Q(1)])
    assert (outcome.status, outcome.value) == ("optimal", huge)
    outcome = minimise([Q(1)], Mat.of([[huge]]), [Q(1)])
    assert (outcome.status, outcome.value) == ("optimal", 1 / huge)
    outcome = feasible(Mat.of([[1, huge]]), [huge])
    assert outcome.status == "optimal"


def test_floats_are_refused():
    floats = Mat(np.array([[0.1]]))
    with pytest.raises(MixedArithmetic):
        minimise([Q(1)], floats, [Q(1)])
    with pytest.raises(MixedArithmetic):
        feasible(floats, [Q(1)])


def test_rows_of_zeros():
    assert minimise([Q(1)], Mat.of([[0]]), [Q(0)]).status == "optimal"
    assert minimise([Q(1)], Mat.of([[0]]), [Q(1)]).status == "infeasible"
    assert minimise([Q(-1)], Mat.of([[0]]), [Q(0)]).status == "unbounded"


def without_the_simplex(monkeypatch):
    """The exact simplex of the last resort must not be needed."""

    def refused(*_):
        raise AssertionError("the basis of floats, and pivots from there, should have been enough")

    monkeypatch.setattr("dprivacy.numbers.linear_programs.simplex", refused)


@pytest.mark.parametrize("hair", [Q(1, 10**30), Q(-1, 10**30)])
def test_ties_that_floats_do_not_see_take_pivots(hair, monkeypatch) -> None:
    """Two rows that agree in floats, and costs that do: the wrong one of each is mended exactly."""
    without_the_simplex(monkeypatch)
    table = [[1, 1, 1, 0], [1, 1, 0, 1]]
    right = [Q(1), 1 + hair]
    for cost in ([-1, -1 + hair, 0, 0], [-1 + hair, -1, 0, 0]):
        cost = [Q(c) for c in cost]
        outcome = minimise(cost, Mat.of(table), right)
        assert outcome.value == min(cost) * min(right)
        assert proves(cost, table, right, outcome)


@pytest.mark.parametrize("digits", [3, 30, 300, 3000])
def test_variables_of_very_different_sizes(digits, monkeypatch) -> None:
    """A private channel of two secrets at e^ε = far: the wrong answer has 1/(1 + far)."""
    without_the_simplex(monkeypatch)
    far = 10**digits
    # C[0,0], C[0,1], C[1,0], C[1,1], then what is left of far·C[1,0] − C[0,0] and far·C[0,1] − C[1,1]
    table = [[1, 1, 0, 0, 0, 0], [0, 0, 1, 1, 0, 0], [-1, 0, far, 0, -1, 0], [0, far, 0, -1, 0, -1]]
    cost, right = [Q(c) for c in (0, 1, 1, 0, 0, 0)], [Q(b) for b in (1, 1, 0, 0)]
    small = -np.log2(10.0) * digits
    sizes = np.array([0, small, small, 0, np.nan, np.nan])
    outcome = minimise(cost, Mat.of(table), right, sizes=sizes)
    assert outcome.value == Q(2, 1 + far)
    assert proves(cost, table, right, outcome)
