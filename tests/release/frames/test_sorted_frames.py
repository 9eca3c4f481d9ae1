"""Tables in hand without their order: of the same kind, the same rows, and the same to the last bit."""

import itertools
import pickle
from collections import Counter

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprivacy.errors import BadPlan, NotApplicable, WrongKind
from dprivacy.release import Ledger, Plan, prove_card, sanitise
from support.release_tables import LETTERS, seeded

KEEPING = {**LETTERS, "epsilon": "60"}  # which changes no value, so that order alone is left
PLAN = Plan.read({"columns": {"h": KEEPING}, "pass_through": ["town", "x"]})
SHUFFLED = {"shuffle": True, "delta": "1e-9"}
ROWS = [
    (town, x, h)
    for (town, x), h in itertools.product(
        [("Ulm", 1.5), ("Ulm", None), (None, -0.0), ("Bonn", 0.0), ("Aachen", 2.0)], "acbba"
    )
]
pytestmark = pytest.mark.filterwarnings("ignore::dprivacy.errors.PrivacyLeakWarning")


def arrow_table(rows):
    town, x, h = zip(*rows, strict=True)
    return pa.table({"town": pa.array(town, pa.string()), "x": pa.array(x, pa.float64()), "h": h})


def dictionaries(rows):
    table = arrow_table(rows)
    return table.set_column(0, "town", table.column("town").dictionary_encode())


def pandas_frame(rows):
    return arrow_table(rows).to_pandas()


def pandas_objects(rows):
    """One missing value is None, the next one NaN."""
    kinds = itertools.cycle([None, float("nan")])
    towns = [next(kinds) if town is None else town for town, _, _ in rows]
    return pandas_frame(rows).assign(town=pd.Series(towns, dtype=object))


def pandas_categories(rows):
    seen = list(dict.fromkeys(town for town, _, _ in rows if town))
    return pandas_frame(rows).assign(town=lambda f: pd.Categorical(f["town"], seen))


def polars_frame(rows):
    return pl.from_arrow(arrow_table(rows))


def polars_categories(rows):
    return polars_frame(rows).with_columns(pl.col("town").cast(pl.Categorical))


MAKERS = [
    arrow_table,
    dictionaries,
    pandas_frame,
    pandas_objects,
    pandas_categories,
    polars_frame,
    polars_categories,
    lambda rows: duckdb.from_arrow(arrow_table(rows)),
    lambda rows: arrow_table(rows).combine_chunks().to_batches()[0],
]


def rows_of(table):
    if isinstance(table, pd.DataFrame):
        table = table.astype(object).where(table.notna(), None)
        return [tuple(row) for row in table.itertuples(index=False)]
    if isinstance(table, pl.DataFrame):
        return table.rows()
    if hasattr(table, "fetchall"):
        return table.fetchall()
    return [tuple(row.values()) for row in table.to_pylist()]


def bits(table):
    """All that a table holds, categories included."""
    if hasattr(table, "fetchall"):
        table = table.to_arrow_table()
    if isinstance(table, pl.DataFrame):
        return [table.schema, table.to_arrow(compat_level=pl.CompatLevel.oldest())]
    return pickle.dumps(table)


@pytest.mark.parametrize("made", MAKERS, ids=lambda made: made.__name__)
def test_the_order_of_the_rows_leaves_no_trace(made):
    rng = np.random.default_rng(1)
    done = []
    for _ in range(4):
        rows = [ROWS[k] for k in rng.permutation(len(ROWS))]
        table = made(rows)
        released = sanitise(table, PLAN, **SHUFFLED)
        assert type(released.data) is type(table)
        done.append(released.data)
    told = [bits(table) for table in done]
    assert all(one == told[0] for one in told[1:])
    assert Counter(map(repr, rows_of(done[0]))) == Counter(map(repr, ROWS))


def test_rows_are_sorted_from_left_to_right_with_missing_first():
    found = rows_of(sanitise(arrow_table(ROWS[::-1]), PLAN, **SHUFFLED).data)
    assert [row[0] for row in found] == [None] * 5 + ["Aachen"] * 5 + ["Bonn"] * 5 + ["Ulm"] * 10
    assert [row[1] for row in found[-10:]] == [None] * 5 + [1.5] * 5
    assert [row[2] for row in found[:5]] == ["a", "a", "b", "b", "c"]


def test_the_noise_is_that_of_a_release_with_order():
    frame = pandas_frame(ROWS)
    plan = {"columns": {"h": LETTERS}, "pass_through": ["town", "x"]}
    kept, done = seeded(frame, plan), seeded(frame, plan, **SHUFFLED)
    assert Counter(map(repr, rows_of(kept))) == Counter(map(repr, rows_of(done)))


def test_what_is_saved_is_proved(tmp_path):
    released = sanitise(pandas_frame(ROWS), PLAN, **SHUFFLED)
    for name in ("out.csv", "out.parquet"):
        released.save(tmp_path / name)
        verdict = prove_card(tmp_path / f"{name}.card.json", file=tmp_path / name)
        assert verdict, verdict.explain()


def test_an_index_is_gone():
    frame = pandas_frame(ROWS).set_axis([f"p{k}" for k in range(len(ROWS))])
    assert sanitise(frame, PLAN, **SHUFFLED).data.index.equals(pd.RangeIndex(len(ROWS)))


def test_a_refusal_takes_back_what_was_charged(tmp_path):
    rows = [*ROWS, ("Essen", 7.0, "a")]
    with Ledger(tmp_path / "ledger.db", open=True) as ledger:
        with pytest.raises(NotApplicable, match="some row is alone"):
            sanitise(pandas_frame(rows), PLAN, ledger=ledger, **SHUFFLED)
        assert ledger.spent().is_zero


def test_an_identifier_is_refused():
    plan = {"columns": {"h": LETTERS}, "pass_through": ["town", "x"], "unit": "x"}
    with pytest.raises(BadPlan, match="'x' says whose a row is"):
        sanitise(arrow_table(ROWS), plan, **SHUFFLED)


@pytest.mark.parametrize("unordered", [False, True])
def test_a_column_that_mixes_kinds_is_refused_in_words_and_costs_nothing(tmp_path, unordered):
    mixed = pd.DataFrame({"h": list("ab") * 20, "town": ["Ulm", 7771] * 20}, dtype=object)
    plan = {
        "columns": {"h": {"type": "categories", "values": ["a", "b"], "epsilon": 1}},
        "pass_through": ["town"],
    }
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.open_account("people", 3, delta="1/100", unordered=unordered)
        with pytest.raises(WrongKind, match="mixes kinds of values") as caught:
            sanitise(mixed, plan, shuffle=True, delta="1e-6", ledger=ledger.account("people"))
        assert "7771" not in str(caught.value)
        assert ledger.spent("people").is_zero
