"""Every stored noun: it comes back, its schema fits, and a file changed by hand is refused in words."""

import copy
import json
import os
from dataclasses import replace
from fractions import Fraction as Q
from pathlib import Path

import pytest

import dprivacy as dp
from dprivacy.errors import BadFile, DPrivacyError, OutputExists, WrongKind
from dprivacy.model import digest, file_text
from dprivacy.release import Receipt
from dprivacy.release.plans.table_card import table_card
from dprivacy.spaces import from_table
from dprivacy.store import load, save
from dprivacy.store.stored_nouns import NOUNS, from_text, stored_text

SCHEMAS = Path(dp.__file__).parent / "store" / "schemas"


def samples():
    """At least one of every noun, by its name."""
    yield "channel", dp.Channel(["a", ("b", 1)], [0, Q(1, 2)], [["2/3", "1/3"], ["1/3", "2/3"]])
    yield "channel", dp.Channel(["a", "b"], ["x", 1.5], [[0.7, 0.3], [0.0, 1.0]])
    yield "space", dp.grid(2, 3)
    yield "space", dp.grid(2, 3, metric="manhattan")
    yield "space", dp.points([[0.1, 0.2], [0.3, 0.7], [2.0, 1.0]])
    yield (
        "space",
        from_table(
            ["a", "b", "c"],
            [[0, 0, "inf"], [0, 0, "inf"], ["inf", "inf", 0]],
            pseudo=True,
            extended=True,
        ),
    )
    yield "space", dp.line(1)
    yield "space", dp.discrete([None, True, "b"])
    yield "mechanism", dp.randomised_response(dp.discrete(["ab", "c"]), eps="ln 2")
    yield "mechanism", dp.any_metric(dp.grid(1, 3), eps=1)
    for labels in (["a", "b", "c"], range(40)):
        yield "mechanism", dp.mechanisms.subset_response(labels, eps=1)
        yield "mechanism", dp.mechanisms.unary_response(labels, eps="ln 3")
        yield "mechanism", dp.mechanisms.unary_response(labels, eps=1, kind="symmetric")
        yield "mechanism", dp.mechanisms.hashed_response(labels, eps="ln 3")
        yield "mechanism", dp.mechanisms.projective_response(labels, eps=2)
    plan = dp.Plan.read({"columns": {"h": {"type": "ordered", "values": [1, 2], "epsilon": 0.5}}})
    asked = dp.mechanisms.prefix_rounds("ab", length=2, eps="ln 3", keep=2, most=9)
    yield "rounds", asked
    yield "rounds", asked.after([1, 1, 4, 0])
    yield "rounds", asked.after([1, 1, 4, 0]).after([2, 0])
    yield "plan", plan
    yield "card", table_card(plan, rows=3, secure=True)
    spec = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "1"}
    sends = dp.Plan.read({"columns": {"h": {**spec, "mechanism": "projective_response"}}})
    yield "card", table_card(sends, rows=3, secure=True)
    hung = {"type": "numbers", "low": 0, "high": 2, "grid": 1, "codes": ["N"], "epsilon": "1"}
    hung |= {"anchor": 0, "code_distance": "1/2", "nulls": "category"}
    parents = {"type": "tree", "hierarchy": {"FR": "Europe", "JP": ""}, "epsilon": "1"}
    days = {"type": "dates", "low": "2020-01-01", "high": "2020-01-03", "grid": 1, "epsilon": "1"}
    other = dp.Plan.read({"columns": {"h": hung, "land": parents, "day": days}})
    yield "plan", other
    yield "card", table_card(other, rows=3, secure=True)
    yield "mechanism", other.column("h").mechanism
    yield "receipt", Receipt("7f3a", 4, "00" * 32, "1b" * 16, "survey", "now", {"h": "ln(2)"})


CLAIMS = (
    dp.Plan,
    dp.Card,
    Receipt,
    dp.mechanisms.PrefixRounds,
)  # behind a repaired hash, nothing else can be proved of them
CASES = list(samples())
NAMED = pytest.mark.parametrize(("noun", "thing"), CASES)


def repaired(data):
    """The text of changed contents, with a hash that fits them."""
    kept = {key: data[key] for key in data if key != "sha256"}
    return json.dumps({**kept, "sha256": digest(kept)})


def outcome(text):
    """What a text is read as, or the words of its refusal; anything else is a fault of the reader."""
    try:
        return from_text(text), ""
    except DPrivacyError as reason:
        return None, str(reason)


def refused_or_the_same(text, thing):
    again, words = outcome(text)
    assert words if again is None else again == thing


def refused_or_another_claim(text, thing):
    again, words = outcome(text)
    assert words if again is None else again == thing or isinstance(thing, CLAIMS)


def test_every_noun_has_a_sample():
    assert {noun for noun, _ in CASES} == set(NOUNS)


@NAMED
def test_what_is_saved_comes_back(noun, thing, tmp_path):
    file = tmp_path / "noun.json"
    save(thing, file)
    assert json.loads(file.read_text(encoding="utf-8"))["format"] == f"dprivacy.{noun}"
    assert load(file) == thing
    assert stored_text(load(file)) == file.read_text(encoding="utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["noun.json"]


@NAMED
def test_the_schema_fits_what_is_written(noun, thing):
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    version = json.loads(stored_text(thing))["version"]
    path = SCHEMAS / f"{noun}.v{version}.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(json.loads(stored_text(thing)))


@NAMED
def test_an_existing_file_is_kept(noun, thing, tmp_path):
    file = tmp_path / "noun.json"
    file.write_text("mine", encoding="utf-8")
    with pytest.raises(OutputExists, match=r"already exists.*replace=True"):
        save(thing, file)
    assert file.read_text(encoding="utf-8") == "mine"
    save(thing, file, replace=True)
    assert load(file) == thing


@NAMED
def test_every_changed_character_is_refused(noun, thing):
    text = stored_text(thing).rstrip()
    step = max(1, len(text) // 400)
    for at in range(0, len(text), step):
        other = "0" if text[at] != "0" else "1"
        refused_or_the_same(text[:at] + other + text[at + 1 :], thing)
        refused_or_the_same(text[:at] + text[at + 1 :], thing)
        with pytest.raises(BadFile):
            from_text(text[:at])


def parts(data):
    """Every object and list inside plain data, outermost first."""
    if isinstance(data, dict | list):
        yield data
        for inner in data.values() if isinstance(data, dict) else data:
            yield from parts(inner)


@NAMED
def test_a_body_of_another_form_is_refused_behind_a_repaired_hash(noun, thing):
    data = json.loads(stored_text(thing))
    for key in data["body"]:
        for change in (None, 7, "text", [], {}, [[]], [[7]], True):
            changed = copy.deepcopy(data)
            if change != changed["body"][key] and (key, change) != ("family", "text"):
                changed["body"][key] = change
                refused_or_another_claim(repaired(changed), thing)
        missing = copy.deepcopy(data)
        del missing["body"][key]
        refused_or_another_claim(repaired(missing), thing)
    with pytest.raises(BadFile, match=r"(unexpected or missing:|unknown entries) more"):
        from_text(repaired({**data, "body": {**data["body"], "more": 1}}))


@NAMED
def test_any_part_emptied_or_replaced_is_refused_in_words(noun, thing):
    data = json.loads(stored_text(thing))
    for k in range(min(60, sum(1 for _ in parts(data["body"])))):
        for change in (None, -1, "0x", "0x0", {"tuple": []}, []):
            changed = copy.deepcopy(data)
            part = list(parts(changed["body"]))[k]
            if part:
                part[next(iter(part)) if isinstance(part, dict) else 0] = change
                again, words = outcome(repaired(changed))
                assert words if again is None else type(again) is type(thing)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 2}, "does not read dprivacy.space, version 2"),
        ({"format": "dprivacy.planet"}, "does not read dprivacy.planet"),
        ({"version": "1"}, "the version a whole number"),
        ({"body": []}, "the body an object"),
    ],
)
def test_another_envelope_is_refused(change, words):
    data = json.loads(stored_text(dp.line(3)))
    with pytest.raises(BadFile, match=words):
        from_text(repaired({**data, **change}))


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"format": 1e9}', "[" * 5000, '{"a": 1, "a": 2}', "NaN"]
)
def test_what_is_not_a_document_is_refused(text):
    with pytest.raises(BadFile):
        from_text(text)


def test_what_cannot_be_saved(tmp_path):
    with pytest.raises(WrongKind, match="can be saved, but not dict"):
        save({"a": 1}, tmp_path / "x.json")
    with pytest.raises(BadFile, match="a label of type bytes cannot be stored; use text"):
        save(dp.discrete([b"a", "b"]), tmp_path / "x.json")
    with pytest.raises(BadFile, match="cannot be written"):
        save(dp.line(2), tmp_path / "no" / "x.json")
    assert not list(tmp_path.iterdir())


CONTROL = "holds a control character; take it out"


def changed(noun, change):
    """The text of the first sample of a noun, with its body changed and its hash repaired."""
    data = json.loads(stored_text(dict(reversed(CASES))[noun]))
    change(data["body"])
    return repaired(data)


@pytest.mark.parametrize(
    ("noun", "change", "words"),
    [
        (
            "space",
            lambda b: b["codes"].__setitem__(0, None),
            "rows are stored as lists, not as null",
        ),
        ("channel", lambda b: b["matrix"]["weights"].append("x"), "stored as lists, not as .x"),
        ("plan", lambda b: b.update(title=None), "the title should be text .* not None"),
        (
            "mechanism",
            lambda b: b.update(family="a\x1b[2J"),
            CONTROL,
        ),
        ("mechanism", lambda b: b["guarantee"].update(unit="\b"), CONTROL),
        ("card", lambda b: b.update(title="\x9b31m"), CONTROL),
        ("plan", lambda b: b.update(title="\r"), CONTROL),
    ],
)
def test_parts_that_are_refused(noun, change, words):
    with pytest.raises(BadFile, match=words):
        from_text(changed(noun, change))


def test_texts_that_steer_a_terminal_are_not_written_either():
    mechanism = dp.randomised_response(["a\x07", "b\n"], eps="ln 2")
    assert from_text(stored_text(mechanism)) == mechanism  # labels are data
    with pytest.raises(BadFile, match="'family' " + CONTROL):
        stored_text(replace(mechanism, family="\x1b[2J"))


@pytest.mark.parametrize("noun", NOUNS)
@pytest.mark.parametrize("depth", [101, *range(980, 995), 100_000])
def test_deep_files_are_refused(noun, depth):
    nested = "[" * depth + "]" * depth
    with pytest.raises(BadFile, match=r"not JSON|nested more than 100 deep"):
        from_text(f'{{"format":"dprivacy.{noun}","version":1,"body":{{"x":{nested}}},"sha256":""}}')


class TestPaths:
    """What is not a file is refused, at once, and nothing is left behind."""

    @pytest.mark.parametrize(
        ("path", "kind", "words"),
        [
            (None, WrongKind, "named by its path, not by an object NoneType"),
            (3, WrongKind, "named by its path, not by an object int"),
            ("", BadFile, "'' cannot be the name of a file"),
            ("a\0b", BadFile, "cannot be the name of a file"),
        ],
    )
    def test_names(self, path, kind, words):
        with pytest.raises(kind, match=words):
            load(path)
        with pytest.raises(kind, match=words):
            save(dp.line(3), path)

    def test_pipes_and_devices_are_not_read(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        for path in ("/dev/zero", "/dev/null", tmp_path / "pipe"):
            with pytest.raises(BadFile, match="a pipe or a device"):
                load(path)
        with pytest.raises(BadFile, match="cannot be read"):
            load(tmp_path)

    def test_links_to_files_are_read(self, tmp_path):
        save(dp.line(3), tmp_path / "line.json")
        (tmp_path / "link").symlink_to(tmp_path / "line.json")
        assert load(tmp_path / "link") == dp.line(3)

    def test_a_link_to_nothing_is_kept(self, tmp_path):
        link = tmp_path / "link"
        link.symlink_to(tmp_path / "nothing")
        with pytest.raises(OutputExists):
            save(dp.line(3), link)
        assert link.is_symlink()

    def test_a_folder_is_kept_and_nothing_is_left_beside_it(self, tmp_path):
        folder = tmp_path / "folder"
        folder.mkdir()
        with pytest.raises(BadFile, match="cannot be written"):
            save(dp.line(3), folder, replace=True)
        assert list(tmp_path.iterdir()) == [folder]

    def test_a_file_is_read_to_the_limit(self, tmp_path):
        file = tmp_path / "large"
        file.write_bytes(b"x" * 65)
        assert len(file_text(file, largest=65)) == 65
        with pytest.raises(BadFile, match="larger than"):
            file_text(file, largest=64)
