"""Charging releases that have no plan: places, curves, documents, matches."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from dprivacy.errors import DPrivacyError, NotApplicable
from dprivacy.release.columns.row_facts import most_rows, require_bound
from dprivacy.release.files.own_files import file_hash
from dprivacy.release.ledger.amounts import amount
from dprivacy.release.ledger.charged_metric import Charge
from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.ledger.release_spending import opened, reason_of, require_ledger_for
from dprivacy.typing import Label, LedgerLike, LevelLike


def per_unit(
    column: str, metric: str, unit: str, eps: LevelLike, *, most: LevelLike | None = None
) -> Charge:
    """The charge of a level per unit of a distance.

    Parameters
    ----------
    column
        What is released, in a word: "places".
    metric
        A name of the distance; levels under one name add up.
    unit
        What the level is for, in words: "per kilometre".
    eps
        The level.
    most
        The level between the two secrets farthest apart, where there is a bound.

    Examples
    --------
    >>> per_unit("places", "metres on Earth", "per kilometre", "ln 4").amount.words()
    'ln(4) ≈ 1.386'
    """
    return Charge(column, metric, unit, amount(eps), None if most is None else amount(most))


@contextmanager
def charged(
    ledger: LedgerLike,
    charge: Charge,
    source: Path | bytes,
    *,
    people: Sequence[Label] | None = None,
    rows_per_person: int = 1,
    published: Iterable[str] = (),
    run: bytes = b"",
    again: str | None = None,
    note: str = "",
) -> Iterator[Receipt | None]:
    """Spend before anything is sampled; inside, the release is made, and taken back when refused.

    Parameters
    ----------
    ledger
        As for `sanitise`; None charges nothing.
    charge
        What one row, report or document costs; see `per_unit`.
    source
        What is released: a file, or its bytes.
    people
        Whose each row is: the charge is then for persons. None where every row is another person's.
    rows_per_person
        The most rows that one person has, by which the charge is multiplied; more are refused.
    published
        What is published as it is beside it, such as the columns that are kept.
    run
        A mark of the release, drawn if none is given; `standing` finds the entry by it.
    again
        Why a source that was released before is released once more. A file is also recognised by the
        card of its release; what is in hand is not, so that a reason needs a ledger.
    note
        Anything else to be remembered; not secret.

    Raises
    ------
    BudgetExceeded, AlreadyReleased
        When the ledger refuses.

    Examples
    --------
    >>> import tempfile
    >>> from dprivacy.release import Ledger
    >>> cost = per_unit("places", "metres on Earth", "per kilometre", "ln 4")
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/ledger.db") as ledger:
    ...     _ = ledger.budget("everyone", 2, column="places")
    ...     with charged(ledger, cost, b"the true places") as receipt:
    ...         released = "the noisy places"
    ...     receipt.sequence, ledger.spent(column="places").words()
    (3, 'ln(4) ≈ 1.386')
    """
    require_bound(1 if people is None else most_rows(people), rows_per_person)
    reason = reason_of(again)
    if not isinstance(source, Path):
        require_ledger_for(again, ledger)
    with opened(ledger) as account:
        if account is None:
            yield None
            return
        book, name = account.ledger, account.name
        per_person = book.is_per_person(name)
        if per_person and people is None:
            raise NotApplicable(
                f"account {name!r} is kept per person, and nothing says whose the {charge.column} are"
            )
        receipt = book.spend(
            [charge],
            account=name,
            part=account.part,
            people=people if per_person else None,
            unit="row" if people is None else "person",
            rows_per_person=rows_per_person,
            published=published,
            sources={"the file": _digest(source)},
            run=run,
            again=reason,
            note=note,
        )
        try:
            yield receipt
        except DPrivacyError as refusal:
            with suppress(DPrivacyError):  # an entry that has an output stays
                book.cancel(receipt, because=type(refusal).__name__)
            raise


class LedgerPlace(NamedTuple):
    """What is charged: an account of a ledger, a part of it, and whether each person has an own one."""

    ledger: str
    account: str
    part: str
    per: str


def ledger_place(ledger: LedgerLike) -> LedgerPlace | None:
    """What a `ledger=` argument charges; None for nothing."""
    with opened(ledger) as account:
        if account is None:
            return None
        per = "person" if account.ledger.is_per_person(account.name) else "table"
        return LedgerPlace(account.ledger.id, account.name, account.part, per)


def standing(ledger: LedgerLike, runs: Iterable[bytes]) -> list[bool]:
    """Whether each release, by its mark, has an entry that was not taken back."""
    with opened(ledger) as account:
        return [account is not None and account.ledger.receipt(run) is not None for run in runs]


def _digest(source: Path | bytes) -> bytes:
    if isinstance(source, bytes):
        return hashlib.sha256(source).digest()
    return bytes.fromhex(file_hash(source))
