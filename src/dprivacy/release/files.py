"""Sanitising files: CSV and Parquet, streamed in bounded memory, written whole or not at all."""

import hashlib
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
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
    for path in (target, card_path(target)):
        if path.exists() and not replace:
            raise Malformed(f"{path} exists; choose another name, or say --replace")
    if target.exists() and origin.exists() and target.samefile(origin):
        raise Malformed("the output would replace the source")
    randomness = choose_source(insecure_seed)
    sanitiser = Sanitiser(plan, randomness)
    warn_about(plan)
    with batches_of(origin) as (batches, total), _placed(target) as temporary:
        writer = None
        try:
            for batch in batches:
                clean = sanitiser.batch(batch)
                writer = writer or _writer(temporary, target.suffix, clean.schema)
                writer.write_table(clean)
                if progress is not None:
                    progress(sanitiser.rows, total)
        finally:
            if writer is not None:
                writer.close()
        if writer is None:
            raise Malformed(f"{source}: holds no rows")
        digest = _digest(temporary)
    card = ReleaseCard.of(
        plan,
        rows=sanitiser.rows,
        secure=randomness.secure,
        output={"file": target.name, "sha256": digest},
    )
    with _placed(card_path(target)) as temporary:
        card.save(temporary)
    return card


@contextmanager
def _placed(target: Path) -> Iterator[Path]:
    """A temporary path in the target's folder that takes the target's place if all goes well."""
    try:
        handle, name = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=".part"
        )
    except OSError as reason:
        raise Malformed(f"{target.parent}: cannot be written to ({reason.strerror})") from None
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        os.replace(temporary, target)
        _sync_folder(target.parent)
    except DPrivacyError:
        raise
    except OSError as reason:
        raise Malformed(f"{target}: cannot be written ({reason.strerror})") from None
    finally:
        temporary.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def batches_of(path: Path) -> Iterator[tuple[Iterator[Any], int | None]]:
    """Batches of a table and its number of rows, where that is known beforehand."""
    if not path.exists():
        raise Malformed(f"{path}: there is no such file")
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes[-1:] == [".parquet"]:
        with _read_errors(path):
            file = parquet().ParquetFile(path)
        with file:
            yield _guarded(file.iter_batches(batch_size=_BATCH), path), file.metadata.num_rows
    elif suffixes[-1:] == [".csv"] or suffixes[-2:] == [".csv", ".gz"]:
        with open_csv(path) as reader:
            yield _guarded(iter(reader), path), None
    else:
        raise Malformed(f"{path}: only .csv, .csv.gz and .parquet files are read")


@contextmanager
def open_csv(path: Path) -> Iterator[Any]:
    """A streaming reader of a CSV file with every column as text.

    Types are never guessed from the data; a ragged line is refused by its number, and its content
    is not shown.
    """
    csv, pa = arrow_csv(), arrow()
    ragged: list[int | None] = []

    def refuse(row: Any) -> str:
        ragged.append(row.number)
        return "error"

    with _read_errors(path, ragged):
        with csv.open_csv(path, read_options=csv.ReadOptions(block_size=1 << 16)) as first:
            names = first.schema.names
        if len(set(names)) != len(names):
            raise Malformed(f"{path}: two columns have the same name")
        texts = csv.ConvertOptions(
            column_types={name: pa.string() for name in names},
            strings_can_be_null=True,
            null_values=["", "NA", "NaN", "null", "None"],
        )
        reader = csv.open_csv(
            path,
            read_options=csv.ReadOptions(block_size=_BLOCK),
            parse_options=csv.ParseOptions(invalid_row_handler=refuse),
            convert_options=texts,
        )
    with reader, _read_errors(path, ragged):
        yield reader


@contextmanager
def _read_errors(path: Path, ragged: list[int | None] | None = None) -> Iterator[None]:
    """What goes wrong while reading, in words that quote nothing of the file."""
    pa = arrow()
    try:
        yield
    except DPrivacyError:
        raise
    except pa.ArrowException as reason:
        if ragged:
            line = f" at line {ragged[0]}" if ragged[0] else ""
            raise Malformed(
                f"{path}: ragged rows{line}: not as many cells as the header has"
            ) from None
        what = (
            "is not UTF-8 text"
            if "utf8" in str(reason).lower().replace("-", "")
            else "cannot be read"
        )
        raise Malformed(
            f"{path}: {what}; it is damaged, empty, or not what its name says"
        ) from None
    except OSError as reason:
        raise Malformed(f"{path}: cannot be read ({reason.strerror or 'damaged file'})") from None


def _guarded(batches: Iterator[Any], path: Path) -> Iterator[Any]:
    with _read_errors(path):
        yield from batches


def _writer(path: Path, suffix: str, schema: Any) -> Any:
    if suffix == ".parquet":
        return parquet().ParquetWriter(path, schema)
    if suffix == ".csv":
        return arrow_csv().CSVWriter(path, schema)
    raise Malformed(f"the output must end in .parquet or .csv, not {suffix!r}")
