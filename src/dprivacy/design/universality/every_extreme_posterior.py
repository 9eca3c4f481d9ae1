"""The mechanism that is optimal in the max case for everybody: it has every extreme posterior."""

from fractions import Fraction

from dprivacy.errors import TooLarge
from dprivacy.mechanisms import ChannelMechanism, promised
from dprivacy.model import Guarantee, as_channel, as_space
from dprivacy.numbers import Mat, as_eps, minimise
from dprivacy.polytope import vertices
from dprivacy.typing import LevelLike, SpaceLike

_MOST_VERTICES = 300


def max_case_universal(space: SpaceLike, *, eps: LevelLike) -> ChannelMechanism:
    """A private mechanism that is optimal in the max case for every prior and every loss.

    Its outputs are numbered; each has one of the extreme posteriors of the private polytope.

    Parameters
    ----------
    space
        A finite space with exact distances, small enough for its vertices to be listed.
    eps
        The level; e^(ε·d) must be rational.

    Raises
    ------
    TooLarge
        More extreme posteriors than an exact program takes.

    Notes
    -----
    In the max case only the hull of the posteriors counts: the least expected loss is concave in the
    posterior, so it is smallest at a corner. The uniform distribution lies inside the polytope of
    private posteriors, and is therefore a mixture of all its vertices with weights above 0: that is
    a channel whose hull contains every private posterior. Every vertex is needed. The program
    makes the smallest weight as large as it can be.

    Examples
    --------
    >>> best = max_case_universal("line:3", eps="ln 2")
    >>> len(best.channel.columns), bool(best.verify())
    (4, True)
    """
    space, level = as_space(space), as_eps(eps)
    found = []
    for vertex in vertices(space, eps=level):
        found.append([Fraction(weight) for weight in vertex.weights])
        if len(found) > _MOST_VERTICES:
            raise TooLarge(
                f"the space has more than {_MOST_VERTICES} extreme posteriors, too many for an exact "
                "program; take fewer points, or optimal(…, case='max') for one loss"
            )
    # Weights m + u_v with u ≥ 0: Σ (m + u_v)·v = 1 for every secret, m as large as possible.
    n = len(space)
    totals = [sum((v[x] for v in found), Fraction(0)) for x in range(n)]
    matrix = Mat.of([[totals[x], *(v[x] for v in found)] for x in range(n)])
    one, zero = Fraction(1), Fraction(0)
    outcome = minimise([-one, *[zero] * len(found)], matrix, [one] * n)
    least, extra = outcome.x[0], outcome.x[1:]
    rows = [[(least + u) * v[x] for u, v in zip(extra, found, strict=True)] for x in range(n)]
    channel = as_channel(rows, rows=space.labels, columns=range(len(found)))
    guarantee = Guarantee(level, space, zero, "columns that are vertices of the private polytope")
    return promised("max-case universal", channel, guarantee)
