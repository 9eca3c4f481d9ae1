"""Schedules: lists of releases that are declared, composed and paid for before the first of them."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadNumber, BudgetExceeded, NotApplicable
from dprivacy.model import about, counted
from dprivacy.numbers import Level, as_delta
from dprivacy.release.ledger.accounts.account_rule import Rule
from dprivacy.release.ledger.accounts.unordered_charges import composed_unordered
from dprivacy.release.ledger.amounts import Amount, amount
from dprivacy.release.ledger.balances import WHOLE, Balance, after
from dprivacy.release.ledger.charged_metric import charge
from dprivacy.release.ledger.ledger_pages import Pages
from dprivacy.release.ledger.spend_rules import require_within
from dprivacy.release.ledger.stores.hash_chain import Entry
from dprivacy.release.plans.stored_plans import plan_hash
from dprivacy.release.plans.table_plan import Plan
from dprivacy.typing import NumberLike
from dprivacy.verify import Composition, compose

_OF = " of "  # between the hash of a plan and a number of rows


def composed(plan: Plan, times: int, delta: Fraction) -> Composition:
    """What releasing a plan this many times guarantees at δ, whatever values people have each time."""
    releases: list[Any] = []
    for column in plan.columns:
        cost = charge(column.name, column.mechanism.guarantee)
        if cost.whole is None:
            raise NotApplicable(
                f"the distances of column {column.name!r} have no bound, so that a schedule has no "
                'level for whole records; charge it to an account that adds levels up (by="sum")'
            )
        channel = column.mechanism.channel
        # Within blocks the level holds; between them everything is told, and published.
        level = cost.blocks or channel is None or not channel.exact
        releases.append((cost.whole.eps, cost.whole.slack) if level else channel)
    return compose(releases, delta=delta, times=times * plan.times)


def declare(
    pages: Pages,
    account: str,
    plan: Plan,
    times: int,
    delta: NumberLike | None,
    rows: int | None,
) -> tuple[Entry, Composition]:
    """Append a schedule, if the budget allows it."""
    if type(times) is not int or times < 1:
        raise BadNumber(f"a plan is released a whole number of times, at least once, not {times!r}")
    with pages.transaction(write=True):
        balance = pages.known_balance(account)
        if Rule.read(balance.rule).by != "schedule":
            raise NotApplicable(
                f"account {account!r} is kept by {balance.rule}, and takes releases as they come; a "
                'schedule needs an account that was opened with by="schedule"'
            )
        unordered = Rule.read(balance.rule).unordered
        _require_rows(account, rows, unordered=unordered)
        if (balance.unit == "row") != (plan.unit == "row"):
            raise NotApplicable(
                f"account {account!r} protects each {balance.unit}, and the plan's unit is "
                f"{plan.unit!r}; open an account for that"
            )
        limit, spent = balance.limits[WHOLE], balance.spent() or Amount()
        slack = limit.slack - spent.slack if delta is None else as_delta(delta)
        if slack <= 0:
            raise BudgetExceeded(
                f"the budget of account {account!r} is {limit.words()}, and no δ is left for another "
                "schedule"
            )
        found = (
            composed(plan, times, slack)
            if rows is None
            else composed_unordered(plan, times, slack, rows)
        )
        if not isinstance(found.eps, Level):
            raise BudgetExceeded(
                f"no ε is enough for this schedule at δ = {about(slack)}: its own δ add up to more"
            )
        added = found.added if isinstance(found.added, Level) else found.eps
        asked = {
            "kind": "schedule",
            "account": account,
            "plan": plan_hash(plan.raw),
            "due": due_name(plan_hash(plan.raw), rows),
            "times": times,
            "amount": amount(added).to_dict(),
            "whole": amount(found.eps, slack).to_dict(),
            "note": plan.title,
        }
        body = {**asked, **pages.link()}
        now = after(balance, body)
        require_within(
            balance.limits, balance, now, f"account {account!r}", Rule.read(balance.rule)
        )
        entry = pages.append(body)
        pages.keep(account, {"": now})
    return entry, found


def due_name(plan: str, rows: int | None) -> str:
    """Under which name releases of a plan are due: its hash, and how many rows they have at least."""
    return plan if rows is None else f"{plan}{_OF}{rows}"


def require_due(account: str, balance: Balance, body: Mapping[str, Any]) -> str:
    """Under which name a release is due; refused where none has been declared, or fewer."""
    if body["part"]:
        raise NotApplicable(
            f"account {account!r} is kept by schedule, which is for everybody in it; leave the part out"
        )
    plan: str = body["plan"]
    names = [name for name in balance.due if name.partition(_OF)[0] == plan]
    open_ones = [name for name in names if balance.due[name] > 0]
    if Rule.read(balance.rule).unordered and open_ones:
        return _largest(account, open_ones, body["company"])
    if open_ones:
        return plan
    left = counted(sum(balance.due.values()), "release", "releases")
    raise NotApplicable(
        f"account {account!r} takes only what was declared beforehand, and "
        + (
            "all releases of this plan are made"
            if names
            else f"this plan was not ({left} of other plans to come)"
        )
        + ": what is chosen after seeing earlier releases cannot be composed so tightly; declare a "
        f"schedule of it (`dprivacy ledger schedule {account}`), or charge an account by sums"
    )


def _largest(account: str, names: Sequence[str], company: int) -> str:
    """Of what is due, that for the most rows of which the table has enough."""
    declared = sorted(int(name.partition(_OF)[2]) for name in names)
    fitting = [rows for rows in declared if rows <= company]
    if fitting:
        return due_name(names[0].partition(_OF)[0], fitting[-1])
    least = counted(declared[0], "row")
    raise NotApplicable(
        f"account {account!r} was promised tables without order, of at least {least} that are alike in "
        "what is published as it is; "
        + (
            f"this one has {company:,} in its smallest group: add rows, leave such columns out, or "
            "declare a schedule of fewer rows"
            if company
            else "this one keeps its order: release it with shuffle=True (--shuffle)"
        )
    )


def _require_rows(account: str, rows: Any, *, unordered: bool) -> None:
    if not unordered and rows is not None:
        raise NotApplicable(
            f"account {account!r} counts releases in their order, whatever their rows; leave rows out, "
            "or open an account without order (unordered=True, --unordered)"
        )
    if unordered and (type(rows) is not int or rows < 2):
        raise BadNumber(
            f"account {account!r} is for tables without order: say how many rows each has at least "
            f"(rows=, --rows), a whole number from 2 on, not {rows!r}"
        )
