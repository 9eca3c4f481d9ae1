"""Spreadsheets: cells as a person would write them, one sheet, bounded before anything is unpacked."""

import datetime
import random
import sys
import tomllib

import pytest

from dprivacy.errors import BadFile, DPrivacyError, TooLarge, UnclearTable
from dprivacy.release import propose, sanitise_file
from dprivacy.release.intake import contained_reading
from dprivacy.release.intake.spreadsheet_files import sheet_text
from support.awkward_tables import CANARY
from support.made_spreadsheets import ods, xlsx
from support.mutations import mutants
from support.programs import run_program
from support.spreadsheet_bombs import BOMBS, ODD, plain, repacked, repeated_text, with_shared

ROWS = [
    ["town", "age", "income", "born", "member", "seen"],
    [
        "Zürich",
        33,
        2500.5,
        datetime.datetime(1987, 5, 1),
        True,
        datetime.datetime(2020, 1, 2, 3, 4),
    ],
    ['say "x"', 44.0, 3000, datetime.datetime(1976, 12, 31), False, None],
    [None, 2**40, -1, datetime.datetime(2000, 2, 29), True, None],
]
PLAN = {
    "columns": {"smokes": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}},
    "drop": ["name", "age"],
}
PEOPLE = [["name", "smokes", "age"]]
PEOPLE += [[f"{CANARY}{k}", "yes" if k % 3 else "no", k] for k in range(40)]


def file_of(folder, data, name="in.xlsx"):
    (folder / name).write_bytes(data)
    return folder / name


def test_cells_are_written_as_a_person_would(tmp_path):
    lines = sheet_text(file_of(tmp_path, xlsx({"one": ROWS})), None).decode().splitlines()
    assert lines == [
        '"town","age","income","born","member","seen"',
        '"Zürich","33","2500.5","1987-05-01","true","2020-01-02 03:04:00"',
        '"say ""x""","44","3000","1976-12-31","false",',
        ',"1099511627776","-1","2000-02-29","true",',
    ]


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_a_sheet_is_proposed_for_and_protected(tmp_path, kind):
    path = file_of(tmp_path, xlsx({"one": PEOPLE}) if kind == "xlsx" else ods(PEOPLE), f"in.{kind}")
    plan = tomllib.loads(propose(path))
    assert plan["columns"]["smokes"]["values"] == ["no", "yes"]
    assert "table" not in plan
    assert sanitise_file(path, PLAN, tmp_path / "out.csv").card.count == 40
    assert (tmp_path / "out.csv").read_text().startswith('"smokes"\n')


def test_several_sheets_are_asked_for(tmp_path):
    path = file_of(tmp_path, xlsx({"notes": [["see below"]], "data": PEOPLE, "empty": []}))
    with pytest.raises(
        UnclearTable, match="more than one sheet: 'notes', 'data'; pass the name"
    ) as no:
        sheet_text(path, None)
    assert no.value.setting == "sheet"
    with pytest.raises(UnclearTable, match="has no sheet 'Data': 'notes', 'data', 'empty'"):
        sheet_text(path, "Data")
    assert tomllib.loads(propose(path, sheet="data"))["table"] == {"sheet": "data"}
    plan = {**PLAN, "table": {"sheet": "data"}}
    assert sanitise_file(path, plan, tmp_path / "out.csv").card.count == 40


def test_one_sheet_with_cells_is_the_one(tmp_path):
    path = file_of(tmp_path, xlsx({"empty": [], "data": PEOPLE}))
    assert sheet_text(path, None).count(b"\n") == 41


def test_a_sheet_without_a_header_is_not_taken_for_one(tmp_path):
    path = file_of(tmp_path, xlsx({"one": PEOPLE[1:]}))
    assert tomllib.loads(propose(path))["table"] == {"header": False}
    with pytest.raises(UnclearTable, match="may be a person's record"):
        sanitise_file(path, PLAN, tmp_path / "out.csv")


@pytest.mark.parametrize("name", [*BOMBS, *ODD])
def test_bombs_are_refused_before_the_memory_and_the_time_are_taken(tmp_path, name):
    file = file_of(tmp_path, {**BOMBS, **ODD}[name]())
    done = run_program("bomb_reader", file)
    _, peak, seconds, told = done.stdout.split(" ", 3)
    assert told.startswith(("TooLarge", "BadFile", "UnclearTable") if name in BOMBS else ""), told
    assert str(file) in told or name in ODD
    assert int(peak) < 512
    assert float(seconds) < 5


def test_the_bombs_are_made_of_what_is_read(tmp_path):
    assert sheet_text(file_of(tmp_path, plain()), None).count(b"\n") == 10
    shared = with_shared(
        b"<sst><si><t>Ulm</t></si></sst>", b'<row><c t="s"><v>0</v></c><c><v>7</v></c></row>'
    )
    assert sheet_text(file_of(tmp_path, shared), None).endswith(b'\n"Ulm","7"\n')


def test_a_sheet_of_too_much_text_is_refused_while_it_arrives(tmp_path, monkeypatch):
    monkeypatch.setattr(contained_reading, "_LARGEST", 1 << 20)
    path = file_of(tmp_path, repeated_text(length=1000, cells=2000))
    with pytest.raises(TooLarge, match="more than 1 MiB of text; save it as CSV"):
        sheet_text(path, None)


def test_what_is_too_large_is_said(tmp_path):
    large = file_of(tmp_path, BOMBS["unpacks_to_too_much"]())
    with pytest.raises(TooLarge, match="unpacks to 320 MiB, and at most 256 MiB"):
        sheet_text(large, None)
    with pytest.raises(TooLarge, match="more than 100 times its size"):
        sheet_text(file_of(tmp_path, BOMBS["shrinks_too_well"]()), None)
    with pytest.raises(TooLarge, match="more than 10,000 parts"):
        sheet_text(file_of(tmp_path, BOMBS["many_parts"]()), None)
    with pytest.raises(BadFile, match="too much memory or time: save it as CSV"):
        sheet_text(file_of(tmp_path, BOMBS["far_corners"]()), None)


@pytest.mark.parametrize("state", ["hidden", "veryHidden"])
def test_hidden_sheets_are_said_and_read_only_by_name(tmp_path, state):
    both = file_of(tmp_path, xlsx({"data": PEOPLE, "old": PEOPLE}, hidden={"old": state}))
    with pytest.raises(UnclearTable, match=r"more than one sheet: 'data', 'old' \(hidden\); pass"):
        sheet_text(both, None)
    alone = file_of(tmp_path, xlsx({"data": [], "old": PEOPLE}, hidden={"old": state}))
    with pytest.raises(UnclearTable, match=r"a hidden sheet alone: 'old' \(hidden\); pass"):
        sheet_text(alone, None)
    assert sheet_text(alone, "old").count(b"\n") == 41


def test_of_many_sheets_some_are_named(tmp_path):
    path = file_of(tmp_path, xlsx({f"{k}": PEOPLE for k in range(12)}))
    with pytest.raises(UnclearTable, match=r"'0', '1', .* '9' and others; pass"):
        sheet_text(path, None)


def test_what_is_no_spreadsheet(tmp_path):
    for data in (
        b"",
        b"name,age\n",
        b"PK\x03\x04" + bytes(50),
        bytes(4096),
        b"\xd0\xcf\x11\xe0" * 300,
    ):
        with pytest.raises(BadFile, match="it is damaged, or"):
            sheet_text(file_of(tmp_path, data), None)
    with pytest.raises(BadFile, match="holds nothing"):
        propose(file_of(tmp_path, xlsx({"one": []})))


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-40],
        lambda text: text.replace(b"</table:table>", b""),
        lambda text: text.replace(b"</table:table>", b"<table:more>"),
        lambda text: text.replace(b"</table:table-row>", b"<!--", 1),
        lambda text: b"<!DOCTYPE x [<!ENTITY a 'b'>]>" + text,
    ],
)
def test_a_sheet_that_breaks_off_is_refused_at_once(tmp_path, change):
    """It is refused as damaged, not ended by the limit of its time: the library never came to it."""
    broken = repacked(
        ods(PEOPLE), lambda name, text: change(text) if name == "content.xml" else text
    )
    with pytest.raises(BadFile, match="it is damaged, or not what its name says"):
        sheet_text(file_of(tmp_path, broken, "in.ods"), None)


def test_a_sheet_behind_a_password_is_called_that(tmp_path):
    said = b"<manifest:encryption-data/>"
    locked = repacked(ods(PEOPLE), lambda name, text: said if "manifest" in name else text[::-1])
    with pytest.raises(BadFile, match="is protected by a password"):
        sheet_text(file_of(tmp_path, locked, "in.ods"), None)


def test_mutated_copies_are_read_or_refused_in_words(tmp_path):
    copies = mutants([xlsx({"one": PEOPLE}), ods(PEOPLE)], random.Random(4))
    refused = 0
    for _ in range(10):
        try:
            propose(file_of(tmp_path, next(copies)))
        except DPrivacyError as reason:
            said = str(reason)
            refused += 1
        else:
            said = ""
        assert CANARY not in said
    assert refused


def test_a_missing_library_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "python_calamine", None)
    with pytest.raises(DPrivacyError, match=r"dprivacy\[files\]"):
        sheet_text(file_of(tmp_path, xlsx({"one": PEOPLE})), None)
