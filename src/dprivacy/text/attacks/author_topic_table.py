"""What attacks on protected texts find, level by level."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dprivacy.model import Answer, Pictured, plain
from dprivacy.numbers import Level

_NOTHING = 0.005  # a leakage that is shown as 1.00


@dataclass(frozen=True)
class Row:
    """One level: how often each attack was right, over all repetitions.

    `right` has, for each attack, the share of right guesses in each repetition.

    Examples
    --------
    >>> row = Row(None, 1.0, {"author": (0.5, 0.7)})
    >>> row.mean("author")
    0.6
    >>> round(row.error("author"), 3), row.label
    (0.1, 'none')
    """

    eps: Level | None
    kept: float
    right: Mapping[str, tuple[float, ...]]

    def mean(self, attack: str) -> float:
        """The share of right guesses."""
        return float(np.mean(self.right[attack]))

    def error(self, attack: str) -> float:
        """The standard error of that mean over the repetitions (0 for a single one)."""
        runs = self.right[attack]
        return float(np.std(runs, ddof=1)) / math.sqrt(len(runs)) if len(runs) > 1 else 0.0

    @property
    def label(self) -> str:
        """ε as it is shown in a table."""
        return "none" if self.eps is None else f"{float(self.eps):.4g}"


@dataclass(frozen=True)
class AuthorTopicTable(Answer, Pictured):
    """What attacks on authors and topics still find, level by level.

    Attributes
    ----------
    rows
        The unmodified texts first, then each level.
    authors, topics
        How many there are to choose from.
    commonest
        The share of the commonest topic: how often always naming it is right.
    repetitions
        How often it was done, each time with other texts as the unknown ones.
    noise, embedding
        How the unknown texts were protected.
    adaptive
        Whether the attacker put the known texts through the same mechanism.

    Examples
    --------
    >>> row = Row(None, 1.0, {"author, n-grams": (0.5, 0.7)})
    >>> table = AuthorTopicTable((row,), 10, 2, 0.5, 2, "exponential", "a vocabulary")
    >>> round(table.leakage(row, "author, n-grams"), 6)
    6.0
    >>> table.attacks, table.chance("author, n-grams")
    (('author, n-grams',), 0.1)
    """

    rows: tuple[Row, ...]
    authors: int
    topics: int
    commonest: float
    repetitions: int
    noise: str
    embedding: str
    adaptive: bool = False
    exact: bool = field(default=False, init=False)

    @property
    def attacks(self) -> tuple[str, ...]:
        """The attacks that were made."""
        return tuple(self.rows[0].right)

    def chance(self, attack: str) -> float:
        """The share of right guesses of someone who has not seen the text."""
        return 1 / self.authors if attack.startswith("author") else self.commonest

    def leakage(self, row: Row, attack: str) -> float:
        """The measured multiplicative leakage: success over success by chance.

        An attack's success is a lower bound on what the best one finds. So the mechanism is
        Δ-revealing for topics with Δ at least `leakage − 1`, and ε-hiding for authors with no ε
        below that.
        """
        return row.mean(attack) / self.chance(attack)

    def explain(self) -> str:
        """The table in words."""
        lines = [
            f"{self.authors} authors, {self.topics} topics, {self.noise} noise, {self.embedding}"
            + (", an attacker who noises the known texts too" if self.adaptive else ""),
            f"right guesses in %, ± the standard error over {self.repetitions} repetitions",
            "",
            f"{'ε per word':>10s} {'kept':>5s}" + "".join(f"{a:>19s}" for a in self.attacks),
        ]
        for row in self.rows:
            cells = (f"{100 * row.mean(a):12.0f} ± {100 * row.error(a):4.1f}" for a in self.attacks)
            lines.append(f"{row.label:>10s} {100 * row.kept:4.0f}%" + "".join(cells))
        by_chance = "".join(f"{100 * self.chance(a):12.0f}       " for a in self.attacks)
        lines += [f"{'chance':>10s}      {by_chance}".rstrip(), "", *self._verdict()]
        return "\n".join(lines)

    def _verdict(self) -> list[str]:
        """For each attack, what it says of hiding and revealing at the last level."""
        last = self.rows[-1]
        lines = []
        for attack in self.attacks:
            before, after = self.leakage(self.rows[0], attack), self.leakage(last, attack)
            size = after - 1
            if size < _NOTHING:
                meaning = "it learns nothing"
            elif attack.startswith("author"):
                meaning = f"not ε-hiding for any ε below {size:.2f}"
            else:
                meaning = f"Δ-revealing with Δ = {size:.2f}"
            lines.append(
                f"{attack}: {before:.2f} times as often right as by chance before, {after:.2f} times "
                f"at ε = {last.label}: {meaning}, up to sampling error."
            )
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The table as plain data."""
        return {
            **self._told("authors", "topics", "repetitions", "noise", "embedding", "adaptive"),
            "chance": {attack: self.chance(attack) for attack in self.attacks},
            "rows": [
                {
                    "epsilon": plain(row.eps),
                    "kept": row.kept,
                    "right": {
                        attack: {"mean": row.mean(attack), "error": row.error(attack)}
                        for attack in self.attacks
                    },
                    "leakage": {attack: self.leakage(row, attack) for attack in self.attacks},
                }
                for row in self.rows
            ],
        }
