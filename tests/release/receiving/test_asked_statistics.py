"""Statistics of a received table: right within their errors, in every group, design and format."""

import math

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import BadNumber, NotApplicable, TooLarge, UnknownCategory, UnknownName
from dprivacy.estimation import Survey
from dprivacy.release import Plan, ReceivedTable, received, sanitise_file
from dprivacy.release.domains.published_values import declared_outputs
from dprivacy.release.plans.table_card import table_card
from support.release_tables import weak_rows, with_card

N = 4000
PLAN = Plan.read({
    "columns": {
        "job": {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 8"},
        "age": {"type": "numbers", "low": 0, "high": 20, "grid": 1, "epsilon": "1"},
        "code": {"type": "categories", "values": [1, 2, 3], "epsilon": "ln 8"},
        "spent": {"type": "numbers", "low": 0, "high": 3000, "grid": 1, "epsilon": "1/10"},
    },
    "pass_through": ["w", "region", "town", "bad", "zero", "minus"],
    "drop": ["name"],
})  # fmt: skip


def people(seed=3):
    rng = np.random.default_rng(seed)
    job = rng.choice(["a", "b", "c"], N, p=[0.5, 0.3, 0.2])
    return pa.table({
        "job": job,
        "age": np.clip(rng.normal(np.where(job == "c", 12, 8), 3, N).round(), 0, 20).astype(int),
        "code": rng.integers(1, 4, N),
        "spent": rng.integers(0, 3001, N),
        "w": rng.gamma(2, 1, N).round(3),
        "region": rng.choice(["north", "south"], N),
        "town": rng.integers(0, 40, N),
        "bad": ["x"] + ["1"] * (N - 1),
        "zero": [0] * N,
        "minus": [-1, -1] + [1] * (N - 2),
        "name": ["nobody"] * N,
    })  # fmt: skip


@pytest.fixture(scope="module", params=["hand", "csv", "parquet"])
def release(request, tmp_path_factory):
    if request.param == "hand":
        data, card = with_card(people(), PLAN)
        from dprivacy.release import Released

        return received(Released(data, card))
    folder = tmp_path_factory.mktemp("asked")
    import pyarrow.parquet as pq

    pq.write_table(people(), folder / "people.parquet")
    output = folder / f"out.{request.param}"
    sanitise_file(folder / "people.parquet", PLAN, output)
    return received(output)


@pytest.fixture(scope="module")
def truth():
    return people().to_pandas()


pytestmark = weak_rows


def near(found, true, times=4.5):
    assert abs(found.value - true) <= times * found.standard_error
    assert found.standard_error > 0


def test_counts_and_weighted_totals(release, truth):
    old = truth[truth.age >= 12]
    near(release.total(where="age>=12"), len(old))
    near(release.total(where="age>=12", weights="w"), old.w.sum())
    found = release.total(by=["region", "job"], weights="w")
    for keys, true in truth.groupby(["region", "job"]).w.sum().items():
        near(found.at(*keys), true)
    assert found.of == "table"
    near(release.total("age", where={"job": "c"}), truth.age[truth.job == "c"].sum())


def test_means_shares_and_spreads(release, truth):
    near(release.mean("age"), truth.age.mean())
    near(release.mean("age", where={"job": "c"}), truth.age[truth.job == "c"].mean())
    found = release.mean("age", by="job", where={"region": "north"})
    for job, true in truth[truth.region == "north"].groupby("job").age.mean().items():
        near(found.at(job), true)
    near(release.share(where={"job": "a"}), (truth.job == "a").mean())
    near(release.share({"job": "c"}, where="age>=12"), (truth.age[truth.job == "c"] >= 12).mean())
    near(release.variance("age"), truth.age.var(ddof=0))
    indicator = (truth.job == "c").astype(float)
    pair = release.covariance("age", lambda job: job == "c")
    near(pair, np.cov(truth.age, indicator, ddof=0)[0, 1])
    near(
        release.correlation("age", lambda job: job == "c"), np.corrcoef(truth.age, indicator)[0, 1]
    )


def test_the_same_column_in_filter_value_and_group(release, truth):
    near(release.total("age", where="age>=12"), truth.age[truth.age >= 12].sum())
    found = release.mean(lambda age, job: age * (job == "c"), by="job")
    near(found.at("c"), truth.age[truth.job == "c"].mean())
    assert found.at("a").value == pytest.approx(0, abs=1e-6)


def test_groups_are_those_that_meet_the_conditions(release, truth):
    found = release.mean("age", by="region", where={"region": "north"})
    assert [entry.keys for entry in found.entries] == [("north",)]
    assert release.total().value == N
    assert release.total(by="region").at("north").standard_error == 0
    with pytest.raises(NotApplicable, match="no row meets the conditions"):
        release.mean("age", where={"region": "west"})


def test_public_values_by_protected_groups(release, truth):
    found = release.mean("w", by="job")
    for job, true in truth.groupby("job").w.mean().items():
        near(found.at(job), true)


def test_a_number_with_too_many_points_for_a_matrix(release, truth):
    near(release.mean("spent"), truth.spent.mean())
    near(release.mean("spent", by="region", weights="w").at("north"),
         np.average(truth.spent, weights=truth.w * (truth.region == "north")))  # fmt: skip
    found = release.quantile("spent", 0.25)
    assert found.interval[0] <= truth.spent.quantile(0.25) <= found.interval[1]


def test_quantiles_by_public_groups(release, truth):
    found = release.quantile("age", by="region")
    for region, true in truth.groupby("region").age.median().items():
        assert found.at(region).low <= true <= found.at(region).high
    with pytest.raises(NotApplicable, match="conditions of public columns"):
        release.quantile("age", where={"job": "a"})
    with pytest.raises(NotApplicable, match="passed through"):
        release.quantile("w")


def test_designs_speak_of_the_population(release):
    plain = release.mean("age")
    drawn = release.mean("age", of="population")
    assert drawn.of == "population"
    assert drawn.standard_error > plain.standard_error
    survey = Survey(weights="w", strata="region", clusters="town")
    found = release.mean("age", survey=survey)
    assert found.of == "population"
    assert "in another stratum" in found.notes[0]
    whole = release.mean(
        "age", survey=Survey(weights="w", strata="region", fraction=1.0), of="population"
    )
    assert whole.standard_error == pytest.approx(release.mean("age", weights="w").standard_error)
    by_name = Survey(strata="region", fraction={"north": 0.5, "south": 0.25})
    assert release.mean("age", survey=by_name).standard_error > 0


def test_replicate_weights(release):
    survey = Survey(weights="w", replicates=["town", "w"], scale=0.5)
    found = release.total(where={"job": "a"}, survey=survey)
    assert found.only.method == "score"
    towns = release.total(where={"job": "a"}, weights="town", method="score").value
    plain = release.total(where={"job": "a"}, weights="w", method="score").value
    assert found.standard_error == pytest.approx(math.sqrt(0.5) * abs(towns - plain))


def test_weighted_tables_have_the_errors_of_weighted_totals(release):
    table = release.cross_table(["job", "region"], weights="w", estimator="inverse")
    found = release.total(by=["job", "region"], weights="w", method="score")
    for i, job in enumerate("abc"):
        for j, region in enumerate(("north", "south")):
            entry = found.at(job, region)
            assert table.counts[i, j] == pytest.approx(entry.value)
            assert table.standard_errors[i, j] == pytest.approx(entry.standard_error)
    margin = table.marginal(0)
    alone = release.total(by="job", weights="w", method="score")
    assert margin.standard_errors[0] == pytest.approx(alone.at("a").standard_error)


@pytest.mark.parametrize(
    ("ask", "error", "words"),
    [
        (lambda r: r.mean("name"), UnknownName, "was left out of this release"),
        (lambda r: r.total(where={"job": "a"}, weights="age"), NotApplicable, "'age' is protected"),
        (lambda r: r.total(weights="bad", where="age>1"), BadNumber, "column 'bad'.* 1 row"),
        (lambda r: r.total(weights="minus", where="age>1"), BadNumber, "negative in 2 of"),
        (lambda r: r.total(weights="zero", where="age>1"), BadNumber, "not all be 0"),
        (lambda r: r.mean("job"), NotApplicable, "holds words"),
        (lambda r: r.mean("code"), NotApplicable, "labels of type 'categories'"),
        (lambda r: r.mean("age", of="people"), UnknownName, "table"),
        (lambda r: r.mean("age", method="best", by="job"), UnknownName, "method"),
        (lambda r: r.mean("age", confidence=2), BadNumber, "between 0 and 1"),
        (lambda r: r.mean(lambda town, w, spent: 1), TooLarge, "combinations"),
        (
            lambda r: r.mean("age", survey=Survey(weights="w"), weights="zero"),
            NotApplicable,
            "only once",
        ),
        (
            lambda r: r.total(where=lambda region, job: 1, method="likelihood"),
            NotApplicable,
            "protected columns alone",
        ),
        (lambda r: r.mean("age", survey=Survey(clusters="zero")), NotApplicable, "single cluster"),
    ],
)
def test_questions_that_are_refused(release, ask, error, words):
    with pytest.raises(error, match=words):
        ask(release)


def test_a_dropped_column_is_said_to_be_dropped(release):
    with pytest.raises(UnknownName, match="was left out of this release"):
        release.total(where={"job": "a"}, weights="name")


def test_a_card_that_does_not_fit_the_table(tmp_path):
    other = Plan.read(
        {"columns": {"job": {"type": "categories", "values": ["x", "y"], "epsilon": 1}}}
    )
    data, _ = with_card(people(), PLAN)
    _, card = with_card(pa.table({"job": ["x", "y"]}), other)
    from dprivacy.release import Released

    with pytest.raises(UnknownCategory, match="card does not list; is this the card of this table"):
        received(Released(data, card)).share(where={"job": "x"})


CODED = {"type": "numbers", "low": 0, "high": 2, "grid": 1, "codes": ["N", "9"], "epsilon": "ln 2"}
DATED = {
    "type": "dates",
    "low": "2020-01-01",
    "high": "2020-01-15",
    "grid": "7 days",
    "codes": ["?"],
}


def expected_release(spec, people):
    """A table that holds every value as often as it is expected of a population, times a number."""
    plan = Plan.read({"columns": {"x": spec}})
    matrix = plan.columns[0].channel.matrix
    counts = np.array(people, dtype=object) @ matrix.entries
    cells = declared_outputs(plan.columns[0]).to_pylist()
    table = pa.table({"x": [cell for cell, n in zip(cells, counts, strict=True) for _ in range(n)]})
    return ReceivedTable(table, table_card(plan, rows=len(table), secure=True)), matrix.den


@pytest.mark.parametrize("spec", [CODED, {**CODED, "codes": [-1, 9]}])
def test_codes_beside_numbers_are_corrected_and_left_out_of_sums(spec):
    people = [3, 1, 2, 4, 5]  # of 0, 1, 2, the first code and the second
    table, times = expected_release(spec, people)
    first, second = map(str, spec["codes"])
    counts = {entry.keys[0]: entry.value for entry in table.total(by="x").entries}
    expected = dict(zip((0, 1, 2, first, second), people, strict=True))
    assert counts == pytest.approx({key: times * n for key, n in expected.items()})
    assert table.mean("x").entries[0].value == pytest.approx(5 / 6)
    assert "x without its codes" in table.mean("x").explain()
    assert table.total(where="x>=1").entries[0].value == pytest.approx(3 * times)
    assert table.total(where=f"x={second}").entries[0].value == pytest.approx(5 * times)
    assert table.total(where=lambda x: x == first).entries[0].value == pytest.approx(4 * times)
    with pytest.raises(NotApplicable, match="codes or missing values"):
        table.quantile("x")


def test_dates_are_counted_and_compared():
    table, times = expected_release({**DATED, "epsilon": "1/7*ln 2"}, [1, 2, 3, 4])
    assert table.total(where="x>=2020-01-08").entries[0].value == pytest.approx(5 * times)
    assert table.total(where="x=2020-01-01..2020-01-08").entries[0].value == pytest.approx(
        3 * times
    )
    assert table.total(where="x=?").entries[0].value == pytest.approx(4 * times)
    with pytest.raises(NotApplicable, match="holds dates, which are not added up"):
        table.mean("x")
