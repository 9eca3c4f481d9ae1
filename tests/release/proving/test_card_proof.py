"""A card is proved again from its plan, and an edited one is refused with the field."""

import importlib.util
import json
import random
import re
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

from dprivacy.errors import BadFile, DPrivacyError
from dprivacy.geo import protect_places
from dprivacy.mechanisms import (
    exponential,
    geometric,
    mechanism_text,
    randomised_response,
    read_mechanism,
)
from dprivacy.release import Ledger, Plan, Receipt, prove_card, received, sanitise
from dprivacy.release.plans.release_card import card_of_text, card_text
from dprivacy.release.plans.table_card import table_card
from dprivacy.store import load, save
from support.card_edits import COLUMNS, documents, edited, released, sealed

CHECKER = Path(__file__).parents[3] / "docs" / "checker" / "check_card.py"
# What no plan decides: version, number of rows, names, where a ledger has the entry, whether answers
# are permanent. And a plan may leave out what it has by default, say how a file is written, and write a
# number or an edge in another way.
FREE = ("library", "count", "output", "receipt", "permanent", "plan.table", "plan.unit")
SAME = ("note", "epsilon", "distances", "edges", "delta", "low", "high", "grid", "nulls", "source")
SAME += ("hierarchy", "format", "anchor", "code_distance")


@pytest.fixture(scope="module")
def checker():
    """The program of the documentation, which knows nothing of this package."""
    source = CHECKER.read_text(encoding="utf-8")
    assert "import dprivacy" not in source
    assert "from dprivacy" not in source
    spec = importlib.util.spec_from_file_location("check_card", CHECKER)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def release():
    top = {"pass_through": ["region"], "drop": ["name"], "unit": "row", "rows_per_person": 2}
    return released(list(COLUMNS), **top)


def ours(text):
    """Whether the package accepts the text of a card."""
    try:
        return bool(prove_card(card_of_text(text, name="the card")))
    except DPrivacyError:
        return False


def theirs(checker, text, folder):
    """Whether the independent program accepts it."""
    path = folder / "card.json"
    path.write_text(text, encoding="utf-8")
    return checker.main(path) == 0


def test_a_card_of_every_type_proves_itself(release, checker, tmp_path, capsys):
    found = prove_card(release.card)
    assert found
    assert found.findings == ()
    assert "every ratio" in found.explain()
    assert theirs(checker, card_text(release.card), tmp_path)
    assert "any set of released tables" in capsys.readouterr().out


def test_a_card_of_permanent_answers_counts_the_values_of_a_person(checker, tmp_path):
    tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    plan = {"columns": {"tea": tea}, "unit": "who", "values_per_person": 2}
    frame = pd.DataFrame({"who": ["ann", "bob"], "tea": ["yes", "no"]})
    text = card_text(sanitise(frame, plan, permanent_key=b"k" * 32).card)
    assert ours(text)
    assert theirs(checker, text, tmp_path)
    document = json.loads(text)
    document["body"]["plan"]["values_per_person"] = 1
    assert not ours(sealed(document))
    assert not theirs(checker, sealed(document), tmp_path)


@pytest.mark.parametrize(
    ("field", "to", "names"),
    [
        (("mechanisms", "plain", "eps"), "ln(2)", "mechanisms.plain.eps"),
        (("guarantee", "eps"), "1/10", "guarantee.eps"),
        (("guarantee", "sentence"), "Nothing can be learnt.", "guarantee.sentence"),
        (("plan", "columns", "plain", "epsilon"), "1/10 ln 3", "plain"),
        (("pass_through",), [], "pass_through"),
        (("mechanisms", "plain", "channel", "matrix", "weights", 0, 0), "0x2", "plain"),
    ],
)
def test_the_field_that_does_not_follow_is_named(
    release, checker, tmp_path, capsys, field, to, names
):
    document = json.loads(card_text(release.card))
    holder = document["body"]
    for key in field[:-1]:
        holder = holder[key]
    holder[field[-1]] = to
    text = sealed(document)
    assert not theirs(checker, text, tmp_path)
    assert names in capsys.readouterr().out
    try:
        found = prove_card(card_of_text(text, name="the card"))
    except BadFile as reason:
        assert names in str(reason)  # noqa: PT017
    else:
        assert not found
        assert any(names in finding for finding in found.findings)


def disagreements(checker, folder, seed, many):
    """Edits on which the two programs disagree, and those that both accept without reason."""
    chance, told, strange = random.Random(seed), [], []
    cards = list(documents())
    for _ in range(many):
        field, text = edited(chance.choice(cards), chance)
        one, other = ours(text), theirs(checker, text, folder)
        if one != other:
            told.append((field, one, other))
        # Where no factor bounds a record, rows of a person count for nothing.
        free = FREE + (("plan.rows_per_person",) if '"guarantee": {"eps": ""' in text else ())
        in_column = field.startswith("plan.columns") and any(name in field for name in SAME)
        if one and other and field != "plan" and not field.startswith(free) and not in_column:
            strange.append(field)
    return told, strange


def test_both_checkers_agree_on_edited_cards(checker, tmp_path):
    assert disagreements(checker, tmp_path, 1, 150) == ([], [])


@pytest.mark.slow
def test_both_checkers_agree_on_two_thousand(checker, tmp_path):
    assert disagreements(checker, tmp_path, 2, 2000) == ([], [])


MECHANISMS = [
    geometric("line:3", eps="ln 2"),
    geometric("line:4", eps="1/2"),
    randomised_response(["a", "b", "c"], eps="ln 3"),
    randomised_response(["a", "b"], eps="1/2", delta="1/9"),
    exponential("line:5", eps="1/3"),
]
# Names say nothing, a larger level is true, as are distances in proportion; and numbers may have a zero
# in front, or rows that are alike other places.
NAMES = (
    "family",
    "parameters",
    "guarantee",
    "channel.outputs",
    "space.distances",
    "channel.matrix",
)


def mechanisms_that_are_judged_differently(checker, folder, seed, many):
    """Edits of mechanism files on which the two disagree, and those that both accept without reason."""
    chance, told, strange = random.Random(seed), [], []
    for _ in range(many):
        document = json.loads(mechanism_text(chance.choice(MECHANISMS)))
        field, text = edited(document, chance)
        try:
            one = bool(read_mechanism(text))
        except DPrivacyError:
            one = False
        other = theirs(checker, text, folder)
        if one != other:
            told.append((field, one, other))
        if one and other and not field.startswith(NAMES):
            strange.append(field)
    return told, strange


def test_both_checkers_agree_on_edited_mechanisms(checker, tmp_path):
    assert mechanisms_that_are_judged_differently(checker, tmp_path, 1, 150) == ([], [])


@pytest.mark.slow
def test_both_checkers_agree_on_two_thousand_mechanisms(checker, tmp_path):
    assert mechanisms_that_are_judged_differently(checker, tmp_path, 2, 2000) == ([], [])


def test_an_edited_receipt_is_found_by_its_ledger(tmp_path):
    """Whatever says which entry it is; what else it repeats is for people."""
    chance = random.Random(3)
    with Ledger(tmp_path / "l.db") as ledger:
        ledger.budget("survey", "ln 9")
        plan = {"columns": {"plain": COLUMNS["plain"]}}
        table = pd.DataFrame({"plain": ["a", "b", "c"]})
        card = sanitise(table, plan, ledger=ledger.account("survey")).card
        receipt = Receipt.from_dict(card.receipt)
        save(receipt, tmp_path / "r.json")
        document = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
        assert bool(ledger.verify([receipt]))
        for _ in range(150):
            field, text = edited(document, chance)
            (tmp_path / "e.json").write_text(text, encoding="utf-8")
            with suppress(DPrivacyError):
                assert not ledger.verify([load(tmp_path / "e.json")]), field


def test_both_checkers_know_budgets_and_columns_that_are_drawn_together(checker, tmp_path):
    letters = {"type": "categories", "values": ["a", "b"], "nulls": "category"}
    order = {"type": "ordered", "values": [1, 2, 3]}
    response = {**order, "mechanism": "randomised_response"}
    plan = Plan.read({
        "row": "ln 9",
        "columns": {"h": letters, "n": order, "r": response},
        "joint": {"both": {"columns": ["h", "n"]}},
    })  # fmt: skip
    document = json.loads(card_text(table_card(plan, rows=3, secure=True)))
    assert ours(json.dumps(document))
    assert theirs(checker, json.dumps(document), tmp_path)

    def forged(*path):
        edited = json.loads(json.dumps(document))
        *where, last, value = path
        at = edited["body"]
        for key in where:
            at = at[key]
        at[last] = value
        text = sealed(edited)
        return ours(text) or theirs(checker, text, tmp_path)

    columns = ("plan", "columns")
    assert not forged("plan", "budget", "row", "ln 8")
    assert not forged("plan", "budget", {})
    assert not forged(*columns, "both", "epsilon", "ln 2")
    assert not forged(*columns, "both", "members", "n", "values", [1, 2])
    assert not forged(*columns, "both", "members", "n", "source", "data")
    assert not forged(*columns, "both", "members", "n", "type", "tree")
    assert not forged("mechanisms", "both", "columns", ["h", "r"])
    assert not forged("mechanisms", "r", "most", "ln(81)")


def test_both_prove_a_card_of_every_type(checker, tmp_path):
    for document in documents():
        text = json.dumps(document)
        assert ours(text)
        assert theirs(checker, text, tmp_path)


def test_the_file_must_be_the_cards_own(tmp_path, checker):
    file = tmp_path / "out.csv"
    released(["plain", "age"]).save(file)
    card = tmp_path / "out.csv.card.json"
    assert prove_card(card, file=file)
    assert checker.main(card, file) == 0
    file.write_bytes(file.read_bytes() + b"a,5\n")
    assert "output.sha256" in prove_card(card, file=file).findings[0]
    assert checker.main(card, file) == 3


def test_a_receipt_is_held_against_its_ledger(tmp_path):
    with Ledger(tmp_path / "one.db") as one, Ledger(tmp_path / "two.db") as two:
        one.budget("survey", "ln 9")
        two.budget("survey", "ln 9")
        plan = {"columns": {"plain": COLUMNS["plain"]}}
        table = pd.DataFrame({"plain": ["a", "b", "c"]})
        card = sanitise(table, plan, ledger=one.account("survey")).card
        assert prove_card(card, ledger=one)
        assert not prove_card(card, ledger=two)


def test_estimates_refuse_a_card_that_was_edited(tmp_path):
    file = tmp_path / "out.csv"
    released(["plain"]).save(file)
    card = tmp_path / "out.csv.card.json"
    document = json.loads(card.read_text(encoding="utf-8"))
    document["body"]["mechanisms"]["plain"]["eps"] = "1/10"
    card.write_text(sealed(document), encoding="utf-8")
    with pytest.raises(BadFile, match=r"changed after it was written: mechanisms\.plain\.eps"):
        received(file)


def test_files_that_are_not_there_are_said_to_be_missing(tmp_path, checker, capsys):
    assert checker.main(tmp_path / "none.json") == 1
    assert "cannot be read" in capsys.readouterr().out


FORGERIES = {
    "nobody has a row": {
        ("plan", "rows_per_person"): 0, ("guarantee", "eps"): "0",
        ("factor",): " by a factor of at most 1",
    },
    "two columns for one": {
        ("plan", "columns", "plain", "columns"): ["plain", "name"],
        ("mechanisms", "plain", "columns"): ["plain", "name"],
    },
    "a column twice": {
        ("plan", "pass_through"): ["plain"], ("pass_through",): ["plain"],
        ("factor",): ", alike in the published columns, by a factor of at most 3",
    },
    "fewer than no bits": {
        ("plan", "columns", "bits", "bits"): -8, ("mechanisms", "bits", "bits"): "-8",
        ("mechanisms", "bits", "most"): "-8*ln(2)", ("guarantee", "eps"): "-8*ln(2)",
        ("factor",): " by a factor of at most 0.01",
    },
    "from high to low": {
        ("plan", "columns", "income", "low"): 20000, ("plan", "columns", "income", "high"): 0,
        ("plan", "columns", "income", "grid"): -5, ("mechanisms", "income", "low"): "20000",
        ("mechanisms", "income", "high"): "0", ("mechanisms", "income", "grid"): "-5",
        ("mechanisms", "income", "most"): "-8", ("guarantee", "eps"): "-8",
        ("factor",): " by a factor of at most 0.01",
    },
    "columns that are none": {("plan", "columns"): 1},
    "values without permanent answers": {
        ("plan", "values_per_person"): 2, ("guarantee", "eps"): "ln(9)",
        ("factor",): " by a factor of at most 9",
    },
}  # fmt: skip


@pytest.mark.parametrize("what", FORGERIES)
def test_cards_whose_fields_were_changed_together(what, checker, tmp_path):
    """Each is a whole lie: what follows from the first field was changed with it."""
    column = next(
        (key[2] for key in FORGERIES[what] if key[:2] == ("plan", "columns") and key[2:]), "plain"
    )
    document = json.loads(card_text(released([column]).card))
    for path, value in FORGERIES[what].items():
        holder = document["body"]
        for key in path[:-1]:
            holder = holder[key]
        if path == ("factor",):
            told = holder["guarantee"]
            told["sentence"] = re.sub("person.*(?=, whatever)", f"person{value}", told["sentence"])
        else:
            holder[path[-1]] = value
    assert not ours(sealed(document))
    assert not theirs(checker, sealed(document), tmp_path)


def test_a_card_without_a_plan_is_not_said_to_be_proved(tmp_path):
    """Anybody can write another level on a card of places: nothing on it says that it is wrong."""
    released = protect_places([40.7], [-74.0], region="40.7,-74,50 km")
    released.save(tmp_path / "out.csv")
    card = tmp_path / "out.csv.card.json"
    alone, together = prove_card(card), prove_card(card, file=tmp_path / "out.csv")
    assert not alone
    assert "it holds no plan" in alone.explain()
    assert together
    assert "as stated" in together.explain()


def test_both_know_which_geometry_is_meant_where_the_best_one_cannot_be_decoded(checker, tmp_path):
    spec = {"type": "categories", "values": list(range(30_000)), "epsilon": "5"}
    plan = {"columns": {"page": {**spec, "mechanism": "projective_response"}}}
    text = card_text(sanitise(pd.DataFrame({"page": [7, 8]}), plan).card)
    assert ours(text)
    assert theirs(checker, text, tmp_path)


@pytest.mark.parametrize("eps", ["6000", "1e9", "1e300"])
def test_a_card_of_reports_with_an_endless_level_is_refused_at_once(eps, checker, tmp_path):
    spec = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "1"}
    plan = {"columns": {"tea": {**spec, "mechanism": "subset_response"}}}
    card = json.loads(card_text(sanitise(pd.DataFrame({"tea": ["a", "b"]}), plan).card))
    entry = card["body"]["mechanisms"]["tea"]
    card["body"]["plan"]["columns"]["tea"]["epsilon"] = entry["eps"] = eps
    inner = entry["reports"]["mechanism"]
    inner["body"]["eps"] = eps
    entry["reports"]["mechanism"] = json.loads(sealed(inner))
    text = sealed(card)
    assert not ours(text)
    assert not theirs(checker, text, tmp_path)


@pytest.mark.parametrize("said", [{"t": 3}, {"q": 2, "t": 40}, {"q": 3, "t": True}, {"q": True}])
def test_neither_believes_a_plan_with_a_geometry_that_no_plan_may_name(said, checker, tmp_path):
    spec = {"type": "categories", "values": list(range(9)), "epsilon": "1"}
    plan = {"columns": {"tea": {**spec, "mechanism": "projective_response"}}}
    card = json.loads(card_text(sanitise(pd.DataFrame({"tea": [3, 4]}), plan).card))
    card["body"]["plan"]["columns"]["tea"] |= said
    inner = card["body"]["mechanisms"]["tea"]["reports"]["mechanism"]
    inner["body"]["parameters"] |= said
    card["body"]["mechanisms"]["tea"]["reports"]["mechanism"] = json.loads(sealed(inner))
    text = sealed(card)
    assert not ours(text)
    assert not theirs(checker, text, tmp_path)


def test_sizes_are_numbers_for_both(checker, tmp_path):
    spec = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "1", "size": 1}
    plan = {"columns": {"tea": {**spec, "mechanism": "subset_response"}}}
    card = json.loads(card_text(sanitise(pd.DataFrame({"tea": ["a", "b"]}), plan).card))
    assert theirs(checker, sealed(card), tmp_path)
    card["body"]["plan"]["columns"]["tea"]["size"] = True
    assert not ours(sealed(card))
    assert not theirs(checker, sealed(card), tmp_path)
