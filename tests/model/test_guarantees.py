"""Guarantees in words and as data: a printed bound is never below the true one."""

import json
import math
import re
from decimal import Decimal, localcontext
from fractions import Fraction as Q

import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import UnknownCategory
from dprivacy.model import Guarantee, as_channel
from dprivacy.numbers import Level, ln
from dprivacy.spaces import Vectors, discrete, from_table, line
from dprivacy.verify import delta_at, privacy


def printed_factor(sentence: str) -> Decimal:
    """An upper end for the number in the sentence, as exact as decimals allow."""
    found = re.search(r"at most (e\^)?([\d,.]*\d)", sentence)
    assert found, sentence
    number = Decimal(found[2].replace(",", ""))
    return number.exp() if found[1] else number


def true_factor(eps: Level, distance) -> Decimal:
    exponent = Q(eps.bounds(512)[0]) * Q(distance)
    return (Decimal(exponent.numerator) / Decimal(exponent.denominator)).exp()


levels = st.one_of(
    st.fractions(Q(1, 1000), 50, max_denominator=1000).map(Level),
    st.floats(1e-6, 60).map(Level),
    st.fractions(Q(101, 100), 50, max_denominator=100).map(ln),
    st.integers(1, 40).map(lambda k: ln(Q(2) ** k)),
    st.integers(100, 10**12).map(lambda k: ln(1 + Q(1, k))),
)
distances = st.one_of(
    st.integers(1, 20), st.fractions(Q(1, 100), 20, max_denominator=100), st.floats(1e-3, 20.0)
)


@settings(max_examples=400)
@given(levels, distances)
def test_sentences_never_understate_the_factor(eps, distance) -> None:
    space = line([0.0, distance]) if isinstance(distance, float) else line([0, distance])
    guarantee = Guarantee(eps, space)
    with localcontext() as context:
        context.prec = 120
        true = true_factor(eps, distance)
        printed = printed_factor(guarantee.sentence(0, distance))
        assert printed >= true * (1 - Decimal("1e-100"))
        if true < 10**9:  # and it says no more than it must: three digits
            assert printed - true <= true / 100 + (true >= 100)


@pytest.mark.parametrize(
    ("eps", "number"),
    [
        ("ln 2", "2"),
        ("ln(16/7)", "2.29"),
        ("ln(3/2)", "1.5"),
        ("ln 1000", "1,000"),
        ("ln(1999/2)", "1000"),
        ("ln 123456", "123,456"),
        ("1", "2.72"),
        ("0.6931471805599454", "2.01"),  # a hair above ln 2
        ("1000", "e^1000"),
        ("2000 ln 2", "e^1387"),
    ],
)
def test_printed_factors(eps, number) -> None:
    guarantee = Guarantee(Level(eps), line(2))
    assert guarantee.sentence(0, 1).endswith(f"by at most {number}")


def test_a_power_of_e_is_rounded_up_even_when_a_logarithm_rounds_down() -> None:
    above = int(Decimal("235385266837019985.4") + 1)  # the integer just above e^40
    assert math.log(above) == 40.0
    assert Guarantee(ln(above), line(2)).sentence(0, 1).endswith("by at most e^41")


def test_factors_that_floats_cannot_hold() -> None:
    far = Guarantee(Level(1000), line([0.0, 1.5]))
    assert far.odds_factor(0.0, 1.5) == math.inf
    assert far.sentence(0.0, 1.5).endswith("by at most e^1500")
    assert Guarantee(Level(10**30), line(2)).sentence(0, 1).endswith(f"e^{10**30}")


def test_odds_factors() -> None:
    guarantee = Guarantee(ln(2), line(4))
    assert guarantee.odds_factor(0, 3) == 8
    assert isinstance(guarantee.odds_factor(0, 3), Q)
    assert guarantee.odds_factor(1, 1) == 1
    up = Guarantee(Level(1), line(2)).odds_factor(0, 1)
    assert Q(up) >= Q("2.718281828459045235360287471352")
    assert up - math.e < 1e-15
    logs = Guarantee(ln(2), from_table([0, 1], [[0, "ln 3"], ["ln 3", 0]]))
    assert logs.odds_factor(0, 1) == pytest.approx(math.exp(math.log(2) * math.log(3)), rel=1e-15)
    open_ended = Guarantee(ln(2), from_table([0, 1], [[0, "inf"], ["inf", 0]], extended=True))
    assert open_ended.odds_factor(0, 1) == math.inf
    assert "by any factor" in open_ended.sentence(0, 1)
    with pytest.raises(UnknownCategory):
        guarantee.sentence(0, 9)


def test_slack_is_not_the_chance_of_a_larger_change() -> None:
    channel = as_channel([["1/2", "1/2"], ["1/4", "3/4"]])
    eps, delta = ln(Q(19, 10)), Q(1, 40)
    assert delta_at(channel, eps=eps) == delta
    verdict = privacy(channel, discrete([0, 1]), eps=eps, delta=delta)
    assert verdict
    # output 0 changes the odds by 2 > 19/10, and it comes with probability 1/2, not 1/40
    sentence = verdict.guarantee.sentence(0, 1)
    assert "except" not in sentence
    assert "at most 1.9 times as likely" in sentence
    assert "plus 1/40" in sentence


def test_explain_and_data() -> None:
    guarantee = Guarantee(ln(2), line(3), because="T Def 3.4.2")
    text = guarantee.explain()
    assert "ln(2) ≈ 0.6931" in text
    assert "at most 2" in text
    assert "farthest apart, by 4" in text
    assert "T Def" not in text  # keys of statements are for the record
    data = json.loads(json.dumps(guarantee.to_dict()))
    assert (data["eps"], data["delta"], data["points"]) == ("ln(2)", "0", 3)
    assert data["because"] == "T Def 3.4.2"
    far = Guarantee(ln(4), Vectors(2), unit="metre").explain()
    assert far.startswith("ln(4) ≈ 1.386 per metre: ")
    assert far.endswith("between two secrets 1 metre apart by at most 4.")
    assert "nothing to protect" in Guarantee(ln(2), line(1)).explain()
    assert "farthest" not in Guarantee(ln(2), discrete([0, 1, 2])).explain()
    slack = Guarantee(ln(2), line(3), Q(1, 10)).explain()
    assert "δ = 1/10" in slack
    assert "4 times" in slack
    with pytest.raises(AttributeError):
        guarantee.eps = ln(3)
