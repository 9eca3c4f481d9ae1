"""A transformer for pipelines: the noise of a row is drawn once, whoever asks and however often."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dprivacy.errors import Malformed, NotApplicable
from dprivacy.release import Plan, ProtectColumns
from support.release_tables import LETTERS, plan_of

FRAME = pd.DataFrame({"h": ["a", "b", "c"] * 40, "x": range(120), "name": ["n"] * 120})
PLAN = plan_of(pass_through=["x"], drop=["name"])
PEOPLE = plan_of(unit="x", drop=["x", "name"])


def test_fit_and_transform():
    step = ProtectColumns(PLAN)
    clean = step.fit(FRAME).transform(FRAME)
    assert list(clean.columns) == ["h", "x"]
    assert clean["x"].tolist() == FRAME["x"].tolist()
    assert clean["h"].tolist() != FRAME["h"].tolist()
    assert list(step.get_feature_names_out()) == ["h", "x"]
    assert step.n_features_in_ == 3
    assert list(step.feature_names_in_) == ["h", "x", "name"]


def test_each_person_is_drawn_once():
    step = ProtectColumns(PEOPLE).fit(FRAME[:60])
    first = step.transform(FRAME[:60])["h"].tolist()
    both = step.transform(FRAME)["h"].tolist()
    assert both[:60] == first
    assert step.transform(FRAME[::-1])["h"].tolist() == both[::-1]
    assert "120 rows drawn" in repr(step)
    assert both != ProtectColumns(PEOPLE).fit_transform(FRAME)["h"].tolist()


def test_clones_share_what_was_drawn():
    step = ProtectColumns(PEOPLE)
    one, two = step.__sklearn_clone__(), step.__sklearn_clone__()
    drawn = one.fit_transform(FRAME)["h"].tolist()
    assert two.fit_transform(FRAME)["h"].tolist() == drawn
    assert step.fit(FRAME).transform(FRAME[7:9])["h"].tolist() == drawn[7:9]


def test_rows_that_nothing_identifies_are_one_table():
    step = ProtectColumns(PLAN).fit(FRAME)
    drawn = step.transform(FRAME)["h"].tolist()
    assert step.transform(FRAME)["h"].tolist() == drawn
    for other in (FRAME[:60], FRAME[::-1], FRAME.assign(h="a")):
        with pytest.raises(NotApplicable, match="before it is split into folds"):
            step.__sklearn_clone__().fit(other).transform(other)


def test_a_person_keeps_the_values():
    step = ProtectColumns(PEOPLE).fit(FRAME)
    step.transform(FRAME[:3])
    with pytest.raises(NotApplicable, match="1 row came before with other values of the same 'x'"):
        step.transform(FRAME.assign(h=["b", *FRAME["h"][1:]]))
    assert "3 rows drawn" in repr(step)


def test_another_plan_is_another_step():
    step = ProtectColumns(PEOPLE)
    step.fit_transform(FRAME)
    weaker = plan_of({**LETTERS, "epsilon": "ln 9"}, unit="x", drop=["x", "name"])
    with pytest.raises(NotApplicable, match="adds its level"):
        step.set_params(plan=weaker).fit_transform(FRAME)


def test_a_pickled_copy_draws_nothing_and_holds_no_mark():
    step = ProtectColumns(PEOPLE).fit(FRAME)
    drawn = step.transform(FRAME[:60])["h"].tolist()
    copy = pickle.loads(pickle.dumps(step))
    assert copy.transform(FRAME[:60])["h"].tolist() == drawn
    assert copy.transform(FRAME[:60].assign(h="a"))["h"].tolist() == drawn  # it cannot compare
    with pytest.raises(NotApplicable, match="60 rows have no noise yet"):
        copy.transform(FRAME)
    assert not copy._drawn._marks
    assert copy._drawn._key != step._drawn._key
    whole = ProtectColumns(PLAN).fit(FRAME)
    whole.transform(FRAME)
    with pytest.raises(NotApplicable, match="one table"):
        pickle.loads(pickle.dumps(whole)).transform(FRAME)


def test_the_level_is_said():
    two = Plan.read({"columns": {"h": LETTERS, "g": LETTERS}, "unit": "x", "drop": ["x"]})
    step = ProtectColumns(two).fit(FRAME[["h", "x"]].assign(g="a"))
    assert step.guarantee_.total == two.column("h").mechanism.guarantee.eps * 2
    assert repr(ProtectColumns(two)) == "ProtectColumns(not fitted)"
    assert f"2 columns, ε = {step.guarantee_.total} a person in all, 0 rows drawn" in repr(step)


def test_arrays_and_frames():
    plan = {"columns": {"x0": LETTERS}, "pass_through": ["x1"]}
    cells = np.array([["a", 1], ["b", 2], ["c", 3]], dtype=object)
    step = ProtectColumns(plan)
    clean = step.fit_transform(cells)
    assert isinstance(clean, np.ndarray)
    assert clean[:, 1].tolist() == [1, 2, 3]
    assert not hasattr(step, "feature_names_in_")
    assert list(step.get_feature_names_out()) == ["x0", "x1"]
    frame = step.set_output(transform="pandas").transform(cells)
    assert list(frame.columns) == ["x0", "x1"]
    assert frame["x0"].tolist() == clean[:, 0].tolist()
    other = step.set_output(transform="polars").transform(cells)
    assert isinstance(other, pl.DataFrame)
    kept = ProtectColumns(PLAN).fit_transform(pl.from_pandas(FRAME))
    assert isinstance(kept, pl.DataFrame)
    with pytest.raises(Malformed, match="one of default, pandas, polars, not 'csv'"):
        step.set_output(transform="csv")
    with pytest.raises(Malformed, match="column x0 should hold texts or numbers of one kind"):
        step.fit(np.array([["a"], [1]], dtype=object))
    with pytest.raises(Malformed, match="two dimensions, not 1"):
        step.fit(np.array([1, 2]))
    with pytest.raises(Malformed, match="collected first"):
        step.fit(pl.from_pandas(FRAME).lazy())


def test_fit_checks_the_columns():
    with pytest.raises(Malformed, match="says nothing of the column 'y'"):
        ProtectColumns(PLAN).fit(FRAME.assign(y=1))
    with pytest.raises(Malformed, match="has no column 'x'"):
        ProtectColumns(PLAN).fit(FRAME.drop(columns="x"))
    with pytest.raises(Malformed, match="read off the data"):
        ProtectColumns(plan_of({**LETTERS, "source": "data"})).fit(FRAME[["h"]])
    step = ProtectColumns(PLAN).fit(FRAME)
    with pytest.raises(Malformed, match="X has 2 features, but ProtectColumns is expecting 3"):
        step.transform(FRAME[["h", "x"]])
    with pytest.raises(Malformed, match="should match those that were passed during fit"):
        step.transform(FRAME[["x", "h", "name"]])
    with pytest.raises(Malformed, match="is not equal to feature_names_in_"):
        step.get_feature_names_out(["h", "x", "y"])


def test_the_columns_of_an_array_may_be_given_names():
    plan = {"columns": {"x0": LETTERS}, "drop": ["x1"], "pass_through": ["x2"]}
    step = ProtectColumns(plan).fit(np.array([["a", "b", "c"]], dtype=object))
    assert step.get_feature_names_out().tolist() == ["x0", "x2"]
    assert step.get_feature_names_out(["tea", "name", "town"]).tolist() == ["tea", "town"]
    with pytest.raises(Malformed, match="should have length equal to number of features"):
        step.get_feature_names_out(["tea"])


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
    with pytest.raises(Malformed, match="no parameter epsilon"):
        step.set_params(epsilon=1)
    with pytest.raises(ValueError, match="not fitted yet"):
        step.transform(FRAME)
