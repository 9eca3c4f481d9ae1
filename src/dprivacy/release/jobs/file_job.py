"""Sanitising files: streamed in bounded memory, written whole or not at all, resumed after a crash."""

import stat
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, OutputExists, Unfinished, UnknownName, WrongShape
from dprivacy.model import as_path
from dprivacy.release.columns.answered_values import Answered, answered_in
from dprivacy.release.columns.noise_streams import ChunkStreams
from dprivacy.release.columns.sanitiser import Sanitiser, one_chunk
from dprivacy.release.files.own_files import Workplace, file_hash
from dprivacy.release.files.row_chunks import recut
from dprivacy.release.files.table_files import OUTPUTS, batches_of, is_typed, read_errors
from dprivacy.release.jobs.job_journal import Checkpoint, Journal
from dprivacy.release.jobs.job_resume import (
    DISCARD,
    commit,
    done_before,
    kept_on_failure,
    only_to_be_placed,
    put_in_place,
)
from dprivacy.release.jobs.job_start import started
from dprivacy.release.jobs.output_writer import WAITING, Writing
from dprivacy.release.jobs.sorted_output import Draw, write_sorted
from dprivacy.release.ledger.release_spending import Terms, reason_of
from dprivacy.release.plans.release_card import Card, read_card
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.row_company import Company, company_of
from dprivacy.typing import PathArg

Progress = Callable[[int, int | None], None]


def run_file_job(
    source: PathArg,
    terms: Terms,
    output: PathArg,
    *,
    replace: bool,
    resume: bool,
    discard: bool,
    progress: Progress | None,
) -> Card:
    """The card of a protected copy of a table in a file; see `sanitise_file`.

    Notes
    -----
    1. A run key is drawn and written, with fingerprints of the source and the plan, into a journal
       beside the output that the owner alone may read. The ledger is charged.
    2. The table is read in chunks; memory does not grow with its length. The noise of a chunk comes
       from the run key and the chunk's number, so that a chunk made again is the same.
    3. Sanitised chunks go to a temporary file in the output's folder. Every 64 MiB it is synced, and
       the journal notes how far it is.
    4. At the end both files are synced and renamed into place, and the journal is destroyed with the
       key. At no time is there half an output, and an older one is untouched until then.

    The rows of a shuffled release are counted while they are drawn, and written sorted at the end.

    On resuming, lines of CSV or JSON are continued behind the last checkpoint; a Parquet file, whose
    index is written last, is made again from the same noise and compared with what is there.
    """
    place = Workplace(as_path(output, "the output"))
    origin = as_path(source, "the table of a file job (a table in hand goes to `sanitise`)")
    _require_places(place, origin)
    reason_of(terms.again)
    with ExitStack() as stack:
        stack.enter_context(place.held())
        with place.errors():
            if resume and (done := done_before(place)) is not None:
                return done
        seen = _stat(origin)
        how = {"resume": resume, "discard": discard, "replace": replace}
        hashed = partial(_hash, origin)
        job = stack.enter_context(
            started(place, origin, terms, digest=hashed, typed=is_typed(origin), **how)
        )
        journal, sanitiser, charge = job.journal, job.sanitiser, job.charge
        with kept_on_failure(journal, charge.take_back):
            if only_to_be_placed(journal):
                put_in_place(journal, charge.settle)
                return read_card(place.card)
            company = None if terms.delta is None else _company(origin, sanitiser, terms.delta)
            receipt = charge.spend(
                job.digest,
                people=lambda: _people(origin, terms.plan),
                answered=lambda: _answered(origin, sanitiser),
                shuffled=None if company is None else company.table,
            )
            draw = partial(
                _drawn, origin=origin, sanitiser=sanitiser, streams=job.streams, progress=progress
            )
            if company is None:
                sha256 = _write(sanitiser, journal, draw)
            else:
                sha256 = write_sorted(terms.plan, company.groups, journal, draw)
            if _stat(origin) != seen:
                raise BadFile(f"{origin}: was changed while it was read; nothing is written")
            sanitiser.finish(ordered=company is None)
            block = None if company is None else company.block
            card = sanitiser.card(receipt, shuffled=block).saved_as(
                place.output.name, sha256, source=job.made_from.mark
            )
            commit(journal, card, charge.settle)
    return card


def _hash(origin: Path) -> bytes:
    with read_errors(origin):
        return bytes.fromhex(file_hash(origin))


def _require_places(place: Workplace, origin: Path) -> None:
    if place.output.suffix.lower() not in OUTPUTS:
        raise UnknownName(
            f"the output must end in .csv, .parquet or .jsonl, not {place.output.suffix!r}"
        )
    if not origin.exists():
        raise BadFile(f"{origin}: does not exist")
    for path in (place.output, place.card):
        if path.is_dir():
            raise BadFile(f"{path}: cannot be written, as it is a folder; choose another name")
        if path.exists() and path.samefile(origin):
            raise OutputExists(f"{path}: the output would replace the source; choose another name")


def _stat(path: Path) -> tuple[int, ...]:
    """What changes when a file does; a pipe or a device is refused, as it cannot be read twice."""
    found = path.stat()
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISDIR(found.st_mode)):
        raise BadFile(f"{path}: cannot be read, as it is not a file")
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def _people(origin: Path, plan: Plan) -> Iterator[Any]:
    """Whose the rows are, for a ledger that is kept per person."""
    unit = plan.unit
    with batches_of(origin, plan.intake) as (batches, _):
        for batch in batches:
            if unit not in batch.schema.names:
                raise UnknownName(
                    f"the table has no column {unit!r}; it has {', '.join(batch.schema.names)}"
                )
            yield from batch.column(unit).to_pylist()


def _answered(origin: Path, sanitiser: Sanitiser) -> Answered:
    """Whose value is which, for a ledger that counts the values of permanent answers."""
    plan = sanitiser.plan

    def arrays(batches: Iterator[Any]) -> Iterator[dict[str, Any]]:
        for batch in batches:
            sanitiser.output_names(batch.schema.names)
            yield {name: one_chunk(batch.column(name)) for name in sanitiser.needed}

    with batches_of(origin, plan.intake) as (batches, _):
        return answered_in(plan, arrays(batches), texts=not is_typed(origin))


def _company(origin: Path, sanitiser: Sanitiser, delta: Fraction) -> Company:
    """Among which rows a row will hide, and what that proves: a pass over the table of its own.

    Nothing is drawn or charged before it, and what is too small is refused here.
    """

    def known(batches: Iterator[Any]) -> Iterator[Any]:
        for batch in batches:
            sanitiser.output_names(batch.schema.names)
            yield batch

    with batches_of(origin, sanitiser.plan.intake) as (batches, _):
        return company_of(known(batches), sanitiser.plan, delta, above=4)


def _write(sanitiser: Sanitiser, journal: Journal, draw: Draw) -> str:
    """Sanitise and write one chunk after the other; the hash of the output."""
    with Writing(journal.place.output, journal, coded=sanitiser.plan.protected) as out:
        with closing(draw(out.done)) as drawn:
            for chunks, table in drawn:
                out.put(table, chunks, sanitiser.rows)
        return out.finish()


def _drawn(
    done: Checkpoint,
    origin: Path,
    sanitiser: Sanitiser,
    streams: ChunkStreams,
    progress: Progress | None,
) -> Generator[tuple[int, Any], None, None]:
    """Sanitised chunks in the order of the source, behind those that are done, each with its number."""
    plan = sanitiser.plan
    listed = [c.name for c in plan.columns if c.listed and c.kind != "text"]
    with (
        batches_of(origin, plan.intake, coded=listed) as (batches, extent),
        closing(_ahead(recut(batches))) as coming,
    ):
        for chunk, batch in enumerate(coming):
            if chunk < done.chunks:
                sanitiser.skip(batch)
            else:
                if chunk == done.chunks and sanitiser.rows != done.rows:
                    raise Unfinished(f"{origin}: does not come in the same chunks again; {DISCARD}")
                streams.start(chunk)
                yield chunk + 1, sanitiser.batch(batch)
            if progress is not None:
                progress(sanitiser.rows, extent.rows)
                if hasattr(progress, "share"):
                    progress.share(extent.share(sanitiser.rows))
        if not sanitiser.rows:
            raise WrongShape(f"{origin}: holds no rows")


def _ahead(batches: Iterator[Any]) -> Generator[Any, None, None]:
    """The same batches, read while others are worked on; two of them may wait."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="dprivacy-reading")
    try:
        coming = deque(thread.submit(next, batches, None) for _ in range(WAITING))
        while (batch := coming.popleft().result()) is not None:
            coming.append(thread.submit(next, batches, None))
            yield batch
    finally:
        thread.shutdown(wait=True, cancel_futures=True)
