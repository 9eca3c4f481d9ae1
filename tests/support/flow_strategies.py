"""Random exact channels, priors and gains for the laws of this room."""

from hypothesis import strategies as st

from dprivacy.flow import Loss
from dprivacy.model import Channel, Dist, Gain
from support import random_channels
from support.random_channels import distributions, few, priors


def channels(n=few, m=few, *, zeros: bool = True):
    return random_channels.channels(n, m, zeros=zeros)


@st.composite
def tables(draw, secrets, kind=Gain, *, actions=None, least: int = 0):
    k = draw(st.integers(1, 4)) if actions is None else actions
    entries = st.integers(least, 6)
    table = [
        draw(st.lists(entries, min_size=len(secrets), max_size=len(secrets))) for _ in range(k)
    ]
    return kind([f"w{i}" for i in range(k)], secrets, table)


@st.composite
def questions(draw, kind=Gain, *, zeros: bool = True):
    """A channel, a prior on it and a gain (or loss) on its inputs."""
    channel = draw(channels(zeros=zeros))
    return channel, draw(priors(channel)), draw(tables(channel.rows, kind))


@st.composite
def processed(draw, channel: Channel):
    """The channel followed by a random post-processing."""
    k = draw(st.integers(1, 3))
    rows = [draw(distributions(k)) for _ in channel.columns]
    return channel @ Channel(channel.columns, [f"z{i}" for i in range(k)], rows)


def as_floats(thing):
    """The same channel, distribution or table in doubles."""
    if isinstance(thing, Dist):
        return Dist(thing.labels, [float(w) for w in thing.weights])
    return type(thing)(thing.rows, thing.columns, thing.matrix.floats)


__all__ = ["Loss", "as_floats", "channels", "priors", "processed", "questions", "tables"]
