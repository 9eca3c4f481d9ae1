"""Columns of reports: what a plan may say of them, what stands on the card, and who can prove it."""

import copy
import json
from dataclasses import replace

import pandas as pd
import pytest

from dprivacy.errors import BadFile, BadNumber, BadPlan, NotApplicable, TooLarge, UnknownName
from dprivacy.mechanisms import LocalMechanism, local_in
from dprivacy.release import Ledger, Plan, prove_card, sanitise
from dprivacy.release.plans import report_columns
from dprivacy.release.plans.release_card import card_from, card_of_text, card_text
from dprivacy.store import load

VALUES = [f"town {k}" for k in range(40)]
FAMILIES = ["projective_response", "hashed_response", "subset_response", "unary_response"]
SPEC = {"type": "categories", "values": VALUES, "epsilon": "1"}


def plan_of(family="projective_response", **more):
    return {"columns": {"town": {**SPEC, "mechanism": family, **more}}}


def released(family):
    return sanitise(pd.DataFrame({"town": ["town 3"] * 30}), plan_of(family))


@pytest.mark.parametrize("family", FAMILIES)
def test_a_plan_names_a_local_mechanism_for_a_column(family):
    column = Plan.read(plan_of(family)).column("town")
    assert isinstance(column.mechanism, LocalMechanism)
    assert (column.local.family, column.local.labels) == (family, tuple(VALUES))
    assert (column.listed, column.channel, tuple(column.values)) == (False, None, tuple(VALUES))


def test_plans_in_toml_have_the_settings_of_the_family():
    text = """
[columns.town]
type = "categories"
values = ["a", "b", "c", "d"]
epsilon = "ln 3"
mechanism = "unary_response"
kind = "symmetric"
nulls = "category"
"""
    local = Plan.parse(text).column("town").local
    assert local.parameters["kind"] == "symmetric"
    assert local.labels == ("a", "b", "c", "d", None)
    assert Plan.read(plan_of(q=3, t=5)).column("town").local.parameters["t"] == 5
    assert Plan.read(plan_of("subset_response", size=4)).column("town").local.reports.size == 4


@pytest.mark.parametrize(
    ("spec", "kind", "words"),
    [
        (
            {"mechanism": "subset_response", "size": 40},
            BadNumber,
            "size should be between 1 and 39",
        ),
        ({"mechanism": "subset_response", "kind": "optimised"}, BadPlan, "is for unary_response"),
        (
            {"mechanism": "unary_response", "epsilon": "10000"},
            BadNumber,
            "more digits than are stored",
        ),
        ({"mechanism": "unary_response", "kind": "best"}, UnknownName, "kind"),
        ({"mechanism": "projective_response", "q": 6}, BadNumber, "prime"),
        ({"mechanism": "projective_response", "q": "4"}, BadNumber, "whole number"),
        ({"mechanism": "projective_response", "q": 2, "t": 40}, TooLarge, "decoding over"),
        ({"mechanism": "projective_response", "q": 2, "t": 10**18}, TooLarge, "supported"),
        ({"mechanism": "hashed_response", "epsilon": "1e6"}, BadNumber, "more digits"),
        ({"mechanism": "hashed_response", "values": [0, 2**53]}, BadPlan, "up to 2\\^53 − 1"),
        ({"mechanism": "hashed_response", "t": 3}, BadPlan, "t is for projective_response"),
        ({"mechanism": "hashed_response", "values": ["a"]}, BadPlan, "at least two values"),
        ({"mechanism": "hashed_response", "values": ["a", 1]}, BadPlan, "all texts or all whole"),
        ({"mechanism": "hashed_response", "blocks": [VALUES]}, BadPlan, "leave blocks out"),
        ({"mechanism": "hashed_response", "delta": "1/100"}, BadPlan, "delta is for"),
        ({"mechanism": "hashed_response", "nulls": {"replace": "Ulm"}}, BadPlan, "not a value"),
        ({"mechanism": "hashed_response", "type": "ordered"}, BadPlan, "does not fit"),
    ],
)
def test_what_does_not_fit_is_refused_with_the_column(spec, kind, words):
    with pytest.raises(kind, match=words) as found:
        Plan.read({"columns": {"town": {**SPEC, **spec}}})
    assert str(found.value).startswith("the plan, column 'town'")


def test_very_many_values_need_no_table_of_distances():
    values = [f"{k:05d}" for k in range(20_000)]
    plan = Plan.read({"columns": {"zip": {**SPEC, "values": values, "mechanism": FAMILIES[0]}}})
    assert len(plan.column("zip").values) == 20_000
    found = sanitise(pd.DataFrame({"zip": values[:50:7] * 5}), plan)
    assert prove_card(found.card)
    assert found.card.mechanisms["zip"]["most"] == "1"


def test_more_values_than_a_file_holds_are_refused(monkeypatch):
    monkeypatch.setattr(report_columns, "_MOST_VALUES", 39)
    with pytest.raises(TooLarge, match="40 values are more than the 39"):
        Plan.read(plan_of())


@pytest.mark.parametrize("family", FAMILIES)
def test_the_card_holds_the_mechanism_and_says_how_cells_are_written(family, tmp_path):
    card = released(family).card
    entry = card.mechanisms["town"]
    mechanism = Plan.read(plan_of(family)).column("town").local
    assert entry["channel"] is None
    assert entry["reports"]["p"] == str(mechanism.p)
    assert entry["reports"]["q"] == str(mechanism.q)
    forms = {"projective_response": "number", "hashed_response": "number"}
    forms |= {"subset_response": "positions", "unary_response": "hexadecimal"}
    assert forms[family] in entry["reports"]["cells"]
    again = card_of_text(card_text(card), name="the card")
    assert again == card
    assert again.local("town") == local_in(entry["reports"]["mechanism"]) == mechanism
    (tmp_path / "m.json").write_text(json.dumps(entry["reports"]["mechanism"]))
    assert load(tmp_path / "m.json") == mechanism  # a document of its own


def test_small_mechanisms_are_proved_ratio_by_ratio_and_large_ones_from_their_weights():
    few, many = (prove_card(released(family).card) for family in (FAMILIES[0], FAMILIES[3]))
    assert few.checked == ("1 channel, every ratio", "all fields against the plan")
    assert many.checked[:2] == (
        "0 channels, every ratio",
        "from the weights of their sets, which have too many reports to list: town",
    )


CHANGES = {
    "p": lambda entry: entry["reports"].update(p="1/2"),
    "cells": lambda entry: entry["reports"].update(cells="a name"),
    "labels": lambda entry: entry["reports"]["mechanism"]["body"]["labels"].reverse(),
    "factor": lambda entry: entry["reports"]["mechanism"]["body"].update(factor=["0x2", "0x1"]),
    "family": lambda entry: entry.update(family="hashed_response"),
    "eps": lambda entry: entry.update(eps="1/2"),
    "gone": lambda entry: entry.pop("reports"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_card_does_not_prove_itself(change):
    whole = released(FAMILIES[0]).card
    body = copy.deepcopy(dict(whole.mechanisms))
    CHANGES[change](body["town"])
    found = prove_card(replace(whole, mechanisms=body))
    assert not found
    assert "mechanisms.town" in found.findings[0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda e: e.update(reports=[]), "reports are an object"),
        (lambda e: e["reports"].pop("p"), "reports"),
        (lambda e: e["reports"].update(more=1), "reports"),
        (lambda e: e.update(channel={"points": 3}), "have no channel beside them"),
    ],
)
def test_a_damaged_entry_is_refused(change, words):
    body = json.loads(card_text(released(FAMILIES[0]).card))["body"]
    change(body["mechanisms"]["town"])
    with pytest.raises(BadFile, match=words):
        card_from(body)


def test_p_that_does_not_follow_is_refused_when_it_is_used():
    body = json.loads(card_text(released(FAMILIES[0]).card))["body"]
    body["mechanisms"]["town"]["reports"]["q"] = "1/7"
    with pytest.raises(BadFile, match="the card says q = 1/7, and"):
        card_from(body).local("town")


def test_the_channel_is_listed_where_there_are_few_reports_and_refused_in_words_elsewhere():
    card = released("projective_response").card
    channel = card.channel("town")
    assert (channel.rows, channel.columns[:3]) == (tuple(VALUES), (0, 1, 2))
    with pytest.raises(NotApplicable, match="subset_response about 40 values has too many reports"):
        released("subset_response").card.channel("town")


def test_a_ledger_is_charged_the_level(tmp_path):
    with Ledger(tmp_path / "l.db", open=True) as ledger:
        table = pd.DataFrame({"town": ["town 3"] * 30})
        sanitise(table, plan_of(), ledger=ledger.account("towns"))
        assert ledger.spent("towns").eps == ledger.spent("towns", column="town").eps == 1
