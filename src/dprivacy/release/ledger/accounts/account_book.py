"""What a ledger says of its accounts: budgets, kinds, schedules and parts."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Literal

from dprivacy.errors import LedgerInterrupted
from dprivacy.numbers import Frozen
from dprivacy.release.ledger.accounts.account_entries import declare_parts, set_budget
from dprivacy.release.ledger.accounts.account_rule import Rule, rule_of
from dprivacy.release.ledger.accounts.declared_schedule import declare
from dprivacy.release.ledger.amounts import Amount, amount
from dprivacy.release.ledger.balances import WHOLE, Balance
from dprivacy.release.ledger.ledger_pages import Pages
from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.ledger.spend_rules import require_name
from dprivacy.release.ledger.stores.hash_chain import Entry
from dprivacy.release.plans.table_plan import Plan
from dprivacy.typing import LevelLike, NumberLike, PlanLike


class AccountBook(Frozen):
    """The part of a ledger in which accounts are opened; see `Ledger`."""

    _pages: Pages

    @abstractmethod
    def _receipt(self, entry: Entry, spent: Mapping[str, str] | None = None) -> Receipt:
        """The receipt of an entry."""

    def budget(
        self,
        account: str,
        limit: LevelLike,
        *,
        column: str = WHOLE,
        delta: NumberLike = 0,
        per: Literal["table", "person"] | None = None,
        unit: str | None = None,
    ) -> Receipt:
        """Set what may be spent of an account.

        Parameters
        ----------
        account
            The name of what is charged: a table, or a population of people.
        limit
            Of whole records: everything that is ever released multiplies the odds between any two
            records by at most e^limit. With `column`: ε for each unit of that column's metric.
        column
            The column that is limited; whole records by default.
        delta
            The most δ in all.
        per
            "table" (as a new account is) when a spend is charged to everybody in the account at once,
            "person" when each person has a budget of this size.
        unit
            What is protected: "row" (as a new account per table is) when every row counts by itself, or
            a word for those whose rows add up, such as "person" or "household".
        """
        name, most = require_name(account, "an account"), amount(limit, delta)
        return self._receipt(set_budget(self._pages, name, most, column, per, unit))

    def open_account(
        self,
        account: str,
        limit: LevelLike,
        *,
        delta: NumberLike = 0,
        by: Literal["sum", "renyi", "schedule"] = "sum",
        order: int | None = None,
        unordered: bool = False,
        per: Literal["table", "person"] | None = None,
        unit: str | None = None,
    ) -> Receipt:
        """Open an account that adds up in a way of its own, with its first budget.

        Parameters
        ----------
        account, limit, delta, per, unit
            As for `budget`, which raises or lowers the limit later on.
        by
            "sum": levels and δ add up, for anything that is released. "renyi": Rényi divergences of one
            order add up, for anything that is released, and come to the limit at `delta`. "schedule":
            only what was declared with `schedule` is released. It cannot be changed later.
        order
            For "renyi": the order, a whole number from 2 on.
        unordered
            For "sum" and "schedule": whether the account is kept against those who see the released
            tables alone, and not which row is whose. A shuffled release then costs what it guarantees
            without its order, at its own δ; anything else costs its level.

        Examples
        --------
        >>> import tempfile
        >>> from dprivacy.mechanisms import randomised_response
        >>> from dprivacy.release import Ledger
        >>> rr = randomised_response(["tea", "coffee"], eps="1/20")
        >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/ledger.db") as ledger:
        ...     _ = ledger.open_account("survey", 3, delta="1e-6", by="renyi", order=9)
        ...     for _ in range(100):
        ...         receipt = ledger.spend({"drink": rr}, account="survey")
        ...     print(f"{float(ledger.spent('survey').eps):.3f} instead of {100 / 20}")
        2.427 instead of 5.0
        """
        name, most = require_name(account, "an account"), amount(limit, delta)
        rule = rule_of(by, order, unordered=unordered)
        return self._receipt(set_budget(self._pages, name, most, WHOLE, per, unit, rule))

    def schedule(
        self,
        account: str,
        plan: PlanLike,
        *,
        delta: NumberLike | None = None,
        times: int = 1,
        rows: int | None = None,
    ) -> Receipt:
        """Declare releases of a plan, and pay for all of them at once, before the first.

        Parameters
        ----------
        account
            An account that was opened by schedule.
        plan
            The plan: every release is to follow it to the letter.
        delta
            How much of the account's δ it takes; by default all that is left.
        times
            How many releases there will be. Those that are not made are not given back.
        rows
            For an account without order: how many rows each table has at least, or where columns are
            published as they are, the smallest group that is alike in them. Smaller ones are refused.

        Notes
        -----
        The list is fixed before anything is seen, so that its losses may be composed (see `compose`).
        Several schedules of an account add up.

        Examples
        --------
        >>> import tempfile
        >>> from dprivacy.release import Ledger
        >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
        >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/ledger.db") as ledger:
        ...     _ = ledger.open_account("weekly", 60, delta="1e-6", by="schedule")
        ...     receipt = ledger.schedule("weekly", {"columns": {"tea": tea}}, times=52)
        ...     print(receipt.account, ledger.left("weekly").words())
        weekly 5.2075
        """
        name = require_name(account, "an account")
        entry, found = declare(self._pages, name, Plan.read(plan), times, delta, rows)
        return self._receipt(entry, {f"schedule {entry.sequence}": found.explain().rstrip(".")})

    def parts(self, account: str, names: Sequence[str]) -> Receipt:
        """Declare groups of people in an account that have nobody in common.

        What is spent on one of them is not spent on the others, so of all parts the largest sum
        counts. Nothing can check that nobody is in two of them: the entry records who said so.
        """
        name = require_name(account, "an account")
        return self._receipt(declare_parts(self._pages, name, names))


def rule_at(pages: Pages, account: str) -> Rule:
    """How an account adds up; a new one by levels. Read again if the ledger breaks off."""
    try:
        with pages.transaction(write=False):
            return Rule.read(pages.balance(account).rule)
    except LedgerInterrupted:
        with pages.transaction(write=False):
            return Rule.read(pages.balance(account).rule)


def told_by(own: Balance, balance: Balance, column: str) -> Amount | None:
    """What a balance comes to under the rule and the budget of its account."""
    limit = own.limits.get(column, Amount())
    return Rule.read(own.rule).told(balance, limit.slack, column)
