"""What SPSS and Stata say of variables, without a look at the records and without their hash."""

import hashlib

import pytest

from dprivacy.release import read_codebook
from support.made_labelled import written


@pytest.mark.parametrize("kind", ["sav", "zsav"])
def test_labels_measures_and_missing_codes(tmp_path, kind):
    book = read_codebook(written(tmp_path, kind))
    sex, age, name, wt = book.variables
    assert [(v.code, v.label, v.missing) for v in sex.values] == [
        ("1", "male", False), ("2", "female", False), ("9", "refused", True),
    ]  # fmt: skip
    assert {(v.code, v.missing) for v in age.values} == {("97", True), ("98", True), ("99", True)}
    assert (sex.measure, age.measure) == ("nominal", "scale")
    assert (name.values, wt.label) == ((), "Design weight")


def test_stata_has_labels(tmp_path):
    sex = read_codebook(written(tmp_path, "dta")).variable("sex")
    assert [v.label for v in sex.values] == ["male", "female", "refused"]


def test_the_hash_is_of_the_labels_and_not_of_the_records(tmp_path):
    path = written(tmp_path, "sav")
    book = read_codebook(path)
    assert book.sha256 != hashlib.sha256(path.read_bytes()).hexdigest()
    data = bytearray(path.read_bytes())
    at = data.rindex(b"bob")
    data[at : at + 3] = b"bib"
    path.write_bytes(data)
    assert read_codebook(path).sha256 == book.sha256
