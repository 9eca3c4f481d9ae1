"""Draws from the rows of a channel by words of 16 bits, four of them from one random word."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber
from dprivacy.numbers import Frozen
from dprivacy.sampling.categorical import CategoricalSampler, read_rows
from dprivacy.sampling.random_source import Source

_WORD = 16  # bits of a short word, and most of what may be used of it
_ESCAPE = 255  # what a table says where the short word does not decide
_MOST_BYTES = 1 << 20  # of tables, which should stay in the cache
_PIECE = 1 << 16  # values at a time


class ShortSampler(Frozen):
    """The law of a `CategoricalSampler`, drawn by short words where the tables for them are small.

    Parameters
    ----------
    rows
        For each input its non-negative integer weights over the outputs.
    bits
        Bits of a short word that are used, at most 16.

    Raises
    ------
    WrongShape, WrongKind, BadNumber, TooLarge
        As `CategoricalSampler` has it, and for bits that are not from 1 to 16.

    Notes
    -----
    With B bits and a row of weights a_j and total A:

    1. A table of 2^B entries has output j in w_j = ⌊2^B·a_j/A⌋ of them, and the escape in the other
       ρ = 2^B − Σ w_j. A short word is looked up in it directly.
    2. An escape, of probability below k/2^B, is drawn by a `CategoricalSampler` whose weights are what
       is left: r_j = 2^B·a_j mod A, with Σ r_j = ρA.
    3. In all, j has probability w_j/2^B + ρ/2^B·r_j/(ρA) = a_j/A, to the last digit.

    Of 256 outputs or more, and of inputs whose tables would take more than 1 MiB, every draw takes a
    whole word, by a `CategoricalSampler`. How many words a draw takes depends on what is drawn, so
    that the source is one stream and not one lane a value.

    Examples
    --------
    >>> from dprivacy.sampling import SystemSource
    >>> sampler = ShortSampler([[2, 1, 1], [1, 0, 3]])
    >>> set(sampler.draw(np.ones(1000, int), SystemSource()).tolist()) <= {0, 2}
    True
    """

    _bits: int
    _exact: CategoricalSampler  # of what escapes, or of everything
    _tables: NDArray[np.uint8] | None

    def __init__(self, rows: Sequence[Sequence[int]], *, bits: int = 12) -> None:
        if not 1 <= bits <= _WORD:
            raise BadNumber(f"a short word has 1 to {_WORD} bits, not {bits}")
        inputs, outputs = len(rows), len(rows[0]) if len(rows) else 0
        if outputs > _ESCAPE or inputs << bits > _MOST_BYTES:
            self._set(_bits=bits, _exact=CategoricalSampler(rows), _tables=None)
            return
        read = read_rows(rows)
        tables = np.full((inputs, 1 << bits), _ESCAPE, np.uint8)
        left = []
        for x, row in enumerate(read):
            total = sum(row)
            floors, remainders = zip(*(divmod(a << bits, total) for a in row), strict=True)
            tables[x, : sum(floors)] = np.repeat(np.arange(outputs, dtype=np.uint8), floors)
            left.append(remainders if any(remainders) else row)  # without any, nothing escapes
        tables.flags.writeable = False
        self._set(_bits=bits, _exact=CategoricalSampler(left), _tables=tables)

    @property
    def shape(self) -> tuple[int, int]:
        """The number of inputs and of outputs."""
        return self._exact.shape

    def draw(self, codes: NDArray[np.integer], source: Source) -> NDArray[np.unsignedinteger]:
        """One output position for each input position; see `CategoricalSampler.draw`."""
        if self._tables is None:
            return self._exact.draw(codes, source)
        codes = self._exact.checked(codes)
        flat = codes.reshape(-1)
        out = np.empty(flat.size, np.uint8)
        for start in range(0, flat.size, _PIECE):
            some = flat[start : start + _PIECE]
            here = self.from_words(some, _short(source, some.size))
            escaped = np.flatnonzero(here == _ESCAPE)
            here[escaped] = self._exact.draw(some[escaped], source)
            out[start : start + _PIECE] = here
        return out.reshape(codes.shape)

    def from_words(
        self, codes: NDArray[np.integer], words: NDArray[np.uint16]
    ) -> NDArray[np.uint8]:
        """What the table of each code has for each short word: an output, or 255 for the escape.

        A pure function, so that the law can be counted over every word there is.
        """
        assert self._tables is not None
        place = codes.astype(np.intp)
        place <<= self._bits
        place |= words >> np.uint16(_WORD - self._bits)
        return self._tables.take(place, mode="clip")  # valid already; clipping is the fastest mode


def _short(source: Source, n: int) -> NDArray[np.uint16]:
    """So many short words, four from each word, its low bits first."""
    words = source.words(-(-n // 4)).astype("<u8", copy=False)
    return words.view("<u2")[:n].astype(np.uint16, copy=False)
