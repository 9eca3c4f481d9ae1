"""How the charges of an account become a guarantee: levels, Rényi charges, or declared schedules."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadNumber, NotApplicable, UnknownName
from dprivacy.model import Channel
from dprivacy.release.ledger.accounts.unordered_charges import unordered_charges
from dprivacy.release.ledger.amounts import Amount, amount
from dprivacy.release.ledger.balances import WHOLE, Balance
from dprivacy.release.ledger.charged_metric import Charge, Chargeable
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.shuffled_block import ShuffledTable
from dprivacy.sources import result
from dprivacy.verify import as_order, level_charge, renyi_budget, renyi_charge, renyi_eps

KINDS = ("sum", "renyi", "schedule")
_UNORDERED = "unordered"


@dataclass(frozen=True)
class Rule:
    """How an account adds up, chosen when it is opened and never changed.

    Parameters
    ----------
    by
        "sum": levels and δ add up, whatever is released. "renyi": Rényi divergences of one order add
        up, whatever is released. "schedule": only lists that were declared beforehand are released,
        and each of them is composed as tightly as can be proved.
    order
        The order of the divergences.
    unordered
        Whether it is kept against those who see released tables alone, so that a shuffled release is
        charged with what it guarantees without its order.
    """

    by: str = "sum"
    order: int = 0
    unordered: bool = False

    @classmethod
    def read(cls, text: str) -> "Rule":
        """The rule whose `text` it is."""
        by, *more = text.split()
        return cls(by, sum(int(word) for word in more if word != _UNORDERED), _UNORDERED in more)

    @property
    def words(self) -> str:
        """The rule in a sentence; empty where levels add up, as usual."""
        names = {"renyi": f"by Rényi charges of order {self.order}", "schedule": "by schedule"}
        against = "against those who see the released tables alone" if self.unordered else ""
        return ", ".join(part for part in (names.get(self.by, ""), against) if part)

    @property
    def text(self) -> str:
        """The rule as a word, with its order."""
        more = (str(self.order) if self.order else "", _UNORDERED if self.unordered else "")
        return " ".join((self.by, *filter(None, more)))

    @result("F", "§3")
    def charged(
        self,
        what: Chargeable,
        charges: tuple[Charge, ...],
        table: ShuffledTable | None = None,
    ) -> tuple[Charge, ...]:
        """Charges as this account counts them: `whole` is what adds up for whole records.

        For Rényi charges and without order `amount` keeps the level of whole records, so that the
        report can say what adding up would have come to.
        """
        if self.by == "schedule" and not isinstance(what, Plan):
            raise NotApplicable(
                "an account by schedule takes releases of plans that were declared beforehand; charge "
                'anything else to an account that adds levels up (by="sum")'
            )
        if self.by == "sum" and self.unordered:
            return unordered_charges(charges, table)
        if self.by != "renyi":
            return charges
        times = what.times if isinstance(what, Plan) else 1
        return tuple(
            self._divergence(charge, promise, times)
            for charge, promise in zip(charges, _promises(what, charges), strict=True)
        )

    def _divergence(self, charge: Charge, promise: Any, times: int) -> Charge:
        level = charge.whole
        if level is None:
            raise NotApplicable(
                f"the distances of column {charge.column!r} have no bound, and so no Rényi divergence; "
                'charge it to an account that adds levels up (by="sum"), with a budget for the column'
            )
        channel = getattr(promise, "channel", None)
        if isinstance(channel, Channel) and channel.exact:
            cost = renyi_charge(channel, order=self.order)
        elif level.slack:
            raise NotApplicable(
                f"column {charge.column!r} has δ = {level.slack} and no channel to compute a Rényi "
                'divergence from; charge it to an account that adds levels up (by="sum")'
            )
        else:
            cost = level_charge(level.eps / times, order=self.order)
        unit = "between any two values"
        return Charge(charge.column, self.text, unit, level, amount(cost * times), charge.blocks)

    @result("R", "Prop 12")
    def told(self, balance: Balance, slack: Fraction, column: str = WHOLE) -> Amount | None:
        """What the charges of a balance guarantee, at the δ of a budget.

        Notes
        -----
        Under Rényi charges it is the sum of the levels where that is less. Releases may stop by either:
        histories whose levels stay within ε never pass e^ε, and among the others the moment of order
        α is that of their charges.
        """
        spent = balance.spent(column)
        if self.by != "renyi" or column or spent is None or spent.is_zero:
            return spent
        tight, levels = renyi_eps(spent.eps, delta=slack, order=self.order), balance.levels
        return levels if not levels.slack and levels.eps <= tight else amount(tight, slack)

    def require_limit(self, account: str, limit: Amount, column: str, per: str) -> None:
        """Refuse budgets that mean nothing under this rule."""
        if self.unordered and not limit.slack:
            raise BadNumber(
                f"account {account!r} is for releases without order, each of which has a δ; give it "
                "one, which is shared by all of them"
            )
        without = " without order" if self.unordered else ""
        if (self.by != "sum" or self.unordered) and column:
            raise NotApplicable(
                f"account {account!r} is kept by {self.by}{without}, which bounds whole records; a "
                'column has a budget of its own where levels add up (by="sum")'
            )
        if self.by == "renyi":
            renyi_budget(limit.eps, delta=limit.slack, order=self.order)
        if self.by == "schedule" and per == "person":
            raise NotApplicable("a schedule is for everybody in an account; open it per table")
        if self.by == "schedule" and not limit.slack:
            raise BadNumber(
                f"account {account!r} is kept by schedule, which gains nothing without a δ; give one, "
                'or add levels up (by="sum")'
            )


SUM = Rule()


def rule_of(by: str, order: int | None, *, unordered: bool = False) -> Rule:
    """The rule of these words, if there is one."""
    if by not in KINDS:
        raise UnknownName.among("a kind of account", by, KINDS)
    if (by == "renyi") != (order is not None):
        raise NotApplicable(
            "an account by Rényi charges has an order that is fixed now (order=, --order); 8 to 32 "
            "suit most budgets"
            if by == "renyi"
            else f"order belongs to an account by Rényi charges, not to one by {by}"
        )
    if unordered and by == "renyi":
        raise NotApplicable(
            "a shuffled release has a δ of its own, and so no Rényi charge; open the account "
            'by="sum" or by="schedule"'
        )
    return Rule(by, 0 if order is None else as_order(order), bool(unordered))


def _promises(what: Chargeable, charges: tuple[Charge, ...]) -> Iterable[Any]:
    """The mechanisms or guarantees behind charges, in their order."""
    if isinstance(what, Plan):
        return [column.mechanism for column in what.columns]
    return what.values() if isinstance(what, Mapping) else charges
