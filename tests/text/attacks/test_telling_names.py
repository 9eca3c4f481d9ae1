"""Whether a name stood in a text: the best threshold by hand, and what noise leaves of it."""

import numpy as np
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.text import Embedding, NameMembership, name_membership, text_cells
from dprivacy.text.attacks.telling_names import _best

TINY = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
NOTES = ["tea moon Maria Oliveira", "tea moon coffee", "moon moon tea"] * 60


def test_without_noise_the_name_is_told_and_in_noise_it_is_not():
    cells = text_cells(TINY, eps=40, length=3)
    clear = name_membership(NOTES, "Maria Oliveira", cells)
    assert (clear.texts, clear.right, clear.plain) == (60, 1, 1)
    faint = name_membership(NOTES, "maria oliveira", text_cells(TINY, eps="1/1000", length=3))
    assert 0.5 <= faint.right < 0.65
    assert faint.plain == 1


def test_another_name_looks_the_same():
    texts = ["tea moon Maria Oliveira", "tea moon Priya Natarajan"] * 50
    found = name_membership(texts, "Maria Oliveira", text_cells(TINY, eps=40, length=3))
    assert found.plain == found.right == 0.5


def test_a_word_of_the_vocabulary_is_told_as_often_as_two_laws_differ():
    """One word each: the share is (1 + the total variation of its two rows)/2."""
    cells = text_cells(TINY, eps="1/4", length=1, find=())
    rows = cells.words.rows(np.array([0, 2])) / 2.0**62
    wanted = (1 + np.abs(rows[0] - rows[1]).sum() / 2) / 2
    found = name_membership(["tea", "moon"] * 1000, "moon", cells)
    assert found.right == pytest.approx(wanted, abs=0.04)


@pytest.mark.parametrize(
    ("there", "gone", "right"),
    [
        ([3, 3], [1, 1], 1),
        ([1, 1], [3, 3], 0.5),
        ([1, 3], [1, 3], 0.5),
        ([1, 3, 3], [1, 1, 3], 2 / 3),
    ],
)
def test_the_best_threshold(there, gone, right):
    assert _best(np.array([*there, *gone], dtype=float), len(there)) == pytest.approx(right)


def test_what_luck_allows():
    """Of two samples of one law, 19 in 20 are told apart no better than `luck` says."""
    rng = np.random.default_rng(3)
    found = [_best(rng.random(200), 100) for _ in range(2000)]
    assert np.mean(np.array(found) <= NameMembership(100, 0, 0).luck) == pytest.approx(
        0.95, abs=0.02
    )


def test_what_cannot_be_attacked():
    cells = text_cells(TINY, eps=1, length=2, unknown="drop", find=())
    with pytest.raises(NotApplicable, match="0 of the texts have the name and 2 have not"):
        name_membership(["tea", "moon"], "Maria", cells)
    with pytest.raises(NotApplicable, match="leaves no word"):
        name_membership(["tea", "xyzzy"], "xyzzy", cells)
