"""Laws of refinement on random exact channels; every witness is put to an independent test."""

from fractions import Fraction as Q
from itertools import combinations

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.model import Channel, as_channel
from dprivacy.refine import join, meet, order, refines
from dprivacy.spaces import FiniteSpace, discrete, line
from dprivacy.verify import distinguishability, smallest_eps
from support.refine_random import (
    channels,
    pairs,
    posteriors,
    processed,
    rows,
    vulnerability,
    worst_ratio,
)

law = settings(max_examples=60)
fewer = settings(max_examples=25)


def check_average(A, B, verdict) -> None:
    assert verdict.status in ("proved", "refuted")
    if verdict:
        assert verdict.residual == 0
        assert all(p >= 0 for row in verdict.R.matrix.rows() for p in row)
        for x in A.rows:
            for z in B.columns:
                assert sum(A[x, y] * verdict.R[y, z] for y in A.columns) == B[x, z]
    else:
        entries = [value for row in verdict.gain.matrix.rows() for value in row]
        assert min(entries) == 0
        assert max(entries) == 1
        assert vulnerability(verdict.gain, A) == verdict.before
        assert vulnerability(verdict.gain, B) == verdict.after
        assert verdict.after > verdict.before
        assert verdict.prior.weights == [Q(1, len(A.rows))] * len(A.rows)


def check_max(A, B, verdict) -> None:
    assert verdict.status in ("proved", "refuted")
    hull, points = posteriors(A), posteriors(B)
    if verdict:
        table = verdict.coefficients
        for z in table.rows:
            for x in A.rows:
                mixed = sum(table[z, y] * hull[y if y in hull else y[0]][x] for y in table.columns)
                assert mixed == points[z if z in points else z[0]][x]
    else:
        worth = verdict.worth
        for posterior in hull.values():
            assert sum(worth[x] * posterior[x] for x in A.rows) <= verdict.before
        outside = points[verdict.output]
        assert outside == dict(verdict.posterior.items())
        assert sum(worth[x] * outside[x] for x in A.rows) == verdict.after > verdict.before


def check_private(A, B, verdict) -> None:
    assert verdict.status in ("proved", "refuted")
    larger = []
    for x, z in combinations(A.rows, 2):
        a, b = worst_ratio(A, x, z), worst_ratio(B, x, z)
        if a is not None and (b is None or b > a):
            larger.append((x, z))
    assert bool(verdict) == (not larger)
    if larger:
        assert verdict.pair in larger
        assert verdict.metric == distinguishability(A)


@pytest.mark.statement("T", "Lem 2.2", "Thm 4.2", "Thm 4.12", "Prop 4.4", "Thm 4.1")
@law
@given(pairs())
def test_every_witness_shows_what_it_claims(found) -> None:
    A, B = found
    check_average(A, B, refines(A, B))
    check_max(A, B, refines(A, B, by="max"))
    check_private(A, B, refines(A, B, by="private"))


@pytest.mark.statement("T", "Lem 3.3", "Lem 4.10", "Lem 4.11")
@law
@given(processed())
def test_post_processing_is_refined_by(found) -> None:
    A, _, B = found
    verdict = refines(A, B)
    assert verdict.status == "proved"
    check_average(A, B, verdict)
    assert refines(A, B, by="max").status == refines(A, B, by="private").status == "proved"
    check_max(A, B, refines(A, B, by="max"))


@pytest.mark.statement("T", "Thm 4.3", "Thm 4.5", "Prop 4.4")
@law
@given(st.one_of(pairs(), processed().map(lambda f: [f[0], f[2]])))
def test_the_chain_of_orders(found) -> None:
    A, B = found
    n = len(A.rows)
    chain = [
        bool(refines(A, B)),
        bool(refines(A, B, by="max")),
        bool(refines(A, B, by="private")),
    ]
    for space in (discrete(A.rows), FiniteSpace(A.rows, line(n).distances)):
        assert [*chain, bool(refines(A, B, space, by="private"))] == sorted(
            [*chain, bool(refines(A, B, space, by="private"))]
        )


STRICT = {
    "average but for max": (
        [["3/4", 0, "1/4", 0], ["3/4", "1/4", 0, 0], [0, "1/4", "1/4", "1/2"]],
        [["1/2", 0, "1/2"], ["1/2", "1/2", 0], [0, "1/2", "1/2"]],
        (False, True, True, True),
    ),
    "max but for privacy": (
        [["4/5", "1/5"], ["2/5", "3/5"]],
        [["2/5", "3/5"], ["4/5", "1/5"]],
        (False, False, True, True),
    ),
    "privacy but for one metric": (
        [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]],
        [["3/5", "1/5", "1/5"], ["1/5", "3/5", "1/5"], ["1/5", "1/5", "3/5"]],
        (False, False, False, True),
    ),
}


@pytest.mark.statement("T", "Thm 4.3", "Thm 4.5")
@pytest.mark.parametrize("case", STRICT)
def test_no_implication_goes_back(case) -> None:
    A, B, expected = STRICT[case]
    flat = discrete(range(len(A)))
    found = (
        refines(A, B),
        refines(A, B, by="max"),
        refines(A, B, by="private"),
        refines(A, B, flat, by="private"),
    )
    assert tuple(map(bool, found)) == expected


@law
@given(channels())
def test_reflexive(A) -> None:
    for by in ("average", "max", "private"):
        assert refines(A, A, by=by).status == "proved"
    assert refines(A, A.reduced())
    assert refines(A.reduced(), A)


@pytest.mark.statement("T", "Thm 4.23")
@law
@given(st.data())
def test_transitive(data) -> None:
    A, R, B = data.draw(processed())
    S = Channel(R.columns, ["s", "t"], data.draw(rows(len(R.columns), 2)))
    C = data.draw(st.sampled_from([B @ S, data.draw(channels(len(A.rows)))]))
    for by in ("average", "max", "private"):
        if refines(A, B, by=by) and refines(B, C, by=by):
            assert refines(A, C, by=by)


@pytest.mark.statement("T", "Thm 4.6")
@law
@given(st.data())
def test_queries_carry_privacy_over(data) -> None:
    A, B = data.draw(pairs())
    query = data.draw(st.lists(st.sampled_from(A.rows), min_size=2, max_size=4))
    deterministic = Channel(
        range(len(query)), A.rows, [[int(x == target) for x in A.rows] for target in query]
    )
    if refines(A, B, by="private"):
        assert refines(deterministic @ A, deterministic @ B, by="private")


def check_bounds(A, B, others, by):
    """The join and the meet of A and B: bounds of both, and the closest among the others."""
    above, below = join(A, B, by=by), meet(A, B, by=by)
    for channel in (A, B):
        assert refines(channel, above, by=by)
        assert refines(below, channel, by=by)
    for other in others:
        if refines(A, other, by=by) and refines(B, other, by=by):
            assert refines(above, other, by=by)
        if refines(other, A, by=by) and refines(other, B, by=by):
            assert refines(other, below, by=by)
    return above, below


@pytest.mark.statement("T", "§4.6.2")
@fewer
@given(pairs(count=4))
def test_join_and_meet_in_the_max_case(found) -> None:
    A, B, C, D = found
    silent = A @ Channel(A.columns, ["one"], [[1]] * len(A.columns))
    above, below = check_bounds(A, B, (C, D, silent, meet(C, D, by="max")), by="max")
    assert refines(above, join(above, A, by="max"), by="max")
    assert refines(join(A, below, by="max"), A, by="max")


@pytest.mark.statement("T", "§4.6.3")
@law
@given(pairs(count=4))
def test_join_and_meet_for_privacy(found) -> None:
    A, B, C, D = found
    check_bounds(A, B, (C, D, *(f(C, D, by="private") for f in (join, meet))), by="private")


@pytest.mark.statement("T", "Thm 4.13", "Lem 4.14")
@law
@given(channels())
def test_the_channel_of_a_metric_has_that_metric(A) -> None:
    assert distinguishability(meet(A, A, by="private")) == distinguishability(A)


@fewer
@given(pairs(count=3))
def test_the_diagram_holds_the_order(found) -> None:
    for by in ("average", "max", "private"):
        diagram = order(found, by=by)
        names = ["C1", "C2", "C3"]
        head = {name: group[0] for group in diagram.classes for name in group}
        reach = {(head[a], head[a]) for a in names} | set(diagram.edges)
        for _ in names:
            reach |= {(a, d) for a, b in reach for c, d in reach if b == c}
        for i, a in enumerate(names):
            for j, b in enumerate(names):
                assert bool(refines(found[i], found[j], by=by)) == ((head[a], head[b]) in reach)


@pytest.mark.statement("T", "Def 4.4.2")
@law
@given(pairs(zeros=False))
def test_one_metric_compares_the_smallest_level(found) -> None:
    A, B = found
    space = discrete(A.rows)
    verdict = refines(A, B, space, by="private")
    assert bool(verdict) == (smallest_eps(B, space) <= smallest_eps(A, space))


def test_rows_in_another_order_are_the_same_channel() -> None:
    A = as_channel([["2/3", "1/3"], ["1/4", "3/4"]], rows=["x", "z"])
    B = A.restrict(["z", "x"])
    assert refines(A, B)
    assert refines(A, B, by="max")
    assert refines(A, B, by="private")
