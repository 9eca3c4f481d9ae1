"""Local mechanisms compared set by set, against the general criterion on explicit channels."""

from fractions import Fraction as Q
from itertools import permutations

import pytest

from dprivacy.errors import TooLarge
from dprivacy.mechanisms import (
    hashed_response,
    projective_response,
    subset_response,
    unary_response,
)
from dprivacy.refine import AverageRefinement, BlockRefinement, refines


def family(k, a):
    labels, eps = list("abcde"[:k]), f"ln {a}"
    yield from (subset_response(labels, eps=eps, size=d) for d in range(1, k))
    yield unary_response(labels, eps=eps)
    if a in (4, 9):
        yield unary_response(labels, eps=eps, kind="symmetric")
    yield from (projective_response(labels, eps=eps, q=q) for q in (2, 3))
    yield from (hashed_response(labels, eps=eps, q=g) for g in (2, 3))


def compared(k, a):
    for A, B in permutations(family(k, a), 2):
        quick, general = refines(A, B), refines(A.channel, B.channel)
        assert isinstance(quick, BlockRefinement)
        assert isinstance(general, AverageRefinement)
        assert quick.holds == general.holds, (A, B)
        if not quick.holds:
            outer = outer_weights(A), outer_weights(B)
            block = frozenset(quick.block)
            assert quick.before == outer[0].get(block, 0)
            assert quick.after == outer[1][block] > quick.before


def outer_weights(mechanism):
    """The probability of every set under the uniform prior, from the explicit channel."""
    channel, k = mechanism.channel, len(mechanism.labels)
    weights = {}
    for y, (_, block, _) in enumerate(mechanism.reports.listed()):
        named = frozenset(mechanism.labels[z] for z in block)
        mass = sum(Q(channel.matrix[x, y]) for x in range(k)) / k
        weights[named] = weights.get(named, Q(0)) + mass
    return weights


@pytest.mark.statement("L", "Thm 3")
@pytest.mark.parametrize(("k", "a"), [(3, 2), (3, 4), (4, 3)])
def test_both_criteria_agree(k, a):
    compared(k, a)


@pytest.mark.slow
@pytest.mark.parametrize("a", [2, 3, 4, 9])
@pytest.mark.parametrize("k", [3, 4, 5])
def test_both_criteria_agree_on_all_families(k, a):
    compared(k, a)


def test_known_orders():
    labels, eps = list("abc"), "ln 2"
    plane, hashes = projective_response(labels, eps=eps, q=3), hashed_response(labels, eps=eps, q=3)
    response = subset_response(labels, eps=eps, size=1)
    assert refines(response, plane)
    assert not refines(plane, response)
    assert refines(response, hashes)  # three hash values of three labels: the identity
    assert refines(hashes, response)
    fano = projective_response(labels, eps=eps, q=2)
    assert "at least as often" in refines(fano, fano).explain()


def test_many_labels():
    wide, free = subset_response(range(1024), eps=1), unary_response(range(1024), eps=1)
    found = refines(wide, free, names=("subsets", "bits"))
    assert "bits reports the set {0}" in found.explain()
    assert not refines(free, wide)
    assert len(repr(found)) < 400
    assert found.to_dict()["holds"] is False
    with pytest.raises(TooLarge, match="fewer labels"):
        refines(wide, projective_response(range(1024), eps=1))
    most = [
        unary_response(range(20_000), eps="ln 4", kind=kind) for kind in ("optimised", "symmetric")
    ]
    assert not refines(*most)
    assert not refines(*most[::-1])
    with pytest.raises(TooLarge, match="sets of 19,997 sizes"):
        refines(most[0], most[0])


def test_other_levels_take_the_general_way():
    weak, strong = (subset_response(list("abc"), eps=e, size=1) for e in ("ln 3", "ln 2"))
    assert isinstance(refines(weak, strong), AverageRefinement)
    assert refines(weak, strong)
