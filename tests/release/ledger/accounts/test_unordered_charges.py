"""Accounts without order: never less than enumerated tables tell, and what they refuse."""

import itertools
import math
from fractions import Fraction as Q

import pandas
import polars
import pyarrow as pa
import pytest

from dprivacy.errors import BadNumber, BadPlan, BudgetExceeded, NotApplicable
from dprivacy.mechanisms import randomised_response
from dprivacy.model import Guarantee
from dprivacy.numbers import Level, ln
from dprivacy.release import Ledger, Plan, forecast, sanitise, sanitise_file
from dprivacy.release.frames import frames_in_hand
from dprivacy.release.frames.sorted_frames import untouched_groups
from dprivacy.release.ledger.accounts.account_rule import Rule
from dprivacy.release.ledger.accounts.declared_schedule import due_name
from dprivacy.release.ledger.accounts.unordered_charges import ROWS, composed_unordered
from dprivacy.spaces import GridLine
from dprivacy.verify import compose, shuffled
from support.shuffled_truth import law_of

LIKES = {"columns": {"h": {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 3"}}}
TWO = {"columns": {name: LIKES["columns"]["h"] for name in "gh"}}
TOWN = {**LIKES, "pass_through": ["town"]}
DELTA = "1e-4"


def table(n=300, **more):
    return pa.table({"h": ["abc"[k % 3] for k in range(n)], **more})


@pytest.fixture
def readers(where):
    with Ledger(**where) as ledger:
        ledger.open_account("readers", 9, delta="1/100", unordered=True)
        yield ledger


def told_apart(rows, n, pairs, a):
    """δ of two shuffled tables together, the largest over all values of the others, by enumeration."""
    crowds = list(itertools.combinations_with_replacement(rows, n - 1))
    laws = {
        (x, k): law_of([rows[x], *others])
        for x in range(len(rows))
        for k, others in enumerate(crowds)
    }
    worst = Q(0)
    for ((x, z), (u, v)), k, m in itertools.product(pairs, range(len(crowds)), range(len(crowds))):
        one, two, other, another = laws[x, k], laws[z, k], laws[u, m], laws[v, m]
        gaps = (
            p * q - a * two[s] * another[t]
            for (s, p), (t, q) in itertools.product(one.items(), other.items())
        )
        worst = max(worst, sum((gap for gap in gaps if gap > 0), Q(0)))
    return worst


@pytest.mark.parametrize(("k", "n"), [(2, 6), (3, 3)])
def test_two_releases_tell_no_more_than_the_sum_and_the_schedule_say(readers, k, n):
    values = list("abc"[:k])
    plan = {"columns": {"h": {"type": "categories", "values": values, "epsilon": "ln 3"}}}
    readers.budget("readers", 9, delta="1/5")
    for shift in range(2):
        data = pa.table({"h": (values * n)[shift : n + shift]})
        sanitise(data, plan, shuffle=True, delta="1/20", ledger=readers.account("readers"))
    told = readers.spent("readers")
    assert told.slack == Q(1, 10)
    rows = randomised_response(range(k), eps="ln 3").channel.matrix.rows()
    rows = [[Q(v) for v in row] for row in rows]
    pairs = [((0, 1), (0, 1)), ((0, 1), (1, 0))]
    assert 0 < told_apart(rows, n, pairs, told.eps.exp()) <= told.slack
    found = composed_unordered(Plan.read(plan), 2, Q(1, 10), n)
    assert told_apart(rows, n, pairs, Q(math.exp(float(found.eps)))) <= Q(1, 10) + Q(1, 10**9)
    assert found.eps <= told.eps


def test_a_shuffled_table_costs_what_its_card_says_and_the_level_is_kept_beside_it(readers):
    account = readers.account("readers")
    released = sanitise(table(), LIKES, shuffle=True, delta=DELTA, ledger=account)
    card, told = released.card, readers.spent("readers")
    assert (str(told.eps), told.slack) == (card.shuffled["eps"], Q(DELTA))
    assert told.eps < ln(3) / 2
    assert released.receipt.spent == {ROWS: f"{told.words()} between any two records"}
    assert f"Rows without order: {told.words()}" in str(released.receipt)
    text = readers.report().explain()
    assert "against those who see the released tables alone" in text
    assert "adding levels up says ln(3)" in text
    assert f"{told.words()} between any two records; no budget" in text
    sanitise(table(30), LIKES, ledger=account)  # in its order, at its level
    assert readers.spent("readers").eps == told.eps + ln(3)
    assert readers.spent("readers").slack == Q(DELTA)
    assert bool(readers.verify())


def test_other_accounts_are_charged_the_level(readers):
    readers.budget("insiders", "ln 9")
    sanitise(table(), LIKES, shuffle=True, delta=DELTA, ledger=readers.account("insiders"))
    assert readers.spent("insiders").eps == ln(3)
    assert not readers.spent("insiders").slack


@pytest.mark.parametrize("kind", [pandas.DataFrame, polars.DataFrame, pa.table, "file", "duckdb"])
def test_rows_hide_in_their_group_whatever_holds_them(readers, kind, tmp_path):
    columns = {"h": list("abc") * 100, "town": ["Ulm"] * 260 + ["Bonn"] * 40}
    account = readers.account("readers")
    how = {"shuffle": True, "delta": DELTA, "ledger": account}
    if kind == "file":
        pandas.DataFrame(columns).to_csv(tmp_path / "in.csv", index=False)
        card = sanitise_file(tmp_path / "in.csv", TOWN, tmp_path / "out.csv", **how).card
    elif kind == "duckdb":
        card = sanitise(
            pytest.importorskip("duckdb").from_arrow(pa.table(columns)), TOWN, **how
        ).card
    else:
        card = sanitise(kind(columns), TOWN, **how).card
    assert card.shuffled["smallest_group"] == 40
    assert str(readers.spent("readers").eps) == card.shuffled["eps"]
    wanted = shuffled(randomised_response(range(3), eps="ln 3"), 40, delta=DELTA).eps
    assert wanted <= readers.spent("readers").eps <= wanted * Q(10001, 10000)


def test_a_row_that_is_alone_is_refused_and_nothing_is_charged(readers):
    alone = table(3, town=["Ulm", "Ulm", "Bonn"])
    with pytest.raises(NotApplicable, match="some row is alone"):
        sanitise(alone, TOWN, shuffle=True, delta=DELTA, ledger=readers.account("readers"))
    assert readers.spent("readers").is_zero


def test_a_table_that_changes_between_two_looks_is_refused(readers, monkeypatch):
    towns = table(90, town=["Ulm"] * 60 + ["Bonn"] * 30)
    before = untouched_groups(towns.slice(0, 60), Plan.read(TOWN))
    monkeypatch.setattr(frames_in_hand, "untouched_groups", lambda *_: before)
    with pytest.raises(NotApplicable, match="gave other rows when it was read again"):
        sanitise(towns, TOWN, shuffle=True, delta=DELTA, ledger=readers.account("readers"))
    assert readers.spent("readers").is_zero


def test_where_sorting_gains_nothing_the_level_is_charged(readers):
    card = sanitise(
        table(2), LIKES, shuffle=True, delta="1e-9", ledger=readers.account("readers")
    ).card
    assert card.shuffled["method"] == "none"
    assert readers.spent("readers").eps == ln(3)
    assert not readers.spent("readers").slack


@pytest.fixture
def panel(where):
    with Ledger(**where) as ledger:
        ledger.open_account("panel", 2, delta="1e-6", by="schedule", unordered=True)
        yield ledger


def test_a_schedule_without_order_is_paid_for_at_once_and_asks_for_its_rows(panel):
    panel.schedule("panel", LIKES, times=3, rows=1000)
    spent = panel.spent("panel")
    each = shuffled(randomised_response(range(3), eps="ln 3"), 1000, delta=Q(1, 3 * 10**6)).eps
    assert each < spent.eps < each * 3
    account = panel.account("panel")
    with pytest.raises(NotApplicable, match=r"keeps its order: release it with shuffle=True"):
        sanitise(table(1000), LIKES, ledger=account)
    with pytest.raises(NotApplicable, match="this one has 999 in its smallest group"):
        sanitise(table(999), LIKES, shuffle=True, delta="1e-9", ledger=account)
    with pytest.raises(NotApplicable, match=r"this plan was not \(3 releases of other plans"):
        sanitise(table(2000, g=["a"] * 2000), TWO, shuffle=True, delta="1e-9", ledger=account)
    for n in (1000, 1001, 5000):
        sanitise(table(n), LIKES, shuffle=True, delta="1e-9", ledger=account)
    assert panel.spent("panel") == spent
    with pytest.raises(NotApplicable, match="all releases of this plan are made"):
        sanitise(table(5001), LIKES, shuffle=True, delta="1e-9", ledger=account)
    assert bool(panel.verify())


def test_large_tables_are_ticked_off_the_schedule_of_large_ones(panel):
    for rows, times in ((1000, 1), (4000, 2)):
        panel.schedule("panel", LIKES, times=times, rows=rows, delta="1e-7")
    account = panel.account("panel")
    for n in (5000, 3999, 4000):
        sanitise(table(n), LIKES, shuffle=True, delta="1e-9", ledger=account)
    with pytest.raises(NotApplicable, match="all releases of this plan are made"):
        sanitise(table(9000), LIKES, shuffle=True, delta="1e-9", ledger=account)
    assert "0 releases to come" in panel.report().explain()


def test_a_refused_release_is_still_to_come(panel):
    panel.schedule("panel", TOWN, rows=20)
    alone = table(100, town=["Ulm"] * 99 + ["Bonn"])
    account = panel.account("panel")
    with pytest.raises(NotApplicable, match="this one has 1 in its smallest group"):
        sanitise(alone, TOWN, shuffle=True, delta="1e-9", ledger=account)
    sanitise(
        table(100, town=["Ulm"] * 50 + ["Bonn"] * 50),
        TOWN,
        shuffle=True,
        delta="1e-9",
        ledger=account,
    )
    assert "0 releases to come" in panel.report().explain()


def test_records_of_several_columns_are_composed_by_their_curve():
    found = composed_unordered(Plan.read(TWO), 12, Q(1, 10**6), 10_000)
    each = forecast(TWO, rows=10_000, delta=Q(1, 24 * 10**6)).shuffled
    by_level = compose([(each.eps, each.proof.delta)], delta="1e-6", times=12)
    assert each.eps < found.eps < by_level.eps / 2


def test_several_rows_of_a_person_are_composed_by_their_level():
    plan = Plan.read({**LIKES, "unit": "who", "rows_per_person": 2, "drop": ["who"]})
    found = composed_unordered(plan, 12, Q(1, 10**6), 10_000)
    each = forecast(plan, rows=10_000, delta=Q(1, 24 * 10**6)).shuffled
    assert found.eps == compose([(each.eps, each.proof.delta)], delta="1e-6", times=12).eps
    assert found.eps < each.eps * 12


def test_what_is_refused(where, readers):
    with pytest.raises(NotApplicable, match="so no Rényi charge"):
        readers.open_account("r", 1, delta=DELTA, by="renyi", order=8, unordered=True)
    with pytest.raises(BadNumber, match="each of which has a δ"):
        readers.open_account("none", 1, unordered=True)
    with pytest.raises(
        NotApplicable, match="kept by sum without order, which bounds whole records"
    ):
        readers.budget("readers", 1, delta=DELTA, column="h")
    with pytest.raises(NotApplicable, match="which was fixed when it was opened"):
        readers.open_account("readers", 9, delta=DELTA)
    wide = {"h": Guarantee(Level(1), GridLine(Q(1), None, None), because="T Lem 3.1")}
    with pytest.raises(NotApplicable, match="no level of whole records"):
        readers.spend(wide, account="readers")
    readers.open_account("small", "1/10", delta=DELTA, unordered=True)
    with pytest.raises(BudgetExceeded):
        sanitise(table(100), LIKES, shuffle=True, delta=DELTA, ledger=readers.account("small"))
    readers.open_account("panel", 1, delta=DELTA, by="schedule", unordered=True)
    for rows in (None, 1, 2.5, True):
        with pytest.raises(BadNumber, match="how many rows each has at least"):
            readers.schedule("panel", LIKES, rows=rows)
    guessed = {"columns": {"h": {**LIKES["columns"]["h"], "source": "data"}}}
    with pytest.raises(BadPlan, match="read off the data"):
        readers.schedule("panel", guessed, rows=100)
    with pytest.raises(NotApplicable, match="adds nothing that can be proved"):
        readers.schedule("panel", LIKES, rows=2, delta="1e-9")
    readers.open_account("ordered", 1, delta=DELTA, by="schedule")
    with pytest.raises(NotApplicable, match="counts releases in their order"):
        readers.schedule("ordered", LIKES, rows=100)


def test_a_rule_is_read_as_it_was_written():
    for rule in (Rule(), Rule("renyi", 9), Rule("sum", 0, True), Rule("schedule", 0, True)):
        assert Rule.read(rule.text) == rule
    assert due_name("hash", None) == "hash"
    assert due_name("hash", 7) == "hash of 7"
