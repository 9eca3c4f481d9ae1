"""The beginning of a table for a first plan: its columns, and how its file is written."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from dprivacy.errors import WrongShape
from dprivacy.extras import arrow
from dprivacy.release.files.table_files import batches_of, is_typed
from dprivacy.release.intake.labelled_files import is_labelled
from dprivacy.release.intake.table_settings import Intake
from dprivacy.release.intake.table_sources import source_of
from dprivacy.release.proposals.toml_lines import toml_value

_ROWS_LOOKED_AT = 200_000


def first_rows(path: Path, known: Intake) -> Iterator[tuple[str, Any]]:
    """The columns of the first rows, numbers of text files as text."""
    parts, rows = [], 0
    with batches_of(path, known) as (batches, _):
        for batch in batches:
            parts.append(batch)
            rows += len(batch)
            if rows >= _ROWS_LOOKED_AT:
                break
    if not rows:
        raise WrongShape(f"{path}: holds no rows")
    table = arrow().Table.from_batches(parts)
    yield from zip(table.schema.names, table.columns, strict=True)


def rows_seen(columns: Sequence[tuple[str, Any]]) -> int | None:
    """How many rows a table has; None where not all of them were looked at."""
    rows = len(columns[0][1]) if columns else 0
    return rows if rows < _ROWS_LOOKED_AT else None


def title_of(path: Path) -> str:
    """The name of a table's file without its endings.

    Examples
    --------
    >>> title_of(Path("survey.csv.gz")), title_of(Path("survey.2019.csv"))
    ('survey', 'survey.2019')
    """
    return Path(path.name.removesuffix(".gz")).stem


def layout_lines(path: Path, known: Intake) -> list[str]:
    """How the file is written, where that is not as usual."""
    if is_typed(path) or is_labelled(path):
        return []
    found = source_of(path, known).format
    settings = found.to_settings().updated(sheet=known.settings.sheet).to_dict()
    notes = {"header": "   # the first line is a row like the others" if not found.header else ""}
    if found.letters:
        notes["encoding"] = (
            f"   # letters beyond a-z are {found.letters}: if they look wrong, it is another one"
        )
    lines = [f"{key} = {toml_value(value)}{notes.get(key, '')}" for key, value in settings.items()]
    return ["[table]               # how the file is written", *lines, ""] if lines else []
