"""Forecasts: what a plan will cost, before any data is touched."""

import json
import math

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import BadNumber, BadPlan, DPrivacyError, Malformed, NotApplicable
from dprivacy.estimation import estimate
from dprivacy.release import Plan, forecast, needed_eps, row_figures, transition_summary
from support import release_tables as specs
from support.release_tables import plan_of, seeded


def test_how_many_values_stay():
    (column,) = forecast(plan_of(), rows=1000).columns
    assert column.kept == (0.5, 0.5)
    assert column.count_error == pytest.approx(column.share_error * 1000)


def test_how_far_values_move():
    assert forecast(plan_of(), rows=10).columns[0].moved == pytest.approx(1 / 2)
    ordered = {"type": "ordered", "values": [1, 2, 3], "epsilon": "ln 2"}
    channel = plan_of(ordered).columns[0].mechanism.channel
    far = max(sum(float(p) * abs(x - y) for y, p in channel.row(x).items()) for x in (1, 2, 3))
    assert forecast(plan_of(ordered), rows=10).columns[0].moved == pytest.approx(far)
    assert forecast(plan_of(specs.BLOCKS), rows=10).columns[0].moved == pytest.approx(2 / 5)
    strange = {**specs.TABLE, "mechanism": "any_metric"}
    assert forecast(plan_of(strange), rows=10).columns[0].moved is None
    assert forecast(plan_of(specs.PLACE), rows=10).columns[0].moved is None


def test_the_error_ahead_is_the_error_that_comes():
    n = 4000
    (ahead,) = forecast(plan_of(), rows=n).columns
    errors = []
    for seed in range(30):
        clean = seeded(pa.table({"h": ["a", "b"] * 2000}), plan_of(), seed=seed)
        found = estimate(
            plan_of().columns[0].mechanism.channel, clean["h"].to_pylist(), estimator="inverse"
        )
        errors.append(float(found.counts["a"]) - 2000)
    assert np.std(errors) == pytest.approx(ahead.count_error, rel=0.5)
    assert max(map(abs, errors)) < 4.5 * ahead.count_error


def test_in_words_and_as_data():
    plan = Plan.read(
        {
            "columns": {
                "h": specs.LETTERS,
                "t": specs.TREE,
                "p": specs.PLACE,
                "b": specs.BITS,
                "n": specs.NUMBERS,
            }
        }
    )
    ahead = forecast(plan, rows=500)
    text = ahead.explain()
    lines = text.splitlines()
    assert lines[:3] == row_figures(plan).explain().splitlines()
    cells = {line.split()[0]: line.split()[1:] for line in lines[5:10]}
    assert cells["h"][:4] == ["randomised_response", "2", "50%", "(50%)"]
    assert cells["p"] == ["planar_laplace", "no", "limit", "–", "–", "–"]
    assert "with 500 rows, of a corrected proportion in percentage points" in lines[10]
    data = json.loads(json.dumps(ahead.to_dict(), allow_nan=False))
    assert [column["name"] for column in data["columns"]] == ["h", "t", "p", "b", "n"]
    assert data["guarantee"]["columns"]["h"]["eps"] == "ln(2)"


@pytest.mark.parametrize("rows", [0, -5])
def test_without_rows(rows):
    with pytest.raises(Malformed, match="at least one row"):
        forecast(plan_of(), rows=rows)


def test_a_channel_that_cannot_be_inverted_has_no_error():
    spec = {**specs.CODES, "values": [1, 2, 3], "delta": "0"}
    assert forecast(plan_of(spec), rows=10).columns[0].count_error is not None


@pytest.mark.parametrize(("rows", "categories", "points"), [(1200, 5, 3), (10_000, 2, 1)])
def test_the_level_that_is_needed_is_enough(rows, categories, points):
    eps = needed_eps(rows, categories, points)
    spec = {**specs.CODES, "values": list(range(categories))}
    good = forecast(plan_of({**spec, "epsilon": eps * 1.001}), rows=rows).columns[0]
    worse = forecast(plan_of({**spec, "epsilon": eps * 0.9}), rows=rows).columns[0]
    assert 1.96 * good.share_error * 100 <= points * 1.001
    assert worse.share_error > good.share_error


@pytest.mark.parametrize("points", [0, -1, math.nan])
def test_a_precision_that_cannot_be_had(points):
    with pytest.raises(DPrivacyError):
        needed_eps(1000, 3, points)


def test_transitions():
    text = transition_summary(plan_of().columns[0])
    assert text.splitlines()[0] == "h: probability of each released value"
    assert "  a -> a 50.0%, b 25.0%, c 25.0%" in text
    assert "no transition matrix" in transition_summary(plan_of(specs.PLACE).columns[0])


class TestShuffled:
    def test_it_stands_beside_the_local_guarantee(self):
        plan = plan_of()
        alone, both = forecast(plan, rows=5000), forecast(plan, rows=5000, delta="1e-8")
        words = both.explain().splitlines()
        assert words[: words.index(both.shuffled.in_odds())] == alone.explain().splitlines()[:3]
        assert both.shuffled.explain() in words
        assert both.to_dict()["shuffled"]["n"] == 5000
        assert "shuffled" not in alone.to_dict()

    def test_untouched_columns_need_the_smallest_group(self):
        plan = plan_of(pass_through=["town"])
        with pytest.raises(NotApplicable, match="the plan publishes town"):
            forecast(plan, rows=5000, delta="1e-8")
        found = forecast(plan, rows=5000, delta="1e-8", group=400).shuffled
        assert (found.rows, found.smallest, found.proof.n) == (5000, 400, 400)

    @pytest.mark.parametrize("group", [1, 5001, 2.5, "many"])
    def test_a_group_is_part_of_the_table(self, group):
        with pytest.raises(BadNumber, match="at least 2 and at most all 5,000"):
            forecast(plan_of(pass_through=["town"]), rows=5000, delta="1e-8", group=group)

    def test_plans_that_cannot_be_shuffled_are_refused(self):
        with pytest.raises(BadPlan, match="release each block as a table of its own"):
            forecast(plan_of(specs.BLOCKS), rows=5000, delta="1e-8")


def test_the_two_errors_are_those_of_estimates():
    """Noise alone for the people in the table; with sampling for those they stand for."""
    (column,) = forecast(plan_of(), rows=1000).columns
    channel = plan_of().columns[0].channel
    inverse = np.linalg.inv(channel.matrix.floats)
    seen = np.full(3, 1 / 3) @ channel.matrix.floats
    spread = seen @ inverse**2
    assert column.share_error == pytest.approx(math.sqrt((spread - 1 / 3).max() / 1000))
    assert column.sampled_error == pytest.approx(math.sqrt((spread - 1 / 9).max() / 1000))


def test_fifteen_columns_fit_a_screen():
    columns = {f"column {i}": {**specs.LETTERS, "epsilon": "ln 2"} for i in range(15)}
    assert len(forecast({"columns": columns}, rows=100).explain().splitlines()) <= 24


def test_many_columns_stay_one_screen() -> None:
    age = {"type": "numbers", "low": 0, "high": 100, "grid": 1, "epsilon": "1/50"}
    coded = {**age, "codes": ["N"]}
    town = {"type": "categories", "values": list(range(40)), "epsilon": "1"}
    plan = {"columns": {"age": age, "pay": coded, "rent": age, "town": town, "place": town}}
    ahead = forecast(plan, rows=10_000)
    lines = ahead.explain().splitlines()
    assert len(lines) < 20
    (moved,) = (line for line in lines if "nearest point of the grid" in line)
    assert moved.startswith("Columns age, pay, rent: ")
    (coded_line,) = (line for line in lines if line.startswith("Column pay:"))
    assert "(N)" in coded_line
    assert sum("is recommended" in line for line in lines) == 2
    (cells,) = (line.split() for line in lines if line.startswith("age "))
    channel = Plan.read(plan).column("age").channel.matrix.floats
    scores = np.linalg.solve(channel, np.arange(101.0))
    most = math.sqrt((channel @ scores**2 - np.arange(101.0) ** 2).max() / 10_000)
    assert cells[-3:-1] == [f"{most:.3g}", "mean"]
    assert math.isclose(ahead.columns[0].mean_error, most, rel_tol=1e-9)
    assert "over 100" in next(line for line in lines if line.startswith("pay "))


def test_what_holds_for_the_codes_of_several_columns_is_said_once():
    numbers = {"type": "numbers", "low": 0, "high": 10, "grid": 1, "codes": ["N"], "epsilon": "1/5"}
    school = {"type": "ordered", "values": ["a", "b", "c"], "codes": ["N"], "epsilon": "ln 2"}
    plan = {"columns": {"hours": numbers, "pay": {**numbers, "epsilon": "ln 2"}, "school": school}}
    told = forecast(plan, rows=100).explain()
    assert told.count("hether a cell is") == 1
    assert (
        "Whether a cell is a code, and which one, is protected by a factor of at most 2.72 in hours, "
        "32 in pay, 2 in school." in told
    )
    assert told.count("released as if they were") == 1
    alone = forecast({"columns": {"hours": numbers, "tea": specs.LETTERS}}, rows=100).explain()
    assert "Column hours: values below 0" in alone
    assert "Whether a cell is a number or a code (N), and which code, is protected by" in alone
