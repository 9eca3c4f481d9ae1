"""A transformer for pipelines: nothing is learned, and every call draws anew."""

import pandas as pd
import pytest

from dprivacy.errors import Malformed
from dprivacy.release import Plan, ProtectColumns
from support.release_tables import LETTERS, plan_of

FRAME = pd.DataFrame({"h": ["a", "b", "c"] * 40, "x": range(120), "name": ["n"] * 120})
PLAN = plan_of(pass_through=["x"], drop=["name"])


def test_fit_and_transform():
    step = ProtectColumns(PLAN)
    clean = step.fit(FRAME).transform(FRAME)
    assert list(clean.columns) == ["h", "x"]
    assert clean["x"].tolist() == FRAME["x"].tolist()
    assert list(step.get_feature_names_out()) == ["h", "x"]
    assert step.n_features_in_ == 3
    assert step.feature_names_in_ == ["h", "x", "name"]


def test_every_call_draws_anew():
    step = ProtectColumns(PLAN).fit(FRAME)
    assert step.transform(FRAME)["h"].tolist() != step.transform(FRAME)["h"].tolist()
    assert len(ProtectColumns(PLAN).fit_transform(FRAME)) == 120


def test_fit_checks_the_columns():
    with pytest.raises(Malformed, match="says nothing of the column 'y'"):
        ProtectColumns(PLAN).fit(FRAME.assign(y=1))
    with pytest.raises(Malformed, match="has no column 'x'"):
        ProtectColumns(PLAN).fit(FRAME.drop(columns="x"))
    with pytest.raises(Malformed, match="read off the data"):
        ProtectColumns(plan_of({**LETTERS, "source": "data"})).fit(FRAME[["h"]])


def test_plans_of_any_kind(tmp_path):
    mapping = {"columns": {"h": LETTERS}, "pass_through": ["x"], "drop": ["name"]}
    assert list(ProtectColumns(mapping).fit_transform(FRAME).columns) == ["h", "x"]
    with pytest.raises(Malformed, match="a plan is a file or a mapping, not NoneType"):
        ProtectColumns(None).fit(FRAME)


def test_parameters():
    step = ProtectColumns(PLAN)
    assert step.get_params() == {"plan": PLAN}
    other = Plan.read({"columns": {"h": LETTERS}})
    assert step.set_params(plan=other) is step
    assert step.get_params()["plan"] == other
    assert list(step.get_feature_names_out(["h", "x"])) == ["h"]
    with pytest.raises(Malformed, match="no parameter epsilon"):
        step.set_params(epsilon=1)
