"""Cells of every type as positions: codes, numbers beside the grid, dates; nothing else, and by row."""

import math
from collections import Counter
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction as Q

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import DPrivacyError
from dprivacy.release.columns.column_batches import ColumnProtector
from dprivacy.sampling import SystemSource
from support.release_tables import plan_of

INCOME = {"type": "numbers", "low": 0, "high": 10, "grid": 2, "codes": ["N", "999"], "epsilon": "1"}
WHOLE = {**INCOME, "codes": ["-1", "999"], "nulls": "category"}
HALVES = {**WHOLE, "grid": "1/2"}
VISIT = {
    "type": "dates",
    "low": "2020-01-01",
    "high": "2020-01-29",
    "grid": "7 days",
    "epsilon": "1",
}


def positions(spec, array, **options):
    column = plan_of(spec).columns[0]
    return ColumnProtector(column, SystemSource(), **options).look([array]).tolist()


def nearest(value, low=0, high=10, step=2):
    """The nearest point by its definition: halfway, the one with an even number of steps."""
    exact = min(max(Q(value), Q(low)), Q(high))
    return round((exact - low) / step)


NUMBERS = [-5, -0.0, 0.999, 1, 1.0000001, 3, 5, 9.5, 10, 11, 998, 1000, 1e300, -1e300]


@pytest.mark.parametrize(
    "kind", [pa.float64(), pa.string(), pa.large_string(), "CSV", "dictionary"]
)
def test_numbers_go_to_the_nearest_point_and_codes_to_their_own(kind):
    cells = [*map(repr, NUMBERS), "999", "999.0", "9.99e2", "0999"]
    expected = [*map(nearest, NUMBERS), 7, 7, 7, 7]
    if kind == pa.float64():
        assert positions(INCOME, pa.array([float(cell) for cell in cells], kind)) == expected
        return
    array = pa.array([*cells, "N", "N"], pa.string() if isinstance(kind, str) else kind)
    array = array.dictionary_encode() if kind == "dictionary" else array
    assert positions(INCOME, array, texts=kind == "CSV") == [*expected, 6, 6]


def test_decimals_and_whole_numbers_are_read_exactly():
    decimals = pa.array([Decimal("0.99"), Decimal("999.00"), Decimal("3.00")], pa.decimal128(9, 2))
    assert positions(INCOME, decimals) == [0, 7, 2]
    for kind in (pa.int16(), pa.int64(), pa.uint64()):
        array = pa.array([0, 2, 3, 5, 7, 9, 11, 999, 1000, 998], kind)
        assert positions(WHOLE, array) == [*map(nearest, [0, 2, 3, 5, 7, 9, 11]), 7, 5, 5]
    assert positions(WHOLE, pa.array([-1, None, -2, 4])) == [6, 8, 0, 2]


def test_missing_cells_have_the_place_that_the_plan_gives_them():
    texts = pa.array(["3.9", None, "NA", "", "N"])
    replaced = {**INCOME, "nulls": {"replace": "N"}}
    assert positions(replaced, texts.slice(0, 2)) == [2, 6]
    assert positions(replaced, texts.slice(0, 3), texts=True) == [2, 6, 6]
    assert positions({**INCOME, "nulls": {"replace": 7.5}}, pa.array([1.5, None])) == [1, 4]
    assert positions(WHOLE, pa.nulls(2)) == [8, 8]
    declared = {**INCOME, "codes": ["NA"]}
    assert positions(declared, pa.array(["NA", "4"]), texts=True) == [6, 2]


@pytest.mark.parametrize(
    ("spec", "array", "words"),
    [
        (INCOME, pa.array(["1", "CANARY"]), "row 1: is not a number"),
        (INCOME, pa.array(["1", "n"]), "row 1: is not a number"),
        (INCOME, pa.array(["N", None]), "row 1: is missing"),
        (INCOME, pa.array([1.0, math.inf]), "row 1: is not a finite number"),
        (INCOME, pa.array([1.0, math.nan]), "row 1: is not a finite number"),
        (INCOME, pa.array(["N", "nan"]), "row 1: is not a finite number"),
        (INCOME, pa.array([True, False]), "its type cannot hold"),
        (INCOME, pa.array([date(2020, 1, 1)]), "its type cannot hold"),
        (VISIT, pa.array(["2020-01-05", "01/02/2020"]), "row 1: is not a date written as 2020-01-31"),
        (VISIT, pa.array(["2020-01-05", "2020-02-30"]), "row 1: is not a date"),
        (VISIT, pa.array(["2020-01-05T11:00"]), "row 0: has a time of day"),
        (VISIT, pa.array([datetime(2020, 1, 5), datetime(2020, 1, 5, 1)]), "row 1: has a time of day"),
        (VISIT, pa.array([datetime(2020, 1, 5)], pa.timestamp("s", tz="UTC")), "its type cannot hold"),
        (VISIT, pa.array([20200105]), "its type cannot hold"),
        ({**VISIT, "format": "%d.%m.%Y"}, pa.array(["2020-01-05"]), "as %d.%m.%Y says"),
    ],
)  # fmt: skip
def test_refusals_name_the_row_and_show_no_cell(spec, array, words):
    with pytest.raises(DPrivacyError) as refusal:
        positions(spec, array)
    assert words in str(refusal.value)
    assert "CANARY" not in str(refusal.value)
    assert refusal.value.__cause__ is None


def test_dates_of_every_type_are_the_same_days():
    days = [
        date(2019, 12, 1),
        date(2020, 1, 4),
        date(2020, 1, 5),
        date(2020, 1, 22),
        date(2030, 1, 1),
    ]
    expected = [nearest((day - date(2020, 1, 1)).days, 0, 28, 7) for day in days]
    assert expected == [0, 0, 1, 3, 4]
    for kind in (
        pa.date32(),
        pa.date64(),
        *(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")),
    ):
        assert positions(VISIT, pa.array(days).cast(kind)) == expected
    texts = [day.isoformat() for day in days]
    assert positions(VISIT, pa.array(texts)) == expected
    assert positions(VISIT, pa.array(texts).dictionary_encode()) == expected
    written = {**VISIT, "format": "%d.%m.%Y", "codes": ["?"], "nulls": {"replace": "?"}}
    german = [f"{day.day}.{day.month}.{day.year}" for day in days]
    assert positions(written, pa.array([*german, "?", None])) == [*expected, 5, 5]


@pytest.mark.parametrize(
    ("spec", "kind", "outputs"),
    [
        (INCOME, pa.string(), {"0", "2", "4", "6", "8", "10", "N", "999"}),
        (WHOLE, pa.int64(), {0, 2, 4, 6, 8, 10, -1, 999, None}),
        (HALVES, pa.float64(), {*np.arange(0, 10.5, 0.5).tolist(), -1.0, 999.0, None}),
        ({**HALVES, "codes": ["N"], "nulls": "refuse"}, pa.string(),
         {*(str(k) for k in range(11)), *(f"{k}.5" for k in range(10)), "N"}),
        (VISIT, pa.string(), {"2020-01-01", "2020-01-08", "2020-01-15", "2020-01-22", "2020-01-29"}),
    ],
)  # fmt: skip
def test_what_comes_out_is_declared_and_has_the_law_of_the_channel(spec, kind, outputs):
    column = plan_of(spec).columns[0]
    first = "2020-01-09" if spec["type"] == "dates" else "3.2"
    cells = pa.array([first] * 20_000)
    (noisy,) = ColumnProtector(column, SystemSource(), texts=True).apply([cells])
    assert noisy.type == kind
    seen = Counter(noisy.to_pylist())
    assert set(seen) <= outputs
    at = positions(spec, cells.slice(0, 1))[0]
    law = dict(zip(column_outputs(column), column.channel.matrix.row(at), strict=True))
    for value, chance in law.items():
        allowed = 6 * math.sqrt(20_000 * float(chance) * (1 - float(chance))) + 6
        assert abs(seen[value] - 20_000 * float(chance)) <= allowed


def column_outputs(column):
    """What each label is written as, from the labels alone."""
    labels = column.channel.columns
    codes = [label for label in labels if isinstance(label, str)]
    numeric = column.kind == "numbers" and all(code.lstrip("-").isdigit() for code in codes)
    whole = (
        all(Q(label).denominator == 1 for label in labels if label is not None)
        if numeric
        else False
    )
    for label in labels:
        if label is None or column.kind == "dates":
            yield label
        elif numeric:
            yield int(label) if whole else float(label)
        elif isinstance(label, str):
            yield label
        else:
            yield str(label) if label.denominator == 1 else str(float(label))
