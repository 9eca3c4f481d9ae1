"""Columns that were drawn together, as a receiver reads them: one alone by its margin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dprivacy.errors import NotApplicable
from dprivacy.model import Channel, channel_body
from dprivacy.release.joints.joint_settings import margin
from dprivacy.release.plans.release_card import Card
from dprivacy.release.receiving.label_positions import positions_of


@dataclass(frozen=True)
class DrawnTogether:
    """Columns of a table that one draw noised: the joint's name, its columns and its channel."""

    name: str
    columns: tuple[str, ...]
    channel: Channel

    def among(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Those of its columns that are asked for, in the order of the joint."""
        return tuple(name for name in self.columns if name in columns)

    def values(self, column: str) -> tuple[Any, ...]:
        """The values of one of its columns."""
        place = self.columns.index(column)
        return tuple(dict.fromkeys(label[place] for label in self.channel.rows))

    def of(self, columns: Sequence[str]) -> Channel:
        """The channel of some of its columns."""
        return margin(self.channel, tuple(self.columns.index(name) for name in columns))


def read_apart(card: Card) -> tuple[Card, tuple[DrawnTogether, ...]]:
    """The card with every column that was drawn together by itself, and what was drawn together.

    One such column alone went through a channel of its own, the margin of the joint one.
    """
    if card.what != "table":
        return card, ()
    mechanisms: dict[str, Any] = {}
    joints = []
    for name, entry in card.mechanisms.items():
        if entry["type"] != "joint":
            mechanisms[name] = entry
            continue
        joint = DrawnTogether(name, tuple(entry["columns"]), card.channel(name))
        joints.append(joint)
        for column in joint.columns:
            told: Mapping[str, Any] = {
                **entry,
                "type": "categories",
                "columns": [column],
                "channel": channel_body(joint.of([column])),
            }
            mechanisms[column] = told
    return (replace(card, mechanisms=mechanisms) if joints else card), tuple(joints)


def require_apart(joints: Sequence[DrawnTogether], columns: Sequence[str]) -> None:
    """Refuse two columns of one draw where columns are taken to be noised one by one."""
    for joint in joints:
        asked = joint.among(columns)
        if len(asked) > 1:
            raise NotApplicable(
                f"{' and '.join(asked)} were drawn together ({joint.name}), and this question takes "
                "their noise to be independent; ask for one of them, or for their table with "
                "cross_table (dprivacy estimate)"
            )


def merged(
    found: Mapping[tuple[Any, ...], int],
    names: Sequence[str],
    labels: Sequence[str],
    joint: DrawnTogether,
) -> tuple[dict[tuple[Any, ...], int], list[str], list[str]]:
    """Counts with the columns of a joint as one, a tuple, in the place of the first of them.

    Names and labels of the columns come likewise. Cells are read as the labels they stand for: those of
    a text file are texts.
    """
    together = joint.among(names)
    at = [names.index(name) for name in together]
    order = [k for k in range(len(names)) if k not in at or k == min(at)]
    sides = [joint.values(name) for name in together]
    read = positions_of([tuple(key[k] for k in at) for key in found], sides)
    counts: dict[tuple[Any, ...], int] = {}
    for (key, count), places in zip(found.items(), read, strict=True):
        both = tuple(side[place] for side, place in zip(sides, places, strict=True))
        new = tuple(both if k == min(at) else key[k] for k in order)
        counts[new] = counts.get(new, 0) + count
    joined = " × ".join(labels[k] for k in at)
    return (
        counts,
        [names[k] for k in order],
        [joined if k == min(at) else labels[k] for k in order],
    )
