"""What one person's row tells, in one word and three sentences: the first lines of every face."""

import math
from dataclasses import dataclass
from fractions import Fraction

from dprivacy.errors import NotApplicable
from dprivacy.model import Answer, factor_up, shown
from dprivacy.numbers import Level
from dprivacy.release.figures.column_pairs import pairs_of
from dprivacy.release.figures.plain_numbers import (
    PEOPLE_ON_EARTH,
    factor_said,
    number_said,
    times_in_hundred,
)
from dprivacy.release.plans.card_plan import plan_on
from dprivacy.release.plans.joint_promise import joint_guarantee
from dprivacy.release.plans.release_card import Card
from dprivacy.release.plans.table_plan import Plan
from dprivacy.typing import Number, PlanLike
from dprivacy.verify import told_apart

SCALE = (
    (Fraction(3, 5), "strong", "One person's row tells little."),
    (
        Fraction(3, 4),
        "limited",
        "One person's row tells something, within a limit that means something.",
    ),
    (Fraction(9, 10), "weak", "One person's row tells much."),
    (Fraction(1), "next to none", "The whole row is not protected in any sense that matters."),
)
_LARGE = 100  # from this factor on, what most rows tell is said besides


@dataclass(frozen=True)
class RowFigures(Answer):
    """What one row tells of a person, found from the plan alone.

    Attributes
    ----------
    level
        The row's factor is e^level; None where no factor bounds it.
    delta
        The slack of the guarantee.
    right
        S = (1 + total variation)/2: how often they are right who waver between two records that differ
        in everything and see the row. Exact, or rounded up.
    telling
        The factor that 1 row in 1,000 exceeds, at most.
    published
        What can be read off every row as it is.
    rows
        How many rows a person may have; the figures are for all of them together.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> figures = row_figures({"columns": {"tea": tea}})
    >>> figures.word, figures.right, figures.factor
    ('limited', Fraction(3, 4), Fraction(3, 1))
    >>> print(figures.headline)
    LIMITED. One person's row tells something, within a limit that means something.
    >>> print(figures.most_right)
    3/4
    >>> print(figures.limit.split(",")[0])
    Whoever sees a person's row can multiply their odds between any two sets of answers by at most 3
    >>> print(figures.test.split(" by ")[0])
    Someone who wavers between two quite different sets of answers is right 50 times in 100
    """

    level: Level | None
    delta: Fraction
    right: Number
    telling: Number
    published: tuple[str, ...]
    rows: int
    unbounded: tuple[str, ...]
    exact: bool

    @property
    def factor(self) -> Number:
        """The most that a row can multiply odds by, rounded up; ``inf`` where nothing bounds it."""
        return math.inf if self.level is None else factor_up(self.level)

    @property
    def most_right(self) -> Number:
        """How often they are right whom the most telling row reaches: F/(1 + F)."""
        factor = self.factor
        return 1.0 if factor == math.inf else factor / (1 + factor)

    @property
    def word(self) -> str:
        """One of "strong", "limited", "weak", "next to none": `right` up to 60, 75, 90 and 100 %."""
        return next(word for most, word, _ in SCALE if self.right <= most)

    @property
    def headline(self) -> str:
        """The first sentence: the word, and what it means."""
        if not self.published:
            return next(
                f"{word.upper()}. {told}" for most, word, told in SCALE if self.right <= most
            )
        listed = shown(_and(self.published))
        return (
            f"PARTLY PUBLISHED. {listed[0].upper()}{listed[1:]} can be read off every row as it is. "
            f"The rest: {self.word}."
        )

    @property
    def limit(self) -> str:
        """The second sentence: what the row is limited to."""
        row = "row" if self.rows == 1 else f"{self.rows:,} rows"
        if self.level is None:
            return shown(
                f"Nothing limits what a person's {row} may tell: {_and(self.unbounded)} can differ "
                "without limit."
            )
        factor = factor_said(self.level)
        if self.factor > PEOPLE_ON_EARTH:
            return (
                f"The limit on what a person's {row} may tell is a factor of {factor}. That is more "
                "than there are people on Earth: it rules out nothing."
            )
        alike = " that agree in what is published as it is" if self.published else ""
        if self.delta:
            return (
                f"Between any two sets of answers{alike}, whatever a person's {row} may show is at "
                f"most {factor} times as likely for one as for the other, plus {self.delta}."
            )
        return (
            f"Whoever sees a person's {row} can multiply their odds between any two sets of answers"
            f"{alike} by at most {factor}, whatever they know already.{self._mostly(row)}"
        )

    def _mostly(self, row: str) -> str:
        if self.factor <= _LARGE or self.telling >= self.factor:
            return ""
        return f" Only 1 {row} in 1,000 reaches beyond {number_said(Fraction(self.telling))}."

    @property
    def test(self) -> str:
        """The third sentence: what that means to somebody who wavers between two records."""
        row = "row" if self.rows == 1 else "rows"
        most = (
            ""
            if self.right > SCALE[2][0] or self.most_right <= self.right
            else f" ({times_in_hundred(self.most_right)} for the most telling rows)"
        )
        return (
            "Someone who wavers between two quite different sets of answers is right 50 times in 100 "
            f"by tossing a coin, and {times_in_hundred(self.right)} with the person's {row}{most}."
        )

    def explain(self) -> str:
        """The three sentences."""
        return "\n".join((self.headline, self.limit, self.test))


def row_figures(plan: PlanLike | Card) -> RowFigures:
    """What one person's row tells under a plan, or under the plan on a table's card.

    Notes
    -----
    1. Levels add up over columns, so that the row's factor is the product of theirs.
    2. The two records differ in every column as much as that column allows. Laws of likelihood ratios
       multiply over columns and rows (`verify.told_apart`); brute force over all rows gives the same.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 9"}
    >>> print(row_figures({"columns": {"tea": tea}}).test[-38:])
    90 times in 100 with the person's row.
    """
    read = plan_behind(plan)
    joint = joint_guarantee(read)
    apart = told_apart(pairs_of(read))
    return RowFigures(
        joint.total,
        joint.delta,
        apart.right,
        apart.telling,
        joint.open,
        read.times,
        joint.unbounded,
        apart.exact,
    )


def plan_behind(source: PlanLike | Card) -> Plan:
    """The plan itself, or the one on a table's card."""
    if not isinstance(source, Card):
        return Plan.read(source)
    if source.what != "table" or not source.plan:
        raise NotApplicable(
            f"a card of {source.what} has no plan of columns, so no row to speak of"
        )
    return plan_on(source.plan)


def _and(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
