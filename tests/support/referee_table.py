"""The referee's table: ``python -m support.referee_table`` in the folder of the tests prints it."""

import warnings
from collections.abc import Callable, Iterable, Iterator
from functools import cache

from support import (
    raw_applications as applications,
    raw_mechanisms as mechanisms,
    raw_releases as releases,
    raw_reports as reports,
)
from support.raw_laws import Path, Ruling, ruling

KINDS: dict[str, Callable[[], Iterator[Path]]] = {
    "families": mechanisms.families,
    "grids": mechanisms.grids,
    "workflows": mechanisms.workflows,
    "curves": applications.curves,
    "words": applications.words,
    "texts in tables": applications.text_columns,
    "hashes": applications.hashes,
    "listed columns": releases.listed_columns,
    "columns of reports": reports.report_columns,
    "other columns": releases.number_columns,
    "places": releases.places,
}


@cache
def paths(kind: str) -> tuple[Path, ...]:
    """The paths of a kind, which several tests look at."""
    return tuple(KINDS[kind]())


def by_name(rulings: Iterable[Ruling]) -> dict[str, Ruling]:
    """One ruling a path: a family's levels are taken together."""
    found: dict[str, Ruling] = {}
    for one in rulings:
        old = found.get(one.name, Ruling(one.name, 0, (), 0.0))
        found[one.name] = Ruling(
            one.name, old.pairs + one.pairs, old.broken + one.broken, max(old.share, one.share)
        )
    return found


def group(name: str) -> str:
    """A line of the table: curves by their distance, everything else up to the first comma."""
    parts = name.split(", ")
    return ", ".join(parts[:2]) if parts[0] == "curves" else parts[0]


def lines(rulings: Iterable[Ruling]) -> list[str]:
    """The table in Markdown."""
    groups: dict[str, list[Ruling]] = {}
    for one in by_name(rulings).values():
        groups.setdefault(group(one.name), []).append(one)
    head = ["| path | ways | raw pairs | largest loss / promise |", "|---|---|---|---|"]
    return head + [
        f"| {name} | {len(ways)} | {sum(one.pairs for one in ways):,} "
        f"| {max(one.share for one in ways):.2f} |"
        for name, ways in groups.items()
    ]


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    print("\n".join(lines(ruling(path) for kind in KINDS for path in paths(kind))))
