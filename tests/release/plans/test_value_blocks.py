"""Structural zeros: never violated, and never hidden."""

from collections import Counter

import pyarrow as pa
import pytest

from dprivacy.errors import PrivacyLeakWarning
from dprivacy.estimation import estimate
from dprivacy.release import joint_guarantee
from dprivacy.verify import privacy
from support.release_tables import BLOCKS, LETTERS, plan_of, seeded

PEOPLE = (["child"] * 3 + ["single"] * 2 + ["married"] * 4 + ["widowed"]) * 100


def test_a_value_never_leaves_its_block():
    plan = plan_of(BLOCKS)
    with pytest.warns(PrivacyLeakWarning, match="which block a value is in is published"):
        clean = seeded(pa.table({"h": PEOPLE}), plan)["h"].to_pylist()
    for before, after in zip(PEOPLE, clean, strict=True):
        assert (before == "child") == (after == "child")
    assert len(set(clean)) == 4


def test_the_channel_has_no_way_out_of_a_block():
    channel = plan_of(BLOCKS).columns[0].mechanism.channel
    assert channel["child", "child"] == 1
    assert all(channel["single", y] == 0 for y in channel.columns if y == "child")
    assert all(sum(channel.row(x).values()) == 1 for x in channel.rows)


def test_the_guarantee_holds_inside_and_says_that_blocks_are_revealed():
    plan = plan_of(BLOCKS)
    mechanism = plan.columns[0].mechanism
    assert privacy(mechanism.channel, mechanism.guarantee.space, eps=mechanism.guarantee.eps)
    joint = joint_guarantee(plan)
    assert joint.to_dict()["not_protected"] == ["the block of h"]
    assert "alike in the published columns" in joint.explain()
    assert "not protected: the block of h" in joint.explain()


def test_estimates_still_work():
    mechanism = plan_of(BLOCKS).columns[0].mechanism
    with pytest.warns(PrivacyLeakWarning):
        clean = seeded(pa.table({"h": PEOPLE}), plan_of(BLOCKS))["h"].to_pylist()
    found = estimate(mechanism.channel, dict(Counter(clean)))
    truth = Counter(PEOPLE)
    assert found.counts["child"] == pytest.approx(300, abs=1)
    for label in truth:
        assert abs(found.counts[label] - truth[label]) <= 4 * found.standard_errors[label] + 1


def test_blocks_that_are_alone_keep_their_value():
    spec = {**LETTERS, "blocks": [["b"], ["c", "a"]]}
    channel = plan_of(spec).columns[0].mechanism.channel
    assert channel["b", "b"] == 1
    assert channel["a", "c"] == channel["c", "a"] > 0


def test_blocks_of_an_ordered_column_keep_their_distances():
    spec = {
        "type": "ordered",
        "values": [1, 2, 3, 4],
        "blocks": [[1, 2, 3], [4]],
        "epsilon": "ln 2",
    }
    mechanism = plan_of(spec).columns[0].mechanism
    assert mechanism.guarantee.space.distance(1, 3) == 2
    assert mechanism.guarantee.space.distance(1, 4) == float("inf")
