"""How well two secrets are told apart by several releases together, and by the most telling outputs.

Whoever wavers between two equally likely secrets and sees the outputs is right with probability
(1 + T)/2, where T is the total variation of the two laws: δ at ε = 0. It is found from the law of the
likelihood ratio, in which outputs with the same ratio are one.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dprivacy.errors import BadNumber
from dprivacy.model import Answer, about
from dprivacy.numbers import Floats, Level, as_share, float_up
from dprivacy.typing import Number, NumberLike
from dprivacy.verify.composing.loss_atoms import LossAtoms
from dprivacy.verify.composing.tight_composition import all_together

_MOST_PRODUCTS = 20_000  # of an exact law; from there on losses lie on a grid
_POINTS = 1 << 17  # of that grid
_ROUNDING = 1e-9  # of probabilities in doubles, far more than they err
_LARGEST = 700  # a level beyond which e^level does not fit a double


@dataclass(frozen=True)
class ToldApart(Answer):
    """How well two secrets are told apart.

    Parameters
    ----------
    right
        The probability of being right, for whoever wavers between the two and sees all outputs; never
        below the truth.
    most
        The sum of the levels; ``inf`` where an output rules a secret out.
    telling, share
        The factor that is exceeded by at most this share of the outputs; ``inf`` where an output rules
        a secret out as often.
    exact
        Whether `right` and `telling` are exact; otherwise they are rounded up.

    Examples
    --------
    >>> from dprivacy.verify.composing.loss_atoms import atoms_of_level
    >>> from dprivacy.numbers import ln
    >>> column = atoms_of_level(ln(3), Fraction(0))
    >>> print(told_apart({column: 1}))
    Right with probability 3/4; at most 1/1000 of the outputs multiply the odds by more than 3.
    """

    right: Number
    most: Level | float
    telling: Number
    share: Fraction
    exact: bool

    def explain(self) -> str:
        """Both figures in a sentence."""
        factor = "any factor" if self.telling == math.inf else about(self.telling)
        return (
            f"Right with probability {about(self.right)}; at most {about(self.share)} of the outputs "
            f"multiply the odds by more than {factor}."
        )


def told_apart(
    releases: Mapping[LossAtoms, int], *, share: NumberLike = Fraction(1, 1000)
) -> ToldApart:
    """How well the two secrets of these pairs are told apart by all of them together.

    Parameters
    ----------
    releases
        Pairs of laws, each with how often it is released.
    share
        For which share of the outputs `telling` may be exceeded.
    """
    rare = as_share(share, "share")
    if not rare:
        raise BadNumber("share should be above 0: the factor that nothing exceeds is e^most")
    most: Level | float = sum((one.largest * k for one, k in releases.items()), Level(0))
    escape = 1 - math.prod((1 - one.escape) ** k for one, k in releases.items())
    law = _exact_law(releases)
    if law is None:
        apart: Number = float_up((1 + all_together(releases).delta(Level(0))) / 2)
        telling: Number = _rare_factor(releases, float(rare - escape), most)
    else:
        apart = (1 + escape + sum(p - p / ratio for ratio, p in law.items() if ratio > 1)) / 2
        telling = _exceeded(law, rare - escape)
    return ToldApart(
        min(apart, 1), math.inf if escape else most, telling, rare, exact=law is not None
    )


def _exact_law(releases: Mapping[LossAtoms, int]) -> dict[Fraction, Fraction] | None:
    """The law of the ratio, for the first secret; None where that takes too long, or is irrational."""
    law = {Fraction(1): Fraction(1)}
    products = 0
    for one, times in sorted(releases.items(), key=lambda item: len(item[0].atoms)):
        steps = [(loss.exp(), mass) for loss, mass in one.atoms]
        if any(ratio is None for ratio, _ in steps):
            return None
        for _ in range(times):
            products += len(law) * len(steps)
            if products > _MOST_PRODUCTS:
                return None
            new: dict[Fraction, Fraction] = {}
            for (ratio, p), (step, q) in ((a, b) for a in law.items() for b in steps):
                assert step is not None
                at = ratio * step
                new[at] = new.get(at, Fraction(0)) + p * q
            law = new
    return law


def _exceeded(law: Mapping[Fraction, Fraction], rare: Fraction) -> Number:
    """The smallest ratio that is exceeded with at most this probability."""
    left = rare
    if left < 0:
        return math.inf
    for ratio in sorted(law, reverse=True):
        left -= law[ratio]
        if left < 0:
            return ratio
    return Fraction(1)


def _rare_factor(releases: Mapping[LossAtoms, int], rare: float, most: Level | float) -> float:
    """The same in doubles, with every loss moved up to a grid."""
    if rare < 0:
        return math.inf
    spans = {
        one: (float(one.atoms[0][0]), float(one.atoms[-1][0])) for one in releases if one.atoms
    }
    wide = sum((high - low) * releases[one] for one, (low, high) in spans.items())
    step = max(wide / _POINTS, 1e-12)
    masses, first = np.ones(1), 0
    for one, (low, _) in spans.items():
        start = math.ceil(low / step)
        at = [math.ceil(float(loss) / step) - start for loss, _ in one.atoms]
        single = np.bincount(at, [float(mass) for _, mass in one.atoms]).astype(np.float64)
        masses = _convolved(masses, _repeated(single, releases[one]))
        first += start * releases[one]
    above = np.cumsum(masses[::-1])
    over = int(np.searchsorted(above, rare - _ROUNDING, side="right"))
    highest = step * (first + max(len(masses) - 1 - over, 0)) + _ROUNDING
    level = min(highest, float(most) + _ROUNDING)
    return math.exp(max(level, 0.0)) if level < _LARGEST else math.inf


def _repeated(law: Floats, times: int) -> Floats:
    if times == 1:
        return law
    half = _repeated(law, times // 2)
    twice = _convolved(half, half)
    return _convolved(twice, law) if times % 2 else twice


def _convolved(one: Floats, two: Floats) -> Floats:
    """By NumPy's own transform: importing SciPy's signals takes longer than everything else here."""
    size = len(one) + len(two) - 1
    padded = 1 << (size - 1).bit_length()
    product = np.fft.rfft(one, padded) * np.fft.rfft(two, padded)
    return np.maximum(np.fft.irfft(product, padded)[:size], 0.0)
