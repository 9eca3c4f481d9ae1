"""Records of a table: rows taken together, sums of weights, and what Spark gives."""

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.estimation import Survey
from dprivacy.release import Plan, Released, received, sanitise
from dprivacy.release.receiving.gathered_rows import gathered, protected_scores
from support.release_tables import LETTERS

PLAN = Plan.read({"columns": {"h": LETTERS}, "pass_through": ["region", "w", "v"]})
TABLE = pa.table({
    "h": ["a", "b", "a", "c", "a"],
    "region": ["n", "n", "n", "s", None],
    "w": [1.0, 2.0, 0.5, 4.0, 3.0],
    "v": [1, 1, 2, 2, 2],
})  # fmt: skip


@pytest.fixture(scope="module")
def release():
    card = sanitise(TABLE, PLAN).card
    return received(Released(TABLE, card))  # as if no answer had been changed


class OnSpark:
    """A table of which only counts can be had."""

    is_spark, name = True, "the frame"

    def __init__(self, release):
        self.release, self.card, self.columns = release, release.card, release.columns

    def counts(self, columns):
        return self.release.counts(columns)

    def require_apart(self, columns):
        self.release.require_apart(columns)


def read(table, names, survey, release):
    scores = {"h": protected_scores(release, "h")} if "h" in names else {}
    found = gathered(table, names, scores, survey, None)
    keys = zip(*(found.codes[name].tolist() for name in names), strict=True)
    labels = [
        tuple(found.values[name][k] for name, k in zip(names, key, strict=True)) for key in keys
    ]
    return dict(zip(labels, np.arange(len(labels)).tolist(), strict=True)), found.design


def test_alike_rows_are_one_record_with_the_sums_of_their_weights(release):
    at, design = read(release, ["h", "region"], Survey(weights="w"), release)
    assert set(at) == {("a", "n"), ("b", "n"), ("c", "s"), ("a", None)}
    k = at["a", "n"]
    assert (design.rows[k], design.weights[k], design.squares[k]) == (2, 1.5, 1.25)


@pytest.mark.parametrize("cut", [0, 2])
def test_names_that_look_like_paths(release, cut):
    """Arrow reads ".x" as a path to a field; the records are those of the same table, renamed."""
    plan = Plan.read({"columns": {"..": LETTERS}, "pass_through": [".region", "[0]", "count_all"]})
    table = TABLE.rename_columns(["..", ".region", "[0]", "count_all"])
    several = pa.concat_tables([table.slice(0, cut), table.slice(cut)])
    named = received(Released(several, sanitise(table, plan).card))
    at = ["..", ".region", "count_all"]
    found = gathered(named, at, {"..": protected_scores(named, "..")}, Survey(weights="[0]"), None)
    names = ["h", "region", "v"]
    scores = {"h": protected_scores(release, "h")}
    expected = gathered(release, names, scores, Survey(weights="w"), None)
    assert [found.codes[name].tolist() for name in at] == [
        expected.codes[name].tolist() for name in names
    ]
    assert found.design.weights.tolist() == expected.design.weights.tolist()


def test_replicates_are_summed_too(release):
    survey = Survey(weights="w", replicates=["v", "w"], scale=1.0)
    at, design = read(release, ["h"], survey, release)
    assert design.replicates[at["a",]].tolist() == [5, 4.5]
    bare = Survey(replicates=["v"], scale=1.0)
    at, design = read(release, ["h"], bare, release)
    assert design.replicates[at["a",]].tolist() == [5]
    assert design.weights[at["a",]] == 3


def test_batches_are_added_up(release):
    several = pa.concat_tables([TABLE.slice(0, 2), TABLE.slice(2)])
    again = received(Released(several, release.card))
    at, design = read(again, ["h"], Survey(weights="w"), release)
    assert design.weights[at["a",]] == 4.5
    assert design.rows[at["a",]] == 3


def test_the_order_of_rows_changes_no_digit(release):
    turned = received(Released(TABLE.take([4, 3, 2, 1, 0]), release.card))
    survey = Survey(weights="w")
    one, other = (read(table, ["h", "region"], survey, release) for table in (release, turned))
    assert one[0] == other[0]
    assert one[1].weights.tolist() == other[1].weights.tolist()


def test_spark_counts(release):
    at, design = read(OnSpark(release), ["h", "region"], Survey(), release)
    assert design.rows[at["a", "n"]] == 2
    with pytest.raises(NotApplicable, match="Spark counts rows, and column 'w'"):
        read(OnSpark(release), ["h"], Survey(weights="w"), release)


def test_scores_are_remembered(release):
    assert protected_scores(release, "h") is protected_scores(release, "h")
