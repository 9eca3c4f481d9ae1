"""Sensitive questions on paper: dice, cards and birthdays as exact channels with an exact ε.

A person bears a trait or not, and answers by the rules of a design. Every design is a channel on these
two secrets; its ε follows from the chances alone. Answers are numbered y = 0, 1, … (no and yes, red
cards, how many of a list), and g(y) = (y − μ₀)/(μ₁ − μ₀), with the means μ of those who bear the trait
and of those who do not, is 1 on average for the former and 0 for the latter: the mean of g estimates
the share, with variance Σ_y λ_y·g(y)² − π² a person.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from statistics import NormalDist
from typing import Any, Literal, get_args

from dprivacy.errors import BadNumber, NotPrivate, PrivacyLeakWarning, UnknownName
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, promised
from dprivacy.mechanisms.groundwork.exact_weights import factor_below
from dprivacy.mechanisms.groundwork.label_codes import whole
from dprivacy.model import Answer, Channel, Guarantee, about
from dprivacy.numbers import Level, Mat, as_eps, as_rational, ln
from dprivacy.spaces import discrete
from dprivacy.typing import LevelLike, NumberLike

Kind = Literal["warner", "forced", "unrelated", "kuk", "crosswise", "triangular", "item_count"]
BEARS, LACKS = "bears it", "does not"
_BIRTHDAYS = (
    "It protects only from those who do not know the answer to the harmless question; a die or a "
    "spinner in its place protects from everybody."
)


@dataclass(frozen=True)
class PaperDesign(Answer):
    """A way of asking, as a channel from bearing the trait or not to the answer.

    Attributes
    ----------
    kind, parameters
        The design and its chances.
    channel
        Exact probabilities of the answers.
    eps
        The level of privacy; ``inf`` where some answer gives the person away.
    assumes
        What else its privacy rests on; empty for dice and cards.

    Examples
    --------
    >>> dice = paper_design("forced", yes="1/6", no="1/12")
    >>> print(dice.eps, dice.respondents(error="1/50", share="1/10"))
    ln(10) 815
    >>> dice.balanced().respondents(error="1/50", share="1/10")
    534
    >>> print(dice.mechanism, dice.scores["yes"], dice.variance("1/10"), dice.worst_variance())
    forced(2→2, ε = ln(10) ≈ 2.303) 10/9 2639/8100 4/9
    >>> round(dice.power(815, share="1/10", against="1/20"), 2)
    0.83
    """

    kind: Kind
    parameters: Mapping[str, Any]
    channel: Channel
    eps: Level | float
    assumes: str = ""
    exact: bool = True

    @property
    def mechanism(self) -> ChannelMechanism:
        """The design as a mechanism with its guarantee, for drawing, plans and files."""
        if not isinstance(self.eps, Level):
            raise NotPrivate(f"{self.kind}: some answers give a person away, and no ε holds")
        space = discrete((BEARS, LACKS))
        guarantee = Guarantee(self.eps, space, because="L Thm 1")
        return promised(self.kind, self.channel, guarantee, **self.parameters)

    def _chances(self, x: int) -> list[Fraction]:
        return [Fraction(self.channel.matrix[x, y]) for y in range(len(self.channel.columns))]

    @property
    def scores(self) -> dict[Any, Fraction]:
        """What each answer adds to the estimated number of people who bear the trait."""
        means = [sum(y * p for y, p in enumerate(self._chances(x))) for x in (0, 1)]
        apart = means[0] - means[1]
        answers = enumerate(self.channel.columns)
        return {answer: Fraction(y - means[1]) / apart for y, answer in answers}

    def variance(self, share: NumberLike) -> Fraction:
        """The variance of the estimated share, for one respondent; drawing people is counted in."""
        held = _chance(share, "share")
        bears, lacks = self._chances(0), self._chances(1)
        seen = [held * p + (1 - held) * q for p, q in zip(bears, lacks, strict=True)]
        squares = sum(
            (chance * g * g for chance, g in zip(seen, self.scores.values(), strict=True)),
            Fraction(0),
        )
        return squares - held * held

    def worst_variance(self) -> Fraction:
        """The largest variance for any share: a parabola in the share, taken at its top."""
        none, half, all_ = (self.variance(Fraction(i, 2)) for i in range(3))
        bend = 2 * (none + all_ - 2 * half)
        if bend >= 0:
            return max(none, all_)
        top = min(max((bend - (all_ - none)) / (2 * bend), Fraction(0)), Fraction(1))
        return max(none, all_, self.variance(top))

    def respondents(self, *, error: NumberLike, share: NumberLike | None = None) -> int:
        """The fewest respondents for a standard error of the share; for any share when omitted.

        Exact: rationals are compared, not doubles.
        """
        wanted = as_rational(error, "error")
        if not wanted > 0:
            raise BadNumber(f"error should be greater than 0, not {error}")
        one = self.worst_variance() if share is None else self.variance(share)
        return max(1, math.ceil(one / wanted**2))

    def power(
        self, n: int, *, share: NumberLike, against: NumberLike, significance: NumberLike = "1/20"
    ) -> float:
        """How probably n answers show that the share is not `against`, if it is `share`.

        A one-sided test of the estimated share, in the normal approximation.
        """
        true, null = _chance(share, "share"), _chance(against, "against")
        count = whole(n, "n")
        reach = NormalDist().inv_cdf(1 - float(_chance(significance, "significance")))
        reach *= math.sqrt(self.variance(null) / count)
        spread = math.sqrt(self.variance(true) / count)
        apart = abs(float(true - null)) - reach
        return NormalDist().cdf(apart / spread) if spread else float(apart > 0)

    def balanced(self) -> "PaperDesign":
        """Warner's design with the same ε: of all with two answers the one with the least error."""
        if not isinstance(self.eps, Level):
            raise NotPrivate(f"{self.kind} has no ε to be compared at")
        a = self.eps.exp()
        assert a is not None
        return paper_design("warner", p=a / (a + 1))

    def explain(self) -> str:
        """The design, its ε, and what it assumes."""
        told = ", ".join(f"{name} = {value}" for name, value in self.parameters.items())
        head = f"{self.kind.replace('_', ' ')} ({told})"
        if not isinstance(self.eps, Level):
            return (
                f"{head}: some answers give a person away, and no ε holds. {self.assumes}".strip()
            )
        return (
            f"{head}: ε = {about(self.eps)}. Whoever sees the answer can multiply their odds that the "
            f"person bears the trait by at most {about(self.eps.exp())}. {self.assumes}".strip()
        )


def paper_design(kind: Kind, **chances: Any) -> PaperDesign:
    """A design for asking a sensitive question on paper, with its exact ε.

    Parameters
    ----------
    kind
        "warner": with chance ``p`` the person says whether they bear the trait, else whether they do
        not. "forced": a die says "yes" with chance ``yes`` and "no" with chance ``no``, and else the
        truth is told. "unrelated": with chance ``p`` the question, else a harmless one of known
        ``prevalence``. "kuk": ``cards`` draws from one of two packs with shares ``red`` and
        ``other`` of red cards; the number of red ones is told. "crosswise": whether the answers to the
        question and to a harmless one of known ``prevalence`` are the same. "triangular": whether
        both are "no". "item_count": how many items of a list hold, with ``sums`` the shares of
        0, 1, … among the harmless ones.
    **chances
        The chances of the design, as rationals or texts such as "1/6".

    Returns
    -------
    PaperDesign

    Warns
    -----
    PrivacyLeakWarning
        For designs in which an answer gives a person away: they can be estimated from, and protect
        nobody.

    Examples
    --------
    >>> print(paper_design("warner", p="2/3").eps)
    ln(2)
    """
    UnknownName.require("kind", kind, get_args(Kind))
    make, names = _DESIGNS[kind]
    missing, strange = set(names) - set(chances), set(chances) - set(names)
    if missing or strange:
        raise UnknownName(
            f"{kind} takes {', '.join(names)}; "
            + (f"{', '.join(sorted(missing))} is missing" if missing else "")
            + (f"{', '.join(sorted(strange))} is not one of them" if strange else "")
        )
    given = {name: _read(name, chances[name]) for name in names}
    bears, lacks = make(**given)
    if bears == lacks:
        raise BadNumber(f"{kind}: with these chances the answer does not depend on the trait")
    answers = ("no", "yes") if len(bears) == 2 else tuple(range(len(bears)))
    channel = Channel((BEARS, LACKS), answers, Mat.of([bears, lacks]))
    eps = _level(bears, lacks)
    if not isinstance(eps, Level):
        warnings.warn(
            f"{kind}: some answers give a person away (ε = ∞); a share can be estimated, and nobody "
            "is protected",
            PrivacyLeakWarning,
            stacklevel=2,
        )
    harmless = kind in ("unrelated", "crosswise", "triangular")
    return PaperDesign(kind, given, channel, eps, _BIRTHDAYS if harmless else "")


def balanced_design(eps: LevelLike, *, steps: int | None = None) -> PaperDesign:
    """The design with two answers that has the least error at a level: Warner's with p = a/(a + 1).

    Parameters
    ----------
    eps
        The level that must not be exceeded.
    steps
        Of a die or spinner: p is then the largest multiple of 1/steps that keeps the level.

    Examples
    --------
    >>> balanced_design("ln 2", steps=6).parameters["p"]
    Fraction(2, 3)
    """
    a = factor_below(as_eps(eps))
    p = a / (a + 1)
    if steps is not None:
        p = Fraction(math.floor(p * whole(steps, "steps", 2)), steps)
        if p <= Fraction(1, 2):
            raise BadNumber(
                f"{steps} equal parts are too few for ε = {about(as_eps(eps))}: the answer would say "
                "nothing; take a die or spinner with more"
            )
    return paper_design("warner", p=p)


Rows = tuple[list[Fraction], list[Fraction]]


def _two(bears: Fraction, lacks: Fraction) -> Rows:
    """The chances of no and yes, from those of yes."""
    return [1 - bears, bears], [1 - lacks, lacks]


def _forced(yes: Fraction, no: Fraction) -> Rows:
    if yes + no >= 1:
        raise BadNumber(f"forced: yes = {yes} and no = {no} leave no room for the truth")
    return _two(1 - no, yes)


def _kuk(red: Fraction, other: Fraction, cards: int) -> Rows:
    drawn = [
        [comb(cards, y) * p**y * (1 - p) ** (cards - y) for y in range(cards + 1)]
        for p in (red, other)
    ]
    return drawn[0], drawn[1]


def _item_count(sums: Sequence[Fraction]) -> Rows:
    if sum(sums) != 1:
        raise BadNumber(f"item_count: the shares of 0, 1, … should sum to 1, not {sum(sums)}")
    return [Fraction(0), *sums], [*sums, Fraction(0)]


_DESIGNS: dict[str, tuple[Any, tuple[str, ...]]] = {
    "warner": (lambda p: _two(p, 1 - p), ("p",)),
    "forced": (_forced, ("yes", "no")),
    "unrelated": (
        lambda p, prevalence: _two(p + (1 - p) * prevalence, (1 - p) * prevalence),
        ("p", "prevalence"),
    ),
    "kuk": (_kuk, ("red", "other", "cards")),
    "crosswise": (lambda prevalence: _two(prevalence, 1 - prevalence), ("prevalence",)),
    "triangular": (lambda prevalence: _two(Fraction(1), prevalence), ("prevalence",)),
    "item_count": (_item_count, ("sums",)),
}


def _read(name: str, value: Any) -> Any:
    if name == "cards":
        return whole(value, "cards")
    if name == "sums":
        return tuple(_chance(share, "sums") for share in value)
    return _chance(value, name)


def _chance(value: NumberLike, name: str) -> Fraction:
    chance = as_rational(value, name)
    if not 0 <= chance <= 1:
        raise BadNumber(f"{name} should be between 0 and 1, not {value}")
    return chance


def _level(bears: list[Fraction], lacks: list[Fraction]) -> Level | float:
    """The logarithm of the largest odds between the two, from the definition."""
    worst = Fraction(1)
    for p, q in zip(bears, lacks, strict=True):
        if (p == 0) != (q == 0):
            return math.inf
        if p:
            worst = max(worst, p / q, q / p)
    return ln(worst)
