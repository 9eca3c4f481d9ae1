"""Whether lowering ε always refines: theorems, decisions by polynomials, counter-examples, refusals."""

from fractions import Fraction as Q
from itertools import combinations, permutations

import pytest

import dprivacy as dp
from dprivacy.errors import NotApplicable
from dprivacy.refine import exponential_monotone, refines
from dprivacy.spaces import from_table, graph, product


def ring(n):
    return graph([(k, (k + 1) % n) for k in range(n)])


def double_star(k, m):
    return graph([("a", "b"), *(("a", i) for i in range(k)), *(("b", -1 - i) for i in range(m))])


@pytest.mark.parametrize(
    "space",
    [
        "line:40",
        "discrete:5",
        "cube:4",
        "line:1",
        "line:2",
        dp.line([0, Q(1, 2), 1]),
        dp.grid(4, 3, metric="manhattan"),
        product(dp.line(3), dp.discrete(["a", "b", "c"])),
        graph([("hub", k) for k in range(9)]),
        graph([(0, 1), (1, 2), (2, 3), (1, 4)]),
        double_star(8, 8),
        ring(5),
        ring(7),
    ],
)
def test_true(space):
    found = exponential_monotone(space)
    assert found.status == "proved"
    assert found.levels is found.step is None
    assert found.reason.capitalize()[1:] in found.explain()


@pytest.mark.parametrize(
    "space",
    [
        double_star(8, 9),
        ring(6),
        ring(9),
        ring(12),
        graph([(left, right) for left in "ab" for right in "xyz"]),
        from_table(range(4), [[0, 1, 1, 4], [1, 0, 2, 3], [1, 2, 0, 3], [4, 3, 3, 0]]),
        product(ring(6), dp.line(2)),
        dp.line([*range(5), *range(104, 117)]),
    ],
)
def test_false(space):
    found = exponential_monotone(space)
    assert found.status == "refuted"
    high, low = found.levels
    assert high > low
    step = found.step
    assert step.after > step.before
    assert "is not safe in place of" in found.explain()


def test_the_levels_of_a_refutation_are_those_of_the_mechanism():
    """`exponential` at the two levels is refuted too, whatever the unit of the distances."""
    table = [[Q(min(abs(i - j), 6 - abs(i - j)), 3) for j in range(6)] for i in range(6)]
    thirds = from_table(range(6), table)
    found = exponential_monotone(thirds)
    before, after = (dp.exponential(thirds, eps=level).channel for level in found.levels)
    assert refines(before, after).status == "refuted"


def test_every_connected_graph_of_at_most_six_points():
    """Counts of a search in doubles at 42 levels, here decided: 0 of 6, 6 of 21, 62 of 112 fail."""
    counts = {}
    for n in (4, 5, 6):
        pairs = list(combinations(range(n), 2))
        place = {pair: k for k, pair in enumerate(pairs)}
        moves = [
            [place[tuple(sorted((p[i], p[j])))] for i, j in pairs] for p in permutations(range(n))
        ]
        seen, failed, decided = set(), 0, 0
        for mask in range(1 << len(pairs)):
            if mask in seen:
                continue
            chosen = [k for k in range(len(pairs)) if mask >> k & 1]
            seen.update(sum(1 << move[k] for k in chosen) for move in moves)
            edges = [pairs[k] for k in chosen]
            if not _connected(n, edges):
                continue
            found = exponential_monotone(graph(edges))
            assert found.holds is not None
            decided += 1
            failed += found.holds is False
        counts[n] = (failed, decided)
    assert counts == {4: (0, 6), 5: (6, 21), 6: (62, 112)}


def _connected(n, edges):
    reached = {0}
    for _ in range(n):
        reached |= {p for e in edges if reached & set(e) for p in e}
    return len(reached) == n


def test_numbers_of_the_sharp_examples():
    """Smallest entries of E_α⁻¹·E_β for the double star of 8 and 9 and for the ring of 6."""
    from dprivacy.numbers import from_flint, to_flint

    for space, alpha, beta, expected in [
        (double_star(8, 9), Q(2, 3), Q(67, 100), -7.67e-5),
        (ring(6), Q(1, 2), Q(3, 5), -0.0099),
    ]:
        before, after = (
            to_flint(dp.exponential(space, eps=2 * dp.ln(1 / level)).channel.matrix)
            for level in (alpha, beta)
        )
        entries = from_flint(before.solve(after))
        assert float(entries.floats.min()) == pytest.approx(expected, rel=0.01)


def test_even_privacy_can_get_worse():
    """A path z–x–v with 839 leaves at v: E[z, z]/E[x, z] rises when α does, in exact fractions."""

    def ratio(alpha):
        leaves = 839
        at_z = 1 + alpha + alpha**2 + leaves * alpha**3
        at_x = alpha + 1 + alpha + leaves * alpha**2
        return (1 / at_z) / (alpha / at_x)

    assert float(ratio(Q(1, 20))) == pytest.approx(55.254, abs=1e-3)
    assert float(ratio(Q(3, 50))) == pytest.approx(55.435, abs=1e-3)


def test_a_larger_uneven_space_in_which_nothing_was_found():
    found = exponential_monotone(dp.line([0, 1000, 2001]))
    assert found.status == "undecided"
    assert found.explain().startswith("Undecided: 3 points are too many to decide")


@pytest.mark.parametrize(
    "space",
    [
        dp.grid(2, 2),
        from_table(["a", "b"], [[0, "inf"], ["inf", 0]], extended=True),
        from_table(["a", "b"], [[0, 0], [0, 0]], pseudo=True),
    ],
)
def test_refusals(space):
    with pytest.raises(NotApplicable, match="rational distances"):
        exponential_monotone(space)


def test_very_uneven_distances_are_refused():
    with pytest.raises(NotApplicable, match=r"3e\+07 times the unit"):
        exponential_monotone(dp.line([0, 1, 30_000_000]))
