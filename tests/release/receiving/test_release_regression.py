"""A regression from a released table and its card: columns as the card says, rows as drawn."""

import numpy as np
import pandas as pd
import pytest

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.estimation import Survey, regress
from dprivacy.release import received, regress_release, sanitise, sanitise_file

PLAN = {
    "columns": {
        "age": {"type": "numbers", "low": 0, "high": 60, "grid": 1, "epsilon": "1/20"},
        "job": {"type": "categories", "values": ["a", "b", "c"], "epsilon": "1"},
        "code": {"type": "categories", "values": [1, 2, 3], "epsilon": "1"},
        "mark": {"type": "ordered", "values": [1, 2, 3], "epsilon": "1"},
    },
    "pass_through": ["z", "y", "w", "region", "psu"],
}


def people(n: int = 3000) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    age, job = rng.integers(0, 61, n), rng.choice(list("abc"), n)
    z = rng.normal(size=n).round(2)
    line = 0.05 * age + (job == "b") - z
    return pd.DataFrame(
        {
            "age": age,
            "job": job,
            "code": rng.integers(1, 4, n),
            "mark": rng.integers(1, 4, n),
            "z": z,
            "y": (line + rng.normal(size=n)).round(3),
            "w": rng.integers(1, 5, n) / 2,
            "region": rng.choice(["north", "south"], n),
            "psu": rng.integers(0, 40, n),
        }
    )


@pytest.fixture(scope="module")
def released():
    return sanitise(people(), PLAN)


def test_it_is_the_regression_on_the_columns_with_their_channels(released):
    found = regress_release(released, "y ~ age + job + z")
    channels = {name: released.card.channel(name) for name in ("age", "job")}
    by_hand = regress("y ~ age + job + z", released.data, channels=channels)
    assert found.coefficients == pytest.approx(by_hand.coefficients)
    assert found.covariance == pytest.approx(by_hand.covariance)


def test_the_card_says_what_is_a_number(released):
    found = regress_release(released, "y ~ code + mark + C(psu)", of="table")
    assert {"code=2", "code=3", "mark"} <= set(found.names)
    assert "psu=1" in found.names
    assert "age" in regress_release(released, "y ~ age").names
    with pytest.raises(NotApplicable, match="61 values, and a column enters"):
        regress_release(released, "y ~ C(age)")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_and_tables_in_hand_agree(tmp_path, ending, released):
    path = tmp_path / f"r.{ending}"
    people().to_csv(tmp_path / "t.csv", index=False)
    sanitise_file(tmp_path / "t.csv", PLAN, path)
    table = received(path)
    survey = Survey(weights="w", strata="region", clusters="psu")
    found = regress_release(table, "y ~ age + job + z", survey=survey)
    frame = pd.read_csv(path) if ending == "csv" else pd.read_parquet(path)
    frame = frame.astype({"y": float, "z": float, "w": float})  # a file of text stays text
    channels = {name: table.card.channel(name) for name in ("age", "job")}
    by_hand = regress("y ~ age + job + z", frame, channels=channels, survey=survey)
    assert found.values == pytest.approx(by_hand.values)
    assert found.covariance == pytest.approx(by_hand.covariance)
    assert found.degrees == by_hand.degrees
    plain = regress_release(table, "y ~ age + job + z")
    assert plain.values != pytest.approx(found.values, rel=1e-6)


def test_words_that_were_passed_through_are_categories(released):
    found = regress_release(released, "region ~ age + z")
    assert found.family == "logistic"
    assert "the odds are those of region = south" in found.assumed
    assert "region=south" in regress_release(released, "y ~ region + age").names


@pytest.mark.parametrize(
    ("formula", "survey", "error", "words"),
    [
        ("y ~ hobby", None, UnknownName, "'hobby'"),
        ("y ~ age", Survey(weights="age"), NotApplicable, "'age' is protected"),
        ("y ~ age", Survey(weights="v"), UnknownName, "'v'"),
    ],
)
def test_refusals(released, formula, survey, error, words):
    with pytest.raises(error, match=words):
        regress_release(released, formula, survey=survey)


def test_missing_values_are_counted():
    table = people(200).astype({"z": float})
    table.loc[:4, "z"] = None
    with pytest.raises(NotApplicable, match="'z' has no value in 5 rows of 200"):
        regress_release(sanitise(table, PLAN), "y ~ z")


def test_permanent_answers_are_said_to_be_one_row_a_person():
    table = people(300).assign(person=range(300))
    plan = {**PLAN, "pass_through": [*PLAN["pass_through"], "age"], "unit": "person"}
    plan["columns"] = {"job": PLAN["columns"]["job"]}
    plan |= {"drop": ["person", "code", "mark"], "values_per_person": 1}
    made = sanitise(table, plan, permanent_key=b"k" * 32)
    assert any("one row a person" in note for note in regress_release(made, "y ~ job").assumed)
