"""The verdict on d-privacy, with the triples that are tight or violated, in words."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.model import Guarantee, Verdict, about, plain, shown
from dprivacy.spaces import Distance
from dprivacy.typing import Label
from dprivacy.verify.metric.induced_metric import Eps
from dprivacy.verify.metric.row_ratios import Case


@dataclass(frozen=True)
class Triple(Case):
    """Two inputs and an output: C[x, y] = ratio·C[z, y], where e^(ε·d(x, z)) is allowed.

    Examples
    --------
    >>> from dprivacy.spaces import discrete
    >>> from dprivacy.verify import privacy
    >>> tells = {"yes": {"yes": 1}, "no": {"yes": "1/4", "no": "3/4"}}
    >>> worst = privacy(tells, discrete(["yes", "no"])).worst
    >>> print(worst.words())
    the output 'no' can follow 'no' but never 'yes'
    >>> print(worst.possible_words(), sorted(worst.to_dict()))
    the output 'no' can follow 'no', and might never follow 'yes' ['distance', 'ratio', 'x', 'y', 'z']
    """

    y: Label
    ratio: Fraction | float
    distance: Distance

    def words(self) -> str:
        """The triple in a sentence."""
        x, z, y = map(_quoted, (self.x, self.z, self.y))
        if self.ratio == math.inf:
            return f"the output {y} can follow {x} but never {z}"
        return (
            f"the output {y} is {about(self.ratio)} times as likely for {x} as for {z}, at distance "
            f"{about(self.distance)}"
        )

    def possible_words(self) -> str:
        """The triple in a sentence, where it is what a print leaves possible."""
        x, z, y = map(_quoted, (self.x, self.z, self.y))
        if self.ratio == math.inf:
            return f"the output {y} can follow {x}, and might never follow {z}"
        return (
            f"the output {y} could be {about(self.ratio)} times as likely for {x} as for {z}, at "
            f"distance {about(self.distance)}"
        )


def _quoted(label: Label) -> str:
    return f"'{label}'" if isinstance(label, str) else shown(label)


@dataclass(frozen=True)
class PrivacyVerdict(Verdict):
    """Whether a channel is private, with the evidence.

    `eps` is the level asked for (or the smallest, when none was); `smallest` is Priv_d(C); `worst`
    is the triple that needs it. `tight` lists triples that meet the bound with equality, `violated`
    those that break it (among the pairs that imply the others; at most 1000 of each). With δ > 0,
    `delta_needed` is the slack that ε needs, and `delta_pair` the inputs that need it. Of a print,
    every matrix that prints so needs `at_least`, and one of them needs `smallest`.

    Examples
    --------
    >>> from dprivacy.spaces import discrete
    >>> from dprivacy.verify import privacy
    >>> found = privacy([["3/4", "1/4"], ["1/4", "3/4"]], discrete([0, 1]), eps="ln 2")
    >>> print(found)
    No: the channel is not ε·d-private at ε = ln(2) ≈ 0.6931 (disproved exactly).
    The smallest ε is exactly ln(3) ≈ 1.099.
    Deciding case: the output 0 is 3 times as likely for 0 as for 1, at distance 1.
    >>> found.smallest_words
    'The smallest ε is exactly ln(3) ≈ 1.099.'
    >>> found.case_words
    'the output 0 is 3 times as likely for 0 as for 1, at distance 1'
    """

    eps: Eps = 0.0
    delta: Fraction | float = Fraction(0)
    smallest: Eps = 0.0
    delta_needed: Fraction | float | None = None
    delta_pair: tuple[Any, Any] | None = None
    worst: Triple | None = None
    tight: tuple[Triple, ...] = ()
    violated: tuple[Triple, ...] = ()
    guarantee: Guarantee | None = None
    at_least: Eps | None = None

    def explain(self) -> str:
        """The verdict in words, with the pair that decides it."""
        lines = [super().explain()]
        if self.at_least is not None and self.holds is None:
            lines = [f"Undecided: the bounds of the print leave open whether {self.claim}."]
        if self.delta_needed is not None:
            needs = f"At this ε the smallest δ is {about(self.delta_needed)}"
            if self.delta_pair is not None:
                x, z = map(_quoted, self.delta_pair)
                needs += f", which {x} needs against {z}"
            lines.append(f"{needs}.")
        lines.append(self.smallest_words)
        if self.case_words:
            lines.append(f"Deciding case: {self.case_words}.")
        if self.guarantee is not None and self.holds:
            lines.append(f"In words: {self.guarantee.explain()}")
        return "\n".join(lines)

    @property
    def case_words(self) -> str:
        """The triple that decides, in words; empty where nothing constrains the channel."""
        if self.worst is None:
            return ""
        return self.worst.words() if self.at_least is None else self.worst.possible_words()

    @property
    def smallest_words(self) -> str:
        """The smallest ε, or its bounds, in a sentence."""
        if self.at_least is not None:
            return self._bounds_in_words(self.at_least)
        lead = "Without δ the" if self.delta else "The"
        if self.smallest == math.inf:
            lead = "Without δ no" if self.delta else "No"
            return f"{lead} finite ε is large enough."
        if not self.exact:
            return f"{lead} smallest ε is about {about(self.smallest)} (float, ±{self.error:.1g})."
        if isinstance(self.smallest, float):
            return (
                f"{lead} smallest ε, rounded up, is {about(self.smallest)}; it has no exact form."
            )
        size = about(self.smallest)
        return f"{lead} smallest ε is {size if size.startswith('about') else f'exactly {size}'}."

    def _bounds_in_words(self, least: Eps) -> str:
        if least == math.inf:
            return "No finite ε is large enough for any matrix that prints so."
        most = "infinite" if self.smallest == math.inf else f"as high as {about(self.smallest)}"
        return (
            f"Entries are known up to rounding: the smallest ε is at least {about(least)} and could be "
            f"{most}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain data."""
        return {**super().to_dict(), "smallest_float": plain(float(self.smallest))}
