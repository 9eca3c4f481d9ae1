"""Digits of a geometric number: the tables' weights and the law of what they leave out."""

import random
from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate

import numpy as np
import pytest
from flint import arb, ctx

from dprivacy.numbers import Level, ln, root
from dprivacy.sampling import DiscreteLaplace
from dprivacy.sampling.geometric_digits import BASE, GeometricDigit
from support.sampling_fakes import Scripted

# Levels, and the same numbers as functions of Arb, written independently.
LEVELS = {
    "1": (Level(1), lambda: arb(1)),
    "1/1000": (Level("1/1000"), lambda: arb(1) / 1000),
    "2^-40": (Level(Fraction(1, 1 << 40)), lambda: arb(1) / (1 << 40)),
    "ln 2": (ln(2), lambda: arb(2).log()),
    "100 ln 2": (100 * ln(2), lambda: 100 * arb(2).log()),
    "(ln 2)/10": (ln(2) / 10, lambda: arb(2).log() / 10),
    "(ln 2)/5": (ln(2) / 5, lambda: arb(2).log() / 5),
    "sqrt 2 ln 3": (root(2) * ln(3), lambda: arb(2).sqrt() * arb(3).log()),
    "ln 33/32": (ln(Fraction(33, 32)), lambda: arb(33).log() - arb(32).log()),
    "4096": (Level(4096), lambda: arb(4096)),
}
# Rational e^level: (level, q); the second has two digits.
RATIONAL = [
    (ln(2), Fraction(1, 2)),
    (ln(Fraction(33, 32)), Fraction(32, 33)),
    (ln(3), Fraction(1, 3)),
    (ln(4), Fraction(1, 4)),
    (100 * ln(2), Fraction(1, 1 << 100)),
    (ln(Fraction(3, 2)), Fraction(2, 3)),
]


def exact_law(Q: Fraction, top: bool) -> list[Fraction]:
    share = (1 - Q) / (1 if top else 1 - Q**BASE)
    return list(accumulate([Q] * (BASE - 1), lambda p, q: p * q, initial=share))


@pytest.mark.parametrize("name", LEVELS)
@pytest.mark.parametrize("bits", [16, 64])
def test_weights_are_the_floors_of_the_law(name: str, bits: int) -> None:
    level, value = LEVELS[name]
    digits = DiscreteLaplace(level, bits=bits).digits
    with ctx.workprec(14_000):
        for i, digit in enumerate(digits):
            Q = (-value() * BASE**i).exp()
            last = i == len(digits) - 1
            share = (1 - Q) / (1 if last else 1 - Q**BASE)
            for d, weight in enumerate(digit.weights):
                p = share * Q**d * arb(2) ** bits
                assert not (p < weight)  # certainly or touching
                assert p < weight + 1


@pytest.mark.parametrize(("level", "q"), RATIONAL)
@pytest.mark.parametrize("bits", [9, 16, 64])
def test_weights_are_the_floors_of_a_rational_law(level: Level, q: Fraction, bits: int) -> None:
    digits = DiscreteLaplace(level, bits=bits).digits
    for i, digit in enumerate(digits):
        law = exact_law(q ** (BASE**i), i == len(digits) - 1)
        assert digit.weights == [int(p * (1 << bits)) for p in law]


def test_independent_digits_make_the_geometric() -> None:
    q = Fraction(32, 33)
    low, high = exact_law(q, False), exact_law(q**BASE, True)
    for g in (0, 1, 254, 255, 256, 1000, 255 * 255 - 1):
        assert low[g % BASE] * high[g // BASE] == (1 - q) * q**g


@pytest.mark.parametrize("name", LEVELS)
def test_every_word_of_the_16_bit_twin(name: str) -> None:
    every = np.arange(1 << 16, dtype=np.uint64)
    for digit in DiscreteLaplace(LEVELS[name][0], bits=16).digits:
        found = digit.from_words(every)
        counts = np.bincount(np.where(found < 0, BASE, found), minlength=BASE + 1).tolist()
        assert counts == [*digit.weights, (1 << 16) - sum(digit.weights)]


def forced(digit: GeometricDigit, v: int, more: list[int], rnd: random.Random) -> int:
    """What the resolver says of V = v/2^64 and further bits; a fresh digit is always 0."""
    words = np.arange(1 << digit._bits, dtype=np.uint64)
    zero = int(np.flatnonzero(digit.from_words(words) == 0)[0])
    later = [rnd.getrandbits(64) for _ in range(4)]
    return digit.resolve(Scripted([zero << (64 - digit._bits)], [v, *more, *later]))


def resolver_edges(Q: Fraction, top: bool, weights: list[int], bits: int) -> list[int]:
    """Where the digit changes, R(d)/ρ in units of 2^-192, rounded up: V < edge iff V < R(d)."""
    rho = (1 << bits) - sum(weights)
    whole = 1 if top else Q.denominator**BASE - Q.numerator**BASE
    edges, a, b, below = [], 1, 1, 0
    for d, weight in enumerate(weights):
        a, b, below = a * Q.numerator, b * Q.denominator, below + weight
        # P(D ≤ d) = (b − a)/b, over (1 − Q^255) for a bounded digit
        top_part, bottom = b - a, b
        if not top:
            top_part, bottom = top_part * Q.denominator ** (BASE - 1 - d), whole
        edges.append(-((-((top_part << bits) - below * bottom) << 192) // (bottom * rho)))
    return edges


@pytest.mark.parametrize("bits", [9, 12, 16])
@pytest.mark.parametrize(("level", "q"), RATIONAL)
def test_the_resolver_inverts_the_residual_law(level: Level, q: Fraction, bits: int) -> None:
    rnd = random.Random(bits)
    digits = DiscreteLaplace(level, bits=bits).digits
    for i, digit in enumerate(digits):
        rho = (1 << bits) - sum(digit.weights)
        if rho == 0:
            continue
        edges = resolver_edges(q ** (BASE**i), i == len(digits) - 1, digit.weights, bits)
        # Starts of V: a grid, and the 64-bit words around each place where the digit changes.
        starts = {rnd.getrandbits(64) for _ in range(150)} | {0, (1 << 64) - 1}
        for d in [*rnd.sample(range(BASE), 40), 0, 1, 2]:
            word = edges[d] >> 128
            starts |= {max(0, min(word + step, (1 << 64) - 1)) for step in (-1, 0, 1)}
        for v in starts:
            second, third = rnd.getrandbits(64), rnd.getrandbits(64)
            V = (((v << 64) | second) << 64) | third
            expected = bisect_right(edges, V)
            assert forced(digit, v, [second, third], rnd) == expected


@pytest.mark.parametrize("name", ["1/1000", "(ln 2)/10", "sqrt 2 ln 3", "2^-40"])
def test_the_resolver_inverts_an_irrational_law(name: str) -> None:
    rnd = random.Random(7)
    level, value = LEVELS[name]
    bits = 12
    digits = DiscreteLaplace(level, bits=bits).digits
    with ctx.workprec(1000):
        for i, digit in enumerate(digits):
            Q = (-value() * BASE**i).exp()
            last = i == len(digits) - 1
            rho = (1 << bits) - sum(digit.weights)
            below = list(accumulate(digit.weights))
            sums = [
                (1 - Q ** (d + 1)) / (1 if last else 1 - Q**BASE) * (1 << bits) - below[d]
                for d in range(BASE)
            ]
            for _ in range(60):
                d = rnd.randrange(BASE)
                edge = int(float(sums[d] / rho) * 2**64) + rnd.randrange(-5000, 5000)
                v = rnd.choice([max(0, min(edge, (1 << 64) - 1)), rnd.getrandbits(64)])
                second = rnd.getrandbits(64)
                V = arb(2 * ((v << 64) | second) + 1) * rho / arb(2) ** 129
                expected = next((d for d, R in enumerate(sums) if V < R), BASE)
                if not last and expected == BASE:
                    expected = BASE - 1  # the last sum is ρ itself
                assert forced(digit, v, [second], rnd) == expected


def test_more_bits_are_taken_when_64_do_not_decide() -> None:
    (digit,) = DiscreteLaplace(ln(3), bits=16).digits
    law = exact_law(Fraction(1, 3), True)
    rho = (1 << 16) - sum(digit.weights)
    edge = (law[0] * (1 << 16) - digit.weights[0]) / rho  # V/ρ below it gives 0
    v = int(edge * (1 << 64))
    second = int(edge * (1 << 128)) & ((1 << 64) - 1)
    for step, expected in ((-1, 0), (1, 1)):
        source = Scripted(below=[v, second + step])
        assert digit.resolve(source) == expected
        assert source.bounds == [1 << 64, 1 << 64]


def test_beyond_254_the_top_digit_starts_afresh() -> None:
    (digit,) = DiscreteLaplace(Level("1/10"), bits=64).digits
    last = (1 << 64) - 1
    residual_word = next(
        word
        for word in range(BASE << 56, (BASE + 1) << 56, 1 << 50)
        if int(digit.from_words(np.array([word], np.uint64))[0]) == -1
    )
    total = np.zeros(1, dtype=np.int64)
    digit.add_to(total, 1, Scripted([residual_word, residual_word, 0], [last, last]))
    assert total[0] == 2 * BASE + int(digit.from_words(np.array([0], np.uint64))[0])
