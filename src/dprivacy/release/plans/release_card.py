"""The release card: all that a receiver needs to know of a sanitised table, in one JSON file."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from typing import Any

from dprivacy.errors import DPrivacyError, Malformed
from dprivacy.model import Channel, plain
from dprivacy.release.plans.joint_promise import joint_guarantee
from dprivacy.release.plans.table_plan import ColumnPlan, Plan

FORMAT = "dprivacy release card"
LIBRARY = f"dprivacy {version('dprivacy')}"
VERSION = 1
_LARGEST = 64 << 20
_MOST_LISTED = 1024
_MOST_DIGITS = 4 << 20  # hexadecimal digits of a channel that are written down


@dataclass(frozen=True)
class ReleaseCard:
    """What was done to a table, and what that guarantees.

    `columns` holds, for each protected column, its type, mechanism, level, guarantee in words and,
    where it is finite, its channel; that is what corrected estimates are made from.
    """

    columns: Mapping[str, Any]
    guarantee: Mapping[str, Any]
    rows: int
    secure: bool
    pass_through: tuple[str, ...] = ()
    dropped: tuple[str, ...] = ()
    title: str = ""
    plan: Mapping[str, Any] = field(default_factory=dict)
    void: tuple[str, ...] = ()
    library: str = LIBRARY
    output: Mapping[str, Any] = field(default_factory=dict)
    permanent: bool = False
    receipt: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        plan: Plan,
        *,
        rows: int,
        secure: bool,
        permanent: bool = False,
        output: Mapping[str, Any] | None = None,
        receipt: Mapping[str, Any] | None = None,
    ) -> "ReleaseCard":
        """The card of a release; `receipt` is what a ledger gave for it (`Receipt.to_dict`)."""
        void = [
            f"the values of {c.name} were read off the data"
            for c in plan.columns
            if c.source != "declared"
        ]
        if not secure:
            void.append("the noise came from a seed and can be guessed")
        return cls(
            {column.name: _described(column) for column in plan.columns},
            joint_guarantee(plan).to_dict(),
            rows,
            secure,
            plan.pass_through,
            plan.left_out,
            plan.title,
            plain(plan.raw),
            tuple(void),
            LIBRARY,
            dict(output or {}),
            permanent,
            dict(receipt or {}),
        )

    def channel(self, column: str) -> Channel:
        """The channel of a protected column; Malformed when it has none."""
        entry = self.columns.get(column)
        if entry is None:
            raise Malformed(
                f"the card protects no column {column!r}; it has {', '.join(self.columns)}"
            )
        if entry.get("channel") is None:
            raise Malformed(
                f"column {column!r} has no channel ({entry['mechanism']} on a large range)"
            )
        data = entry["channel"]
        try:
            if data["sha256"] != _hash(data):
                raise Malformed(
                    f"column {column!r}: the channel on the card is not the one that was written "
                    "there; ask for the card again"
                )
            if "weights" not in data:
                return _rebuilt(column, self.plan, data["points"])
            rows, columns = ([_label_in(v) for v in data[side]] for side in ("inputs", "outputs"))
            den = int(data["denominator"], 16)
            weights = [[Fraction(int(v, 16), den) for v in row] for row in data["weights"]]
            return Channel(rows, columns, weights)
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as reason:
            if isinstance(reason, DPrivacyError):
                raise
            raise Malformed(f"column {column!r}: its channel on the card is damaged") from None

    def explain(self) -> str:
        """The card in words."""
        head = [
            f"{self.title or 'A release'}: {self.rows:,} rows, {len(self.columns)} protected columns."
        ]
        if self.void:
            head.append(f"NO GUARANTEE: {'; '.join(self.void)}.")
        return "\n".join([*head, self.guarantee["sentence"]])

    def to_dict(self) -> dict[str, Any]:
        """The card as plain data."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "title": self.title,
            "rows": self.rows,
            "guarantee": plain(self.guarantee),
            "guarantee_holds": not self.void,
            "void": list(self.void),
            "secure": self.secure,
            "columns": plain(self.columns),
            "pass_through": list(self.pass_through),
            "dropped": list(self.dropped),
            "plan": plain(self.plan),
            "library": self.library,
            "output": plain(self.output),
            "permanent_answers": self.permanent,
            "receipt": plain(self.receipt),
        }

    def save(self, path: str | Path) -> None:
        """Write the card as readable JSON."""
        Path(path).write_text(
            json.dumps(self.to_dict(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )

    @classmethod
    def load(cls, path: str | Path) -> "ReleaseCard":
        """Read a card."""
        file = Path(path)
        try:
            large = file.stat().st_size > _LARGEST
            data = None if large else json.loads(file.read_text(encoding="utf-8-sig"))
        except OSError as reason:
            raise Malformed(f"{path}: cannot be read ({reason.strerror})") from None
        except (ValueError, RecursionError):
            raise Malformed(f"{path}: is not a release card (not JSON)") from None
        if large:
            raise Malformed(f"{path}: too large for a release card")
        return cls.from_dict(data, name=str(path))

    @classmethod
    def from_dict(cls, data: Any, *, name: str = "the card") -> "ReleaseCard":
        """A card from plain data."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise Malformed(f"{name}: is not a dprivacy release card")
        if data.get("version") != VERSION:
            raise Malformed(
                f"{name}: version {data.get('version')!r} is not known; this reads {VERSION}"
            )
        try:
            card = cls(
                dict(data["columns"]),
                dict(data["guarantee"]),
                int(data["rows"]),
                data["secure"] is True,
                _texts(data["pass_through"]),
                _texts(data["dropped"]),
                str(data["title"]),
                dict(data["plan"]),
                _texts(data["void"]),
                str(data["library"]),
                dict(data["output"]),
                data.get("permanent_answers") is True,
                dict(data.get("receipt", {})),
            )
            for entry in card.columns.values():
                _texts(entry["columns"])
                entry["channel"], entry["type"], entry["mechanism"]
            _texts([card.guarantee["sentence"]])
        except (KeyError, TypeError, ValueError, OverflowError):
            raise Malformed(f"{name}: the card is incomplete") from None
        return card


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise TypeError
    return tuple(value)


def _described(column: ColumnPlan) -> dict[str, Any]:
    mechanism = column.mechanism
    entry: dict[str, Any] = {
        "type": column.kind,
        "mechanism": mechanism.family,
        "columns": list(column.columns),
        "epsilon": str(mechanism.guarantee.eps),
        "delta": str(mechanism.guarantee.delta),
        "guarantee": mechanism.guarantee.explain(),
        "nulls": column.nulls,
        "channel": None,
    }
    channel = _channel(column)
    if channel is not None:
        entry["channel"] = _channel_out(channel)
    for key in ("low", "high", "grid", "bits"):
        if key in column.spec:
            entry[key] = str(column.spec[key])
    return entry


def _channel_out(channel: Channel) -> dict[str, Any]:
    """A channel as plain data; one with too many digits is made again from the plan."""
    digits = len(channel.rows) * len(channel.columns) * channel.matrix.den.bit_length() // 4
    if digits > _MOST_DIGITS:
        data: dict[str, Any] = {"points": len(channel.rows)}
    else:
        data = {
            "inputs": [_label_out(x) for x in channel.rows],
            "outputs": [_label_out(y) for y in channel.columns],
            "denominator": hex(channel.matrix.den),
            "weights": [[hex(v) for v in row] for row in channel.matrix.entries.tolist()],
        }
    return {**data, "sha256": _hash(data)}


def _hash(data: Mapping[str, Any]) -> str:
    """A hash of labels and weights together."""
    bare = {key: value for key, value in data.items() if key != "sha256"}
    text = json.dumps(bare, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _rebuilt(column: str, plan: Mapping[str, Any], points: int) -> Channel:
    found = Plan.read({"columns": {column: plan["columns"][column]}}).columns[0]
    channel = _channel(found)
    if channel is None or len(channel.rows) != points:
        raise Malformed(f"column {column!r}: the plan on the card gives another channel")
    return channel


def _channel(column: ColumnPlan) -> Channel | None:
    if column.listed or (column.kind == "numbers" and column.mechanism.inner is not None):
        found = column.mechanism.channel
    else:
        return None
    return found if isinstance(found, Channel) and len(found.rows) <= _MOST_LISTED else None


def _label_out(label: Any) -> Any:
    return {"fraction": str(label)} if isinstance(label, Fraction) else label


def _label_in(value: Any) -> Any:
    return Fraction(value["fraction"]) if isinstance(value, dict) else value
