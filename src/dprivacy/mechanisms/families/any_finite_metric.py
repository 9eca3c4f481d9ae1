"""A private mechanism for any finite metric whatever."""

from fractions import Fraction
from typing import Any

from dprivacy.errors import Malformed
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, promised
from dprivacy.mechanisms.groundwork.exact_weights import Weight, channel_of_exponentials
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.model import Guarantee
from dprivacy.numbers import as_eps
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace, hamming_cube, line
from dprivacy.typing import LevelLike

NOTHING = "⊥"


@result("T", "Lem 4.14", "Thm 4.13")
def any_metric(space: FiniteSpace, *, eps: LevelLike, nothing: Any = NOTHING) -> ChannelMechanism:
    """A mechanism whose distinguishability metric is exactly ε·d, for any finite metric d.

    C[x, y] = s·e^(−ε·d(x,y))/n, and the rest of each row goes to an extra output that says nothing.

    Parameters
    ----------
    space
        Any exact finite metric space without infinite distances.
    eps
        The level of privacy per unit of distance.
    nothing
        The label of the extra output.

    Notes
    -----
    The source takes s = 1/e; s = 1/2 is enough, says more of the truth and stays rational. With
    k(x) ≤ 1 the mean of e^(−ε·d(x,·)), the extra output has 1 − s·k(x), and k(x) ≥ e^(−ε·d)·k(z). So
    1 − s·k(x) ≤ e^(ε·d)·(1 − s·k(z)) as soon as s·k(z)·(1 + e^(−ε·d)) ≤ 1, which 2·s ≤ 1 ensures.
    """
    level = as_eps(eps)
    if not space.exact:
        raise Malformed("any_metric needs exact distances")
    if nothing in space:
        raise Malformed(f"{nothing!r} is a label of the space; name the extra output with nothing=")
    n = len(space)
    share = Fraction(1, 2)

    def rows(weight: Weight) -> list[list[Fraction]]:
        table = []
        for i in range(n):
            row = []
            for j in range(n):
                distance = space.distances[i, j]
                if isinstance(distance, float):
                    raise Malformed("any_metric needs finite distances")
                row.append(share * weight(distance) / n)
            table.append([*row, 1 - sum(row, Fraction(0))])
        return table

    channel = channel_of_exponentials(space.labels, [*space.labels, nothing], space, level, rows)
    guarantee = Guarantee(level, space, Fraction(0), "T Lem 4.14")
    return promised("any_metric", channel, guarantee, eps=level)


FAMILY = Family(
    "any_metric",
    any_metric,
    because="T Lem 4.14",
    cases=({"space": hamming_cube(2)}, {"space": line(3)}),
    fits=("tree", "graph", "distances"),
)
