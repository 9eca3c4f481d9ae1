"""Random exact distributions, channels and priors."""

from fractions import Fraction as Q

from hypothesis import strategies as st

from dprivacy.model import Channel, Dist

few, several = st.integers(1, 4), st.integers(1, 5)


@st.composite
def distributions(draw, m: int, *, zeros: bool = True, largest: int = 9):
    """Probabilities of m outcomes, as Fractions."""
    least = 0 if zeros else 1
    weights = draw(st.lists(st.integers(least, largest), min_size=m, max_size=m).filter(any))
    return [Q(w, sum(weights)) for w in weights]


@st.composite
def rows(draw, n: int, m: int, *, zeros: bool = True, largest: int = 9):
    """n distributions on m outcomes."""
    return [draw(distributions(m, zeros=zeros, largest=largest)) for _ in range(n)]


@st.composite
def channels(draw, inputs=few, outputs=several, *, zeros: bool = True):
    """A channel from x0, x1 … to y0, y1 …; numbers of both, or strategies for them."""
    n, m = (size if isinstance(size, int) else draw(size) for size in (inputs, outputs))
    table = draw(rows(n, m, zeros=zeros))
    return Channel([f"x{i}" for i in range(n)], [f"y{j}" for j in range(m)], table)


@st.composite
def priors(draw, channel: Channel, *, zeros: bool = True):
    """A prior on the inputs of a channel."""
    return Dist(channel.rows, draw(distributions(len(channel.rows), zeros=zeros)))
