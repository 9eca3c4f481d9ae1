"""Sanitising a folder of texts: chunk by chunk, written whole or not at all, resumed after a crash."""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from dprivacy.errors import BadFile, NotApplicable, OutputExists, TooLarge, Unfinished
from dprivacy.extras import arrow
from dprivacy.model import as_path
from dprivacy.release.columns.answered_values import Answered
from dprivacy.release.files.own_files import CARD_NAME, Workplace, file_hash, open_own
from dprivacy.release.jobs.job_journal import Checkpoint, Commit
from dprivacy.release.jobs.job_resume import DISCARD, done_before, kept_on_failure
from dprivacy.release.jobs.job_start import Job, started
from dprivacy.release.ledger.release_spending import Terms, reason_of
from dprivacy.release.plans.listed_files import ListedFile, listing_hash, may_be_listed
from dprivacy.release.plans.release_card import Card, card_text, read_card
from dprivacy.text import read_document
from dprivacy.typing import PathArg

FILE, TEXT = "file", "text"  # the columns of a folder
Progress = Callable[[int, int | None], None]
_MOST_FILES = 200_000
_CHUNK, _BYTES = 4096, 64 << 20  # files, and bytes, with one stream of noise


def folder_files(folder: PathArg, pattern: str = "**/*.txt") -> list[Path]:
    """The texts in a folder, by name; BadFile for links, and for what lies elsewhere.

    A link may lead to the text of somebody who is not in the folder, or to one that is in it and
    would have noise twice.
    """
    place = as_path(folder, "the folder")
    if not place.is_dir():
        raise BadFile(f"{place}: should be a folder of texts, and is not a folder")
    found = sorted(path for path in place.glob(pattern) if path.is_file())
    if not found:
        raise BadFile(f"{place}: holds no file like {pattern}")
    if len(found) > _MOST_FILES:
        raise TooLarge(f"{place}: holds {len(found):,} texts, more than {_MOST_FILES:,}")
    folders = {above for path in found for above in path.relative_to(place).parents}
    for path in (*sorted(place / name for name in folders if name.name), *found):
        if path.is_symlink() or ".." in path.relative_to(place).parts:
            raise BadFile(
                f"{path}: should lie in the folder itself, and is a link, or lies elsewhere; copy the "
                "text into the folder, or leave it out"
            )
    return found


def run_folder_job(
    source: PathArg,
    terms: Terms,
    output: PathArg,
    *,
    pattern: str,
    resume: bool,
    discard: bool,
    progress: Progress | None,
) -> Card:
    """The card of a protected copy of a folder of texts; see `sanitise_folder`.

    Notes
    -----
    1. The journal, the key and the ledger are those of a file job (see `run_file_job`).
    2. Texts are read by name, some thousands at a time. The noise of a chunk comes from the run key and
       its number, so that a chunk that is made again is the same.
    3. Noisy texts go into a hidden folder beside the output. After each chunk they are synced, and
       the journal says so; what is written there is not drawn again.
    4. At the end the card is written into that folder, which is renamed, and the journal is destroyed.
    """
    origin = as_path(source, "the folder")
    place = Workplace(as_path(output, "the output"))
    _require_columns(terms)
    reason_of(terms.again)
    if not origin.is_dir():
        raise BadFile(f"{origin}: should be a folder of texts, and is not a folder")
    if place.output.resolve().is_relative_to(origin.resolve()):
        raise BadFile(f"{place.output}: lies in the folder that is read; choose another place")
    with ExitStack() as stack:
        stack.enter_context(place.held())
        with place.errors():
            if resume and (done := done_before(place)) is not None:
                return done
            if place.output.exists() and not place.journal.exists():
                raise OutputExists(
                    f"{place.output} already exists; choose another name for the folder"
                )
        files = folder_files(origin, pattern)
        names = [path.relative_to(origin).as_posix() for path in files]
        _require_names(names, origin)
        how = {"resume": resume, "discard": discard, "replace": False}
        mark = partial(_digest, origin, names)
        job = stack.enter_context(started(place, origin, terms, digest=mark, typed=True, **how))
        with kept_on_failure(job.journal, job.charge.take_back):
            if job.journal.commit is None:
                receipt = job.charge.spend(job.digest, people=lambda: names, answered=_nobody)
                _write(job, origin, names, progress)
                if _digest(origin, names) != job.digest:
                    raise BadFile(f"{origin}: was changed while it was read; nothing is written")
                job.sanitiser.finish()
                _complete(job, names, receipt)
            _put_in_place(job)
        return read_card(place.card)


def _require_columns(terms: Terms) -> None:
    plan = terms.plan
    if plan.protected != (TEXT,) or plan.pass_through != (FILE,):
        raise NotApplicable(
            f'a folder of texts has the columns "{TEXT}", to be protected, and "{FILE}", to be passed '
            "through; the plan has others"
        )


def _require_names(names: list[str], origin: Path) -> None:
    strange = [name for name in names if not may_be_listed(name)]
    if strange:
        raise BadFile(
            f"{origin / strange[0]}: its name has characters that a card cannot list, or is hidden; "
            "rename it"
        )


def _nobody() -> Answered:
    raise NotApplicable("a folder of texts has no permanent answers; use a table")


def _digest(origin: Path, names: list[str]) -> bytes:
    """A hash of all texts and their names."""
    lines = (f"{file_hash(origin / name)} {name}\n" for name in names)
    mark = hashlib.sha256()
    for line in lines:
        mark.update(line.encode())
    return mark.digest()


def _chunks(origin: Path, names: list[str]) -> Iterator[list[str]]:
    """Names of texts that are sanitised at a time."""
    held: list[str] = []
    size = 0
    for name in names:
        more = (origin / name).stat().st_size
        if held and (len(held) == _CHUNK or size + more > _BYTES):
            yield held
            held, size = [], 0
        held.append(name)
        size += more
    yield held


def _write(job: Job, origin: Path, names: list[str], progress: Progress | None) -> None:
    """Sanitise and write the chunks that are not written yet."""
    encoding = job.sanitiser.plan.table.encoding
    part, done, rows = job.journal.place.output_part, job.journal.checkpoint, 0
    part.mkdir(mode=0o700, exist_ok=True)
    for number, chunk in enumerate(_chunks(origin, names)):
        rows += len(chunk)
        texts = [read_document(origin / name, encoding=encoding) for name in chunk]
        table = arrow().table({FILE: chunk, TEXT: texts})
        if number < done.chunks:
            job.sanitiser.skip(table)
            continue
        job.streams.start(number)
        clean = job.sanitiser.batch(table)
        for name, text in zip(chunk, clean.column(TEXT).to_pylist(), strict=True):
            _write_file(part / name, f"{text}\n".encode())
        job.journal.append(Checkpoint(number + 1, rows))
        if progress is not None:
            progress(rows, len(names))


def _complete(job: Job, names: list[str], receipt: dict[str, object]) -> None:
    """Write the card, and note that the folder is complete."""
    place = job.journal.place
    listing = [_listed(name, place.output_part / name) for name in names]
    card = job.sanitiser.card(receipt).saved_as(
        place.output.name,
        listing_hash(listing),
        files=[file.to_dict() for file in listing],
        source=job.made_from.mark,
    )
    _write_file(place.output_part / CARD_NAME, card_text(card).encode())
    job.journal.append(Commit(card.output["sha256"], file_hash(place.output_part / CARD_NAME)))


def _put_in_place(job: Job) -> None:
    """Rename the folder and destroy the key, as far as that is not done."""
    journal, place = job.journal, job.journal.place
    assert journal.commit is not None
    job.charge.settle(journal.commit.output)
    if place.output_part.is_dir():
        os.replace(place.output_part, place.output)
    elif not place.card.is_file() or file_hash(place.card) != journal.commit.card:
        raise Unfinished(f"{place.output}: was complete, and is gone or changed; {DISCARD}")
    place.sync()
    journal.destroy(complete=True)


def _listed(name: str, place: Path) -> ListedFile:
    return ListedFile(name, 1, place.stat().st_size, file_hash(place))


def _write_file(place: Path, data: bytes) -> None:
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with os.fdopen(open_own(place, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
