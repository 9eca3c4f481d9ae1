"""The schemas fit every kind of file that is written; what they refuse, the readers refuse too."""

import copy
import json
from functools import cache

import jsonschema
import pytest

import dprivacy as dp
from dprivacy.errors import DPrivacyError, UnknownName
from dprivacy.model import digest
from dprivacy.release import Card, Plan, Receipt, prove_card
from dprivacy.release.plans.release_card import StatedGuarantee
from dprivacy.release.plans.table_card import table_card
from dprivacy.store import schema
from dprivacy.store.stored_nouns import FORMS, from_text, stored_text
from support.card_edits import COLUMNS, MORE

CHANGES = (None, -1, "", "text", "0xZ", 7, True, [], {}, [[]], [7], {"x": 1}, {"tuple": [7]})


def families():
    """A mechanism of every family that is stored, with a matrix or without."""
    points = dp.discrete(["a", "b", "c"])
    yield dp.randomised_response(points, eps="ln 2")
    yield dp.exponential(dp.grid(2, 2), eps=1)
    yield dp.any_metric(dp.grid(1, 3), eps=1)
    yield dp.geometric(dp.line(4), eps="ln 2")
    yield dp.mechanisms.over_truncated(3, [0, 1], eps="ln 2")
    yield dp.mechanisms.pixelated_laplace(1, 2, eps="ln 4")
    yield dp.mechanisms.coded_laplace(0, 3, codes=["N"], eps="ln 2", grid=1)
    for labels in ("abc", range(30)):
        for name in ("subset", "unary", "hashed", "projective"):
            yield getattr(dp.mechanisms, f"{name}_response")(list(labels), eps="ln 3")


def things():
    """Nouns of every kind, about as many as a project has files."""
    yield from families()
    matrices = (each for each in families() if isinstance(each, dp.mechanisms.ChannelMechanism))
    yield from (each.channel for each in matrices)
    yield from (dp.line(3), dp.grid(2, 3), dp.discrete([None, True, "b"]))
    yield dp.points([[0.1, 0.2], [0.3, 0.7]])
    asked = dp.mechanisms.prefix_rounds("ab", length=2, eps="ln 3", keep=2, most=9)
    yield from (asked, asked.after([1, 1, 4, 0]))
    for name, spec in {**COLUMNS, **MORE}.items():
        plan = Plan.read({"columns": {name: spec}, "title": "<b>", "pass_through": ["region"]})
        yield plan
        yield table_card(plan, rows=3, secure=True)
    promise = StatedGuarantee("ln(2)", unit="word", sentence="The odds change by at most 2.")
    for what in ("places", "curves", "text", "matches"):
        yield Card.of(what, promise, count=2, secure=False, mechanisms={"": {"scale": 0.5}})
    yield Receipt("7f3a", 4, "00" * 32, "1b" * 16, "survey", "now", {"h": "ln(2)"})


ANSWERS = {"type": "categories", "values": ["a", "b"]}
TOPICS = {"type": "text", "topics": {"money": ["bank"], "post": ["letter"]}}
LEVEL = {"epsilon": "ln 3"}
WHOLE_PLANS = {
    "a budget": {"row": "ln 9", "columns": {"h": ANSWERS, "note": TOPICS}},
    "one draw": {
        "columns": {"h": ANSWERS, "k": ANSWERS},
        "joint": {"both": {"columns": ["h", "k"], **LEVEL}},
    },
    "texts": {"columns": {"note": {"type": "text", "epsilon": 2, "length": 3}}},
    "another delimiter": {"columns": {"h": ANSWERS | LEVEL}, "table": {"delimiter": ";"}},
    "persons": {"columns": {"h": ANSWERS | LEVEL}, "unit": "id", "rows_per_person": 2},
}


@pytest.mark.parametrize("data", WHOLE_PLANS.values(), ids=WHOLE_PLANS)
@pytest.mark.filterwarnings("ignore::dprivacy.errors.PrivacyLeakWarning")
def test_plans_and_cards_of_all_that_a_plan_may_say_fit(data):
    plan = Plan.read(data)
    files = [{"name": "a b/one note.txt", "rows": 1, "bytes": 7, "sha256": "ab" * 32}]
    card = table_card(plan, rows=3, secure=True)
    for thing in (plan, card, card.saved_as("out", "ab" * 32, files=files)):
        written = json.loads(stored_text(thing))
        checker(written).validate(written)
        assert accepted(written)


@cache
def all_things():
    return tuple(things())


def checker(data):
    """The validator for what a document says it is."""
    found = schema(data["format"].removeprefix("dprivacy."), version=data["version"])
    return jsonschema.Draft202012Validator(found)


def sealed(data):
    kept = {key: data[key] for key in ("format", "version", "body")}
    return json.dumps({**kept, "sha256": digest(kept)})


def accepted(data):
    """Whether the package takes a document: a card is believed once it is proved again."""
    try:
        found = from_text(sealed(data))
        return bool(prove_card(found)) if isinstance(found, Card) else True
    except DPrivacyError:
        return False


def places(data, path=()):
    """The way to every part of plain data; of a list, to its first two items."""
    keys = data if isinstance(data, dict) else range(min(2, len(data))) if path else ()
    for key in keys:
        yield (*path, key)
        if isinstance(data[key], dict | list):
            yield from places(data[key], (*path, key))


def broken(data):
    """A document with one part changed, taken out, or given something more."""
    for path in places(data["body"]):
        for change in (*CHANGES, "out", "more"):
            other = copy.deepcopy(data)
            inside = other["body"]
            for key in path[:-1]:
                inside = inside[key]
            last = inside[path[-1]]
            if change == "out":
                del inside[path[-1]]
            elif change != "more":
                inside[path[-1]] = copy.deepcopy(change)
            elif isinstance(last, dict):
                last["more"] = 1
            elif isinstance(last, list):
                last.append({"more": 1})
            yield path, change, other


def test_every_form_has_its_schema_and_all_are_well_formed():
    for form in FORMS:
        found = schema(form.noun, version=form.version)
        jsonschema.Draft202012Validator.check_schema(found)
        assert found["title"] == f"dprivacy {form.noun}, version {form.version}"
    assert {(form.noun, form.version) for form in FORMS} == {
        (data["format"].removeprefix("dprivacy."), data["version"])
        for data in (json.loads(stored_text(thing)) for thing in all_things())
    }


def test_sixty_files_of_every_family_fit():
    assert len(all_things()) >= 60
    for thing in all_things():
        data = json.loads(stored_text(thing))
        checker(data).validate(data)


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"{form.noun}.v{form.version}")
def test_what_a_schema_refuses_is_refused_by_the_reader(form):
    texts = [stored_text(thing) for thing in all_things() if isinstance(thing, form.kind)]
    refused = 0
    shortest, *_, middle = sorted(texts, key=len)[: len(texts) // 2 + 1] * 2
    for text in {shortest, middle}:
        data = json.loads(text)
        valid = checker(data).is_valid
        for path, change, other in broken(data):
            if not valid(other):
                refused += 1
                assert not accepted(other), (form.noun, path, change)
    assert refused > 20


def test_another_noun_or_version():
    with pytest.raises(UnknownName, match="did you mean 'card'"):
        schema("crad")
    with pytest.raises(UnknownName, match="version of a card should be one of '3', not 2"):
        schema("card", version=2)
    with pytest.raises(UnknownName, match="written in versions 1 and 2; say which"):
        schema("mechanism")
