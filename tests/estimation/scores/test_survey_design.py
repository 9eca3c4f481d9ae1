"""Survey designs: what is read, and what is refused in words."""

import numpy as np
import pytest

from dprivacy.errors import BadNumber, NotApplicable, WrongKind, WrongShape
from dprivacy.estimation.scores.survey_design import Survey, read_weights, records


def test_a_survey_names_its_columns_once():
    survey = Survey(weights="w", strata="region", clusters="region")
    assert survey.columns == ("w", "region")
    assert survey.draws
    assert not Survey(weights="w").draws
    assert Survey(replicates=["r1", "r2"], scale=0.5).replicates == ("r1", "r2")


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"fraction": 2}, BadNumber, "share from 0 to 1, not 2"),
        ({"fraction": {"north": -0.1}}, BadNumber, "not -0.1"),
        ({"replicates": ["r"]}, BadNumber, "replicates and scale belong together"),
        ({"scale": 0.5}, BadNumber, "replicates and scale belong together"),
        (
            {"replicates": ["r"], "scale": 1.0, "strata": "s"},
            NotApplicable,
            "either these or those",
        ),
    ],
)
def test_surveys_that_are_refused(given, error, words):
    with pytest.raises(error, match=words):
        Survey(**given)


@pytest.mark.parametrize(
    ("weights", "error", "words"),
    [
        ([1, -1, -2], BadNumber, "negative in 2 of 3 rows"),
        ([1, np.nan], BadNumber, "missing or text in 1 row"),
        (["a", "b"], WrongKind, "text or missing"),
        ([0, 0], BadNumber, "all be 0, as they are in 2 rows"),
    ],
)
def test_weights_that_are_refused(weights, error, words):
    with pytest.raises(error, match=words):
        read_weights(weights)


def test_a_cluster_name_in_two_strata_is_two_clusters_and_said():
    found = records([1] * 4, strata=["n", "n", "s", "s"], clusters=[1, 2, 1, 1])
    assert len(set(found.clusters.tolist())) == 3
    assert "1 cluster shared a name with one in another stratum" in found.notes[0]


def test_shares_by_stratum_must_be_complete():
    assert records([1, 1], strata=["n", "s"], fraction={"n": 0.5, "s": 1}).fractions.tolist() == [
        0.5,
        1,
    ]
    with pytest.raises(NotApplicable, match="'s' has none"):
        records([1, 1], strata=["n", "s"], fraction={"n": 0.5})


def test_lengths_must_agree():
    with pytest.raises(WrongShape, match="3 strata for 2 weights"):
        records([1, 1], strata=[1, 2, 3])
