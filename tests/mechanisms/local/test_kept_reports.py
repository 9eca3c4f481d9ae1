"""Two rounds: one answer has the law of the weaker mechanism, all tell no more than the kept one."""

from fractions import Fraction as Q
from itertools import product

import numpy as np
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.mechanisms import (
    hashed_response,
    memoised,
    projective_response,
    subset_response,
    unary_response,
)
from support.sampling_fakes import Scripted

LABELS = list("abcd")
CASES = [
    subset_response(LABELS, eps="ln 4", size=1),
    subset_response(LABELS, eps="ln 4", size=2),
    projective_response(LABELS, eps="ln 4", q=2),
    projective_response(LABELS, eps="ln 5", q=3),
    hashed_response(LABELS, eps="ln 4", q=3),
]


@pytest.mark.statement("L", "Thm 4")
@pytest.mark.parametrize("mechanism", CASES, ids=str)
@pytest.mark.parametrize("first", ["ln 2", "ln(3/2)", "1/2"])
def test_one_answer_is_the_mechanism_at_the_lower_level(mechanism, first):
    rounds = memoised(mechanism, first=first)
    kept, outputs = rounds.kept, len(mechanism.channel.columns)
    wanted = rounds.single.channel
    for x, y in product(range(len(LABELS)), range(outputs)):
        sent = kept * mechanism.channel.matrix[x, y] + (1 - kept) / outputs
        assert sent == wanted.matrix[x, y]
    assert rounds.single.verify()
    assert rounds.guarantee == mechanism.guarantee


@pytest.mark.parametrize("mechanism", CASES[1:4], ids=str)
def test_three_answers_tell_no_more_than_the_kept_report(mechanism):
    rounds = memoised(mechanism, first="ln 2")
    outputs, k = len(mechanism.channel.columns), len(LABELS)
    worst = Q(1)
    for sent in product(range(outputs), repeat=3):
        joint = [
            sum(
                mechanism.channel.matrix[x, y]
                * np.prod([rounds.kept * (z == y) + (1 - rounds.kept) / outputs for z in sent])
                for y in range(outputs)
            )
            for x in range(k)
        ]
        worst = max(worst, max(joint) / min(joint))
    assert Q(2) < worst <= mechanism.factor


def test_golden_share():
    rounds = memoised(projective_response(range(7), eps="ln 4", q=2), first="ln 2")
    assert rounds.kept == Q(8, 15)
    assert "Every other value" in rounds.explain()


def test_what_is_sent():
    low, high = 0, (1 << 64) - 1
    points = memoised(projective_response(range(7), eps="ln 4", q=2), first="ln 2")
    assert points.answer([5, 5], source=Scripted([low, high, 3, 3])) == [5, 3]
    pairs = memoised(subset_response(range(4), eps="ln 4", size=2), first="ln 2")
    sent = pairs.answer([(0, 1), (0, 1)], source=Scripted([low, high, 2, 2, 0, 0]))
    assert sent[0] == (0, 1)
    assert sent[1] == (0, 2)
    assert pairs.answer(np.array([[0, 3]])).shape == (1, 2)


def test_uniform_sets():
    sets = subset_response(range(4), eps="ln 4", size=2).reports
    words = np.array([(i, j) for i, j in product(range(3), range(4))], dtype=np.uint64)
    drawn = sets.uniform(12, Scripted(words.T.ravel()))
    found, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(found) == 6
    assert set(counts.tolist()) == {2}


def test_what_is_refused():
    with pytest.raises(NotApplicable, match="no second round"):
        memoised(unary_response(LABELS, eps=2), first=1)
    with pytest.raises(NotApplicable, match="tell less than all"):
        memoised(subset_response(LABELS, eps=1), first=1)
