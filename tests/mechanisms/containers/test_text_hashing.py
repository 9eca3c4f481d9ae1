"""Text by hashing: equal to the dictionary's answer for every row, whatever the labels."""

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dprivacy.mechanisms.containers import text_hashing
from dprivacy.mechanisms.containers.label_tables import LabelTables

LETTERS = st.text(st.sampled_from("ab\u00e9\U0001f600 \0"), max_size=5)
MANY = 300  # rows from which hashing is used


def by_dictionary(labels, array):
    index = {label: i for i, label in enumerate(labels)}
    return [index.get(text, len(labels)) for text in array.tolist()]


@given(
    labels=st.lists(LETTERS, min_size=1, max_size=30, unique=True),
    others=st.lists(LETTERS, max_size=10),
    width=st.integers(1, 9),
    seed=st.integers(0, 9),
)
def test_the_dictionary_is_the_truth(labels, others, width, seed):
    rng = np.random.default_rng(seed)
    texts = [*labels, *others]
    array = np.array([texts[i] for i in rng.integers(0, len(texts), MANY)], dtype=f"U{width}")
    found = LabelTables(labels).of_array(array)
    assert found.tolist() == by_dictionary(labels, array)


def test_a_row_that_differs_in_a_character_that_is_not_hashed():
    """The first letter separates the labels; every other letter of a row still counts."""
    labels = ["apple", "berry"]
    array = np.array(["apple", "apply", "berry", "bird", "axxxx"] * 60)
    table = text_hashing.TextTable(labels, np.array([0, 1], dtype=np.uint8), 5)
    assert table.look_up(array, 2).tolist() == [0, 2, 1, 2, 2] * 60


def test_hundreds_of_labels_and_rows_beyond_one_piece():
    labels = [f"label number {i}" for i in range(700)]
    rng = np.random.default_rng(2)
    texts = [*labels, "label number 700", "label number 00", "?"]
    array = np.array(texts)[rng.integers(0, len(texts), 20_000)]
    tables = LabelTables(labels)
    assert tables.of_array(array).tolist() == by_dictionary(labels, array)
    kept = tables.kept(("hash", array.dtype.itemsize // 4), lambda: None)
    assert isinstance(kept, text_hashing.TextTable)


@pytest.mark.parametrize("labels", [["a", "b"], ["a", "b\0"], ["far too long for this array"]])
def test_where_no_hash_is_found_the_dictionary_answers(monkeypatch, labels):
    monkeypatch.setattr(text_hashing, "_MULTIPLIERS", (0,))
    array = np.array(["a", "b", "c"] * 100)
    assert LabelTables(labels).of_array(array).tolist() == by_dictionary(labels, array)
