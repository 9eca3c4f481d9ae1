"""Files of SPSS and Stata: records as a person would write them, read by a process of its own."""

import random
from contextlib import suppress

import pytest

from dprivacy.errors import BadFile, DPrivacyError
from dprivacy.release import propose, sanitise_file
from dprivacy.release.intake.labelled_files import labelled_text
from support.made_labelled import written
from support.mutations import mutants
from support.release_tables import weak_rows

LINES = [
    '"sex","age","name","wt"',
    '"1","30","ann","1.5"',
    '"2","41.5","bob","2"',
    '"2","99","cleo","2"',
    '"9","28","dan","2"',
    '"1",,,"1"',
    '"2","77","eve","1"',
]


@pytest.mark.parametrize("kind", ["sav", "zsav", "dta"])
def test_records_are_codes_below_the_names(tmp_path, kind):
    assert labelled_text(written(tmp_path, kind)).decode().splitlines() == LINES


def test_records_come_in_parts(tmp_path, monkeypatch):
    """Reading two rows at a time gives the same rows."""
    import io

    from dprivacy.release.intake import sheet_process

    monkeypatch.setattr(sheet_process, "_CELLS", 8)
    data = io.BytesIO(written(tmp_path, "sav").read_bytes())
    assert "".join(sheet_process._records(data, "sav")).splitlines() == LINES


@weak_rows
def test_a_table_with_its_own_labels_as_codebook(tmp_path):
    path = written(tmp_path, "sav")
    choices = {"age": "0:96", "wt": "drop"}
    text = propose(path, codebook=path, choices=choices).replace('"refuse"', '"category"')
    (tmp_path / "plan.toml").write_text(text)
    released = sanitise_file(path, tmp_path / "plan.toml", tmp_path / "out.csv")
    assert released.card.count == 6


@pytest.mark.parametrize("many", [3, pytest.param(100, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", ["sav", "dta"])
def test_mutants_are_read_or_refused(tmp_path, kind, many):
    good = written(tmp_path, kind).read_bytes()
    files, path = mutants([good], random.Random(f"labelled {kind}")), tmp_path / f"m.{kind}"
    for _ in range(many):
        path.write_bytes(next(files))
        with suppress(DPrivacyError):
            labelled_text(path)


def test_what_is_none_is_refused(tmp_path):
    written(tmp_path, "sav")
    (tmp_path / "x.sav").write_text("name,age\nann,33\n")
    with pytest.raises(BadFile, match="cannot be read; it is damaged, or not what its name says"):
        labelled_text(tmp_path / "x.sav")
