"""What LSHRR guarantees about two inputs at a given distance: from the worst case to the exact tail."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadLevel
from dprivacy.model import about, factor_in_words, plain
from dprivacy.numbers import Level, as_eps, as_level, as_share, read_whole
from dprivacy.sources import result
from dprivacy.typing import LevelLike, NumberLike
from dprivacy.verify import (
    binomial_alpha,
    lshrr_chernoff,
    lshrr_concentrated,
    lshrr_hoeffding,
    rounded_up,
)

Number = Fraction | float
Loss = Level | float


@dataclass(frozen=True)
class PairGuarantee:
    """One guarantee about two inputs.

    Parameters
    ----------
    name
        What it is called.
    level
        How much an output may tell them apart, as a privacy loss; floats are rounded up.
    delta
        The probability with which it may be more; None where the level is an average.
    words
        The guarantee in a sentence.
    because
        What it rests on.

    Examples
    --------
    >>> PairGuarantee("worst case", as_eps("ln 4"), Fraction(0), "at most 4", "").to_dict()["level"]
    'ln(4)'
    """

    name: str
    level: Loss
    delta: Number | None
    words: str
    because: str

    def to_dict(self) -> dict[str, Any]:
        """The guarantee as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


@result("T", "Prop 10.3")
def distance_guarantees(
    eps: LevelLike, bits: int, differing: NumberLike, *, delta: NumberLike = "0.01"
) -> tuple[PairGuarantee, ...]:
    """The guarantees of LSHRR for any two inputs whose hash bits differ with the given chance.

    Parameters
    ----------
    eps
        The level ε of each bit.
    bits
        κ, the number of bits.
    differing
        The chance that a bit tells them apart; for `random_projection`, their angular distance.
    delta
        δ in (0, 1].

    Returns
    -------
    tuple of PairGuarantee
        "worst case", "on average", "Hoeffding", "Chernoff" and "counted".

    Examples
    --------
    >>> for found in distance_guarantees(1, 20, "0.05"):
    ...     print(f"{found.name:10} {float(found.level):7.3f}")
    worst case  20.000
    on average   0.462
    Hoeffding    7.786
    Chernoff     5.056
    counted      4.000
    """
    level, kappa, chance = as_eps(eps), read_whole(bits, "bits"), as_share(differing, "distance")
    slack = read_slack(delta)
    concentrated = lshrr_concentrated(eps=level, bits=kappa)
    mean: Loss = (
        concentrated.mu * chance
        if isinstance(concentrated.mu, Level)
        else rounded_up(float(concentrated.mu) * float(chance))
    )
    hoeffding = lshrr_hoeffding(eps=level, bits=kappa, delta=slack).xi(chance)
    chernoff = lshrr_chernoff(eps=level, bits=kappa, delta=slack).xi(chance)
    most = counted_bits(kappa, chance, delta=slack)
    differ = f"at most {most} of {kappa} bits differ and "
    tails: tuple[tuple[str, Loss, str, str], ...] = (
        ("Hoeffding", hoeffding, "", "T Thm 10.7"),
        ("Chernoff", chernoff, "", "T Prop 10.8"),
        ("counted", level * most, differ, "T Lem A4, the binomial's own tail"),
    )
    unless = f"except with probability {about(slack)}"
    return (
        PairGuarantee(
            "worst case",
            level * kappa,
            Fraction(0),
            "whatever the hash, no output changes the odds between them by more than "
            f"{odds_factor(level * kappa)}",
            "T Prop 10.3",
        ),
        PairGuarantee(
            "on average",
            mean,
            None,
            f"over the draw of hash and noise, the logarithm of that factor is {_brief(mean)} on "
            f"average, and deviates from it by a {about(concentrated.tau)}-subgaussian amount",
            "T Thm 10.6, corrected",
        ),
        *(
            PairGuarantee(
                name,
                xi,
                slack,
                f"{first}an output changes the odds by at most {odds_factor(xi)}, {unless}",
                because,
            )
            for name, xi, first, because in tails
        ),
    )


@result("T", "Lem A4")
def counted_bits(bits: int, differing: NumberLike, *, delta: NumberLike) -> int:
    """The smallest j such that more than j of κ hash bits differ with probability at most δ.

    The Hamming distance of two hashes is binomial; this is its own tail, exactly, where Prop 10.8 has
    Chernoff's bound of it. Every differing bit is worth at most ε.

    Parameters
    ----------
    bits, differing, delta
        As for `distance_guarantees`.

    Examples
    --------
    >>> counted_bits(20, "0.05", delta="0.01")
    4
    """
    kappa, p = read_whole(bits, "bits"), as_share(differing, "distance")
    slack = read_slack(delta)
    tail = Fraction(0)
    for j in range(kappa, 0, -1):
        tail += math.comb(kappa, j) * p**j * (1 - p) ** (kappa - j)
        if tail > slack:
            return j
    return 0


@result("T", "Prop 10.8")
def eps_for(*, xi: LevelLike, bits: int, distance: NumberLike, delta: NumberLike = "0.01") -> Level:
    """The level ε of a bit at which inputs at the given distance have the total budget ξ.

    ξ = εκ·(d + α), with the α of Prop 10.8 at δ.

    Parameters
    ----------
    xi
        The total budget ξ.
    bits, delta
        As for `distance_guarantees`.
    distance
        d, the chance that a bit differs.

    Returns
    -------
    Level
        ε, rounded down.

    Examples
    --------
    >>> round(float(eps_for(xi=5, bits=20, distance="0.05")), 3)
    0.989
    """
    kappa, d = read_whole(bits, "bits"), as_share(distance, "distance")
    rate = kappa * (float(d) + binomial_alpha(kappa, d, delta=read_slack(delta)))
    if not rate:
        raise BadLevel(f"inputs at distance {d} have the same hash: every ε gives the budget")
    return as_eps(float(as_eps(xi)) / rate * (1 - 2.0**-50))


def _brief(level: Loss) -> str:
    """A level in a sentence; digits that come from a float distance are not spelt out."""
    return about(level) if len(str(level)) <= 16 else f"{float(level):.4g}"


def odds_factor(level: Loss) -> str:
    """A loss as the factor by which odds change, which is what a person can weigh."""
    return f"a factor of {factor_in_words(as_level(level))} (a loss of {_brief(level)})"


def read_slack(delta: NumberLike) -> Fraction:
    """δ in (0, 1]."""
    slack = as_share(delta, "δ")
    if not slack:
        raise BadLevel(
            f"δ should be greater than 0, not {delta}; what always holds is the worst case, κ·ε"
        )
    return slack
