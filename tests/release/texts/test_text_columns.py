"""Columns of texts in a plan: what they say, what they promise, and what is refused."""

import json
import warnings
from fractions import Fraction as Q
from pathlib import Path

import pandas as pd
import pytest

from dprivacy import load, save
from dprivacy.errors import (
    BadFile,
    BadPlan,
    NotApplicable,
    PrivacyLeakWarning,
    UnknownName,
)
from dprivacy.numbers import as_level
from dprivacy.release import Ledger, Plan, joint_guarantee, prove_card, sanitise
from dprivacy.release.plans.release_card import card_of_text, card_text
from dprivacy.text import small_embedding

WORDS = {"type": "text", "epsilon": "1/100", "length": 3}
TOPICS = {
    "type": "text",
    "epsilon": "ln 20",
    "topics": {"money": ["money", "bank"], "garden": ["flower", "grass"], "law": ["judge"]},
}
TEA = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
TABLE = pd.DataFrame({"note": ["the judge", "money in the bank", ""], "tea": ["yes", "no", "no"]})


def plan(spec, **more):
    return Plan.read({"columns": {"note": spec, "tea": TEA}, **more})


@pytest.fixture
def vocabulary(tmp_path):
    lines = ["tea 0 0", "coffee 3 4", "moon 0 12", "maria 5 5", "refund 1 7"]
    (tmp_path / "words.txt").write_text("\n".join(lines) + "\n")
    return str(tmp_path / "words.txt")


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyLeakWarning)
        yield


@pytest.mark.parametrize("keep", ["bag", "text"])
def test_a_text_has_as_many_words_as_declared_and_the_rest_is_as_planned(keep):
    released = sanitise(TABLE, plan({**WORDS, "keep": keep}))
    assert [len(text.split()) for text in released.data["note"]] == [3, 3, 3]
    assert set(released.data["tea"]) <= {"yes", "no"}
    known = {*small_embedding().words, *(f"[{k}]" for k in ("name", "email", "phone", "card"))}
    assert {w for text in released.data["note"] for w in text.split()} - known <= {
        "[iban]", "[date]", "[link]", "[handle]", "[address]", "[id]", "[ip]",
    }  # fmt: skip
    if keep == "bag":
        assert all(text.split() == sorted(text.split()) for text in released.data["note"])


def test_levels_add_up_over_columns_and_rows():
    alone = joint_guarantee(Plan.read({"columns": {"note": WORDS}})).total
    both = joint_guarantee(plan(WORDS)).total
    assert float(both) == pytest.approx(float(alone) + float(as_level("ln 3")))
    thrice = joint_guarantee(plan(WORDS, rows_per_person=3)).total
    assert float(thrice) == pytest.approx(3 * float(both))


def test_the_level_of_a_whole_text_is_what_was_asked_for():
    asked = {"type": "text", "level": "ln 1000", "length": 40}
    (column,) = Plan.read({"columns": {"note": asked}}).columns
    guarantee = column.mechanism.guarantee
    assert guarantee.space.level(guarantee.eps) == as_level("ln 1000")
    assert "Any two texts of up to 40 words: × 1,000." in guarantee.space.sentence(guarantee.eps)


def test_no_word_counts_for_more_than_forty_bits():
    (column,) = Plan.read({"columns": {"note": {**WORDS, "epsilon": 500}}}).columns
    guarantee = column.mechanism.guarantee
    assert guarantee.space.level(guarantee.eps) == as_level("ln 2") * 120


def test_topics_are_answered_by_exact_randomised_response():
    column = plan(TOPICS).columns[0]
    assert column.channel["money", "money"] == Q(20, 22)
    assert column.reader.read(list(TABLE["note"])) == ["law", "money", "money"]
    released = sanitise(TABLE, plan({**TOPICS, "epsilon": 60}))
    assert list(released.data["note"]) == ["law", "money", "money"]
    assert released.card.channel("note").rows == ("money", "garden", "law")


def test_a_classifier_from_a_file_gives_the_labels(tmp_path):
    (tmp_path / "weights.csv").write_text("word,pay,rest\nmoney,2,0\n,0,1\n")
    spec = {"type": "text", "epsilon": 60, "classifier": str(tmp_path / "weights.csv")}
    released = sanitise(TABLE, plan(spec))
    assert list(released.data["note"]) == ["rest", "pay", "rest"]
    assert prove_card(released.card)


@pytest.mark.parametrize("spec", [WORDS, {**WORDS, "keep": "text"}, TOPICS])
def test_the_card_proves_itself_after_it_was_written(spec):
    card = card_of_text(card_text(sanitise(TABLE, plan(spec)).card), name="the card")
    assert prove_card(card)


def test_a_card_needs_no_vocabulary_to_be_proved(vocabulary, tmp_path):
    from dprivacy.release.texts.text_columns import _VOCABULARIES

    spec = {**WORDS, "vocabulary": vocabulary, "find": ["name"]}
    released = sanitise(TABLE, plan(spec))
    _VOCABULARIES.clear()
    text = card_text(released.card)
    Path(vocabulary).unlink()
    card = card_of_text(text, name="the card")
    assert prove_card(card)
    assert str(tmp_path) not in text
    stated = json.loads(text)["body"]["plan"]["columns"]["note"]
    assert stated["vocabulary"] == "words.txt"
    with pytest.raises(NotApplicable, match="not at hand"):
        sanitise(TABLE, Plan.read({"columns": {"note": stated, "tea": TEA}}))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("diameter", v) for v in ("1e999999999", "1/0", "1/00", "0", "-5", "inf", "9" * 500)),
        *(("diameter", v) for v in ([], None, 1e40)),
        *(("near", v) for v in ("nan", "-1", "1e999", {}, "x")),
        *(("hash", v) for v in (5, "", "z" * 24)),
        ("words", -1),
    ],
)  # fmt: skip
def test_figures_of_a_vocabulary_that_cannot_be_are_refused(vocabulary, key, value):
    stored = dict(plan({**WORDS, "vocabulary": vocabulary}).columns[0].spec)
    stored["measured"] = {**stored["measured"], key: value}
    with pytest.raises(BadPlan, match="this is not its form"):
        plan(stored)


@pytest.mark.parametrize(
    "change",
    [
        {"sha256": ["x"], "vocabulary": "a", "measured": {}},
        {"names": "x", "names_sha256": {}, "measured": {}},
        {"names_sha256": "0" * 64},
        {"measured": 5},
        {"topics": None, "weights": {}, "length": None},
    ],
)
def test_stored_settings_of_another_form_are_refused(change):
    spec = {k: v for k, v in {**WORDS, **change}.items() if v is not None}
    with pytest.raises(BadPlan):
        plan(spec)


def test_a_proof_says_that_figures_are_only_stated(vocabulary):
    from dprivacy.release.texts.text_columns import _VOCABULARIES

    card = sanitise(TABLE, plan({**WORDS, "vocabulary": vocabulary})).card
    assert "figures" not in prove_card(card).explain()
    card = sanitise(TABLE, plan({**WORDS, "vocabulary": vocabulary, "epsilon": "1/99"})).card
    _VOCABULARIES.clear()
    assert (
        "figures as the card states them, its file not at hand: note" in prove_card(card).explain()
    )


def test_a_level_of_words_that_are_all_alike(tmp_path):
    (tmp_path / "words.txt").write_text("tea 1e-4 0\ncoffee 0 0\n")
    spec = {"type": "text", "level": 1, "length": 3, "vocabulary": str(tmp_path / "words.txt")}
    spec["accept_readable"] = True
    card = sanitise(TABLE, plan({**spec, "find": []})).card
    from dprivacy.release.texts.text_columns import _VOCABULARIES

    _VOCABULARIES.clear()
    assert prove_card(card)
    (tmp_path / "words.txt").write_text("tea 1 0\ncoffee 1 0\n")
    with pytest.raises(BadPlan, match="all have one vector"):
        plan({**spec, "find": []})


def test_names_leave_the_vocabulary_and_come_out_at_no_level(vocabulary):
    for epsilon in (1, 50):
        spec = {**WORDS, "vocabulary": vocabulary, "epsilon": epsilon, "accept_readable": True}
        table = pd.DataFrame({"note": ["maria drinks tea"] * 40, "tea": ["yes"] * 40})
        noisy = " ".join(sanitise(table, plan(spec)).data["note"])
        assert "maria" not in noisy
    assert "[name]" in noisy


def test_a_list_of_names_from_a_file(tmp_path):
    (tmp_path / "names.txt").write_text("Wanjiru\nKamau\n")
    spec = {**WORDS, "names": str(tmp_path / "names.txt"), "epsilon": 60, "accept_readable": True}
    table = pd.DataFrame({"note": ["please ask wanjiru for tea"], "tea": ["yes"]})
    released = sanitise(table, plan({**spec, "length": 5, "keep": "text"}))
    assert released.data["note"][0].split()[2] == "[name]"
    assert prove_card(released.card)


def test_missing_texts_are_refused_or_empty():
    table = pd.DataFrame({"note": ["tea", None], "tea": ["yes", "no"]})
    for spec in (WORDS, TOPICS):
        with pytest.raises(NotApplicable, match='row 1: is missing; set nulls = "empty"'):
            sanitise(table, plan(spec))
        sanitise(table, plan({**spec, "nulls": "empty"}))
    assert len(sanitise(table, plan({**WORDS, "nulls": "empty"})).data) == 2


def test_texts_of_which_most_words_stay_are_refused_unless_accepted():
    with pytest.raises(BadPlan, match=r"most words stay as they are.*accept_readable"):
        sanitise(TABLE, plan({**WORDS, "epsilon": 100}))
    sanitise(TABLE, plan({**WORDS, "epsilon": 100, "accept_readable": True}))


def test_a_ledger_is_charged_the_level_of_a_text(tmp_path):
    with Ledger(tmp_path / "book") as ledger:
        ledger.budget("everyone", 10)
        sanitise(TABLE, plan(WORDS), ledger=ledger)
        told = str(ledger.report())
    assert "per word and unit of distance" in told


def test_a_stored_plan_holds_what_its_files_said(vocabulary, tmp_path):
    read = plan({**WORDS, "vocabulary": vocabulary})
    save(read, tmp_path / "plan.json")
    again = load(tmp_path / "plan.json")
    assert again.columns[0].mechanism.guarantee.eps == read.columns[0].mechanism.guarantee.eps
    assert joint_guarantee(again).total == joint_guarantee(read).total


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"length": None}, BadPlan, "say length = 40"),
        ({"length": 0}, BadPlan, "say length = 40"),
        ({"length": 2001}, BadPlan, "say length = 40"),
        ({"level": 3}, BadPlan, "either epsilon"),
        ({"epsilon": None}, BadPlan, "either epsilon"),
        ({"keep": "all"}, UnknownName, "keep"),
        ({"long": "wrap"}, UnknownName, "long"),
        ({"find": ["colour"]}, UnknownName, "find"),
        ({"topics": {"a": ["tea"]}}, BadPlan, "does not apply"),
        ({"most_words": 10}, BadPlan, "of a vocabulary"),
        ({"nulls": "category"}, BadPlan, '"refuse" or "empty"'),
        ({"mechanism": "laplace"}, BadPlan, "does not apply"),
        ({"vocabulary": "nowhere.txt"}, BadFile, "nowhere.txt"),
    ],
)
def test_settings_that_are_refused(change, kind, words):
    spec = {key: value for key, value in {**WORDS, **change}.items() if value is not None}
    if "topics" in spec:
        spec["keep"] = "bag"
    with pytest.raises(kind, match=words):
        plan(spec)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"topics": {"a": ["tea"]}}, "from 2 to 64"),
        ({"topics": {"a": ["tea"], "b": ["xyzzy"]}}, "none of its words"),
        ({"topics": {"a": ["tea"], "b": []}}, "a list of words"),
        ({"length": 4}, "does not apply"),
        ({"topics": None}, "needs either topics"),
    ],
)
def test_topics_that_are_refused(change, words):
    spec = {k: v for k, v in {**TOPICS, "keep": "topic", **change}.items() if v is not None}
    with pytest.raises(BadPlan, match=words):
        plan(spec)


def test_a_stored_plan_opens_no_file(vocabulary):
    body = {"columns": {"note": {**WORDS, "vocabulary": vocabulary}}}
    from dprivacy.release import plan_from

    with pytest.raises(BadFile, match="names a file"):
        plan_from(body)


def test_shuffling_and_permanent_answers_are_for_topics():
    with pytest.raises(NotApplicable, match='use keep = "topic"'):
        sanitise(TABLE, plan(WORDS), shuffle=True, delta=1e-9)
    owned = TABLE.assign(who=["a", "b", "c"])
    with pytest.raises(BadPlan, match='use keep = "topic"'):
        sanitise(owned, plan(WORDS, unit="who"), permanent_key=b"k" * 32)
    kept = [
        list(sanitise(owned, plan(TOPICS, unit="who"), permanent_key=b"k" * 32).data["note"])
        for _ in range(2)
    ]
    assert kept[0] == kept[1]
