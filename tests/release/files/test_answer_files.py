"""Estimates as files: every format holds the same numbers, and LaTeX reads text as text."""

import csv
import json
import math
from fractions import Fraction

import pytest

from dprivacy.errors import OutputExists, UnknownName, WrongKind
from dprivacy.estimation import LongForm, Statistic, Statistics
from dprivacy.release import write_answer
from dprivacy.release.files.answer_files import latex_text

LONG = LongForm(
    "count & share",
    ("50%_job",),
    (
        ("a&b", 10.0, 1.0, 8.0, 12.0, "table", "score"),
        (None, math.nan, math.inf, -math.inf, math.inf, "table", "score"),
    ),
    ("rows are people",),
)


def test_csv_holds_every_digit(tmp_path):
    value = 1 / 3
    row = ((Fraction(1, 2), value, 0.1, 0.2, 0.5, "population", "score"),)
    path = write_answer(LongForm("x", ("k",), row), tmp_path / "out.csv")
    (found,) = csv.DictReader(path.read_text().splitlines())
    assert float(found["estimate"]) == value
    assert found["k"] == "0.5"
    assert found["of"] == "population"
    unknown = list(
        csv.DictReader(write_answer(LONG, tmp_path / "other.csv").read_text().splitlines())
    )[1]
    assert (unknown["50%_job"], unknown["estimate"], unknown["high"]) == ("", "", "inf")


def test_parquet_has_one_type_a_column(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    table = pq.read_table(write_answer(LONG, tmp_path / "out.parquet"))
    assert table.column("50%_job").to_pylist() == ["a&b", None]
    assert table.schema.field("estimate").type == "double"
    mixed = LongForm("x", ("k",), ((1, 1.0, 1, 1, 1, "t", "s"), ("b", 1.0, 1, 1, 1, "t", "s")))
    table = pq.read_table(write_answer(mixed, tmp_path / "mixed.parquet"))
    assert table.column("k").to_pylist() == ["1", "b"]


def test_json_is_json(tmp_path):
    body = json.loads(write_answer(LONG, tmp_path / "out.json").read_text())
    assert body["rows"][0]["estimate"] == 10.0
    assert body["rows"][1]["high"] == "inf"
    assert body["notes"] == ["rows are people"]


def test_latex_escapes_and_puts_intervals_below():
    text = latex_text(LONG)
    assert r"50\%\_job & estimate \\" in text
    assert r"a\&b & 10.0 \\" in text
    assert "[8.0, 12.0]" in text
    assert "(missing)" in text


def crossed(*axes):
    from itertools import product

    keys = list(product(*axes))
    entries = tuple(Statistic(key, float(i), 1.0, i - 2.0, i + 2.0) for i, key in enumerate(keys))
    return Statistics("count", tuple("xyz"[: len(axes)]), entries, "table", 0.95, 10)


def test_two_keys_are_crossed_and_three_are_blocks():
    text = latex_text(crossed("ab", "uvw").long_form())
    assert r"x & u & v & w \\" in text
    assert r"a & 0.0 & 1.0 & 2.0 \\" in text
    text = latex_text(crossed("pq", "ab", "uv").long_form())
    assert r"\multicolumn{3}{l}{\emph{x = q}} \\" in text
    assert r"b & 6.0 & 7.0 \\" in text
    wide = latex_text(crossed("ab", "abcdefghijkl").long_form())
    assert r"x & y & estimate \\" in wide


def test_what_is_refused(tmp_path):
    with pytest.raises(UnknownName, match="ending of a file of estimates"):
        write_answer(LONG, tmp_path / "out.docx")
    write_answer(LONG, tmp_path / "out.csv")
    with pytest.raises(OutputExists, match="already exists"):
        write_answer(LONG, tmp_path / "out.csv")
    write_answer(LONG, tmp_path / "out.csv", replace=True)
    with pytest.raises(WrongKind, match="holds no estimates"):
        write_answer(3, tmp_path / "three.csv")
