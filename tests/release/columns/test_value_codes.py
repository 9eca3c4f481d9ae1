"""Positions from tables: those of the slow way, from every kind of array, or none at all."""

from functools import lru_cache

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import BadNumber, DPrivacyError
from dprivacy.release import Plan
from dprivacy.release.columns.column_batches import ColumnProtector
from dprivacy.sampling import SystemSource

WORDS = {"type": "categories", "values": ["sports", "cars", "Ω", "NA", ""], "epsilon": "ln 2"}
SHORT = {"type": "categories", "values": ["a", "b", "ab", "é"], "epsilon": "ln 2"}
SCALE = {"type": "ordered", "values": [1, 2, 3, 12], "epsilon": "ln 2"}
FAR = {"type": "categories", "values": [-(10**15), 7, 10**15], "epsilon": "ln 2"}
MANY = {"type": "categories", "values": [f"v{k}" for k in range(130)], "epsilon": "ln 2"}
GRID = {"type": "numbers", "low": 0, "high": 20, "grid": 1, "epsilon": "1/4"}
HALVES = {"type": "numbers", "low": "1/2", "high": 9, "grid": "1/2", "epsilon": "1/4"}
SPECS = {"words": WORDS, "short": SHORT, "scale": SCALE, "far": FAR, "many": MANY, "grid": GRID,
         "halves": HALVES}  # fmt: skip
NULLS = {"error": {}, "category": {"nulls": "category"}, "replace": None}
ODD = ["?", " 1", "01", "1.0", "+2", "5\0", "a\0", "sport", "sportsx", "null", "None", "NaN", "nan",
       "1e1", "0.5", "20.2", "-1", "999999999999999999999"]  # fmt: skip


def protector(spec: dict, *, texts: bool) -> ColumnProtector:
    plan = Plan.read({"columns": {"c": spec}})
    return ColumnProtector(plan.columns[0], SystemSource(), texts=texts)


@lru_cache
def pair(name: str, how: str, texts: bool) -> tuple[ColumnProtector, ColumnProtector]:
    """A column with tables, and the same without."""
    quick, slow = (protector(with_nulls(SPECS[name], how), texts=texts) for _ in range(2))
    slow._quick = None
    return quick, slow


def with_nulls(spec: dict, how: str) -> dict:
    if how == "replace":
        value = spec["values"][1] if "values" in spec else 3
        return {**spec, "nulls": {"replace": value}}
    return {**spec, **NULLS[how]}


def declared(spec: dict) -> list:
    if "values" in spec:
        return list(spec["values"])
    return list(range(21)) if spec is GRID else [k / 2 for k in range(1, 19)]


def looked_up(column: ColumnProtector, array: pa.Array) -> list[int] | str:
    column.row = 0
    try:
        return column.look([array]).tolist()
    except DPrivacyError as refusal:
        return f"{type(refusal).__name__}: {refusal}"


def arrays_of(values: list, rng: np.random.Generator) -> list[pa.Array]:
    """The same values as plain arrays and as dictionaries, also cut out of longer ones."""
    texts = [
        v if v is None or isinstance(v, str) else f"{v:g}" if v < 1e6 else str(v) for v in values
    ]
    found = [pa.array(texts, pa.string()), pa.array(texts, pa.large_string())]
    if all(v is None or isinstance(v, int) for v in values):
        found.append(pa.array(values, pa.int64()))
        if all(v is None or abs(v) <= 2**53 for v in values):
            found.append(pa.array(values, pa.float64()))
        if all(v is None or 0 <= v < 100 for v in values):
            found += [pa.array(values, kind) for kind in (pa.int8(), pa.uint16(), pa.uint64())]
    found += [
        array.dictionary_encode()
        for array in found
        if pa.types.is_string(array.type) or pa.types.is_int64(array.type)
    ]
    spare = pa.DictionaryArray.from_arrays(
        pa.array([None if t is None else 2 + k for k, t in enumerate(texts)], pa.int32()),
        pa.array(["not declared", None, *(t or "" for t in texts)], pa.string()),
    )
    before = int(rng.integers(0, 3))
    cut = [
        pa.concat_arrays([array.slice(0, min(before, len(array))), array, array]).slice(
            min(before, len(array)), len(array)
        )
        for array in found
    ]
    return [*found, *cut, spare]


@pytest.mark.parametrize(
    ("name", "how"),
    [
        (name, how)
        for name, spec in SPECS.items()
        for how in sorted(NULLS)
        if how != "category" or spec["type"] == "categories"
    ],
)
@given(data=st.data())
def test_they_are_those_of_the_slow_way(name: str, how: str, data: st.DataObject) -> None:
    known = declared(SPECS[name])
    rows = data.draw(st.lists(st.integers(0, len(known) + 1), max_size=40))
    values = [known[k % len(known)] for k in rows]
    rng = np.random.default_rng(len(rows))
    for what in data.draw(st.sets(st.sampled_from(["odd", "none", "outside"]))):
        at = data.draw(st.integers(0, len(values)))
        if what == "none":
            values.insert(at, None)
        elif what == "outside" and all(v is None or isinstance(v, int) for v in values):
            values.insert(at, data.draw(st.sampled_from([-1, 4, 21, 2**53, -(2**60), 2**60 + 1])))
        elif what == "odd":
            values.insert(at, data.draw(st.sampled_from(ODD)))
    texts = data.draw(st.booleans())
    quick, slow = pair(name, how, texts)
    for array in arrays_of(values, rng):
        assert looked_up(quick, array) == looked_up(slow, array), (array, texts)


def test_tables_are_used_and_hold_what_is_declared() -> None:
    truth = {"words": WORDS["values"], "short": SHORT["values"], "scale": SCALE["values"]}
    rng = np.random.default_rng(3)
    for name, values in truth.items():
        column = protector(SPECS[name], texts=True)
        rows = rng.integers(0, len(values), 500)
        array = pa.array([values[k] for k in rows])
        for form in (array, array.dictionary_encode(), array.cast(pa.string())):
            found = column._quick.of(form)
            assert found is not None
            assert found.tolist() == rows.tolist()


def test_a_text_with_an_end_of_its_own_is_no_other() -> None:
    column = protector(SHORT, texts=False)
    assert column._quick.of(pa.array(["a", "ab", "é"])).tolist() == [0, 2, 3]
    assert column._quick.of(pa.array(["a", "a\0"])) is None
    assert column._quick.of(pa.array(["a", ""])) is None


def test_a_byte_that_no_text_has_is_no_end() -> None:
    """Neither Arrow nor Spark makes sure that a cell is UTF-8."""
    ends = pa.py_buffer(np.array([0, 1, 3], np.int32))
    for last in (254, 255):
        cells = pa.StringArray.from_buffers(2, ends, pa.py_buffer(b"ba" + bytes([last])))
        assert protector(SHORT, texts=False)._quick.of(cells) is None


def test_a_grid_beyond_whole_numbers_of_doubles() -> None:
    """Its cells are numbers that doubles hold, and whole numbers there are refused by their place."""
    low = 2**53 + 2
    column = protector({**GRID, "low": low, "high": low + 20, "grid": 2}, texts=False)
    assert column.look([pa.array([float(low), float(low + 6), 0.0])]).tolist() == [0, 3, 0]
    assert column.look([pa.array([0, 2**53])]).tolist() == [0, 0]
    with pytest.raises(BadNumber, match="row 6: is not a number that a double can hold"):
        column.look([pa.array([0, low + 1])])
