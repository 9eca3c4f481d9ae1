"""Sanitising files: CSV and Parquet, streamed in bounded memory, written whole or not at all."""

import hashlib
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from dprivacy.errors import DPrivacyError, Malformed
from dprivacy.release.card import ReleaseCard
from dprivacy.release.extras import arrow, arrow_csv, parquet
from dprivacy.release.plan import Plan
from dprivacy.release.tables import Sanitiser, warn_about
from dprivacy.sampling import choose_source

Progress = Callable[[int, int | None], None]
_BATCH = 1 << 16  # rows of a Parquet batch
_BLOCK = 1 << 22  # bytes of a CSV block


def card_path(output: str | Path) -> Path:
    """Where the card of an output lies: out.parquet has out.release.json beside it."""
    path = Path(output)
    return path.with_name(f"{path.name.removesuffix(path.suffix)}.release.json")


def sanitise_file(
    source: str | Path,
    plan: Plan,
    output: str | Path,
    *,
    replace: bool = False,
    insecure_seed: int | None = None,
    permanent_key: bytes | None = None,
    progress: Progress | None = None,
) -> ReleaseCard:
    """A protected copy of a CSV or Parquet file, with its card beside it.

    Parameters
    ----------
    source
        The table: .csv (also .csv.gz) or .parquet.
    plan
        What happens to every column.
    output
        Where the copy goes: .csv or .parquet. It appears only when it is complete.
    replace
        Whether an existing output may be replaced.
    insecure_seed
        For tests only.
    permanent_key
        For permanent answers; see `sanitise`.
    progress
        Called with the rows done and the rows in all (None when that is not known).

    Notes
    -----
    1. The table is read in batches; memory does not grow with its length.
    2. Each batch is sanitised and written to a temporary file in the output's folder, readable by the
       owner alone.
    3. At the end it is synced and renamed into place, and the card is written. After an error nothing
       is left behind, and an older output is untouched.
    """
    target, origin = Path(output), Path(source)
    if target.suffix.lower() not in (".csv", ".parquet"):
        raise Malformed(f"the output must end in .parquet or .csv, not {target.suffix!r}")
    for path in (target, card_path(target)):
        if path.exists() and not replace:
            raise Malformed(f"{path} exists; choose another name, or say --replace")
        if path.exists() and origin.exists() and path.samefile(origin):
            raise Malformed("the output would replace the source")
    randomness = choose_source(insecure_seed)
    sanitiser = Sanitiser(
        plan, randomness, texts=not _is_parquet(origin), permanent_key=permanent_key
    )
    warn_about(plan)
    with batches_of(origin) as (batches, total), _placed(target, card_path(target)) as parts:
        _write(batches, sanitiser, parts[0], target, progress, total)
        if not sanitiser.rows:
            raise Malformed(f"{source}: holds no rows")
        sanitiser.finish()
        card = ReleaseCard.of(
            plan,
            rows=sanitiser.rows,
            secure=randomness.secure,
            permanent=sanitiser.permanent,
            output={"file": target.name, "sha256": file_hash(parts[0])},
        )
        card.save(parts[1])
    return card


def _write(
    batches: Iterator[Any],
    sanitiser: Sanitiser,
    temporary: Path,
    target: Path,
    progress: Progress | None,
    total: int | None,
) -> None:
    """Sanitise and write one batch after the other."""
    with ExitStack() as stack:
        writer = None
        for batch in batches:
            clean = sanitiser.batch(batch)
            with _write_errors(target):
                if writer is None:
                    writer = stack.enter_context(_writer(temporary, target, clean.schema))
                writer.write_table(clean)
            if progress is not None:
                progress(sanitiser.rows, total)


@contextmanager
def _placed(*targets: Path) -> Iterator[list[Path]]:
    """Temporary paths in the targets' folder that take the targets' places if all goes well."""
    folder, parts = targets[0].parent, []
    try:
        try:
            for _ in targets:
                handle, name = tempfile.mkstemp(dir=folder, prefix=".dprivacy-", suffix=".part")
                os.close(handle)
                parts.append(Path(name))
        except OSError as reason:
            raise Malformed(f"{folder}: cannot be written to ({reason.strerror})") from None
        yield parts
        for part in parts:
            with part.open("rb") as written:
                os.fsync(written.fileno())
        for part, target in zip(parts, targets, strict=True):
            os.replace(part, target)
        _sync_folder(folder)
    except OSError as reason:
        raise Malformed(f"{targets[0]}: cannot be written ({reason.strerror})") from None
    finally:
        for part in parts:
            part.unlink(missing_ok=True)


@contextmanager
def _write_errors(target: Path) -> Iterator[None]:
    """What goes wrong while writing, in words that quote nothing of the table."""
    try:
        yield
    except OSError as reason:
        raise Malformed(f"{target}: cannot be written ({reason.strerror or 'failed'})") from None
    except arrow().ArrowException:
        raise Malformed(
            f"{target}: this format cannot hold a column that is passed through; drop it, cast it, or "
            "write Parquet"
        ) from None


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def file_hash(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


@contextmanager
def batches_of(path: Path) -> Iterator[tuple[Iterator[Any], int | None]]:
    """Batches of a table and its number of rows, where that is known beforehand."""
    if not path.exists():
        raise Malformed(f"{path}: there is no such file")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if _is_parquet(path):
        with read_errors(path):
            file = parquet().ParquetFile(path)
        with file:
            yield guarded(file.iter_batches(batch_size=_BATCH), path), file.metadata.num_rows
    elif suffixes[-1:] == [".csv"] or suffixes[-2:] == [".csv", ".gz"]:
        with open_csv(path) as (_, rows):
            yield rows, None
    else:
        raise Malformed(f"{path}: only .csv, .csv.gz and .parquet files are read")


@contextmanager
def open_csv(path: Path) -> Iterator[tuple[Sequence[str], Iterator[Any]]]:
    """The header of a CSV file and its batches, all as text; an empty cell without quotes is missing.

    Types are never guessed from the data; a ragged line is refused by its number, and its content
    is not shown.
    """
    csv, pa = arrow_csv(), arrow()

    def opened(names: list[str] | None, size: int) -> Any:
        return csv.open_csv(
            path,
            read_options=csv.ReadOptions(block_size=size, use_threads=False),
            parse_options=csv.ParseOptions(
                newlines_in_values=True,
                ignore_empty_lines=names is None or len(names) > 1,
            ),
            convert_options=csv.ConvertOptions(
                column_types={name: pa.string() for name in names or ()},
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=[""],
            ),
        )

    with read_errors(path):
        with opened(None, _BLOCK) as first:
            names = first.schema.names
        if len(set(names)) != len(names):
            raise Malformed(f"{path}: two columns have the same name")
        reader = opened(names, _BLOCK)
    with reader:
        yield names, guarded(reader, path)


@contextmanager
def read_errors(path: Path) -> Iterator[None]:
    """What goes wrong while reading, in words that quote nothing of the file."""
    pa = arrow()
    try:
        yield
    except DPrivacyError:
        raise
    except UnicodeDecodeError:
        raise Malformed(f"{path}: is not UTF-8 text; save it as UTF-8") from None
    except pa.ArrowException as reason:
        text = str(reason).lower()
        ragged = re.match(r"csv parse error: (?:row #(\d+): )?expected \d+ columns", text)
        if ragged:
            line = f" at line {ragged[1]}" if ragged[1] else ""
            what = f"ragged rows{line}: not as many cells as the header has"
        elif "utf8" in text.replace("-", ""):
            what = "is not UTF-8 text; save it as UTF-8"
        elif "straddling" in text:
            what = f"a row is longer than {_BLOCK >> 20} MiB, or a quote is never closed"
        elif "empty csv" in text:
            what = "holds nothing"
        else:
            what = "cannot be read; it is damaged, or not what its name says"
        raise Malformed(f"{path}: {what}") from None
    except OSError as reason:
        raise Malformed(f"{path}: cannot be read ({reason.strerror or 'damaged file'})") from None


def guarded(batches: Iterable[Any], path: Path) -> Iterator[Any]:
    """Batches whose reading fails in words."""
    with read_errors(path):
        yield from batches


def _writer(path: Path, target: Path, schema: Any) -> Any:
    if _is_parquet(target):
        return parquet().ParquetWriter(path, schema)
    return arrow_csv().CSVWriter(path, schema)
