"""What a guess is worth before and after."""

from fractions import Fraction

import numpy as np
import pytest

import dprivacy as dp
from dprivacy import viz
from dprivacy.errors import Malformed
from support.viz_checks import check_words, texts


def test_leakage_joins_before_and_after():
    smokes = dp.model.joint(["smokes", "does not"], ["ill", "well"], [[2, 1], [1, 6]])
    coin = {"smokes": {0: "3/4", 1: "1/4"}, "does not": {0: "1/4", 1: "3/4"}}
    found = dp.flow.scenario(coin, smokes)
    figure = viz.plot_leakage({"survey": found, "by hand": (Fraction(1, 3), "1/2")})
    before, after = figure.axes[0].lines[-2:]
    assert np.allclose(
        before.get_xdata(), [float(found.secret.before), float(found.useful.before), 1 / 3]
    )
    assert np.allclose(
        after.get_xdata(), [float(found.secret.after), float(found.useful.after), 1 / 2]
    )
    assert "×1.5" in texts(figure)
    check_words(figure)
    for kind in (found, found.secret, found.secret.strategy):
        check_words(kind.plot())
    with pytest.raises(Malformed, match="nothing to draw"):
        viz.plot_leakage({})
