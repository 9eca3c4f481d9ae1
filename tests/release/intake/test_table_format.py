"""Awkward files: each is read as it is, or somebody must say; no header is stated that is none."""

import gzip
import random

import pytest

from dprivacy.errors import BadFile, DPrivacyError, UnclearTable
from dprivacy.release.intake.table_format import format_of
from dprivacy.release.intake.table_settings import Intake, TableSettings
from support.awkward_tables import CANARY, Awkward, awkward_tables, people
from support.mutations import mutants
from support.real_data import real

CORPUS = {one.name: one for one in awkward_tables()}
MUST_BE_SAID = {
    "words, three rows": "header",
    "codes, no header": "header",
    "years as names": "header",
    "one column": "header",
    "noise": "encoding",
    "cells between spaces": "delimiter",
    "cells between colons": "delimiter",
}
NOTHING = Intake()


def found_in(folder, data, known=NOTHING):
    path = folder / "in.csv"
    path.write_bytes(data)
    return format_of(path, known)


def words_on(folder, data):
    """What is said where a file is refused."""
    try:
        found_in(folder, data)
    except DPrivacyError as refusal:
        return str(refusal)
    return ""


def test_there_are_enough_kinds():
    assert len(CORPUS) >= 29


@pytest.mark.parametrize("name", sorted(set(CORPUS) - set(MUST_BE_SAID)))
def test_how_a_file_is_written(tmp_path, name):
    true = CORPUS[name]
    found = found_in(tmp_path, true.data)
    assert (found.splitting.delimiter, found.header) == (true.delimiter, true.header)
    if name == "polish cp1250":  # no structure tells the alphabets apart: a person is shown letters
        assert found.encoding == "cp1252"
        assert "ó" in found.letters
    else:
        assert found.encoding == true.encoding


@pytest.mark.parametrize("name", MUST_BE_SAID)
def test_what_a_person_must_say(tmp_path, name):
    with pytest.raises(UnclearTable) as refusal:
        found_in(tmp_path, CORPUS[name].data)
    assert refusal.value.setting == MUST_BE_SAID[name]
    assert CANARY not in str(refusal.value)


@pytest.mark.parametrize("name", sorted(set(CORPUS) - {"noise"}))
def test_what_is_said_is_believed(tmp_path, name):
    true = CORPUS[name]
    for header in (True, False):
        said = TableSettings(true.delimiter or "~", true.encoding, header)
        found = found_in(tmp_path, true.data, Intake(said))
        assert found.header is header
        assert found.encoding == true.encoding
        assert found.delimiter == (true.delimiter or "~")
        assert (found.names is None) is header


@pytest.mark.parametrize("name", ["words, three rows", "years as names", "words", "comma"])
def test_declared_names_settle_the_header(tmp_path, name):
    data = CORPUS[name].data
    names = data.decode().splitlines()[0].split(",")
    assert found_in(tmp_path, data, Intake.of(TableSettings(), names)).header
    assert found_in(tmp_path, data, Intake.of(TableSettings(), [*names, "more"])).header


def test_a_record_is_not_taken_for_the_names_that_a_plan_declares(tmp_path):
    with pytest.raises(UnclearTable, match="may be a person's record"):
        found_in(
            tmp_path, people(header=False).encode(), Intake.of(TableSettings(), ["age", "sex"])
        )
    numbered = [f"column {k}" for k in range(1, 6)]
    found = found_in(tmp_path, people(header=False).encode(), Intake.of(TableSettings(), numbered))
    assert found.names == numbered


def test_packed_files_are_known_by_their_content(tmp_path):
    for true in CORPUS.values():
        if true.name not in MUST_BE_SAID:
            plain = found_in(tmp_path, true.data)
            assert found_in(tmp_path, gzip.compress(true.data)) == plain


def test_a_file_that_holds_nothing(tmp_path):
    for data in (b"", b"\n \n\n", b"\xef\xbb\xbf"):
        with pytest.raises(BadFile, match="holds nothing"):
            found_in(tmp_path, data)


def test_a_line_for_one_program_alone(tmp_path):
    data = b"sep=;\n" + people(sep=";").encode()
    for known in (NOTHING, Intake(TableSettings(";", header=True))):
        with pytest.raises(BadFile, match=r"its first line is for one program alone.*--delimiter"):
            found_in(tmp_path, data, known)


def test_a_cell_that_is_too_long_to_look_at(tmp_path):
    data = b"name,age\n" + b"x" * 140_000 + b",3\n" + b"y,4\n" * 30
    with pytest.raises(BadFile, match="a cell has more than 131,072 characters"):
        found_in(tmp_path, data)


def records_without_header() -> list[Awkward]:
    return [one for one in CORPUS.values() if one.header is False]


@pytest.mark.parametrize("true", records_without_header(), ids=lambda one: one.name)
def test_a_record_is_never_called_a_header_whatever_row_comes_first(tmp_path, true):
    """Every row of a table without a header may be its first."""
    rows = true.data.splitlines(keepends=True)
    for k in range(0, len(rows), 3):
        turned = b"".join([*rows[k:], *rows[:k]])
        assert found_in(tmp_path, turned).header is False


def test_an_odd_word_in_the_first_record_makes_no_header(tmp_path):
    """The one number of the first record is missing in words; its name looks like the others."""
    rows = "".join(f"Ann Miller{CANARY}{k},{k}\n" for k in range(50))
    for odd in ("refused", "does not know"):
        with pytest.raises(UnclearTable):
            found_in(tmp_path, f"Bob Jones{CANARY}7,{odd}\n{rows}".encode())


@pytest.mark.parametrize("true", CORPUS.values(), ids=lambda one: one.name)
def test_mutated_copies_are_read_or_refused_in_words(tmp_path, true):
    """No traceback and no cell in a message."""
    rng = random.Random(true.name)
    copies = mutants([true.data], rng)
    for _ in range(40):
        data = next(copies)
        assert CANARY not in words_on(tmp_path, data[: 1 << 16])


@pytest.mark.parametrize("true", records_without_header(), ids=lambda one: one.name)
def test_mutated_records_are_not_stated_to_be_headers(tmp_path, true):
    """Below a first record that is left as it is, anything may change."""
    rng = random.Random(1)
    lines = true.data.splitlines(keepends=True)
    copies = mutants([b"".join(lines[1:])], rng)
    for _ in range(60):
        try:
            found = found_in(tmp_path, lines[0] + next(copies)[: 1 << 16])
        except DPrivacyError:
            continue
        assert not found.header


@pytest.mark.parametrize(
    ("name", "delimiter", "header"),
    [
        ("adult/adult.data.gz", ",", False),
        ("compas/compas_fta_11710.csv.gz", ",", True),
        ("compas/compas_scores_raw_nonames.csv.gz", ",", True),
        ("nist_acs_excerpts/national2019.csv.gz", ",", True),
        ("sdcmicro/testdata.csv.gz", ",", True),
        ("sdcmicro/EIA.csv.gz", ",", True),
        ("sdcmicro/francdat.csv.gz", ",", True),
    ],
)
def test_real_files(name, delimiter, header):
    found = format_of(real(name), NOTHING)
    assert (found.encoding, found.delimiter, found.header) == ("utf-8", delimiter, header)
