"""From concentrated to probabilistic to extended privacy: guarantees that follow from guarantees."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadLevel
from dprivacy.model import about, plain
from dprivacy.numbers import Level, as_delta, as_level
from dprivacy.sources import result
from dprivacy.spaces import Distance, FiniteSpace

Number = Fraction | float
Loss = Level | float

_UP = 1 + 2**-50  # covers the rounding of a handful of float operations


@dataclass(frozen=True)
class ConcentratedGuarantee:
    """(μ, τ, d)-CXDP: the mean loss is at most μ·d(x,z), its deviation τ-subgaussian.

    Parameters
    ----------
    mu, tau
        The two constants, exact or floats that were rounded up.
    because
        What it rests on: a statement's key.
    """

    mu: Loss
    tau: Loss
    because: str = ""

    def explain(self) -> str:
        """The guarantee in words."""
        text = (
            f"an output tells two inputs apart by at most {about(self.mu)} per unit of distance on "
            f"average, and around that average by a {about(self.tau)}-subgaussian amount"
        )
        return f"{text}.{f' This rests on {self.because}.' if self.because else ''}"

    def to_dict(self) -> dict[str, Any]:
        """The guarantee as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


@dataclass(frozen=True)
class ExtendedGuarantee:
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
    """

    xi: Callable[[Distance], Loss]
    delta: Callable[[Distance], Number]
    probabilistic: bool
    because: str = ""
    formula: str = ""

    def on(self, space: FiniteSpace) -> dict[str, Callable[[Any, Any], Any]]:
        """ξ and δ as functions of two labels, ready for `extended_privacy(C, **g.on(space))`."""
        return {
            "xi": lambda x, z: self.xi(space.distance(x, z)),
            "delta": lambda x, z: self.delta(space.distance(x, z)),
        }

    def explain(self, distance: Any = 1) -> str:
        """The guarantee in words, for two inputs at the given distance."""
        d = _distance(distance)
        xi, delta = about(self.xi(d)), about(self.delta(d))
        text = (
            f"at distance {about(d)} the privacy loss is at most {xi}, except with probability {delta}"
            if self.probabilistic
            else f"at distance {about(d)} no set of outputs gains more than e^{xi} and {delta}"
        )
        formula = f" ({self.formula})" if self.formula else ""
        return f"{text}{formula}.{f' This rests on {self.because}.' if self.because else ''}"

    def to_dict(self) -> dict[str, Any]:
        """The guarantee as plain data: its kind, formula and grounds."""
        return {
            "kind": "PXDP" if self.probabilistic else "XDP",
            "formula": self.formula,
            "because": self.because,
        }


def _distance(value: Any) -> Distance:
    return math.inf if value == math.inf else as_level(value).simplified


def rounded_up(value: float) -> float:
    """A float a little larger, to cover the rounding of the operations that gave it."""
    return value * _UP


def affine(slope: Loss, offset: float) -> Callable[[Distance], float]:
    """d ↦ slope·d + offset, rounded up."""

    def xi(d: Distance) -> float:
        # At distance 0 the slope plays no part, were it even infinite.
        return rounded_up(float(slope) * float(d) + offset) if d else offset

    return xi


@result("T", "Prop 10.4")
def probabilistic_from_concentrated(
    guarantee: ConcentratedGuarantee, *, delta: Any
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
            "δ must be greater than 0: a subgaussian loss has no bound that always holds"
        )
    logarithm = -math.log(slack) if slack > Fraction(1, 2) ** 1000 else _long_log(slack)
    offset = rounded_up(float(guarantee.tau) * math.sqrt(2 * logarithm))
    return ExtendedGuarantee(
        affine(guarantee.mu, offset),
        lambda d: slack,
        True,
        f"{guarantee.because} and T Prop 10.4" if guarantee.because else "T Prop 10.4",
        f"ξ = {about(guarantee.mu)}·d + {about(offset)}, δ = {about(slack)}",
    )


def _long_log(q: Fraction) -> float:
    return math.log(q.denominator) - math.log(q.numerator)


@result("T", "Prop 10.5")
def extended_from_probabilistic(guarantee: ExtendedGuarantee) -> ExtendedGuarantee:
    """PXDP ⇒ XDP, with the same ξ and δ.

    Also when the randomness that PXDP counted on as shared is forgotten afterwards.
    """
    if not guarantee.probabilistic:
        return guarantee
    because = f"{guarantee.because} and T Prop 10.5" if guarantee.because else "T Prop 10.5"
    return replace(guarantee, probabilistic=False, because=because)
