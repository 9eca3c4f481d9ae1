"""The nouns: distributions, channels, hypers, gains, guarantees, verdicts, mechanisms."""

from dprivacy.model.channel import Channel
from dprivacy.model.combine import mixture, parallel
from dprivacy.model.dist import Dist, empirical, joint, point, uniform
from dprivacy.model.earth_move import EarthMove, earth_move
from dprivacy.model.files import read_channel, read_space
from dprivacy.model.gain import Gain
from dprivacy.model.guarantee import Guarantee
from dprivacy.model.hyper import Hyper, push
from dprivacy.model.mechanism import Mechanism
from dprivacy.model.reading import as_channel
from dprivacy.model.verdict import Verdict

__all__ = [
    "Channel",
    "Dist",
    "EarthMove",
    "Gain",
    "Guarantee",
    "Hyper",
    "Mechanism",
    "Verdict",
    "as_channel",
    "earth_move",
    "empirical",
    "joint",
    "mixture",
    "parallel",
    "point",
    "push",
    "read_channel",
    "read_space",
    "uniform",
]
