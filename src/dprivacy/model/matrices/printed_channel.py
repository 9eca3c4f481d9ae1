"""Channels known from a print: each entry was rounded, and lies in an interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from dprivacy.errors import NotStochastic
from dprivacy.model.channels import Channel
from dprivacy.model.matrices.table_texts import Cells
from dprivacy.numbers import read_whole
from dprivacy.spaces import read_labels
from dprivacy.typing import Label

_FINEST = 15  # decimals that programs write at most of what they know
_TYPED = 4  # in a longer print, a column of fewer decimals is exact rather than coarse

Table = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True)
class PrintedChannel:
    """A channel of which a rounded print is known: `low[x][y] ≤ C[x, y] ≤ high[x][y]`.

    An entry that is printed as 0.123 was between 0.1225 and 0.1235, and rows summed to 1 before they
    were rounded. `privacy` and `smallest_eps` answer for every channel that prints so; other
    questions need one channel, such as `normalised()`. Made by `printed`.

    Attributes
    ----------
    rows, columns
        Labels of inputs and outputs.
    entries
        The numbers as they are printed.
    low, high
        Between what each may have been, in a row that sums to 1.

    Examples
    --------
    >>> from dprivacy.model import printed
    >>> thirds = printed([["0.333", "0.333", "0.333"]])
    >>> thirds.low[0][0], thirds.high[0][0]
    (Fraction(333, 1000), Fraction(667, 2000))
    >>> print(thirds.moved)
    1/3000
    """

    rows: tuple[Label, ...]
    columns: tuple[Label, ...]
    entries: Table
    low: Table
    high: Table

    def normalised(self) -> Channel:
        """One exact channel near the print: each row divided by its sum.

        Examples
        --------
        >>> from dprivacy.model import printed
        >>> printed([["0.333", "0.333", "0.333"]]).normalised()[0, 0]
        Fraction(1, 3)
        """
        table = [[value / sum(line) for value in line] for line in self.entries]
        return Channel(self.rows, self.columns, table)

    @property
    def moved(self) -> Fraction:
        """The most that `normalised` changes any entry."""
        return max(abs(v / sum(line) - v) for line in self.entries for v in line)

    def __repr__(self) -> str:
        widest = max(
            high - low
            for lows, highs in zip(self.low, self.high, strict=True)
            for low, high in zip(lows, highs, strict=True)
        )
        size = f"{len(self.rows)}×{len(self.columns)}"
        return f"PrintedChannel({size}, entries known to ±{float(widest / 2):.1g})"


def print_of(cells: Cells, *, decimals: int | None = None) -> PrintedChannel:
    """What a rounded matrix says of the one that was printed.

    Parameters
    ----------
    cells
        The entries as they were written; fractions are exact.
    decimals
        To how many decimals entries were rounded. When omitted, as many as the longest entry of the
        same column shows (R formats columns, and many programs drop zeros), at most 15; a number
        such as 1.2e-05 shows its own. No entry is taken to have more significant digits than any
        other shows: 0.4477 above 0.0003929 was perhaps rounded to four.

    Raises
    ------
    NotStochastic
        A row that misses 1 by more than rounding explains.

    Notes
    -----
    Rows are independent, and in a row an entry can be as large as its own interval and the smallest
    values of the others let it: both ends of `low` and `high` are reached by a row that sums to 1.
    """
    values, halves = cells.probabilities, _halves(cells, decimals)
    rows, columns = read_labels(cells.rows, "inputs"), read_labels(cells.columns, "outputs")
    _require_rounding(cells, values, None if decimals is None else halves)
    low, high = [], []
    for line, half in zip(values, halves, strict=True):
        least = [max(v - h, Fraction(0)) for v, h in zip(line, half, strict=True)]
        most = [min(v + h, Fraction(1)) for v, h in zip(line, half, strict=True)]
        down, up = (
            1 - sum(most),
            1 - sum(least),
        )  # what is left for one, when the others are extreme
        low.append(tuple(max(a, down + b) for a, b in zip(least, most, strict=True)))
        high.append(tuple(min(b, up + a) for a, b in zip(least, most, strict=True)))
    return PrintedChannel(rows, columns, tuple(map(tuple, values)), tuple(low), tuple(high))


def must_be_a_print(cells: Cells) -> bool:
    """Whether rows miss 1, and by no more than rounding to the decimals shown explains.

    Decimals whose rows sum to 1 may be a print as well, which only a person can know. Zeros and ones
    that do not are more likely people's answers.
    """
    values = cells.probabilities
    if all(sum(line) == 1 for line in values) or not longest_decimals(cells):
        return False
    try:
        _require_rounding(cells, values)
    except NotStochastic:
        return False
    return True


def longest_decimals(cells: Cells) -> int:
    """The most decimals that an entry shows; 0 where all are whole numbers or fractions."""
    return max(_decimals(cell) or 0 for line in cells.entries for cell in line)


def _require_rounding(
    cells: Cells, values: Sequence[Sequence[Fraction]], halves: list[list[Fraction]] | None = None
) -> None:
    """NotStochastic where rounding does not explain a sum.

    A column of few decimals beside longer ones would explain any miss; it counts with four.
    """
    if halves is None:
        halves = _halves(cells, None, least=min(longest_decimals(cells), _TYPED))
    for i, (line, half) in enumerate(zip(values, halves, strict=True)):
        total = sum(line, Fraction(0))
        if not total or abs(total - 1) > sum(half, Fraction(0)):  # of zeros alone nothing is known
            raise NotStochastic(
                f"{cells.name}: {cells.called(i)} should sum to 1 but {cells.summed(i, total)}, which "
                "rounding to the decimals shown does not explain; a row is a true value, a column a "
                "released one"
            )


def _halves(cells: Cells, decimals: int | None, least: int = 0) -> list[list[Fraction]]:
    """Half a unit of the last decimal, entry by entry."""
    if decimals is not None:
        read_whole(decimals, "decimals", least=0)
    columns = [
        max(_decimals(line[j]) or 0 if "e" not in line[j].lower() else 0 for line in cells.entries)
        for j in range(len(cells.columns))
    ]
    digits = max((_significant(cell) for line in cells.entries for cell in line), default=0)

    def half(cell: str, column: int) -> Fraction:
        own = _decimals(cell)
        if own is None:
            return Fraction(0)
        if decimals is not None:
            return _unit(decimals) / 2
        shown = max(own if "e" in cell.lower() else column, least)
        if _significant(cell):
            shown = min(shown, own + digits - _significant(cell))
        return _unit(shown) / 2

    return [[half(cell, columns[j]) for j, cell in enumerate(line)] for line in cells.entries]


def _unit(decimals: int) -> Fraction:
    return Fraction(1, 10 ** min(decimals, _FINEST))


def _decimals(cell: str) -> int | None:
    """How many decimals a number shows; None for a fraction, which is exact."""
    if "/" in cell:
        return None
    number, _, exponent = cell.lower().partition("e")
    return max(0, len(number.partition(".")[2]) - int(exponent or 0))


def _significant(cell: str) -> int:
    """How many significant digits a number shows; 0 for a fraction."""
    if "/" in cell:
        return 0
    return len(cell.lower().partition("e")[0].replace(".", "").lstrip("+-0"))
