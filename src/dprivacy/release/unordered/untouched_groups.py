"""Rows that are alike in the columns that nobody protects: the company in which a row hides."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprivacy.errors import NotApplicable, TooLarge
from dprivacy.extras import arrow, compute
from dprivacy.release.unordered.cell_digits import Ranked, as_texts, comparable, plain_cells

MOST = 1 << 20  # groups that are told apart
_COUNT = "rows"


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of a table.

    Parameters
    ----------
    rows, number, smallest
        How many rows and groups there are, and how many rows the smallest group has.
    digits
        The untouched columns, each with the ranks of its different values.
    """

    rows: int
    number: int
    smallest: int
    digits: Mapping[str, Ranked]


class GroupCount:
    """Counts the rows of every group, batch after batch, in memory that grows with the groups alone.

    Parameters
    ----------
    untouched
        The columns that are published as they are.

    Examples
    --------
    >>> import pyarrow
    >>> count = GroupCount(["town"])
    >>> count.see(pyarrow.table({"town": ["Ulm", "Bonn", "Ulm"]}))
    >>> found = count.found()
    >>> found.rows, found.number, found.smallest
    (3, 2, 1)
    """

    def __init__(self, untouched: Sequence[str]) -> None:
        self._names, self._rows = tuple(untouched), 0
        self._waiting: list[Any] = []
        self._held = self._number = 0
        self._kinds: dict[str, Any] = {}

    def see(self, table: Any) -> None:
        """Count the rows of an Arrow table or record batch."""
        self._rows += table.num_rows
        if not self._names or not table.num_rows:
            return
        keys = {}
        for k, name in enumerate(self._names):
            cells = table.column(name)
            self._kinds.setdefault(name, plain_cells(cells).type)
            keys[str(k)] = comparable(cells, name)
        found = arrow().table(keys).group_by(list(keys)).aggregate([([], "count_all")])
        self._waiting.append(found.rename_columns([*keys, _COUNT]))
        self._held += found.num_rows
        if self._held > 2 * self._number + MOST // 8:
            self._fold()

    def _fold(self) -> Any:
        table = arrow().concat_tables(self._waiting)
        keys = table.column_names[:-1]
        found = table.group_by(keys).aggregate([(_COUNT, "sum")]).rename_columns([*keys, _COUNT])
        self._waiting, self._held = [found], found.num_rows
        self._number = found.num_rows
        if self._number > MOST:
            raise TooLarge(
                f"the columns {', '.join(self._names)} are published as they are and have more than "
                f"{MOST:,} different combinations, so that hardly a row hides among others; leave them "
                "out, make them coarser, or release without shuffling"
            )
        return found

    def found(self) -> Groups:
        """The groups of all that was seen."""
        if not self._waiting:
            return Groups(self._rows, min(self._rows, 1), self._rows, {})
        table = self._fold()
        smallest = compute().min(table.column(_COUNT)).as_py()
        digits = {name: self._ranked(table.column(k), name) for k, name in enumerate(self._names)}
        return Groups(self._rows, table.num_rows, smallest, digits)

    def _ranked(self, keys: Any, name: str) -> Ranked:
        values = plain_cells(compute().unique(keys))
        known = values.drop_null()
        ranks = known.take(compute().sort_indices(as_texts(known, self._kinds[name], name)))
        if values.null_count:
            ranks = arrow().concat_arrays([arrow().nulls(1, ranks.type), ranks])
        return Ranked(ranks, self._kinds[name])


def require_company(groups: Groups, untouched: Iterable[str]) -> None:
    """NotApplicable where some row is alone with its untouched values, or in the whole table."""
    if groups.smallest >= 2:
        return
    names = ", ".join(untouched)
    if not names:
        raise NotApplicable(
            f"a row hides among other rows, and the table has {groups.rows}; release it without "
            "shuffling"
        )
    raise NotApplicable(
        f"a row hides among rows with the same {names}, which the plan publishes as they are, and some "
        "row is alone there; leave such columns out, protect them, or make them coarser, so that every "
        "combination occurs twice at least, and better a thousand times"
    )
