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

    def supports(self, which: Whole | slice, signs: Signs) -> NDArray[np.uint64]:
        """The positive circuit in each of these sets, as bits of its vectors; 0 where it has none."""
        weights = signs[self.faces[which]] * self.signs[which]
        one_sign = np.asarray((weights >= 0).all(axis=1) | (weights <= 0).all(axis=1))
        weights = (weights != 0) & one_sign[:, None]
        found: NDArray[np.uint64] = np.where(weights, self.bits[which], np.uint64(0)).sum(axis=1)
        return found

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


def counted_supports(supports: NDArray[np.uint64], size: int) -> Parts:
    """How many different circuits there are, by number of vectors; `size` is the largest."""
    sizes = np.bitwise_count(supports)
    smaller = np.unique(supports[(sizes > 0) & (sizes < size)])  # one circuit lies in many sets
    counts = np.bincount(np.bitwise_count(smaller), minlength=size + 1)
    counts[size] = (sizes == size).sum()
    return {k: int(count) for k, count in enumerate(counts) if count}


def counts_along(circuits: Circuits, factored: Factored) -> Iterator[tuple[Parts, Parts | None]]:
    """From left to right: the count before a root, and at it if it changes there or behind it.

    One pair for each root and a last one, which has no root.
    """
    size = circuits.faces.shape[1]
    touched = circuits.touched()
    signs = factored.first_signs()
    here = circuits.supports(slice(None), signs)
    parts = counted_supports(here, size)
    for root in factored.roots:
        zero = factored.zero(root)
        sets = touched.by(zero)
        there, after = signs.copy(), signs.copy()
        there[zero] = 0
        factored.flip(after, root)
        behind = circuits.supports(sets, after)
        at = here.copy()
        at[sets] = circuits.supports(sets, there)
        same = np.array_equal(at, here) and np.array_equal(behind, here[sets])
        here[sets] = behind
        signs = after
        if same:
            yield parts, None
            continue
        before, parts_at = parts, counted_supports(at, size)
        parts = counted_supports(here, size)
        yield before, None if before == parts_at == parts else parts_at
    yield parts, None
