"""For each column the pair of laws that tells its values apart best: what the row's figures rest on."""

from collections import Counter
from fractions import Fraction
from functools import partial
from itertools import permutations

from dprivacy.model import Channel, Guarantee
from dprivacy.numbers import Level
from dprivacy.release.budgets.widest_levels import mechanism_level
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.figures.kept_figures import found_once
from dprivacy.release.plans.table_plan import Plan
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import Label
from dprivacy.verify import LossAtoms, atoms_of_level, atoms_of_profile, privacy_profile

_MOST_WORK = 40_000  # pairs of values times outputs that are looked at one by one
_CERTAIN = 64  # a level from which on two values are as good as told


def pairs_of(plan: Plan) -> Counter[LossAtoms]:
    """The pair of each column, with how often it counts for one person."""
    found: Counter[LossAtoms] = Counter()
    for column in plan.columns:
        found[found_once(column.mechanism, "pair", partial(pair_of, column))] += plan.times
    return found


def pair_of(column: ColumnPlan) -> LossAtoms:
    """The two laws that tell the values of a column apart at least as well as the column does.

    Notes
    -----
    1. Where the values are listed, it is exact: the curve δ(ε) of the worst pair of values at each ε.
       One pair is enough where all are alike (randomised response), and the two ends where noise is
       geometric on a line: a set {y ≤ t} between them gives the largest P(Y ≤ t) − e^ε·Q(Y ≤ t), and
       it grows with both distances.
    2. For any other column a two-valued response with the column's factor takes its place, which tells
       at least as much.
    """
    guarantee, channel = column.mechanism.guarantee, column.channel
    if channel is not None and channel.exact:
        pairs = _needed(column, channel, guarantee)
        if pairs is not None:
            return atoms_of_profile(privacy_profile(channel, pairs=pairs))
    most = mechanism_level(column.mechanism)
    if most is None or most > _CERTAIN:
        return atoms_of_level(Level(0), Fraction(1))
    return atoms_of_level(most, Fraction(guarantee.delta))


def _needed(
    column: ColumnPlan, channel: Channel, guarantee: Guarantee
) -> list[tuple[Label, Label]] | None:
    """The ordered pairs of values to look at; None where they are too many."""
    space, family = guarantee.space, column.mechanism.family
    rows = channel.rows
    if family == "randomised_response":
        return [(rows[0], rows[1]), (rows[1], rows[0])]
    if family in ("geometric", "laplace"):
        return [(rows[0], rows[-1]), (rows[-1], rows[0])]
    if len(rows) ** 2 * len(channel.columns) > _MOST_WORK:
        return None
    if not isinstance(space, FiniteSpace):
        return list(permutations(rows, 2))
    together = [(x, z) for x, z in permutations(rows, 2) if space.distance(x, z) < float("inf")]
    return together or None
