"""The whole journey on real tables: inspect, confirm, plan, sanitise, estimate, query."""

import gzip
import io
import re
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from dprivacy.errors import Malformed
from dprivacy.estimation import estimate
from dprivacy.release import Plan, forecast, propose, query, received, sanitise, sanitise_file
from dprivacy.release.columns.demo_survey import survey
from support.real_data import real
from support.release_tables import plan_of, seed_is_noticed, seeded_file, weak_rows

ADULT = [
    "age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation",
    "relationship", "race", "sex", "capital_gain", "capital_loss", "hours_per_week",
    "native_country", "income",
]  # fmt: skip


def adult():
    raw = gzip.decompress(real("adult", "adult.data.gz").read_bytes())
    frame = pd.read_csv(io.BytesIO(raw), names=ADULT, skipinitialspace=True, dtype=str)
    return frame[["sex", "race", "income", "education", "workclass", "age"]]


def acs():
    path = real("nist_acs_excerpts", "national2019.csv.gz")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return frame[["SEX", "MSP", "RAC1P", "HOUSING_TYPE", "PUMA"]]


def sdcmicro():
    path = real("sdcmicro", "testdata.csv.gz")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return frame[["urbrur", "roof", "walls", "water", "electcon", "sex"]]


def compas():
    path = real("compas", "compas_fta_11710.csv.gz")
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    return frame[["Person_ID", "Sex_Code_Text", "ScoreText", "DecileScore", "MaritalStatus"]]


TABLES = {
    "adult": (adult, {"pass_through": ["sex"]}, ("income", "sex"), ["race", "income", "workclass"]),
    "acs": (acs, {"pass_through": ["SEX"]}, ("MSP", "SEX"), ["MSP", "RAC1P", "HOUSING_TYPE"]),
    "sdcmicro": (sdcmicro, {"pass_through": ["sex"]}, ("roof", "sex"), ["roof", "walls", "water"]),
    "compas": (
        compas,
        {"pass_through": ["Sex_Code_Text"]},
        ("ScoreText", "Sex_Code_Text"),
        ["ScoreText", "DecileScore", "MaritalStatus"],
    ),
}


def confirmed(text, frame, through):
    """What a person does to a first plan: pass a column through, and confirm the domains."""
    for name in through:
        text = re.sub(rf"\[columns\.{re.escape(name)}\]\n(.+\n)+\n?", "", text)
    listed = ", ".join(f'"{name}"' for name in through)
    text = text.replace("pass_through = [] ", f"pass_through = [{listed}] ")
    text = text.replace('source = "data" ', 'source = "declared" ')
    return text.replace('nulls = "refuse" ', 'nulls = "category" ')


@weak_rows
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_from_a_real_table_to_answers(name, ending, tmp_path):
    read, top, cross, checked = TABLES[name]
    frame = read().sample(frac=1, random_state=0, ignore_index=True)  # real tables come in groups
    source = tmp_path / f"in.{ending}"
    if ending == "csv":
        frame.to_csv(source, index=False)
    else:
        frame.to_parquet(source)

    first = propose(source, eps="ln 9")
    with pytest.raises(Malformed, match="were read off the data"):
        sanitise_file(source, Plan.parse(first), tmp_path / "no.csv")
    plan = Plan.parse(confirmed(first, frame, top["pass_through"]))
    assert plan.pass_through == tuple(top["pass_through"])
    if name == "compas":
        assert "Person_ID" in plan.drop

    ahead = forecast(plan, rows=len(frame))
    assert f"with {len(frame):,} rows" in ahead.explain()
    card = seeded_file(source, plan, tmp_path / f"out.{ending}")
    assert card.count == len(frame)

    release = received(tmp_path / f"out.{ending}")
    for column in checked:
        found = release.estimate(column)
        truth = Counter(frame[column])
        assert found.n == len(frame)
        for label, count in found.counts.items():
            error = found.standard_errors[label]
            assert abs(float(count) - truth["" if label is None else str(label)]) < 4.8 * error + 1
        total = sum(abs(float(c) - truth[str(x)]) for x, c in found.counts.items())
        assert total / len(frame) < 0.25, column

    protected, through = cross
    both = frame.groupby([protected, through]).size()
    table = release.cross_table([protected, through])
    sql = f'SELECT "{protected}", "{through}", count(*) FROM data GROUP BY 1, 2 ORDER BY 1, 2'
    answer = query(release, sql)
    for row, line in zip(answer.rows, answer.spreads, strict=True):
        true = both.get((_written(row[0]), _written(row[1])), 0)
        assert abs(row[2] - true) < 4.8 * line[2].error + 1, row
    assert sum(row[2] for row in answer.rows) == pytest.approx(len(frame))
    assert table.counts.sum() == pytest.approx(len(frame))


def _written(value):
    """A value as the file has it: a double that is whole is written without a point."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def test_ages_of_adults_have_a_mean(tmp_path):
    frame = adult()[["age"]]
    frame.to_csv(tmp_path / "in.csv", index=False)
    spec = {"type": "numbers", "low": 0, "high": 100, "grid": 5, "epsilon": "0.1"}
    plan = Plan.read({"columns": {"age": spec}})
    seeded_file(tmp_path / "in.csv", plan, tmp_path / "out.csv")
    found = received(tmp_path / "out.csv").mean("age")
    true = np.clip(np.rint(frame["age"].astype(float) / 5) * 5, 0, 100).mean()
    assert abs(float(found.value) - true) < 4.5 * found.standard_error
    assert found.standard_error < 0.5


# ------------------------------------------------------------------------------------- coverage

HEALTH = {"type": "ordered", "values": ["bad", "fair", "good", "very good"], "epsilon": "ln 2"}
HOBBY = {
    "type": "categories",
    "values": ["sports", "cars", "television", "computer games", "reading"],
    "epsilon": "ln 5",
}


def coverage(spec, values, repetitions, estimator="ibu"):
    """The share of 95 % intervals, over all cells, that hold the true count."""
    plan, table, truth = plan_of(spec), pa.table({"h": values}), Counter(values)
    channel = plan.columns[0].mechanism.channel
    inside = cells = 0
    for seed in range(repetitions):
        with seed_is_noticed():
            clean = sanitise(table, plan, insecure_seed=seed).data
        found = estimate(channel, dict(Counter(clean["h"].to_pylist())), estimator=estimator)
        for label, (low, high) in found.intervals.items():
            inside += low <= truth[label] <= high
            cells += 1
    return inside / cells


@pytest.mark.parametrize(("spec", "name"), [(HOBBY, "hobby"), (HEALTH, "health")])
def test_intervals_cover_the_truth_in_short(spec, name):
    assert 0.88 <= coverage(spec, survey()[name], 40) <= 0.995


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ["ibu", "inverse"])
@pytest.mark.parametrize(("spec", "name"), [(HOBBY, "hobby"), (HEALTH, "health")])
def test_intervals_cover_the_truth(spec, name, estimator):
    """Three values in a hundred of leeway would hide nothing: 200 runs, 800 to 1000 intervals."""
    assert 0.93 <= coverage(spec, survey()[name], 200, estimator) <= 0.97


@pytest.mark.slow
def test_intervals_of_a_cross_table_cover_the_truth():
    people = survey()
    plan = Plan.read({"columns": {"hobby": HOBBY, "health": HEALTH}})
    table = pa.table({name: people[name] for name in ("hobby", "health")})
    truth = Counter(zip(people["hobby"], people["health"], strict=True))
    channels = [column.mechanism.channel for column in plan.columns]
    inside = cells = 0
    for seed in range(200):
        with seed_is_noticed():
            clean = sanitise(table, plan, insecure_seed=seed).data.to_pandas()
        seen = pd.crosstab(clean["hobby"], clean["health"]).reindex(
            index=channels[0].columns, columns=channels[1].columns, fill_value=0
        )
        found = estimate(channels, seen.to_numpy())
        low, high = found.intervals
        for i, x in enumerate(channels[0].rows):
            for j, z in enumerate(channels[1].rows):
                inside += low[i, j] <= truth[x, z] <= high[i, j]
                cells += 1
    assert 0.93 <= inside / cells <= 0.97
