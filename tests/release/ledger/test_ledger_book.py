"""Spending: what adds up, what is refused and in which words, and what costs nothing."""

import re
import secrets
from fractions import Fraction

import duckdb
import polars
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dprivacy.errors import AlreadyReleased, BadLevel, BudgetExceeded, Malformed, UnknownCategory
from dprivacy.mechanisms import exponential, geometric, planar_laplace, randomised_response
from dprivacy.numbers.levels import Level
from dprivacy.release import Ledger, Plan, Receipt, sanitise, sanitise_file
from dprivacy.release.plans.release_card import card_text, read_card
from dprivacy.spaces import FiniteSpace, discrete, graph, line
from dprivacy.verify import privacy, smallest_eps
from support.release_tables import LETTERS, NUMBERS, PLACE, with_card

VALUES = ["a", "b", "c"]
PLAN = Plan.read({"columns": {"h": LETTERS}})
RR = randomised_response(VALUES, eps="ln 2")
KEY = b"a secret of the curator, 32 byte"


def table(*values):
    return pa.table({"h": list(values) or VALUES * 4})


# -- what adds up ----------------------------------------------------------------------------


@pytest.mark.statement("T", "Lem 3.1")
@settings(max_examples=15)
@given(st.lists(st.integers(2, 5), min_size=1, max_size=3))
def test_on_one_metric_levels_add_up(tmp_path_factory, factors):
    """The ledger's total is the exact level of the channel that shows all releases at once."""
    space = line(3)
    mechanisms = [geometric(space, eps=f"ln {q}") for q in factors]
    with Ledger(tmp_path_factory.mktemp("l") / "ledger.db", open=True) as ledger:
        for mechanism in mechanisms:
            ledger.spend({"h": mechanism})
        spent, whole = ledger.spent(column="h"), ledger.spent()
    together = mechanisms[0].channel
    for mechanism in mechanisms[1:]:
        together = together & mechanism.channel
    assert spent.eps == smallest_eps(together, space)
    assert whole.eps == 2 * spent.eps


@pytest.mark.statement("T", "Lem 3.2")
def test_on_two_metrics_the_metrics_add_up(book):
    """Side by side in the report; together a level for the larger metric, and for whole records."""
    flat, path = discrete(VALUES), graph([("a", "b"), ("b", "c", "2")])
    first, second = randomised_response(flat, eps="ln 2"), exponential(path, eps="ln 3")
    book.spend({"h": first})
    book.spend({"h": second})
    together = first.channel & second.channel
    assert privacy(
        together, flat.scaled(first.guarantee.eps) + path.scaled(second.guarantee.eps), eps=1
    )
    total = book.spent(column="h").eps
    assert total == first.guarantee.eps + second.guarantee.eps
    assert privacy(together, flat.maximum(path), eps=total)
    whole = book.spent().eps
    assert whole == first.guarantee.eps + 3 * second.guarantee.eps
    assert privacy(together, discrete(VALUES), eps=whole)
    assert len({metric for _, _, metric in balance_of(book).lines}) == 2


def balance_of(ledger, account="everyone"):
    with ledger._pages.transaction(write=False):
        return ledger._pages.balance(account)


@pytest.mark.statement("T", "Lem 3.2")
def test_columns_add_up_for_whole_records(book):
    plan = Plan.read({"columns": {"h": LETTERS, "n": NUMBERS}})
    book.spend(plan)
    assert book.spent().eps == Level("ln 2") + 10
    assert book.spent(column="n").eps == 1
    assert book.spent(column="h").eps == Level("ln 2")


def test_scaled_metrics_are_one_line(book):
    space = discrete(VALUES)
    book.spend({"h": randomised_response(space, eps="ln 8")})
    book.spend({"h": randomised_response(space.scaled(3), eps="ln 2")})
    (line_of_h,) = balance_of(book).lines.values()
    assert line_of_h.amount.eps == Level("ln 64")


# -- budgets ---------------------------------------------------------------------------------


def test_a_budget_is_met_exactly_and_never_passed(book):
    book.budget("survey", "ln 8")
    for _ in range(3):
        book.spend(PLAN, account="survey")
    with pytest.raises(BudgetExceeded) as refused:
        book.spend(PLAN, account="survey")
    assert str(refused.value) == (
        "the budget of account 'survey' is ln(8) ≈ 2.079; ln(8) ≈ 2.079 is spent, and with this "
        "release it would be ln(16) ≈ 2.773; nothing is left: release with a smaller epsilon or "
        "fewer columns, or raise the budget"
    )
    assert book.spent("survey").eps == Level("ln 8")
    book.budget("survey", "ln 9")
    with pytest.raises(BudgetExceeded, match=re.escape("ln(9/8) ≈ 0.1178 is left")):
        book.spend(PLAN, account="survey")
    assert bool(book.verify())


def test_a_hair_too_much_is_too_much(book):
    book.budget("survey", "0.6931471805599453094172321214581765")  # ln 2 = …65680…
    with pytest.raises(BudgetExceeded):
        book.spend(PLAN, account="survey")
    book.budget("survey", "0.6931471805599453094172321214581766")
    book.spend(PLAN, account="survey")


def test_a_column_has_a_budget_of_its_own(book):
    book.budget("survey", 2, column="n")
    plan = Plan.read({"columns": {"h": LETTERS, "n": NUMBERS}})
    book.spend(plan, account="survey")
    book.spend(plan, account="survey")
    with pytest.raises(BudgetExceeded, match="the budget of column 'n' of account 'survey' is 2;"):
        book.spend(plan, account="survey")
    book.spend(PLAN, account="survey")
    assert book.left("survey", column="n").eps == 0


def test_changing_the_metric_does_not_get_round_a_budget(book):
    book.budget("survey", "ln 8", column="h")
    for k in range(3):
        book.spend({"h": randomised_response([*VALUES, *"defg"[:k]], eps="ln 2")}, account="survey")
    with pytest.raises(BudgetExceeded):
        book.spend({"h": randomised_response([*VALUES, "z"], eps="ln 2")}, account="survey")


def test_a_place_has_no_whole_record(book):
    book.budget("trips", 3, column="where")
    plan = Plan.read({"columns": {"where": PLACE}})
    for _ in range(3):
        book.spend(plan, account="trips")
    with pytest.raises(BudgetExceeded):
        book.spend(plan, account="trips")
    with pytest.raises(Malformed, match="unbounded columns"):
        book.spent("trips")
    book.budget("walks", 100)
    with pytest.raises(Malformed, match="'where' have no bound"):
        book.spend(plan, account="walks")


def test_slack_adds_up_and_needs_a_budget(book):
    rr = randomised_response(VALUES, eps="ln 2", delta="1/100")
    book.budget("plain", 10)
    with pytest.raises(BudgetExceeded, match="δ = 1/100"):
        book.spend({"h": rr}, account="plain")
    book.budget("slack", 10, delta="1/50")
    book.spend({"h": rr}, account="slack")
    book.spend({"h": rr}, account="slack")
    assert book.left("slack").slack == 0
    with pytest.raises(BudgetExceeded):
        book.spend({"h": rr}, account="slack")


def test_accounts_do_not_meet(book):
    book.budget("a", "ln 2")
    book.budget("b", "ln 2")
    book.spend(PLAN, account="a")
    book.spend(PLAN, account="b")
    with pytest.raises(BudgetExceeded):
        book.spend(PLAN, account="a")


@pytest.mark.parametrize("limit", [-1, "nan", None, "much", True])
def test_what_is_no_budget(book, limit):
    with pytest.raises(BadLevel):
        book.budget("survey", limit)


@pytest.mark.parametrize("name", ["", "a\0b", "a\nb", "x" * 201, 3, None])
def test_what_is_no_account(book, name):
    with pytest.raises(Malformed, match="printable"):
        book.budget(name, 1)
    with pytest.raises(Malformed, match="printable"):
        book.spend(PLAN, account=name)


# -- parts and people ------------------------------------------------------------------------


def test_of_declared_parts_the_largest_counts(book):
    book.budget("survey", "ln 8")
    with pytest.raises(Malformed, match="nobody in common"):
        book.spend(PLAN, account="survey", part="north")
    book.parts("survey", ["north", "south"])
    for part in ("north", "south", "north", "south"):
        book.spend(PLAN, account="survey", part=part)
    assert book.spent("survey").eps == Level("ln 4")
    book.spend(PLAN, account="survey")  # everybody, so both parts
    assert book.spent("survey").eps == Level("ln 8")
    for part in ("north", "south", ""):
        with pytest.raises(BudgetExceeded):
            book.spend(PLAN, account="survey", part=part)
    book.parts("survey", ["east"])
    book.spend(PLAN, account="survey", part="east")
    assert book.spent("survey").eps == Level("ln 8")
    assert bool(book.verify())


def test_each_person_has_a_budget(book):
    book.budget("users", "ln 4", per="person")
    book.spend({"h": RR}, account="users", people=["ann", "bob"])
    book.spend({"h": RR}, account="users", people=["ann"])
    with pytest.raises(BudgetExceeded, match="each person of 'users'") as refused:
        book.spend({"h": RR}, account="users", people=["ann", "cid"])
    assert "ann" not in str(refused.value)
    assert [book.spent("users", person=p).eps for p in ("ann", "bob", "cid")] == [
        Level("ln 4"),
        Level("ln 2"),
        0,
    ]
    assert bool(book.verify())
    with pytest.raises(Malformed, match="kept per person"):
        book.spend({"h": RR}, account="users")
    with pytest.raises(Malformed, match="kept per table"):
        book.spend({"h": RR}, account="other", people=["ann"])
    with pytest.raises(Malformed, match="nobody"):
        book.spend({"h": RR}, account="users", people=[None])
    with pytest.raises(Malformed, match="kept per person"):
        book.budget("users", 1, per="table")


def test_many_people_at_once(book):
    book.budget("users", "ln 2", per="person")
    book.spend({"h": RR}, account="users", people=range(3000))
    assert book.spent("users", person="2999").eps == Level("ln 2")
    with pytest.raises(BudgetExceeded):
        book.spend({"h": RR}, account="users", people=[2999])
    book.spend({"h": RR}, account="users", people=[3000])
    assert bool(book.verify())


def test_a_table_of_people_is_charged_to_them(tmp_path):
    plan = {"unit": "who", "columns": {"h": LETTERS}}
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.budget("users", "ln 2", per="person")
        account = ledger.account("users")
        first = pa.table({"who": ["ann", "bob"], "h": ["a", "b"]})
        sanitise(first, plan, ledger=account)
        sanitise(pa.table({"who": ["cid", "dan"], "h": ["a", "c"]}), plan, ledger=account)
        with pytest.raises(BudgetExceeded):
            sanitise(pa.table({"who": ["eve", "bob"], "h": ["c", "c"]}), plan, ledger=account)
        assert ledger.spent("users", person="eve").eps == 0
        with pytest.raises(Malformed, match="whose a row is"):
            sanitise(first.drop(["who"]), PLAN, ledger=account)


# -- sources, permanent answers, failures ----------------------------------------------------


def test_the_same_table_again_must_be_meant(book):
    account = book.account("survey")
    sanitise(table(), PLAN, ledger=account)
    frame = table().to_pandas()
    same_values = [
        table(),
        frame,
        frame.astype({"h": "category"}),
        polars.from_arrow(table()),
        duckdb.from_arrow(table()),
        pa.concat_tables([table("x", "a", "b", "c").slice(1), table(*["a", "b", "c"] * 3)]),
    ]
    for same in same_values:
        with pytest.raises(AlreadyReleased, match=r"column 'h' \(entry 2\).*again="):
            sanitise(same, PLAN, ledger=account)
    other = {"columns": {"h": {**LETTERS, "epsilon": "1"}}}
    with pytest.raises(AlreadyReleased):
        sanitise(table(), other, ledger=book.account("another account"))
    sanitise(table("a", "b"), PLAN, ledger=account)
    assert book.spent("survey").eps == Level("ln 4")
    sanitise(table(), PLAN, ledger=account, again="the first copy was lost")
    assert book.spent("survey").eps == Level("ln 8")
    assert bool(book.verify())


@pytest.mark.parametrize("again", ["", "  ", 3])
def test_a_reason_is_a_text(tmp_path, again):
    with Ledger(tmp_path / "l.db") as ledger, pytest.raises(Malformed, match="says why"):
        sanitise(table(), PLAN, ledger=ledger, again=again)
    with pytest.raises(Malformed, match="ledger"):
        sanitise(table(), PLAN, again=again)


PEOPLE = {"unit": "who", "columns": {"h": LETTERS}}


def people(*values):
    return pa.table({"who": [f"p{k}" for k in range(len(values))], "h": list(values)})


def test_permanent_answers_are_paid_for_once(book):
    account, options = book.account("panel"), {"permanent_key": KEY}
    first = sanitise(people("a", "b"), PEOPLE, ledger=account, **options).data
    same = sanitise(people("a", "b"), PEOPLE, ledger=account, **options).data
    assert first.equals(same)
    assert book.spent("panel").eps == Level("ln 2")
    # Another table in which nobody has another value has the same answers, until others join.
    turned = people("a", "b").take([1, 0])
    assert sanitise(turned, PEOPLE, ledger=account, **options).data.equals(first.take([1, 0]))
    assert book.spent("panel").eps == Level("ln 2")
    sanitise(people("a", "b", "c"), PEOPLE, ledger=account, **options)
    assert book.spent("panel").eps == Level("ln 4")
    for reason in ({}, {"again": "three months later"}):
        with pytest.raises(Malformed, match=r"column 'h', row 1: .* values_per_person = 1") as told:
            sanitise(people("a", "c", "c"), PEOPLE, ledger=account, **options, **reason)
        assert "p1" not in str(told.value)
    assert book.spent("panel").eps == Level("ln 4")
    assert bool(book.verify())


def test_twelve_waves_of_changing_values_are_paid_for_once_and_for_all(book):
    """Two values each, in waves that all differ: 2·ln 2, as their exact joint law has it."""
    account, options = book.account("panel"), {"permanent_key": KEY}
    plan = {**PEOPLE, "values_per_person": 2}
    for wave in range(12):
        values = ("ab"[wave % 2], "bc"[wave // 6], "abc"[2 * (wave // 4 % 2)])
        sanitise(people(*values), plan, ledger=account, again=f"wave {wave}", **options)
        assert book.spent("panel").eps == Level("ln 4")
    with pytest.raises(Malformed, match=r"row 0: .* values_per_person = 2"):
        sanitise(people("c", "b"), plan, ledger=account, **options)
    assert bool(book.verify())
    # Another bound is another promise, and is paid for beside the first.
    sanitise(people("c", "b"), {**plan, "values_per_person": 3}, ledger=account, **options)
    assert book.spent("panel").eps == Level("ln 32")


def test_two_values_of_one_person_in_one_table_count_as_two(book):
    twice = pa.table({"who": ["ann", " ann"], "h": ["a", "b"]})
    with pytest.raises(Malformed, match="row 1"):
        sanitise(twice, PEOPLE, ledger=book.account("panel"), permanent_key=KEY)


def test_values_of_what_was_refused_do_not_count(book):
    account, options = book.account("panel"), {"permanent_key": KEY}
    receipt = book.spend(
        Plan.read(PEOPLE), account="panel", permanent={"h": b"m"}, answered={"h": [("p0", 0)]}
    )
    book.cancel(receipt, because="test")
    book.spend(
        Plan.read(PEOPLE), account="panel", permanent={"h": b"m"}, answered={"h": [("p0", 1)]}
    )
    twins = people("a", "b").set_column(0, "who", pa.array(["p0", "p0"]))
    with pytest.raises(Malformed):
        sanitise(twins, PEOPLE, ledger=account, **options)
    sanitise(people("b", "b"), PEOPLE, ledger=account, **options)
    assert bool(book.verify())


def test_uncounted_values_pay_for_no_counted_ones(book):
    """Whoever spends without saying whose values are which has paid for these answers alone."""
    first = {"account": "panel", "permanent": {"h": b"m"}}
    book.spend({"h": RR}, **first, sources={"t": b"1"})
    book.spend({"h": RR}, **first, sources={"t": b"2"}, answered={"h": [("ann", 0)]})
    assert book.spent("panel").eps == Level("ln 4")
    book.spend({"h": RR}, **first, sources={"t": b"3"}, answered={"h": [("ann", 0)]})
    assert book.spent("panel").eps == Level("ln 4")
    book.spend({"h": RR}, **first, sources={"t": b"4"})
    assert book.spent("panel").eps == Level("ln 8")


def test_counted_values_that_are_changed_are_found(book):
    receipt = book.spend(
        {"h": RR}, account="panel", permanent={"h": b"m"}, answered={"h": [("ann", 0), ("bob", 1)]}
    )
    pages = book._pages
    with pages.transaction(write=True):
        pages.store.drop_answers(receipt.sequence)
    (finding,) = book.verify().findings
    assert finding.sequence == receipt.sequence
    assert finding.what == "the values it counts are not those it was made for"
    with pages.transaction(write=True):
        pages.store.put_answers(99, [("m", "p", "v")])
    assert "the ledger does not have it" in book.verify().explain()


def test_other_permanent_answers_are_paid_for(book):
    account = book.account("panel")
    sanitise(people("a", "b"), PEOPLE, ledger=account, permanent_key=KEY)
    refused = [
        ({"permanent_key": secrets.token_bytes(32)}, PEOPLE),
        ({"permanent_key": KEY}, {**PEOPLE, "columns": {"h": {**LETTERS, "epsilon": "1"}}}),
        ({}, PEOPLE),
    ]
    for options, plan in refused:
        with pytest.raises(AlreadyReleased):
            sanitise(people("a", "b"), plan, ledger=account, **options)
    # The same column of the same values, belonging to others: their answers are new ones.
    others = people("a", "b").set_column(0, "who", pa.array(["x", "y"]))
    with pytest.raises(AlreadyReleased):
        sanitise(others, PEOPLE, ledger=account, permanent_key=KEY)
    sanitise(people("a", "b"), PEOPLE, ledger=book.account("b"), permanent_key=KEY, again="for b")
    assert book.spent("b").eps == Level("ln 2")


def test_another_question_under_the_same_name_and_key_is_paid_for(book):
    account = book.account("panel")
    sanitise(people("a", "b"), PEOPLE, ledger=account, permanent_key=KEY)
    other = {**PEOPLE, "columns": {"h": {**LETTERS, "values": ["x", "y", "z"]}}}
    sanitise(
        people("x", "y"), other, ledger=account, permanent_key=KEY, again="the second question"
    )
    assert book.spent("panel").eps == Level("ln 4")


def test_a_free_repeat_passes_a_full_budget_and_says_so(book):
    book.budget("panel", "ln 2")
    first = {"account": "panel", "permanent": {"h": b"m"}, "sources": {"t": b"1"}}
    book.spend({"h": RR}, **first, answered={"h": [("ann", 0)]})
    receipt = book.spend({"h": RR}, **first, answered={"h": [("ann", 0)]})
    assert "paid for before" in receipt.explain()
    for answered in (None, {"h": [("bob", 0)]}):
        with pytest.raises(BudgetExceeded):
            book.spend({"h": RR}, **first, answered=answered, again="same")


def test_the_same_source_alone_makes_nothing_free(book):
    """Nothing says that the answers are the same ones, and the receipt says why it costs again."""
    options = {"account": "panel", "permanent": {"h": b"m"}, "sources": {"t": b"1"}, "again": "2"}
    for _ in range(2):
        receipt = book.spend({"h": RR}, **options)
    assert "are not counted" in receipt.explain()
    assert book.spent("panel").eps == Level("ln 4")


def test_one_file_by_two_columns_of_people_is_paid_for_twice(book, tmp_path):
    """Under another identifier a person has another answer, so that there are two of them."""
    rows = "".join(f"a{k},b{k},{'abc'[k % 3]}\n" for k in range(200))
    (tmp_path / "in.csv").write_text(f"who,other,h\n{rows}")
    made = []
    for unit, rest in (("who", "other"), ("other", "who")):
        plan = {**PEOPLE, "unit": unit, "drop": [rest]}
        options = {"ledger": book.account("panel"), "permanent_key": KEY, "again": "by the other"}
        sanitise_file(tmp_path / "in.csv", plan, tmp_path / f"{unit}.csv", **options)
        made.append((tmp_path / f"{unit}.csv").read_text())
    assert made[0] != made[1]
    assert book.spent("panel").eps == Level("ln 4")


def test_what_one_part_paid_for_another_did_not(book):
    book.parts("panel", ["north", "south"])
    options = {"account": "panel", "permanent": {"h": b"m"}, "answered": {"h": [("ann", 0)]}}
    for part in ("north", "south", "south"):
        book.spend({"h": RR}, part=part, **options)
    assert [line.amount.eps for line in balance_of(book, "panel").lines.values()] == [
        Level("ln 2")
    ] * 2


def test_permanent_answers_per_person(book):
    book.budget("users", "ln 2", per="person")
    options = {"account": "users", "permanent": {"h": b"m"}}
    both = [("ann", 0), ("bob", 1)]
    book.spend({"h": RR}, people=["ann"], answered={"h": both[:1]}, **options)
    for _ in range(2):
        book.spend({"h": RR}, people=["ann", "bob"], answered={"h": both}, **options)
    assert book.spent("users", person="bob").eps == Level("ln 2")
    assert bool(book.verify())


def test_people_who_join_later_pay_for_themselves(book):
    book.budget("users", "ln 2", per="person")
    account, options = book.account("users"), {"permanent_key": KEY}
    for values in (["a"], ["a", "b"], ["a", "b", "c"]):
        sanitise(people(*values), PEOPLE, ledger=account, **options)
    spent = [book.spent("users", person=f"p{k}").eps for k in range(4)]
    assert spent == [Level("ln 2")] * 3 + [0]
    assert bool(book.verify())


def test_what_is_refused_before_anything_comes_out_is_taken_back(book):
    account = book.account("survey")
    with pytest.raises(UnknownCategory):
        sanitise(table("a", "canary"), PLAN, ledger=account)
    assert book.spent("survey").eps == 0
    sanitise(table("a", "b"), PLAN, ledger=account)
    with pytest.raises(AlreadyReleased):
        sanitise(table("a", "b"), PLAN, ledger=account)
    assert bool(book.verify())
    assert "canary" not in everything(book)


def everything(ledger):
    """Every text that lies in a ledger."""
    pages = ledger._pages
    with pages.transaction(write=False):
        texts = [entry.text for entry in pages.store.entries()]
        texts += [str(row) for row in pages.store.every_balance()]
        texts += [str(row) for row in pages.store.every_source()]
        texts += [str(row) for row in pages.store.every_answer()]
        return "\n".join(texts + [str(row) for row in pages.store.every_person()])


def test_nothing_of_the_people_lies_in_the_ledger(book):
    tokens = [f"canary-{secrets.token_hex(4)}" for _ in range(50)]
    values = [*tokens, "other"]
    spec = {"type": "categories", "values": values, "epsilon": "ln 2"}
    plan = {"unit": "who", "columns": {"h": spec}}
    book.budget("users", 5, per="person")
    shuffled = tokens[::2] + tokens[1::2][::-1]
    sanitise(pa.table({"who": tokens, "h": shuffled}), plan, ledger=book.account("users"))
    told = everything(book)
    assert not [token for token in tokens if token in told]


def test_a_run_finds_its_entry_again(book):
    assert book.receipt(b"run 1") is None
    given = book.spend(PLAN, sources={"t": b"1"}, run=b"run 1")
    assert book.receipt(b"run 1").to_dict() == given.to_dict()
    assert book.receipt(b"run 2") is None
    book.cancel(given, because="test")
    assert book.receipt(b"run 1") is None
    assert bool(book.verify())


def test_a_file_with_permanent_answers_is_paid_for_once(book, tmp_path):
    plan = Plan.read(PEOPLE)
    (tmp_path / "in.csv").write_text("who,h\nann,a\nbob,c\ncid,b\n")
    for name in ("a.csv", "b.csv"):
        sanitise_file(tmp_path / "in.csv", plan, tmp_path / name, ledger=book, permanent_key=KEY)
    assert book.spent().eps == Level("ln 2")
    with pytest.raises(AlreadyReleased, match="the file"):
        sanitise_file(tmp_path / "in.csv", plan, tmp_path / "c.csv", ledger=book)
    cards = [tmp_path / f"{name}.csv.card.json" for name in "ab"]
    assert bool(book.verify(cards))


def test_cancelling(book):
    receipt = book.spend(PLAN, account="survey", sources={"t": b"1"})
    book.cancel(receipt, because="test")
    assert book.spent("survey").eps == 0
    with pytest.raises(Malformed, match="cancelled already"):
        book.cancel(receipt, because="test")
    book.spend(PLAN, account="survey", sources={"t": b"1"})
    with pytest.raises(Malformed, match="not of an entry"):
        book.cancel(Receipt("0" * 32, 2, "0" * 64, "0" * 32), because="test")
    with pytest.raises(Malformed, match="spends nothing"):
        book.cancel(book.budget("survey", 5), because="test")
    options = {"account": "panel", "permanent": {"h": b"m"}, "answered": {"h": [("ann", 0)]}}
    first, _ = (book.spend(PLAN, **options) for _ in range(2))
    with pytest.raises(Malformed, match="relies on"):
        book.cancel(first, because="test")
    assert bool(book.verify())


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "north", "south"]),
            st.fractions(Fraction(1, 10), 3, max_denominator=10),
            st.booleans(),
        ),
        max_size=12,
    )
)
def test_any_course_of_things_stays_within_the_budget(tmp_path_factory, steps):
    """Against a plain recount: granted exactly when it fits, and the ledger stays whole."""
    limit = Fraction(4)
    with Ledger(tmp_path_factory.mktemp("l") / "ledger.db", open=True) as ledger:
        ledger.budget("s", limit)
        ledger.parts("s", ["north", "south"])
        spent = {"": Fraction(0), "north": Fraction(0), "south": Fraction(0)}
        for part, eps, fails in steps:
            would = {**spent, part: spent[part] + eps}
            fits = would[""] + max(would["north"], would["south"]) <= limit
            try:
                receipt = ledger.spend(
                    {"h": randomised_response(VALUES, eps=eps)}, account="s", part=part
                )
            except BudgetExceeded:
                assert not fits
                continue
            assert fits
            spent = would
            if fails:
                ledger.cancel(receipt, because="test")
                spent = {**spent, part: spent[part] - eps}
        assert ledger.spent("s").eps == spent[""] + max(spent["north"], spent["south"])
        assert bool(ledger.verify())


# -- the card, the report --------------------------------------------------------------------


def test_the_card_carries_the_receipt_and_nothing_else_of_the_ledger(book, tmp_path):
    _, card = with_card(table(), PLAN, ledger=book.account("secret name"))
    assert card.receipt.keys() == {"ledger", "sequence", "head", "nonce"}
    (tmp_path / "card.json").write_text(card_text(card))
    assert "secret name" not in (tmp_path / "card.json").read_text()
    assert read_card(tmp_path / "card.json") == card
    _, without = with_card(table(), PLAN)
    assert without.receipt == {}


def test_a_path_will_do_if_a_ledger_is_there(tmp_path):
    place = tmp_path / "ledger.db"
    with pytest.raises(Malformed, match="the ledger does not exist"):
        sanitise(table(), PLAN, ledger=place)
    assert not list(tmp_path.iterdir())
    Ledger(place, open=True).close()
    sanitise(table(), PLAN, ledger=str(place))
    with Ledger(place) as ledger:
        assert ledger.spent().eps == Level("ln 2")
    with pytest.raises(Malformed, match="not int"):
        sanitise(table(), PLAN, ledger=3)


def test_the_report(book):
    book.budget("survey", "ln 8")
    book.spend(Plan.read({"columns": {"h": LETTERS, "n": NUMBERS}}), account="open")
    book.spend(PLAN, account="survey")
    book.budget("users", 2, per="person", column="where")
    book.spend({"where": planar_laplace(eps=1)}, account="users", people=["ann", "bob"])
    book.spend({"where": planar_laplace(eps="1/2")}, account="users", people=["ann"])
    report = book.report()
    assert report.bars() == [
        ("open", pytest.approx(10.693147), None),
        ("open, h", pytest.approx(0.693147), None),
        ("open, n", 1.0, None),
        ("survey", pytest.approx(0.693147), pytest.approx(2.079441)),
        ("survey, h", pytest.approx(0.693147), None),
        ("users, where", 1.5, 2.0),
    ]
    text = report.explain()
    assert "any two records  ████████░░░░░░░░░░░░░░░░  33%  ln(2) ≈ 0.6931 of ln(8) ≈ 2.079" in text
    assert "users, for each person (2 people; the one charged most)" in text
    assert "where            ██████████████████░░░░░░  75%  3/2 per unit of distance of 2" in text
    assert report.to_dict()["lines"][3]["budget"]["level"] == "ln(8)"


def test_a_space_of_its_own_kind(book):
    """A metric that is no multiple of another is kept beside it."""
    uneven = FiniteSpace(VALUES, discrete(VALUES).distances)
    book.spend({"h": randomised_response(uneven, eps="ln 2")})
    book.spend({"h": exponential(graph([("a", "b"), ("b", "c", "2")]), eps="ln 2")})
    assert len(balance_of(book).lines) == 2
