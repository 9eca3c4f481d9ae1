"""diffprivlib's mechanisms from their utilities, with the ε they really have."""

import math

import numpy as np
import pytest

from dprivacy.errors import Malformed
from dprivacy.mechanisms import exponential
from dprivacy.numbers.levels import ln
from dprivacy.release import from_utility_list
from dprivacy.spaces import discrete


def diffprivlib_rows(pairs, eps):
    """The probabilities of diffprivlib's ExponentialCategorical, from its description."""
    values = list(dict.fromkeys(v for x, z, _ in pairs for v in (x, z)))
    apart = {(x, z): u for a, b, u in pairs for x, z in ((a, b), (b, a))}
    largest = max(apart.values())

    def weights(factor):
        return np.array(
            [
                [math.exp(-eps * apart.get((x, y), 0) / factor / largest) for y in values]
                for x in values
            ]
        )

    sums = weights(2).sum(axis=1)
    table = weights(1) if np.allclose(sums, sums[0]) else weights(2)
    return values, table / table.sum(axis=1, keepdims=True)


TOWNS = [("Oslo", "Rome", 4), ("Oslo", "Bonn", 2.5), ("Bonn", "Rome", 2)]
EVEN = [("a", "b", 1), ("b", "c", 1), ("c", "a", 1)]


@pytest.mark.statement("C", "Def 4")
@pytest.mark.parametrize("pairs", [TOWNS, EVEN])
@pytest.mark.parametrize("eps", [0.5, 1.0, 3.0])
def test_a_utility_list_gives_the_same_probabilities_and_its_own_level(pairs, eps):
    found = from_utility_list(pairs, eps=eps)
    values, table = diffprivlib_rows(pairs, eps)
    assert list(found.channel.rows) == values
    ours = np.array([[float(found.channel[x, y]) for y in values] for x in values])
    assert np.allclose(ours, table, rtol=0, atol=1e-8)
    true = max(math.log(table[:, y].max() / table[:, y].min()) for y in range(len(values)))
    assert float(found.guarantee.eps) == pytest.approx(true, abs=1e-7)
    assert float(found.guarantee.eps) <= eps
    assert found.verify()


def test_the_level_of_a_utility_list_is_exact_by_hand():
    # weights 1, 1/2, 1/4 by distance 0, 2, 4: rows sum to 7/4, 2 and 7/4; 4/7 against 1/7 is tight
    towns = [("Oslo", "Rome", 4), ("Oslo", "Bonn", 2), ("Rome", "Bonn", 2)]
    assert from_utility_list(towns, eps="ln 16").guarantee.eps == ln(4)
    assert from_utility_list(EVEN, eps="ln 16").guarantee.eps == ln(16)  # balanced: no 2


def test_diffprivlib_itself_agrees():
    mechanisms = pytest.importorskip("diffprivlib").mechanisms
    peer = mechanisms.ExponentialCategorical(epsilon=1.0, utility_list=TOWNS)
    ours = from_utility_list(peer.utility_list, eps=1.0).channel
    for x in ours.rows:
        for y in ours.columns:
            theirs = peer._get_prob(x, y) / peer._normalising_constant[x]
            assert float(ours[x, y]) == pytest.approx(theirs, abs=1e-8)


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ([], "empty"),
        ([("a", "b")], r"\[\(value, value, utility\)"),
        ([("a", "b", 1), ("b", "c", 1)], "utility of 'a' and 'c' is missing"),
        ([("a", "b", 1), ("b", "a", 2)], "given twice, differently"),
        ([("a", "b", -1)], "never negative"),
        ([("a", "a", 1), ("a", "b", 1)], "0 from a value to itself"),
        ([("a", "b", 0)], "nothing to tell apart"),
        ([("a", "b", math.nan)], "finite number"),
        ([("a", "b", "far")], "finite number"),
    ],
)
def test_utility_lists_that_are_refused(pairs, says):
    with pytest.raises(Malformed, match=says):
        from_utility_list(pairs, eps=1)


@pytest.mark.statement("C", "Def 4")
def test_utilities_of_candidates_as_the_page_on_migrating_writes_them():
    votes = {"without": [3, 2, 0.5], "with": [3, 3, 0.5]}
    place = {"tea": 0, "cake": 1, "rum": 2}
    found = exponential(
        discrete(list(votes)), eps=1, outputs=list(place), utility=lambda x, y: votes[x][place[y]]
    )
    rows = np.array([[math.exp(u / 2) for u in line] for line in votes.values()])
    rows /= rows.sum(axis=1, keepdims=True)
    for x, row in zip(votes, rows, strict=True):
        assert [float(found.channel[x, y]) for y in place] == pytest.approx(row)
    true = np.abs(np.log(rows[0] / rows[1])).max()
    assert float(found.guarantee.eps) == pytest.approx(true, abs=1e-7)
