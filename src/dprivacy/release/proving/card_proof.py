"""Whether a card says what follows from its own plan and channels, and belongs to its file."""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, DPrivacyError, UnprovedWarning
from dprivacy.model import Verdict, counted
from dprivacy.numbers import as_delta
from dprivacy.release.files.own_files import file_hash
from dprivacy.release.files.released_folders import folder_findings
from dprivacy.release.ledger.ledger_book import Ledger
from dprivacy.release.plans.card_plan import MOST_WORK, plan_on, work_of
from dprivacy.release.plans.release_card import Card, card_body, read_card
from dprivacy.release.plans.table_card import mechanism_entry, table_card
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.proving.sorted_file import sorted_findings
from dprivacy.release.texts.text_columns import StatedTexts
from dprivacy.release.unordered.shuffle_terms import misfits
from dprivacy.release.unordered.shuffled_block import shuffled_table
from dprivacy.typing import PathArg

_LONGEST = 60  # characters of a value in a finding
_NOT_FROM_THE_PLAN = ("library", "output", "count")


@dataclass(frozen=True)
class CardVerdict(Verdict):
    """Whether a card proves itself; the witnesses are the fields that do not follow, and why.

    `checked` says what was looked at.

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> released = sanitise(pandas.DataFrame({"tea": ["yes", "no", "no"]}), plan)
    >>> prove_card(released.card).checked
    ('1 channel, every ratio', 'all fields against the plan')
    """

    checked: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()

    def explain(self) -> str:
        """The answer in words."""
        told = (
            f"Checked: {'; '.join(self.checked)}." if self.checked else "Nothing could be checked."
        )
        if self:
            return f"Yes: {self.claim}. {told}"
        return "\n".join([f"No: {self.denial}. {told}", *(f"- {what}" for what in self.findings)])


def prove_card(
    card: Card | PathArg, *, file: PathArg | None = None, ledger: Ledger | None = None
) -> CardVerdict:
    """Prove a release again from its card.

    Parameters
    ----------
    card
        A card, or the path of one.
    file
        The released file or folder, to be compared with the hash on the card.
    ledger
        The ledger that the card's receipt is of.

    Notes
    -----
    1. The plan on the card is read again; it may name no file. Its mechanisms are built anew, and the
       law of every finite one is verified, ratio by ratio.
    2. The card of that plan is written again, and compared field by field: channels, levels, what they
       add up to, the sentence, what is published and what is void.
    3. The file's hash and the ledger's entry are compared with what the card says; of a folder, every
       file that the card lists, and what else lies in it is named.
    4. Of a shuffled release the guarantee is computed again from the plan and the number of rows, and
       the file is read: its rows are sorted, its columns are those of the plan without an identifier,
       and the smallest group of rows that are alike where nothing is protected is as large as stated.

    A card of places, curves, texts or matches holds no plan: their file and receipt are checked, and
    the rest is as stated. Without either nothing is proved, and the answer is no.

    Examples
    --------
    >>> import dataclasses
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> card = sanitise(pandas.DataFrame({"tea": ["yes", "no"]}), plan).card
    >>> forged = dataclasses.replace(card, pass_through=("name",))
    >>> prove_card(forged).findings
    ("pass_through: the card says ['name'], and its plan gives nothing",)
    """
    held = card if isinstance(card, Card) else read_card(card)
    checked: list[str] = []
    findings: list[str] = []
    if held.what == "table":
        findings += _against_plan(held, checked)
    if file is not None:
        checked.append("the file")
        findings += _against_file(held, Path(file))
        if held.shuffled and not findings:
            checked.append("that its rows are sorted, without names, in groups as large as stated")
            findings += sorted_findings(held, plan_on(held.plan), Path(file))
    if ledger is not None:
        checked.append("the ledger")
        findings += (f"receipt: {what.words()}" for what in ledger.verify([held]).findings)
    claim = "the card says what follows from its plan"
    denial = "the card does not say what follows from its plan"
    if held.what != "table":
        claim = (
            f"what the card of {held.what} guarantees is as stated; what could be looked at agrees"
        )
        denial = f"the card of {held.what} is not proved"
        if not checked:
            findings.append(
                "it holds no plan; its file or its ledger is needed to say anything of it"
            )
    return CardVerdict(
        claim,
        not findings,
        True,
        denial=denial,
        checked=tuple(checked),
        findings=tuple(findings),
    )


def require_proved(card: Card) -> None:
    """BadFile for a card of a table with a column that does not follow from the plan on it.

    Warns
    -----
    UnprovedWarning
        Of columns that take too long to be made again: what the card says of them is only said.
    """
    left, unproved = float(MOST_WORK), []
    for name, entry in card.mechanisms.items() if card.what == "table" else ():
        spec = card.plan.get("columns", {}).get(name)
        left -= work_of(spec) if isinstance(spec, Mapping) else 0
        if left < 0:
            unproved.append(name)
            continue
        (column,) = plan_on(card.plan, only=name).columns
        for finding in _differences(entry, mechanism_entry(column), f"mechanisms.{name}"):
            raise BadFile(f"the card was changed after it was written: {finding}")
    if unproved:
        warnings.warn(
            f"the card has too many values to be proved here; what it says of {', '.join(unproved)} is "
            "not proved",
            UnprovedWarning,
            stacklevel=3,
        )


def _against_plan(card: Card, checked: list[str]) -> Iterator[str]:
    try:
        plan = plan_on(card.plan)
    except DPrivacyError as reason:
        yield f"plan: {reason}"
        return
    # A mechanism is verified, ratio by ratio, when it is built; blocks are, each by itself.
    proved = [column.name for column in plan.columns if column.channel is not None]
    reports = [(c.name, c.local) for c in plan.columns if c.local is not None]
    few = [(name, local) for name, local in reports if local.channel is not None]
    for name, local in few:
        if not local.verify():
            yield f"mechanisms.{name}: a report is more telling than its level says"
    told = [name for name, _ in reports]
    stated = [c.name for c in plan.columns if isinstance(c.mechanism, StatedTexts)]
    formulas = [c.name for c in plan.columns if c.channel is None and c.name not in told + stated]
    checked.append(f"{counted(len(proved) + len(few), 'channel')}, every ratio")
    many = [name for name in told if name not in dict(few)]
    if many:
        checked.append(
            f"from the weights of their sets, which have too many reports to list: {', '.join(many)}"
        )
    if formulas:
        checked.append(f"by their formula, without a table of chances: {', '.join(formulas)}")
    if stated:
        checked.append(
            f"with the vocabulary's figures as the card states them, its file not at hand: "
            f"{', '.join(stated)}"
        )
    checked.append("all fields against the plan")
    yield from _fields(card, plan)


def _fields(card: Card, plan: Plan) -> Iterator[str]:
    """The fields that differ from those of the card that the plan gives."""
    if plan.values_per_person > 1 and not card.permanent:
        yield "permanent: the card does not say so, and its plan has values_per_person"
    follows_shuffled = None
    try:
        follows_shuffled = _shuffled_again(card, plan)
    except DPrivacyError as reason:
        yield f"shuffled: {reason}"
    again = table_card(
        plan,
        rows=card.count,
        secure=card.secure,
        permanent=card.permanent,
        receipt=card.receipt or None,
        shuffled=follows_shuffled,
    )
    said, follows = card_body(card), card_body(again)
    for key in _NOT_FROM_THE_PLAN:
        said.pop(key, None), follows.pop(key, None)
    yield from _differences(said, follows, "")


def _shuffled_again(card: Card, plan: Plan) -> dict[str, Any] | None:
    """The block of a shuffled release as it follows from the plan, which may have none."""
    said = card.shuffled
    if not said:
        return None
    for reason in misfits(plan, permanent=card.permanent):
        raise reason
    smallest = said["smallest_group"] if plan.pass_through else card.count
    if not 2 <= smallest <= card.count:
        raise BadFile(f"no row hides in a group of {smallest:,} of {card.count:,} rows")
    delta = as_delta(said["delta"])
    return shuffled_table(plan, card.count, delta=delta, smallest=smallest).to_dict()


def _differences(said: Any, follows: Any, where: str) -> Iterator[str]:
    if isinstance(said, dict) and isinstance(follows, dict):
        for key in {**said, **follows}:
            inner = f"{where}.{key}".lstrip(".")
            yield from _differences(said.get(key), follows.get(key), inner)
    elif type(said) is not type(follows) or said != follows:
        yield f"{where}: the card says {_short(said)}, and its plan gives {_short(follows)}"


def _short(value: Any) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _against_file(card: Card, path: Path) -> Iterator[str]:
    if not path.exists():
        raise BadFile(f"{path}: does not exist")
    if path.is_dir():
        yield from folder_findings(path, card.output)
    elif file_hash(path) != card.output.get("sha256"):
        yield f"output.sha256: {path} is not the file that the card was written with"
