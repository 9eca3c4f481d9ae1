"""Joins and meets where distances are infinite."""

from dprivacy.model import as_channel
from dprivacy.refine import join, meet


def test_infinite_distances_have_a_join_and_a_meet() -> None:
    told = as_channel([[1, 0], [0, 1]])
    coin = as_channel([["2/3", "1/3"], ["1/3", "2/3"]])
    from dprivacy.verify import distinguishability

    assert distinguishability(meet(told, coin, by="private")) == distinguishability(told)
    assert distinguishability(join(told, coin, by="private")) == distinguishability(coin)
    assert meet(
        as_channel([["1/2", "1/2"]] * 2, rows=["⊥", "x"]),
        as_channel([[1], [1]], rows=["⊥", "x"]),
        by="private",
    )
