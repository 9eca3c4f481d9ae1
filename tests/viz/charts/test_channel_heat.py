"""Channels as heat maps: every entry, every label, and words that fit."""

import numpy as np
import pytest

import dprivacy as dp
from support.viz_checks import check_words

HOBBIES = ["Sports", "Cars", "Television", "Computer games", "Reading"]


def response(labels, eps):
    return dp.randomised_response(dp.discrete(labels), eps=eps)


def test_a_heat_map_has_every_entry_and_every_label():
    C = dp.geometric(dp.line(4), eps="ln 2").channel
    figure = C.plot(title="Truncated geometric")
    axes = figure.axes[0]
    assert np.allclose(axes.images[0].get_array(), C.matrix.floats)
    assert [text.get_text() for text in axes.texts] == [
        str(C[x, y]) for x in C.rows for y in C.columns
    ]
    assert [t.get_text() for t in axes.get_xticklabels()] == ["0", "1", "2", "3"]
    check_words(figure)


@pytest.mark.parametrize("size", [12, 13, 60, 101])
def test_large_heat_maps_thin_their_labels_out(size):
    figure = dp.geometric(dp.line(size), eps="ln 2").channel.plot()
    assert bool(figure.axes[0].texts) == (size <= 12)
    check_words(figure)


def test_long_labels_are_broken_turned_or_cut():
    check_words(response(HOBBIES, "ln 2").plot())
    odd = [f"a category with a rather long name, number {k}" for k in range(14)]
    check_words(response(odd, "ln 2").plot())
    check_words(
        dp.uniform(odd).plot(title="A distribution on categories whose names are long " * 3)
    )
