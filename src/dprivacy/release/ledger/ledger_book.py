"""The ledger: what was released of whom, refused past a budget, kept in a chain."""

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Literal

from dprivacy.errors import NotApplicable
from dprivacy.release.columns.answered_values import Answered
from dprivacy.release.columns.row_facts import require_bound
from dprivacy.release.ledger.accounts.account_book import AccountBook, rule_at, told_by
from dprivacy.release.ledger.amounts import Amount, amount
from dprivacy.release.ledger.balances import PAID, UNCOUNTED, WHOLE
from dprivacy.release.ledger.charged_metric import Chargeable, charges_of
from dprivacy.release.ledger.ledger_check import LedgerVerdict, check
from dprivacy.release.ledger.ledger_pages import open_pages
from dprivacy.release.ledger.ledger_report import LedgerReport, report
from dprivacy.release.ledger.receipt_entries import bind, take_back
from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.ledger.spend_entries import (
    costs_again,
    crowd,
    entry_of_run,
    hide,
    lines_of,
    put_down,
    shown,
)
from dprivacy.release.ledger.spend_rules import (
    require_bytes,
    require_name,
    require_texts,
)
from dprivacy.release.ledger.stores.hash_chain import Entry
from dprivacy.release.plans.release_card import Card
from dprivacy.release.plans.stored_plans import plan_hash
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.shuffled_block import ShuffledTable
from dprivacy.typing import Label, PathArg

EVERYONE = "everyone"


class Ledger(AccountBook):
    """A record of what was released under which guarantee, that refuses what passes a budget.

    Every release spends before it samples. Levels on one metric add up, different metrics are kept
    side by side, and a budget holds however many processes spend at once. Entries form a chain of
    hashes, and each release card carries the place of its entry, so that a ledger that was edited,
    copied or set back is found out (`verify`). What a release was saved as is noted in it (`settle`).

    Parameters
    ----------
    place
        The path of a SQLite file, or a URL ``postgresql://user@host/database`` (extra ``postgres``).
    key
        The file of the ledger's key, made with the ledger and readable by its owner alone. By default
        it lies beside a SQLite file (ledger.db has ledger.db.key); for PostgreSQL it must be named,
        here or in the environment variable DPRIVACY_LEDGER_KEY.
    create
        Whether to make the ledger when it is not there.
    open
        Made with `open=True`, a ledger takes charges on any account and only counts those that have no
        budget. Any other refuses them: its accounts are those that were given a budget.
    schema
        For PostgreSQL: the schema that holds it.

    Raises
    ------
    BadFile
        When the ledger does not exist and cannot be made.
    BrokenLedger
        When what is there is damaged, is not a ledger, or has another key.

    Examples
    --------
    >>> import tempfile
    >>> from dprivacy.mechanisms import randomised_response
    >>> rr = randomised_response(["tea", "coffee", "water"], eps="ln 2")
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/ledger.db") as ledger:
    ...     _ = ledger.budget("survey", "ln 4")
    ...     for _ in range(2):
    ...         receipt = ledger.spend({"drink": rr}, account="survey")
    ...     receipt.sequence, ledger.left("survey").words(), bool(ledger.verify())
    (4, '0', True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ledger = Ledger(f"{folder}/ledger.db", open=True)
    ...     _ = ledger.parts("survey", ["north", "south"])
    ...     receipt = ledger.spend({"drink": rr}, account="survey", part="north", run=b"r" * 16)
    ...     ledger.settle(receipt, "00" * 32)
    ...     failed = ledger.spend({"drink": rr}, account="survey", part="south")
    ...     _ = ledger.cancel(failed, because="the disk was full")
    ...     print(ledger.spent("survey").words(), ledger.receipt(b"r" * 16) == receipt, len(ledger.id))
    ...     own = ledger.account("survey")  # to be given to `sanitise`
    ...     print(own.name, ledger.is_per_person(own.name), ledger.is_unordered(own.name))
    ...     print(ledger.report().explain().splitlines()[0].split(": ")[-1])
    ...     ledger.close()
    ln(2) ≈ 0.6931 True 32
    survey False False
    6 entries.
    """

    def __init__(
        self,
        place: PathArg,
        *,
        key: PathArg | None = None,
        create: bool = True,
        open: bool = False,
        schema: str = "dprivacy_ledger",
    ) -> None:
        self._set(_pages=open_pages(place, key=key, create=create, is_open=open, schema=schema))

    @property
    def id(self) -> str:
        """The ledger's own name, drawn when it was made."""
        return self._pages.name

    # -- spending -----------------------------------------------------------------------------

    def spend(
        self,
        what: Chargeable,
        *,
        account: str = EVERYONE,
        part: str = "",
        people: Iterable[Label] | None = None,
        unit: Literal["row", "person"] | None = None,
        rows_per_person: int = 1,
        published: Iterable[str] = (),
        sources: Mapping[str, bytes] | None = None,
        run: bytes = b"",
        permanent: Mapping[str, bytes] | None = None,
        answered: Answered | None = None,
        shuffled: ShuffledTable | None = None,
        plan: str = "",
        again: str = "",
        note: str = "",
    ) -> Receipt:
        """Spend, before anything is sampled.

        Parameters
        ----------
        what, account
            A Plan, or guarantees (or mechanisms) by column; and what is charged.
        part
            A declared part of it (see `parts`).
        people
            For an account per person: whose the rows are. Identifiers are kept as keyed hashes only.
        unit, rows_per_person
            Whether the charge is for rows or for persons, and the most rows that one of them has, by
            which it is multiplied. A plan says both itself; otherwise it is for persons where `people`
            are named, and for rows where not.
        published
            What is published as it is beside it, in words: no level protects that. The columns that a
            plan passes through, blocks of values and changes of permanent answers are added.
        sources
            What is released: digests by what they are of ("column 'hobby'", "the file"), kept as
            keyed hashes. A source that was released before is refused, unless `again` says why.
        run
            A mark of the run that spends, drawn if none is given. A run spends once: asked again for
            the same, after a crash, `spend` and `receipt` give the receipt of the entry that it made,
            and what is released then must be the same noise.
        permanent
            For permanent answers: a secret mark by column, which stands for key and mechanism.
        answered
            With it, by column: the person and the position of the true value in every row. They are
            kept as keyed hashes, and more different values of a person than the plan allows
            (`values_per_person`) are refused, so that later releases of the same people cost nothing.
        shuffled
            Of a table that is released without its order: what it then guarantees, which is what an
            account without order (see `open_account`) is charged. Other accounts are charged the level.
        plan
            A hash of the plan, found again on the release card.
        again
            Why this repeats an earlier release. It makes nothing free: only permanent answers whose
            values are counted (`answered`) cost nothing again.
        note
            Anything else to be remembered; not secret.

        Raises
        ------
        BudgetExceeded
            Nothing is recorded, and nothing may be sampled.
        UnknownName
            The account has no budget, or none for one of the columns.
        AlreadyReleased
            A source was released before.

        Notes
        -----
        1. One transaction reads the balance, checks it against every budget, appends the entry and
           writes the new balance; only one such transaction runs at a time.
        2. Sums and comparisons are exact.
        """
        name, charges = require_name(account, "an account"), charges_of(what)
        rule = rule_at(self._pages, name)
        charges = rule.charged(what, charges, shuffled)
        plan = plan_hash(what.raw) if isinstance(what, Plan) else plan
        require_texts(part=part, plan=plan, again=again, note=note)
        require_bytes([run, *(sources or {}).values(), *(permanent or {}).values()])
        if isinstance(what, Plan):
            unit, rows_per_person = "row" if what.unit == "row" else "person", what.rows_per_person
        rows = Counter(self._pages.person(name, one) for one in people or ())
        require_bound(max(rows.values(), default=1), rows_per_person)
        if not isinstance(what, Plan):  # whose charges are of all rows of a person
            charges = tuple(charge * rows_per_person for charge in charges)
        persons = None if people is None else sorted(rows)
        bare = [*(what.pass_through if isinstance(what, Plan) else ()), *published]
        hidden = hide(self._pages, name, part, sources or {}, permanent or {}, answered or {})
        body = {
            "kind": "spend",
            "account": name,
            "part": part,
            "unit": unit or ("row" if people is None else "person"),
            "rule": rule.text,
            "lines": lines_of(() if rule.by == "schedule" else charges, hidden),
            "published": shown(bare, charges, permanent or ()),
            "sources": hidden.sources,
            "run": self._pages.key.tag("run", run or secrets.token_bytes(32)),
            "plan": plan,
            "company": 0 if shuffled is None else shuffled.smallest,
            "again": again,
            "people": None if persons is None else crowd(persons),
            "note": note,
        }
        most = what.values_per_person if isinstance(what, Plan) else 1
        entry, costs = put_down(self._pages, body, persons, hidden.values, most)
        loose = set(permanent or ()) - hidden.counted.keys()
        words = {c: f"{cost}; {UNCOUNTED}" if c in loose else cost for c, cost in costs.items()}
        return self._receipt(entry, words)

    def settle(self, receipt: Receipt, sha256: str) -> None:
        """Note what came out of a release, before it is put in its place; `save` and file jobs do so.

        A receipt is for one output: `verify` compares cards with what is noted here.

        Parameters
        ----------
        receipt
            The receipt of the entry.
        sha256
            The hash of the file; for a folder of Spark's, the one on its card.

        Raises
        ------
        NotApplicable
            The receipt was used for another output, or its entry was cancelled.
        """
        bind(self._pages, receipt, sha256)

    def cancel(self, receipt: Receipt, *, because: str) -> Receipt:
        """Take an entry back, when its release failed before anything came out.

        Parameters
        ----------
        receipt
            The receipt of the entry.
        because
            What went wrong; not secret.
        """
        return self._receipt(take_back(self._pages, receipt, str(because)))

    def receipt(self, run: bytes) -> Receipt | None:
        """The receipt of the entry that a run has made, by the run's mark; None when it has not."""
        tag = self._pages.key.tag("run", bytes(run))
        with self._pages.transaction(write=False):
            entry = entry_of_run(self._pages, tag)
            return None if entry is None else self._receipt(entry, costs_again(self._pages, entry))

    # -- looking ------------------------------------------------------------------------------

    def spent(
        self, account: str = EVERYONE, *, column: str = WHOLE, person: Label = None
    ) -> Amount:
        """What is spent, of whole records or per unit of a column, by everybody or one person."""
        name = require_name(account, "an account")
        with self._pages.transaction(write=False):
            balance = own = self._pages.known_balance(name)
            if person is not None:
                balance = self._pages.balance(name, self._pages.person(name, person))
        total = told_by(own, balance, column)
        if total is None:
            raise NotApplicable(f"account {name!r} has unbounded columns; ask for one column")
        return total

    def left(self, account: str = EVERYONE, *, column: str = WHOLE, person: Label = None) -> Amount:
        """What is left of a budget."""
        name = require_name(account, "an account")
        with self._pages.transaction(write=False):
            limit = self._pages.known_balance(name).limits.get(column)
        if limit is None:
            of = f" for column {column!r}" if column else ""
            raise NotApplicable(f"account {name!r} has no budget{of}")
        gone = self.spent(name, column=column, person=person)
        return amount(max(limit.eps - gone.eps, amount(0).eps), max(limit.slack - gone.slack, 0))

    def is_per_person(self, account: str) -> bool:
        """Whether an account is kept for each person by themselves."""
        with self._pages.transaction(write=False):
            return self._pages.balance(require_name(account, "an account")).per == "person"

    def is_unordered(self, account: str) -> bool:
        """Whether an account is kept against those who see released tables alone."""
        return rule_at(self._pages, require_name(account, "an account")).unordered

    def account(self, name: str, *, part: str = "") -> "Account":
        """An account of this ledger, to be given to `sanitise` as its `ledger`."""
        return Account(self, require_name(name, "an account"), part)

    def report(self) -> LedgerReport:
        """What is spent on whom."""
        with self._pages.transaction(write=False):
            rows = self._pages.every_balance()
            return report(self._pages.store.name, self.id, self._pages.store.head()[0], rows)

    def verify(self, cards: Iterable[Card | Receipt | PathArg] = ()) -> LedgerVerdict:
        """Whether every entry and every balance is as it was written, and agrees with release cards.

        Parameters
        ----------
        cards
            Release cards, paths of them, or receipts alone. Without them a ledger that was cut off,
            copied or set back as a whole looks like a young one; with them it is found out, and so is
            a receipt that was used twice.
        """
        with self._pages.transaction(write=False):
            return check(self._pages, cards)

    def close(self) -> None:
        """Close the file or the connection."""
        self._pages.close()

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(self, *reason: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Ledger({self._pages.store.name!r})"

    def _receipt(self, entry: Entry, spent: Mapping[str, str] | None = None) -> Receipt:
        body = entry.body
        return Receipt(
            self.id,
            entry.sequence,
            entry.hash,
            body["nonce"],
            body["account"],
            body["time"],
            {column: cost or PAID for column, cost in (spent or {}).items()},
            partial(_settle_at, self._pages.address),
        )


def _settle_at(address: Mapping[str, str], receipt: Receipt, sha256: str) -> None:
    """Settle with a connection of its own: who saves a release may have closed the ledger."""
    with Ledger(
        address["place"], key=address["key"], schema=address["schema"], create=False
    ) as found:
        found.settle(receipt, sha256)


@dataclass(frozen=True)
class Account:
    """An account of an open ledger; made by `Ledger.account`.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/ledger.db") as ledger:
    ...     ledger.account("survey", part="north").part
    'north'
    """

    ledger: Ledger
    name: str = EVERYONE
    part: str = ""
