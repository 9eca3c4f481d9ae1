"""Ratings (or visits) from a table with one line each, as one vector a person."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadFile
from dprivacy.hashing.hashes.linear_hash import read_items
from dprivacy.release import DECIMAL_COMMAS, Written, whole_table
from dprivacy.typing import PathArg


@dataclass(frozen=True, eq=False)
class Ratings:
    """People and what they gave to which items.

    Parameters
    ----------
    people
        Who.
    vectors
        For each person a mapping from items to numbers; what is not mentioned is 0.

    Examples
    --------
    >>> Ratings(("ann", "bob"), ({"tea": 5.0}, {"rum": 1.0})).array().tolist()
    [[5.0, 0.0], [0.0, 1.0]]
    """

    people: tuple[Any, ...] = field(repr=False)
    vectors: tuple[dict[Any, float], ...] = field(repr=False)

    def array(self) -> NDArray[np.float64]:
        """The vectors as an array: one row a person, one column an item that somebody has."""
        matrix, _ = read_items(self.vectors)
        return np.asarray(matrix.toarray(), dtype=np.float64)


def read_ratings(
    path: PathArg,
    *,
    user: str = "user",
    item: str = "item",
    rating: str | None = "rating",
    **written: Unpack[Written],
) -> Ratings:
    r"""Read a table of ratings, one a line (.csv, .csv.gz or .parquet).

    Parameters
    ----------
    path
        The table.
    user, item, rating
        The names of its columns. With ``rating=None`` the lines of a person and an item are counted,
        as for visits to places.
    **written
        How a text table is written, as for `sanitise_file`: `delimiter`, `encoding` and so on.

    Returns
    -------
    Ratings
        One vector a person, sorted by their names.

    Raises
    ------
    UnknownName
        For missing columns.
    BadFile
        For a line without a person, an item or a number, and for an item that a person rates twice. By
        line number, never by value.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "r.csv").write_text("user,item,rating\nann,tea,5\nbob,tea,1\n")
    ...     read_ratings(f"{folder}/r.csv").vectors
    ({'tea': 5.0}, {'tea': 1.0})
    """
    source = Path(path)
    wanted = [name for name in (user, item, rating) if name is not None]
    found: dict[Any, dict[Any, float]] = {}
    table = whole_table(source, wanted, **written)
    rows = zip(*(table.column(name).to_pylist() for name in wanted), strict=True)
    for line, (who, what, *given) in enumerate(rows, 1):
        _add(found, who, what, given, line)
    people = sorted(found)  # and not in the order of the lines, which may be that of the ratings
    return Ratings(tuple(people), tuple(found[who] for who in people))


def _add(
    found: dict[Any, dict[Any, float]], who: Any, what: Any, given: list[Any], line: int
) -> None:
    if who is None or what is None:
        raise BadFile(f"line {line} of the table has no person or no item")
    if isinstance(what, float) or isinstance(who, float):
        raise BadFile(
            f"line {line} of the table: people and items should be texts or whole numbers"
        )
    mine = found.setdefault(who, {})
    if not given:
        mine[what] = mine.get(what, 0.0) + 1.0
        return
    if what in mine:
        raise BadFile(f"line {line} of the table rates an item that the person rated before")
    try:
        number = float(given[0])
    except (TypeError, ValueError):
        raise BadFile(
            f"line {line} of the table has a rating that is not a number; {DECIMAL_COMMAS}"
        ) from None
    if not np.isfinite(number):
        raise BadFile(f"line {line} of the table has a rating that is not finite")
    mine[what] = number
