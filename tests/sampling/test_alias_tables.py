"""Alias tables: the law counted over every word, and at the edges of 64-bit words."""

import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.typing import NDArray

from dprivacy.errors import Malformed, TooLarge, Uncertified
from dprivacy.sampling import alias_tables as alias
from dprivacy.sampling.alias_tables import alias_table, column_bits, outcome_dtype, pick, table_law


def outcomes(table: NDArray[np.uint64], words: NDArray[np.uint64]) -> NDArray[np.unsignedinteger]:
    m = table.size.bit_length() - 1
    out: NDArray[np.unsignedinteger] = np.empty(words.size, dtype=outcome_dtype(m))
    pick(table, m, words, out)
    return out


def reference(table: NDArray[np.uint64], word: int) -> int:
    """The outcome of one word, in plain integers."""
    m = table.size.bit_length() - 1
    column, lower = divmod(word, 1 << (64 - m))
    threshold, change = divmod(int(table[column]), 1 << m)
    return column if lower < threshold else column ^ change


def random_weights(rnd: random.Random, k: int, total: int) -> list[int]:
    """Non-negative integers with the total; often zero, often lopsided."""
    if rnd.random() < 0.1:
        weights = [0] * k
        weights[rnd.randrange(k)] = total
        return weights
    power = rnd.choice([0.2, 1, 6])
    raw = [rnd.random() ** power * (rnd.random() > 0.2) for _ in range(k)]
    raw[rnd.randrange(k)] += 1e-9
    weights = [int(total * (r / sum(raw)) * (1 - 1e-9)) for r in raw]
    weights[rnd.randrange(k)] += total - sum(weights)
    return weights


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 100, 127, 128, 129, 255, 256])
def test_every_word_of_a_16_bit_table(k: int) -> None:
    rnd = random.Random(k)
    every = np.arange(1 << 16, dtype=np.uint64) << np.uint64(48)
    junk = np.frombuffer(rnd.randbytes(1 << 19), dtype=np.uint64) >> np.uint64(16)
    for m in {column_bits(k), column_bits(k) + 2}:
        for _ in range(12):
            weights = random_weights(rnd, k, 1 << 16)
            table = alias_table(weights, 16, m)
            counts = np.bincount(outcomes(table, every), minlength=1 << m).tolist()
            assert counts == weights + [0] * ((1 << m) - k)
            assert (outcomes(table, every | junk) == outcomes(table, every)).all()


@settings(max_examples=60)
@given(st.integers(1, 300), st.integers(0, 2**32), st.integers(10, 64))
def test_the_counted_law_is_the_weights(k: int, seed: int, bits: int) -> None:
    weights = random_weights(random.Random(seed), k, 1 << bits)
    m = column_bits(k)
    law = table_law(alias_table(weights, bits, m))
    assert law == [w << (64 - bits) for w in weights] + [0] * ((1 << m) - k)


def edge_words(table: NDArray[np.uint64]) -> list[int]:
    """First and last words, and those around the edges of columns and around thresholds."""
    m = table.size.bit_length() - 1
    words = {0, 1, (1 << 64) - 1, (1 << 64) - 2}
    for column, entry in enumerate(table.tolist()):
        first = column << (64 - m)
        for place in (first, first + (entry >> m)):
            words |= {(place + step) % (1 << 64) for step in (-2, -1, 0, 1, 2)}
    return sorted(words)


@pytest.mark.parametrize("k", [1, 2, 3, 100, 255, 256, 257])
def test_edges_of_64_bit_words(k: int) -> None:
    rnd = random.Random(k)
    for _ in range(6):
        table = alias_table(random_weights(rnd, k, 1 << 64), 64, column_bits(k))
        words = edge_words(table)
        found = outcomes(table, np.array(words, dtype=np.uint64)).tolist()
        assert found == [reference(table, word) for word in words]


@pytest.mark.parametrize(
    "weights", [[1 << 64], [0, 1 << 64], [1, (1 << 64) - 1], [1 << 63, 1 << 63, 0, 0]]
)
def test_extreme_weights(weights: list[int]) -> None:
    m = column_bits(len(weights))
    table = alias_table(weights, 64, m)
    assert table_law(table)[: len(weights)] == weights
    impossible = {j for j, w in enumerate(weights + [0] * ((1 << m) - len(weights))) if w == 0}
    words = np.array(edge_words(table), dtype=np.uint64)
    assert not impossible & set(outcomes(table, words).tolist())


def test_several_tables_one_after_the_other() -> None:
    rnd = random.Random(5)
    tables = [alias_table(random_weights(rnd, 11, 1 << 64), 64, 4) for _ in range(7)]
    words = np.frombuffer(rnd.randbytes(8000), dtype=np.uint64)
    for dtype in (np.uint8, np.int16, np.int64, np.uint64):
        rows = np.array([rnd.randrange(7) for _ in words], dtype=dtype)
        out = np.empty(words.size, dtype=np.uint8)
        pick(np.concatenate(tables), 4, words, out, rows)
        assert out.tolist() == [
            reference(tables[row], word)
            for row, word in zip(rows.tolist(), words.tolist(), strict=True)
        ]


def test_a_table_that_is_off_by_one_is_not_let_out(monkeypatch: pytest.MonkeyPatch) -> None:
    fill = alias._fill

    def off_by_one(
        weights: NDArray[np.uint64], capacity: int
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        threshold, other = fill(weights, capacity)
        threshold[int(np.flatnonzero(threshold)[0])] -= np.uint64(1)
        return threshold, other

    monkeypatch.setattr(alias, "_fill", off_by_one)
    with pytest.raises(Uncertified, match="does not have the law"):
        alias_table([1 << 61, 3 << 61, 1 << 63], 64, 2)


@pytest.mark.parametrize(
    ("weights", "bits", "m"),
    [([1, 2], 2, 1), ([-1, 5], 2, 1), ([1, 2, 1], 2, 1), ([2, 2], 2, 2), ([1 << 65], 65, 1)],
)
def test_bad_weights_are_refused(weights: Sequence[int], bits: int, m: int) -> None:
    with pytest.raises(Malformed):
        alias_table(weights, bits, m)


def test_column_bits() -> None:
    assert [column_bits(k) for k in (1, 2, 3, 4, 5, 256, 257, 65536)] == [1, 1, 2, 2, 3, 8, 9, 16]
    with pytest.raises(TooLarge, match="draw in two steps"):
        column_bits((1 << 20) + 1)
