"""What a receiver makes of columns that were drawn together: right tables, margins, refusals."""

import numpy as np
import pandas as pd
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.release import attack, query, received, regress_release, sanitise
from dprivacy.release.plans.table_card import table_card
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.receiving.table_receiver import ReceivedTable

COLUMNS = {
    "sex": {"type": "categories", "values": ["f", "m"]},
    "town": {"type": "categories", "values": [1, 2, 3]},
    "tea": {"type": "categories", "values": ["y", "n"], "epsilon": "ln 9"},
}
PLAN = {"columns": COLUMNS, "joint": {"both": {"columns": ["sex", "town"], "epsilon": "ln 30"}}}
SHARES = {
    ("f", 1): 0.3,
    ("f", 2): 0.1,
    ("f", 3): 0.0,
    ("m", 1): 0.05,
    ("m", 2): 0.15,
    ("m", 3): 0.4,
}


@pytest.fixture(scope="module")
def expected_release():
    """A table with exactly the expected noisy counts, so that estimates are exact."""
    plan = Plan.read(PLAN)
    channel = plan.columns[0].channel
    n = 35_000_000 // 1000
    rows = []
    for y in channel.columns:
        chance = sum(share * float(channel[x, y]) for x, share in SHARES.items())
        rows += [y] * round(n * chance)
    frame = pd.DataFrame({
        "sex": [s for s, _ in rows], "town": [t for _, t in rows],
        "tea": np.where(np.arange(len(rows)) % 2, "y", "n"),
    })  # fmt: skip
    return received(_release(frame, plan))


def _release(frame, plan):
    from dprivacy.release import Released

    return Released(frame, table_card(plan, rows=len(frame), secure=True))


def test_the_joint_table_is_found_again(expected_release):
    found = expected_release.estimate("both", estimator="inverse")
    for label, share in SHARES.items():
        assert found.counts[label] / found.n == pytest.approx(share, abs=1e-3)
    table = expected_release.cross_table(["town", "sex"], estimator="inverse")
    assert table.names == ("sex × town",)
    assert table.counts.ravel() / found.n == pytest.approx(list(SHARES.values()), abs=1e-3)


def test_one_column_alone_by_its_margin(expected_release):
    sex = expected_release.estimate("sex", estimator="inverse")
    assert sex.counts["f"] / sex.n == pytest.approx(0.4, abs=1e-3)
    town = expected_release.cross_table(["town", "tea"], estimator="inverse")
    assert town.counts.sum(axis=1) / sex.n == pytest.approx([0.35, 0.25, 0.4], abs=1e-3)


@pytest.mark.parametrize(
    "question",
    [
        lambda table: attack(table, secret="sex", known=["town"]),
        lambda table: table.counts(["sex", "town"]),
        lambda table: regress_release(table, "tea ~ sex + town"),
        lambda table: query(table, "SELECT sex, count(*) FROM data WHERE town = 1 GROUP BY sex"),
    ],
)
def test_questions_that_take_noise_to_be_independent_are_refused(question, expected_release):
    with pytest.raises(NotApplicable, match="were drawn together"):
        question(expected_release)


def test_other_questions_are_answered(expected_release):
    assert attack(expected_release, secret="sex", also=["tea"]).factor == pytest.approx(270)
    answer = query(expected_release, "SELECT count(*) FROM data WHERE sex = 'f'")
    assert answer.rows[0][0] / sum(expected_release.counts(["sex"]).values()) == pytest.approx(
        0.4, abs=0.01
    )


def test_other_releases_are_as_they_were():
    plain = {"columns": {"tea": COLUMNS["tea"]}}
    release = sanitise(pd.DataFrame({"tea": ["y", "n"]}), plain)
    table = received(release)
    assert table.joints == ()
    assert table.card is release.card
    assert isinstance(table, ReceivedTable)
