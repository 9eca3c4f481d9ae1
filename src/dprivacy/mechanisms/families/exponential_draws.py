"""The exponential mechanism, with the ε it really has."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from dprivacy.errors import NotApplicable, WrongKind
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, promised
from dprivacy.mechanisms.groundwork.exact_weights import Weight, channel_of_exponentials
from dprivacy.mechanisms.groundwork.family_record import Family
from dprivacy.mechanisms.groundwork.space_demands import require_exact, require_finite_distances
from dprivacy.model import Guarantee, as_space
from dprivacy.numbers import Level, as_eps, as_level
from dprivacy.sources import result
from dprivacy.spaces import Exact, FiniteSpace, grid, line, read_labels
from dprivacy.typing import Label, LevelLike, SpaceLike
from dprivacy.verify import enclosure, smallest_eps

Utility = Callable[[Label, Label], LevelLike]


@result("T", "Def 4.7.2")
@result("C", "Def 4")
def exponential(
    space: SpaceLike,
    *,
    eps: LevelLike,
    outputs: Sequence[Label] | None = None,
    utility: Utility | None = None,
) -> ChannelMechanism:
    """The discrete exponential mechanism: output y with weight e^(ε·u(x,y)/2), u = −d unless given.

    Parameters
    ----------
    space
        The inputs and their metric.
    eps
        The nominal level. What the mechanism guarantees is its own smallest ε, computed exactly (and
        rounded up where it takes pages to write), which is at most this for u = −d.
    outputs
        Labels that may come out; the inputs when omitted.
    utility
        A function of input and output; exact values (integers, Fractions, "ln 2").

    Examples
    --------
    >>> print(exponential("line:3", eps="ln 4").guarantee.eps)
    ln(16/7)
    """
    space, nominal = as_space(space), as_eps(eps)
    demand = require_exact if utility is not None else require_finite_distances
    demand(space, "the exponential mechanism")
    listed = space.labels if outputs is None else read_labels(outputs, "outputs")
    if utility is not None and not callable(utility):
        raise WrongKind(f"utility should be a function of input and output, not {utility!r}")
    scores = [[_score(space, utility, x, y) for y in listed] for x in space.labels]
    best = [max(row) for row in scores]

    def rows(weight: Weight) -> list[list[Fraction]]:
        table = []
        for top, row in zip(best, scores, strict=True):
            weights = [weight((top - score) / 2) for score in row]
            total = sum(weights, Fraction(0))
            table.append([value / total for value in weights])
        return table

    channel = channel_of_exponentials(space.labels, listed, space, nominal, rows)
    true = smallest_eps(channel, space)
    level = _short(true if isinstance(true, Level) else Level(Fraction(true)))
    if not level:
        raise NotApplicable(
            f"all {len(space)} inputs have the same distribution of outputs, so that there is nothing "
            "to protect; give a utility that tells inputs apart"
        )
    guarantee = Guarantee(level, space, Fraction(0), "its own channel, computed exactly (C Def 4)")
    return promised("exponential", channel, guarantee, eps=nominal)


def _score(space: FiniteSpace, utility: Utility | None, x: Label, y: Label) -> Exact:
    if utility is not None:
        return as_level(utility(x, y)).simplified
    return -as_level(space.distance(x, y)).simplified


def _short(level: Level) -> Level:
    """The level, or the next double above it when it has too many digits to be written."""
    try:
        if len(str(level)) <= _LONGEST:
            return level
    except ValueError:  # more digits than Python will print
        pass
    return Level(enclosure(level)[1])


_LONGEST = 120


def loudest_exponential(space: FiniteSpace, *, eps: LevelLike) -> ChannelMechanism:
    """The exponential mechanism with the largest nominal level that still guarantees ε.

    Its own ε lies between half its nominal level and all of it, depending on the space; sixteenths
    are tried from the top.
    """
    level = as_eps(eps)
    for step in range(32, 16, -1):
        if _surely_louder(space, float(level), step):
            continue
        mechanism = exponential(space, eps=level * Fraction(step, 16))
        if mechanism.guarantee.eps <= level:
            return mechanism
    return exponential(space, eps=level)


def _surely_louder(space: FiniteSpace, eps: float, step: int) -> bool:
    """Whether the level in doubles is so far above ε that no error of theirs explains it.

    Building the mechanism decides; this saves building those that will not do.
    """
    apart = space.distances.floats
    logs = -step / 32 * eps * apart
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    further = np.where(apart > 0, apart, np.inf)
    rates = [
        (np.abs(logs - row).max(axis=1) / d).max() for row, d in zip(logs, further, strict=True)
    ]
    return bool(max(rates) > eps * (1 + 1e-6))


FAMILY = Family(
    "exponential",
    loudest_exponential,
    because="C Def 4",
    cases=({"space": grid(2, 2)}, {"space": line(["0", "1/2", "2"])}),
    fits=("categories", "ordered", "tree", "graph", "distances"),
    usual_for=("tree", "graph", "distances"),
)
