"""Codes of rows: in the order of the rows, one for each different row, and back."""

import itertools

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from dprivacy.release import Plan, sanitise
from dprivacy.release.unordered.cell_digits import Doubles, Listed, Texts, Whole
from dprivacy.release.unordered.row_codes import RowCodes, released_codes
from support.release_tables import BITS, LETTERS, NUMBERS, PLACE

COLUMNS = {
    "few": (Listed(pa.array(["b", "a", "c"])), ["b", "a", "c"]),
    "wide": (Listed(pa.array(range(5000))), list(range(5000))),
    "whole": (Whole(), [-(2**63), -7, 0, 9, 2**63 - 1]),
    "double": (Doubles(), [-2.5, -0.0, 0.0, 1e-9, 3.0]),
    "bits": (Texts(40), [f"{k:040b}" for k in (0, 1, 2**39, 2**40 - 1)]),
}


@given(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=5, unique=True), st.data())
def test_codes_sort_as_positions_do_and_rows_come_back(names, data):
    cells = st.tuples(*(st.integers(0, len(COLUMNS[name][1]) - 1) for name in names))
    rows = data.draw(st.lists(cells, min_size=1, max_size=30))
    table = pa.table({
        name: [COLUMNS[name][1][row[k]] for row in rows] for k, name in enumerate(names)
    })  # fmt: skip
    codes = RowCodes({name: COLUMNS[name][0] for name in names})
    found = codes.of(table)
    told = [tuple(row) for row in found.tolist()]
    for (one, x), (other, z) in itertools.combinations(zip(told, rows, strict=True), 2):
        assert (one < other) == (x < z)
        assert (one == other) == (x == z)
    assert codes.rows(found).equals(table)


def test_as_many_digits_share_a_word_as_fit():
    ten = Listed(pa.array(range(10)))
    assert RowCodes({str(k): ten for k in range(19)}).words == 1
    assert RowCodes({str(k): ten for k in range(20)}).words == 2
    assert RowCodes({"a": Whole(), "b": Listed(pa.array([1]))}).words == 1


@pytest.mark.parametrize("spec", [LETTERS, NUMBERS, BITS, {**NUMBERS, "high": 10**6}])
def test_every_type_of_column_has_codes(spec):
    plan = Plan.read({"columns": {"h": spec}})
    cells = {"categories": ["c", "a"], "numbers": [7, 3], "bits": ["0110", "0011"]}[spec["type"]]
    codes = released_codes(plan, ["h"], {})
    table = pa.table({"h": cells})
    found = codes.of(table)
    assert found[0, 0] > found[1, 0]
    assert codes.rows(found).equals(table)


@pytest.mark.parametrize(
    "mechanism", ["subset_response", "unary_response", "hashed_response", "projective_response"]
)
def test_cells_that_are_reports_have_codes(mechanism):
    values = [f"v{k}" for k in range(70)]
    spec = {"type": "categories", "values": values, "epsilon": "ln 3", "mechanism": mechanism}
    plan = Plan.read({"columns": {"h": spec}})
    true = np.random.default_rng(1).choice(values, 200)
    done = sanitise(pa.table({"h": true}), plan).data
    codes = released_codes(plan, ["h"], {})
    found = codes.of(done)
    assert codes.rows(found).equals(done)
    order = np.lexsort(found.T[::-1])
    assert done.column("h").take(pa.array(order)).to_pylist() == sorted(done["h"].to_pylist())


def test_a_place_has_two_columns():
    plan = Plan.read({"columns": {"home": PLACE}})
    codes = released_codes(plan, ["x", "y"], {})
    table = pa.table({"x": [1.0, -1.0], "y": [0.5, 0.25]})
    assert codes.words == 2
    assert np.all(codes.of(table)[0] > codes.of(table)[1])
