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


def test_two_equal_rows_at_distance_0_hide_no_other_pair():
    """A pair that needs nothing once had the rate ∞, before which every other pair was left out."""
    rows = [["3/4", "1/4"], ["3/4", "1/4"], ["1/4", "3/4"]]
    space = from_table(range(3), [[0, 0, 1], [0, 0, 1], [1, 1, 0]], pseudo=True)
    found = concentrated_privacy(rows, space)
    assert (found.holds, found.smallest_mu) == (True, ln(3) / 2)
    assert concentrated_privacy(rows, space, mu="0.5").holds is False
    rows[1] = ["1/2", "1/2"]
    assert concentrated_privacy(rows, space).smallest_mu == math.inf


def test_an_output_that_one_input_cannot_give_makes_the_mean_infinite():
    found = concentrated_privacy([["1/2", "1/2"], ["1", "0"]])
    assert (found.holds, found.smallest_mu, found.mean_pair) == (False, math.inf, (0, 1))


@pytest.mark.parametrize("power", [17, 80, 200, 400])
def test_rows_that_differ_in_a_late_digit(power):
    """The squares of such losses, or the losses themselves, are lost in doubles."""
    tie = Q(1, 10**power)
    found = concentrated_privacy([[Q(1, 2) + tie, Q(1, 2) - tie], [Q(1, 2), Q(1, 2)]])
    assert found.holds
    assert 0 < found.smallest_mu < 5 * tie**2
    assert found.smallest_tau >= tie


def test_of_two_rates_that_agree_to_80_digits_the_larger_is_found():
    tie = Q(1, 10**80)
    rows = [[Q(3, 4), Q(1, 4)], [Q(1, 4), Q(3, 4)], [Q(1, 4) - tie, Q(3, 4) + tie]]
    found = concentrated_privacy(rows)
    assert found.mean_pair in {(0, 2), (2, 0)}
    assert found.smallest_mu > ln(3) / 2


def test_a_distance_below_the_smallest_double():
    space = from_table(range(2), [[0, "1e-400"], ["1e-400", 0]])
    assert (
        concentrated_privacy([["3/4", "1/4"], ["1/4", "3/4"]], space).smallest_mu
        == ln(3) * 5 * Q(10) ** 399
    )


def test_floats_at_a_distance_below_the_smallest_double():
    space = from_table(range(2), [[0, "1e-350"], ["1e-350", 0]])
    found = concentrated_privacy([[0.75, 0.25], [0.25, 0.75]], space, mu=1)
    assert (found.holds, found.smallest_mu) == (False, math.inf)
