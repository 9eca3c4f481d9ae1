"""The schema of plans: no key without words, and it says what the reader says."""

import json
from dataclasses import fields
from importlib.resources import files

import jsonschema
import pytest

from dprivacy.errors import DPrivacyError
from dprivacy.release import Plan, plan_schema
from dprivacy.release.intake.table_settings import TableSettings
from dprivacy.release.plan_keys.editor_schema import required_keys, stored_plan_schema
from dprivacy.release.plan_keys.key_table import COLUMN_KEYS, TABLE_KEYS, TOP_KEYS, TYPE_WORDS
from dprivacy.release.plans.column_domains import SETTINGS
from support import release_tables as specs

LETTERS = {"type": "categories", "values": ["a", "b"], "epsilon": "ln 2"}


def faults(data):
    return [fault.message for fault in jsonschema.Draft7Validator(plan_schema()).iter_errors(data)]


def test_every_key_of_the_reader_has_words_and_no_other():
    assert set(COLUMN_KEYS) == set().union(*SETTINGS.values())
    assert set(TYPE_WORDS) == set(SETTINGS)
    assert set(TABLE_KEYS) == {field.name for field in fields(TableSettings)}
    for key in (*COLUMN_KEYS.values(), *TABLE_KEYS.values(), *TOP_KEYS.values()):
        assert key.words.endswith((".", ")", "…"))


def test_it_is_a_schema():
    jsonschema.Draft7Validator.check_schema(plan_schema())
    json.dumps(plan_schema(), allow_nan=False)


@pytest.mark.parametrize(
    "spec",
    [
        specs.LETTERS, specs.CODES, specs.TREE, specs.PLACE, specs.BITS, specs.NUMBERS, specs.BLOCKS,
        specs.TABLE,
        {"type": "dates", "low": "2020-01-01", "high": "2020-01-29", "grid": "7 days", "epsilon": 0.1},
        {"type": "numbers", "low": 0, "high": 9, "grid": 1, "codes": ["N"], "epsilon": "ln 2"},
        {**LETTERS, "mechanism": "unary_response", "kind": "symmetric"},
        {**LETTERS, "nulls": {"replace": "a"}, "source": "data, acknowledged", "note": "n"},
    ],
)  # fmt: skip
def test_what_the_reader_takes_is_in_order(spec):
    plan = {"title": "t", "drop": ["left out"], "columns": {"h": spec}}
    Plan.read(plan)
    assert faults(plan) == []


def test_a_budget_is_in_order():
    share = {"type": "categories", "values": ["a", "b"], "importance": 2}
    plan = {"row": "ln 9", "split": "evenest", "rows": 100, "columns": {"a": share}}
    assert faults(plan) == []
    assert faults(dict(Plan.read(plan).raw)) == []


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        ({"columns": {"h": {**LETTERS, "value": ["a"]}}}, "'value' was unexpected"),
        ({"columns": {"h": {"type": "numbers", "low": 0, "high": 1, "epsilon": 1}}}, "'grid' is a req"),
        ({"columns": {"h": {**LETTERS, "grid": 1}}}, "'grid' is not one of"),
        ({"columns": {"h": {**LETTERS, "mechanism": "laplace"}}}, "'laplace' is not one of"),
        ({"columns": {"h": {**LETTERS, "type": "letters"}}}, "'letters' is not one of"),
        ({"columns": {"h": LETTERS}, "titel": "x"}, "'titel' was unexpected"),
        ({"columns": {"h": LETTERS}, "rows_per_person": 0}, "less than the minimum"),
        ({"columns": {}}, "{}"),
        ({"title": "x"}, "'columns' is a required property"),
        ({"columns": {"h": LETTERS}, "table": {"delimeter": ";"}}, "'delimeter' was unexpected"),
    ],
)  # fmt: skip
def test_what_the_reader_refuses_is_named(plan, words):
    with pytest.raises(DPrivacyError):
        Plan.read(plan)
    assert any(words in fault for fault in faults(plan))


@pytest.mark.parametrize("kind", list(SETTINGS))
def test_what_is_required_is_needed_by_the_reader(kind):
    for key in required_keys(kind):
        assert key in SETTINGS[kind]


def test_the_schema_of_stored_plans_is_made_from_the_same_table():
    stored = files("dprivacy.store").joinpath("schemas", "plan.v1.json").read_text("utf-8")
    assert json.loads(stored) == stored_plan_schema()
