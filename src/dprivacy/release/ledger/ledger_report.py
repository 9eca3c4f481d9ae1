"""What is spent on whom: in words, in bars, and as data for a picture."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dprivacy.model import Answer, about, counted
from dprivacy.release.ledger.accounts.account_rule import SUM, Rule
from dprivacy.release.ledger.amounts import Amount, larger
from dprivacy.release.ledger.balances import WHOLE, Balance
from dprivacy.release.plans.joint_promise import published_words

_BAR = 24  # characters of a full bar
_ANY = "any two records"
_ALIKE = "records alike there"  # in what is published as it is


@dataclass(frozen=True)
class Spent:
    """One line of the report: whole records, or one column, of one account."""

    account: str
    column: str
    spent: Amount | None
    limit: Amount | None
    units: tuple[str, ...] = ()
    added: Amount | None = None

    @property
    def name(self) -> str:
        """The line's name."""
        return f"{self.account}, {self.column}" if self.column else self.account

    def words(self) -> str:
        """The line in words, with a bar where there is a budget."""
        if self.spent is None:
            return "unbounded distances: see its columns"
        unit = f" {' / '.join(self.units)}" if self.units else ""
        text = f"{self.spent.words()}{unit}"
        if self.limit is None:
            return f"{text}; no budget"
        share = _share(self.spent, self.limit)
        filled = min(_BAR, round(_BAR * share))
        bar = f"{'█' * filled}{'░' * (_BAR - filled)} {share:4.0%}"
        saved = ""
        if self.added is not None and self.added.eps > self.spent.eps:
            saved = f"; adding levels up says {about(self.added.eps)}"
        return f"{bar}  {text} of {self.limit.words()}{saved}"


@dataclass(frozen=True)
class LedgerReport(Answer):
    """What is spent on whom, under which budgets.

    `lines` holds, for each account, its whole records first and then its columns. For an account per
    person they are of the person charged most, and `people` says how many there are. `units` says what
    each account protects: rows, or persons by the word that it has for them; `published`, what was
    published of it as it is and is therefore protected by no level; `rules`, how it adds up where that
    is not by levels.

    Examples
    --------
    >>> import tempfile
    >>> from dprivacy.release import Ledger
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/ledger.db") as ledger:
    ...     _ = ledger.budget("survey", "ln 4")
    ...     ledger.report().bars()
    [('survey', 0.0, 1.3862943611198906)]
    """

    place: str
    ledger: str
    entries: int
    lines: tuple[Spent, ...] = ()
    people: dict[str, int] = field(default_factory=dict)
    units: dict[str, str] = field(default_factory=dict)
    published: dict[str, tuple[str, ...]] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)

    exact = True

    def bars(self) -> list[tuple[str, float, float | None]]:
        """(name, spent, budget) of every line that has a number: what a picture is drawn from."""
        return [
            (x.name, float(x.spent.eps), None if x.limit is None else float(x.limit.eps))
            for x in self.lines
            if x.spent is not None and (x.limit is not None or not x.spent.is_zero)
        ]

    def explain(self) -> str:
        """The report in words."""
        lines = [
            f"Ledger {self.ledger} at {self.place}: {counted(self.entries, 'entry', 'entries')}."
        ]
        names = [_ALIKE if self.published else _ANY, *(x.column for x in self.lines)]
        width = max(map(len, names))
        for x in self.lines:
            if not x.column:
                unit = f", for each {self.units[x.account]}" if self.units.get(x.account) else ""
                unit += f", {self.rules[x.account]}" if x.account in self.rules else ""
                crowd = self.people.get(x.account)
                per = (
                    ""
                    if crowd is None
                    else f" ({counted(crowd, 'person', 'people')}; the one charged most)"
                )
                lines += ["", f"{x.account}{unit}{per}"]
                bare = self.published.get(x.account)
                lines += [f"  {published_words(bare)}"] if bare else []
                lines.append(f"  {_ALIKE if bare else _ANY:{width}}  {x.words()}")
            else:
                lines.append(f"  {x.column:{width}}  {x.words()}")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            **self._told("ledger", "place", "entries", "people", "units", "published", "rules"),
            "lines": [
                {
                    "account": x.account,
                    "column": x.column or None,
                    "units": list(x.units),
                    "spent": None if x.spent is None else x.spent.to_dict(),
                    "budget": None if x.limit is None else x.limit.to_dict(),
                    "added": None if x.added is None else x.added.to_dict(),
                }
                for x in self.lines
            ],
        }


def report(
    place: str, ledger: str, entries: int, rows: Iterable[tuple[str, str, Balance]]
) -> LedgerReport:
    """The report of all balances, given as (account, person, balance)."""
    accounts: dict[str, list[tuple[str, Balance]]] = {}
    for account, person, balance in rows:
        accounts.setdefault(account, []).append((person, balance))
    lines: list[Spent] = []
    people, protected, rules, bare = {}, {}, {}, dict[str, tuple[str, ...]]()
    for account, found in accounts.items():
        own = dict(found).get("", Balance())
        charged = [balance for person, balance in found if person]
        protected[account] = own.unit
        if own.rule != SUM.text:
            rules[account] = Rule.read(own.rule).words
        if own.due:
            rules[account] += f", {counted(sum(own.due.values()), 'release')} to come"
        shown = {name for balance in (own, *charged) for name in balance.published}
        bare |= {account: tuple(sorted(shown))} if shown else {}
        if own.per == "person":
            people[account] = len(charged)
        lines += _account(account, own, charged if own.per == "person" else [own])
    return LedgerReport(place, ledger, entries, tuple(lines), people, protected, bare, rules)


def _account(account: str, own: Balance, charged: Sequence[Balance]) -> list[Spent]:
    units: dict[str, dict[str, None]] = {column: {} for column in own.limits}
    for balance in charged:
        for (_, column, _), line in balance.lines.items():
            units.setdefault(column, {})[line.unit] = None
    rule, each = Rule.read(own.rule), list({id(b): b for b in charged}.values())
    lines = []
    for column in [WHOLE, *(column for column in units if column != WHOLE)]:
        limit = own.limits.get(column)
        slack = limit.slack if limit else Fraction(0)
        told = _most(rule.told(balance, slack, column) for balance in each)
        added = None if column or rule == SUM else _most(balance.levels for balance in each)
        named = tuple(units.get(column, ())) if column else ()
        lines.append(Spent(account, column, told, limit, named, added))
    return lines


def _most(amounts: Iterable[Amount | None]) -> Amount | None:
    most = Amount()
    for amount in amounts:
        if amount is None:
            return None
        most = larger(most, amount)
    return most


def _share(spent: Amount, limit: Amount) -> float:
    return float(spent.eps) / float(limit.eps) if limit.eps > 0 else float(not spent.is_zero)
