"""A channel that another program wrote down, and what is known of it."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dprivacy.errors import NotPrivate
from dprivacy.mechanisms import ChannelMechanism, promised
from dprivacy.model import (
    Answer,
    Channel,
    Guarantee,
    PrintedChannel,
    about,
    as_space,
    plain,
    shown,
)
from dprivacy.numbers import Level, as_level
from dprivacy.spaces import discrete
from dprivacy.typing import SpaceLike
from dprivacy.verify import enclosure, privacy, smallest_eps

_LONGEST = 120  # characters of a level; a longer one is rounded up to a double


@dataclass(frozen=True)
class ImportedChannel(Answer):
    """An exact channel read from another program's numbers.

    It stands wherever a channel is asked for: `privacy`, `leakage`, `estimate` and the others take it.

    Attributes
    ----------
    channel
        The channel, exact.
    origin
        Where it came from, in words.
    moved
        The most that any entry was changed so that rows sum to 1.
    remarks
        What to know before the level is quoted.
    printed
        The numbers as they were read, where the other program had rounded them.

    Examples
    --------
    >>> from dprivacy.release import from_floats
    >>> found = from_floats([[0.75, 0.25], [0.25, 0.75]])
    >>> print(found.explain().splitlines()[1])
    Smallest ε between any two values: ln(3) ≈ 1.099.
    >>> print(found.eps, *found.eps_between, found.mechanism())
    ln(3) ln(3) ln(3) imported(2→2, ε = ln(3) ≈ 1.099)
    """

    channel: Channel
    origin: str
    moved: Fraction = Fraction(0)
    remarks: tuple[str, ...] = ()
    printed: PrintedChannel | None = None

    exact = True

    @cached_property
    def eps(self) -> Level | float:
        """The smallest ε between any two inputs; infinite where an output excludes an input."""
        found = smallest_eps(self.channel, discrete(self.channel.rows))
        return found if isinstance(found, Level) else float(found)

    @property
    def eps_between(self) -> tuple[Level | float, Level | float]:
        """Bounds on the ε of the matrix that the other program had, before it rounded its numbers."""
        if self.printed is None:
            return self.eps, self.eps
        found = privacy(self.printed, discrete(self.channel.rows))
        assert found.at_least is not None
        return found.at_least, found.smallest

    def mechanism(self, space: SpaceLike | None = None) -> ChannelMechanism:
        """The channel as a mechanism that guarantees its own smallest ε, proved, and can be drawn from.

        Parameters
        ----------
        space
            The metric on the inputs; all pairs alike when omitted.

        Raises
        ------
        NotPrivate
            When no ε is large enough.
        """
        metric = (
            discrete(self.channel.rows)
            if space is None
            else as_space(space, labels=self.channel.rows)
        )
        level = smallest_eps(self.channel, metric)
        if not isinstance(level, Level) and math.isinf(level):
            raise NotPrivate(
                f"{self.origin} has no ε: {self._telling()}; mix in a little of a constant row, or "
                "make the column anew with `randomised_response`"
            )
        if not isinstance(level, Level) or len(str(level)) > _LONGEST:
            level = enclosure(level)[1]
        guarantee = Guarantee(as_level(level), metric, because="its own channel, computed exactly")
        return promised("imported", self.channel, guarantee, origin=self.origin)

    def explain(self) -> str:
        """Where it came from, its ε between any two inputs, and what to know."""
        size = f"{len(self.channel.rows)}×{len(self.channel.columns)}"
        lines = [f"{self.origin}, {size}."]
        if isinstance(self.eps, Level):
            lines.append(f"Smallest ε between any two values: {about(self.eps)}.")
        else:
            lines.append(f"No ε is large enough: {self._telling()}.")
        if self.moved:
            lines.append(
                "Rows did not sum to 1 exactly; entries were changed by at most "
                f"{float(self.moved):.2g} so that they do."
            )
        low, high = (float(level) for level in self.eps_between)
        if f"{low:.3f}" != f"{high:.3f}":
            upper = "∞" if math.isinf(high) else f"{high:.3f}"
            lines.append(
                f"The numbers are rounded: the matrix that was used had an ε from {low:.3f} to {upper}."
            )
        return "\n".join([*lines, *self.remarks])

    def to_dict(self) -> dict[str, Any]:
        """The same as plain data, without the matrix."""
        low, high = self.eps_between
        return {
            "origin": self.origin,
            "rows": [plain(label) for label in self.channel.rows],
            "columns": [plain(label) for label in self.channel.columns],
            "eps": plain(self.eps),
            "eps_between": [float(low), plain(float(high))],
            "moved": float(self.moved),
            "rounded": self.printed is not None,
            "remarks": list(self.remarks),
        }

    def _telling(self) -> str:
        """The output that excludes an input, in words."""
        for y in self.channel.columns:
            column = {x: self.channel[x, y] for x in self.channel.rows}
            never = [x for x, chance in column.items() if not chance]
            if never and len(never) < len(column):
                return f"the output {shown(y)!r} is never given for {shown(never[0])!r}"
        return "an output excludes an input"
