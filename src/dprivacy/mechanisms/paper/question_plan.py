"""Planning a sensitive question: which chances a die can keep, and how many people must answer."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Literal, get_args

from dprivacy.errors import BadNumber, UnknownName
from dprivacy.mechanisms.groundwork.exact_weights import factor_below
from dprivacy.mechanisms.paper.paper_designs import PaperDesign, paper_design
from dprivacy.model import Answer, about, factor_in_words
from dprivacy.numbers import Level, as_eps, as_rational
from dprivacy.typing import LevelLike, NumberLike

Device = Literal["die", "two dice", "spinner"]
PARTS: dict[str, int] = {"die": 6, "two dice": 36, "spinner": 100}
_MOST_FORCED = {
    "die": 2,
    "two dice": 15,
    "spinner": 49,
}  # parts a side that leave room for the truth
WAYS = {total: 6 - abs(total - 7) for total in range(2, 13)}  # of two dice to show a total


@dataclass(frozen=True, repr=False, eq=False)
class QuestionPlan(Answer):
    """A question, the forced-response design that keeps a level, and the people it takes.

    Attributes
    ----------
    question
        What is asked.
    device
        What decides: a die, two dice or a spinner.
    allowed
        The level that must not be exceeded.
    design
        A forced response with equal chances of a forced "yes" and a forced "no".
    ideal
        The design that uses the whole level, whatever chances it takes.
    error, share
        The standard error wanted, and the share expected (None: whatever it is).

    Examples
    --------
    >>> found = plan_question("Have you ever shoplifted?", eps="ln 5", error="3/100")
    >>> found.forced_yes, found.respondents
    ((1,), 625)
    >>> print(found.parts, found.forced_no, found.detectable)
    1 (6,) 69/1000
    """

    question: str
    device: Device
    allowed: Level
    design: PaperDesign
    ideal: PaperDesign
    error: Fraction
    share: Fraction | None
    exact: bool = True

    @property
    def respondents(self) -> int:
        """How many people must answer."""
        return self.design.respondents(error=self.error, share=self.share)

    @property
    def parts(self) -> int:
        """How many parts of the device force each of the two answers."""
        return int(self.design.parameters["yes"] * PARTS[self.device])

    @property
    def forced_yes(self) -> tuple[int, ...]:
        """What the dice show when the answer is to be "yes"; for a spinner its number of parts."""
        return self._faces("yes")

    @property
    def forced_no(self) -> tuple[int, ...]:
        """What the dice show when the answer is to be "no"."""
        return self._faces("no")

    def _faces(self, answer: str) -> tuple[int, ...]:
        if self.device == "spinner":
            return (self.parts,)
        if self.device == "die":
            low = tuple(range(1, self.parts + 1))
            return low if answer == "yes" else tuple(sorted(7 - face for face in low))
        low = _totals(self.parts)
        return low if answer == "yes" else tuple(sorted(14 - total for total in low))

    @property
    def detectable(self) -> Fraction:
        """The smallest share, in steps of 1/1000, that is told from 0 in nine surveys of ten."""
        n = self.respondents
        low, high = 0, 1000
        while high - low > 1:
            middle = (low + high) // 2
            found = self.design.power(n, share=Fraction(middle, 1000), against=0) >= 0.9
            low, high = (low, middle) if found else (middle, high)
        return Fraction(high, 1000)

    def explain(self) -> str:
        """The level, the people it takes, and what the balanced and the direct question would take."""
        assert isinstance(self.design.eps, Level)
        any_share = self.share is None
        of = "whatever the share is" if any_share else f"for a share of {_per(self.share)} %"
        direct = Fraction(1, 4) if self.share is None else self.share * (1 - self.share)
        ideal = self.ideal.respondents(error=self.error, share=self.share)
        return "\n".join(
            [
                f'"{self.question}"',
                f"With {_named(self.device)} it keeps ε = {about(self.design.eps)} "
                f"(at most {about(self.allowed)} is allowed): whoever sees an answer can multiply "
                f"their odds that the person bears the trait by at most "
                f"{factor_in_words(self.design.eps)}.",
                f"Ask {self.respondents:,} people for a standard error of {_per(self.error)} "
                f"percentage points, {of}; drawing the people is counted in.",
                f"A share of {_per(self.detectable)} % is then told from 0 with probability 90 % "
                "(one-sided, at 5 %).",
                f"The balanced design that uses the whole level would take {ideal:,}; asked directly, "
                f"without any protection, {math.ceil(direct / self.error**2):,}.",
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """The plan as plain data."""
        return {
            **self._told(
                "question", "device", "allowed", "error", "share", "respondents", "detectable"
            ),
            **self._told("forced_yes", "forced_no"),
            "eps": str(self.design.eps),
            "ideal_respondents": self.ideal.respondents(error=self.error, share=self.share),
            "exact": True,
        }


def plan_question(
    question: str,
    *,
    eps: LevelLike,
    error: NumberLike,
    share: NumberLike | None = None,
    device: Device = "die",
) -> QuestionPlan:
    """The forced response that a device can keep at a level, and how many people must answer.

    Parameters
    ----------
    question
        What is asked; a "yes" or "no" question.
    eps
        The level that must not be exceeded.
    error
        The standard error of the share that is wanted, such as 0.03.
    share
        The share that is expected; when omitted the numbers hold for every share.
    device
        "die", "two dice" or "spinner" (of a hundred parts).

    Raises
    ------
    BadNumber
        When the device has too few parts for so small a level.

    Examples
    --------
    >>> plan_question("Do you drink at work?", eps=1, error="0.03", device="two dice").design.eps
    Level('ln(13/5)')
    """
    UnknownName.require("device", device, get_args(Device))
    level, wanted = as_eps(eps), as_rational(error, "error")
    if not 0 < wanted < 1:
        raise BadNumber(f"error should be between 0 and 1, such as 0.03, not {error}")
    expected = None if share is None else as_rational(share, "share")
    if expected is not None and not 0 < expected < 1:
        raise BadNumber(f"share should be between 0 and 1, neither of them, not {share}")
    if not str(question).strip():
        raise BadNumber("the question should not be empty")
    a, parts = factor_below(level), PARTS[device]
    forced = math.ceil(Fraction(parts) / (a + 1))  # u ≥ 1/(a + 1) keeps the odds (1 − u)/u ≤ a
    if forced > _MOST_FORCED[device]:
        raise BadNumber(
            f"{_named(device)} has too few parts for ε = {about(level)}: the answer would say nothing; "
            "take two dice or a spinner, or allow more"
        )
    chance = Fraction(forced, parts)
    return QuestionPlan(
        str(question).strip(),
        device,
        level,
        paper_design("forced", yes=chance, no=chance),
        paper_design("warner", p=a / (a + 1)),
        wanted,
        expected,
    )


def _totals(ways: int) -> tuple[int, ...]:
    """Totals below 7 that two dice show in this many ways together: 2, 3, … where that fits."""
    low = range(2, 7)
    ranked = [tuple(low[:many]) for many in range(1, 6)]
    ranked += [some for many in range(1, 6) for some in combinations(low, many)]
    return next(some for some in ranked if sum(WAYS[total] for total in some) == ways)


def _named(device: str) -> str:
    return {"die": "one die", "two dice": "two dice", "spinner": "a spinner"}[device]


def _per(share: Fraction | None) -> str:
    return f"{float((share or 0) * 100):.3g}"
