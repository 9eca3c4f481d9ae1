"""Matrices of integers over one denominator, or of doubles: one body for both."""

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import MixedArithmetic
from dprivacy.numbers.arrays import product
from dprivacy.numbers.frozen_values import Frozen

Entries = NDArray[Any]
_DOUBLE = np.dtype(np.float64)
_NORMAL = 1000  # bits: neither such an integer nor its inverse leaves the normal doubles


class Mat(Frozen):
    """A matrix whose entries are exact rationals (integers over a common denominator) or float64.

    Exact and float matrices share every operation; what differs is the dtype of `entries` (object,
    holding Python integers, or float64) and that `den` is 1 for floats. Mixing the two raises.

    Parameters
    ----------
    entries : two-dimensional array
        Python integers (dtype object) or float64.
    den : int
        The common denominator, > 0; 1 for floats.
    """

    entries: Entries
    den: int
    exact: bool  # whether the entries are rationals

    def __init__(self, entries: Entries, den: int = 1) -> None:
        if entries.dtype.hasobject:
            common = 1 if den == 1 else math.gcd(den, *entries.ravel().tolist())
            if common > 1:
                entries, den = entries // common, den // common
        elif entries.dtype is not _DOUBLE:
            entries = np.asarray(entries, dtype=np.float64)
        entries = entries.view()
        entries.setflags(write=False)
        vars(self).update(entries=entries, den=den, exact=entries.dtype.hasobject)

    @classmethod
    def doubles(cls, entries: NDArray[np.float64]) -> "Mat":
        """A matrix of doubles that were just computed and that nobody else holds: taken as they are."""
        entries.setflags(write=False)
        made = cls.__new__(cls)
        vars(made).update(entries=entries, den=1, exact=False)
        return made

    @classmethod
    def of(cls, rows: Iterable[Iterable[Fraction | int]]) -> "Mat":
        """An exact matrix from rows of rationals.

        An object that stands in many places, as those of a geometric mechanism do, is looked at once.
        """
        table = [list(row) for row in rows]
        objects = {id(value): value for row in table for value in row}
        once = {at: Fraction(value) for at, value in objects.items()}
        den = math.lcm(*{q.denominator for q in once.values()})
        whole = {at: q.numerator * (den // q.denominator) for at, q in once.items()}
        return cls.over(den, [[whole[id(value)] for value in row] for row in table])

    @classmethod
    def over(cls, den: int, rows: Sequence[Sequence[int]]) -> "Mat":
        """An exact matrix from rows of integers over one denominator."""
        entries = np.empty((len(rows), len(rows[0]) if rows else 0), dtype=object)
        for i, row in enumerate(rows):
            entries[i] = list(map(int, row))
        return cls(entries, den)

    @classmethod
    def identity(cls, n: int) -> "Mat":
        """1 on the diagonal and 0 elsewhere, exact; it need not be looked at to know what it is."""
        entries = np.zeros((n, n), dtype=object)
        at = np.arange(n)
        entries[at, at] = 1
        made = cls(entries)
        vars(made).update(single_ones=at, is_identity=True)
        return made

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        rows, columns = self.entries.shape
        return rows, columns

    def __getitem__(self, at: tuple[int, int]) -> Fraction | float:
        value = self.entries[at]
        return Fraction(value, self.den) if self.exact else float(value)

    def row(self, i: int) -> list[Fraction | float]:
        """The entries of one row."""
        values = self.entries[i].tolist()
        return [Fraction(v, self.den) for v in values] if self.exact else values

    def rows(self) -> list[list[Fraction | float]]:
        """All entries as Fractions or floats."""
        return [self.row(i) for i in range(self.shape[0])]

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The entries as doubles (each correctly rounded)."""
        if not self.exact:
            return self.entries
        entries, den = self.entries, self.den
        bits = max(entries.max(initial=den), -entries.min(initial=-den)).bit_length()
        if bits <= 53:
            floats = entries.astype(np.float64) / den
        elif bits <= _NORMAL and den & (den - 1) == 0:  # rounded once, as the quotient is exact
            floats = np.ldexp(entries.astype(np.float64), 1 - den.bit_length())
        else:
            values = entries.ravel().tolist()
            # Each value once: a mechanism with a closed form has few, however many entries.
            rounded = {v: v / den for v in set(values)}
            floats = np.array([rounded[v] for v in values]).reshape(self.shape)
        floats.flags.writeable = False
        return floats

    @cached_property
    def single_ones(self) -> NDArray[np.intp] | None:
        """For a matrix of 0 and 1 with a single 1 in every column: the row that has it."""
        entries = self.entries
        columns = entries.shape[1]
        if self.den != 1 or np.count_nonzero(entries) != columns:
            return None
        at: NDArray[np.intp] = np.asarray(entries != 0).argmax(axis=0)
        return at if (entries[at, np.arange(columns)] == 1).all() else None

    @cached_property
    def is_identity(self) -> bool:
        """Whether it is square, with 1 on the diagonal and 0 elsewhere."""
        at = self.single_ones
        return at is not None and len(at) == len(self.entries) and at.tolist() == [*range(len(at))]

    def take(
        self, rows: Sequence[int] | None = None, columns: Sequence[int] | None = None
    ) -> "Mat":
        """The matrix of the chosen rows and columns, in that order."""
        entries = self.entries
        if rows is not None:
            entries = entries[np.asarray(rows, dtype=np.intp)]
        if columns is not None:
            entries = entries[:, np.asarray(columns, dtype=np.intp)]
        return Mat(entries, self.den)

    @property
    def transposed(self) -> "Mat":
        """Rows and columns exchanged."""
        return Mat(self.entries.T, self.den)

    def _require_same(self, other: "Mat") -> None:
        if self.exact != other.exact:
            raise MixedArithmetic(
                "exact numbers meet floats; give both as fractions (texts such as '1/3' or '0.3', "
                "Fraction objects), or both as floats"
            )

    def __matmul__(self, other: "Mat") -> "Mat":
        self._require_same(other)
        if not self.exact:
            return Mat.doubles(product(self.entries, other.entries))
        from flint import fmpz_mat

        whole = fmpz_mat(self.entries.tolist()) * fmpz_mat(other.entries.tolist())
        return Mat.over(self.den * other.den, [[int(v) for v in row] for row in whole.tolist()])

    def __add__(self, other: "Mat") -> "Mat":
        self._require_same(other)
        return Mat(self.entries * other.den + other.entries * self.den, self.den * other.den)

    def scaled(self, factor: Fraction | float) -> "Mat":
        """Every entry times a number of the same kind (rational or float)."""
        split = not isinstance(factor, float) and Fraction(factor).denominator != 1
        if isinstance(factor, float) if self.exact else split:
            raise MixedArithmetic(
                f"{'an exact' if self.exact else 'a float'} matrix times {factor!r} would mix exact "
                "numbers and floats; give both as fractions, or both as floats"
            )
        if self.exact:
            q = Fraction(factor)
            return Mat(self.entries * q.numerator, self.den * q.denominator)
        return Mat(self.entries * float(factor))

    def kron(self, other: "Mat") -> "Mat":
        """The Kronecker product: rows and columns are pairs, in lexicographic order."""
        self._require_same(other)
        return Mat(np.kron(self.entries, other.entries), self.den * other.den)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mat):
            return NotImplemented
        return (
            self.exact == other.exact
            and self.den == other.den
            and self.shape == other.shape
            and bool((self.entries == other.entries).all())
        )

    def __hash__(self) -> int:
        return hash((self.exact, self.den, self.shape, tuple(self.entries.ravel().tolist())))

    def __repr__(self) -> str:
        kind = "exact" if self.exact else "float"
        return f"Mat({self.shape[0]}×{self.shape[1]}, {kind})"
