"""Tables in hand: the same kind out, and nothing of the data but the rows."""

import datetime
import io
import pickle
import sys
from collections import Counter

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from dprivacy.errors import (
    InsecureSeedWarning,
    Malformed,
    MissingExtra,
    PrivacyLeakWarning,
    UnknownCategory,
    WrongKind,
)
from dprivacy.release import Ledger, Plan, joint_guarantee, sanitise
from support.release_tables import CODES, LETTERS, NUMBERS, PLACE, plan_of, seeded, with_card

CANARY = "CANARY-7f3a"
NULLS = {**LETTERS, "nulls": "category"}


def out(table, spec=LETTERS, **top):
    return seeded(table, plan_of(spec, **top))


class TestPandas:
    @pytest.mark.parametrize(
        ("spec", "dtype", "columns"),
        [
            (
                LETTERS,
                "str",
                [["a", "b"], pd.array(["a"], "string[python]"), np.array(["a"], object)],
            ),
            (NULLS, "str", [["a", "b"], ["a", None], [None, None], [np.nan], [pd.NA]]),
            (
                CODES,
                "int64",
                [[1, 2], [1.0, 2.0], pd.array([1, 2], "Int8"), np.array([1], "uint16")],
            ),
            (
                {**CODES, "nulls": "category"},
                "Int64",
                [[1, 2], [1, None], [None], pd.array([1, None], "Int16")],
            ),
            ({**CODES, "nulls": {"replace": 3}}, "int64", [[1, 2], [1, None], [None, None]]),
            (
                NUMBERS,
                "int64",
                [[1, 2], [1.5, 2], np.array([1], "float32"), pd.array([1], "Int16")],
            ),
            ({**NUMBERS, "grid": "0.5"}, "float64", [[1, 2], [1.5, 2]]),
            ({**LETTERS, "values": ["true", "false"]}, "str", [[True, False]]),
        ],
    )
    def test_the_plan_decides_the_dtype(self, spec, dtype, columns):
        for column in columns:
            frame = pd.DataFrame({"h": column})
            assert str(out(frame, spec)["h"].dtype) == dtype
            pd.testing.assert_frame_equal(frame, pd.DataFrame({"h": column}))

    @pytest.mark.parametrize("ordered", [True, False])
    def test_categories_are_the_declared_ones(self, ordered):
        column = pd.Categorical(["a", "b"] * 20, ["b", CANARY, "a"], ordered=ordered)
        clean = out(pd.DataFrame({"h": column}))["h"]
        assert list(clean.cat.categories) == ["a", "b", "c"]
        assert clean.cat.ordered == ordered
        assert CANARY.encode() not in pickle.dumps(clean)

    def test_categories_do_not_depend_on_the_data(self):
        one = out(pd.DataFrame({"h": pd.Categorical(["a"])}))["h"].dtype
        two = out(pd.DataFrame({"h": pd.Categorical(["c", "b"])}))["h"].dtype
        assert one == two

    def test_categories_with_missing_values(self):
        clean = out(pd.DataFrame({"h": pd.Categorical(["a", None] * 100)}), NULLS)["h"]
        assert list(clean.cat.categories) == ["a", "b", "c"]
        assert clean.isna().any()

    def test_codes_as_categories(self):
        clean = out(pd.DataFrame({"h": pd.Categorical([1, 2, 2])}), CODES)["h"]
        assert list(clean.cat.categories) == [1, 2, 3]

    def test_names_that_are_no_texts(self):
        frame = pd.DataFrame({0: ["a"], 1: ["x"], 2: ["y"]})
        plan = Plan.read({"columns": {"0": LETTERS}, "pass_through": ["1"], "drop": ["2"]})
        assert list(seeded(frame, plan).columns) == [0, 1]

    def test_names_of_columns_that_are_not_there_do_not_travel(self):
        names = pd.CategoricalIndex(["h", "x"], ["h", "x", CANARY], name=CANARY)
        clean = out(pd.DataFrame([["a", 1]], columns=names), drop=["x"])
        assert CANARY.encode() not in pickle.dumps(clean)
        pairs = pd.MultiIndex.from_tuples([("h", 1), ("x", CANARY)], names=[CANARY, None])
        plan = Plan.read({"columns": {"('h', 1)": LETTERS}, "drop": [f"('x', '{CANARY}')"]})
        clean = seeded(pd.DataFrame([["a", 1]], columns=pairs), plan)
        assert list(clean.columns) == [("h", 1)]
        assert CANARY.encode() not in pickle.dumps(clean)

    @pytest.mark.parametrize(
        "index",
        [
            ["ann", "bob"],
            [1, 0],  # where the rows were before they were shuffled
            pd.RangeIndex(2, name="who"),
            pd.MultiIndex.from_tuples([(1, 2), (3, 4)], names=["x", "y"]),
        ],
    )
    def test_an_index_is_not_published(self, index):
        frame = pd.DataFrame({"h": ["a", "b"], "x": [7, 8]}, index=index)
        with pytest.warns(PrivacyLeakWarning, match="the index is not published.*reset_index"):
            clean = out(frame, pass_through=["x"])
        assert clean.index.equals(pd.RangeIndex(2))
        assert clean.index.names == [None]
        assert clean["x"].tolist() == [7, 8]

    def test_a_shuffle_cannot_be_undone(self):
        frame = pd.DataFrame({"h": ["a"] * 50 + ["b"] * 50})
        with pytest.warns(PrivacyLeakWarning, match="index"):
            clean = out(frame.sample(frac=1, random_state=1))
        assert clean.sort_index().equals(clean)

    def test_what_is_passed_through_is_untouched(self):
        frame = pd.DataFrame({
            "when": pd.to_datetime(["2020-01-01", "2021-01-01"]).tz_localize("Europe/Paris"),
            "h": ["a", "b"],
            "few": pd.array([1, None], dtype="Int8"),
            "any": pd.Series([{1}, "x"], dtype=object),
            "period": pd.period_range("2020", periods=2),
            "kind": pd.Categorical(["x", "y"], ["y", "x"]),
        })  # fmt: skip
        names = ["when", "few", "any", "period", "kind"]
        clean = out(frame, pass_through=names)
        pd.testing.assert_frame_equal(clean[names], frame[names])
        assert list(clean.columns) == list(frame.columns)

    def test_categories_that_no_row_has_do_not_travel(self):
        frame = pd.DataFrame({"h": ["a"], "kind": pd.Categorical(["x"], ["x", CANARY])})
        clean = out(frame, pass_through=["kind"])
        assert CANARY.encode() not in pickle.dumps(clean)

    def test_attributes_do_not_travel(self):
        frame = pd.DataFrame({"h": ["a"], "x": [1]})
        frame.attrs["who"] = CANARY
        assert out(frame, pass_through=["x"]).attrs == {}

    @pytest.mark.parametrize(
        "column",
        [
            pd.Series(["a", 5, CANARY], dtype=object),
            pd.Series([5, CANARY], dtype=object),
            pd.Series([{CANARY: 1}, object()], dtype=object),
            pd.Series(pd.arrays.SparseArray([1, 2])),
        ],
    )
    def test_mixtures_are_refused_without_a_word_of_them(self, column):
        with pytest.raises(
            Malformed, match="'h' should hold texts or numbers of one kind"
        ) as refusal:
            out(pd.DataFrame({"h": column}))
        assert CANARY not in str(refusal.value)

    def test_refusals(self):
        frame = pd.DataFrame([["a", "b"]], columns=["h", "h"])
        with pytest.raises(Malformed, match="two columns of the same name"):
            out(frame)
        with pytest.raises(Malformed, match="two columns of the same name"):
            out(pd.DataFrame([["a", "b"]], columns=[1, "1"]))
        with pytest.raises(Malformed, match="not Series"):
            out(pd.Series(["a"], name="h"))
        with pytest.raises(Malformed, match="holds no rows"):
            out(pd.DataFrame({"h": []}))
        with pytest.raises(Malformed, match="row 1: is missing"):
            out(pd.DataFrame({"h": ["a", np.nan]}))


class TestPolars:
    @pytest.mark.parametrize(
        ("spec", "columns", "dtype"),
        [
            (LETTERS, [pl.Series(["a", "b"])], pl.String),
            (LETTERS, [pl.Series(["a"], dtype=pl.Categorical)], pl.Enum(["a", "b", "c"])),
            (NULLS, [pl.Series(["a", "b"]), pl.Series(["a", None]), pl.Series([None])], pl.String),
            (CODES, [pl.Series([1, 2]), pl.Series([1, 2], dtype=pl.Int8)], pl.Int64),
            (NUMBERS, [pl.Series([1, 2]), pl.Series([1.0], dtype=pl.Float32)], pl.Int64),
        ],
    )
    def test_the_plan_decides_the_dtype(self, spec, columns, dtype):
        for column in columns:
            frame = pl.DataFrame({"x": range(len(column)), "h": column})
            clean = out(frame, spec, pass_through=["x"])
            assert clean.schema == {"x": pl.Int64, "h": dtype}
            assert clean["x"].to_list() == frame["x"].to_list()

    def test_an_enum_lists_what_is_declared(self):
        for listed in (["a", "b"], ["a", "b", "c", CANARY]):
            frame = pl.DataFrame({"h": ["a", "b"] * 20}, schema={"h": pl.Enum(listed)})
            assert out(frame).schema["h"] == pl.Enum(["a", "b", "c"])

    def test_a_category_that_was_filtered_out_does_not_travel(self):
        frame = pl.DataFrame({"h": ["a", CANARY, "b"]}, schema={"h": pl.Categorical})
        clean = out(frame.filter(pl.col("h") != CANARY))
        file = io.BytesIO()
        clean.write_parquet(file)
        assert CANARY.encode() not in file.getvalue()
        assert CANARY not in clean.to_arrow()["h"].chunk(0).dictionary.to_pylist()

    def test_a_lazy_frame_is_computed_once_and_a_frame_comes_out(self):
        computed = []
        lazy = pl.LazyFrame({"h": ["a", "b"] * 50}).map_batches(
            lambda frame: computed.append(len(frame)) or frame
        )
        clean = out(lazy)
        assert isinstance(clean, pl.DataFrame)
        assert computed == [100]

    def test_a_lazy_frame_that_cannot_be_computed_is_refused_without_a_cell(self):
        lazy = pl.LazyFrame({"h": [CANARY]}).cast({"h": pl.Int64})
        with pytest.raises(
            WrongKind, match=r"LazyFrame cannot be computed; .*\(Invalid"
        ) as refused:
            out(lazy)
        assert CANARY not in str(refused.value)

    def test_columns_of_any_kind_pass_through_or_go(self):
        frame = pl.DataFrame({"h": ["a", "b"]}).with_columns(
            pl.Series("o", [object(), object()], dtype=pl.Object),
            pl.lit(datetime.date(2020, 1, 1)).alias("d"),
            pl.Series("l", [[1], [2, 3]]),
        )
        clean = out(frame, pass_through=["d", "l"], drop=["o"])
        assert clean.select("d", "l").equals(frame.select("d", "l"))

    def test_an_enum_that_passes_through_lists_what_occurs(self):
        kind = pl.Series(["y", "x", None], dtype=pl.Enum(["x", CANARY, "y"]))
        clean = out(pl.DataFrame({"h": ["a"] * 3, "kind": kind}), pass_through=["kind"])
        assert clean["kind"].dtype == pl.Enum(["x", "y"])
        assert clean["kind"].to_list() == ["y", "x", None]

    @pytest.mark.parametrize(
        "column",
        [pl.Series([object()], dtype=pl.Object), pl.Series([1], dtype=pl.Int128)],
    )
    def test_types_that_arrow_lacks_are_refused_wherever_they_stand(self, column):
        with pytest.raises(Malformed, match=r"'x' has the type (Object|Int128); cast it"):
            out(pl.DataFrame({"h": ["a"], "x": column}), pass_through=["x"])
        with pytest.raises(Malformed, match=r"'h' has the type (Object|Int128); cast it"):
            out(pl.DataFrame({"h": column}))

    def test_refusals(self):
        with pytest.raises(Malformed, match="holds no rows"):
            out(pl.DataFrame({"h": ["a"]}).clear())
        with pytest.raises(Malformed, match="not Series"):
            out(pl.Series(["a"]))
        with pytest.raises(UnknownCategory, match="row 1"):
            out(pl.DataFrame({"h": ["a", CANARY]}))


class TestArrow:
    def test_tables_and_batches(self):
        table = pa.table({"x": [1, 2, 3], "h": ["a", "b", "c"]})
        clean = out(table, pass_through=["x"])
        assert isinstance(clean, pa.Table)
        assert clean.schema == table.schema
        batch = out(table.to_batches()[0], pass_through=["x"])
        assert isinstance(batch, pa.RecordBatch)
        assert batch.schema == table.schema

    def test_chunks(self):
        parts = [["a"], [], ["b", "c"]]
        table = pa.table({"h": pa.chunked_array(parts, type=pa.string())})
        assert len(out(table)) == 3
        coded = [pa.array(part, pa.string()).dictionary_encode() for part in parts]
        clean = out(pa.table({"h": pa.chunked_array(coded)}))
        assert clean["h"].chunk(0).dictionary.to_pylist() == ["a", "b", "c"]

    def test_no_metadata_travels(self):
        note = {"who": CANARY}
        inner = pa.struct([pa.field("deep", pa.int64(), metadata=note)])
        schema = pa.schema(
            [
                pa.field("h", pa.string(), metadata=note),
                pa.field("p", pa.string(), metadata=note),
                pa.field("s", inner),
                pa.field("l", pa.list_(pa.field("item", pa.int64(), metadata=note))),
            ],
            metadata=note,
        )
        table = pa.table({"h": ["a"], "p": ["x"], "s": [{"deep": 1}], "l": [[1]]}, schema=schema)
        clean = out(table, pass_through=["p", "s", "l"])
        assert CANARY not in clean.schema.to_string(show_field_metadata=True)
        assert CANARY.encode() not in clean.schema.serialize().to_pybytes()
        assert clean["s"].to_pylist() == [{"deep": 1}]

    def test_dictionaries_of_what_passes_through_hold_only_what_occurs(self):
        kept = pa.DictionaryArray.from_arrays(pa.array([1, 1], pa.int8()), [CANARY, "x"])
        clean = out(pa.table({"h": ["a", "b"], "p": kept}), pass_through=["p"])
        assert clean["p"].chunk(0).dictionary.to_pylist() == ["x"]
        assert clean["p"].type == kept.type

    def test_what_lies_under_missing_values_and_outside_a_slice_stays_behind(self):
        under = pa.array(["x", CANARY, "y"])
        masked = pa.Array.from_buffers(
            pa.string(), 3, [pa.py_buffer(b"\x05"), *under.buffers()[1:]], null_count=1
        )
        assert masked.to_pylist() == ["x", None, "y"]
        clean = out(pa.table({"h": ["a", "b", "c"], "p": masked}), pass_through=["p"])
        assert clean["p"].to_pylist() == ["x", None, "y"]
        assert CANARY.encode() not in pickle.dumps(clean)
        file = io.BytesIO()
        feather.write_feather(clean, file, compression="uncompressed")
        assert CANARY.encode() not in file.getvalue()
        table = pa.table({"h": ["a", "b"], "p": [CANARY, "y"]}).slice(1)
        assert CANARY.encode() not in pickle.dumps(out(table, pass_through=["p"]))

    @pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view()])
    def test_views_leave_the_rest_of_their_buffer_behind(self, kind):
        views = pa.array([f"{CANARY} and more", "a text that is not inlined"], pa.string_view())
        table = pa.table({"h": ["a", "b"], "p": views.cast(kind)}).slice(1)
        clean = out(table, pass_through=["p"])
        assert clean["p"].type == kind
        assert clean["p"].to_pylist() == table["p"].to_pylist()
        held = [b.to_pybytes() for b in clean["p"].chunk(0).buffers() if b is not None]
        assert not any(CANARY.encode() in buffer for buffer in held)
        file = io.BytesIO()
        feather.write_feather(clean, file, compression="uncompressed")
        assert CANARY.encode() not in file.getvalue()

    def test_views_inside_of_lists_are_refused(self):
        lists = pa.ListArray.from_arrays([0, 1], pa.array(["x" * 20], pa.string_view()))
        with pytest.raises(Malformed, match=r"'p' has the type list.*cast it"):
            out(pa.table({"h": ["a"], "p": lists}), pass_through=["p"])

    def test_extension_types_are_refused(self):
        ids = pa.array([b"0" * 16], pa.uuid())
        nested = pa.ListArray.from_arrays([0, 1], ids)
        for column in (ids, nested):
            with pytest.raises(Malformed, match="'p' has an extension type"):
                out(pa.table({"h": ["a"], "p": column}), pass_through=["p"])
        with pytest.raises(Malformed, match="'h' has an extension type"):
            out(pa.table({"h": ids}))
        assert out(pa.table({"h": ["a"], "p": ids}), drop=["p"]).schema.names == ["h"]

    def test_refusals(self):
        with pytest.raises(Malformed, match="holds no rows"):
            out(pa.table({"h": pa.array([], pa.string())}))
        with pytest.raises(Malformed, match="two columns of the same name"):
            out(pa.table([pa.array(["a"]), pa.array(["b"])], names=["h", "h"]))
        with pytest.raises(Malformed, match="not StringArray"):
            out(pa.array(["a"]))


class TestDuckDB:
    def test_relations(self):
        relation = duckdb.sql("SELECT unnest(['a', 'b', 'c']) AS h, unnest([1, 2, 3]) AS x")
        clean = out(relation, pass_through=["x"])
        assert type(clean) is type(relation)
        assert clean.columns == ["h", "x"]
        assert [str(kind) for kind in clean.types] == [str(kind) for kind in relation.types]
        assert [x for _, x in clean.fetchall()] == [1, 2, 3]

    def test_it_is_drawn_once(self):
        clean = out(duckdb.sql("SELECT 'a' AS h FROM range(200)"))
        assert clean.fetchall() == clean.fetchall()

    @pytest.mark.parametrize("how", [{}, {"shuffle": True, "delta": "1/1000000"}])
    def test_a_relation_that_changes_is_computed_once(self, how, tmp_path):
        """Of other rows each time: what is charged, drawn, sorted and counted must be of the same."""
        duckdb.sql("CREATE OR REPLACE TEMP SEQUENCE computed")
        relation = duckdb.sql("SELECT 'a' AS h, nextval('computed') % 2 AS x FROM range(101)")
        with Ledger(tmp_path / "ledger.db") as ledger:
            ledger.open_account("readers", 9, delta="1/100", unordered=bool(how))
            account = ledger.account("readers")
            released = sanitise(relation, plan_of(pass_through=["x"]), ledger=account, **how)
        assert duckdb.sql("SELECT nextval('computed')").fetchall() == [(102,)]
        assert sum(x for _, x in released.data.fetchall()) == 51
        assert released.data.fetchall() == released.data.fetchall()

    def test_an_enum_carries_no_category(self):
        clean = out(duckdb.sql(f"SELECT 'a'::ENUM('a', 'b', '{CANARY}') AS h"))
        assert CANARY not in str(clean.types)

    def test_what_it_cannot_compute_is_refused_without_a_cell(self):
        relation = duckdb.sql(f"SELECT ('{CANARY}' || range)::INT::VARCHAR AS h FROM range(3)")
        with pytest.raises(Malformed, match=r"cannot be computed; .*\(Conversion") as refused:
            out(relation)
        assert CANARY not in str(refused.value)

    def test_a_connection_is_no_table(self):
        with pytest.raises(Malformed, match="not DuckDBPyConnection"):
            out(duckdb.connect())


class TestColumns:
    """Every column is protected, passed through by name, or dropped."""

    def test_a_column_that_the_plan_does_not_know(self):
        with pytest.raises(Malformed, match="says nothing of the column 'x', 'y'; protect it"):
            out(pa.table({"h": ["a"], "x": [1], "y": [2]}))

    @pytest.mark.parametrize("top", [{"drop": ["q"]}, {"pass_through": ["q"]}, {"unit": "q"}])
    def test_a_column_that_the_table_does_not_have(self, top):
        with pytest.raises(Malformed, match="the table has no column 'q'"):
            out(pa.table({"h": ["a"]}), **top)

    def test_the_protected_column_is_missing(self):
        with pytest.raises(Malformed, match="the table has no column 'h'"):
            out(pa.table({"x": ["a"]}), drop=["x"])

    def test_order_of_columns_is_the_tables(self):
        plan = Plan.read({
            "columns": {"b": LETTERS, "place": PLACE},
            "pass_through": ["z", "a"],
            "drop": ["d"],
        })  # fmt: skip
        table = pa.table({"y": [1.0], "z": [1], "b": ["a"], "d": [CANARY], "a": [2], "x": [3.0]})
        clean = seeded(table, plan)
        assert clean.schema.names == ["y", "z", "b", "a", "x"]
        assert CANARY not in str(clean)

    @pytest.mark.parametrize("thing", ["text", [1], {"h": ["a"]}, None, 5, np.array(["a"])])
    def test_what_is_no_table(self, thing):
        with pytest.raises(
            Malformed, match="must come from pandas, Polars, Arrow, DuckDB or Spark"
        ):
            out(thing)


class TestPeople:
    """A guarantee for people needs a bound on their rows, and the table must keep to it."""

    def test_a_person_with_too_many_rows_is_noticed(self):
        table = pa.table({"h": ["a"] * 4, "who": ["ann", "bob", "ann", "eve"]})
        with pytest.raises(Malformed, match="more rows than rows_per_person = 1") as refusal:
            out(table, unit="who")
        assert "ann" not in str(refusal.value)
        clean = out(table, unit="who", rows_per_person=2)
        assert clean.schema.names == ["h"]

    @pytest.mark.parametrize("people", [[-1, -2, 0], ["1", "2", "3"], [1.0, 2.0, 1.5]])
    def test_different_people_are_told_apart(self, people):
        assert len(out(pa.table({"h": ["a"] * 3, "who": people}), unit="who")) == 3

    def test_people_are_not_named_by_lists(self):
        with pytest.raises(WrongKind, match="identified by texts or numbers, not by a list"):
            out(pa.table({"h": ["a"] * 3, "who": [[1], [2], [1, 2]]}), unit="who")

    def test_rows_that_belong_to_nobody(self):
        with pytest.raises(Malformed, match="column 'who', row 1: is missing"):
            out(pa.table({"h": ["a"] * 2, "who": ["ann", None]}), unit="who")

    def test_in_pandas_and_polars(self):
        rows = {"h": ["a", "b"], "who": [7, 7]}
        for frame in (pd.DataFrame(rows), pl.DataFrame(rows)):
            with pytest.raises(Malformed, match="more rows than"):
                out(frame, unit="who")
            kept = out(frame, unit="who", rows_per_person=2, pass_through=["who"])
            assert list(kept["who"]) == [7, 7]


class TestWarningsAndSources:
    def test_a_seed_warns_and_marks_the_card(self):
        with pytest.warns(InsecureSeedWarning):
            _, card = with_card(pa.table({"h": ["a"]}), plan_of(), insecure_seed=1)
        assert card.secure is False
        assert "NO GUARANTEE" in card.explain()

    def test_without_a_seed_it_is_secure_and_silent(self):
        clean, card = with_card(pa.table({"h": ["a"] * 50}), plan_of())
        assert card.secure
        assert card.count == len(clean) == 50
        assert card.holds

    def test_a_seed_repeats(self):
        table = pa.table({"h": ["a", "b", "c"] * 50})
        assert out(table).equals(out(table))
        assert not out(table).equals(seeded(table, plan_of(), seed=2))

    def test_a_large_level_warns(self):
        for values, spec, words in (
            (["a"], {**LETTERS, "epsilon": "11"}, "ε = 11 between neighbouring values"),
            (
                [1],
                {**NUMBERS, "high": 10**6, "grid": 10, "epsilon": "2"},
                "ε = 20 between neighbouring values",
            ),
        ):
            with pytest.warns(PrivacyLeakWarning) as heard:
                out(pa.table({"h": values}), spec)
            near, whole = (str(warning.message) for warning in heard)
            assert words in near
            assert whole == joint_guarantee(plan_of(spec)).warning

    def test_a_small_unit_does_not(self):
        spec = {**NUMBERS, "high": "0.1", "grid": "0.01", "epsilon": "40"}
        assert len(out(pa.table({"h": [0.05]}), spec)) == 1

    @pytest.mark.parametrize("values", [["a", "A"], ["a", "a "], ["a b", "a  b"]])
    def test_twins_warn(self, values):
        with pytest.warns(PrivacyLeakWarning, match="differ only in case or spaces"):
            out(pa.table({"h": [values[0]]}), {**LETTERS, "values": values})

    def test_a_domain_read_off_the_data_is_refused_until_confirmed(self):
        table = pa.table({"h": ["a"]})
        with pytest.raises(Malformed, match="were read off the data") as refusal:
            out(table, {**LETTERS, "source": "data"})
        assert 'source = "declared"' in str(refusal.value)

    def test_a_plan_may_be_a_mapping_or_a_file(self, tmp_path):
        file = tmp_path / "plan.toml"
        file.write_text('[columns.h]\ntype = "categories"\nvalues = ["a", "b"]\nepsilon = 1\n')
        for plan in (file, str(file), {"columns": {"h": LETTERS}}):
            assert len(sanitise(pa.table({"h": ["a"]}), plan).data) == 1


def test_the_same_rows_whatever_the_kind_of_table():
    rows = {"h": ["a", "b", "c"] * 100, "x": list(range(300))}
    plan = plan_of(pass_through=["x"])
    answers = {
        tuple(seeded(pd.DataFrame(rows), plan)["h"]),
        tuple(seeded(pl.DataFrame(rows), plan)["h"]),
        tuple(seeded(pa.table(rows), plan)["h"].to_pylist()),
        tuple(h for h, _ in seeded(duckdb.from_arrow(pa.table(rows)), plan).fetchall()),
    }
    assert len(answers) == 1


def test_columns_get_noise_of_their_own():
    plan = Plan.read({"columns": {"h": LETTERS, "g": LETTERS}})
    clean = seeded(pa.table({"h": ["a"] * 4000, "g": ["a"] * 4000}), plan)
    pairs = Counter(zip(clean["h"].to_pylist(), clean["g"].to_pylist(), strict=True))
    assert pairs["a", "a"] / 4000 == pytest.approx(1 / 4, abs=0.04)
    assert pairs["b", "c"] / 4000 == pytest.approx(1 / 16, abs=0.03)


def test_parquet_of_a_released_frame_holds_no_original_category(tmp_path):
    column = pd.Categorical(["a", "b"], ["a", "b", CANARY])
    clean = out(pd.DataFrame({"h": column}))
    clean.to_parquet(tmp_path / "x.parquet")
    assert CANARY.encode() not in (tmp_path / "x.parquet").read_bytes()
    assert pq.read_table(tmp_path / "x.parquet").num_rows == 2


@pytest.mark.filterwarnings("ignore::dprivacy.errors.PrivacyLeakWarning")
def test_numbers_and_codes_may_be_mixed_in_one_column_of_objects():
    spec = {"type": "numbers", "low": 0, "high": 4, "grid": 1, "codes": ["N", 9], "epsilon": "60"}
    plan = Plan.read({"columns": {"h": {**spec, "nulls": "category"}}})
    cells = [3, 3.0, "3", "N", 9, "9", 9.0, None, float("nan")]
    found = sanitise(pd.DataFrame({"h": pd.Series(cells, dtype=object)}), plan).data["h"]
    assert found.tolist()[:7] == ["3", "3", "3", "N", "9", "9", "9"]
    assert found.isna().tolist()[7:] == [True, True]
    for strange in (True, b"3", object()):
        with pytest.raises(WrongKind, match="mixes kinds"):
            sanitise(pd.DataFrame({"h": pd.Series([3, "N", strange], dtype=object)}), plan)


class Exporter:
    """Nothing but the way out that the PyCapsule interface asks for, and only once."""

    def __init__(self, table):
        self.streams = iter([table.to_reader()])

    def __arrow_c_stream__(self, requested_schema=None):
        return next(self.streams).__arrow_c_stream__(requested_schema)


@pytest.mark.parametrize("kind", [lambda table: table.to_reader(max_chunksize=7), Exporter])
def test_streams_are_read_once(kind):
    table = pa.table({"h": ["a", "b", "c"] * 40, "x": list(range(120))})
    plan = plan_of(pass_through=["x"])
    clean = sanitise(kind(table), plan).data
    assert isinstance(clean, pa.Table)
    assert clean["x"].to_pylist() == list(range(120))
    assert clean["h"].to_pylist() != table["h"].to_pylist()
    again = pa.RecordBatchReader.from_stream(clean).read_all()
    assert again["h"].to_pylist() == clean["h"].to_pylist()
    only = kind(table.select(["h"]))
    assert len(sanitise(only, plan_of(), shuffle=True, delta="1/100000").data) == 120


def test_a_missing_library_is_named(monkeypatch):
    stream, plan = Exporter(pa.table({"h": ["a"]})), plan_of()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match="needs pyarrow"):
        sanitise(stream, plan)


def test_a_stream_that_is_no_table():
    with pytest.raises(WrongKind, match="not ChunkedArray, whose stream cannot be read as one"):
        sanitise(pa.chunked_array([["a"]]), plan_of())
