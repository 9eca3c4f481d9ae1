"""Topics against words: at one level of a whole text a topic survives, and words do not."""

import math

import pytest

from dprivacy.errors import WrongShape
from dprivacy.text import compare_forms, small_embedding

TOPICS = {"water": ["river", "lake"], "law": ["judge", "court"]}
TEXTS = ["the old river and a lake", "the jury and a lawyer in court"] * 300
LABELS = ["water", "law"] * 300


def test_a_topic_is_told_as_often_as_its_level_allows_and_words_tell_nothing_at_that_level():
    levels = ["ln 4", "ln 20"]
    found = compare_forms(
        TEXTS, LABELS, TOPICS, small_embedding(), length=6, levels=levels, eps=[40]
    )
    told = [(row.keep, row.right) for row in found.rows]
    assert [keep for keep, _ in told] == ["topic", "topic", "words", "words", "words"]
    assert found.plain == 1
    assert [right for _, right in told] == pytest.approx([4 / 5, 20 / 21, 0.5, 0.5, 1], abs=0.12)
    assert [row.level for row in found.rows[:4]] == pytest.approx([math.log(4), math.log(20)] * 2)


def test_labels_must_be_topics():
    with pytest.raises(WrongShape, match="among the 2 topics"):
        compare_forms(["a"], ["fire"], TOPICS, small_embedding(), length=2, levels=[1])
