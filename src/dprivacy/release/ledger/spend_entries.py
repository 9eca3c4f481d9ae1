"""The entries that spend, each checked before it is written."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dprivacy.errors import AlreadyReleased, NotApplicable
from dprivacy.release.columns.answered_values import Answered
from dprivacy.release.ledger.accounts.account_rule import Rule
from dprivacy.release.ledger.accounts.declared_schedule import require_due
from dprivacy.release.ledger.balances import costs_of, each_after
from dprivacy.release.ledger.charged_metric import Charge
from dprivacy.release.ledger.ledger_pages import Pages
from dprivacy.release.ledger.spend_rules import (
    released_before,
    require_budgets,
    require_kind,
    require_within,
)
from dprivacy.release.ledger.stores.hash_chain import Entry, canonical
from dprivacy.release.ledger.stores.ledger_store import Answer, Store
from dprivacy.sampling import CONSTRUCTION


def crowd(people: Sequence[str]) -> dict[str, Any]:
    """How many people an entry is charged to, and a hash of who."""
    return {"count": len(people), "hash": hashlib.sha256("".join(people).encode()).hexdigest()}


def answers_hash(answers: Sequence[Sequence[str]]) -> dict[str, Any]:
    """How many values are new with an entry, and a hash of whose and which."""
    return crowd(sorted("".join(answer) for answer in answers))


def marks_of(body: Mapping[str, Any]) -> set[str]:
    """What a spend is found by later: its sources, and its run."""
    return {*body["sources"].values(), body["run"]}


@dataclass(frozen=True)
class Hidden:
    """What a spend says of its sources and answers, all of it as keyed hashes.

    Parameters
    ----------
    sources
        What is released, by what it is of.
    counted
        Of permanent answers whose values are counted: how their noise is made, in words, and a hash of
        key, mechanism and part, by column.
    values
        Whose value is which, by column.
    """

    sources: Mapping[str, str]
    counted: Mapping[str, str]
    values: Mapping[str, Sequence[tuple[str, str]]]


def hide(
    pages: Pages,
    account: str,
    part: str,
    sources: Mapping[str, bytes],
    permanent: Mapping[str, bytes],
    answered: Answered,
) -> Hidden:
    """Keyed hashes of what `Ledger.spend` is told."""
    key, crew = pages.key, part.encode("utf-8", "surrogatepass")
    tags = {words: key.tag("source", digest) for words, digest in sources.items()}
    # What was paid for one part of the people was not paid for another.
    marks = {
        c: f"{CONSTRUCTION}, {key.tag('permanent', mark, crew)}" for c, mark in permanent.items()
    }
    values = {
        column: [pages.answer(account, marks[column], *row) for row in rows]
        for column, rows in answered.items()
        if column in marks
    }
    return Hidden(tags, {c: m for c, m in marks.items() if c in values}, values)


def lines_of(charges: Iterable[Charge], hidden: Hidden) -> list[dict[str, Any]]:
    """Charges as an entry holds them, with the marks of permanent answers."""
    return [
        {
            "column": charge.column,
            "metric": charge.metric,
            "unit": charge.unit,
            "amount": charge.amount.to_dict(),
            "whole": None if charge.whole is None else charge.whole.to_dict(),
            "permanent": hidden.counted.get(charge.column),
        }
        for charge in charges
    ]


def shown(
    published: Iterable[str], charges: Iterable[Charge], permanent: Iterable[str]
) -> list[str]:
    """What no level protects: what is published as it is, blocks, and changes of permanent answers."""
    blocks = (f"the block of {charge.column}" for charge in charges if charge.blocks)
    changes = (f"whether and when {column} of a person changes" for column in permanent)
    return sorted({*published, *blocks, *changes})


def put_down(
    pages: Pages,
    asked: Mapping[str, Any],
    persons: Sequence[str] | None,
    values: Mapping[str, Sequence[tuple[str, str]]],
    most: int,
) -> tuple[Entry, dict[str, str]]:
    """Append a spend if no budget forbids it; the entry, and what each column costs in words.

    A run spends once: when it has spent already (the connection was lost after the commit, or the job
    stopped), the entry that it made is the answer.

    Parameters
    ----------
    pages
        The ledger.
    asked
        The body of the entry, but for its place in the chain.
    persons
        Keyed hashes of who is charged; None for everybody in the account.
    values, most
        For permanent answers, by column: whose value is which, and how many one person may have.
    """

    def work(_again: bool) -> tuple[Entry, dict[str, str]]:
        entry = entry_of_run(pages, asked["run"])
        if entry is None:
            return _appended(pages, asked, persons, values, most)
        if _purpose(entry.body) != _purpose(asked):
            raise NotApplicable(
                f"the run has spent already, in entry {entry.sequence}, and on something else; give "
                "every release a mark of its own"
            )
        return entry, costs_again(pages, entry)

    return pages.lasting(work)


def entry_of_run(pages: Pages, run: str) -> Entry | None:
    """The entry that a run has made, by its keyed mark; None when it has not, or has taken it back."""
    known = pages.store.released([run])
    entry = pages.store.entry(known[run]) if known else None
    return None if entry is None else pages.sound(entry)


def costs_again(pages: Pages, entry: Entry) -> dict[str, str]:
    """What each column of an entry cost, in words, when it was made."""
    body = entry.body
    people = pages.store.people(entry.sequence) if body["people"] else [""]
    return costs_of(pages.balances(body["account"], people).values(), body)


def _purpose(body: Mapping[str, Any]) -> str:
    """What a spend is for; a job that goes on asks for the same."""
    told = {key: body[key] for key in ("account", "part", "unit", "sources", "plan", "people")}
    lines = [{key: line[key] for key in line if key != "newcomers"} for line in body["lines"]]
    return canonical({**told, "lines": lines})


def _appended(
    pages: Pages,
    asked: Mapping[str, Any],
    persons: Sequence[str] | None,
    values: Mapping[str, Sequence[tuple[str, str]]],
    most: int,
) -> tuple[Entry, dict[str, str]]:
    name, tags = asked["account"], asked["sources"]
    balance = pages.known_balance(name)
    if not pages.is_open():
        require_budgets(name, balance, asked["lines"])
    require_kind(name, balance, asked, persons)
    rule = Rule.read(balance.rule)
    due = require_due(name, balance, asked) if rule.by == "schedule" else asked["plan"]
    known = pages.store.released(tags.values())
    lines, answers = [], list[Answer]()
    for line in asked["lines"]:
        column, mark = line["column"], line["permanent"]
        new, newcomers = new_answers(pages.store, column, mark, values.get(column, ()), most)
        lines.append({**line, "newcomers": newcomers})
        answers += new
    hashed = answers_hash(answers)
    body = {**asked, "lines": lines, "answers": hashed, "due": due, **pages.link()}
    before = pages.balances(name, persons) if persons is not None else {"": balance}
    now = each_after(before, body)
    pairs = {id(old): (old, now[person]) for person, old in before.items()}.values()
    costs = costs_of((old for old, _ in pairs), body)
    if known and not body["again"] and any(costs.values()):
        raise AlreadyReleased(released_before(tags, known))
    whom = f"account {name!r}" if persons is None else f"each person of {name!r}"
    for old, then in pairs:
        require_within(balance.limits, old, then, whom, rule)
    entry = pages.append(body)
    pages.keep(name, now)
    pages.store.put_sources(entry.sequence, marks_of(body))
    pages.store.put_people(entry.sequence, persons or ())
    pages.store.put_answers(entry.sequence, answers)
    return entry, costs


def new_answers(
    store: Store, column: str, mark: str, rows: Sequence[tuple[str, str]], most: int
) -> tuple[list[Answer], bool]:
    """The values that people had not had under a mark; refused where they would have too many.

    And whether there is anybody among them who had none.

    Parameters
    ----------
    store
        The ledger's tables.
    column
        The column, for the refusal.
    mark
        Stands for key, question and mechanism.
    rows
        Keyed hashes of the person and the value of every row.
    most
        How many different values a person may have, over all releases.
    """
    found: list[Answer] = []
    everybody = list({person for person, _ in rows})
    known = store.answers(mark, everybody)
    newcomers = len(known) < len(everybody)
    for row, (person, value) in enumerate(rows):
        values = known.setdefault(person, set())
        if value in values:
            continue
        if len(values) >= most:
            raise NotApplicable(
                f"column {column!r}, row {row}: the person would have had more different values than "
                f"values_per_person = {most}, and their answers together say more than was paid for; "
                "leave the row out, or release under a plan with a larger bound, which costs more"
            )
        values.add(value)
        found.append((mark, person, value))
    return found, newcomers
