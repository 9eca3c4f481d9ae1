"""Is a ledger what it was? Every entry, every balance, and the receipts on release cards."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from dprivacy.errors import BrokenLedger, DPrivacyError
from dprivacy.model import Verdict, counted
from dprivacy.release.ledger.balances import NOTHING, Balance, each_after
from dprivacy.release.ledger.ledger_pages import Pages
from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.ledger.spend_entries import answers_hash, crowd, marks_of
from dprivacy.release.ledger.stores.hash_chain import START, Entry
from dprivacy.release.plans.release_card import Card, read_card
from dprivacy.release.plans.stored_plans import plan_hash
from dprivacy.typing import PathArg


@dataclass(frozen=True)
class Finding:
    """Something that differs: at which entry (None if at several), and what."""

    sequence: int | None
    what: str

    def words(self) -> str:
        """The finding as a sentence."""
        return self.what if self.sequence is None else f"entry {self.sequence}: {self.what}"


@dataclass(frozen=True)
class LedgerVerdict(Verdict):
    """Whether a ledger is as it was written; the witness is what differs, and where.

    Examples
    --------
    >>> import tempfile
    >>> from dprivacy.release import Ledger
    >>> with tempfile.TemporaryDirectory() as folder, Ledger(f"{folder}/ledger.db") as ledger:
    ...     found = ledger.verify()
    >>> bool(found), found.entries, found.findings
    (True, 1, ())
    """

    entries: int = 0
    cards: int = 0
    findings: tuple[Finding, ...] = ()

    def explain(self) -> str:
        """The answer in words."""
        entries = counted(self.entries, "entry", "entries")
        head = f"Checked {entries} and {counted(self.cards, 'card')}."
        if self:
            alone = (
                ""
                if self.cards
                else " Pass the cards of the releases too: they show whether a ledger was set back."
            )
            return f"Yes: {self.claim}. {head}{alone}"
        lines = [f"No: {self.denial}. {head}"]
        return "\n".join([*lines, *(f"- {finding.words()}" for finding in self.findings)])


def check(pages: Pages, cards: Iterable[Card | Receipt | PathArg]) -> LedgerVerdict:
    """Compare a ledger with itself and with release cards (inside a transaction that reads).

    Notes
    -----
    1. Entries: numbered without gaps, each with its hash and seal, each naming the one before it, and
       the last one the one that `head` names.
    2. Balances, sources, people and outputs: computed again from the entries.
    3. Cards: the entry that one names is there, has the hash and the nonce on it, was made for its
       plan, was not cancelled, and was settled for its output; no two releases name the same one.
    """
    findings = [
        Finding(None, f"the database says: {text}") for text in [pages.store.damage()] if text
    ]
    chain = _Chain(pages)
    findings += chain.faults()
    held = _Held(chain)
    for card in cards:
        findings += held.faults(card)
    if not findings:
        findings += _derived_faults(pages, chain)
    claim = "every entry and every balance of the ledger is as it was written"
    return LedgerVerdict(
        claim,
        not findings,
        exact=True,
        denial="the ledger is not as it was written, or a card does not agree with it",
        entries=len(chain.entries),
        cards=held.count,
        findings=tuple(findings),
    )


class _Chain:
    """The entries, read once."""

    def __init__(self, pages: Pages) -> None:
        self.store, self.key, self.name = pages.store, pages.key, pages.name
        self.entries: dict[int, Entry] = {entry.sequence: entry for entry in self.store.entries()}
        self.cancelled: dict[int, int] = {}
        self.outputs: dict[int, str] = {}  # what came of a spend; "" where it was cancelled

    def faults(self) -> Iterator[Finding]:
        """What is wrong with the chain itself."""
        previous, expected = START, 1
        for sequence, entry in self.entries.items():
            if sequence > expected:
                gone = (
                    f"entry {expected}"
                    if sequence == expected + 1
                    else f"entries {expected} to {sequence - 1}"
                )
                yield Finding(sequence, f"{gone} before it is missing")
            yield from (Finding(sequence, what) for what in entry.faults(self.key, previous))
            previous, expected = entry.hash, sequence + 1
        last, head = self.store.head()
        if last != expected - 1:
            yield Finding(last, f"the ledger should end here, and ends with entry {expected - 1}")
        elif self.entries and head != previous:
            yield Finding(last, "the ledger should end with another entry of this number")
        try:
            first = self.entries[1].body
            if first["ledger"] != self.name:
                yield Finding(1, "it opens another ledger")
            for entry in self.entries.values():
                yield from self._ended(entry)
        except (KeyError, TypeError, BrokenLedger):
            yield Finding(1, "the entries cannot be followed")

    def _ended(self, entry: Entry) -> Iterator[Finding]:
        """Note what an entry makes of an earlier spend, of which each is settled or cancelled once."""
        body = entry.body
        if body["kind"] not in ("cancel", "settle"):
            return
        spend = body["spend"] if body["kind"] == "settle" else body["undone"]["sequence"]
        if body["kind"] == "cancel":
            self.cancelled[spend] = entry.sequence
        if spend in self.outputs:
            yield Finding(entry.sequence, f"entry {spend} was settled or cancelled before")
        if spend >= entry.sequence or self.entries[spend].body["kind"] != "spend":
            yield Finding(entry.sequence, f"entry {spend} spends nothing")
        self.outputs[spend] = body.get("output", "")


class _Held:
    """Cards that are held against a ledger, one after the other."""

    def __init__(self, chain: _Chain) -> None:
        self._chain, self.count = chain, 0
        self._seen: dict[int, list[tuple[str, Card]]] = {}  # by entry

    def faults(self, given: Card | Receipt | PathArg) -> Iterator[Finding]:
        """What is wrong between one card and the ledger, or the cards before it."""
        self.count += 1
        where = "the card" if isinstance(given, Card) else str(given)
        try:
            if isinstance(given, Receipt):
                yield from self._receipt_faults(given, "the receipt")
                return
            card = given if isinstance(given, Card) else read_card(given)
            if not card.receipt:
                yield Finding(
                    None, f"{where}: was released without a ledger; it carries no receipt"
                )
                return
            receipt = Receipt.from_dict(card.receipt, name=where)
            plan = plan_hash(card.plan) if card.plan else ""
        except DPrivacyError as reason:
            yield Finding(None, str(reason))
            return
        wrong = list(self._receipt_faults(receipt, where))
        yield from wrong
        if wrong:
            return
        at = receipt.sequence
        body = self._chain.entries[at].body
        if body.get("kind") != "spend":
            yield Finding(at, f"spends nothing, and {where} was released under it")
        elif body.get("plan") != plan:
            yield Finding(at, f"was made for another plan than the one on {where}")
        yield from self._output_faults(at, where, card)

    def _receipt_faults(self, receipt: Receipt, where: str) -> Iterator[Finding]:
        chain = self._chain
        at, last = receipt.sequence, max(chain.entries, default=0)
        entry = chain.entries.get(at)
        if receipt.ledger != chain.name:
            yield Finding(
                None, f"{where}: its receipt is of another ledger ({receipt.ledger[:40]})"
            )
        elif entry is None:
            how = (
                f"the ledger ends with entry {last}: it was cut off or set back"
                if at > last
                else "it is gone"
            )
            yield Finding(at, f"{where} was released under it, and {how}")
        elif entry.hash != receipt.head:
            other = not entry.faults(chain.key) and entry.body.get("nonce") != receipt.nonce
            why = (
                "the ledger was set back, or a copy of it was spent from"
                if other
                else "it, or one before it, was changed"
            )
            yield Finding(at, f"is not the entry that {where} was released under: {why}")
        elif at in chain.cancelled:
            yield Finding(
                at,
                f"was cancelled by entry {chain.cancelled[at]}, and {where} was released under it",
            )
        elif not entry.faults(chain.key) and entry.body.get("nonce") != receipt.nonce:
            yield Finding(at, f"has another nonce than {where}, which was changed")

    def _output_faults(self, at: int, where: str, card: Card) -> Iterator[Finding]:
        """A receipt is for one release, and for the output that the ledger notes."""
        for other, before in self._seen.get(at, ()):
            if _content(before) != _content(card) or _differ(_output(before), _output(card)):
                both = "two cards" if other == where else f"{other} and {where}"
                yield Finding(at, f"{both} were released under it, and differ")
                break
        self._seen.setdefault(at, []).append((where, card))
        noted, saved = self._chain.outputs.get(at), _output(card)
        if saved and noted is None:
            yield Finding(
                at,
                f"the ledger does not know of the output on {where}: it was set back, or the card was "
                "not written by the release",
            )
        elif _differ(saved, noted):
            yield Finding(at, f"was used for another output than the one on {where}")


def _output(card: Card) -> str | None:
    return card.output.get("sha256")


def _differ(one: str | None, other: str | None) -> bool:
    return bool(one and other and one != other)


def _content(card: Card) -> dict[str, Any]:
    return {key: value for key, value in card.to_dict().items() if key != "output"}


def _derived_faults(pages: Pages, chain: _Chain) -> Iterator[Finding]:
    """What differs between the entries and what was kept for speed."""
    store = pages.store
    charged = {
        sequence: sorted(person for _, person in rows)
        for sequence, rows in groupby(store.every_person(), lambda row: row[0])
    }
    balances: dict[tuple[str, str], Balance] = {}
    sources: set[tuple[int, str]] = set()
    for sequence, entry in chain.entries.items():
        body = entry.body
        if body["kind"] in ("open", "settle"):
            continue
        told = body["undone"] if body["kind"] == "cancel" else body
        if told is not body and told != chain.entries[told["sequence"]].body:
            yield Finding(sequence, f"it cancels what entry {told['sequence']} does not say")
        people = charged.get(told["sequence"], []) if told.get("people") else [""]
        if told is body and body.get("people") and crowd(people) != body["people"]:
            yield Finding(sequence, "the people it was charged to are not those it was made for")
        touched = [(body["account"], person) for person in people]
        balances |= each_after({at: balances.get(at, NOTHING) for at in touched}, body)
        if body["kind"] == "spend":
            sources |= {(sequence, tag) for tag in marks_of(body)}
        if body["kind"] == "cancel":
            sources = {(n, tag) for n, tag in sources if n != told["sequence"]}
    answers = {
        sequence: [answer for _, answer in rows]
        for sequence, rows in groupby(store.every_answer(), lambda row: row[0])
    }
    for sequence, entry in chain.entries.items():
        made = sequence not in chain.cancelled and entry.body.get("answers")
        if answers_hash(answers.pop(sequence, [])) != (made or answers_hash([])):
            yield Finding(sequence, "the values it counts are not those it was made for")
    for sequence in sorted(answers):
        yield Finding(sequence, "values are counted under it, and the ledger does not have it")
    kept = {(account, person): stored for account, person, stored in store.every_balance()}
    same: dict[tuple[str, int], bool] = {}  # a crowd has few different balances
    for at in sorted(kept.keys() | balances.keys()):
        account, person = at
        text, seal = kept.get(at, ("", ""))
        balance = balances.get(at, NOTHING)
        pair = (text, id(balance))
        if pair not in same:
            same[pair] = _agrees(text, balance)
        if not same[pair] or seal != pages.balance_seal(account, person, text):
            of = f"a person of account {account!r}" if person else f"account {account!r}"
            yield Finding(
                balance.sequence or None, f"the balance of {of} is not what the entries come to"
            )
    for sequence, _ in sorted(sources ^ set(store.every_source())):
        yield Finding(sequence, "its sources are not those that the ledger looks for")
    for sequence in sorted({n for n, _ in chain.outputs.items() ^ set(store.every_output())}):
        yield Finding(sequence, "what came out of it is not what the entries say")
    spends = {n for n, entry in chain.entries.items() if entry.body.get("people")}
    for sequence in sorted(charged.keys() - spends):
        yield Finding(sequence, "people are charged under it, and it charges nobody")


def _agrees(text: str, balance: Balance) -> bool:
    try:
        return Balance.from_text(text).agrees(balance)
    except (ValueError, KeyError, TypeError, AttributeError):
        return False
