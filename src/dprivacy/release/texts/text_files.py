"""Texts in files that are no tables: a line of JSON for each, or a folder with a file for each."""

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from dataclasses import replace as changed
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, NotApplicable, OutputExists, TooLarge
from dprivacy.extras import arrow
from dprivacy.model import as_path, open_regular
from dprivacy.release.files.own_files import CARD_NAME, open_own
from dprivacy.release.files.released_data import Released, write_released
from dprivacy.release.frames.frames_in_hand import sanitised_frame
from dprivacy.release.jobs.source_marks import origin_of
from dprivacy.release.ledger.release_spending import Terms
from dprivacy.release.plans.listed_files import ListedFile, listing_hash, may_be_listed
from dprivacy.release.plans.release_card import card_text
from dprivacy.release.plans.table_plan import Plan
from dprivacy.text import read_document
from dprivacy.typing import LedgerLike, PathArg, PlanLike

LINES = (".jsonl", ".ndjson")
FILE, TEXT = "file", "text"  # the columns of a folder
_MOST_BYTES = 1 << 30
_LONGEST_LINE = 80_000_000  # bytes
_MOST_FILES = 200_000


def read_lines(path: PathArg) -> Any:
    """The objects of a file of JSON lines as an Arrow table; a missing field is a missing value.

    Raises
    ------
    BadFile
        With the number of the line, never its content: for what is no object, and for values in values.
    """
    place = as_path(path, "the file")
    rows: list[dict[str, Any]] = []
    names: dict[str, None] = {}
    with open_regular(place) as file:
        if place.stat().st_size > _MOST_BYTES:
            raise TooLarge(f"{place}: is larger than {_MOST_BYTES >> 30} GiB; make a table of it")
        for number, line in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1):
            if line.strip():
                rows.append(_object(line, f"{place}, line {number}"))
                names |= dict.fromkeys(rows[-1])
    if not rows:
        raise BadFile(f"{place}: contains no rows")
    return arrow().table({name: _column([row.get(name) for row in rows], name) for name in names})


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError as reason:
        raise BadFile(f"{where}: byte {reason.start:,} is not UTF-8; save it in UTF-8") from None
    except (ValueError, RecursionError):
        raise BadFile(f"{where}: is not JSON, or is too long") from None
    if not isinstance(found, dict):
        raise BadFile(f"{where}: should be an object, {{…}}, not {type(found).__name__}")
    nested = [name for name, value in found.items() if isinstance(value, dict | list)]
    if nested:
        raise BadFile(f"{where}: the field {nested[0]!r} holds values of its own; take them apart")
    return found


def _column(values: list[Any], name: str) -> Any:
    try:
        return arrow().array(values)
    except (arrow().ArrowException, OverflowError):
        raise BadFile(
            f"the field {name!r} is of one type in some lines and of another in others"
        ) from None


def write_lines(table: Any, file: Any, path: Path) -> None:
    """A writer of tables as JSON lines."""
    for row in table.to_pylist():
        file.write(f"{json.dumps(row, ensure_ascii=False)}\n".encode())


def sanitise_lines(
    source: PathArg,
    plan: PlanLike,
    output: PathArg,
    *,
    replace: bool = False,
    ledger: LedgerLike = None,
    again: str | None = None,
    insecure_seed: int | None = None,
) -> Released[Any]:
    r"""A protected copy of a file of JSON lines, with its card beside it.

    Parameters
    ----------
    source
        One object a line, in UTF-8; its fields are the columns of the plan.
    plan, output, replace, ledger, again, insecure_seed
        As for `sanitise`; the output is a .jsonl file.

    Examples
    --------
    >>> import tempfile
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "in.jsonl").write_text('{"tea": "yes"}\n{"tea": "no"}\n')
    ...     _ = sanitise_lines(f"{folder}/in.jsonl", plan, f"{folder}/out.jsonl")
    ...     len(Path(folder, "out.jsonl").read_text().splitlines())
    2
    """
    target = as_path(output, "the output")
    if target.suffix.lower() not in LINES:
        raise BadFile(f"{target}: lines of JSON are written as {' or '.join(LINES)}")
    if target.exists() and not replace:
        raise OutputExists(f"{target} already exists; choose another name, or pass replace=True")
    origin = origin_of(as_path(source, "the file"), ledger=ledger, again=again)
    origin.require_new(target.parent)
    terms = Terms(Plan.read(plan), ledger, again, None, insecure_seed)
    clean, card, receipt = sanitised_frame(read_lines(source), terms)
    released = Released(clean, card, write_lines, origin, receipt)
    return changed(released, card=write_released(released, target, replace=replace))


def folder_files(folder: PathArg, pattern: str = "**/*.txt") -> list[Path]:
    """The texts in a folder, by name."""
    place = as_path(folder, "the folder")
    if not place.is_dir():
        raise BadFile(f"{place}: should be a folder of texts, and is not a folder")
    found = sorted(path for path in place.glob(pattern) if path.is_file())
    if not found:
        raise BadFile(f"{place}: holds no file like {pattern}")
    if len(found) > _MOST_FILES:
        raise TooLarge(f"{place}: holds {len(found):,} texts, more than {_MOST_FILES:,}")
    return found


def folder_table(folder: PathArg, files: Iterable[Path]) -> Any:
    """The texts in a folder as a table of names and texts."""
    listed = list(files)
    names = [path.relative_to(folder).as_posix() for path in listed]
    return arrow().table({FILE: names, TEXT: [read_document(path) for path in listed]})


def sanitise_folder(
    source: PathArg,
    plan: PlanLike,
    output: PathArg,
    *,
    pattern: str = "**/*.txt",
    ledger: LedgerLike = None,
    again: str | None = None,
    insecure_seed: int | None = None,
) -> Released[Path]:
    """A protected copy of a folder of texts: the same names, noisy texts, and one _card.json.

    Parameters
    ----------
    source
        The folder; the names of its files are published as they are.
    plan
        It protects a column "text" and passes "file" through.
    output
        A folder that does not exist yet; it appears when it is complete.
    pattern
        Which files are texts.
    ledger, again, insecure_seed
        As for `sanitise`.

    Examples
    --------
    >>> import tempfile
    >>> column = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> plan = {"columns": {"text": column}, "pass_through": ["file"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Path(folder, "in").mkdir()
    ...     _ = Path(folder, "in", "ann.txt").write_text("yes")
    ...     released = sanitise_folder(f"{folder}/in", plan, f"{folder}/out")
    ...     sorted(file.name for file in Path(folder, "out").iterdir())
    ['_card.json', 'ann.txt']
    """
    target, wanted = as_path(output, "the output"), Plan.read(plan)
    if wanted.protected != (TEXT,) or wanted.pass_through != (FILE,):
        raise NotApplicable(
            f'a folder of texts has the columns "{TEXT}", to be protected, and "{FILE}", to be passed '
            "through; the plan has others"
        )
    if target.exists():
        raise OutputExists(f"{target} already exists; choose another name for the folder")
    files = folder_files(source, pattern)
    strange = [path for path in files if not may_be_listed(path.relative_to(source).as_posix())]
    if strange:
        raise BadFile(
            f"{strange[0]}: its name has characters that a card cannot list, or is hidden; rename it"
        )
    table = folder_table(source, files)
    clean, card, _ = sanitised_frame(table, Terms(wanted, ledger, again, None, insecure_seed))
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(mode=0o700, parents=True)
    written = []
    for row in clean.to_pylist():
        place = part / row[FILE]
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(place, f"{row[TEXT]}\n".encode())
        written.append(_listed(row[FILE], place))
    entries = [file.to_dict() for file in written]
    card = card.saved_as(target.name, listing_hash(written), files=entries)
    _write(part / CARD_NAME, card_text(card).encode())
    os.replace(part, target)
    return Released(target, card)


def _listed(name: str, place: Path) -> ListedFile:
    data = place.read_bytes()
    return ListedFile(name, 1, len(data), hashlib.sha256(data).hexdigest())


def _write(place: Path, data: bytes) -> None:
    with os.fdopen(open_own(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
