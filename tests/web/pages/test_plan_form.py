"""A plan as a form: read, changed, written, and what it promises."""

import json
import tomllib
from dataclasses import replace

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.errors import Malformed
from dprivacy.release import Plan
from dprivacy.web.board.plan_outlook import outlook
from dprivacy.web.pages import plan_form, protect_page as protect
from dprivacy.web.pages.column_cards import summary
from dprivacy.web.pages.plan_form import FIRST, ColumnForm, Whole, forms_of, plan_mapping
from support.real_data import real


def test_the_example_is_a_plan_and_is_read_back_from_its_text():
    raw = plan_mapping(FIRST, "ln 3")
    again = tomllib.loads(plan_form.plan_text(raw))
    assert again == raw
    assert plan_form.under_slider(forms_of(again), "ln 3") == list(FIRST)
    assert plan_form.common_level(forms_of(again)) == "ln 3"


def test_whose_the_rows_are_survives_the_form():
    text = """
title = "Panel"
unit = "household"
rows_per_person = 3
[columns.sex]
type = "categories"
values = ["f", "m"]
epsilon = "ln 2"
"""
    forms, rows_of = protect.described_in({"plan": text, "eps": "ln 2"})
    again = Plan.read(plan_mapping(forms, "ln 2", rows_of))
    assert (again.title, again.unit, again.rows_per_person) == ("Panel", "household", 3)
    assert forms[0].level == ""
    found = outlook(plan_mapping(forms, "ln 2", rows_of), 100)
    assert found.ahead.guarantee.total == level("3 ln 2")


def test_labels_survive_the_text_of_a_plan():
    strange = ['quo"te', "back\\slash", "new é ☃", "\x7f", "a = [b]"]
    raw = plan_mapping([ColumnForm("odd name.x", values="\n".join(strange))], "ln 2")
    plan = Plan.parse(plan_form.plan_text(raw))
    assert list(plan.columns[0].space.labels) == strange
    assert plan.columns[0].name == "odd name.x"


def test_numbers_have_the_level_of_the_slider_a_tenth_of_the_range():
    form = ColumnForm("age", "numbers", low="0", high="100", grid="10")
    plan = Plan.read(plan_mapping([form], "ln 3"))
    guarantee = plan.columns[0].mechanism.guarantee
    assert guarantee.eps * 10 == level("ln 3")
    with pytest.raises(Malformed, match="should end above it, not at 1"):
        plan_mapping([ColumnForm("age", "numbers", low="5", high="1")], "ln 3")


def level(text):
    from dprivacy.numbers import Level

    return Level(text)


def test_codes_are_whole_numbers_only_where_they_look_like_it():
    assert ColumnForm("a", values="1, 2, 3").listed == [1, 2, 3]
    assert ColumnForm("a", values="01\n02").listed == ["01", "02"]
    assert ColumnForm("a", values="1,5\n2,5").listed == ["1,5", "2,5"]


@pytest.mark.parametrize(
    ("forms", "words"),
    [
        (
            [ColumnForm("a", values="x,y"), ColumnForm("a", values="x,y")],
            "two columns are called 'a'",
        ),
        ([ColumnForm(" ", values="x,y")], "column 1 has no name"),
    ],
)
def test_columns_need_names_of_their_own(forms, words):
    with pytest.raises(Malformed, match=words):
        plan_mapping(forms, "ln 2")


def test_a_plan_from_a_link_opens_no_file(tmp_path):
    text = '[columns.a]\ntype = "stored"\nfile = "/etc/passwd"\n'
    with pytest.raises(Malformed, match="names a file, which the page does not open"):
        plan_form.read_plan(text)
    assert protect.described_in({"plan": text, "eps": "ln 2"}) == (list(FIRST), Whole())
    with pytest.raises(Malformed, match="not TOML"):
        plan_form.read_plan("= [")
    with pytest.raises(Malformed, match="not TOML"):
        plan_form.read_plan(f"rows_per_person = {'9' * 5000}")


def test_a_described_table_waits_to_be_confirmed(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text(
        "name,sex,age,wave\n" + "".join(f"p{k},{'fm'[k % 2]},{k},7\n" for k in range(80))
    )
    found = plan_form.proposed(table)
    forms = found.forms
    assert found.rows == 80
    assert found.left_out == {
        "name": "its name says that it identifies people",
        "wave": "it is the same for everyone",
    }
    kinds = {form.name: form.kind for form in forms}
    assert kinds == {"sex": "categories", "age": "numbers", "wave": "drop", "name": "drop"}
    assert all(form.level == "" for form in forms)
    assert Plan.read(plan_mapping(forms, "ln 3")).unconfirmed() == ["sex", "age"]
    assert Plan.read(plan_mapping(plan_form.confirmed(forms), "ln 3")).unconfirmed() == []
    assert "to be confirmed" in summary(forms[0])
    assert summary(replace(forms[0], kind="drop")) == "sex: leave out"


def test_a_codebook_says_what_columns_and_codes_stand_for(tmp_path):
    book = tmp_path / "codes.json"
    book.write_text(
        json.dumps(
            {
                "edu": {
                    "description": "Education",
                    "values": {"min": 0, "max": 3, "N": "under 15", "1": "<b>school</b>"},
                },
                "mood": {"description": "Mood", "values": {"1": "bad", "2": "good"}},
            }
        )
    )
    found = plan_form.declared_by(book, None)
    edu, mood = found.forms
    assert (edu.kind, edu.about, edu.labels["N"]) == ("numbers", "Education", "under 15")
    assert edu.why.startswith("a range from 0 to 3")
    assert (mood.about, mood.labels) == ("Mood", {"1": "bad", "2": "good"})
    # somebody prefers classes in order: what was said of numbers alone no longer counts
    listed = replace(edu, kind="ordered", values="N\n1\n2")
    plan = Plan.read(plan_mapping([listed, mood], "ln 3"))
    assert list(plan.column("edu").values) == ["N", "1", "2"]
    assert plan.column("edu").spec["note"] == edu.rest["note"]


@pytest.mark.parametrize(("values", "codes"), [(["1", "2", "3"], ["N"]), ([1, 2, 3], [9])])
def test_classes_keep_the_codes_beside_them(values, codes):
    spec = {"type": "ordered", "values": values, "codes": codes, "epsilon": "ln 2"}
    raw = {"drop": [], "pass_through": [], "columns": {"edu": spec}}
    (form,) = forms_of(raw)
    assert summary(form) == f"edu: classes in order, 3 values and {codes[0]}, ε = ln 2"
    assert plan_mapping([form], "ln 3") == raw
    assert Plan.read(plan_mapping([form], "ln 3")).column("edu") is not None
    # a code that somebody writes into the list is one of the classes
    listed = replace(form, values="\n".join(map(str, [*values, *codes])))
    assert "codes" not in plan_mapping([listed], "ln 3")["columns"]["edu"]


def test_every_column_of_a_real_codebook_can_be_planned_on_the_page():
    found = plan_form.declared_by(real("nist_acs_excerpts", "data_dictionary.json"), None)
    plan = Plan.read(plan_mapping(found.forms, "ln 2"))
    assert len(plan.columns) == 21
    shared = Plan.read(plan_mapping(found.forms, "ln 99", Whole(shared=True)))
    assert shared.unconfirmed() == []
