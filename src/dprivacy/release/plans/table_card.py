"""The card of a protected table: what its plan does to every column."""

from collections.abc import Mapping
from typing import Any

from dprivacy.model import channel_body, plain
from dprivacy.release.budgets.widest_levels import mechanism_level
from dprivacy.release.domains.planned_column import ColumnPlan
from dprivacy.release.domains.quick_columns import quick_size
from dprivacy.release.plans.card_plan import MOST_LISTED
from dprivacy.release.plans.joint_promise import joint_guarantee
from dprivacy.release.plans.release_card import SETTINGS_TOLD, Card, StatedGuarantee
from dprivacy.release.plans.report_columns import report_entry
from dprivacy.release.plans.table_plan import Plan
from dprivacy.text import PaddedTexts

_MOST_DIGITS = 4 << 20  # hexadecimal digits of a channel that are written down


def table_card(
    plan: Plan,
    *,
    rows: int,
    secure: bool,
    permanent: bool = False,
    receipt: Mapping[str, Any] | None = None,
    shuffled: Mapping[str, Any] | None = None,
) -> Card:
    """The card of a table that was protected by a plan.

    `receipt` is a ledger's (`Receipt.to_dict`); `shuffled` says what sorted rows add
    (`ShuffledTable.to_dict`).
    """
    joint = joint_guarantee(plan)
    stated = StatedGuarantee(
        "" if joint.total is None else str(plain(joint.total)),
        str(joint.delta),
        "the levels of all columns add up",
        "record",
        joint.sentence(),
    )
    void = tuple(
        f"the list of values for {column.name} was taken from the data"
        for column in plan.columns
        if column.source != "declared"
    )
    return Card.of(
        "table",
        stated,
        count=rows,
        secure=secure,
        mechanisms={column.name: mechanism_entry(column) for column in plan.columns},
        void=void,
        receipt=receipt,
        title=plan.title,
        plan=plain(plan.raw),
        pass_through=plan.pass_through,
        dropped=plan.left_out,
        permanent=permanent,
        shuffled=shuffled or {},
    )


def mechanism_entry(column: ColumnPlan) -> dict[str, Any]:
    """What a card says of one column."""
    mechanism = column.mechanism
    most = mechanism_level(mechanism)
    entry: dict[str, Any] = {
        "type": column.kind,
        "family": mechanism.family,
        "columns": list(column.columns),
        "eps": str(mechanism.guarantee.eps),
        "delta": str(mechanism.guarantee.delta),
        "most": "" if most is None else str(plain(most)),
        "nulls": column.nulls,
        "channel": _channel(column),
    }
    space = mechanism.guarantee.space
    if isinstance(space, PaddedTexts):
        entry["diameter"] = str(space.diameter)
    if column.local is not None:
        entry["reports"] = report_entry(column.local)
    settings = (key for key in SETTINGS_TOLD if key in column.spec)
    return entry | {key: str(column.spec[key]) for key in settings}


def _channel(column: ColumnPlan) -> dict[str, Any] | None:
    """A channel as it is stored; one with too many digits is made again from the plan."""
    channel = column.channel
    if channel is None or len(channel.rows) > MOST_LISTED:
        return None
    digits = len(channel.rows) * len(channel.columns) * channel.matrix.den.bit_length() // 4
    if digits > _MOST_DIGITS and quick_size(column.spec) == len(channel.rows):
        return {"points": len(channel.rows)}
    return channel_body(channel)
