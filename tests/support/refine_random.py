"""Random exact channels, and the definitions written out with nothing of the library in them."""

from fractions import Fraction as Q

from hypothesis import strategies as st

from dprivacy.model import Channel
from support import random_channels
from support.random_channels import rows, several

few = st.integers(2, 4)


def channels(n: int | None = None, *, zeros: bool = True):
    return random_channels.channels(few if n is None else n, several, zeros=zeros)


@st.composite
def pairs(draw, *, zeros: bool = True, count: int = 2):
    n = draw(few)
    return [draw(channels(n, zeros=zeros)) for _ in range(count)]


@st.composite
def processed(draw, *, zeros: bool = True):
    """A channel and a post-processing of it."""
    A = draw(channels(zeros=zeros))
    k = draw(several)
    R = Channel(A.columns, [f"z{j}" for j in range(k)], draw(rows(len(A.columns), k)))
    return A, R, A @ R


def table_of(channel: Channel) -> list[list[Q]]:
    return channel.matrix.rows()


def vulnerability(gain, channel: Channel) -> Q:
    """Σ_y max_w Σ_x g(w, x)·C[x, y]/n."""
    n = len(channel.rows)
    return (
        sum(
            max(sum(gain[w, x] * channel[x, y] for x in channel.rows) for w in gain.actions)
            for y in channel.columns
        )
        / n
    )


def posteriors(channel: Channel) -> dict:
    """Posteriors under the uniform prior, by output."""
    found = {}
    for y in channel.columns:
        total = sum(channel[x, y] for x in channel.rows)
        if total:
            found[y] = {x: channel[x, y] / total for x in channel.rows}
    return found


def worst_ratio(channel: Channel, x, z):
    """The largest ratio between two rows; None when it is infinite."""
    best = Q(1)
    for y in channel.columns:
        p, q = channel[x, y], channel[z, y]
        if (p == 0) != (q == 0):
            return None
        if p:
            best = max(best, p / q, q / p)
    return best
