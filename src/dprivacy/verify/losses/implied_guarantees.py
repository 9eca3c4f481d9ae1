"""From concentrated to probabilistic to extended privacy: guarantees that follow from guarantees."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar

from dprivacy.errors import BadLevel
from dprivacy.model import Answer, about
from dprivacy.numbers import Level, as_delta, as_level, quotient_up
from dprivacy.sources import result
from dprivacy.spaces import Distance, FiniteSpace
from dprivacy.typing import Number, NumberLike

Loss = Level | float

_UP = 1 + 2**-50  # covers the rounding of a handful of float operations


@dataclass(frozen=True)
class ConcentratedGuarantee(Answer):
    """(μ, τ, d)-CXDP: the mean loss is at most μ·d(x,z), its deviation τ-subgaussian.

    Parameters
    ----------
    mu, tau
        The two constants, exact or floats that were rounded up.
    because
        What it rests on: a statement's key.

    Examples
    --------
    >>> print(ConcentratedGuarantee(1, 0.5))
    An output tells two inputs apart by at most 1 per unit of distance on average, and around that \
average by a 0.5-subgaussian amount.
    """

    mu: Loss
    tau: Loss
    because: str = ""

    @property
    def exact(self) -> bool:
        """Whether both constants are exact."""
        return not isinstance(self.mu, float) and not isinstance(self.tau, float)

    def explain(self) -> str:
        """The guarantee in words."""
        return (
            f"An output tells two inputs apart by at most {about(self.mu)} per unit of distance on "
            f"average, and around that average by a {about(self.tau)}-subgaussian amount."
        )


@dataclass(frozen=True)
class ExtendedGuarantee(Answer):
    """(ξ, δ)-XDP or -PXDP with ξ and δ functions of the distance between two inputs.

    Parameters
    ----------
    xi
        d ↦ ξ, a level; floats are rounded up.
    delta
        d ↦ δ, a probability; floats are rounded up.
    probabilistic
        Whether the loss itself is bounded but for probability δ (PXDP), which is the stronger.
    because
        What it rests on: keys of statements.
    formula
        ξ and δ as a reader would write them.

    Examples
    --------
    >>> g = ExtendedGuarantee(lambda d: 2 * d, lambda d: Fraction(1, 100), True)
    >>> print(g.explain(3))
    At distance 3 the privacy loss is at most 6, except with probability 1/100.
    >>> from dprivacy.spaces import line
    >>> print(g.on(line(4))["xi"](0, 3))
    6
    """

    xi: Callable[[Distance], Loss]
    delta: Callable[[Distance], Number]
    probabilistic: bool
    because: str = ""
    formula: str = ""
    exact: ClassVar = False  # functions of the distance, rounded up where they are irrational

    def on(self, space: FiniteSpace) -> dict[str, Callable[[Any, Any], Any]]:
        """ξ and δ as functions of two labels, ready for `extended_privacy(C, **g.on(space))`."""
        return {
            "xi": lambda x, z: self.xi(space.distance(x, z)),
            "delta": lambda x, z: self.delta(space.distance(x, z)),
        }

    def explain(self, distance: NumberLike = 1) -> str:
        """The guarantee in words, for two inputs at the given distance."""
        d = _distance(distance)
        xi, delta = about(self.xi(d)), about(self.delta(d))
        text = (
            f"At distance {about(d)} the privacy loss is at most {xi}, except with probability {delta}"
            if self.probabilistic
            else f"At distance {about(d)} no set of outputs is more than e^({xi}) times as likely, "
            f"plus {delta}"
        )
        formula = f" ({self.formula})" if self.formula else ""
        return f"{text}{formula}."

    def to_dict(self) -> dict[str, Any]:
        """The guarantee as plain data: its kind, formula and grounds."""
        return {
            "kind": "PXDP" if self.probabilistic else "XDP",
            "formula": self.formula,
            "because": self.because,
            "exact": self.exact,
        }


def _distance(value: NumberLike) -> Distance:
    return math.inf if value == math.inf else as_level(value).simplified


def rounded_up(value: float) -> float:
    """A float a little larger, to cover the rounding of the operations that gave it; 0 stays 0."""
    return math.nextafter(value * _UP, math.inf) if value else value


def affine(slope: Loss, offset: float) -> Callable[[Distance], float]:
    """d ↦ slope·d + offset, rounded up."""

    def xi(d: Distance) -> float:
        # At distance 0 the slope plays no part, were it even infinite; at ∞ nothing is promised.
        if not d or d == math.inf:
            return math.inf if d else offset
        return rounded_up(quotient_up(slope, 1) * quotient_up(d, 1) + offset)

    return xi


@result("T", "Prop 10.4")
def probabilistic_from_concentrated(
    guarantee: ConcentratedGuarantee, *, delta: NumberLike
) -> ExtendedGuarantee:
    """CXDP ⇒ PXDP: ξ(x,z) = μ·d(x,z) + τ·√(−2 ln δ), exceeded with probability at most δ.

    Parameters
    ----------
    guarantee
        (μ, τ, d)-CXDP.
    delta
        δ in (0, 1].

    Examples
    --------
    >>> pxdp = probabilistic_from_concentrated(ConcentratedGuarantee(1, 0.5), delta="0.01")
    >>> round(pxdp.xi(2), 4)
    3.5174
    """
    slack = as_delta(delta)
    if not slack:
        raise BadLevel(
            f"δ should be greater than 0, not {delta}: a subgaussian loss has no bound that always "
            "holds"
        )
    tiny = slack < Fraction(1, 2) ** 1000  # too small for a double
    logarithm = (
        math.log(slack.denominator) - math.log(slack.numerator) if tiny else -math.log(slack)
    )
    offset = rounded_up(quotient_up(guarantee.tau, 1) * math.sqrt(2 * logarithm))
    return ExtendedGuarantee(
        affine(guarantee.mu, offset),
        lambda d: slack,
        True,
        f"{guarantee.because} and T Prop 10.4" if guarantee.because else "T Prop 10.4",
        f"ξ = {about(guarantee.mu)}·d + {about(offset)}, δ = {about(slack)}",
    )


@result("T", "Prop 10.5")
def extended_from_probabilistic(guarantee: ExtendedGuarantee) -> ExtendedGuarantee:
    """PXDP ⇒ XDP, with the same ξ and δ.

    Also when the randomness that PXDP counted on as shared is forgotten afterwards.

    Examples
    --------
    >>> pxdp = probabilistic_from_concentrated(ConcentratedGuarantee(1, 0.5), delta="0.01")
    >>> extended_from_probabilistic(pxdp).to_dict()["kind"]
    'XDP'
    """
    if not guarantee.probabilistic:
        return guarantee
    because = f"{guarantee.because} and T Prop 10.5" if guarantee.because else "T Prop 10.5"
    return replace(guarantee, probabilistic=False, because=because)
