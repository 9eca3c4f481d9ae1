"""A private mechanism for any finite metric whatever."""

from fractions import Fraction

from dprivacy.errors import DuplicateLabel
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, promised
from dprivacy.mechanisms.groundwork.exact_weights import Weight, channel_of_exponentials
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.groundwork.space_demands import require_finite_distances
from dprivacy.model import Guarantee, as_space
from dprivacy.numbers import as_eps, as_level
from dprivacy.sources import result
from dprivacy.spaces import hamming_cube, line
from dprivacy.typing import Label, LevelLike, SpaceLike

NOTHING = "⊥"


@result("T", "Lem 4.14", "Thm 4.13")
def any_metric(space: SpaceLike, *, eps: LevelLike, nothing: Label = NOTHING) -> ChannelMechanism:
    """A mechanism whose distinguishability metric is exactly ε·d, for any finite metric d.

    C[x, y] = s·e^(−ε·d(x,y))/n, and the rest of each row goes to an extra output, ⊥.

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

    Examples
    --------
    >>> ring = any_metric("cube:2", eps="ln 2")
    >>> print(ring.channel[(0, 0), (0, 0)], ring.channel[(0, 0), (1, 1)], ring.tight)
    1/8 1/32 True
    """
    space, level = as_space(space), as_eps(eps)
    require_finite_distances(space, "any_metric")
    if nothing in space:
        raise DuplicateLabel(
            f"{nothing!r} is a label of the space; name the extra output with nothing="
        )
    n = len(space)
    share = Fraction(1, 2)

    def rows(weight: Weight) -> list[list[Fraction]]:
        table = []
        for i in range(n):
            distances = [as_level(space.distances[i, j]).simplified for j in range(n)]
            row = [share * weight(distance) / n for distance in distances]
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
