"""Whether a released file is what its card says of a shuffled release: sorted, and without names."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.errors import DPrivacyError
from dprivacy.release.files.released_folders import data_files
from dprivacy.release.files.table_files import batches_of
from dprivacy.release.intake.table_settings import AS_RELEASED
from dprivacy.release.plans.release_card import Card
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.row_codes import Codes, released_codes
from dprivacy.release.unordered.untouched_groups import GroupCount


def sorted_findings(card: Card, plan: Plan, path: Path) -> Iterator[str]:
    """What in a file contradicts the block `shuffled` of its card.

    Two passes in flat memory: the groups of rows that are alike where nothing is protected, and then
    the order of all rows.
    """
    try:
        yield from _findings(card, plan, path)
    except DPrivacyError as reason:
        yield f"shuffled: {path} cannot be read as the plan says ({reason})"


def _findings(card: Card, plan: Plan, path: Path) -> Iterator[str]:
    released = {*plan.protected, *plan.pass_through}
    count, names = GroupCount(plan.pass_through), list[str]()
    with _opened(path, card.output) as batches:
        for batch in batches:
            names = batch.schema.names
            if set(names) != released:
                extra = sorted(released.symmetric_difference(names))
                yield (
                    f"shuffled: {path} has other columns than the plan releases: {', '.join(extra)}"
                )
                return
            count.see(batch)
    groups = count.found()
    if groups.rows != card.count:
        yield f"count: the card says {card.count:,}, and {path} has {groups.rows:,} rows"
    if groups.smallest != card.shuffled["smallest_group"]:
        yield (
            f"shuffled.smallest_group: the card says {card.shuffled['smallest_group']:,}, and the "
            f"smallest group in {path} has {groups.smallest:,} rows"
        )
    codes = released_codes(plan, names, groups.digits)
    before, rows = np.empty((0, codes.words), dtype=np.uint64), 0
    with _opened(path, card.output) as batches:
        for batch in batches:
            found = np.vstack([before, codes.of(batch)])
            at = _first_descent(found)
            if at is not None:
                yield (
                    f"shuffled: the rows of {path} are not sorted (row {rows + at - len(before)} "
                    "comes before the one above it), so that their order may say whose they are"
                )
                return
            before, rows = found[-1:], rows + batch.num_rows


def _first_descent(codes: Codes) -> int | None:
    """The first row that comes before the one above it."""
    less = np.zeros(max(len(codes) - 1, 0), dtype=bool)
    equal = ~less
    for word in codes.T:
        less |= equal & (word[1:] < word[:-1])
        equal &= word[1:] == word[:-1]
    found = np.flatnonzero(less)
    return int(found[0]) + 1 if len(found) else None


@contextmanager
def _opened(path: Path, output: Mapping[str, Any]) -> Iterator[Iterator[Any]]:
    """The batches of a file, or of the files of a folder in the order of their names."""

    def joined() -> Iterator[Any]:
        for file in data_files(path, output):
            with batches_of(file, AS_RELEASED) as (batches, _):
                yield from batches

    if path.is_dir():
        yield joined()
        return
    with batches_of(path, AS_RELEASED) as (batches, _):
        yield batches
