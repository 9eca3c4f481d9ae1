"""Forced responses that dice can keep: exact chances, exact levels, enough people."""

from fractions import Fraction as Q
from itertools import product

import pytest

from dprivacy.errors import BadNumber, UnknownName
from dprivacy.mechanisms import plan_question
from dprivacy.numbers import Level, ln


def thrown(plan):
    """The chances of a forced yes and a forced no, by throwing the dice in every way."""
    if plan.device == "die":
        throws = list(range(1, 7))
    elif plan.device == "two dice":
        throws = [a + b for a, b in product(range(1, 7), repeat=2)]
    else:
        return Q(plan.forced_yes[0], 100), Q(plan.forced_no[0], 100)
    yes = sum(throw in plan.forced_yes for throw in throws)
    no = sum(throw in plan.forced_no for throw in throws)
    return Q(yes, len(throws)), Q(no, len(throws))


@pytest.mark.parametrize("device", ["die", "two dice", "spinner"])
@pytest.mark.parametrize("eps", ["ln 2", 1, "ln 3", 2, "ln 35", 4])
def test_what_is_thrown_keeps_the_level(device, eps):
    plan = plan_question("Is it so?", eps=eps, error="0.03", device=device)
    yes, no = thrown(plan)
    assert (yes, no) == (plan.design.parameters["yes"], plan.design.parameters["no"])
    assert not set(plan.forced_yes) & set(plan.forced_no) or device == "spinner"
    assert plan.design.eps <= Level(eps)
    parts = {"die": 6, "two dice": 36, "spinner": 100}[device]
    finer = yes - Q(1, parts)  # the next better chances would break it
    assert not finer or ln((1 - finer) / finer) > Level(eps)


def test_people():
    plan = plan_question("Is it so?", eps="ln 5", error="1/50", share="1/10")
    assert plan.respondents == 1007
    assert plan_question("Is it so?", eps="ln 5", error="1/50").respondents == 1407
    ideal = plan_question("Is it so?", eps="ln 10", error="1/50", share="1/10", device="two dice")
    assert ideal.ideal.respondents(error="1/50", share="1/10") == 534
    assert ideal.respondents >= 534
    direct = Q(1, 10) * Q(9, 10) / Q(1, 50) ** 2
    assert f"without any protection, {int(direct)}" in plan.explain()


def test_words():
    plan = plan_question("Have you ever shoplifted?", eps=1, error="0.03", device="die")
    text = plan.explain()
    assert text.startswith('"Have you ever shoplifted?"')
    assert "ε = ln(2) ≈ 0.6931 (at most 1 is allowed)" in text
    assert "by at most 2" in text
    assert plan.to_dict()["forced_yes"] == [1, 2]
    assert plan.to_dict()["forced_no"] == [5, 6]


def test_what_is_refused():
    with pytest.raises(BadNumber, match="too few parts"):
        plan_question("Is it so?", eps="1/10", error="0.03")
    with pytest.raises(UnknownName, match="device"):
        plan_question("Is it so?", eps=1, error="0.03", device="coin")
    for error in (0, 1, -1, 3):
        with pytest.raises(BadNumber, match="error should be between 0 and 1"):
            plan_question("Is it so?", eps=1, error=error)
    with pytest.raises(BadNumber, match="share should be"):
        plan_question("Is it so?", eps=1, error="0.03", share=1)
    with pytest.raises(BadNumber, match="should not be empty"):
        plan_question("  ", eps=1, error="0.03")
