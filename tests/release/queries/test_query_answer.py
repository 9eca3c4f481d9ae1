"""Answers in words, as plain data and in long form."""

import json

import pytest

from dprivacy.release import QueryAnswer, write_answer
from dprivacy.release.queries.query_answer import Spread

ONE = QueryAnswer(
    ("reg", "n"),
    (("N", 10.5), ("S", 3.0)),
    ((None, Spread(2.1, 6.4, 14.6)), (None, Spread(1.0, None, None, "maximum likelihood"))),
    "corrected",
    notes=("mind this",),
)
TWO = QueryAnswer(
    ("reg", "n", "mean"),
    (("N", 10.5, None),),
    ((None, Spread(2.1, 6.4, 14.6), Spread()),),
    "corrected",
    "population",
    0.9,
)
RAW = QueryAnswer(("reg", "n", "answer"), (("N", 12, "raw"),))
EXACT = QueryAnswer(("n",), ((12,),), kind="exact")


def test_words():
    assert ONE.explain().splitlines() == [
        "reg     n  ± s.e.  95 % interval",
        "  N  10.5     2.1     6.4 … 14.6",
        "  S   3.0     1.0           none",
        "corrected by maximum likelihood and score; standard errors and intervals are of the true table",  # noqa: E501
        "mind this",
    ]
    head, row, told = TWO.explain().splitlines()
    assert head.split("  ")[-1] == "90 % interval"
    assert row.split()[-2:] == ["unknown", "none"]
    assert told.endswith("of the true population")
    assert RAW.explain().splitlines()[1].endswith("raw")
    assert "exact: only public columns" in EXACT.explain()


def test_long_form():
    found = ONE.long_form()
    assert found.title == "n"
    assert found.columns[:2] == ("reg", "estimate")
    assert found.rows[0] == ("N", 10.5, 2.1, 6.4, 14.6, "table", "score")
    assert found.rows[1][-1] == "maximum likelihood"
    assert TWO.long_form().rows == (
        ("N", "n", 10.5, 2.1, 6.4, 14.6, "population", "score"),
        ("N", "mean", None, None, None, None, "population", "score"),
    )
    assert RAW.long_form().rows == (("N", 12, "raw", None, None, None, None, "table", "raw"),)
    assert EXACT.long_form().rows[0][-1] == "exact"


@pytest.mark.parametrize("answer", [ONE, TWO, RAW, EXACT])
@pytest.mark.parametrize("ending", ["csv", "json", "tex", "parquet"])
def test_every_answer_can_be_written(tmp_path, answer, ending):
    assert write_answer(answer, tmp_path / f"out.{ending}").stat().st_size


def test_plain_data():
    for answer in (ONE, TWO, RAW, EXACT):
        told = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
        assert told["kind"] == answer.kind
        assert told["exact"] == (answer is EXACT)
    assert ONE.to_dict()["spreads"][1][1]["method"] == "maximum likelihood"
