"""`shuffled_columns`: what a table of several columns guarantees when its rows are shuffled."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from dprivacy.errors import TooLarge, UnknownName, WrongKind
from dprivacy.numbers import Level
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike, NumberLike
from dprivacy.verify.shuffling.blanket_pairs import Blanket
from dprivacy.verify.shuffling.column_covers import Cover, Pairs, cover_of, cover_of_level
from dprivacy.verify.shuffling.shuffled_reports import (
    Shuffled,
    finite_only,
    proved,
    read_sizes,
    shuffled,
)

_ONE = Fraction(1)
_MOST_KINDS = 1000  # pairs of records that look different
_MOST_ATOMS = 20_000  # of all of them together


@result("B", "§5")
def shuffled_columns(
    columns: Mapping[str, ChannelLike | LevelLike] | Sequence[ChannelLike | LevelLike],
    n: int,
    *,
    delta: NumberLike,
    rows_per_person: int = 1,
    changed: Collection[str | int] | None = None,
) -> Shuffled:
    """What n rows of several noisy columns guarantee when their order and senders are forgotten.

    Parameters
    ----------
    columns
        By their names, or as a list: what each is released with, independently given the values; a
        mechanism, an exact channel or a level (for values at most so far apart).
    n
        How many rows there are among which one hides: all, or where columns are published as they are,
        the smallest number of rows that agree in them.
    delta
        δ, greater than 0; at most 1/n².
    rows_per_person
        How many of the rows may be of one person.
    changed
        The names (or positions) of the columns in which two records may differ; all when omitted.

    Returns
    -------
    Shuffled
        A proved upper bound for whole records, never above that of a single row; `pair` has two
        records.

    Notes
    -----
    The channel of a record is the product of those of its columns; so are its blanket and its share
    γ. Records may differ in some of the columns and agree in others: all such pairs are covered. Where
    they are too many, the column with most is taken by its level alone, and in the end the record by
    the sum of levels.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> sex, vote = (randomised_response(range(k), eps="ln 3") for k in (2, 4))
    >>> table = {"sex": sex, "vote": vote}
    >>> for which in (None, ["vote"]):
    ...     print(f"{float(shuffled_columns(table, 1000, delta='1e-6', changed=which).eps):.4f}")
    0.3030
    0.2201
    """
    slack, m = read_sizes(n, delta, rows_per_person)
    named = _named(columns)
    chosen = set(named if changed is None else changed)
    if not chosen or chosen - set(named):
        known = ", ".join(map(repr, named))
        raise UnknownName(f"changed names some of the columns {known}, not {changed!r}")
    if len(named) == 1:
        (column,) = named.values()
        found = shuffled(column, n, delta=slack, rows_per_person=m)
        pair = found.pair and ((found.pair[0],), (found.pair[1],))
        return replace(found, pair=pair, between=_between(named, chosen))
    return proved(record_pairs(named, chosen), n, slack, m, _between(named, chosen))


def record_pairs(named: Mapping[Any, Any], chosen: Collection[str | int]) -> Pairs:
    """The pairs of records of several columns that look different; see `shuffled_columns`."""
    covers = {name: cover_of(column) for name, column in named.items()}
    pairs = _records(covers, chosen)
    while pairs is None:
        largest = max(covers, key=lambda name: _size(covers[name]))
        rough = cover_of_level(_level(largest, covers[largest]))
        if _size(covers[largest]) > _size(rough):
            covers[largest] = rough
            pairs = _records(covers, chosen)
        else:  # all of them are rough: one level for the record
            levels = (_level(name, cover) for name, cover in covers.items())
            pairs = cover_of_level(sum(levels, Level(0))).changed
    return pairs


def _named(columns: Any) -> dict[str | int, Any]:
    """Columns by their names, or by their positions."""
    if isinstance(columns, Mapping):
        named = dict(columns)
    elif isinstance(columns, Sequence) and not isinstance(columns, str):
        named = dict(enumerate(columns))
    else:
        raise WrongKind(
            "columns are a mapping of names to mechanisms, or a list of mechanisms, not "
            f"{type(columns).__name__}"
        )
    if not named:
        raise WrongKind("a table has at least one column")
    return named


def _level(name: str | int, cover: Cover) -> Level:
    if cover.level is None:
        raise TooLarge(
            f"column {name!r} has no level without δ, and beside it there are too many kinds of "
            "records to be compared; release it by itself, or with fewer other columns"
        )
    return cover.level


def _between(named: Mapping[str | int, Any], chosen: Collection[str | int]) -> str:
    """Which records are meant, in words."""
    which = f"two records{finite_only(*named.values())}"
    if len(chosen) == len(named):
        return which
    return f"{which} that differ only in {' and '.join(str(x) for x in named if x in chosen)}"


def _size(cover: Cover) -> int:
    """How many atoms there are in all pairs of a column."""
    return sum(len(blanket.cells) for blanket in (*cover.changed, *cover.same))


def _records(covers: Mapping[str | int, Cover], chosen: Collection[str | int]) -> Pairs | None:
    """The pairs of records that look different; None where they are too many."""
    found: dict[Blanket, tuple[tuple[Label, ...], tuple[Label, ...]]] = {
        Blanket((((_ONE, _ONE), _ONE),), (), _ONE): ((), ())
    }
    work = 0
    for name, cover in covers.items():
        column = dict(cover.changed if name in chosen else cover.same)
        if name in chosen and not cover.worse:
            column.update(cover.same)
        work += sum(len(one.cells) for one in found) * sum(len(one.cells) for one in column)
        if work > _MOST_ATOMS:
            return None
        longer: dict[Blanket, tuple[tuple[Label, ...], tuple[Label, ...]]] = {}
        for (one, (x, z)), (other, (u, v)) in product(found.items(), column.items()):
            longer.setdefault(one.times(other), ((*x, u), (*z, v)))
        found = longer
        if len(found) > _MOST_KINDS:
            return None
    return found
