"""What a receiver can say: counts, estimates, cross-tables and means, from the file and its card."""

import os
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import Malformed, UnknownCategory
from dprivacy.estimation import estimate
from dprivacy.mechanisms import reports_in
from dprivacy.release import Plan, ReceivedTable, card_path, query, received, sanitise_file
from dprivacy.release.plans.table_card import table_card
from support.parquet_bombs import claimed_dictionary
from support.release_tables import CODES, LETTERS, NUMBERS, PLACE, TABLE, plan_of, seeded_file
from support.report_tables import FAMILIES, every_release, report_plan

N = 6000
SPECS = {
    "h": {**LETTERS, "epsilon": "ln 8"},
    "age": {"type": "ordered", "values": [1, 2, 3, 4, 5], "epsilon": "ln 4"},
    "income": {**NUMBERS, "epsilon": "2"},
    "home": PLACE,
    "zip": {**LETTERS, "values": ["01", "1", "001", "nan", "inf"]},
}


def people(n=N, seed=3):
    rng = np.random.default_rng(seed)
    h = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    return pa.table({
        "h": h,
        "age": np.where(h == "a", 1, rng.integers(1, 6, n)),
        "income": rng.integers(0, 11, n),
        "x": rng.normal(size=n),
        "y": rng.normal(size=n),
        "zip": rng.choice(["01", "1", "001", "nan", "inf"], n, p=[0.5, 0.3, 0.1, 0.05, 0.05]),
        "region": rng.choice(["north", "south"], n),
        "flag": rng.integers(0, 2, n).astype(bool),
        "year": rng.integers(2019, 2022, n),
    })  # fmt: skip


PLAN = Plan.read({"columns": SPECS, "pass_through": ["region", "flag", "year"]})


def within(found, error, true, times=4.5):
    assert abs(found - true) <= times * error + 1


class TestEstimates:
    def test_categories(self, release, truth):
        found = release.estimate("h")
        for label, count in truth["h"].value_counts().items():
            within(found.counts[label], found.standard_errors[label], count)

    def test_texts_that_look_like_numbers_are_not_mixed_up(self, release, truth):
        found = release.estimate("zip")
        assert set(found.counts) == {"01", "1", "001", "nan", "inf"}
        for label, count in truth["zip"].value_counts().items():
            within(found.counts[label], found.standard_errors[label], count)

    def test_ordered_codes(self, release, truth):
        found = release.estimate("age", estimator="inverse")
        for label, count in truth["age"].value_counts().items():
            within(found.counts[label], found.standard_errors[label], count)

    def test_means(self, release, truth):
        for name in ("age", "income"):
            found = release.mean(name)
            true = truth[name].mean()
            assert abs(float(found.value) - true) < 4.5 * found.standard_error < 0.5
            assert found.rows == N

    def test_cross_tables(self, release, truth):
        found = release.cross_table(["h", "region"])
        for (h, region), count in truth.groupby(["h", "region"]).size().items():
            within(*found.cell(h, region), count)

    def test_cross_tables_of_two_protected_columns(self, release, truth):
        found = release.cross_table(["h", "age"], estimator="inverse")
        for (h, age), count in truth.groupby(["h", "age"]).size().items():
            within(*found.cell(h, age), count)
        assert found.counts.sum() == pytest.approx(N)

    def test_truth_values_and_years_pass_through(self, release):
        found = release.cross_table(["h", "flag", "year"])
        assert found.counts.shape == (3, 2, 3)
        assert found.counts.sum() == pytest.approx(N)

    def test_counts_are_those_of_the_file(self, release, truth):
        assert sum(release.counts(["h", "region"]).values()) == N
        by_region = release.counts(["region"])
        assert by_region["north",] == (truth["region"] == "north").sum()

    def test_columns(self, release):
        assert set(release.columns) == {*SPECS, "x", "y", "region", "flag", "year"} - {"home"}


class TestRefusals:
    @pytest.mark.parametrize(
        ("ask", "match"),
        [
            (lambda release: release.estimate("q"), "no column 'q'"),
            (
                lambda release: release.cross_table(["h", "q"]),
                "does not list a column 'q'; it lists h",
            ),
            (lambda release: release.estimate("home"), "has no channel"),
            (lambda release: release.cross_table(["h", "x"]), "has no channel"),
            (lambda release: release.mean("h"), "holds words, which have no size"),
            (lambda release: release.cross_table([]), "a table needs a column"),
            (lambda release: release.cross_table(["h", "h"]), "against itself"),
            (lambda release: release.estimate("region"), "protects no column 'region'"),
        ],
    )
    def test_questions_that_the_card_does_not_answer(self, release, ask, match):
        with pytest.raises(Malformed, match=match):
            ask(release)

    def test_files_that_are_not_there(self, tmp_path):
        with pytest.raises(Malformed, match="does not exist"):
            received(tmp_path / "none.csv")
        (tmp_path / "lone.csv").write_text("h\na\n")
        with pytest.raises(Malformed, match="the card of the release is missing"):
            received(tmp_path / "lone.csv")

    def test_lists_cannot_be_counted(self, tmp_path):
        pq.write_table(pa.table({"h": ["a"], "l": [[1]]}), tmp_path / "in.parquet")
        sanitise_file(
            tmp_path / "in.parquet", plan_of(pass_through=["l"]), tmp_path / "out.parquet"
        )
        with pytest.raises(Malformed, match="cannot be counted"):
            received(tmp_path / "out.parquet").cross_table(["h", "l"])


class TestCards:
    """A card that lies beside must belong to the file; one that is named may go with a copy."""

    @pytest.fixture
    def made(self, tmp_path):
        (tmp_path / "in.csv").write_text("h\n" + "a\nb\nc\n" * 200)
        sanitise_file(tmp_path / "in.csv", plan_of(), tmp_path / "out.csv")
        return tmp_path

    def test_a_file_that_was_changed(self, made):
        with (made / "out.csv").open("a") as file:
            file.write('"a"\n')
        with pytest.raises(Malformed, match="is not the file that"):
            received(made / "out.csv")
        named = received(made / "out.csv", card=made / "out.csv.card.json")
        assert named.estimate("h").n == 601

    def test_a_copy_in_another_format(self, made):
        pq.write_table(pacsv.read_csv(made / "out.csv"), made / "copy.parquet")
        copy = received(made / "copy.parquet", card=made / "out.csv.card.json")
        assert copy.estimate("h").counts == received(made / "out.csv").estimate("h").counts

    def test_a_table_with_other_columns(self, made):
        (made / "other.csv").write_text("x,y\na,1\nb,2\n")
        with pytest.raises(Malformed, match="has no column 'h'"):
            received(made / "other.csv", card=made / "out.csv.card.json")

    def test_a_table_with_other_values(self, made):
        (made / "other.csv").write_text("h\na\nz\n")
        other = received(made / "other.csv", card=made / "out.csv.card.json")
        with pytest.raises(UnknownCategory, match="values that its card does not list"):
            other.estimate("h")

    def test_a_damaged_table(self, made):
        (made / "other.parquet").write_bytes(b"PAR1")
        with pytest.raises(Malformed, match="cannot be read"):
            received(made / "other.parquet", card=made / "out.csv.card.json")


def test_a_column_under_another_name(tmp_path):
    plan = Plan.read({"columns": {"hobby": {**LETTERS, "columns": ["Q17"]}}})
    (tmp_path / "in.csv").write_text("Q17\n" + "a\nb\n" * 300)
    sanitise_file(tmp_path / "in.csv", plan, tmp_path / "out.csv")
    release = received(tmp_path / "out.csv")
    assert release.estimate("hobby").counts == release.estimate("Q17").counts
    assert release.cross_table(["hobby"]).n == 600


@pytest.mark.parametrize("name", [".hobby", "..", "[0]", "count_all", "a.b", "0"])
def test_a_column_whose_name_looks_like_a_path(tmp_path, name):
    plan = Plan.read({"columns": {name: LETTERS}, "pass_through": [".w"]})
    (tmp_path / "in.csv").write_text(f'"{name}",".w"\n' + "a,2\nb,1\n" * 300)
    sanitise_file(tmp_path / "in.csv", plan, tmp_path / "out.csv")
    release = received(tmp_path / "out.csv")
    assert release.estimate(name).n == 600
    assert release.cross_table([name, ".w"]).n == 600


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64(), pa.string()])
def test_a_grid_of_tenths_in_every_type(tmp_path, kind):
    spec = {**NUMBERS, "high": 1, "grid": "0.1", "epsilon": "5"}
    column = pa.array(np.linspace(0, 1, 500).reshape(10, 50).T.ravel(), pa.float64()).cast(kind)
    pq.write_table(pa.table({"h": column}), tmp_path / "in.parquet")
    for ending in ("parquet", "csv"):
        output = tmp_path / f"out_{ending}.{ending}"
        sanitise_file(tmp_path / "in.parquet", plan_of(spec), output, again="a test")
        found = received(output).estimate("h")
        assert found.n == 500
        assert Fraction(1, 10) in found.counts


def test_an_output_that_is_no_input(tmp_path):
    spec = {**TABLE, "mechanism": "any_metric", "values": [1, 2, 3]}
    (tmp_path / "in.csv").write_text("h\n" + "1\n2\n3\n" * 400)
    sanitise_file(tmp_path / "in.csv", plan_of(spec), tmp_path / "out.csv")
    found = received(tmp_path / "out.csv").estimate("h")
    assert set(found.counts) == {1, 2, 3}
    assert found.n == 1200


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_missing_values_as_a_category(tmp_path, ending):
    table = pa.table({"h": ["a", None, "b", None] * 500, "k": [1, None, 3, 3] * 500})
    pq.write_table(table, tmp_path / "in.parquet")
    plan = Plan.read({
        "columns": {
            "h": {**LETTERS, "epsilon": "ln 9", "nulls": "category"},
            "k": {**CODES, "epsilon": "ln 9", "nulls": "category"},
        }
    })  # fmt: skip
    seeded_file(tmp_path / "in.parquet", plan, tmp_path / f"out.{ending}")
    release = received(tmp_path / f"out.{ending}")
    for name, true in [("h", 1000), ("k", 500)]:
        found = release.estimate(name)
        within(found.counts[None], found.standard_errors[None], true)
    assert release.cross_table(["h", "k"]).counts.shape == (4, 4)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_release_that_became_a_pipe_is_not_waited_for(tmp_path, ending):
    (tmp_path / "t.csv").write_text("h\na\nb\n")
    output = tmp_path / f"o.{ending}"
    sanitise_file(tmp_path / "t.csv", {"columns": {"h": LETTERS}}, output)
    output.unlink()
    os.mkfifo(output)
    for card in (None, card_path(output)):
        with pytest.raises(Malformed, match="a pipe or a device"):
            received(output, card=card)


def test_a_folder_without_data_and_one_with_a_bomb(tmp_path):
    pq.write_table(pa.table({"h": ["a", "b"]}), tmp_path / "part-0")
    card = table_card(Plan.read({"columns": {"h": LETTERS}}), rows=2, secure=True)
    table = received(tmp_path, card=card)
    assert sum(table.counts(["h"]).values()) == 2
    (tmp_path / "part-1").write_bytes(claimed_dictionary())
    with pytest.raises(Malformed, match="part-1"):
        table.counts(["h"])
    with pytest.raises(Malformed, match="part-1"):
        query(table, "SELECT count(*) FROM data")
    (tmp_path / "empty").mkdir()
    with pytest.raises(Malformed, match="holds no files of data"):
        received(tmp_path / "empty", card=card)


class TestReports:
    """Columns of reports are estimated through the card: right on average, with the right error."""

    DRINKS, TOWNS = ["rum", "tea"], ["north", "south"]

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("asked", ["estimate", "total", "by", "cross", "public"])
    def test_counts_are_right_on_average_and_so_are_their_variances(self, family, asked):
        mean = second = told = 0.0
        for chance, table in every_release(report_plan(family), self.DRINKS, self.TOWNS):
            value, error = self.counted(table, asked)
            mean += float(chance) * value
            second += float(chance) * value**2
            told += float(chance) * error**2
        true = 0.0 if asked == "public" else 1.0
        assert mean == pytest.approx(true, abs=1e-9)
        assert told >= second - mean**2 - 1e-9  # estimated variances below 0 are told as 0
        if asked == "estimate":
            assert told == pytest.approx(second - mean**2)

    @staticmethod
    def counted(table, asked):
        """How many drink rum (in the south, for "public"), and the standard error."""
        if asked == "estimate":
            found = table.estimate("drink", estimator="inverse")
            return float(found.counts["rum"]), float(found.standard_errors["rum"])
        if asked == "cross":
            found = table.cross_table(["drink", "town"], estimator="inverse").marginal(0)
            return found.cell("rum")
        where = {"drink": "rum"} | ({"town": "south"} if asked == "public" else {})
        by = {"by": "drink"} if asked == "by" else {"where": where}
        if asked == "public" and "south" not in table.data["town"].to_pylist():
            return 0.0, 0.0
        entries = table.total(method="score", **by).entries
        found = next(e for e in entries if asked != "by" or e.keys == ("rum",))
        return found.value, found.standard_error

    @pytest.mark.parametrize("family", FAMILIES)
    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_every_estimator_reads_what_was_written(self, family, ending, tmp_path):
        source = tmp_path / "in.csv"
        source.write_text("drink,town\n" + "tea,n\nrum,s\nrum,n\n" * 400)
        path = tmp_path / f"out.{ending}"
        seeded_file(source, report_plan(family, epsilon="ln 50"), path)
        table = received(path)
        found = {e: table.estimate("drink", estimator=e) for e in ("ibu", "inverse", "projected")}
        for one in found.values():
            error = float(one.standard_errors["rum"])
            assert float(one.counts["rum"]) == pytest.approx(800, abs=6 * error)
            assert 0 < error < 60
        assert sum(found["ibu"].shares) == pytest.approx(1)
        both = table.cross_table(["drink", "town"])
        assert float(both.counts.sum()) == pytest.approx(1200)

    @pytest.mark.parametrize("family", FAMILIES)
    def test_the_likeliest_distribution_is_that_of_the_whole_channel(self, family):
        plan = report_plan(family)
        local, channel = plan.column("drink").local, plan.column("drink").local.channel
        ((_, table), *_) = every_release(plan, ["rum", "tea", "tea"], ["n"] * 3)
        every = local.reports.read(channel.columns).tolist()
        reports = reports_in(local, table.data["drink"].to_pylist()).tolist()
        seen = {y: reports.count(every[k]) for k, y in enumerate(channel.columns)}
        by_matrix = estimate(channel, seen)
        found = table.estimate("drink")
        assert found.log_likelihood == pytest.approx(by_matrix.log_likelihood, rel=1e-6)

    def test_cells_that_are_no_reports_are_refused_without_being_shown(self):
        for family in FAMILIES:
            (_, table), *_ = every_release(report_plan(family), ["rum"], ["n"])
            text = pa.table({"drink": ["secret"], "town": ["n"]})
            strange = ReceivedTable(text, table.card)
            for estimator in ("inverse", "ibu"):
                with pytest.raises(UnknownCategory) as told:
                    strange.estimate("drink", estimator=estimator)
                assert "secret" not in str(told.value)
