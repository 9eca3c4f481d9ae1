"""Sufficient sets of outputs: which are in them, in which order, and how much work they save."""

import json
import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import UnknownCategory
from dprivacy.model import Channel, as_channel
from dprivacy.verify import checks_needed, sufficient_partition, sufficient_set

C = Channel(
    ["x", "z"], ["a", "b", "c", "d"], [["1/2", "1/4", "1/4", 0], ["1/4", "1/4", "1/8", "3/8"]]
)


@pytest.mark.statement("C", "Thm 2")
def test_ties_are_not_in_the_set() -> None:
    assert sufficient_set(C, "x", "z") == ("a", "c")
    assert sufficient_set(C, "z", "x") == ("d",)
    assert sufficient_set(C, "x", "x") == ()


def test_a_tie_that_floats_would_misread() -> None:
    third = Q(1, 10) + Q(2, 10)  # 0.1 + 0.2 > 0.3 in doubles
    channel = as_channel([[third, 1 - third], [Q(3, 10), Q(7, 10)]])
    assert sufficient_set(channel, 0, 1) == ()
    floats = as_channel([[0.1 + 0.2, 1 - (0.1 + 0.2)], [0.3, 0.7]])
    assert sufficient_set(floats, 0, 1) == (0,)


@pytest.mark.statement("C", "Thm 3")
def test_parts_are_ordered_by_ratio() -> None:
    assert sufficient_partition(C, "x", "z") == {Q(2): ("a", "c")}
    assert sufficient_partition(C, "z", "x") == {math.inf: ("d",)}
    other = as_channel([["6/10", "3/10", "1/10", 0], ["1/10", "1/10", "5/10", "3/10"]])
    assert list(sufficient_partition(other, 0, 1).items()) == [(Q(3), (1,)), (Q(6), (0,))]
    assert list(sufficient_partition(other, 1, 0).items()) == [(Q(5), (2,)), (math.inf, (3,))]


@pytest.mark.statement("C", "Ex 2")
def test_work_is_counted() -> None:
    work = checks_needed(C)
    assert (work.pairs, work.all_subsets) == (2, 2 * 14)
    assert (work.sufficient_subsets, work.one_set_a_pair) == (3 + 1, 2)
    assert json.loads(json.dumps(work.to_dict())) == {
        "pairs": 2,
        "all_subsets": 28,
        "sufficient_subsets": 4,
        "one_set_a_pair": 2,
        "exact": True,
    }
    assert checks_needed(C, pairs=iter([("x", "z")])).sufficient_subsets == 3


def test_unknown_labels_in_sets() -> None:
    with pytest.raises(UnknownCategory, match="'w'"):
        sufficient_set(C, "x", "w")
    with pytest.raises(UnknownCategory, match="'w'"):
        checks_needed(C, pairs=[("w", "x")])
