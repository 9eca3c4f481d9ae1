"""`privacy`: verdicts and their evidence, exact and float; what is refused."""

import json
import math
from decimal import Decimal, localcontext
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import BadLevel, Malformed, SpaceMismatch
from dprivacy.model import Channel, as_channel
from dprivacy.numbers import Level, as_level, ln
from dprivacy.spaces import FiniteSpace, discrete, from_table, line, points
from dprivacy.verify import PrivacyVerdict, delta_at, privacy, smallest_eps

E = Channel(
    ["x1", "x2", "x3"],
    ["y1", "y2", "y3"],
    [["4/7", "2/7", "1/7"], ["1/4", "1/2", "1/4"], ["1/7", "2/7", "4/7"]],
)
STEPS = from_table(E.rows, [[0, 1, 2], [1, 0, 1], [2, 1, 0]])
COIN = [["2/3", "1/3"], ["1/3", "2/3"]]
FLOAT_COIN = [[2 / 3, 1 / 3], [1 / 3, 2 / 3]]


# -- evidence --------------------------------------------------------------------------------------


@pytest.mark.statement("T", "Def 3.1.2")
def test_private_on_all_sets_of_outputs_when_on_each() -> None:
    verdict = privacy(E, STEPS, eps="ln(16/7)")
    rows = dict(zip(E.rows, E.matrix.rows(), strict=True))
    for x in E.rows:
        for z in E.rows:
            bound = Q(16, 7) ** int(STEPS.distance(x, z))
            for mask in range(8):
                p, q = (
                    sum((r[k] for k in range(3) if mask >> k & 1), Q(0)) for r in (rows[x], rows[z])
                )
                assert p <= bound * q
    assert verdict


@pytest.mark.statement("T", "Def 3.1.3")
def test_violated_triples_are_the_violations() -> None:
    verdict = privacy(E, STEPS, eps="ln 2")
    assert verdict.status == "refuted"
    found = {(t.x, t.z, t.y, t.ratio) for t in verdict.violated}
    assert found == {("x1", "x2", "y1", Q(16, 7)), ("x3", "x2", "y3", Q(16, 7))}
    # 1/2 against 2/7 is 7/4, and 1/4 against 1/7 as well: below 2, so no neighbours are tight
    assert {frozenset((t.x, t.z)) for t in verdict.tight} <= {frozenset(("x1", "x3"))}
    assert verdict.guarantee is None


def test_tight_triples_at_the_smallest_level() -> None:
    verdict = privacy(E, STEPS)
    assert {(t.x, t.z, t.y) for t in verdict.tight} == {("x1", "x2", "y1"), ("x3", "x2", "y3")}
    assert verdict.violated == ()
    assert verdict.guarantee.eps == verdict.eps == verdict.smallest == ln(Q(16, 7))


def test_a_shuffled_channel_gets_its_own_labels_back() -> None:
    shuffled = E.restrict(["x3", "x1", "x2"])
    assert smallest_eps(shuffled, STEPS) == ln(Q(16, 7))
    verdict = privacy(shuffled, STEPS)
    assert {(t.x, t.z, t.y) for t in verdict.tight} == {("x1", "x2", "y1"), ("x3", "x2", "y3")}


def test_verdict_as_data_is_json_with_exact_text() -> None:
    data = json.loads(json.dumps(privacy(E, STEPS).to_dict(), allow_nan=False))
    assert data["status"] == "proved"
    assert data["holds"] is True
    assert data["smallest"] == "ln(16/7)"
    assert data["worst"]["ratio"] == "16/7"
    assert data["smallest_float"] == pytest.approx(math.log(16 / 7))
    assert data["guarantee"]["eps"] == "ln(16/7)"
    infinite = json.loads(json.dumps(privacy([[1, 0], [0, 1]], line(2)).to_dict(), allow_nan=False))
    assert infinite["smallest"] == "inf"
    assert infinite["worst"]["ratio"] == "inf"
    slack = json.loads(json.dumps(privacy(COIN, line(2), eps="ln(3/2)", delta="1/5").to_dict()))
    assert (slack["delta_needed"], slack["delta"], slack["holds"]) == ("1/6", "1/5", True)


def test_explain_names_the_pair_and_the_numbers() -> None:
    text = privacy(E, STEPS).explain()
    for part in ("proved exactly", "ln(16/7)", "16/7", "y1", "x1", "x2", "2.29"):
        assert part in text
    assert str(privacy(E, STEPS)) == text
    assert privacy(E, STEPS, eps="ln 2").explain().startswith("No")
    assert "No finite ε" in privacy([[1, 0], [0, 1]], line(2)).explain()


def test_verdicts_are_frozen() -> None:
    with pytest.raises(AttributeError):
        privacy(E, STEPS).holds = False


def test_single_secret_needs_no_protection() -> None:
    verdict = privacy([["1/2", "1/2"]], line(1), eps="1/10")
    assert verdict.status == "proved"
    assert verdict.smallest == 0
    assert verdict.worst is None
    assert "nothing to protect" in verdict.explain()
    assert smallest_eps([[0.5, 0.5]], line(1)) == 0


def test_equal_rows_need_level_zero() -> None:
    verdict = privacy([["1/2", "1/2"]] * 3, line(3))
    assert verdict.smallest == 0
    assert verdict
    assert privacy([["1/2", "1/2"]] * 3, line(3), eps="1/1000000")


def test_many_tight_triples_do_not_hide_a_violation() -> None:
    # more than a thousand tight triples come first; the one violated pair is the last
    n, m = 40, 60
    high, low = Q(4, 3 * m), Q(2, 3 * m)
    even = [high if j % 2 else low for j in range(m)]
    odd = [low if j % 2 else high for j in range(m)]
    table = [even if i % 2 else odd for i in range(n)]
    table.append([Q(1, 3), *[Q(2, 3 * (m - 1))] * (m - 1)])
    verdict = privacy(table, line(n + 1), eps="ln 2")
    assert len(verdict.tight) == 1000
    assert verdict.holds is False
    assert verdict.worst.y == 0


@pytest.mark.parametrize("eps", ["2/5", "49/100", "1/2", "ln 3"])
def test_triples_are_those_of_a_plain_search(eps) -> None:
    """Also where the worst ratio has no exact level: ln 2 over √2."""
    space = points([(0, 0), (1, 1), (2, 2)])
    channel = [["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["1/4", "1/4", "1/2"]]
    verdict = privacy(channel, space, eps=eps)
    worst = math.log(2) / math.sqrt(2)
    assert bool(verdict) is (worst <= float(as_level(eps)))
    assert len(verdict.violated) == (0 if verdict else 4)
    assert verdict.tight == ()


@pytest.mark.parametrize("distance", [Q(1, 10**400), Q(1, 10**320), Q(1), Q(10**300)])
def test_triples_where_doubles_hold_neither_level_nor_distance(distance) -> None:
    space = from_table([0, 1], [[0, distance], [distance, 0]])
    level = ln(2) / distance
    for eps, tight, violated in ((level, 2, 0), (level * Q(9, 10), 0, 2), (level * 2, 0, 0)):
        verdict = privacy(COIN, space, eps=eps)
        assert verdict.holds is (violated == 0)
        assert (len(verdict.tight), len(verdict.violated)) == (tight, violated)


# -- exact levels ----------------------------------------------------------------------------------


def test_a_float_level_is_its_binary_value() -> None:
    below = math.log(2)  # the double nearest to ln 2 lies below it
    assert Level(below) < ln(2)
    assert privacy(COIN, line(2), eps=below).status == "refuted"
    assert privacy(COIN, line(2), eps=math.nextafter(below, 1)).status == "proved"


@pytest.mark.parametrize("eps", ["ln 2", ln(2), "ln(4)/2", Level("ln 2")])
def test_levels_in_any_spelling(eps) -> None:
    assert privacy(COIN, line(2), eps=eps).status == "proved"


@pytest.mark.parametrize("eps", [1, "3/2", Q(7, 10), 0.7, np.float64(0.7), 10**12, "1e300"])
def test_larger_levels_hold(eps) -> None:
    assert privacy(COIN, line(2), eps=eps).status == "proved"


def test_giant_levels_and_distances() -> None:
    far = line([0, 10**9])
    channel = as_channel(COIN, rows=far.labels)
    assert privacy(channel, far, eps=10**9)
    assert smallest_eps(channel, far) == ln(2) / 10**9
    assert not privacy([[1, 0], [0, 1]], line(2), eps=10**15)


LOGS = from_table([0, 1, 2], [[0, 1, "ln 3"], [1, 0, "ln 3"], ["ln 3", "ln 3", 0]])


@pytest.mark.parametrize(("eps", "holds"), [("ln 2", False), ("ln 3", False), ("ln 4", True)])
def test_a_logarithm_times_a_logarithmic_distance_is_enclosed(eps, holds) -> None:
    table = [["4/7", "2/7", "1/7"], ["1/4", "1/2", "1/4"], ["1/7", "2/7", "4/7"]]
    verdict = privacy(table, LOGS, eps=eps)
    # rates: ln(16/7) at distance 1; ln 4 / ln 3 ≈ 1.262 at distance ln 3
    assert verdict.holds is holds
    assert verdict.exact
    assert bool(verdict.violated) is not holds
    assert verdict.explain()
    json.dumps(verdict.to_dict(), allow_nan=False)


def test_the_smallest_level_may_be_a_logarithm_on_mixed_distances() -> None:
    # the pair at distance 1 needs ln 8; those at distance ln 3 need less
    table = [["8/10", "2/10"], ["1/10", "9/10"], ["3/10", "7/10"]]
    verdict = privacy(table, LOGS)
    assert verdict.smallest == ln(8)
    assert verdict
    assert [t.ratio for t in verdict.tight] == [8]
    assert "ln(8)" in verdict.explain()


def test_an_irrational_rate_is_rounded_up_and_says_so() -> None:
    table = [["4/7", "2/7", "1/7"], ["1/4", "1/2", "1/4"], ["1/7", "2/7", "4/7"]]
    verdict = privacy(table, LOGS)
    true = math.log(4) / math.log(3)
    assert true <= verdict.smallest <= math.nextafter(math.nextafter(true, 2), 2)
    assert "rounded up" in verdict.explain()
    assert "exactly" not in verdict.explain().splitlines()[1]
    assert privacy(table, LOGS, eps=verdict.smallest).status == "proved"


@pytest.mark.parametrize("order", [["a", "b", "c", "d"], ["c", "d", "a", "b"]])
def test_rates_that_round_to_the_same_double_are_told_apart(order) -> None:
    with localcontext() as context:
        context.prec = 80
        rate = Decimal(2).ln() / Decimal(5).ln()
        target = (rate * Decimal(3).ln()).exp()
        ratio = Q(int(target * 10**25), 10**25)  # a little less than 3^rate
        lower = Decimal(ratio.numerator) / Decimal(ratio.denominator)
        between = Q((lower.ln() / Decimal(3).ln() + rate) / 2)
        above = Q(rate) + Q(1, 10**60)
    distance = {frozenset("ab"): ln(3), frozenset("cd"): ln(5)}
    table = [
        [0 if x == z else distance.get(frozenset((x, z)), "inf") for z in order] for x in order
    ]
    space = from_table(order, table, extended=True)
    p = Q(1, 100)
    heads = {"a": p, "b": p / ratio, "c": p, "d": p / 2}
    channel = Channel(order, ["h", "t"], [[heads[x], 1 - heads[x]] for x in order])
    refuted = privacy(channel, space, eps=between)
    assert refuted.status == "refuted"
    assert {refuted.worst.x, refuted.worst.z} == {"c", "d"}
    assert [(t.x, t.z) for t in refuted.violated] == [("c", "d")]
    assert privacy(channel, space, eps=above).status == "proved"


def test_tiny_logarithmic_distances_do_not_break_the_enclosure() -> None:
    tiny = ln(1 + Q(1, 10**50))
    space = from_table(
        [0, 1, 2], [[0, tiny, tiny], [tiny, 0, tiny * Q(3, 2)], [tiny, tiny * Q(3, 2), 0]]
    )
    found = smallest_eps([["1/2", "1/2"], ["1/4", "3/4"], ["1/3", "2/3"]], space)
    # the pair (0, 1) needs ln 2 within ln(1 + 10⁻⁵⁰) ≈ 10⁻⁵⁰
    assert found == pytest.approx(math.log(2) * 1e50, rel=1e-12)


# -- floats are measured ---------------------------------------------------------------------------


def test_a_float_channel_at_the_bound_is_undecided() -> None:
    verdict = privacy(FLOAT_COIN, line(2), eps="ln 2")
    assert verdict.holds is None
    assert verdict.status == "undecided"
    assert bool(verdict) is False
    assert not verdict.exact
    assert 0 < verdict.error < 1e-14
    assert "float, ±" in verdict.explain()
    assert verdict.explain().startswith("Undecided")
    assert verdict.guarantee is None
    assert privacy(COIN, line(2), eps="ln 2").status == "proved"


@pytest.mark.parametrize("steps", [-2, -1, 0, 1, 2])
def test_one_rounding_away_is_still_undecided(steps) -> None:
    p = 2 / 3
    for _ in range(abs(steps)):
        p = math.nextafter(p, 1 if steps > 0 else 0)
    assert privacy([[p, 1 - p], [1 / 3, 2 / 3]], line(2), eps="ln 2").holds is None


def test_a_clear_float_channel_is_measured() -> None:
    yes, no = privacy(FLOAT_COIN, line(2), eps="0.7"), privacy(FLOAT_COIN, line(2), eps="0.69")
    assert (yes.status, no.status) == ("measured", "measured to fail")
    assert yes.guarantee.eps == Level("0.7")
    assert yes.smallest == pytest.approx(math.log(2))


def test_what_was_measured_is_promised_with_its_error() -> None:
    verdict = privacy(FLOAT_COIN, line(2))
    assert verdict.status == "measured"
    assert verdict.guarantee.eps >= ln(2)
    assert float(verdict.guarantee.eps) <= verdict.smallest + 2 * verdict.error


@pytest.mark.parametrize("space", [line(2), discrete([0, 1]), line([0.0, 1.0])])
def test_a_trace_against_zero_is_infinite(space) -> None:
    channel = as_channel([[1e-300, 1.0], [0.0, 1.0]], rows=space.labels)
    verdict = privacy(channel, space, eps=700)
    assert verdict.smallest == math.inf
    assert verdict.holds is False
    assert privacy(channel, space).holds is False
    same = as_channel([[1e-300, 1.0], [1e-300, 1.0]], rows=space.labels)
    assert smallest_eps(same, space) == 0


def test_below_the_normal_doubles_little_is_known() -> None:
    verdict = privacy([[5e-324, 1.0], [1e-323, 1.0]], line(2), eps="0.9")
    # 5e−324 stands for anything from 2.5e−324 to 7.4e−324
    assert verdict.holds is None
    assert verdict.error >= math.log(2)
    assert privacy([[1e-300, 1.0], [2e-300, 1.0]], line(2), eps="0.7").error < 1e-11


def test_an_exact_channel_on_a_float_space_is_measured() -> None:
    space = line([0.0, 1.0])
    channel = as_channel(COIN, rows=space.labels)
    assert privacy(channel, space, eps="ln 2").holds is None
    assert privacy(channel, space, eps="0.7").status == "measured"
    giant = Q(1, 10**400)
    channel = as_channel([[giant, 1 - giant], [2 * giant, 1 - 2 * giant]], rows=space.labels)
    assert privacy(channel, space).smallest == pytest.approx(math.log(2))
    assert privacy(channel, space).worst.ratio == 2
    leaky = as_channel([[giant, 1 - giant], [0, 1]], rows=space.labels)
    assert privacy(leaky, space).smallest == math.inf


def test_float_delta_is_measured_with_an_error() -> None:
    # needs exactly 2/3 − (3/2)/3 = 1/6
    assert privacy(FLOAT_COIN, line(2), eps="ln(3/2)", delta="1/6").holds is None
    assert privacy(COIN, line(2), eps="ln(3/2)", delta="1/6").status == "proved"
    assert privacy(FLOAT_COIN, line(2), eps="ln(3/2)", delta="1/5").status == "measured"
    assert privacy(FLOAT_COIN, line(2), eps="ln(3/2)", delta="1/7").status == "measured to fail"


def test_float_delta_with_a_factor_beyond_the_doubles() -> None:
    verdict = privacy([[0.75, 0.25], [0.0, 1.0]], line(2), eps=1000, delta="1/10")
    assert verdict.delta_needed == 0.75
    assert verdict.holds is False
    assert privacy(FLOAT_COIN, line(2), eps=1000, delta="1/10")
    assert delta_at([[0.75, 0.25], [0.0, 1.0]], eps=1000) == 0.75


# -- pseudo and extended metrics -------------------------------------------------------------------


@pytest.mark.parametrize("number", [Q, float])
def test_infinite_distances_constrain_nothing(number) -> None:
    space = from_table([0, 1, 2], [[0, 1, "inf"], [1, 0, "inf"], ["inf", "inf", 0]], extended=True)
    table = [[Q(3, 4), Q(1, 4), 0], [Q(1, 2), Q(1, 2), 0], [0, 0, Q(1)]]
    channel = as_channel([[number(v) for v in row] for row in table])
    assert float(smallest_eps(channel, space)) == pytest.approx(math.log(2))
    assert privacy(channel, space, eps="0.7")
    alone = from_table([0, 1], [[0, "inf"], ["inf", 0]], extended=True)
    apart = as_channel([[number(1), number(0)], [number(0), number(1)]])
    assert smallest_eps(apart, alone) == 0
    assert privacy(apart, alone, eps="1/100")


@pytest.mark.parametrize("number", [Q, float])
@pytest.mark.parametrize("equal", [True, False])
def test_distance_zero_demands_equal_rows(number, equal) -> None:
    space = from_table([0, 1, 2], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True)
    second = Q(1, 2) if equal else Q(1, 2) + Q(1, 2**40)
    table = [[Q(1, 2), Q(1, 2)], [second, 1 - second], [Q(1, 4), Q(3, 4)]]
    channel = as_channel([[number(v) for v in row] for row in table])
    found = smallest_eps(channel, space)
    if equal:
        assert float(found) == pytest.approx(math.log(2))
    else:
        assert found == math.inf
        assert not privacy(channel, space, eps=100)


# -- refusals --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "eps",
    [
        *(0, -1, 0.0, -0.5, "0", "-ln 2", "ln(1/2)", math.nan, math.inf, -math.inf, True, False),
        *("", "two", "ln", "ln(-1)", "1/0", "inf", "nan", [1], b"1", 1j),
    ],
)
@pytest.mark.parametrize("delta", [0, "1/10"])
def test_bad_levels_are_refused(eps, delta) -> None:
    with pytest.raises(BadLevel):
        privacy(COIN, line(2), eps=eps, delta=delta)


@pytest.mark.parametrize(
    "delta", [-1, "-1/10", 2, 1.0000001, math.nan, math.inf, True, None, "half", "ln 2", "", 1j]
)
def test_bad_deltas_are_refused(delta) -> None:
    with pytest.raises(BadLevel):
        privacy(COIN, line(2), eps="ln 2", delta=delta)


def test_delta_without_a_level_is_refused() -> None:
    with pytest.raises(BadLevel, match="eps_at"):
        privacy(COIN, line(2), delta="1/10")


@pytest.mark.parametrize("delta", [0, 1, "1/2", 0.5, Q(1, 3), np.float64(0.25)])
def test_delta_from_zero_to_one_is_read(delta) -> None:
    assert privacy(COIN, line(2), eps="ln 2", delta=delta)


def test_labels_of_channel_and_space_must_agree() -> None:
    channel = Channel(["tea", "coffee"], ["a", "b"], COIN)
    with pytest.raises(SpaceMismatch, match=r"(?s)'coffee'.*'water'"):
        privacy(channel, discrete(["tea", "water"]), eps="ln 2")
    with pytest.raises(SpaceMismatch, match="'water' only in the second"):
        smallest_eps(channel, discrete(["tea", "coffee", "water"]))
    with pytest.raises(SpaceMismatch, match="rows="):
        privacy(COIN, discrete(["tea", "coffee"]), eps="ln 2")
    assert privacy(
        as_channel(COIN, rows=["tea", "coffee"]), discrete(["coffee", "tea"]), eps="ln 2"
    )


@pytest.mark.parametrize("what", [None, 3, "channel", [], [[]], np.zeros(3), np.zeros((2, 2, 2))])
def test_what_is_no_channel_is_refused(what) -> None:
    with pytest.raises(Malformed):
        privacy(what, line(2), eps="ln 2")


def test_default_verdict_is_usable() -> None:
    blank = PrivacyVerdict("claim", None, False, denial="denial")
    assert not blank
    assert json.dumps(blank.to_dict())
    assert isinstance(line(2), FiniteSpace)


def test_with_slack_the_pair_that_needs_it_is_named() -> None:
    # At ε = ln(3/2) on a line of three: (0, 1) needs 2/3 − 3/2·1/3 = 1/6, while (0, 2), at distance 2,
    # needs (2/3 − 9/4·1/6) = 7/24.
    channel = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
    verdict = privacy(channel, line(3), eps="ln(3/2)", delta="1/10")
    assert verdict.delta_needed == Q(7, 24)
    assert set(verdict.delta_pair) == {0, 2}
    assert "0 needs against 2" in verdict.explain() or "2 needs against 0" in verdict.explain()
