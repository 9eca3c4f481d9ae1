"""Draws from the rows of a channel, exactly as its integers say."""

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, TooLarge, UnknownCategory, WrongKind, WrongShape
from dprivacy.numbers import Frozen
from dprivacy.sampling.alias_tables import alias_table, column_bits, outcome_dtype, pick
from dprivacy.sampling.lane_words import lane_of
from dprivacy.sampling.random_source import Source

_MOST_BYTES = 2 << 30


class CategoricalSampler(Frozen):
    """Rows of integer weights, ready to be drawn from exactly.

    Row x gives output j with probability weight_j / (sum of the row), to the last digit: not
    rounded to doubles, not rounded to 64 bits. The integers that were verified are the integers
    that are drawn from.

    Parameters
    ----------
    rows
        For each input its non-negative integer weights over the outputs; every row has its own
        positive total, of any size (thousands of bits are fine).
    bits
        Bits of a random word that are used, at most 64. Fewer bits give a twin with the same law
        that is small enough to be checked on every word.

    Raises
    ------
    WrongShape, WrongKind, BadNumber
        For ragged or empty rows, weights that are not integers, negative weights, a total of 0.
    TooLarge
        If the tables would take more than 2 GiB.

    Notes
    -----
    With B bits and a row of weights a_j and total A:

    1. w_j = ⌊2^B·a_j/A⌋, and the residual outcome gets what is missing, ρ = 2^B − Σ w_j.
    2. One word picks an outcome from an alias table with exactly these weights.
    3. The residual outcome, of probability below k/2^B, is resolved in integers: output j with
       probability r_j/(ρA), where r_j = 2^B·a_j mod A; note Σ r_j = ρA.
    4. In all, j has probability w_j/2^B + ρ/2^B·r_j/(ρA) = a_j/A. An output of weight 0 has
       w_j = r_j = 0 and is never drawn.

    A draw costs one word and one look-up, whatever the row. Tables take 8 bytes for each input and
    column, with 2^m columns for k outputs and the residual one.

    Examples
    --------
    >>> from dprivacy.sampling import CategoricalSampler, SystemSource
    >>> sampler = CategoricalSampler([[2, 1, 1], [1, 0, 3]])
    >>> outputs = sampler.draw(np.array([0, 1, 1, 0]), SystemSource())
    >>> outputs.shape, set(sampler.draw(np.ones(1000, int), SystemSource()).tolist()) <= {0, 2}
    ((4,), True)
    >>> sampler.weights(0) == [2**63, 2**62, 2**62]
    True
    >>> CategoricalSampler([[1, 2]]).resolve(0, SystemSource()) in {0, 1}  # thirds need it
    True
    >>> codes = sampler.checked(np.array([0, 1]))
    >>> sampler.from_words(codes, np.zeros(2, dtype=np.uint64)).tolist()
    [0, 2]
    """

    _bits: int
    _m: int
    _residual: int
    _dtype: type[np.unsignedinteger]
    _rows: list[list[int]]
    _totals: list[int]
    _tables: NDArray[np.uint64]

    def __init__(self, rows: Sequence[Sequence[int]], *, bits: int = 64) -> None:
        k = len(rows[0]) if len(rows) else 0
        m = column_bits(k + 1)
        if not m < bits <= 64:
            raise BadNumber(f"{k} outputs need words of {m + 1} to 64 bits, not {bits}")
        size = len(rows) << (m + 3)
        if size > _MOST_BYTES:
            raise TooLarge(
                f"tables for {len(rows)} inputs and {k} outputs would take {size / 2**30:.1f} GiB, "
                "more than 2 GiB; make a sampler for each part of the inputs, or draw noise "
                "instead of outputs"
            )
        read = read_rows(rows)
        self._set(_m=m, _residual=k, _bits=bits, _dtype=outcome_dtype(m))
        self._set(_rows=read, _totals=[sum(row) for row in read])
        tables = np.empty((len(read), 1 << m), dtype=np.uint64)
        for x in range(len(read)):
            weights = self.weights(x)
            tables[x] = alias_table([*weights, (1 << bits) - sum(weights)], bits, m)
        tables.flags.writeable = False
        self._set(_tables=tables)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and of outputs."""
        return len(self._rows), self._residual

    def weights(self, code: int) -> list[int]:
        """⌊2^bits·p_j⌋ for each output j of one input."""
        total, bits = self._totals[code], self._bits
        return [(a << bits) // total for a in self._rows[code]]

    def draw(
        self, codes: NDArray[np.integer], source: Source, *, chunk: int = 1 << 15
    ) -> NDArray[np.unsignedinteger]:
        """One output position for each input position.

        Parameters
        ----------
        codes
            Input positions, 0 to n − 1, in an integer array of any shape.
        source
            Where the random words come from.
        chunk
            Values drawn at a time; any number gives the same law.

        Returns
        -------
        NDArray[np.unsignedinteger]
            Output positions, in the smallest unsigned type that holds them.

        Raises
        ------
        UnknownCategory
            If a code is not an input's position. The message says where, not what.
        """
        if chunk < 1:
            raise BadNumber(f"a chunk must be at least 1, not {chunk}")
        codes = self.checked(codes)
        flat = codes.reshape(-1)
        out: NDArray[np.unsignedinteger] = np.empty(flat.size, dtype=self._dtype)
        for start in range(0, flat.size, chunk):
            some, here = flat[start : start + chunk], out[start : start + chunk]
            pick(self._tables, self._m, source.words(some.size), here, some)
            for i in np.flatnonzero(here == self._residual):
                here[i] = self.resolve(int(some[i]), lane_of(source, start + int(i)))
        return out.reshape(codes.shape)

    def from_words(
        self, codes: NDArray[np.integer], words: NDArray[np.unsignedinteger]
    ) -> NDArray[np.int64]:
        """The output that each word gives for each code, −1 where it is left to `resolve`.

        Parameters
        ----------
        codes
            Input positions.
        words
            As many words, each below 2^bits.

        Notes
        -----
        A pure function, so that the law can be counted over every word there is; `draw` takes the
        same path.
        """
        codes = self.checked(codes)
        flat = codes.reshape(-1)
        given = np.asarray(words, dtype=np.uint64).reshape(-1)
        if given.size != flat.size or (self._bits < 64 and (given >> np.uint64(self._bits)).any()):
            raise WrongShape(f"from_words needs one word below 2^{self._bits} for each code")
        out: NDArray[np.unsignedinteger] = np.empty(flat.size, dtype=self._dtype)
        pick(self._tables, self._m, given << np.uint64(64 - self._bits), out, flat)
        outputs = out.astype(np.int64)
        outputs[outputs == self._residual] = -1
        return outputs.reshape(codes.shape)

    def resolve(self, code: int, source: Source) -> int:
        """An output from the part of the law that `bits` bits cannot express (step 3)."""
        row, total = self._rows[code], self._totals[code]
        remainders = [(a << self._bits) % total for a in row]
        left = source.below(sum(remainders))
        for j, r in enumerate(remainders):
            left -= r
            if left < 0:
                return j
        raise AssertionError("below() gave a number that is not below its bound")

    def checked(self, codes: NDArray[np.integer]) -> NDArray[np.integer]:
        """The codes, if each is the position of an input."""
        codes = np.asarray(codes)
        if codes.dtype.kind not in "iu":
            raise WrongKind(f"codes should be positions of the inputs, integers, not {codes.dtype}")
        if codes.size and (codes.min() < 0 or codes.max() >= len(self._rows)):
            where = int(np.flatnonzero((codes < 0) | (codes >= len(self._rows)))[0])
            raise UnknownCategory(
                f"the code at position {where} is not one of the {len(self._rows)} inputs; "
                "map values to positions through the declared domain"
            )
        return codes

    def __repr__(self) -> str:
        return f"<CategoricalSampler {len(self._rows)} inputs × {self._residual} outputs>"


def read_rows(rows: Sequence[Sequence[int]]) -> list[list[int]]:
    """Rows of weights, each of as many integers, refused where a sampler cannot draw from them."""
    if len(rows) == 0:
        raise WrongShape(f"a sampler needs at least one row of weights, not {rows!r}")
    return [_read_row(row, x, len(rows[0])) for x, row in enumerate(rows)]


def _read_row(row: Sequence[Any], x: int, k: int) -> list[int]:
    if len(row) != k:
        raise WrongShape(f"row {x} has {len(row)} weights and row 0 has {k}")
    if any(isinstance(a, bool | np.bool_) for a in row):
        raise WrongKind(f"row {x} has a weight that is a bool; weights are integers")
    try:
        weights = [index(a) for a in row]
    except TypeError:
        raise WrongKind(
            f"row {x} has a weight that is not an integer; write the row over one denominator"
        ) from None
    if not weights or min(weights) < 0 or not any(weights):
        raise BadNumber(f"row {x} should have weights of at least 0 with a positive sum")
    return weights
