"""Plans: what is read, and how everything else is refused."""

import math
import tomllib
from fractions import Fraction

import pytest

from dprivacy.errors import (
    BadFile,
    BadLevel,
    DPrivacyError,
    DuplicateLabel,
    Malformed,
    NotAMetric,
    TooLarge,
)
from dprivacy.numbers.levels import as_level, ln
from dprivacy.release import Plan, forecast
from dprivacy.spaces import line
from dprivacy.store import save
from support import release_tables as specs
from support.release_tables import plan_of

TOML = """
title = "Survey"
unit = "person"
rows_per_person = 2
drop = ["name"]
pass_through = ["region"]

[columns.hobby]
type = "categories"
values = ["sports", "cars"]
epsilon = "ln 5"

[columns."a b"]
type = "numbers"
low = 0
high = 1
grid = 0.1
epsilon = 0.5
nulls = { replace = 0 }
"""


class TestReading:
    def test_toml(self):
        plan = Plan.parse(TOML)
        assert plan.protected == ("hobby", "a b")
        assert plan.left_out == ("name", "person")
        assert plan.rows_per_person == 2
        assert plan.title == "Survey"
        assert plan.column("a b").mechanism.guarantee.eps == as_level("1/2")

    def test_a_decimal_is_what_it_says(self):
        grid = Plan.parse(TOML).column("a b").mechanism.grid
        assert grid.step == Fraction(1, 10)

    def test_a_file_with_a_byte_order_mark(self, tmp_path):
        file = tmp_path / "plan.toml"
        file.write_bytes(b"\xef\xbb\xbf" + TOML.encode())
        assert Plan.read(file) == Plan.parse(TOML) == Plan.read(str(file))

    def test_a_stored_file(self, tmp_path):
        """What `save` wrote is a plan wherever one is read; other stored nouns are not."""
        plan, file = Plan.parse(TOML), tmp_path / "p.json"
        save(plan, file)
        assert Plan.read(file).raw == plan.raw
        assert forecast(file, rows=9) == forecast(plan, rows=9)
        save(line(3), tmp_path / "space.json")
        with pytest.raises(BadFile, match="holds a space of version 1, where a plan"):
            Plan.read(tmp_path / "space.json")
        file.write_text(file.read_text().replace("ln 5", "ln 3"))
        with pytest.raises(BadFile, match="do not match their hash"):
            Plan.read(file)

    @pytest.mark.parametrize(
        "spec",
        [
            specs.LETTERS,
            specs.CODES,
            specs.NUMBERS,
            specs.TREE,
            specs.GRAPH,
            specs.TABLE,
            specs.BITS,
            specs.PLACE,
            specs.BLOCKS,
        ],
    )
    def test_every_type_has_its_usual_mechanism(self, spec):
        column = plan_of(spec).columns[0]
        assert column.kind == spec["type"]
        assert column.mechanism.guarantee.eps <= as_level(spec["epsilon"])

    def test_unconfirmed(self):
        assert plan_of({**specs.LETTERS, "source": "data"}).unconfirmed() == ["h"]
        assert plan_of({**specs.LETTERS, "source": "data, acknowledged"}).unconfirmed() == []
        assert plan_of(specs.LETTERS).unconfirmed() == []

    def test_an_unknown_column(self):
        with pytest.raises(Malformed, match="does not protect a column 'q'"):
            plan_of().column("q")

    def test_a_unit_that_is_released_is_not_left_out(self):
        assert plan_of(unit="id", pass_through=["id"]).left_out == ()
        assert plan_of(unit="id", drop=["id"]).left_out == ("id",)


class TestEpsilon:
    @pytest.mark.parametrize(
        ("written", "exact"),
        [("ln 3", ln(3)), (1, as_level(1)), (0.1, as_level("1/10")), ("4e-12", as_level("4e-12"))],
    )
    def test_accepted(self, written, exact):
        assert (
            plan_of({**specs.LETTERS, "epsilon": written}).columns[0].mechanism.guarantee.eps
            == exact
        )

    @pytest.mark.parametrize(
        "written",
        [0, -1, True, math.nan, math.inf, "nan", "", None, [1], {"a": 1}, "ln 0", "ln 1", "two"],
    )
    def test_refused(self, written):
        with pytest.raises(BadLevel, match="column 'h'"):
            plan_of({**specs.LETTERS, "epsilon": written})

    def test_missing(self):
        with pytest.raises(Malformed, match='epsilon is missing; write epsilon = "ln 2"'):
            plan_of({"type": "categories", "values": ["a", "b"]})

    def test_absurdly_large(self):
        with pytest.raises(DPrivacyError, match="column 'h'"):
            plan_of({**specs.LETTERS, "epsilon": "1e400"})

    @pytest.mark.parametrize("delta", [2, -0.1, "nan", True])
    def test_delta_refused(self, delta):
        with pytest.raises(BadLevel, match="column 'h'"):
            plan_of({**specs.LETTERS, "delta": delta})

    def test_delta_where_it_does_not_fit(self):
        with pytest.raises(Malformed, match="delta is for randomised_response and laplace"):
            plan_of({**specs.TREE, "delta": "0.1"})


@pytest.mark.parametrize(
    "text",
    [
        f"title = 0x{'f' * 5000}",
        f"[columns.h]\ntype = 'categories'\nvalues = [['a', 0x{'f' * 5000}]]",
        f"title = {'9' * 5000}",
    ],
)
def test_numbers_too_long_to_be_written(text):
    with pytest.raises(Malformed, match=r"too long|not TOML"):
        Plan.parse(text)


@pytest.mark.parametrize(
    "spec",
    [
        {"type": "ordered", "values": list(range(3000)), "epsilon": "ln 2"},
        {"type": "ordered", "values": list(range(300)), "epsilon": "10000"},
        {"type": "categories", "values": list(range(4000)), "epsilon": "ln 2"},
        {"type": "categories", "values": list(range(400_000)), "epsilon": "ln 2"},
        {"type": "graph", "edges": [[k, k + 1] for k in range(100_000)], "epsilon": "ln 2"},
        {"type": "tree", "tree": {"all": list(range(100_000))}, "epsilon": "ln 2"},
    ],
)
def test_tables_that_would_fill_the_memory(spec):
    with pytest.raises(TooLarge, match=r"column 'h': an exact table for .* GiB; use fewer"):
        plan_of(spec)


@pytest.mark.parametrize(
    "fault",
    [
        '[columns.b]\ntype = "categories"\nvalues = ["x"]',
        '[columns.b]\ntype = "categories"\nvalues = ["x", 1]\nepsilon = 1',
        '[columns.b]\ntype = "ordered"\nvalues = [1, 2]\nepsilon = 1\nnulls = "category"',
        '[columns.b]\ntype = "ordered"\nvalues = [1, 2]\nepsilon = 1\ncolumns = ["a"]',
    ],
)
def test_a_fault_in_the_last_column_shows_before_anything_is_built(monkeypatch, fault):
    def build(*_):
        raise AssertionError("a mechanism was built")

    monkeypatch.setattr("dprivacy.release.domains.planned_column.mechanism_of", build)
    good = '[columns.a]\ntype = "ordered"\nvalues = [1, 2, 3]\nepsilon = "ln 2"\n'
    with pytest.raises(AssertionError):
        Plan.parse(good)
    with pytest.raises(DPrivacyError):
        Plan.parse(good + fault)


class TestRefusals:
    """One clear sentence each; the column is named."""

    @pytest.mark.parametrize(
        ("spec", "text"),
        [
            ("text", "must be a table of settings"),
            ({**specs.LETTERS, "colour": 1}, "unknown settings colour"),
            ({**specs.LETTERS, "low": 1}, "low does not apply to the type categories"),
            ({**specs.NUMBERS, "blocks": [[1]]}, "is for numbers with codes, and none are listed"),
            ({**specs.LETTERS, "type": "strange"}, "type should be one of 'categories"),
            ({**specs.LETTERS, "type": ["categories"]}, "type should be one of"),
            (
                {**specs.LETTERS, "mechanism": "geometric"},
                "geometric does not fit a column of type",
            ),
            ({**specs.NUMBERS, "mechanism": "randomised_response"}, "choose laplace"),
            ({**specs.LETTERS, "mechanism": ["geometric"]}, "does not fit"),
            ({**specs.LETTERS, "values": ["a"]}, "at least two values"),
            ({**specs.LETTERS, "values": "ab"}, "at least two values"),
            ({**specs.LETTERS, "values": ["a", 1]}, "all texts or all whole numbers"),
            ({**specs.LETTERS, "values": [True, False]}, "all texts or all whole numbers"),
            ({**specs.LETTERS, "values": [1.5, 2.5]}, "all texts or all whole numbers"),
            ({**specs.LETTERS, "values": [["a"], ["b"]]}, "all texts or all whole numbers"),
            ({**specs.LETTERS, "source": "guess"}, "source should be"),
            ({**specs.LETTERS, "nulls": "keep"}, "never kept as it is"),
            ({**specs.LETTERS, "nulls": 5}, "never kept as it is"),
            ({**specs.LETTERS, "nulls": {"replace": "z"}}, "which is not a value"),
            ({**specs.LETTERS, "nulls": {"replace": ["a"]}}, "which is not a value"),
            ({**specs.CODES, "nulls": {"replace": True}}, "which is not a value"),
            ({**specs.NUMBERS, "nulls": {"replace": "one"}}, "which is not a value"),
            ({**specs.NUMBERS, "nulls": {"replace": math.inf}}, "which is not a value"),
            (
                {**specs.BITS, "nulls": "category"},
                "for plain categories, numbers, dates and ordered",
            ),
            ({**specs.BITS, "nulls": {"replace": "01"}}, "which is not a value"),
            ({**specs.BLOCKS, "nulls": "category"}, "is for plain categories"),
            ({**specs.LETTERS, "columns": ["a", "b"]}, "other types name one column"),
            ({"type": "place", "epsilon": 1}, 'columns = ["x", "y"]'),
            ({**specs.PLACE, "columns": "xy"}, "must be a list of column names"),
            ({"type": "numbers", "epsilon": 1}, "laplace needs low, high, grid"),
            ({**specs.NUMBERS, "grid": 3}, "should be a whole number of steps"),
            ({**specs.NUMBERS, "high": -1}, "low should be less than high"),
            ({**specs.NUMBERS, "grid": 0}, "grid should be greater than 0"),
            ({**specs.BITS, "bits": "8"}, "bits: a whole number"),
            ({**specs.BITS, "bits": True}, "bits: a whole number"),
            ({**specs.BITS, "bits": 0}, "at least 1"),
            ({**specs.TREE, "tree": {"Europe": "FR"}}, "a tree needs"),
            ({**specs.TREE, "tree": {"Europe": 5}}, "a tree needs"),
            ({**specs.TREE, "tree": {"Europe": []}}, "a tree needs"),
            ({**specs.TREE, "tree": {"Europe": [["FR"]]}}, "a tree needs"),
            ({**specs.TREE, "tree": {"Europe": [1, "DE"]}}, "all texts or all whole numbers"),
            ({"type": "tree", "epsilon": 1}, "a tree needs"),
            ({**specs.GRAPH, "edges": "ab"}, "a graph needs edges"),
            ({**specs.GRAPH, "edges": [["a", 1]]}, "all texts or all whole numbers"),
            ({**specs.GRAPH, "edges": [["a", "b", -1]]}, "length greater than 0"),
            ({**specs.TABLE, "distances": "none"}, "beside values"),
            ({**specs.BLOCKS, "blocks": [["child"]]}, "list every value once"),
            ({**specs.BLOCKS, "blocks": "child"}, "lists groups of values"),
            ({**specs.CODES, "blocks": [["1"], [2, 3]]}, "list every value once"),
            ({**specs.LETTERS, "blocks": [["a"], ["b"], ["c"]]}, "nothing would be protected"),
        ],
    )
    def test_a_column(self, spec, text):
        with pytest.raises(Malformed) as refusal:
            plan_of(spec)
        assert text in str(refusal.value)
        assert "column 'h'" in str(refusal.value)
        assert "\n" not in str(refusal.value)

    @pytest.mark.parametrize(
        ("spec", "kind"),
        [
            ({**specs.LETTERS, "values": ["a", "a"]}, DuplicateLabel),
            ({**specs.LETTERS, "values": ["é", "e\u0301"]}, DuplicateLabel),
            ({**specs.TREE, "tree": {"E": ["x"], "A": ["x", "y"]}}, DuplicateLabel),
            ({**specs.GRAPH, "edges": [["a", "b"], ["c", "d"]]}, NotAMetric),
            ({**specs.TABLE, "distances": [[0, 1, 9], [1, 0, 1], [9, 1, 0]]}, NotAMetric),
        ],
    )
    def test_what_is_no_space(self, spec, kind):
        with pytest.raises(kind, match="column 'h'"):
            plan_of(spec)

    @pytest.mark.parametrize(
        ("top", "text"),
        [
            ({"unit": 5}, "unit should be"),
            ({"rows_per_person": 0}, "whole number ≥ 1"),
            ({"rows_per_person": True}, "whole number ≥ 1"),
            ({"drop": "x"}, "must be a list of column names"),
            ({"drop": [1]}, "must be a list of column names"),
            ({"drop": ["h"]}, "h appears more than once"),
            ({"pass_through": ["q"], "drop": ["q"]}, "q appears more than once"),
            ({"ledger": 1}, "unknown entries ledger"),
            ({"columns": {}}, "at least one [columns.NAME]"),
            ({"columns": []}, "at least one [columns.NAME]"),
        ],
    )
    def test_the_whole(self, top, text):
        with pytest.raises(Malformed) as refusal:
            plan_of(**top)
        assert text in str(refusal.value)

    def test_a_name_that_is_another_column(self):
        with pytest.raises(Malformed, match="a is the name of another column"):
            Plan.read(
                {"columns": {"a": {**specs.LETTERS, "columns": ["b"]}}, "pass_through": ["a"]}
            )

    @pytest.mark.parametrize(
        ("text", "part"), [("a = = 1", "line 1"), ("[columns", "not TOML"), ("=" * 9, "not TOML")]
    )
    def test_what_is_no_toml(self, text, part):
        with pytest.raises(Malformed, match="not TOML") as refusal:
            Plan.parse(text)
        assert part in str(refusal.value)

    def test_nesting_without_end(self):
        with pytest.raises(Malformed, match="not TOML"):
            Plan.parse("a = " + "[" * 5000)

    def test_files_that_cannot_be_read(self, tmp_path):
        with pytest.raises(Malformed, match="cannot be read"):
            Plan.read(tmp_path / "nothing.toml")
        with pytest.raises(Malformed, match="cannot be read"):
            Plan.read(tmp_path)
        (tmp_path / "latin.toml").write_bytes('title = "é"'.encode("latin-1"))
        with pytest.raises(Malformed, match="not UTF-8"):
            Plan.read(tmp_path / "latin.toml")
        with pytest.raises(Malformed, match="a file or a mapping, not int"):
            Plan.read(5)


def test_a_plan_may_not_be_nested_for_ever():
    deep = ["x", "y"]
    for _ in range(3000):
        deep = {"a": deep}
    with pytest.raises(Malformed, match="nested more than 100 deep"):
        Plan.read({"columns": {"h": {**specs.TREE, "tree": deep}}})
    with pytest.raises(Malformed, match="not TOML"):
        Plan.parse(f"values = {'[' * 3000}{']' * 3000}")


@pytest.mark.parametrize("where", ["value", "column"])
def test_half_of_a_character_is_refused(where):
    """JSON has words for it, and no file in UTF-8 can hold it."""
    value, column = ("\ud800", "h") if where == "value" else ("x", "\ud800")
    spec = {"type": "categories", "values": [value, "y"], "epsilon": 1}
    with pytest.raises(Malformed, match="half of a character") as refusal:
        Plan.read({"columns": {column: spec}})
    assert str(refusal.value).isascii()


@pytest.mark.parametrize("part", ["a", '"a"', "'a' ", "a-b\t"])
def test_long_keys_are_refused_before_they_are_read(part, monkeypatch):
    monkeypatch.setattr(tomllib, "loads", None)  # it takes the square of their length
    for text in (".".join([part] * 50_000) + " = 1", f"x = 1\n[{'.'.join([part] * 102)}]"):
        with pytest.raises(Malformed, match="nested more than 100 deep"):
            Plan.parse(text)


def test_decimals_are_no_long_key():
    values = ", ".join(f"'{k}.5'" for k in range(300))
    spec = (
        f"type = 'categories'\nvalues = [{values}]\nepsilon = 'ln 2'\nnote = '{'wait ... ' * 99}'"
    )
    assert len(Plan.parse(f"[columns.h]\n{spec}").column("h").space) == 300


def test_very_many_names_are_read_at_once_and_told_in_short():
    many = [f"c{k}" for k in range(100_000)]
    plan = Plan.read({"columns": {"tea": TEA}, "drop": many})
    assert len(plan.left_out) == 100_000
    with pytest.raises(Malformed) as refused:
        Plan.read({"columns": {"tea": TEA}, "drop": [*many, *many]})
    assert len(str(refused.value)) < 4000
    assert str(refused.value).startswith("the plan: c0, c1, c10, ")
    assert str(refused.value).endswith("more than once among columns, drop, pass_through")


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 3000 + "]" * 3000,
        ".".join("a" * 3000) + " = 1",
        "[columns.t]\ntype = 'tree'\nepsilon = 1\ntree = " + "{a = " * 3000 + "1" + "}" * 3000,
        "[columns.t]\ntype = 'tree'\nepsilon = 1\ntree." + ".".join("a" * 3000) + " = ['x', 'y']",
        "# " + "a" * (1 << 20),
    ],
)
def test_plans_that_are_deep_or_long(text):
    with pytest.raises(Malformed, match=r"not TOML|nested more than 100 deep|too long for a plan"):
        Plan.parse(text)


TEA = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
