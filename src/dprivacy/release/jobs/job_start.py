"""The beginning of a job that writes a protected copy: its key, its journal and what it is charged."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dprivacy.release.columns.noise_streams import ChunkStreams
from dprivacy.release.columns.sanitiser import Sanitiser
from dprivacy.release.files.own_files import Workplace
from dprivacy.release.jobs.job_charge import Charge
from dprivacy.release.jobs.job_journal import Journal
from dprivacy.release.jobs.job_resume import left_before, require_same, run_key, run_of
from dprivacy.release.jobs.source_marks import Origin, origin_of
from dprivacy.release.ledger.release_spending import Terms, opened
from dprivacy.release.plans.plan_warnings import warn_about
from dprivacy.sampling import best_stream


@dataclass(frozen=True)
class Job:
    """A job that began, or that goes on.

    Attributes
    ----------
    journal
        What it needs to go on after a crash.
    streams, sanitiser
        Its noise, and the plan at work with it.
    charge
        What it spends.
    digest
        The SHA-256 of its source.
    made_from
        The source as its card marks it.
    """

    journal: Journal
    streams: ChunkStreams
    sanitiser: Sanitiser
    charge: Charge
    digest: bytes
    made_from: Origin


@contextmanager
def started(
    place: Workplace,
    origin: Path,
    terms: Terms,
    *,
    digest: Callable[[], bytes],
    typed: bool,
    resume: bool,
    discard: bool,
    replace: bool,
) -> Iterator[Job]:
    """Begin a job, or go on with one that stopped; what must not be done again is refused.

    Parameters
    ----------
    place, origin
        Where the output goes, whose lock is held; and where the source lies.
    terms
        On what terms it is released.
    digest
        Says the SHA-256 of the source; asked when the plan is known to be in order.
    typed
        Whether the cells of the source have types; those of CSV files are texts.
    resume, discard, replace
        As for `sanitise_file`.
    """
    plan, seed = terms.plan, terms.insecure_seed
    with place.errors():
        journal = left_before(place, resume=resume, discard=discard, replace=replace)
    try:
        with opened(terms.ledger) as account:
            key = run_key(seed)
            if journal is not None and seed is None:
                key = bytes.fromhex(journal.run.key)
            stream = best_stream() if journal is None else journal.run.stream
            streams = ChunkStreams(key, stream, secure=seed is None)
            sanitiser = Sanitiser(
                plan,
                streams,
                texts=not typed,
                permanent_key=terms.permanent_key,
                dictionaries=True,
            )
            warn_about(plan, above=5)
            found = digest()
            run = run_of(key, terms, stream=stream, source=found, account=account, replace=replace)
            permanent = terms.permanent_key is not None
            made_from = origin_of(
                origin, ledger=terms.ledger, again=terms.again, permanent=permanent, salt=run.salt
            )
            if journal is not None:
                require_same(journal, run, origin)
            else:
                made_from.require_new(place.output.parent)
                with place.errors():
                    place.clear()
                    journal = Journal.create(place, run)
            charge = Charge(journal, account, terms)
            yield Job(journal, streams, sanitiser, charge, found, made_from)
    finally:
        if journal is not None:
            journal.close()
