"""Lines from cells that are formatted once: byte for byte what Arrow's own writer gives."""

import io
import itertools

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pytest

from dprivacy.release.files import cell_lines
from dprivacy.release.files.cell_lines import CellLines

ROWS = 400


def table() -> pa.Table:
    rng = np.random.default_rng(1)

    def some(values: list) -> pa.Array:
        return pa.array(values).take(pa.array(rng.integers(0, len(values), ROWS)))

    return pa.table({
        'a "name"': some(["x,y", 'q"q', None, "é\n", ""]),
        "h": some(["z", 'c,"d"', None, "NA"]),
        "n": pa.array(rng.integers(-3, 80, ROWS)),
        "f": pa.array(rng.normal(size=ROWS) * 10.0 ** rng.integers(-20, 20, ROWS)),
        "b": some([True, False, None]),
        "g": some([0.5, 1.0, 1e20, None]),
        "u": pa.array(rng.integers(0, 80, ROWS).astype(np.uint8)),
        "l": some(["one", "two"]).cast(pa.large_string()),
    })  # fmt: skip


def by_arrow(plain: pa.Table) -> bytes:
    sink = io.BytesIO()
    pacsv.write_csv(plain, sink)
    return sink.getvalue()


def by_cells(given: pa.Table, *, header: bool = True, step: int = ROWS) -> bytes:
    sink = io.BytesIO()
    writer = CellLines(sink, given.schema, header=header)
    for start in range(0, len(given), step):
        writer.write_table(given.slice(start, step))
    writer.close()
    return sink.getvalue()


def coded(plain: pa.Table, names: tuple[str, ...]) -> pa.Table:
    for name in names:
        at = plain.schema.get_field_index(name)
        plain = plain.set_column(at, name, plain[name].combine_chunks().dictionary_encode())
    return plain


@pytest.mark.parametrize("most", [1, 30, 1 << 16])
@pytest.mark.parametrize("listed", [(), ("h",), ("h", "n"), ("n", "g", "u"), ("h", "n", "g", "u")])
def test_the_lines_are_those_of_arrow(monkeypatch, listed, most) -> None:
    monkeypatch.setattr(cell_lines, "_MOST", most)
    plain = table()
    given = coded(plain, listed)
    assert CellLines.can_hold(given.schema)
    assert by_cells(given) == by_arrow(plain)


@pytest.mark.parametrize("names", list(itertools.permutations(["h", "n", 'a "name"'], 2)))
def test_any_columns_in_any_order(names) -> None:
    plain = table()
    given = coded(plain, ("h", "n"))
    assert by_cells(given.select(names)) == by_arrow(plain.select(names))
    for name in names:
        assert by_cells(given.select([name])) == by_arrow(plain.select([name]))


@pytest.mark.parametrize("step", [1, 7, 130])
def test_pieces_are_one_file(step) -> None:
    given = coded(table(), ("h", "n"))
    assert by_cells(given, step=step) == by_cells(given)
    whole, rest = by_cells(given), by_cells(given, header=False)
    assert whole.endswith(rest)
    assert whole[: -len(rest)] == b'"a ""name""","h","n","f","b","g","u","l"\n'


@pytest.mark.parametrize(
    "kind", [pa.date32(), pa.list_(pa.int64()), pa.binary(), pa.null()], ids=str
)
def test_rarer_types_are_left_to_arrow(kind) -> None:
    assert not CellLines.can_hold(pa.schema([("a", pa.int64()), ("x", kind)]))
