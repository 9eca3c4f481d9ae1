"""Labels of a card found in the cells of a table, however these are written."""

from fractions import Fraction as Q

import pytest

from dprivacy.errors import UnknownCategory
from dprivacy.release.receiving.label_positions import positions_of


@pytest.mark.parametrize(
    ("labels", "cells", "places"),
    [
        (["a", "01", None], ["01", None, "a"], [1, 2, 0]),
        ([1, 2, None], [2, "1", 1.0, None], [1, 0, 0, 2]),
        ([Q(0), Q(1, 2), "N", "99", None], ["0.5", 0.5, "0", 0, "N", "99", 99, 99.0, None],
         [1, 1, 0, 0, 2, 3, 3, 3, 4]),
        ([1, 2, "⊥"], ["1", "⊥", "2"], [0, 2, 1]),
    ],
)  # fmt: skip
def test_cells_are_found_by_their_number_or_their_words(labels, cells, places):
    assert [at for (at,) in positions_of([(cell,) for cell in cells], [labels])] == places


@pytest.mark.parametrize(
    ("labels", "cell"),
    [(["01"], "1"), ([1, 2], 3), ([Q(1), "N"], "n"), ([Q(1), "N"], None), ([Q(1), "N"], 2)],
)
def test_cells_that_the_card_does_not_list_are_refused(labels, cell):
    with pytest.raises(UnknownCategory, match="its card does not list"):
        positions_of([(cell,)], [labels])
