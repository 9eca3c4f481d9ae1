"""Short words: the law over every one of them, with what escapes, is that of the integers."""

import random
from fractions import Fraction
from math import gcd

import numpy as np
import pytest

from dprivacy.errors import BadNumber, UnknownCategory, WrongKind, WrongShape
from dprivacy.sampling import CategoricalSampler, KeyedSource, ShortSampler, SystemSource
from support.sampling_fakes import Scripted

EVERY = np.arange(1 << 16, dtype=np.uint16)
ESCAPE = 255


def rows_of_every_kind(rnd: random.Random, k: int) -> list[list[int]]:
    certain = [0] * k
    certain[rnd.randrange(k)] = rnd.randrange(1, 50)
    huge = [rnd.getrandbits(2000) for _ in range(k)]
    lopsided = [1] * k
    lopsided[rnd.randrange(k)] = 10**6
    rare = [0] * k
    rare[0], rare[-1] = rare[0] + 1, rare[-1] + 10**40
    dyadic = [1] * k
    dyadic[-1] += (1 << 12) - k
    return [certain, huge, lopsided, rare, dyadic, [1] * k]


def same_law(one: list[int], other: list[int]) -> bool:
    def lowest(row: list[int]) -> list[int]:
        return [a // gcd(*row) for a in row]

    return lowest(one) == lowest(other)


@pytest.mark.parametrize("bits", [3, 12, 16])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 100, 255])
def test_every_short_word(k: int, bits: int) -> None:
    """Counted over all words; what escapes is left to a sampler with exactly what is missing."""
    rows = rows_of_every_kind(random.Random(k), k)
    sampler = ShortSampler(rows, bits=bits)
    assert sampler._tables is not None
    for x, row in enumerate(rows):
        found = sampler.from_words(np.full(EVERY.size, x), EVERY)
        counts = np.bincount(found, minlength=256).tolist()
        escaped = Fraction(counts.pop(), EVERY.size)
        left = [Fraction(a, sum(row)) - Fraction(n, EVERY.size) for a, n in zip(row, counts)]  # noqa: B905
        assert sum(left) == escaped < Fraction(k, 1 << bits)
        assert min(left) >= 0
        assert not any(counts[k:])
        if escaped:  # the rest has the law left_j/escaped; its own law is tested beside it
            unit = sum(row) << bits
            assert same_law(sampler._exact._rows[x], [int(part * unit) for part in left])


def test_drawing_is_the_word_map_and_then_the_rest() -> None:
    """Four short words of each word, low bits first; escapes read on in the same stream."""
    rows = rows_of_every_kind(random.Random(4), 9)
    sampler = ShortSampler(rows, bits=3)
    codes = np.tile(np.arange(len(rows), dtype=np.int8), 70)[:-3]
    words = KeyedSource(bytes(16), 1).words(1000)
    short = [int(word) >> shift & 0xFFFF for word in words.tolist() for shift in (0, 16, 32, 48)]
    expected = sampler.from_words(codes, np.array(short[: codes.size], np.uint16))
    gone = expected == ESCAPE
    used = -(-codes.size // 4)
    expected[gone] = CategoricalSampler(sampler._exact._rows).draw(
        codes[gone], Scripted(words[used:])
    )
    assert gone.any()
    source = Scripted(words)
    assert sampler.draw(codes.reshape(3, -1), source).tolist() == expected.reshape(3, -1).tolist()
    assert source._words.size == words.size - used - gone.sum()


@pytest.mark.parametrize(("inputs", "k"), [(2, 256), (300, 3)])
def test_large_tables_are_those_of_whole_words(inputs: int, k: int) -> None:
    rows = [[1 + (x + j) % 7 for j in range(k)] for x in range(inputs)]
    codes = np.arange(1000) % inputs
    short, whole = (
        kind(rows).draw(codes, KeyedSource(bytes(16)))
        for kind in (ShortSampler, CategoricalSampler)
    )
    assert short.tolist() == whole.tolist()
    assert short.dtype == whole.dtype


def test_an_output_of_weight_zero_is_never_drawn() -> None:
    rows = [[0, 1, 0, 10**30, 0], [3, 0, 0, 0, 0], [0, 0, 0, 0, 7], [1, 0, 0, 0, 2]]
    sampler = ShortSampler(rows, bits=1)  # nearly everything escapes
    codes = np.repeat(np.arange(4), 2000)
    drawn = sampler.draw(codes, SystemSource())
    assert all(rows[x][y] > 0 for x, y in zip(codes, drawn, strict=True))


def test_frequencies() -> None:
    row = [1, 2, 3, 0, 5]
    n = 200_000
    counts = np.bincount(ShortSampler([row]).draw(np.zeros(n, int), SystemSource()), minlength=5)
    for count, a in zip(counts, row, strict=True):
        p = a / sum(row)
        assert abs(count - n * p) <= 6 * (n * p * (1 - p)) ** 0.5


def test_what_is_wrong_is_refused() -> None:
    sampler = ShortSampler([[1, 1]] * 5)
    assert sampler.shape == (5, 2)
    assert sampler.draw(np.zeros(0, int), SystemSource()).tolist() == []
    with pytest.raises(UnknownCategory, match="the code at position 1 is not one of the 5"):
        sampler.draw(np.array([0, 5]), SystemSource())
    with pytest.raises(WrongKind, match="integers, not float64"):
        sampler.draw(np.zeros(2), SystemSource())  # type: ignore[arg-type]
    with pytest.raises(WrongShape, match="row 1 has 1 weights"):
        ShortSampler([[1, 2], [1]])
    for bits in (0, 17):
        with pytest.raises(BadNumber, match="1 to 16 bits"):
            ShortSampler([[1, 1]], bits=bits)
