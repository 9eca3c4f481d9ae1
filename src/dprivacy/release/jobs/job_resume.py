"""Beginning a file job, going on with one that stopped, and putting its output in place."""

import hmac
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from dprivacy.errors import (
    DPrivacyError,
    LedgerInterrupted,
    NotApplicable,
    OutputExists,
    Unfinished,
)
from dprivacy.extras import arrow
from dprivacy.mechanisms import local_body
from dprivacy.model import digest, plain
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.files.own_files import Workplace, file_hash
from dprivacy.release.files.released_data import write_card
from dprivacy.release.jobs.job_journal import Commit, Journal, Run
from dprivacy.release.ledger.ledger_book import Account
from dprivacy.release.ledger.release_spending import Terms
from dprivacy.release.plans.release_card import Card, read_card
from dprivacy.release.plans.table_plan import Plan
from dprivacy.sampling import choose_source
from dprivacy.verify import weights_hash
from dprivacy.version import __version__

DISCARD = (
    "pass --discard to throw away what was written and start anew: that draws new noise, and spends "
    "again if there is a ledger"
)


def run_key(insecure_seed: int | None) -> bytes:
    """A key for a run: the operating system's, unless a seed is forced by its insecure name."""
    if insecure_seed is None:
        return secrets.token_bytes(32)
    return choose_source(insecure_seed).words(4).tobytes()


def left_before(place: Workplace, *, resume: bool, discard: bool, replace: bool) -> Journal | None:
    """The journal to go on from, or None to begin; whatever must not be overwritten is refused."""
    if resume and discard:
        raise NotApplicable(
            f"resume={resume} (--resume) keeps the noise, and discard={discard} (--discard) draws it "
            "anew; choose one of them"
        )
    if discard:
        Journal.discard(place)
    journal = Journal.find(place)
    if journal is not None and not resume:
        journal.close()
        raise Unfinished(
            f"{place.output}: a job for it stopped before it was done; pass --resume to go on with "
            f"the noise it began with, or {DISCARD}"
        )
    if journal is None or journal.commit is None:
        may = replace or (journal is not None and journal.run.replace)
        for path in (place.output, place.card):
            if path.exists() and not may:
                if journal is not None:
                    journal.close()
                rest = ", and no job for it is left to resume" if resume and journal is None else ""
                raise OutputExists(
                    f"{path} already exists{rest}; choose another name, or pass --replace to "
                    "overwrite it"
                )
    return journal


def done_before(place: Workplace) -> Card | None:
    """The card of a job that was complete when it stopped, but for the removal of its journal."""
    if not Journal.committed(place) or not place.card.is_file():
        return None
    card = read_card(place.card)
    whole = place.output.is_dir() or (
        place.output.is_file() and file_hash(place.output) == card.output["sha256"]
    )
    if not whole:  # zeros that somebody else wrote over the journal
        return None
    Journal.discard(place)
    return card


def run_of(
    key: bytes,
    terms: Terms,
    *,
    stream: str,
    source: bytes,
    account: Account | None,
    replace: bool,
) -> Run:
    """What a run begins with; of the source, its SHA-256."""
    return Run(
        key.hex(),
        secrets.token_hex(32),
        stream,
        terms.insecure_seed is None,
        replace,
        _print(key, source),
        _plan_prints(key, terms.plan),
        "" if terms.permanent_key is None else _print(key, terms.permanent_key),
        "" if terms.delta is None else str(terms.delta),
        "" if account is None else account.ledger.id,
        [] if account is None else [account.name, account.part],
        _versions(),
    )


def _versions() -> dict[str, str]:
    """What the bytes of the output depend on besides the plan and the source."""
    return {"dprivacy": __version__, "numpy": np.__version__, "pyarrow": arrow().__version__}


def require_same(journal: Journal, now: Run, source: Path) -> None:
    """Refuse to go on when anything changed that the output depends on, and say what."""
    before, changes = journal.run, []
    if (before.key, before.secure) != (now.key, now.secure):  # no fingerprint can be compared
        changes.append("insecure_seed is another one")
    else:
        changes += _changes(before, now, source)
    if before.ledger != now.ledger:
        changes.append("the ledger is another one, or missing")
    elif before.account != now.account:
        changes.append("the account of the ledger, or the part of it, is another one")
    if changes:
        raise Unfinished(
            f"the job cannot go on: {'; '.join(changes)}. Put that back and pass --resume, or {DISCARD}"
        )


def _changes(before: Run, now: Run, source: Path) -> Iterator[str]:
    if before.source != now.source:
        yield f"the source {source} is another one"
    for part in sorted({*before.plan, *now.plan}):
        if before.plan.get(part) != now.plan.get(part):
            yield f"the plan says something else of {part}"
    if before.permanent != now.permanent:
        yield "the permanent key is another one"
    if before.shuffled != now.shuffled:
        yield "shuffle (--shuffle) or its delta (--delta) is another one"
    for name in _versions():
        if before.libraries.get(name) != now.libraries[name]:
            yield f"{name} is {now.libraries[name]} and was {before.libraries.get(name)}"


@contextmanager
def kept_on_failure(journal: Journal, take_back: Callable[[BaseException], None]) -> Iterator[None]:
    """Leave the journal behind when the job could go on later, and nothing when it never could.

    What dprivacy refuses (a value outside the domain, a damaged table) it would refuse again, and
    what it spent is taken back. A full disk, a ledger that does not answer, an interruption or a crash
    is another matter.
    """
    output = journal.place.output
    try:
        yield
    except Unfinished:
        raise
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"{output}: the job was interrupted; pass --resume to go on with the noise it began "
            f"with, or {DISCARD}"
        ) from None
    except LedgerInterrupted as reason:
        raise Unfinished(
            f"{output}: {reason}. Pass --resume to go on with the same noise; what is spent already is "
            "not spent again"
        ) from None
    except (DPrivacyError, Warning) as reason:  # a warning, where those are errors
        with suppress(OSError):
            journal.destroy()
        take_back(reason)
        raise
    except OSError as reason:
        raise Unfinished(
            f"{output}: cannot be written ({reason.strerror or 'failed'}); put that right (make room, "
            "or give back the permission), then pass --resume to go on with the same noise"
        ) from None
    finally:
        journal.close()


def commit(journal: Journal, card: Card, settle: Callable[[str], None]) -> None:
    """Put the output and its card in place and destroy the key.

    `settle` is told the hash of the output, for a ledger that notes it.

    Notes
    -----
    1. The card is written and synced, as the output already is.
    2. The journal says so; from here on a job that is resumed only does the rest of this.
    3. The ledger notes the hash of the output.
    4. Both are renamed, the output last, and the folder is synced.
    5. The journal is overwritten and removed, and the key of the noise with it.
    """
    place = journal.place
    write_card(place, card)
    journal.append(Commit(card.output["sha256"], file_hash(place.card_part)))
    put_in_place(journal, settle)


def only_to_be_placed(journal: Journal) -> bool:
    """Whether a job was complete, and what waits to be put in place is still what it was then.

    What was damaged since is made again, from the same noise.
    """
    return journal.commit is not None and all(
        not part.exists() or file_hash(part) == expected
        for part, _, expected in _waiting(journal.place, journal.commit)
    )


def _waiting(place: Workplace, done: Commit) -> Iterator[tuple[Path, Path, str]]:
    yield place.card_part, place.card, done.card
    yield place.output_part, place.output, done.output


def put_in_place(journal: Journal, settle: Callable[[str], None]) -> None:
    """Steps 3 to 5 of `commit`, as far as they are not done."""
    place, done = journal.place, journal.commit
    assert done is not None
    settle(done.output)
    for part, target, expected in _waiting(place, done):
        if part.exists():
            os.replace(part, target)
        elif not target.exists() or file_hash(target) != expected:
            raise Unfinished(f"{target}: was complete, and is gone or changed; {DISCARD}")
    place.sync()
    journal.destroy(complete=True)


def _print(key: bytes, data: bytes) -> str:
    return hmac.digest(key, data, "sha256").hex()


def _plan_prints(key: bytes, plan: Plan) -> dict[str, str]:
    """A fingerprint for each part of a plan, so that a refusal can name what changed."""
    parts: dict[str, Any] = {f"the column {c.name!r}": _told(c) for c in plan.columns}
    for name in ("drop", "pass_through", "unit", "rows_per_person", "values_per_person", "title"):
        parts[name] = getattr(plan, name)
    parts["the order of its columns"] = [c.name for c in plan.columns]
    parts["how the table is written"] = plan.table.to_dict()
    return {
        part: _print(key, json.dumps(plain(told), sort_keys=True).encode())
        for part, told in parts.items()
    }


def _told(column: ColumnPlan) -> list[Any]:
    """All that a column's noise depends on."""
    mechanism = column.mechanism
    channel = getattr(mechanism, "channel", None) if column.listed else None
    return [
        column.kind,
        column.columns,
        column.spec,
        [column.nulls, repr(column.null_value), column.source],
        [mechanism.family, str(mechanism.guarantee.eps), str(mechanism.guarantee.delta)],
        None if channel is None else weights_hash(channel),
        None if column.local is None else digest(local_body(column.local)),
    ]
