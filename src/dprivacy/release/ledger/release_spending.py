"""Spending for a release: the same few steps for tables in hand, files and clusters."""

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from fractions import Fraction
from os import PathLike
from typing import Any

from dprivacy.errors import BadPlan, DPrivacyError, NotApplicable, WrongKind
from dprivacy.extras import arrow
from dprivacy.release.columns.answered_values import Answered, answered_in
from dprivacy.release.columns.permanent_answers import question_key
from dprivacy.release.ledger.ledger_book import Account, Ledger
from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.plans.stored_plans import plan_hash
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.shuffled_block import ShuffledTable
from dprivacy.typing import LedgerLike

_ROWS = 1 << 20  # rows that are hashed at a time


@dataclass(frozen=True)
class Terms:
    """On what terms a table is released: the plan, and what `sanitise` takes beside it.

    `delta` is the δ of a shuffled release, and None for one that keeps its order.
    """

    plan: Plan
    ledger: LedgerLike = None
    again: str | None = None
    permanent_key: bytes | None = field(default=None, repr=False)
    insecure_seed: int | None = None
    delta: Fraction | None = None


@contextmanager
def opened(ledger: LedgerLike) -> Iterator[Account | None]:
    """The account behind a `ledger=` argument: an Account, a Ledger, a path or URL, or None.

    A path is opened here and closed again; it must be there already, since a new ledger at a mistyped
    path would know no budget.
    """
    if ledger is None or isinstance(ledger, Account):
        yield ledger
    elif isinstance(ledger, Ledger):
        yield Account(ledger)
    elif isinstance(ledger, str | PathLike):
        with Ledger(ledger, create=False) as found:
            yield Account(found)
    else:
        raise WrongKind(f"a ledger is a Ledger, its path or its URL, not {type(ledger).__name__}")


def spend_release(
    account: Account,
    terms: Terms,
    sources: Mapping[str, bytes],
    *,
    people: Callable[[], Iterable[Any]],
    answered: Callable[[], Answered] | None = None,
    shuffled: Callable[[], ShuffledTable] | None = None,
    run: bytes = b"",
) -> Receipt:
    """Spend what a release costs; to be called before anything is sampled.

    Parameters
    ----------
    account
        What is charged.
    terms
        On what terms the table is released.
    sources
        Digests of what is released, by what they are of: {"the file": sha256}. See `column_digests`.
    people
        Says who is in the table; asked for an account per person.
    answered
        Says whose value is which; asked for permanent answers, which are charged anew without it.
    shuffled
        Says what a table guarantees without its order; asked for an account that is kept without it.
    run
        A mark of the run, by which `Ledger.receipt` finds the entry after a crash.
    """
    plan, key = terms.plan, terms.permanent_key
    per_person = account.ledger.is_per_person(account.name)
    if per_person and plan.unit == "row":
        raise BadPlan(
            f"account {account.name!r} is kept per person, and the plan does not say whose a row is; "
            "give it unit = the column that identifies a person"
        )
    marks = {}
    if key is not None:
        for column in plan.columns:
            bound = f"mark, {plan.values_per_person} values"
            asked = column.local or column.mechanism.channel
            marks[column.name] = question_key(key, bound, asked, column.name)
    return account.ledger.spend(
        plan,
        account=account.name,
        part=account.part,
        people=people() if per_person else None,
        sources=sources,
        run=run,
        permanent=marks,
        answered=None if key is None or answered is None else answered(),
        shuffled=shuffled() if shuffled and account.ledger.is_unordered(account.name) else None,
        plan=plan_hash(plan.raw),
        again=reason_of(terms.again),
        note=plan.title,
    )


class TableSpending:
    """Spends for one table in hand, when its true arrays come by."""

    def __init__(self, account: Account, terms: Terms) -> None:
        self._account, self._terms = account, terms
        self.given: Receipt | None = None
        self.shuffled: Callable[[], ShuffledTable] | None = None

    def __call__(self, arrays: Mapping[str, Any]) -> None:
        """Spend; called once, before anything is sampled."""
        unit = self._terms.plan.unit
        self.given = spend_release(
            self._account,
            self._terms,
            column_digests({name: arrays[name] for name in self._terms.plan.protected}),
            people=lambda: iter(arrays[unit].to_pylist()),
            answered=lambda: answered_in(self._terms.plan, [arrays], texts=False),
            shuffled=self.shuffled,
        )

    def take_back(self, reason: DPrivacyError) -> None:
        """Cancel the entry: the release was refused, and nothing came out.

        Only the kind of error is recorded: its text may say where in the table it was. An entry that
        cannot be cancelled stays, on the safe side.
        """
        if self.given is not None:
            with suppress(DPrivacyError):
                self._account.ledger.cancel(self.given, because=type(reason).__name__)


@contextmanager
def spending_on(terms: Terms, kind: type[TableSpending] = TableSpending) -> Iterator[Any]:
    """What spends for a table (None without a ledger); taken back when it is refused."""
    require_ledger_for(terms.again, terms.ledger)
    with opened(terms.ledger) as account:
        if account is None:
            yield None
            return
        spending = kind(account, terms)
        try:
            yield spending
        except DPrivacyError as reason:
            spending.take_back(reason)
            raise


def column_digests(arrays: Mapping[str, Any]) -> dict[str, bytes]:
    """Digests of Arrow arrays by column, the same for the same values in pandas, Polars and Arrow."""
    return {f"column {name!r}": _digest(name, array) for name, array in arrays.items()}


def _digest(name: str, array: Any) -> bytes:
    pa = arrow()
    array = _usual(array)
    digest = hashlib.sha256(
        f"{name!r} {array.type} {len(array)}\0".encode("utf-8", "surrogatepass")
    )
    for at in range(0, len(array), _ROWS):
        # Gathering leaves behind what lies under missing values, and before and after a slice.
        some = array.slice(at, _ROWS).take(pa.array(range(min(_ROWS, len(array) - at))))
        digest.update(pa.RecordBatch.from_arrays([some], names=[""]).serialize())
    return digest.digest()


def _usual(array: Any) -> Any:
    """The array in one of few types, so that a column is the same whichever library holds it."""
    pa = arrow()
    kinds = pa.types
    if kinds.is_dictionary(array.type):
        array = array.dictionary_decode()
    kind = array.type
    if kinds.is_string(kind) or kinds.is_string_view(kind):
        return array.cast(pa.large_string())
    if kinds.is_integer(kind) and kind != pa.uint64():
        return array.cast(pa.int64())
    if kinds.is_floating(kind):
        return array.cast(pa.float64())
    return array


def require_ledger_for(again: str | None, ledger: LedgerLike) -> None:
    """Refuse a reason for a second release where nobody remembers the first."""
    if ledger is None and again is not None:
        raise NotApplicable(f"again={again!r} is a remark in a ledger; give one with ledger=")


def reason_of(again: str | None) -> str:
    """Why something is released once more; empty where nobody said so."""
    if again is not None and not (type(again) is str and again.strip()):
        raise WrongKind(
            f"again is a text that says why the same source is sanitised once more, not {again!r}"
        )
    return again or ""
