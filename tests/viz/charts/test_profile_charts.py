"""The privacy profile as a curve."""

import numpy as np
import pytest

import dprivacy as dp
from dprivacy import viz
from support.viz_checks import check_words


def response(labels, eps):
    return dp.randomised_response(dp.discrete(labels), eps=eps)


def test_the_profile_is_the_exact_curve_and_marks_its_kinks():
    C = dp.geometric(dp.line(4), eps="ln 2").channel
    profile = dp.privacy_profile(C)
    figure = profile.plot()
    curve, kinks = figure.axes[0].lines
    for eps, delta in curve.get_xydata()[::7]:
        assert delta == pytest.approx(float(dp.verify.delta_at(C, eps=float(eps))), abs=1e-9)
    assert np.allclose(kinks.get_xydata(), [[float(e), float(d)] for e, d in profile.kinks])
    check_words(figure)
    check_words(viz.plot_profile({"geometric": C, "response": response(range(4), "ln 3")}))
    constant = dp.privacy_profile([["1/2", "1/2"], ["1/2", "1/2"]]).plot()
    assert not constant.axes[0].lines[0].get_ydata().any()
