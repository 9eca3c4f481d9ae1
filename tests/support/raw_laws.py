"""A referee: the exact law of what comes out for raw inputs, against what is promised about them.

Laws are read off the samplers while a release runs: `watched` lets every draw answer 0 and keeps the
integer weights, or the level, that it would have drawn with. Nothing here believes a channel.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np

from dprivacy.errors import Uncertified
from dprivacy.mechanisms import VectorMechanism
from dprivacy.model import Guarantee
from dprivacy.numbers import Level, as_level, exp_bounds, ln
from dprivacy.numbers.enclosures import bounds_of_terms, root_above
from dprivacy.sampling import CategoricalSampler, DiscreteLaplace, PlanarNoise, ShortSampler

BITS = 256
Promise = Level | float  # a float is math.inf


@dataclass(frozen=True)
class Row:
    """One draw with integer weights, in the order of the outputs."""

    weights: tuple[int, ...]

    def ratio(self, other: "Row") -> Fraction | float:
        """The largest ratio of probabilities over all outputs."""
        most, mine, theirs = Fraction(0), sum(self.weights), sum(other.weights)
        for here, there in zip(self.weights, other.weights, strict=True):
            if here and not there:
                return math.inf
            if here:
                most = max(most, Fraction(here * theirs, there * mine))
        return most


@dataclass(frozen=True)
class Noise:
    """A centre and noise around it whose weight is e^(−level·‖v‖), the same for every centre."""

    centre: tuple[Fraction, ...]
    level: Level
    norm: float = 1

    def apart(self, other: "Noise") -> tuple[Fraction, bool]:
        """How far apart the centres are, and whether this is exact; otherwise it is rounded up."""
        assert (self.level, self.norm) == (other.level, other.norm)
        gaps = [abs(a - b) for a, b in zip(self.centre, other.centre, strict=True)]
        if self.norm != 2:
            return (sum(gaps, Fraction(0)) if self.norm == 1 else max(gaps)), True
        square = sum((gap * gap for gap in gaps), Fraction(0))
        root = root_above(square)
        return root, root * root == square


Law = tuple[Row | Noise, ...]  # independent draws, all of them seen


@dataclass(frozen=True)
class Loss:
    """ln of the largest ratio between two laws: ln(ratio) and exponents, between bounds."""

    ratio: Fraction | float
    exponent: Level
    exact: bool

    @property
    def upper(self) -> Fraction:
        """A rational that it is not above."""
        first = bounds_of_terms({(1, self.ratio): Fraction(1)}, BITS)[1] if self.ratio != 1 else 0
        return first + self.exponent.bounds(BITS)[1]

    def within(self, promise: Promise) -> bool:
        """Whether no output exceeds the promise: decided by bounds, or exactly where they touch."""
        if promise == math.inf:
            return True
        if self.ratio == math.inf:
            return False
        if self.upper <= promise.bounds(BITS)[0]:
            return True
        return self.exact and ln(self.ratio) + self.exponent <= promise

    def share(self, promise: Promise) -> float:
        """How much of the promise is used."""
        if promise == math.inf or not promise:
            return 0.0
        if self.ratio == math.inf:
            return math.inf
        return float(self.upper / promise.bounds(BITS)[1])


def loss(one: Law, other: Law) -> Loss:
    """What the worst output says for `one` against `other`."""
    ratio, exponent, exact = Fraction(1), Level(0), True
    for here, there in zip(one, other, strict=True):
        if isinstance(here, Row):
            found = here.ratio(there)
            ratio = math.inf if math.inf in (found, ratio) else ratio * found
        elif here != there:
            gap, known = here.apart(there)
            exponent, exact = exponent + here.level * gap, exact and known
    return Loss(ratio, exponent, exact)


def excess(one: Law, other: Law, promise: Promise) -> Fraction:
    """Σ max(0, p − e^promise·q), rounded up: the slack δ that one draw needs."""
    if promise == math.inf:
        return Fraction(0)
    ((here,), (there,)) = one, other
    factor = exp_bounds(*promise.bounds(BITS), BITS)[0]
    mine, theirs = sum(here.weights), sum(there.weights)
    gaps = (
        Fraction(a, mine) - factor * Fraction(b, theirs)
        for a, b in zip(here.weights, there.weights, strict=True)
    )
    return sum((gap for gap in gaps if gap > 0), Fraction(0))


@dataclass
class Watch:
    """What was drawn while it looked: a law for each of several inputs, and what noise was added to."""

    rows: list[list[Row]] = field(default_factory=list)
    levels: list[tuple[Level, float]] = field(default_factory=list)

    def laws(self, n: int) -> list[Law]:
        """The draws of each of n inputs; every call drew equally often for each of them."""
        parts = [np.arange(len(call)).reshape(n, -1) for call in self.rows]
        return [
            tuple(call[k] for call, part in zip(self.rows, parts, strict=True) for k in part[x])
            for x in range(n)
        ]

    def around(self, centres: Sequence[Sequence[Any]], norm: float = 1) -> list[Law]:
        """Noise of the one level that was seen, around the centres of the inputs."""
        ((level, _),) = set(self.levels)
        return [(Noise(tuple(map(Fraction, centre)), level, norm),) for centre in centres]


def law_of_short_words(sampler: ShortSampler) -> list[list[int]]:
    """The weights that tables of short words and what is drawn for an escape come to together."""
    if sampler._tables is None:
        return [list(map(int, row)) for row in sampler._exact._rows]
    found = []
    for table, rest in zip(sampler._tables, sampler._exact._rows, strict=True):
        counts = np.bincount(table, minlength=256).tolist()
        listed, escapes = counts[: len(rest)], counts[255]
        left = list(map(int, rest))
        total = sum(left) // escapes if escapes else 1  # of the row: an escape has that many parts
        found.append([n * total + (r if escapes else 0) for n, r in zip(listed, left, strict=True)])
    return found


@contextmanager
def watched() -> Iterator[Watch]:
    """Every draw answers 0, and is remembered."""
    seen = Watch()
    kept: dict[tuple[int, int], Row] = {}

    def rows(sampler: Any, codes: Any) -> Any:
        found = []
        for code in np.asarray(codes).ravel().tolist():
            key = (id(sampler), code)
            if key not in kept:
                kept[key] = Row(tuple(sampler._rows[code]))
            found.append(kept[key])
        seen.rows.append(found)
        samplers.append(sampler)  # so that no other one gets its id
        return np.zeros(np.shape(codes), dtype=np.intp)

    samplers: list[Any] = []

    def draw(sampler: Any, codes: Any, source: Any, **_: Any) -> Any:
        return rows(sampler, codes)

    whole: dict[int, Any] = {}

    def short(sampler: Any, codes: Any, source: Any) -> Any:
        samplers.append(sampler)
        law = whole.setdefault(id(sampler), SimpleNamespace(_rows=law_of_short_words(sampler)))
        return rows(law, codes)

    def from_words(sampler: Any, codes: Any, words: Any) -> Any:
        return rows(sampler, codes)

    def integers(sampler: Any, n: int, source: Any) -> Any:
        seen.levels.append((sampler.level, 1))
        return np.zeros(n, dtype=np.int64)

    def points(sampler: Any, n: int, source: Any) -> Any:
        seen.levels.append((sampler.level, 2))
        return np.zeros((n, sampler.dimension), dtype=np.int64)

    def points_of_lanes(sampler: Any, lanes: Any) -> Any:
        return points(sampler, len(lanes), None)

    def vectors(mechanism: Any, n: int, source: Any) -> Any:
        seen.levels.append((mechanism.guarantee.eps, mechanism.norm))
        return np.zeros((n, mechanism.dimension))

    with (
        patch.object(CategoricalSampler, "draw", draw),
        patch.object(CategoricalSampler, "from_words", from_words),
        patch.object(ShortSampler, "draw", short),
        patch.object(DiscreteLaplace, "draw", integers),
        patch.object(PlanarNoise.__mro__[1], "draw", points),
        patch.object(PlanarNoise.__mro__[1], "draw_each", points_of_lanes),
        patch.object(VectorMechanism, "noise", vectors),
    ):
        yield seen


@dataclass(frozen=True)
class Path:
    """One way from raw inputs to a release that carries a guarantee.

    Attributes
    ----------
    name
        What it is called in the table.
    values
        Raw inputs; all pairs of them are looked at.
    laws
        The law of each of them.
    promised
        The exponent that is promised for two of them, as the object says that the user gets.
    delta
        The slack that is promised.
    covers
        Which families, types of columns, mechanisms and functions it takes.
    guarantee
        That of a mechanism on listed values.
    """

    name: str
    values: Sequence[Any]
    laws: Callable[[Sequence[Any]], list[Law]]
    promised: Callable[[Any, Any], Promise]
    delta: Fraction = Fraction(0)
    covers: frozenset[str] = frozenset()
    guarantee: Guarantee | None = None


@dataclass(frozen=True)
class Ruling:
    """What the referee found on a path."""

    name: str
    pairs: int
    broken: tuple[tuple[Any, Any], ...]
    share: float


def ruling(path: Path) -> Ruling:
    """All pairs of a path's inputs, each in both directions."""
    laws = path.laws(path.values)
    assert len(laws) == len(path.values)
    pairs, broken, share = 0, [], 0.0
    for i, (x, here) in enumerate(zip(path.values, laws, strict=True)):
        for z, there in zip(path.values[i:], laws[i:], strict=True):
            pairs += 1
            promise = path.promised(x, z)
            for one, other in ((here, there), (there, here)):
                if path.delta:
                    needed = excess(one, other, promise)
                    share = max(share, float(needed / path.delta))
                    good = needed <= path.delta
                else:
                    found = loss(one, other)
                    share = max(share, found.share(promise))
                    good = found.within(promise)
                if not good:
                    broken.append((x, z))
    return Ruling(path.name, pairs, tuple(broken), share)


def promise_of(
    guarantee: Guarantee, read: Callable[[Any], Any] = lambda x: x, space: Any = None
) -> Callable[[Any, Any], Promise]:
    """ε·d(x, z) as a guarantee states it, rounded down where it has no exact form."""
    measured = guarantee.space if space is None else space

    def promised(x: Any, z: Any) -> Promise:
        distance = measured.distance(read(x), read(z))
        if distance == math.inf:
            return math.inf
        try:
            return guarantee.eps * as_level(distance)
        except Uncertified:
            return Level(guarantee.eps.bounds(BITS)[0] * as_level(distance).bounds(BITS)[0])

    return promised
