"""What a ledger refuses: names, kinds of accounts, what no budget limits, and what passes one."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dprivacy.errors import BudgetExceeded, NotApplicable, UnknownName, WrongKind
from dprivacy.model import about
from dprivacy.release.ledger.accounts.account_rule import SUM, Rule
from dprivacy.release.ledger.amounts import Amount
from dprivacy.release.ledger.balances import WHOLE, Balance

_LONGEST = 200  # characters of a name


def require_name(name: str, what: str) -> str:
    """The name of an account or a part, if it can be one."""
    if type(name) is str and 0 < len(name) <= _LONGEST and name.isprintable():
        return name
    raise WrongKind(
        f"{what} is named by a text of at most {_LONGEST} printable characters, not {repr(name)[:60]}"
    )


def require_texts(**texts: str) -> None:
    """Refuse what is not text, by its name."""
    for name, text in texts.items():
        if not isinstance(text, str):
            raise WrongKind(f"{name} is a text, not {text!r}")


def require_bytes(digests: Iterable[bytes]) -> None:
    """Refuse digests and marks that are not bytes."""
    strange = sorted({type(digest).__name__ for digest in digests} - {"bytes"})
    if strange:
        raise WrongKind(f"digests and marks are bytes, not {', '.join(strange)}")


def unknown_account(name: str, known: Sequence[str]) -> UnknownName:
    """The error for an account without a budget, which may well be a mistyped one."""
    if not known:
        return UnknownName(
            f"account {name!r} has no budget, and the ledger has no accounts yet; open it with "
            f'budget({name!r}, "ln 8"), on the command line `dprivacy ledger budget`'
        )
    told = UnknownName.among("the account", name, known)
    return UnknownName(f"{told}; a new account begins with a budget (`dprivacy ledger budget`)")


def require_budgets(name: str, balance: Balance, lines: Iterable[Mapping[str, Any]]) -> None:
    """Refuse columns that no budget limits, neither their own nor that of whole records."""
    if WHOLE in balance.limits:
        return
    for line in lines:
        UnknownName.require(f"a column of account {name!r}", line["column"], balance.limits)


def require_kind(name: str, balance: Balance, body: Mapping[str, Any], persons: Any) -> None:
    """Refuse a spend that does not fit what an account protects and how: by rows, persons, parts."""
    part = body["part"]
    if balance.rule != body["rule"]:
        raise NotApplicable(
            f"account {name!r} is kept by {balance.rule}, and this release was priced by "
            f"{body['rule']}; spend it again"
        )
    if part and part not in balance.parts:
        raise UnknownName(
            f"account {name!r} has no part {part!r}; declare that its parts have nobody in common "
            f"with parts({name!r}, […]), or leave the part out"
        )
    if balance.per == "person" and not persons:
        raise NotApplicable(f"account {name!r} is kept per person; name whom to charge: people=")
    if balance.per == "table" and persons is not None:
        raise NotApplicable(
            f"account {name!r} is kept per table; open one for people with budget(…, per='person')"
        )
    if balance.unit and (balance.unit == "row") != (body["unit"] == "row"):
        raise NotApplicable(
            f"account {name!r} protects each row, and this release is of persons, whose rows add up; "
            'open an account for them with budget(…, unit="person"), on the command line --unit person'
            if balance.unit == "row"
            else f"account {name!r} protects each {balance.unit}, and this release takes every row for "
            f"another one; name the column that says whose a row is (unit in a plan, --person), or "
            "open an account of rows"
        )


def require_within(
    limits: Mapping[str, Amount], before: Balance, now: Balance, whose: str, rule: Rule = SUM
) -> None:
    """BudgetExceeded when an entry passes a budget: what was asked, what is spent, what is left."""
    for name, limit in limits.items():
        spent, asked = (rule.told(one, limit.slack, name) for one in (before, now))
        of = f"column {name!r} of {whose}" if name else whose
        if asked is None:
            wide = sorted(
                {column for (_, column, _), line in now.lines.items() if line.whole is None}
            )
            raise NotApplicable(
                f"the distances of column {', '.join(map(repr, wide))} have no bound, so that no "
                f"budget of whole records ({whose}) can hold; give each column a budget of its own"
            )
        assert spent is not None
        if asked == spent or asked.within(limit):
            continue
        left, slack = limit.eps - spent.eps, limit.slack - spent.slack
        raise BudgetExceeded(
            f"the budget of {of} is {limit.words()}; {spent.words()} is spent, and with this release "
            f"it would be {asked.words()}; "
            + (f"{about(left)} is left" if left > 0 else "nothing is left")
            + (f", and of δ {about(max(slack, Fraction(0)))}" if asked.slack > limit.slack else "")
            + ": release with a smaller epsilon or fewer columns, or raise the budget"
        )


def released_before(tags: Mapping[str, str], known: Mapping[str, int]) -> str:
    """The words for sources that were released before, with their entries."""
    words = [f"{name} (entry {known[tag]})" for name, tag in tags.items() if tag in known]
    return (
        f"released before: {', '.join(words)}. Two noisy copies say more than one, and cost both; if "
        "that is meant, say why with again= (--again), or use permanent answers (permanent_key=)"
    )
