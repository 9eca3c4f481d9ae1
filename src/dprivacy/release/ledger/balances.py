"""Balances: what is spent of an account, and what every entry does to it."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dprivacy.release.ledger.amounts import Amount, larger
from dprivacy.release.ledger.stores.hash_chain import canonical
from dprivacy.sources import result

Key = tuple[str, str, str]  # part, column, metric
PAID = "permanent answers that were paid for before"
UNCOUNTED = "values of people are not counted, so that repeated answers are charged again"
UNORDERED = "unordered"  # the metric of tables without order
WHOLE = ""  # the budget of whole records; other budgets have the name of their column


@dataclass(frozen=True)
class Line:
    """What is spent by one metric of one column: per unit of it, and between the farthest values."""

    unit: str
    amount: Amount
    whole: Amount | None

    @classmethod
    def read(cls, unit: str, amount: Any, whole: Any) -> "Line":
        """A line from plain data."""
        most = None if whole is None else Amount.from_dict(whole)
        return cls(unit, Amount.from_dict(amount), most)

    def to_list(self) -> list[Any]:
        """The line as plain data."""
        whole = None if self.whole is None else self.whole.to_dict()
        return [self.unit, self.amount.to_dict(), whole]

    def agrees(self, other: "Line") -> bool:
        """Whether it is the same line."""
        if self.whole is None or other.whole is None:
            same = self.whole is other.whole
        else:
            same = self.whole.agrees(other.whole)
        return same and self.unit == other.unit and self.amount.agrees(other.amount)

    def plus(self, other: "Line", *, back: bool = False) -> "Line":
        """The line with another added, or taken away again."""
        whole = None
        if self.whole is not None and other.whole is not None:
            whole = self.whole - other.whole if back else self.whole + other.whole
        amount = self.amount - other.amount if back else self.amount + other.amount
        return Line(self.unit, amount, whole)


@dataclass(frozen=True)
class Balance:
    """What is spent of an account (or by one person of it), and what may be.

    Parameters
    ----------
    per
        "table", when everybody in the account is charged with everything, or "person".
    limits
        Budgets: of whole records (under the name ""), or per unit of a column's metric.
    parts
        Declared groups of people that have nobody in common.
    lines
        What is spent, by part ("" for everybody), column and metric.
    permanent
        Where permanent answers were first paid for: entries by mark.
    sequence
        The last entry that changed it.
    unit
        What is protected: "row", or a word for the person whose rows add up ("household"); "" until
        somebody has said so.
    published
        What was published as it is, and in how many releases.
    rule
        How charges become a guarantee: see `Rule`.
    due
        How many releases of which plan (by hash, and by rows without order) were declared and are still
        to come.
    """

    per: str = "table"
    limits: Mapping[str, Amount] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    lines: Mapping[Key, Line] = field(default_factory=dict)
    permanent: Mapping[str, int] = field(default_factory=dict)
    sequence: int = 0
    unit: str = ""
    published: Mapping[str, int] = field(default_factory=dict)
    rule: str = "sum"
    due: Mapping[str, int] = field(default_factory=dict)

    @result("T", "Lem 3.1", "Lem 3.2")
    def spent(self, column: str = WHOLE) -> Amount | None:
        """What all releases together have spent: of whole records, or per unit of a column.

        Notes
        -----
        1. On one metric, levels add up: ε₁·d and ε₂·d make (ε₁ + ε₂)·d.
        2. On several, the metrics add up: ε₁·d₁ + ε₂·d₂. Between the two most different records that
           is the sum of what each column says of its farthest values. For one column under several
           metrics it is at most (ε₁ + ε₂)·max(d₁, d₂), so the sum of the levels is a level again.
        3. Of parts with nobody in common the largest counts, and with it what was spent on everybody.

        None when a column's distances are unbounded, so that no number stands for whole records.
        """
        return self._total(
            (part, line.whole if column == WHOLE or metric == UNORDERED else line.amount)
            for (part, name, metric), line in self.lines.items()
            if column in (WHOLE, name)
        )

    @property
    def levels(self) -> Amount:
        """What adding levels up would say of whole records, where the account does not."""
        total = self._total((part, line.amount) for (part, _, _), line in self.lines.items())
        return total or Amount()

    def _total(self, amounts: Iterable[tuple[str, Amount | None]]) -> Amount | None:
        totals = {part: Amount() for part in ("", *self.parts)}
        for part, amount in amounts:
            if amount is None:
                return None
            totals[part] = totals.get(part, Amount()) + amount
        most = Amount()
        for part, total in totals.items():
            most = larger(most, total) if part else most
        return totals[""] + most

    def agrees(self, other: "Balance") -> bool:
        """Whether it is the same balance, however its numbers are written."""
        mine, theirs = (replace(balance, limits={}, lines={}) for balance in (self, other))
        return (
            mine == theirs
            and self.limits.keys() == other.limits.keys()
            and self.lines.keys() == other.lines.keys()
            and all(self.limits[name].agrees(other.limits[name]) for name in self.limits)
            and all(self.lines[key].agrees(other.lines[key]) for key in self.lines)
        )

    @cached_property
    def text(self) -> str:
        """The balance as one line of JSON."""
        return canonical({
            "per": self.per,
            "limits": {name: limit.to_dict() for name, limit in self.limits.items()},
            "parts": list(self.parts),
            "lines": [[*key, *line.to_list()] for key, line in sorted(self.lines.items())],
            "permanent": dict(self.permanent),
            "sequence": self.sequence,
            "unit": self.unit,
            "published": dict(self.published),
            "rule": self.rule,
            "due": dict(self.due),
        })  # fmt: skip

    @classmethod
    def from_text(cls, text: str) -> "Balance":
        """The balance whose `text` it is."""
        data = json.loads(text)
        return cls(
            data["per"],
            {name: Amount.from_dict(limit) for name, limit in data["limits"].items()},
            tuple(data["parts"]),
            {
                (part, column, metric): Line.read(*rest)
                for part, column, metric, *rest in data["lines"]
            },
            data["permanent"],
            data["sequence"],
            data["unit"],
            data["published"],
            data["rule"],
            data["due"],
        )


NOTHING = Balance()


def after(balance: Balance, body: Mapping[str, Any]) -> Balance:
    """The balance after an entry: the one place where the ledger computes.

    Spending and verifying both go through here, so that a balance that was changed by hand cannot
    agree with the entries.
    """
    kind, sequence = body["kind"], body["sequence"]
    if kind == "budget":
        limits = dict(balance.limits)
        limits[body["column"]] = Amount.from_dict(body["limit"])
        told = {"per": body["per"], "unit": body["unit"], "rule": body["rule"]}
        return replace(balance, limits=limits, sequence=sequence, **told)
    if kind == "parts":
        return replace(balance, parts=tuple(body["parts"]), sequence=sequence)
    if kind == "schedule":
        key = "", f"schedule {sequence}", "schedule"
        line = Line.read("with levels added up", body["amount"], body["whole"])
        due = _due(balance, body["due"], body["times"])
        return replace(balance, lines={**balance.lines, key: line}, due=due, sequence=sequence)
    if kind == "spend":
        return _spent(balance, body)
    return _cancelled(balance, body)


def each_after(balances: Mapping[Any, Balance], body: Mapping[str, Any]) -> dict[Any, Balance]:
    """Many balances after an entry; those of a crowd are mostly one object, and computed once."""
    distinct = {id(balance): balance for balance in balances.values()}
    changed = {at: after(balance, body) for at, balance in distinct.items()}
    return {whose: changed[id(balance)] for whose, balance in balances.items()}


def is_free(balance: Balance, line: Mapping[str, Any], body: Mapping[str, Any]) -> bool:
    """Whether the answers of a line were paid for before.

    They were where the values of every person have been counted since the first payment, which covers
    as many as a person may have. People who come later may be the same ones under other names, so that
    an account per table pays for them. Neither the same source nor a reason (`again`) makes anything
    free: answers to the same file are other ones if another column says whose a row is.
    """
    strangers = line["newcomers"] and body["people"] is None
    first = balance.permanent.get(line["permanent"] or "")
    return not strangers and first is not None and first < body["sequence"]


def _spent(balance: Balance, body: Mapping[str, Any]) -> Balance:
    lines, permanent = dict(balance.lines), dict(balance.permanent)
    for line in body["lines"]:
        if line["permanent"] is not None:
            permanent.setdefault(line["permanent"], body["sequence"])
        if is_free(balance, line, body):
            continue
        key, cost = _line(line, body)
        lines[key] = lines[key].plus(cost) if key in lines else cost
    return replace(
        balance,
        lines=lines,
        permanent=permanent,
        sequence=body["sequence"],
        unit=balance.unit or body["unit"],
        published=_counted(balance, body, 1),
        due=_due(balance, body["due"], -1),
    )


def _cancelled(balance: Balance, body: Mapping[str, Any]) -> Balance:
    """Undo an entry that released nothing; its own body travels in the cancelling one."""
    undone = body["undone"]
    lines = dict(balance.lines)
    for line in undone["lines"]:
        if is_free(balance, line, undone):
            continue
        key, cost = _line(line, undone)
        lines[key] = lines[key].plus(cost, back=True)
        if lines[key].amount.is_zero:
            del lines[key]
    permanent = {mark: at for mark, at in balance.permanent.items() if at != undone["sequence"]}
    return replace(
        balance,
        lines=lines,
        permanent=permanent,
        sequence=body["sequence"],
        published=_counted(balance, undone, -1),
        due=_due(balance, undone["due"], 1),
    )


def _due(balance: Balance, name: str, more: int) -> dict[str, int]:
    """What is still to come of declared schedules; nothing where nothing was declared."""
    due = dict(balance.due)
    if name in due or balance.rule.startswith("schedule"):
        due[name] = due.get(name, 0) + more
    return due


def _counted(balance: Balance, body: Mapping[str, Any], sign: int) -> dict[str, int]:
    """What is published as it is, after an entry or without it."""
    counts = dict(balance.published)
    for name in body["published"]:
        counts[name] = counts.get(name, 0) + sign
    return {name: count for name, count in counts.items() if count}


def _line(line: Mapping[str, Any], body: Mapping[str, Any]) -> tuple[Key, Line]:
    key = body["part"], line["column"], line["metric"]
    return key, Line.read(line["unit"], line["amount"], line["whole"])


def _price(line: Mapping[str, Any]) -> Amount:
    """What a line costs; beside what a table without order costs stands its level."""
    return Amount.from_dict(line["whole" if line["metric"] == UNORDERED else "amount"])


def costs_of(balances: Iterable[Balance], body: Mapping[str, Any]) -> dict[str, str]:
    """What each column costs, in words; "" where it costs nobody anything."""
    every = list(balances)
    costs = {}
    for line in body["lines"]:
        cost = _price(line)
        free = cost.is_zero or all(is_free(balance, line, body) for balance in every)
        costs[line["column"]] = "" if free else f"{cost.words()} {line['unit']}"
    return costs
