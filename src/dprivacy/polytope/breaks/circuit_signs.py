"""Counting positive circuits from the signs of minors, and counting again where some signs changed."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dprivacy.numbers import Coefficients, Root, Whole, irreducible_factors, roots_above
from dprivacy.polytope.breaks.minor_polynomials import (
    Configuration,
    Values,
    chosen_table,
    distinct,
    subsets,
)

Signs = NDArray[np.int8]
Parts = dict[int, int]


@dataclass(frozen=True)
class Factored:
    """Different polynomials, and the places > 1 at which one of them can change its sign.

    `within[f]` lists the polynomials, by number, that the factor f divides, with its exponent.
    """

    polynomials: tuple[Coefficients, ...]
    within: Mapping[Coefficients, tuple[tuple[int, int], ...]]
    roots: tuple[Root, ...]

    @classmethod
    def of(cls, polynomials: Sequence[Coefficients]) -> "Factored":
        """Factor polynomials with positive leading coefficients and isolate the roots > 1."""
        from flint import fmpz_poly

        within: dict[Coefficients, list[tuple[int, int]]] = defaultdict(list)
        for number, c in enumerate(polynomials):
            if len(c) > 1:
                for factor, exponent in irreducible_factors(fmpz_poly(list(c)))[1]:
                    within[factor].append((number, exponent))
        roots = tuple(roots_above(within))
        used = {root.polynomial for root in roots}
        return cls(tuple(polynomials), {f: tuple(within[f]) for f in used}, roots)

    def first_signs(self) -> Signs:
        """The signs before the first root; after the last one all are positive."""
        signs = np.array([1 if c else 0 for c in self.polynomials], dtype=np.int8)
        for root in self.roots:
            self.flip(signs, root)
        return signs

    def flip(self, signs: Signs, root: Root) -> None:
        """Carry signs from one side of a root to the other."""
        for number, exponent in self.within[root.polynomial]:
            if exponent % 2:
                signs[number] *= -1

    def zero(self, root: Root) -> list[int]:
        """The polynomials that are 0 at a root."""
        return [number for number, _ in self.within[root.polynomial]]


def all_polynomials(configuration: Configuration) -> list[Coefficients]:
    """The different polynomials among all minors, without 0."""
    rows: list[Values] = []
    for block in configuration.blocks():
        rows.append(distinct(block, configuration.prime).rows)
        if len(rows) > 40:
            rows = [distinct(np.concatenate(rows), configuration.prime).rows]
    last = distinct(np.concatenate(rows), configuration.prime).rows
    return sorted({c for c, _ in configuration.polynomials(last)} - {()})


@dataclass(frozen=True)
class Circuits:
    """The sets of rank + 1 vectors; each has one circuit if any of its minors is not 0.

    `faces[m, i]` is the number of the polynomial of set m without its vector i, and `signs[m, i]` its
    sign in that place, with the one of Cramer's rule. `bits[m, i]` stands for vector i.
    """

    polynomials: tuple[Coefficients, ...]
    faces: NDArray[np.int32]
    signs: Signs
    bits: NDArray[np.uint64]

    @classmethod
    def of(cls, configuration: Configuration) -> "Circuits":
        """All minors, told apart, and the sets they belong to."""
        found = distinct(np.concatenate(list(configuration.blocks())), configuration.prime)
        normal = configuration.polynomials(found.rows)
        polynomials = sorted({c for c, _ in normal} | {()})
        place = {c: number for number, c in enumerate(polynomials)}
        number = np.array([place[c] for c, _ in normal], dtype=np.int32)[found.of]
        sign = np.array([s for _, s in normal], dtype=np.int8)[found.of] * found.sign
        size = configuration.rank + 1
        sets, choose = subsets(configuration.count, size), chosen_table(configuration.count, size)
        faces = np.zeros(sets.shape, dtype=np.int32)
        signs = np.zeros(sets.shape, dtype=np.int8)
        for i in range(size):
            at = np.zeros(len(sets), dtype=np.int64)
            for j in range(size):
                if j != i:
                    at += choose[sets[:, j], j + 1 if j < i else j]
            faces[:, i] = number[at]
            signs[:, i] = sign[at] * (-1) ** i
        bits = np.left_shift(np.uint64(1), sets.astype(np.uint64))
        return cls(tuple(polynomials), faces, signs, bits)

    def supports(self, which: Whole | slice, signs: Signs) -> "Supports":
        """The positive circuit in each of these sets; none where the weights differ in sign."""
        weights = signs[self.faces[which]] * self.signs[which]
        one_sign = np.asarray((weights >= 0).all(axis=1) | (weights <= 0).all(axis=1))
        used = (weights != 0) & one_sign[:, None]
        masks = np.where(used, self.bits[which], np.uint64(0)).sum(axis=1)
        return Supports(masks, used.sum(axis=1, dtype=np.int8))

    def touched(self) -> "Touched":
        """Which sets a polynomial has a part in."""
        flat = self.faces.ravel()
        order = np.argsort(flat, kind="stable")
        ends = np.searchsorted(flat[order], np.arange(len(self.polynomials) + 1))
        return Touched(order // self.faces.shape[1], ends)


@dataclass(frozen=True)
class Touched:
    """The sets of each polynomial, one polynomial after the other."""

    sets: Whole
    ends: Whole

    def by(self, polynomials: Sequence[int]) -> Whole:
        """The sets of any of these polynomials."""
        parts = [self.sets[self.ends[k] : self.ends[k + 1]] for k in polynomials]
        return np.unique(np.concatenate(parts))


@dataclass(frozen=True)
class Supports:
    """Circuits as bits of their vectors, and how many these are; 0 where a set has none."""

    masks: NDArray[np.uint64]
    sizes: Signs

    def changed(self, sets: Whole, there: "Supports") -> "Supports":
        """The same with others in some places."""
        masks, sizes = self.masks.copy(), self.sizes.copy()
        masks[sets], sizes[sets] = there.masks, there.sizes
        return Supports(masks, sizes)

    def counts(self, largest: int) -> Parts:
        """How many different circuits there are, by number of vectors."""
        smaller = (self.sizes > 0) & (self.sizes < largest)  # one of these lies in many sets
        _, first = np.unique(self.masks[smaller], return_index=True)
        counts = np.bincount(self.sizes[smaller][first], minlength=largest + 1)
        counts[largest] = (self.sizes == largest).sum()
        return {k: int(count) for k, count in enumerate(counts) if count}


def counts_along(circuits: Circuits, factored: Factored) -> Iterator[tuple[Parts, Parts | None]]:
    """From left to right: the count before a root, and at it if it changes there or behind it.

    One pair for each root and a last one, which has no root.
    """
    size = circuits.faces.shape[1]
    touched = circuits.touched()
    signs = factored.first_signs()
    here = circuits.supports(slice(None), signs)
    parts = here.counts(size)
    for root in factored.roots:
        zero = factored.zero(root)
        sets = touched.by(zero)
        there, after = signs.copy(), signs.copy()
        there[zero] = 0
        factored.flip(after, root)
        at, behind = circuits.supports(sets, there), circuits.supports(sets, after)
        before, signs = here.masks[sets], after
        if np.array_equal(at.masks, before) and np.array_equal(behind.masks, before):
            yield parts, None
            continue
        parts_before, parts_at = parts, here.changed(sets, at).counts(size)
        here = here.changed(sets, behind)
        parts = here.counts(size)
        yield parts_before, None if parts_before == parts_at == parts else parts_at
    yield parts, None
