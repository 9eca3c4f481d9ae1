"""Mean-concentrated privacy, by its definition."""

import itertools
import json
import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadLevel
from dprivacy.model import as_channel
from dprivacy.numbers import ln
from dprivacy.spaces import from_table, line
from dprivacy.verify import concentrated_privacy, privacy_loss
from support.loss_channels import brute_scale

COIN = [["3/4", "1/4"], ["1/4", "3/4"]]


SKEW = [["1/2", "1/4", "1/4"], ["1/10", "1/2", "2/5"], ["1/3", "1/3", "1/3"]]


@pytest.mark.statement("T", "Def 10.4.2", "Def 10.3.5")
def test_concentrated_by_definition() -> None:
    X = line(3)
    found = concentrated_privacy(SKEW, X)
    C = as_channel(SKEW)
    means = {
        (x, z): float(privacy_loss(C, x, z).mean) / abs(x - z)
        for x, z in itertools.permutations(C.rows, 2)
    }
    assert float(found.smallest_mu) == pytest.approx(max(means.values()))
    assert found.mean_pair == max(means, key=lambda pair: means[pair])
    scales = [brute_scale(privacy_loss(C, x, z)) for x, z in itertools.permutations(C.rows, 2)]
    assert float(found.smallest_tau) == pytest.approx(max(scales), rel=1e-3)
    assert concentrated_privacy(SKEW, X, mu=found.smallest_mu, tau=2).status == "proved"
    less = found.smallest_mu - Q(1, 10**20)
    assert concentrated_privacy(SKEW, X, mu=less, tau=2).status == "refuted"
    tau = float(found.smallest_tau)
    assert concentrated_privacy(SKEW, X, mu=2, tau=tau).status == "measured"
    assert concentrated_privacy(SKEW, X, mu=2, tau=tau * 0.999).status == "measured to fail"
    assert "subgaussian" in found.explain()
    assert json.dumps(found.to_dict())


def test_concentrated_special_cases() -> None:
    plain = concentrated_privacy(COIN, mu="0.5 ln 3", tau="ln 3")
    assert plain.status == "proved"
    assert concentrated_privacy(COIN, mu="0.5 ln 3", tau=1).status == "measured to fail"
    assert concentrated_privacy([[1, 0], ["1/2", "1/2"]], mu=5, tau=5).status == "refuted"
    assert concentrated_privacy([[1, 0], [1, 0]], mu=0, tau=0).status == "proved"
    assert concentrated_privacy([[0.75, 0.25], [0.25, 0.75]], mu=0.6, tau=1.2).status == "measured"
    assert concentrated_privacy([[0.75, 0.25], [0.25, 0.75]], mu=0.5, tau=1.2).holds is False
    logs = from_table([0, 1], [[0, ln(3)], [ln(3), 0]])
    assert concentrated_privacy(COIN, logs, mu="1/2", tau=2).status == "proved"
    assert concentrated_privacy(COIN, logs, mu="ln 2", tau=2).holds is True  # ln 2·ln 3 > ½·ln 3
    assert concentrated_privacy(COIN, logs, mu="ln(3/2)", tau=2).holds is False
    with pytest.raises(BadLevel, match="μ should be at least 0"):
        concentrated_privacy(COIN, mu=-1)
    far = from_table([0, 1], [[0, math.inf], [math.inf, 0]], extended=True)
    assert concentrated_privacy(COIN, far, mu=0, tau=2).holds is True
