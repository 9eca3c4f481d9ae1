"""Rows of integer weights: the law of the draw equals the integers, exactly."""

import random
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from dprivacy.errors import Malformed, TooLarge, UnknownCategory
from dprivacy.sampling import CategoricalSampler, KeyedSource, SystemSource
from support.sampling_fakes import Scripted

EVERY = np.arange(1 << 16, dtype=np.uint64)


def rows_of_every_kind(rnd: random.Random, k: int) -> list[list[int]]:
    one = [0] * k
    one[rnd.randrange(k)] = rnd.randrange(1, 50)
    huge = [rnd.getrandbits(3000) for _ in range(k)]
    mixed = [rnd.randrange(9) * (rnd.random() > 0.5) for _ in range(k)]
    mixed[rnd.randrange(k)] += 1
    lopsided = [1] * k
    lopsided[rnd.randrange(k)] = 10**6
    tiny = [0] * k
    tiny[0], tiny[-1] = tiny[0] + 1, tiny[-1] + 10**40
    dyadic = [1] * k
    dyadic[-1] += (1 << 12) - k
    return [one, huge, mixed, lopsided, tiny, dyadic, [1] * k]


def counted(sampler: CategoricalSampler, code: int) -> list[int]:
    """How many of the 2^16 words give each output, with the unresolved at the end."""
    outputs = sampler.from_words(np.full(1 << 16, code), EVERY)
    assert outputs.min() >= -1
    return np.bincount(np.where(outputs < 0, sampler.shape[1], outputs)).tolist()


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 63, 64, 65, 100, 255, 256])
def test_every_word_of_the_16_bit_twin(k: int) -> None:
    rnd = random.Random(k)
    rows = rows_of_every_kind(rnd, k)
    sampler = CategoricalSampler(rows, bits=16)
    for x, row in enumerate(rows):
        floors = [(a << 16) // sum(row) for a in row]
        counts = counted(sampler, x)
        counts += [0] * (k + 1 - len(counts))
        assert counts == [*floors, (1 << 16) - sum(floors)]
        assert sampler.weights(x) == floors


@pytest.mark.slow
def test_every_word_for_many_rows() -> None:
    rnd = random.Random(1)
    for k in range(1, 301):
        rows = rows_of_every_kind(rnd, k)
        sampler = CategoricalSampler(rows, bits=16)
        for x, row in enumerate(rows):
            floors = [(a << 16) // sum(row) for a in row]
            counts = counted(sampler, x)
            assert counts + [0] * (k + 1 - len(counts)) == [*floors, (1 << 16) - sum(floors)]


@pytest.mark.parametrize("k", [1, 2, 3, 5, 8, 17])
def test_the_residual_law_over_every_number_below_its_bound(k: int) -> None:
    rnd = random.Random(k)
    rows = [[rnd.randrange(12) * (rnd.random() > 0.3) for _ in range(k)] for _ in range(12)]
    for row in rows:
        row[rnd.randrange(k)] += 1
    sampler = CategoricalSampler(rows, bits=16)
    for x, row in enumerate(rows):
        total = sum(row)
        floors = counted(sampler, x)
        rho = (1 << 16) - sum(floors[:k])
        if rho == 0:
            assert all((a << 16) % total == 0 for a in row)
            continue
        source = Scripted(below=range(rho * total))
        found = [sampler.resolve(x, source) for _ in range(rho * total)]
        assert set(source.bounds) == {rho * total}
        for j, a in enumerate(row):
            law = Fraction(floors[j], 1 << 16) + Fraction(rho, 1 << 16) * Fraction(
                found.count(j), rho * total
            )
            assert law == Fraction(a, total)


def test_the_residual_law_at_the_edges_of_huge_totals() -> None:
    rnd = random.Random(3)
    row = [rnd.getrandbits(4000) * (rnd.random() > 0.3) for _ in range(40)]
    sampler = CategoricalSampler([row])
    total = sum(row)
    edge = 0
    for j, a in enumerate(row):
        remainder = (a << 64) % total
        if remainder:
            source = Scripted(below=[edge, edge + remainder - 1])
            assert sampler.resolve(0, source) == j
            assert sampler.resolve(0, source) == j
        edge += remainder
    assert edge % total == 0
    assert edge // total == (1 << 64) - sum(sampler.weights(0))


def test_drawing_is_the_word_map_and_the_resolver() -> None:
    rnd = random.Random(9)
    rows = rows_of_every_kind(rnd, 9)
    sampler = CategoricalSampler(rows, bits=16)
    codes = np.array([rnd.randrange(len(rows)) for _ in EVERY], dtype=np.uint8)
    expected = sampler.from_words(codes, EVERY)
    assert (expected == -1).any()
    for chunk in (1, 1000, 1 << 15, 1 << 20):
        below = [0] * int((expected == -1).sum())
        drawn = sampler.draw(codes, Scripted(EVERY << np.uint64(48), below), chunk=chunk)
        assert (drawn[expected >= 0] == expected[expected >= 0]).all()
        for code, output in zip(codes[expected < 0], drawn[expected < 0], strict=True):
            first = next(j for j, a in enumerate(rows[code]) if (a << 16) % sum(rows[code]))
            assert output == first


def edges(sampler: CategoricalSampler, code: int) -> NDArray[np.uint64]:
    m = sampler._m
    words = {0, (1 << 64) - 1}
    for column, entry in enumerate(sampler._tables[code].tolist()):
        first = column << (64 - m)
        for place in (first, first + (entry >> m)):
            words |= {(place + step) % (1 << 64) for step in (-1, 0, 1)}
    return np.array(sorted(words), dtype=np.uint64)


@pytest.mark.parametrize("k", [1, 2, 3, 100, 127, 128, 300])
def test_edges_of_64_bit_words_against_plain_integers(k: int) -> None:
    rows = rows_of_every_kind(random.Random(k), k)
    sampler = CategoricalSampler(rows)
    m = sampler._m
    for x, row in enumerate(rows):
        assert sampler.weights(x) == [(a << 64) // sum(row) for a in row]
        words = edges(sampler, x)
        found = sampler.from_words(np.full(words.size, x), words).tolist()
        for word, output in zip(words.tolist(), found, strict=True):
            column, lower = divmod(word, 1 << (64 - m))
            threshold, change = divmod(int(sampler._tables[x, column]), 1 << m)
            plain = column if lower < threshold else column ^ change
            assert output == (-1 if plain == k else plain)
            assert output == -1 or row[output] > 0


def test_an_output_of_weight_zero_is_never_drawn() -> None:
    rows = [[0, 1, 0, 10**30, 0], [3, 0, 0, 0, 0], [0, 0, 0, 0, 7]]
    sampler = CategoricalSampler(rows, bits=5)  # nearly everything is left to the resolver
    codes = np.repeat(np.arange(3), 3000)
    drawn = sampler.draw(codes, SystemSource())
    assert all(rows[x][y] > 0 for x, y in zip(codes, drawn, strict=True))


def test_shape_and_type_follow_the_codes_and_the_outputs() -> None:
    for k, dtype in ((1, np.uint8), (255, np.uint8), (256, np.uint16), (65_000, np.uint16)):
        sampler = CategoricalSampler([[1] * k])
        for code_type in (np.uint8, np.int8, np.int64, np.uint64):
            drawn = sampler.draw(np.zeros((3, 4), dtype=code_type), SystemSource())
            assert drawn.shape == (3, 4)
            assert drawn.dtype == dtype
            assert drawn.max() < k
    assert sampler.draw(np.zeros(0, dtype=int), SystemSource()).shape == (0,)
    assert repr(sampler) == "<CategoricalSampler 1 inputs × 65000 outputs>"


def test_numpy_integers_are_read_as_integers() -> None:
    weights = np.array([[2**62, 2**62, 2**61]], dtype=np.int64)
    assert CategoricalSampler(weights).weights(0) == [2 * 2**64 // 5, 2 * 2**64 // 5, 2**64 // 5]


def test_a_keyed_source_repeats_the_draw() -> None:
    sampler = CategoricalSampler([[1, 2, 4], [4, 2, 1]])
    codes = np.arange(1000) % 2
    first, again, other = (
        sampler.draw(codes, KeyedSource(bytes(16), part)).tolist() for part in (1, 1, 2)
    )
    assert first == again != other


def test_frequencies() -> None:
    rows = [[1, 2, 3, 0, 4], [5, 0, 0, 0, 5]]
    sampler = CategoricalSampler(rows)
    n = 200_000
    for x, row in enumerate(rows):
        counts = np.bincount(sampler.draw(np.full(n, x), SystemSource()), minlength=5)
        for count, a in zip(counts, row, strict=True):
            p = a / sum(row)
            assert abs(count - n * p) <= 6 * (n * p * (1 - p)) ** 0.5


@pytest.mark.parametrize(
    ("rows", "text"),
    [
        ([], "at least one row"),
        ([[]], "row 0 should have weights of at least 0 with a positive sum"),
        ([[1, 2], [1]], "row 1 has 1 weights and row 0 has 2"),
        ([[1, -1]], "row 0 should have weights of at least 0"),
        ([[1, 1], [0, 0]], "row 1 should have weights of at least 0 with a positive sum"),
        (
            [[0.5, 0.5]],
            "row 0 has a weight that is not an integer; write the row over one denominator",
        ),
        ([[Fraction(1, 2), 1]], "not an integer"),
        ([[True, 1]], "a weight that is a bool"),
    ],
)
def test_bad_rows_are_refused(rows: list[list[int]], text: str) -> None:
    with pytest.raises(Malformed, match=text):
        CategoricalSampler(rows)


def test_tables_that_would_not_fit_are_refused_at_once() -> None:
    row = [1] * 65_000
    with pytest.raises(TooLarge, match=r"5000 inputs and 65000 outputs would take 2\.4 GiB"):
        CategoricalSampler([row] * 5000)


@pytest.mark.parametrize("bits", [0, 2, 65])
def test_word_sizes_that_do_not_fit_are_refused(bits: int) -> None:
    with pytest.raises(Malformed, match="3 outputs need words of 3 to 64 bits"):
        CategoricalSampler([[1, 1, 1]], bits=bits)


@pytest.mark.parametrize("code", [-1, 77])
def test_a_foreign_code_is_refused_without_being_shown(code: int) -> None:
    sampler = CategoricalSampler([[1, 1]] * 5)
    codes = np.array([0, 4, 3, code, 1])
    with pytest.raises(UnknownCategory, match="the code at position 3 is not one of the 5") as told:
        sampler.draw(codes, SystemSource())
    assert str(code) not in str(told.value)


def test_odd_arguments_are_refused() -> None:
    sampler = CategoricalSampler([[1, 1]], bits=16)
    with pytest.raises(Malformed, match="integers, not float64"):
        sampler.draw(np.array([0.0]), SystemSource())  # type: ignore[arg-type]
    with pytest.raises(Malformed, match="a chunk must be at least 1, not 0"):
        sampler.draw(np.array([0]), SystemSource(), chunk=0)
    with pytest.raises(Malformed, match=r"one word below 2\^16 for each code"):
        sampler.from_words(np.array([0]), np.array([1 << 16], dtype=np.uint64))
    with pytest.raises(Malformed, match="one word below"):
        sampler.from_words(np.array([0, 0]), np.array([1], dtype=np.uint64))
