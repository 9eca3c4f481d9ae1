"""The entries that open accounts: budgets, and parts with nobody in common."""

from collections.abc import Sequence

from dprivacy.errors import BadNumber, NotApplicable, UnknownName, WrongKind
from dprivacy.release.ledger.accounts.account_rule import Rule
from dprivacy.release.ledger.amounts import Amount
from dprivacy.release.ledger.balances import after
from dprivacy.release.ledger.ledger_pages import Pages
from dprivacy.release.ledger.spend_rules import require_name
from dprivacy.release.ledger.stores.hash_chain import Entry


def set_budget(
    pages: Pages,
    name: str,
    most: Amount,
    column: str,
    per: str | None,
    unit: str | None,
    rule: Rule | None = None,
) -> Entry:
    """Append the budget of an account; see `Ledger.budget`, and with a rule `Ledger.open_account`."""
    if most.level is None or most.delta is None:
        raise BadNumber(
            f"a budget is a number that can be written in a line, such as ln 8 or 5/2; this one is "
            f"about {float(most.eps):.6g}"
        )
    if per not in ("table", "person", None):
        raise UnknownName(f'per is "table" or "person", not {per!r}')
    if not isinstance(column, str):
        raise WrongKind(f"a column is named by a text, not by {column!r}")
    with pages.transaction(write=True):
        balance = pages.balance(name)
        kind = per or balance.per
        if balance.sequence and balance.per != kind:
            raise NotApplicable(
                f"account {name!r} is kept per {balance.per}, not per {kind}; open another account"
            )
        fixed = rule if rule and not balance.sequence else Rule.read(balance.rule)
        if rule not in (None, fixed):
            raise NotApplicable(
                f"account {name!r} is kept by {fixed.text}, which was fixed when it was opened; open "
                "another account"
            )
        fixed.require_limit(name, most, column, kind)
        word = _unit(name, unit, kind, balance.unit)
        body = {"kind": "budget", "account": name, "column": column, "per": kind, "unit": word}
        entry = pages.append({**body, "rule": fixed.text, "limit": most.to_dict()})
        pages.keep(name, {"": after(balance, entry.body)})
    return entry


def declare_parts(pages: Pages, name: str, names: Sequence[str]) -> Entry:
    """Append the parts of an account; see `Ledger.parts`."""
    if isinstance(names, str) or len(set(names)) != len(list(names)) or len(names) < 1:
        raise WrongKind(f"parts are named by a list of different texts, not by {names!r}")
    with pages.transaction(write=True):
        balance = pages.known_balance(name)
        if balance.per == "person":
            raise NotApplicable(f"account {name!r} is kept per person, and needs no parts")
        new = [require_name(part, "a part") for part in names]
        every = list(dict.fromkeys([*balance.parts, *new]))
        entry = pages.append({"kind": "parts", "account": name, "parts": every})
        pages.keep(name, {"": after(balance, entry.body)})
    return entry


def _unit(account: str, asked: str | None, per: str, known: str) -> str:
    """The word for what an account protects, if it can be that."""
    word = asked or known or ("person" if per == "person" else "row")
    require_name(word, "what an account protects")
    if known and word != known:
        raise NotApplicable(
            f"account {account!r} protects each {known}, not each {word}; open another account"
        )
    if per == "person" and word == "row":
        raise NotApplicable(
            f"account {account!r} is kept per person, whose rows add up: unit is a word for the person"
        )
    return word
