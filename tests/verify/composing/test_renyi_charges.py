"""Rényi charges: the definition in Fractions, the filter's promise against exact adaptive releases."""

import itertools
import math
import random
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadNumber, NotApplicable, Uncertified
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import as_channel
from dprivacy.numbers import Level, ln
from dprivacy.spaces import line
from dprivacy.verify import renyi_budget, renyi_charge, renyi_eps
from dprivacy.verify.composing.renyi_charges import level_charge
from support.exact_products import exact_delta, some_pair

COIN = as_channel([["3/4", "1/4"], ["1/4", "3/4"]])


def by_definition(rows, order):
    return max(
        sum(p**order / q ** (order - 1) for p, q in zip(one, two, strict=True))
        for one, two in itertools.permutations(rows, 2)
    )


@pytest.mark.statement("F", "§3")
@pytest.mark.parametrize("seed", range(10))
def test_the_charge_is_the_definition(seed):
    rng = random.Random(seed)
    rows = [[p for p, _ in some_pair(rng, 3)] for _ in range(4)]
    for order in (2, 3, 16):
        assert renyi_charge(rows, order=order) * (order - 1) == ln(by_definition(rows, order))


def test_an_output_that_nobody_gives_is_left_out_and_one_that_some_give_refused():
    assert renyi_charge([["3/4", 0, "1/4"], ["1/4", 0, "3/4"]], order=5) == renyi_charge(
        COIN, order=5
    )
    with pytest.raises(NotApplicable, match="possible for one of '0' and '2' only"):
        renyi_charge([["1/2", "1/2"], ["1/4", "3/4"], [1, 0]], order=2)


def test_rows_that_are_equal_cost_nothing():
    assert renyi_charge([["1/2", "1/2"], ["1/2", "1/2"]], order=7) == 0
    assert renyi_charge([["1/2", "1/2"]], order=7) == 0


@pytest.mark.parametrize(
    "mechanism",
    [
        randomised_response(range(5), eps="ln 3"),
        geometric(line(4), eps="1/3"),
        randomised_response(range(2), eps=1),
    ],
)
def test_no_channel_costs_more_than_its_level(mechanism):
    level = mechanism.guarantee.eps * (3 if mechanism.family == "geometric" else 1)
    for order in (2, 9):
        assert 0 < renyi_charge(mechanism, order=order) <= level_charge(level, order=order) <= level


def test_a_level_costs_what_response_on_two_values_does():
    assert level_charge("ln 3", order=16) == renyi_charge(COIN, order=16)
    assert level_charge(0, order=3) == 0
    true = math.log((math.exp(4) + math.exp(-3)) / (1 + math.e)) / 3
    assert float(level_charge(1, order=4)) == pytest.approx(true, rel=1e-14)


@pytest.mark.statement("R", "Prop 12")
@pytest.mark.parametrize("order", [2, 3, 8, 30])
def test_what_the_charges_promise_holds_for_exact_products(order):
    pair = [(Q(3, 5), Q(2, 5)), (Q(2, 5), Q(3, 5))]
    cost = renyi_charge([["3/5", "2/5"], ["2/5", "3/5"]], order=order)
    for k in (1, 4, 12):
        for delta in (Q(1, 10), Q(1, 1000)):
            eps = renyi_eps(cost * k, delta=delta, order=order)
            least = Q(eps.bounds(64)[0])
            a = sum(least**i / Q(math.factorial(i)) for i in range(40))  # e^ε from below
            assert exact_delta([pair] * k, Q(a)) <= delta


def test_budget_and_level_are_inverse_and_exact():
    budget = renyi_budget(3, delta="1e-6", order=16)
    assert renyi_eps(budget, delta="1e-6", order=16) == 3
    assert budget == Level(3) - ln(Q(15, 16)) + ln(Q(16, 10**6)) / 15
    assert renyi_eps(0, delta="1/2", order=2) == 0  # never below 0


@pytest.mark.parametrize(
    ("eps", "fits", "order"),
    [("1/50", 929, 9), ("1/20", 152, 9), ("1/10", 41, 10), ("1/4", 11, 63), (1, 2, 63)],
)
def test_how_many_responses_fit(eps, fits, order):
    cost, budget = level_charge(eps, order=order), renyi_budget(3, delta="1e-6", order=order)
    assert cost * fits <= budget < cost * (fits + 1)


@pytest.mark.parametrize("order", [1, 0, 2.0, True, "2", 5000])
def test_orders_that_are_refused(order):
    with pytest.raises(BadNumber, match="a whole number from 2 to 1024"):
        renyi_charge(COIN, order=order)


def test_budgets_that_leave_nothing_are_refused():
    with pytest.raises(BadNumber, match="leaves nothing of 1; choose a higher order"):
        renyi_budget(1, delta="1e-6", order=3)
    with pytest.raises(BadNumber, match="δ must be greater than 0"):
        renyi_budget(1, delta=0, order=3)
    with pytest.raises(Uncertified, match="write its entries as fractions"):
        renyi_charge([[0.5, 0.5], [0.25, 0.75]], order=2)


@pytest.mark.statement("F", "§3")
@pytest.mark.parametrize("seed", range(20))
def test_releases_chosen_by_what_came_out_stay_within_the_sum(seed):
    """Every history may choose its next channel, or stop, while its own charges stay within B."""
    rng, order, delta = random.Random(seed), (2, 3, 5, 8)[seed % 4], Q(1, 50)
    menu = [[list(row) for row in zip(*some_pair(rng, 2), strict=True)] for _ in range(4)]
    costs = [renyi_charge(table, order=order) for table in menu]
    budget = max(costs) * 2

    def histories(p, q, left, depth):
        """The leaves of an adaptive session, as masses under both secrets."""
        open_ = [k for k in range(4) if costs[k] <= left]
        if not open_ or not depth:
            return [(p, q)]
        # spend where the odds speak for the first secret, and less where they do not
        k = max(open_, key=lambda k: costs[k]) if p > q else rng.choice(open_)
        ends = []
        for y in range(2):
            ends += histories(p * menu[k][0][y], q * menu[k][1][y], left - costs[k], depth - 1)
        return ends

    whole = histories(Q(1), Q(1), budget, 6)
    assert sum(p for p, _ in whole) == 1
    assert ln(sum(p**order / q ** (order - 1) for p, q in whole)) <= budget * (order - 1)
    eps = Q(renyi_eps(budget, delta=delta, order=order).bounds(80)[0])
    a = sum(eps**i / Q(math.factorial(i)) for i in range(60))
    assert sum(max(p - a * q, 0) for p, q in whole) <= delta
