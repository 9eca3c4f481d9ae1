"""The card of a release: all that a receiver needs to know of it, in one file beside the data."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from dprivacy.errors import BadFile, DPrivacyError, NotApplicable, UnknownName
from dprivacy.mechanisms import LocalMechanism
from dprivacy.model import (
    Channel,
    Explained,
    Guarantee,
    channel_from,
    counted,
    file_text,
    label_from,
    plain,
    rebuilt,
    require_keys,
    shown,
    write_document,
)
from dprivacy.release.ledger.receipts import PLACE
from dprivacy.release.plans.card_plan import made_again, plan_on
from dprivacy.release.plans.joint_promise import joint_guarantee, permanent_words, published_words
from dprivacy.release.plans.listed_files import require_hash, require_listing
from dprivacy.release.plans.report_columns import (
    REPORT_KEYS,
    entry_mechanism,
    listed_reports,
)
from dprivacy.release.plans.stored_plans import plan_in, plan_out, stored_body
from dprivacy.release.unordered.card_words import require_block, words_beside
from dprivacy.typing import Label, PathArg
from dprivacy.version import __version__

LIBRARY = f"dprivacy {__version__}"
VERSION = 3
What = Literal["table", "places", "curves", "text", "matches"]
_UNITS = {
    "table": ("row",), "places": ("place",), "curves": ("curve",), "text": ("word",),
    "matches": ("match", "matches"),
}  # fmt: skip
SETTINGS_TOLD = ("low", "high", "grid", "anchor", "code_distance", "bits", "length")
SEEDED = "the noise came from a seed and can be guessed"
_LARGEST = 64 << 20
_NEEDED = {
    "what": str, "guarantee": dict, "holds": bool, "void": list, "secure": bool, "count": int,
    "mechanisms": dict, "library": str,
}  # fmt: skip
_OPTIONAL = {
    "title": str, "plan": dict, "pass_through": list, "dropped": list, "permanent": bool,
    "receipt": dict, "output": dict, "shuffled": dict,
}  # fmt: skip
_OF_A_COLUMN = {
    "type": str, "family": str, "columns": list, "eps": str, "delta": str, "most": str,
    "nulls": str,
}  # fmt: skip


@dataclass(frozen=True)
class StatedGuarantee(Explained):
    """What a card says is guaranteed; the space itself stays with the mechanism.

    Parameters
    ----------
    eps, delta
        As text that `Level` reads: "ln(2)", "3/2". `eps` is empty where no single level says it all.
    because
        What it rests on.
    unit
        What the level is for: a "metre", a "word", a whole "record".
    sentence
        All of it in words.
    """

    eps: str
    delta: str = "0"
    because: str = ""
    unit: str = ""
    sentence: str = ""

    @classmethod
    def of(cls, guarantee: Guarantee, *, unit: str = "", sentence: str = "") -> "StatedGuarantee":
        """The statement of a guarantee."""
        return cls(
            str(plain(guarantee.eps)),
            str(plain(guarantee.delta)),
            guarantee.because,
            unit or getattr(guarantee, "unit", ""),
            sentence or guarantee.explain(),
        )

    def explain(self) -> str:
        """The guarantee in words."""
        return self.sentence


@dataclass(frozen=True, repr=False)
class Card(Explained):
    """What was released, and what that guarantees.

    Parameters
    ----------
    what
        "table", "places", "curves", "text" or "matches".
    guarantee
        What all of it together guarantees.
    count
        How many rows, places, days, words or reports there are.
    secure
        Whether the noise came from the operating system.
    mechanisms
        What drew the noise, as plain data: by column, or under the name "" for all of it. For a
        table's column that is its type, mechanism, level and, where it is finite, its channel, which
        corrected estimates are made from.
    void
        Why the guarantee does not hold; empty when it does.
    output
        The name and hash of the data, once they are saved.
    shuffled
        For a table whose rows are sorted: what it guarantees whoever sees nothing but the table.
    library, title, plan, pass_through, dropped, permanent, receipt
        With which version, under which name and by which plan it was made, which columns are
        published as they are and which are left out, whether answers are permanent, and a ledger's
        receipt.

    Examples
    --------
    >>> promise = StatedGuarantee("ln(2)", sentence="The odds change by at most 2.")
    >>> card = Card.of("text", promise, count=12, secure=True, title="Letters")
    >>> card.explain().splitlines()
    ['Letters: 12 words.', 'The odds change by at most 2.']
    >>> card.holds, card.saved_as("letters.txt", "00" * 32).to_dict()["output"]["name"]
    (True, 'letters.txt')
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> card = sanitise(pandas.DataFrame({"tea": ["no"]}), {"columns": {"tea": tea}}).card
    >>> card.columns, card.outputs("tea"), card.local("tea"), card.channel("tea")["yes", "no"]
    (('tea',), ('yes', 'no'), None, Fraction(1, 4))
    """

    what: What
    guarantee: StatedGuarantee
    count: int
    secure: bool
    mechanisms: Mapping[str, Any] = field(default_factory=dict)
    void: tuple[str, ...] = ()
    output: Mapping[str, Any] = field(default_factory=dict)
    library: str = LIBRARY
    title: str = ""
    plan: Mapping[str, Any] = field(default_factory=dict)
    pass_through: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    permanent: bool = False
    receipt: Mapping[str, Any] = field(default_factory=dict)
    shuffled: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        what: What,
        guarantee: Guarantee | StatedGuarantee,
        *,
        count: int,
        secure: bool,
        mechanisms: Mapping[str, Any] | None = None,
        void: tuple[str, ...] = (),
        receipt: Any = None,
        **rest: Any,
    ) -> "Card":
        """A card; noise from a seed makes it void. `receipt` is what a ledger gave, or None."""
        stated = (
            guarantee if isinstance(guarantee, StatedGuarantee) else StatedGuarantee.of(guarantee)
        )
        return cls(
            what,
            stated,
            count,
            secure,
            _in_text(plain(mechanisms or {})),
            (*void, *(() if secure else (SEEDED,))),
            receipt=plain(receipt or {}),
            **rest,
        )

    @property
    def holds(self) -> bool:
        """Whether the guarantee holds."""
        return not self.void

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column of a table that the card speaks of, protected ones first."""
        protected = [name for entry in self.mechanisms.values() for name in entry["columns"]]
        return (*protected, *self.pass_through)

    def channel(self, column: str) -> Channel:
        """The channel of a protected column of a table."""
        entry = self._entry(column)
        data = entry["channel"]
        local = self.local(column)
        if local is not None:
            return listed_reports(local, column)
        if data is None:
            raise NotApplicable(
                f"column {column!r} has no channel: {entry['family']} has too many values to list"
            )
        where = f"column {column!r} of the card"
        if "points" in data:
            return made_again(column, self.plan, data["points"])
        found: Channel = rebuilt(lambda body: channel_from(body, name=where), data, where)
        return found

    def local(self, column: str) -> LocalMechanism | None:
        """The mechanism whose reports a column's cells are; None where they are values."""
        reports = self._entry(column).get("reports")
        return (
            None if reports is None else entry_mechanism(reports, f"column {column!r} of the card")
        )

    def outputs(self, column: str) -> tuple[Label, ...] | None:
        """The released values of a protected column, where the card lists them."""
        data = self._entry(column)["channel"]
        listed = None if data is None else data.get("outputs")
        return None if listed is None else tuple(label_from(value) for value in listed)

    def _entry(self, column: str) -> Mapping[str, Any]:
        found: Mapping[str, Any] | None = self.mechanisms.get(column)
        if self.what != "table":
            raise NotApplicable(f"a card of {self.what} has no columns, so no column {column!r}")
        if found is None:
            listed = ", ".join(self.mechanisms)
            if column in self.dropped:
                raise UnknownName(
                    f"column {column!r} was left out of this release, so nothing can be said of it; "
                    f"the card protects {listed}"
                )
            raise UnknownName(f"the card protects no column {column!r}; it has {listed}")
        return found

    def saved_as(self, name: str, sha256: str, **more: Any) -> "Card":
        """The card of data that were saved under a name."""
        return replace(self, output={"name": name, "sha256": sha256, **more})

    def explain(self) -> str:
        """The card in words."""
        head = f"{self.title or 'A release'}: {counted(self.count, *_UNITS[self.what])}"
        if self.what == "table":
            head += f", {counted(len(self.mechanisms), 'protected column')}"
        lines = [f"{head}."]
        if self.void:
            lines.append(f"NO GUARANTEE: {'; '.join(self.void)}.")
        # A card holds one sentence; the rest is told from the plan, so that it cannot differ from it.
        words = self.guarantee.sentence
        if self.plan:
            # a plan that is too large or damaged, as `prove_card` says
            with suppress(DPrivacyError):
                plan = plan_on(self.plan)
                words = joint_guarantee(plan).explain()
                words += f"\n{permanent_words(plan)}" if self.permanent else ""
        lines.append(words)
        if self.shuffled:
            lines.append(shown(self.shuffled["sentence"]))
            lines += words_beside(self.shuffled)
        if self.pass_through and self.what != "table":  # a table's words name blocks as well
            lines.append(published_words(self.pass_through))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.explain()

    def __repr__(self) -> str:
        return f"Card({self.what!r}, count={self.count}, holds={self.holds})"

    def to_dict(self) -> dict[str, Any]:
        """The card as plain data; what is empty is left out."""
        needed = {
            "what": self.what,
            "guarantee": asdict(self.guarantee),
            "holds": self.holds,
            "void": list(self.void),
            "secure": self.secure,
            "count": self.count,
            "mechanisms": dict(self.mechanisms),
            "library": self.library,
        }
        return needed | {key: plain(getattr(self, key)) for key in _OPTIONAL if getattr(self, key)}


def card_body(card: Card) -> dict[str, Any]:
    """A card as the body of a stored noun."""
    body = card.to_dict()
    return {**body, "plan": plan_out(card.plan)} if card.plan else body


def card_from(body: dict[str, Any], *, name: str = "the card") -> Card:
    """The card of a body; one that does not add up is refused."""
    require_keys(body, _NEEDED, _OPTIONAL, name)
    kinds = dict.fromkeys(StatedGuarantee.__dataclass_fields__, str)
    require_keys(body["guarantee"], kinds, {}, f"{name}, guarantee")
    if body["what"] not in get_args(What):
        raise BadFile(f"{name}: is of {body['what']!r}, not of one of {', '.join(get_args(What))}")
    if body["count"] < 0:
        raise BadFile(f"{name}: a release cannot have the count {body['count']}")
    if body["holds"] and body["void"]:
        raise BadFile(f"{name}: says both that its guarantee holds and why it does not")
    if not body["holds"] and not body["void"]:
        raise BadFile(f"{name}: says that its guarantee does not hold, and void should say why")
    if not body["secure"] and not body["void"]:
        raise BadFile(f"{name}: says that its noise can be guessed, and that its guarantee holds")
    lists = {key: _texts(body.get(key, []), f"{name}, {key}") for key in _LISTS}
    for column, entry in body["mechanisms"].items():
        _check_mechanism(entry, f"{name}, mechanism {column!r}", table=body["what"] == "table")
    if "output" in body:
        more = {"source": dict, "files": list}
        require_keys(body["output"], {"name": str, "sha256": str}, more, name)
        require_hash(body["output"]["sha256"], name)
        require_listing(body["output"].get("files", []), f"{name}, files")
    if "receipt" in body:
        require_keys(body["receipt"], PLACE, {}, name)
    if "shuffled" in body:
        require_block(body["shuffled"], f"{name}, shuffled")
        if body["what"] != "table":
            raise BadFile(f"{name}: only the rows of a table are shuffled, not {body['what']}")
    rest = {key: value for key, value in body.items() if key != "holds"}
    told = {
        "guarantee": StatedGuarantee(**body["guarantee"]),
        "plan": plan_in(body.get("plan", {})),
    }
    return Card(**{**rest, **lists, **told})


_LISTS = ("void", "pass_through", "dropped")


def card_text(card: Card) -> str:
    """The text of a card's file."""
    return write_document("card", VERSION, card_body(card))


def card_of_text(text: str, *, name: str) -> Card:
    """The card that a text holds."""
    body = stored_body(text, "card", VERSION, name=name)
    card: Card = rebuilt(lambda body: card_from(body, name=name), body, name)
    return card


def read_card(path: PathArg) -> Card:
    """Read the card of a release."""
    return card_of_text(file_text(path, largest=_LARGEST), name=str(path))


def _check_mechanism(entry: Any, name: str, *, table: bool) -> None:
    if not isinstance(entry, dict):
        raise BadFile(f"{name}: should be an object, not {type(entry).__name__}")
    if not table:
        return
    told = {key: value for key, value in entry.items() if key not in ("channel", "reports")}
    require_keys(
        told,
        _OF_A_COLUMN,
        dict.fromkeys((*SETTINGS_TOLD, "diameter"), str),
        name,
    )
    if "reports" in entry:
        if not isinstance(entry["reports"], dict) or entry.get("channel", False) is not None:
            raise BadFile(f"{name}: reports are an object, and have no channel beside them")
        require_keys(entry["reports"], REPORT_KEYS, {}, f"{name}, reports")
    _texts(entry["columns"], f"{name}, columns")
    channel = entry.get("channel", False)
    if channel is None:
        return
    if not isinstance(channel, dict):
        raise BadFile(f"{name}: its channel should be an object or null")
    if "points" in channel:
        require_keys(channel, {"points": int}, {}, name)
    else:
        require_keys(channel, {"inputs": list, "outputs": list, "matrix": dict}, {}, name)


def _texts(value: list[Any], name: str) -> tuple[str, ...]:
    for item in value:
        if not isinstance(item, str):
            raise BadFile(f"{name}: should be a list of texts, and holds {str(item)[:30]}")
    return tuple(value)


def _in_text(value: Any) -> Any:
    """Plain data with doubles written out: stored nouns hold no floats."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return {key: _in_text(item) for key, item in value.items()}
    if not isinstance(value, list) or set(map(type, value)) == {str}:
        return value
    return [_in_text(item) for item in value]
