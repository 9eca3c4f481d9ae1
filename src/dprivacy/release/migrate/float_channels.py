"""Channels of floats, as NumPy and qif have them, read as the fractions they stand for."""

from collections.abc import Iterable
from fractions import Fraction

from dprivacy.errors import BadNumber, NotApplicable, NotStochastic
from dprivacy.model import Channel, as_channel, shown
from dprivacy.release.migrate.imported_channel import ImportedChannel
from dprivacy.typing import ChannelLike, Label

_NEAR = Fraction(1, 10**12)
_MOST = 100_000  # then fractions are at least 1e-10 apart, and at most one is near


def from_floats(
    matrix: ChannelLike,
    *,
    rows: Iterable[Label] | None = None,
    columns: Iterable[Label] | None = None,
    largest: int = 10_000,
) -> ImportedChannel:
    """The exact channel that a matrix of floats stands for: 0.6666666666666666 is read as 2/3.

    Parameters
    ----------
    matrix
        An array (qif's channels are NumPy arrays), nested lists or a data frame. Exact entries, such as
        those of qif's rational channels, stay what they are.
    rows, columns
        Labels; taken from a data frame, else 0 … n−1.
    largest
        The largest denominator that is looked for.

    Returns
    -------
    ImportedChannel

    Raises
    ------
    NotApplicable
        An entry that is near no such fraction. Then the channel can be rounded to a private one with
        `exactly`, or measured as it is.
    NotStochastic
        Rows whose fractions do not sum to 1.

    Notes
    -----
    Two fractions with denominators up to N differ by at least 1/N², so that at most one lies within
    10⁻¹² of a float. Rows must then sum to 1 exactly, which a wrong guess would hardly do.

    Examples
    --------
    >>> found = from_floats([[2 / 3, 1 / 3], [1 / 3, 2 / 3]])
    >>> found.channel[0, 0], str(found.eps)
    (Fraction(2, 3), 'ln(2)')
    """
    if not 1 <= largest <= _MOST:
        raise BadNumber(f"the largest denominator is between 1 and {_MOST:,}, not {largest!r}")
    channel = as_channel(matrix, rows=rows, columns=columns)
    if channel.exact:
        return ImportedChannel(channel, "A matrix of exact numbers")
    exact, moved = [], Fraction(0)
    for x in channel.rows:
        line = []
        for y in channel.columns:
            given = Fraction(float(channel[x, y]))
            found = given.limit_denominator(largest)
            if abs(found - given) > _NEAR or (found == 0) != (given == 0):
                raise NotApplicable(
                    f"{float(given)!r} at ({shown(x)}, {shown(y)}) is not near a fraction with a "
                    f"denominator up to {largest:,}; give a larger `largest`, or make a proved channel "
                    "near it with `exactly(matrix, space, eps=…)`"
                )
            moved = max(moved, abs(found - given))
            line.append(found)
        if sum(line) != 1:
            raise NotStochastic(
                f"row {shown(x)!r}: read as fractions, its entries sum to {sum(line)}; use "
                "`exactly(matrix, space, eps=…)`"
            )
        exact.append(line)
    remark = (
        "Read as fractions: what is proved holds for these, not for the doubles that a program with "
        "the floats would draw from.",
    )
    return ImportedChannel(
        Channel(channel.rows, channel.columns, exact), "A matrix of floats", moved, remarks=remark
    )
