"""Sensitivity and induced metrics against their definitions."""

import math
from fractions import Fraction as Q
from itertools import combinations, pairwise, permutations, product as cartesian

import pytest
from hypothesis import strategies as st

from dprivacy.errors import Malformed, UnknownCategory
from dprivacy.numbers import as_level, root
from dprivacy.spaces import (
    discrete,
    from_table,
    graph,
    grid,
    hamming,
    hamming_cube,
    induced_space,
    line,
    product,
    sensitivity,
)
from support.space_draws import on_each


def stretch(f, X, Y):
    """The definition: the smallest Δ with d_Y(f(x), f(z)) ≤ Δ·d_X(x, z) for every pair."""
    worst = Q(0)
    for x, z in combinations(X.labels, 2):
        top, bottom = Y.distance(f(x), f(z)), X.distance(x, z)
        if top == 0:
            continue
        worst = max(worst, math.inf if bottom == 0 else (as_level(top) / bottom).simplified)
    return worst


def by_paths(f, X):
    """The definition: shortest paths in the graph with an edge f(x)–f(z) for every pair x, z."""
    answers = list(dict.fromkeys(f(x) for x in X.labels))
    edge = {}
    for x, z in combinations(X.labels, 2):
        for pair in ((f(x), f(z)), (f(z), f(x))):
            edge[pair] = min(edge.get(pair, math.inf), X.distance(x, z))
    table = {}
    for a in answers:
        for b in answers:
            best = Q(0) if a == b else math.inf
            others = [y for y in answers if y not in (a, b)]
            for size in range(len(others) + 1) if a != b else ():
                for middle in permutations(others, size):
                    stops = [a, *middle, b]
                    steps = [edge.get(step, math.inf) for step in pairwise(stops)]
                    if math.inf not in steps:
                        best = min(best, sum(steps))
            table[a, b] = best
    return answers, table


SPACES = {
    "line": line(5),
    "discrete": discrete(["a", "b", "c", "d"]),
    "cube": hamming_cube(2),
    "grid": grid(2, 2),
    "product": product(line(2), discrete(["f", "m"])),
    "pseudo": from_table(["a", "b", "c"], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True),
    "weighted": graph([("a", "b", "1/3"), ("b", "c", 2), ("c", "d", "1/2")]),
}


@pytest.mark.statement("T", "Def 3.3.2")
@on_each(SPACES)
def test_sensitivity_is_the_lipschitz_constant(space, data):
    Y = data.draw(st.sampled_from([line(4), discrete(range(4)), line(["0", "1/3", "5", "-2"])]))
    table = {x: data.draw(st.sampled_from(Y.labels)) for x in space.labels}
    delta = sensitivity(table.get, space, Y)
    assert delta == stretch(table.get, space, Y)
    if delta not in (0, math.inf):  # it holds, and nothing smaller does
        for x, z in combinations(space.labels, 2):
            assert Y.distance(table[x], table[z]) <= delta * space.distance(x, z)


@pytest.mark.statement("T", "Def 3.3.2")
def test_sensitivities_known_by_hand():
    cube = hamming_cube(3)
    assert sensitivity(sum, cube, line(4)) == 1
    assert sensitivity(lambda x: 5 * sum(x), cube, line(16)) == 5
    assert sensitivity(lambda x: 0, cube, line(2)) == 0
    assert sensitivity(lambda x: x, grid(3, 3), grid(3, 3, metric="manhattan")) == root(2)
    assert sensitivity(lambda x: x, grid(3, 3, metric="chebyshev"), grid(3, 3)) == root(2)
    assert sensitivity(lambda x: x, line(3).scaled("ln 2"), line(3).scaled("ln 8")) == 3
    assert sensitivity(
        lambda x: x, grid(2, 2).scaled("ln 2"), grid(2, 2).scaled("sqrt(3)*ln 2")
    ) == root(3)
    assert sensitivity(lambda x: x, line([0.0, 0.5]), line([0.0, 0.5])) == 1.0


def test_a_quotient_without_an_exact_form_is_a_float():
    delta = sensitivity(lambda x: x, line(2).scaled("ln 2"), line(2))
    assert isinstance(delta, float)
    assert delta == pytest.approx(1 / math.log(2))


def test_secrets_at_distance_zero_with_different_answers():
    assert sensitivity({"a": 0, "b": 1, "c": 1}.get, SPACES["pseudo"], line(2)) == math.inf
    assert sensitivity({"a": 0, "b": 0, "c": 1}.get, SPACES["pseudo"], line(2)) == 1


def test_infinite_distances():
    X = graph([("a", "b")], nodes=["c"], extended=True)
    assert sensitivity({"a": 0, "b": 1, "c": 9}.get, X, line(10)) == 1
    Y = graph([(0, 1)], nodes=[2], extended=True)
    assert sensitivity({"a": 0, "b": 2, "c": 1}.get, X, Y) == math.inf


def test_an_answer_outside_the_space_is_named():
    with pytest.raises(UnknownCategory, match=r"^3 is not among the points"):
        sensitivity(sum, hamming_cube(3), line(3))


@pytest.mark.statement("T", "Def 3.3.3")
@on_each(SPACES)
def test_the_induced_metric_is_the_shortest_path(space, data):
    table = {x: data.draw(st.sampled_from("pqrs")) for x in space.labels}
    answers, expected = by_paths(table.get, space)
    induced = induced_space(table.get, space)
    assert list(induced.labels) == answers
    for a in answers:
        for b in answers:
            assert induced.distance(a, b) == expected[a, b]
    # f is 1-sensitive for it, and it is the largest metric of which that is true of each pair
    if len(answers) > 1 and induced.separation > 0:
        assert sensitivity(table.get, space, induced) <= 1


@pytest.mark.statement("T", "Def 3.3.3")
def test_the_identity_induces_the_space_itself():
    for X in SPACES.values():
        assert induced_space(lambda x: x, X) == X


@pytest.mark.statement("T", "Lem 6.3")
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_counting_query_induces_the_line(n):
    cube = hamming_cube(n)
    assert induced_space(sum, cube) == line(n + 1)
    assert sensitivity(sum, cube, line(n + 1)) == 1
    people = hamming(["yes", "no", "maybe"], n)
    count = induced_space(lambda rows: rows.count("yes"), people)
    assert count == line(n + 1)


@pytest.mark.statement("T", "Lem 6.5")
def test_a_sum_query_of_large_enough_rows_induces_the_discrete_metric():
    """With one row that can be anything in 0 … N, any two sums are one change apart."""
    top = 4
    one = hamming(range(top + 1), 1)
    assert induced_space(sum, one) == discrete(range(top + 1))
    two = hamming(range(top + 1), 2)
    capped = induced_space(lambda rows: min(sum(rows), top), two)
    assert capped == discrete(range(top + 1))
    assert sensitivity(lambda rows: min(sum(rows), top), two, discrete(range(top + 1))) == 1


def test_sums_of_small_rows_lie_between_the_line_and_the_discrete_metric():
    rows = hamming(range(3), 2)
    space = induced_space(sum, rows)
    for a, b in cartesian(range(5), repeat=2):
        assert space.distance(a, b) == -(-abs(a - b) // 2)  # a change moves the sum by at most 2


def test_answers_that_cannot_be_labels():
    with pytest.raises(Malformed, match=r"the answer for 0 should be a label.*list"):
        induced_space(lambda x: [x], line(3))


def test_exactness_is_kept():
    assert induced_space(lambda x: x[0], grid(2, 2, step="ln 2")).exact
    assert not induced_space(lambda x: x > 0.2, line([0.0, 0.3, 0.5])).exact


def test_a_quotient_without_an_exact_form_is_rounded_up():
    """Noise for a constant that was rounded to nearest would be too little half of the time."""
    from flint import arb, ctx, fmpq

    off = 0
    for a, b in cartesian(range(2, 14), repeat=2):
        X = from_table(["x", "z"], [[0, f"ln {a}"], [f"ln {a}", 0]])
        Y = from_table(["u", "v"], [[0, f"ln {b}"], [f"ln {b}", 0]])
        found = sensitivity(dict(zip("xz", "uv", strict=True)).get, X, Y)
        if not isinstance(found, float):
            continue
        off += 1
        with ctx.workprec(300):
            true = arb(b).log() / arb(a).log()
            below = Q(math.nextafter(found, 0))
            assert true <= arb(fmpq(*Q(found).as_integer_ratio()))
            assert arb(fmpq(*below.as_integer_ratio())) < true
    assert off > 100


def test_floats_are_divided_with_the_quotient_rounded_up():
    X, Y = (from_table(["x", "z"], [[0.0, d], [d, 0.0]]) for d in (0.3, 0.1))
    found = sensitivity(lambda x: x, X, Y)
    assert Q(found) * Q(0.3) >= Q(0.1) > Q(math.nextafter(found, 0)) * Q(0.3)


def test_a_sensitivity_beyond_the_doubles_is_a_whole_number_above_it() -> None:
    """ln 3 over ln 2·10⁻³¹⁰, which has no exact form, and 3/2 over the smallest double."""
    tiny = as_level("ln 2") * Q(1, 10**310)
    near = from_table([0, 1], [[0, tiny], [tiny, 0]])
    found = sensitivity(lambda x: x, near, from_table([0, 1], [[0, "ln 3"], ["ln 3", 0]]))
    assert found * as_level("ln 2") >= as_level("ln 3") * 10**310
    assert (found - 1) * as_level("ln 2") < as_level("ln 3") * 10**310
    nearest = from_table([0, 1], [[0, 5e-324], [5e-324, 0]])
    found = sensitivity(lambda x: x, nearest, from_table([0, 1], [[0, 1.5], [1.5, 0]]))
    assert found - 1 < Q(3, 2) / Q(5e-324) <= found
