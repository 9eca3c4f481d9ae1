"""Mending a channel: the smallest share of blind answers, against a formula and its neighbours."""

from fractions import Fraction

import pytest

from dprivacy.errors import BadLevel, MixedArithmetic
from dprivacy.model import Channel, mixture
from dprivacy.spaces import discrete, line
from dprivacy.verify import privacy
from dprivacy.verify.metric.blind_mending import mended

PRAM = Channel(
    ["single", "married", "divorced", "widowed"],
    ["single", "married", "divorced", "widowed"],
    [
        ["7/10", "1/10", "1/10", "1/10"],
        ["1/10", "7/10", "1/10", "1/10"],
        ["1/10", "1/10", "7/10", "1/10"],
        ["1/20", "3/20", "1/10", "7/10"],
    ],
)


def test_a_coin_by_its_formula():
    # (0.9(1−s) + s/2) / (0.1(1−s) + s/2) = 3 at s = 3/8
    coin = [["9/10", "1/10"], ["1/10", "9/10"]]
    found = mended(coin, discrete([0, 1]), eps="ln 3")
    assert found.share == Fraction(3, 8)
    assert found.channel[0, 0] == Fraction(3, 4)
    assert "3/8" in found.explain()
    assert found.to_dict()["share"] == "3/8"


@pytest.mark.parametrize("eps", ["ln 7", "ln 2", "1", "1/10"])
def test_the_share_is_the_smallest_thousandth_that_will_do(eps):
    space = discrete(PRAM.rows)
    found = mended(PRAM, space, eps=eps)
    assert found.verdict.holds
    assert found.verdict.exact
    average = [sum(PRAM[x, y] for x in PRAM.rows) / 4 for y in PRAM.columns]
    blind = Channel(PRAM.rows, PRAM.columns, [average] * 4)
    less = found.share - Fraction(1, 1000)
    assert not privacy(mixture([1 - less, less], [PRAM, blind]), space, eps=eps)


def test_what_keeps_the_level_is_left_as_it_is():
    found = mended(PRAM, discrete(PRAM.rows), eps="ln 14")
    assert found.share == 0
    assert found.channel == PRAM
    assert str(found).startswith("Nothing needs to change")


def test_a_hole_is_closed():
    broken = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]]
    found = mended(broken, line(3), eps="ln 2")
    assert 0 < found.share < 1
    assert privacy(found.channel, line(3), eps="ln 2")


def test_floats_and_bad_levels_are_refused():
    with pytest.raises(MixedArithmetic, match="give fractions or strings"):
        mended([[0.5, 0.5], [0.5, 0.5]], discrete([0, 1]), eps=1)
    with pytest.raises(BadLevel):
        mended(PRAM, discrete(PRAM.rows), eps=0)
