"""What a level is measured by: a metric up to scale, so that levels on one metric add up."""

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from dprivacy.errors import Uncertified, WrongKind
from dprivacy.model import Guarantee, Mechanism
from dprivacy.numbers import Level, as_level
from dprivacy.release.budgets.widest_levels import widest_level
from dprivacy.release.ledger.amounts import Amount, amount
from dprivacy.release.plans.table_plan import Plan
from dprivacy.spaces import BitStrings, Categories, FiniteSpace, GridLine, Vectors
from dprivacy.text import PaddedTexts


@dataclass(frozen=True)
class Charge:
    """What releasing one column costs.

    Parameters
    ----------
    column
        What is released.
    metric
        A short name of the metric, the same for metrics that differ by a factor only.
    unit
        What the amount is for, in words: "per step", "between the closest of 5 values".
    amount
        ε per unit of the metric, and δ.
    whole
        The same between the two values that are farthest apart; None where distances are unbounded.
    blocks
        Whether some values are infinitely far apart, so that the block of a value is published.
    """

    column: str
    metric: str
    unit: str
    amount: Amount
    whole: Amount | None
    blocks: bool = False

    def __mul__(self, times: int) -> "Charge":
        """What this many rows of one person cost together."""
        whole = None if self.whole is None else self.whole * times
        return replace(self, amount=self.amount * times, whole=whole)


Chargeable: TypeAlias = Plan | Mapping[str, Guarantee | Mechanism] | Iterable[Charge]


def charges_of(what: Chargeable) -> tuple[Charge, ...]:
    """The charges of a plan, of guarantees or mechanisms by column, or charges as they are.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> rr = randomised_response(["tea", "coffee"], eps="ln 2")
    >>> [(c.column, c.unit, c.amount.words()) for c in charges_of({"drink": rr})]
    [('drink', 'between the closest of 2 values', 'ln(2) ≈ 0.6931')]
    """
    if isinstance(what, Plan):
        times = what.times
        return tuple(charge(c.name, c.mechanism.guarantee, times=times) for c in what.columns)
    if isinstance(what, Mapping):
        found = tuple(charge(name, promise) for name, promise in what.items())
    elif isinstance(what, Iterable):
        found = tuple(what)
    else:
        found = ()
    if not found or not all(isinstance(one, Charge) for one in found):
        raise WrongKind(
            "what is spent is a Plan, or guarantees by column, {'hobby': mechanism.guarantee}, not "
            f"{type(what).__name__}"
        )
    return found


def charge(column: str, promise: Any, *, times: int = 1) -> Charge:
    """The charge of one guarantee (or of a mechanism that carries one), as often as it is given."""
    guarantee = getattr(promise, "guarantee", promise)
    if not isinstance(guarantee, Guarantee) or not isinstance(column, str):
        raise WrongKind(
            f"column {column!r}: a Guarantee or a mechanism is needed, not {type(promise).__name__}"
        )
    metric, words, scale = metric_of(guarantee.space)
    if isinstance(guarantee.space, PaddedTexts):  # whose level has a ceiling
        most = amount(guarantee.space.level(guarantee.eps) * times, Fraction(0))
        return Charge(column, metric, words, amount(guarantee.eps * times, Fraction(0)), most)
    slack = as_level(guarantee.delta).rational * times
    farthest = widest_level(replace(guarantee, eps=Level(1)))
    unit, whole = (
        None if length is None else amount(_times(guarantee.eps * times, length), slack)
        for length in (scale, farthest)
    )
    assert unit is not None
    space = guarantee.space
    blocks = isinstance(space, FiniteSpace) and not np.isfinite(space.distances.floats).all()
    return Charge(column, metric, words, unit, whole, bool(blocks))


def _times(eps: Level, length: Level) -> Level:
    try:
        return eps * length
    except Uncertified:  # a product of logarithms has no exact form; its upper bound does
        return as_level(eps.bounds(128)[1] * length.bounds(128)[1])


def metric_of(space: Any) -> tuple[str, str, Level]:
    """A metric up to scale: its name, its unit in words, and the unit's length.

    Notes
    -----
    1. Numbers at a multiple of |x − z| are measured in the numbers' own unit, whatever the grid.
    2. Other finite metrics are measured in their smallest distance, and named by the hash of labels
       and distances divided by it. Where an exact quotient does not exist they are named by the
       distances themselves, and are then the same only if they are equal.
    3. Bits, vectors: per bit, per unit of the norm. Very many unordered values, which have no table of
       distances: by their number.
    """
    if isinstance(space, GridLine):
        return "line", "per unit", Level(1)
    if isinstance(space, PaddedTexts):
        return f"text {space.vocabulary} {space.keep}", "per word and unit of distance", Level(1)
    if isinstance(space, BitStrings):
        return f"bits {space.bits}", "per bit", Level(1)
    if isinstance(space, Vectors):
        name = f"vectors {space.dimension} norm {space.norm:g}"
        return name, "per unit of distance", Level(1)
    if isinstance(space, Categories):
        return f"categories {space.count}", f"between any two of {space.count} values", Level(1)
    if not isinstance(space, FiniteSpace):
        return f"space {type(space).__name__}", "per unit of distance", Level(1)
    smallest = _smallest(space)
    if smallest is None:
        return "point", "per unit of distance", Level(1)
    slope = _slope(space)
    if slope is not None:
        return "line", "per unit", slope
    return _shape(space, smallest), f"between the closest of {len(space)} values", smallest


def _smallest(space: FiniteSpace) -> Level | None:
    """The smallest distance that is neither 0 nor ∞; None where there is none."""
    table, values = space.distances.table, space.distances.values
    listed = np.unique(table).tolist()
    found = [v for v in (listed if values is None else map(values.__getitem__, listed)) if v > 0]
    smallest = min(found, default=math.inf)
    return None if smallest == math.inf else as_level(smallest)


def _slope(space: FiniteSpace) -> Level | None:
    """c where the labels are numbers and all distances c·|x − z|, else None."""
    labels = space.labels
    if len(labels) < 3 or not space.exact or any(type(x) not in (int, Fraction) for x in labels):
        return None
    table, values = space.distances.table, space.distances.values or ()
    first = values[table[0, 1]]
    if first == math.inf:
        return None
    slope = as_level(first) / abs(labels[0] - labels[1])
    if any(slope * abs(labels[0] - x) != values[k] for x, k in zip(labels, table[0], strict=True)):
        return None
    den = math.lcm(*(x.denominator for x in labels))
    whole = [int(x * den) for x in labels]
    if max(whole) - min(whole) >= 2**62:
        return None
    steps = np.array([x - min(whole) for x in whole], dtype=np.int64)
    lengths, codes = np.unique(np.abs(steps[:, None] - steps[None, :]), return_inverse=True)
    # One distance for each length, and all in proportion.
    pairs = np.unique(codes.reshape(table.shape).astype(np.int64) * len(values) + table)
    exact = (
        (Fraction(int(lengths[p // len(values)]), den), values[p % len(values)]) for p in pairs
    )
    return slope if all(slope * length == distance for length, distance in exact) else None


def _shape(space: FiniteSpace, smallest: Level) -> str:
    """A hash of the labels, in an order of their own, and of the distances up to scale."""
    names = [f"{type(x).__name__}:{x!r}" for x in space.labels]
    order = sorted(range(len(names)), key=names.__getitem__)
    table = space.distances.take(order)
    values = table.values
    if values is None:
        codes = table.table / float(smallest)
        told = [names[i] for i in order], codes.tolist()
    else:
        try:
            written = [
                v if v == math.inf else str((as_level(v) / smallest).simplified) for v in values
            ]
        except Uncertified:
            written = [f"as it is: {v}" for v in values]
        told = [names[i] for i in order], [[str(written[c]) for c in row] for row in table.table]
    text = json.dumps(told)
    return f"finite {hashlib.sha256(text.encode()).hexdigest()[:24]}"
