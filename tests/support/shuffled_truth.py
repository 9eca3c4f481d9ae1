"""Multisets of reports, enumerated in Fractions: what a shuffled release really tells."""

import itertools
import math
import random
from collections.abc import Sequence
from fractions import Fraction

Row = Sequence[Fraction]
Counts = tuple[int, ...]


def law_of(rows: Sequence[Row]) -> dict[Counts, Fraction]:
    """The law of how often each output comes, one report drawn from each row."""
    law: dict[Counts, Fraction] = {(0,) * len(rows[0]): Fraction(1)}
    for row in rows:
        more: dict[Counts, Fraction] = {}
        for counts, p in law.items():
            for y, w in enumerate(row):
                if w:
                    key = (*counts[:y], counts[y] + 1, *counts[y + 1 :])
                    more[key] = more.get(key, Fraction(0)) + p * w
        law = more
    return law


def _excess(one: dict[Counts, Fraction], two: dict[Counts, Fraction], a: Fraction) -> Fraction:
    gaps = (p - a * two.get(counts, Fraction(0)) for counts, p in one.items())
    return sum((gap for gap in gaps if gap > 0), Fraction(0))


def exact_delta(rows: Sequence[Row], n: int, a: Fraction, pair: tuple[int, int]) -> Fraction:
    """The largest δ at e^ε = a over all values of the other n − 1 people."""
    x, z = pair
    return max(
        _excess(law_of([rows[x], *others]), law_of([rows[z], *others]), a)
        for others in itertools.combinations_with_replacement(rows, n - 1)
    )


def blanket_delta(rows: Sequence[Row], n: int, a: Fraction, pair: tuple[int, int]) -> Fraction:
    """The blanket's own δ: only reports that do not depend on their senders hide the one that does."""
    p, q = (rows[at] for at in pair)
    least = [min(column) for column in zip(*rows, strict=True)]
    share = sum(least, Fraction(0))
    outside = [(a_, b) for a_, b, w in zip(p, q, least, strict=True) if not w]
    total = sum((max(u - a * v, Fraction(0)) for u, v in outside), Fraction(0))
    within = [[v if w else Fraction(0) for v, w in zip(row, least, strict=True)] for row in (p, q)]
    omega = [w / share for w in least]
    for m in range(n):
        chance = math.comb(n - 1, m) * share**m * (1 - share) ** (n - 1 - m)
        one, two = (law_of([row, *[omega] * m]) for row in within)
        total += chance * _excess(one, two, a)
    return total


def some_channel(
    rng: random.Random, inputs: int, outputs: int, *, holes: bool
) -> list[list[Fraction]]:
    """Random rows; with holes, some outputs are impossible for some inputs."""
    rows = []
    for _ in range(inputs):
        weights = [rng.randint(0 if holes else 1, 9) for _ in range(outputs)]
        weights[rng.randrange(outputs)] += 1
        rows.append([Fraction(weight, sum(weights)) for weight in weights])
    return rows
