"""Items: tables, examples, figures and errata, each with the function that computes it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cache, wraps
from importlib import import_module
from pathlib import Path
from typing import Any

from dprivacy.errors import UnknownName
from dprivacy.reproduce.items.compared_lines import Found, Parts

SOURCES = {
    "T": "the thesis on metric differential privacy and information flow",
    "C": "the paper on categorical data",
    "P": "the paper on extreme points of the polytope",
    "M": "the paper on metric spaces",
    "L": "the page of this documentation on local mechanisms",
    "N": "the page of this documentation with new results",
    "erratum": "places where a source is wrong, each with its counter-example",
}

# Where items are defined; the order is that of the report.
_SHELVES = (
    "chapters.chapters_2_3",
    "chapters.chapter_4",
    "chapters.chapter_4_orders",
    "chapters.chapter_5",
    "chapters.chapter_6",
    "chapters.chapter_6_kernels",
    "chapters.chapter_7",
    "chapters.chapter_8",
    "chapters.chapter_9",
    "chapters.chapter_10",
    "chapters.articles",
    "chapters.local_errors",
    "chapters.local_orders",
    "settled.recognised_senders",
    "settled.verdicts_by_level",
    "settled.kernels_by_level",
    "settled.lowering_ranges",
    "settled.slack_counts",
    "settled.theorem_checks",
    "errata.errata_1_to_11",
    "errata.errata_12_to_22",
    "errata.errata_23_to_35",
)


@dataclass(frozen=True)
class Setting:
    """What an item may need to know: where data sets lie, and whom to tell how far it is."""

    data: Path | None = None
    progress: Callable[[str], None] = field(default=lambda _: None)


@dataclass(frozen=True)
class Item:
    """One thing that the sources print and that can be computed again.

    Attributes
    ----------
    key
        Its name, such as ``T:table-5.1``.
    title
        What it shows.
    place
        Where it is printed.
    compute
        From a `Setting` to what was `Found`.
    needs
        Names of the data sets without which it is skipped.
    heavy
        Whether it takes minutes, and so is computed only when asked for.

    Examples
    --------
    >>> item = catalogue()["T:table-10.1"]
    >>> item.source, item.needs
    ('T', ('movielens100k',))
    >>> sorted(item.to_dict())
    ['heavy', 'item', 'needs', 'place', 'title']
    """

    key: str
    title: str
    place: str
    compute: Callable[[Setting], Found]
    needs: tuple[str, ...] = ()
    heavy: bool = False

    @property
    def source(self) -> str:
        """T, C, P, M, L, N or erratum."""
        return self.key.partition(":")[0]

    def to_dict(self) -> dict[str, Any]:
        """The item, without its answer, as plain data."""
        return {
            "item": self.key,
            "title": self.title,
            "place": self.place,
            "needs": list(self.needs),
            "heavy": self.heavy,
        }


_shelf: dict[str, Item] = {}


def item(
    key: str, title: str, place: str, *, needs: tuple[str, ...] = (), heavy: bool = False
) -> Callable[[Callable[[Setting], Parts]], Callable[[Setting], Found]]:
    """Put the function below, which yields the parts of an answer, on the shelf under a name."""

    def shelved(parts: Callable[[Setting], Parts]) -> Callable[[Setting], Found]:
        @wraps(parts)
        def compute(setting: Setting) -> Found:
            return Found.of(parts(setting))

        _shelf[key] = Item(key, title, place, compute, needs, heavy)
        return compute

    return shelved


@cache
def catalogue() -> dict[str, Item]:
    """Every item by its name, in the order of the sources.

    Examples
    --------
    >>> catalogue()["T:table-5.1"].place
    'T Table 5.1'
    """
    modules = [import_module(f"dprivacy.reproduce.{name}").__name__ for name in _SHELVES]
    # Whoever imported a chapter before this has put its items on the shelf first.
    ordered = sorted(_shelf.values(), key=lambda one: modules.index(one.compute.__module__))
    return {one.key: one for one in ordered}


def chosen(names: str | Iterable[str] = ()) -> list[Item]:
    """The items of these names, or all.

    Parameters
    ----------
    names
        Names, or patterns such as ``T:table-*`` and ``erratum:*``; none for all items.

    Raises
    ------
    UnknownName
        For a name that no item has.
    """
    items = catalogue()
    wanted = [names] if isinstance(names, str) else list(names)
    if not wanted:
        return list(items.values())
    picked: dict[str, Item] = {}
    for name in wanted:
        pattern = _key(name)
        matching = {key: one for key, one in items.items() if fnmatchcase(key.lower(), pattern)}
        if not matching:
            near = [key for key in items if pattern.rpartition(":")[2].strip("*") in key.lower()]
            hint = f"; similar: {', '.join(near[:6])}" if near else ""
            raise UnknownName(f"no item is called {name!r}{hint}; --list shows all")
        picked |= matching
    return [one for key, one in items.items() if key in picked]


def _key(name: str) -> str:
    """A name as the catalogue has it: "T Table 6.2", as one cites it, is t:table-6.2."""
    source, space, place = name.strip().lower().partition(" ")
    return f"{source}:{place.strip().replace(' ', '-')}" if space and ":" not in source else source
