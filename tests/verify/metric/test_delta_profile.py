"""δ(ε), its inverse and the profile, on the cases that are easy to get wrong."""

import json
import math
from fractions import Fraction as Q

import numpy as np
import pytest
from flint import arb, ctx, fmpq

from dprivacy.errors import BadLevel, UnknownCategory, WrongShape
from dprivacy.model import Channel, as_channel
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, from_table, line
from dprivacy.verify import concentrated_privacy, delta_at, eps_at, privacy, privacy_profile

COIN = Channel(["yes", "no"], ["yes", "no"], [["3/4", "1/4"], ["1/4", "3/4"]])
LEAKY = as_channel([["1/2", "1/2", 0], ["1/4", "1/2", "1/4"]])


@pytest.mark.statement("C", "Def 3")
def test_randomised_response_by_hand() -> None:
    # δ(a) = 3/4 − a/4 until a = 3
    assert [delta_at(COIN, eps=ln(a)) for a in (1, 2, 3, 4)] == [Q(1, 2), Q(1, 4), 0, 0]
    assert eps_at(COIN, delta=0) == ln(3)
    assert eps_at(COIN, delta="1/4") == ln(2)
    assert eps_at(COIN, delta="1/2") == 0
    assert eps_at(COIN, delta=1) == 0
    profile = privacy_profile(COIN)
    assert profile.lines == ((Q(3, 4), Q(1, 4)), (Q(0), Q(0)))
    assert profile.kinks == ((ln(3), Q(0)),)
    assert profile.floor == 0


def test_an_output_only_one_input_has() -> None:
    assert eps_at(LEAKY, delta=0) == math.inf
    assert eps_at(LEAKY, delta="24/100") == math.inf
    # from input 1 to 0 the slack must cover 1/4; the other way (1/2 − a/4)
    assert eps_at(LEAKY, delta="1/4") == 0
    assert delta_at(LEAKY, eps=100) == Q(1, 4)
    profile = privacy_profile(LEAKY)
    assert profile.floor == Q(1, 4)
    assert profile.eps("1/5") == math.inf
    assert profile.delta(1000) == Q(1, 4)


def test_outputs_that_are_impossible_for_both_inputs_of_a_pair() -> None:
    channel = Channel(
        ["a", "b", "c"], range(3), [["3/4", "1/4", 0], ["1/4", "3/4", 0], ["1/4", "1/4", "1/2"]]
    )
    pair = [("a", "b"), ("b", "a")]
    profile = privacy_profile(channel, pairs=pair)
    for a in (1, 2, 3, 4):
        assert profile.delta(ln(a)) == delta_at(channel, eps=ln(a), pairs=pair)
    assert profile.lines == privacy_profile(COIN).lines
    shuffled = Channel(["a", "b"], range(3), [[0, "3/4", "1/4"], [0, "1/4", "3/4"]])
    assert privacy_profile(shuffled).lines == privacy_profile(COIN).lines


def test_pairs_choose_direction() -> None:
    assert delta_at(LEAKY, eps="ln 2", pairs=[(0, 1)]) == 0
    assert delta_at(LEAKY, eps="ln 2", pairs=[(1, 0)]) == Q(1, 4)
    assert eps_at(LEAKY, delta=0, pairs=[(0, 1)]) == ln(2)
    assert eps_at(LEAKY, delta=0, pairs=[(1, 0)]) == math.inf
    with pytest.raises(UnknownCategory, match="'maybe'"):
        delta_at(COIN, eps="ln 2", pairs=[("yes", "maybe")])


def test_several_kinks() -> None:
    # ratios 4, 2, 1/2 …: lines 4/10 − a/10 and 6/10 − 2a/10 and 0
    channel = as_channel([["4/10", "2/10", "4/10"], ["1/10", "1/10", "8/10"]])
    profile = privacy_profile(channel, pairs=[(0, 1)])
    assert profile.lines == ((Q(3, 5), Q(1, 5)), (Q(2, 5), Q(1, 10)), (Q(0), Q(0)))
    assert profile.kinks == ((ln(2), Q(1, 5)), (ln(4), Q(0)))
    assert profile.eps("1/10") == eps_at(channel, delta="1/10", pairs=[(0, 1)]) == ln(3)


def test_irrational_factors_are_rounded_up() -> None:
    found = delta_at(COIN, eps=1)
    assert isinstance(found, float)
    true = Q(3, 4) - Q("2.71828182845904523536028747135266249775724709") / 4
    assert Q(found) >= true - Q(1, 10**44)
    assert Q(math.nextafter(found, 0)) < true
    assert privacy_profile(COIN).delta(1) == found


def test_an_irrational_factor_that_plays_no_part_leaves_the_answer_exact() -> None:
    """Where the worst set is impossible for the other input, or empty, e^ε is multiplied by 0."""
    # a → b: 1/3 − a·0, b → a: 0 from ε = ln(3/2) on
    escape = Channel(["a", "b"], range(3), [["1/3", "1/3", "1/3"], ["1/2", "1/2", 0]])
    for eps, expected in ((1, Q(1, 3)), ("1/2", Q(1, 3)), ("2 sqrt 2", Q(1, 3))):
        found = delta_at(escape, eps=eps)
        assert isinstance(found, Q)
        assert found == expected
        again = privacy_profile(escape).delta(eps)
        assert isinstance(again, Q)
        assert again == expected
    assert delta_at(COIN, eps="6/5") == 0  # e^1.2 > 3: no output tells more
    assert isinstance(delta_at(COIN, eps="6/5"), Q)
    assert isinstance(delta_at(COIN, eps="11/10"), Q)
    assert isinstance(delta_at(COIN, eps="109/100"), float)  # e^1.09 < 3
    assert delta_at(COIN, eps="109/100") > 0


def test_an_exact_and_a_rounded_candidate_are_compared_exactly() -> None:
    """The winner differs by less than any float sees."""
    e = Q("2.71828182845904523536028747135266249775724709")
    for nudge, kind in ((Q(1, 10**40), Q), (-Q(1, 10**40), float)):
        still = Q(3, 4) - e / 4 + nudge  # next to δ(1) of the coin
        channel = Channel(
            ["a", "b", "c", "d"],
            range(4),
            [
                ["3/4", "1/4", 0, 0],
                ["1/4", "3/4", 0, 0],
                [0, 0, still, 1 - still],
                [0, 0, 0, 1],
            ],
        )
        pairs = [("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")]
        found = delta_at(channel, eps=1, pairs=pairs)
        assert isinstance(found, kind)
        assert privacy_profile(channel, pairs=pairs).delta(1) == found
        assert Q(found) >= max(still, Q(3, 4) - e / 4)


def test_verdict_with_an_irrational_factor_is_settled_exactly() -> None:
    e = Q("2.71828182845904523536028747135266249775724709")
    true = Q(3, 4) - e / 4
    hair = Q(1, 10**40)
    space = discrete(COIN.rows)
    assert privacy(COIN, space, eps=1, delta=true + hair).status == "proved"
    assert privacy(COIN, space, eps=1, delta=true - hair).status == "refuted"
    needed = privacy(COIN, space, eps=1, delta=true + hair).delta_needed
    assert Q(needed) >= true


def test_slack_is_needed_on_all_pairs_not_only_neighbours() -> None:
    # δ does not add up along a path: the far pair alone needs it
    channel = as_channel([["1/2", "1/2"], ["3/8", "5/8"], ["1/8", "7/8"]])
    verdict = privacy(channel, line(3), eps="ln(3/2)", delta="1/100")
    excess = {
        (x, z): max(
            sum(
                (max(channel[x, y] - Q(3, 2) ** abs(x - z) * channel[z, y], Q(0)) for y in (0, 1)),
                Q(0),
            ),
            Q(0),
        )
        for x in range(3)
        for z in range(3)
    }
    assert verdict.delta_needed == max(excess.values()) == excess[0, 2]
    assert not verdict


def test_float_channels_give_floats() -> None:
    floats = as_channel([[0.75, 0.25], [0.25, 0.75]])
    assert delta_at(floats, eps="ln 2") == pytest.approx(0.25, abs=1e-15)
    assert eps_at(floats, delta=0.25) == pytest.approx(math.log(2), abs=1e-15)
    profile = privacy_profile(floats)
    assert profile.delta("ln 2") == pytest.approx(0.25, abs=1e-15)
    assert profile.eps(0.25) == pytest.approx(math.log(2), abs=1e-15)
    assert profile.kinks[0][0] == pytest.approx(math.log(3))
    assert eps_at([[0.5, 0.5], [1.0, 0.0]], delta=0.25) == math.inf


@pytest.mark.parametrize("eps", [700, 1000, 10**6])
def test_levels_beyond_what_a_double_factor_holds(eps) -> None:
    floats = as_channel([[0.75, 0.25, 0.0], [0.25, 0.25, 0.5]])
    assert delta_at(floats, eps=eps) == 0.5
    assert privacy_profile(floats).delta(eps) == 0.5
    assert delta_at(LEAKY, eps=eps) == Q(1, 4)


@pytest.mark.parametrize("eps", [-1, "-1/2", math.nan, math.inf, True, "one", None])
def test_bad_levels(eps) -> None:
    for ask in (lambda: delta_at(COIN, eps=eps), lambda: privacy_profile(COIN).delta(eps)):
        with pytest.raises(BadLevel):
            ask()


@pytest.mark.parametrize("delta", [-1, 2, math.nan, True, "ln 2", None])
def test_bad_deltas(delta) -> None:
    for ask in (lambda: eps_at(COIN, delta=delta), lambda: privacy_profile(COIN).eps(delta)):
        with pytest.raises(BadLevel):
            ask()


def test_level_zero_is_total_variation() -> None:
    rng = np.random.default_rng(9)
    table = [[Q(int(w), int(row.sum())) for w in row] for row in rng.integers(0, 9, (3, 5)) + 1]
    distance = max(
        sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2 for p in table for q in table
    )
    assert delta_at(table, eps=0) == distance
    assert eps_at(table, delta=distance) == 0


def test_single_input_and_plain_data() -> None:
    profile = privacy_profile([["1/2", "1/2"]])
    assert profile.lines == ((0, 0),)
    assert profile.kinks == ()
    assert profile.delta(0) == 0
    assert profile.eps(0) == 0
    data = json.loads(json.dumps(privacy_profile(COIN).to_dict(), allow_nan=False))
    assert data["exact"]
    assert data["lines"] == [["3/4", "1/4"], ["0", "0"]]
    assert data["kinks"] == [["ln(3)", "0"]]
    assert isinstance(eps_at(COIN, delta=0), Level)


@pytest.mark.parametrize(
    "pairs", [[], ["ab"], ("a", "b"), "ab", 5, [("a", "b", "a")], [{"a", "b"}]]
)
@pytest.mark.parametrize("question", [privacy_profile, delta_at, eps_at, concentrated_privacy])
def test_what_is_no_list_of_pairs(question, pairs):
    coin = as_channel([["3/4", "1/4"], ["1/4", "3/4"]], rows=["a", "b"])
    level = {delta_at: {"eps": 1}, eps_at: {"delta": 0}}.get(question, {})
    with pytest.raises(WrongShape, match=r"a list of one or more pairs \(x, z\) of inputs, not"):
        question(coin, pairs=pairs, **level)


def test_a_level_beyond_every_ratio_has_an_answer() -> None:
    """e^(10⁹) has too many digits to write, and none of them matters."""
    assert [delta_at(C, eps=10**9) for C in (COIN, LEAKY)] == [0, Q(1, 4)]
    assert [privacy_profile(C).delta(10**9) for C in (COIN, LEAKY)] == [0, Q(1, 4)]
    assert privacy(COIN, discrete(["yes", "no"]), eps=10**9, delta="1/2").delta_needed == 0


def test_slack_where_the_level_times_the_distance_is_a_product_of_logarithms() -> None:
    space = from_table(["yes", "no"], [[0, "ln 3"], ["ln 3", 0]])
    needed = 0.75 - math.exp(math.log(2) * math.log(3)) / 4
    found = privacy(COIN, space, eps="ln 2", delta="1/5")
    assert (found.holds, found.exact) == (False, True)
    assert found.delta_needed == pytest.approx(needed, rel=1e-15)
    assert privacy(COIN, space, eps="ln 2", delta=needed + 1e-15).holds
    assert privacy(COIN, space, eps="ln 2", delta=needed - 1e-15).holds is False


@pytest.mark.parametrize("near", ["1e-60", "1e-340"])
def test_equal_rows_need_no_slack_however_near_they_are(near):
    space = from_table([0, 1], [[0, near], [near, 0]])
    found = privacy([["1/2", "1/2"]] * 2, space, eps=1, delta="1/9")
    assert (found.delta_needed, found.delta_pair) == (0, None)


def test_the_slack_is_rounded_up_to_the_next_double_where_it_is_tiny():
    """p − a·q for p = a·q·(1 + 1e-60) or so: all of it is beyond the first digits."""
    with ctx.workprec(600):
        above = Q(int((arb(1).exp() * arb(10) ** 60).floor().unique_fmpz()) + 1, 10**160)
        true = arb(fmpq(above.numerator, above.denominator)) - arb(1).exp() / arb(10) ** 100
        rows = [[above, 1 - above], [Q(1, 10**100), 1 - Q(1, 10**100)]]
        needed = privacy(rows, line(2), eps=1, delta="1/9").delta_needed
        below = math.nextafter(needed, 0)
        assert arb(fmpq(*Q(below).as_integer_ratio())) < true
        assert true <= arb(fmpq(*Q(needed).as_integer_ratio()))
