"""Pictures of matching experiments."""

import numpy as np
import pytest

from dprivacy.errors import Malformed
from dprivacy.hashing import hashing_loss, nearest_distances, utility_loss_experiment
from dprivacy.viz import picture, plot_loss_experiment, plot_nearest_distances
from support.viz_checks import check_words, texts

VECTORS = np.random.default_rng(0).integers(0, 6, (30, 5)) + 0.5


@pytest.mark.statement("T", "Fig 10.3", "Fig 10.4", "Fig 10.5")
@pytest.mark.parametrize("bits", [[8], [8, 12], [4, 8, 12]])
def test_losses_against_the_budget(bits):
    found = utility_loss_experiment(
        VECTORS, bits=bits, k=2, distances=["0.05", "0.25"], budgets=[1, 5, 20], repetitions=2
    )
    figure = found.plot(title="A small experiment")
    check_words(figure)
    assert len(figure.axes) == len(bits)
    for axes, length in zip(figure.axes, bits, strict=True):
        lines = {line.get_label(): line for line in axes.lines}
        assert len(lines) == 6
        for name, mechanism in (("hash, then flip", "LSHRR"), ("noise, then hash", "LapLSH")):
            line = lines[f"{name} ({mechanism}), distance 0.25"]
            drawn = list(zip(*line.get_data(), strict=True))
            assert drawn == found.curve(mechanism, bits=length, distance="0.25")
        plain = found.at(mechanism="LSH", bits=length).loss
        assert set(lines["plain hash"].get_ydata()) == {plain}
        assert set(lines["random others"].get_ydata()) == {found.chance[2]}


def test_losses_against_the_length_of_the_hash():
    found = hashing_loss(VECTORS, bits=[4, 8, 16], k=[1, 3], repetitions=2)
    figure = plot_loss_experiment(found, title="Plain hashes")
    check_words(figure)
    assert {"1 match each", "3 matches each"} <= set(texts(figure))
    assert type(picture(found)) is type(figure)


@pytest.mark.statement("T", "Fig 10.2")
def test_how_far_the_nearest_are():
    table = np.abs(np.subtract.outer(VECTORS[:, 0], VECTORS[:, 0]))
    named = {"some people": nearest_distances(table), "others": [0.1, 0.2, 0.2]}
    figure = plot_nearest_distances(named, title="Nearest neighbours")
    check_words(figure)
    (axes,) = figure.axes
    heights = [patch.get_data().values.sum() for patch in axes.patches]
    assert np.allclose(heights, 1)  # shares of people
    assert plot_nearest_distances({"all alike": [0, 0, 0]}).axes
    for bad in ({}, {"nobody": []}):
        with pytest.raises(Malformed, match="at least one distance"):
            plot_nearest_distances(bad)
