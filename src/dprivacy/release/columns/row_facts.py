"""What is seen of all rows together: their order by a secret column, and how many each person has."""

import math
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, BadPlan, BudgetExceeded, NotApplicable, PrivacyLeakWarning
from dprivacy.release.columns.person_identifiers import person_name
from dprivacy.release.columns.tagged_people import TaggedPeople

FEWEST = 20  # rows below which an order may well be chance
_MOST = 1 << 12  # values that are remembered
_SHARE = 1 / 8  # of the steps that rows in random order would have: with fewer they are in an order
_SIGMAS = 4


class RowOrder:
    """Notices rows that are sorted, or grouped, by the values of one column, also with some exceptions.

    Noise changes values and leaves rows where they are. In a table that is sorted by a secret column,
    the place of a row says nearly what its value was, whatever ε is.

    Notes
    -----
    1. Steps down, steps up and changes from one row to the next are counted, and compared with what
       the same values would show in random order: two rows differ with some probability p, which a
       few thousand values taken at even intervals tell, so that n rows have p·(n − 1) changes, half
       of them upwards.
    2. Rows are *sorted* when at most an eighth of these steps down, or up, are left; they are
       *grouped*, in whatever order of the values, when at most an eighth of the changes are. In random
       order none of these numbers has a variance above half its mean, and fewer steps than four
       standard deviations below it do not happen by chance.
    3. Rows without any step down, or up, are sorted however few steps there are.

    Examples
    --------
    >>> order = RowOrder()
    >>> order.see(np.repeat([2, 0, 1], 10))
    >>> order.kept
    True
    """

    __slots__ = ("_downs", "_every", "_last", "_rows", "_some", "_ups")

    def __init__(self) -> None:
        self._rows = self._ups = self._downs = 0
        self._last: NDArray[np.generic] = np.empty(0)
        self._some: NDArray[np.generic] = np.empty(0)
        self._every = 1  # one row of this many is remembered

    @property
    def kept(self) -> bool:
        """Whether the rows came sorted or grouped, too many of them for chance."""
        changes = self._ups + self._downs
        if self._rows < FEWEST or not changes:
            return False
        expected = self._differ() * (self._rows - 1)
        return (
            not (self._ups and self._downs)
            or _too_few(min(self._ups, self._downs), expected / 2)
            or _too_few(changes, expected)
        )

    def see(self, values: NDArray[np.generic]) -> None:
        """Note the next values, in the order of the rows."""
        if not len(values):
            return
        steps: Any = (self._last, values[: len(self._last)]), (values[:-1], values[1:])
        for before, after in steps:
            self._ups += int(np.count_nonzero(after > before))
            self._downs += int(np.count_nonzero(after < before))
        self._last = values[-1:].copy()
        first = -self._rows % self._every
        self._some = np.concatenate([self._some, values[first :: self._every]])
        self._rows += len(values)
        while len(self._some) > _MOST:
            self._some, self._every = self._some[::2].copy(), 2 * self._every

    def _differ(self) -> float:
        """The probability that two rows differ; a lower bound where not all values are remembered."""
        n = len(self._some)
        counts = np.unique(self._some, return_counts=True)[1]
        share = 1 - float((counts * (counts - 1)).sum()) / (n * (n - 1))
        return share if self._every == 1 else max(0.0, share - _SIGMAS * math.sqrt(share / n))


def warn_of_order(what: str, *, above: int = 1) -> None:
    """Warn, in the name of the caller that many calls above, of rows in the order of a secret."""
    warnings.warn(
        f"the rows are sorted or grouped by {what}: the place of a row gives its value away, whatever "
        "ε is; shuffle the rows first",
        PrivacyLeakWarning,
        stacklevel=above + 2,
    )


def warn_if_in_order(secrets: Mapping[str, NDArray[np.generic]], *, above: int = 1) -> None:
    """The same for values in hand, where they are in an order: what is secret, and the values."""
    for what, values in secrets.items():
        order = RowOrder()
        order.see(values)
        if order.kept:
            warn_of_order(what, above=above + 1)


def _too_few(steps: int, expected: float) -> bool:
    most = min(_SHARE * expected, expected - _SIGMAS * math.sqrt(expected / 2))
    return steps <= most


def most_rows(people: Sequence[Any]) -> int:
    """How many rows one person has at most; 1 where nobody is named.

    Examples
    --------
    >>> most_rows(["ann", "bob", "ann"])
    2
    """
    return max(Counter(person_name(who, row) for row, who in enumerate(people)).values(), default=1)


def require_bound(most: int, bound: int) -> None:
    """Refuse people with more rows than are paid for."""
    if type(bound) is not int or bound < 1:
        raise BadNumber(f"rows_per_person is a whole number of at least 1, not {bound!r:.40}")
    if most > bound:
        raise BudgetExceeded(
            f"somebody has more rows (reports, curves) than rows_per_person = {bound:,}; declare as "
            "many as a person may have, which is charged as many times, or leave out those beyond it"
        )


class RowsPerPerson:
    """Holds a table to the most rows that one person may have.

    Only a hash of 64 bits is kept of who each row belongs to; two people who share one can at worst
    cause a refusal.
    """

    def __init__(self, column: str, most: int) -> None:
        self.column, self.most = column, most
        self._seen: list[NDArray[np.int64]] = []
        self._rows = 0

    def see(self, array: Any, tagged: TaggedPeople | None = None) -> None:
        """Note whom the next rows belong to; their tags, where they have some, say it sooner."""
        if array.null_count:
            at = self._rows + int(np.flatnonzero(np.asarray(array.is_null()))[0])
            raise NotApplicable(
                f"column {self.column!r}, row {at}: is missing, and it should say whose row it is"
            )
        if tagged is None:
            rows = enumerate(array.to_pylist(), start=self._rows)
            found = np.array([hash(person_name(who, row)) for row, who in rows], dtype=np.int64)
        else:
            found = tagged.tags[:, 0].view(np.int64)
        self._seen.append(found)
        self._rows += len(found)

    def check(self) -> None:
        """BadPlan when somebody has more rows than the plan allows."""
        people = np.sort(np.concatenate(self._seen)) if self._seen else np.empty(0, np.int64)
        if self._rows > self.most and (people[self.most :] == people[: -self.most]).any():
            raise BadPlan(
                f"somebody has more rows than rows_per_person = {self.most} (by column "
                f"{self.column!r}); raise it in the plan, or leave out the rows beyond it"
            )
