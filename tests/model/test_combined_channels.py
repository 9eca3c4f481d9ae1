"""Channels side by side, and chosen by a coin."""

from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import Malformed, NotStochastic, TooLarge
from dprivacy.model import Channel, as_channel, mixture, parallel

COIN = Channel(["yes", "no"], ["yes", "no"], [["3/4", "1/4"], ["1/4", "3/4"]])


def test_large_combinations_are_refused_with_an_estimate() -> None:
    wide = as_channel(np.full((300, 300), 1 / 300))
    with pytest.raises(TooLarge, match="300×300,000"):
        wide & as_channel(np.full((300, 1000), 1 / 1000))
    with pytest.raises(TooLarge, match="90,000×90,000"):
        parallel(wide, wide)
    with pytest.raises(TooLarge, match=r"10\^"):
        parallel(*[wide] * 2000)
    with pytest.raises(Malformed):
        parallel()


def test_parallel_and_mixture_by_hand() -> None:
    both = parallel(COIN, Channel([0], ["u", "v"], [["1/3", "2/3"]]))
    assert both[("yes", 0), ("no", "v")] == Q(1, 4) * Q(2, 3)
    constant = Channel(["yes", "no"], ["no", "dunno"], [["1/2", "1/2"], ["1/2", "1/2"]])
    hidden = mixture(["1/4", "3/4"], [COIN, constant])
    assert hidden.row("yes") == {"yes": Q(3, 16), "no": Q(1, 16) + Q(3, 8), "dunno": Q(3, 8)}
    seen = mixture(["1/4", "3/4"], [COIN, constant], visible=True)
    assert seen["yes", (1, "no")] == Q(3, 8)
    with pytest.raises(Malformed, match="1 weight for 2"):
        mixture([1], [COIN, constant])
    with pytest.raises(Malformed):
        mixture([], [])
    with pytest.raises(NotStochastic):
        mixture(["1/2", "1/3"], [COIN, constant])
