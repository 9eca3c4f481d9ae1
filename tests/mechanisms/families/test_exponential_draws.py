"""The exponential mechanism: its weights by hand, and the level it has."""

import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import DPrivacyError, Malformed, UnknownCategory, WrongKind
from dprivacy.mechanisms import exponential
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, grid, line, points
from dprivacy.verify import smallest_eps


@pytest.mark.statement("C", "Def 4")
@pytest.mark.statement("T", "Def 4.7.2")
@pytest.mark.parametrize("a", [Q(4), Q(9), Q(100)])
def test_exponential_by_hand(a):
    root = math.isqrt(int(a))
    channel = exponential(line(4), eps=ln(a)).channel
    for x in range(4):
        weights = [Q(1, root ** abs(x - y)) for y in range(4)]
        assert [channel[x, y] for y in range(4)] == [w / sum(weights) for w in weights]


@pytest.mark.parametrize("eps", ["ln 4", "1", "0.2", "30"])
def test_exponential_carries_the_level_it_has(eps):
    for space in (line(5), discrete(range(4)), grid(2, 2), points([(0, 0), (2, 1), (1, 5)])):
        mechanism = exponential(space, eps=eps)
        smallest = smallest_eps(mechanism.channel, space)
        assert smallest <= mechanism.guarantee.eps
        assert float(mechanism.guarantee.eps) <= float(smallest) * (1 + 1e-12)
        assert mechanism.guarantee.eps < Level(eps)
        assert float(mechanism.guarantee.eps) >= float(Level(eps)) / 2 * (1 - 1e-8)


def test_a_utility_that_reaches_far_beyond_the_diameter():
    """Scores 1000 apart on points at distance 1: no weight may be rounded away."""
    mechanism = exponential(discrete(range(3)), eps=1, utility=lambda x, y: -1000 * (x != y))
    assert (mechanism.channel.matrix.entries > 0).all()
    assert float(mechanism.guarantee.eps) == pytest.approx(500, rel=1e-6)
    exact = exponential(discrete(range(3)), eps="ln 2", utility=lambda x, y: -1000 * (x != y))
    assert exact.guarantee.eps == ln(2) * 500


def test_a_level_of_thousands_of_digits_is_rounded_up():
    mechanism = exponential(line(5), eps=3000)
    assert len(str(mechanism.guarantee.eps)) < 400
    assert smallest_eps(mechanism.channel, line(5)) <= mechanism.guarantee.eps


def test_other_outputs():
    channel = exponential(
        line(3), eps="ln 4", outputs=["no", "yes"], utility=lambda x, y: x if y == "yes" else 0
    ).channel
    assert channel.columns == ("no", "yes")
    assert channel[2, "yes"] == Q(4, 5)
    half = exponential(line(3), eps="ln 4", outputs=[0, 2]).channel
    assert half[1, 0] == Q(1, 2)


def test_what_exponential_refuses():
    apart = from_table(["a", "b"], [[0, "inf"], ["inf", 0]], extended=True)
    with pytest.raises(Malformed, match="infinitely far apart"):
        exponential(apart, eps=1)
    with pytest.raises(Malformed, match="nothing to protect"):
        exponential(line(3), eps=1, outputs=[0])
    with pytest.raises(Malformed, match="outputs: at least one"):
        exponential(line(3), eps=1, outputs=[])
    with pytest.raises(UnknownCategory):
        exponential(line(3), eps=1, outputs=["a"])
    with pytest.raises(WrongKind, match="outputs: a list of labels is needed, not the single text"):
        exponential(discrete(["a", "b"]), eps=1, outputs="ab", utility=lambda x, y: int(x == y))
    with pytest.raises(
        WrongKind, match="utility should be a function of input and output, not 'x'"
    ):
        exponential(line(3), eps=1, utility="x")
    with pytest.raises(Malformed, match="exact"):
        exponential(line([0.0, 0.7]), eps=1)
    for wrong in (math.nan, math.inf, None, "high"):
        with pytest.raises(DPrivacyError):
            exponential(line(3), eps=1, utility=lambda x, y, wrong=wrong: wrong)
