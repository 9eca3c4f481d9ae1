"""What was drawn, inside scikit-learn itself: its own checks of estimators, and folds."""

from unittest import SkipTest

import numpy as np
import pandas as pd
import polars as pl
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.release import ProtectColumns
from dprivacy.release.frames.pipeline_step import _columns
from support.release_tables import plan_of

pytest.importorskip(
    "sklearn", reason="scikit-learn is not installed: pip install 'dprivacy[sklearn]'"
)

from sklearn import config_context
from sklearn.base import clone
from sklearn.model_selection import cross_validate
from sklearn.naive_bayes import CategoricalNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OrdinalEncoder
from sklearn.utils import estimator_checks

FRAME = pd.DataFrame({"h": ["a", "b", "c"] * 40, "x": range(120)})
PEOPLE = plan_of(unit="x", drop=["x"])
NUMBERS = {
    "type": "numbers",
    "low": -1e6,
    "high": 1e6,
    "grid": 0.5,
    "epsilon": 1,
    "nulls": {"replace": 0},
}


class AnyNumbers(ProtectColumns):
    """With a plan for whatever numbers a check brings: the first column says whose a row is."""

    def fit(self, X, y=None):
        cells = _columns(X)
        first, *others = cells
        apart = others and len(cells[first].drop_null().unique()) == len(cells[first])
        columns = dict.fromkeys(others if apart else cells, NUMBERS)
        whose = {"unit": first, "pass_through": [first]} if apart else {}
        self.plan, asked = {**whose, "columns": columns}, self.plan
        try:
            return super().fit(X, y)
        finally:
            self.plan = asked


# Each sends rows that nothing identifies a second time, in another table: that is refused on purpose.
REFUSED = {
    "check_estimators_dtypes": "four tables to one step",
    "check_estimators_pickle": "a table with gaps to a pickled copy",
    "check_methods_sample_order_invariance": "the same rows in another order",
    "check_methods_subset_invariance": "some of the rows in small batches",
}


@pytest.mark.filterwarnings("ignore:Estimator AnyNumbers does not inherit:UserWarning")
@pytest.mark.filterwarnings("ignore::dprivacy.errors.PrivacyLeakWarning")
def test_scikit_learns_own_checks_pass_or_are_refused_on_purpose():
    passed, refused = set(), {}
    for _, check in estimator_checks.estimator_checks_generator(AnyNumbers({})):
        try:
            check(AnyNumbers({}))  # one of its own, since clones share what was drawn
        except SkipTest:
            continue
        except NotApplicable as reason:
            refused[check.func.__name__] = str(reason)
        else:
            passed.add(check.func.__name__)
    assert set(refused) == set(REFUSED)
    assert all("noise was drawn for one table" in reason for reason in refused.values())
    assert len(passed) > 30  # 38 with scikit-learn 1.9


# Its other checks of containers fit one step to columns of two names, which is two plans;
# check_param_validation reads an attribute of scikit-learn's own estimators; and
# check_dataframe_column_names_consistency wants a refusal on several lines, and ours are on one.
@pytest.mark.parametrize(
    "name",
    [
        "check_get_feature_names_out_error",
        "check_set_output_transform",
        "check_transformer_get_feature_names_out",
        "check_transformer_get_feature_names_out_pandas",
    ],
)
@pytest.mark.filterwarnings("ignore::dprivacy.errors.PrivacyLeakWarning")
def test_checks_that_scikit_learn_keeps_for_itself(name):
    getattr(estimator_checks, name)("AnyNumbers", AnyNumbers({}))


def test_folds_see_one_drawing():
    step = ProtectColumns(PEOPLE)
    encode = OrdinalEncoder(categories=[["a", "b", "c"]])
    pipeline = make_pipeline(step, encode, CategoricalNB(min_categories=3))
    truth = np.arange(120) % 2
    for folds in (3, 5):
        done = cross_validate(pipeline, FRAME, truth, cv=folds, return_estimator=True)
        assert {len(one[0]._drawn) for one in done["estimator"]} == {120}
    tables = [one[0].transform(FRAME)["h"].tolist() for one in done["estimator"]]
    assert all(table == tables[0] for table in tables)
    assert clone(step).fit_transform(FRAME)["h"].tolist() == tables[0]


def test_folds_of_rows_that_nothing_identifies_are_refused():
    pipeline = make_pipeline(ProtectColumns(plan_of()), OrdinalEncoder(), CategoricalNB())
    with pytest.raises(NotApplicable, match="before it is split into folds"):
        cross_validate(pipeline, FRAME[["h"]], np.arange(120) % 2, error_score="raise")


def test_the_configured_container():
    with config_context(transform_output="polars"):
        assert isinstance(ProtectColumns(PEOPLE).fit_transform(FRAME), pl.DataFrame)
