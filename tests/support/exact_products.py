"""Products of pairs of laws, enumerated in Fractions: what compositions really tell."""

import math
import random
from collections.abc import Iterable, Sequence
from fractions import Fraction

Pair = Sequence[tuple[Fraction, Fraction]]  # (p, q) at each output


def product(pairs: Iterable[Pair]) -> list[tuple[Fraction, Fraction]]:
    """The product of pairs; outputs with one ratio are merged, which changes no δ."""
    whole = [(Fraction(1), Fraction(1))]
    for pair in pairs:
        merged: dict[Fraction | float | None, tuple[Fraction, Fraction]] = {}
        for p, q in whole:
            for u, v in pair:
                a, b = p * u, q * v
                ratio = a / b if b else math.inf if a else None
                c, d = merged.get(ratio, (Fraction(0), Fraction(0)))
                merged[ratio] = a + c, b + d
        whole = list(merged.values())
    return whole


def exact_delta(pairs: Iterable[Pair], a: Fraction) -> Fraction:
    """The δ of the composition at e^ε = a, for this order of each pair."""
    return sum((max(p - a * q, Fraction(0)) for p, q in product(pairs)), Fraction(0))


def some_pair(
    rng: random.Random, outputs: int, *, holes: bool = False
) -> list[tuple[Fraction, Fraction]]:
    """Two random laws on so many outputs."""
    laws = []
    for _ in "PQ":
        weights = [rng.randint(0 if holes else 1, 9) for _ in range(outputs)]
        weights[rng.randrange(outputs)] += 1
        laws.append([Fraction(weight, sum(weights)) for weight in weights])
    return list(zip(*laws, strict=True))
