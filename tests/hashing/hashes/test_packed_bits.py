"""Bit-packed Hamming distances and the nearest by them, against plain counting."""

import numpy as np
import pytest
from scipy import stats

from dprivacy.errors import DPrivacyError, InsecureSeedWarning, Malformed, UnknownCategory
from dprivacy.hashing import hamming_distances, nearest
from dprivacy.hashing.hashes.packed_bits import pack
from dprivacy.sampling import InsecureSource

WIDTHS = [1, 7, 8, 9, 16, 17, 32, 33, 64, 65, 200, 254, 255, 300]


def some_bits(n, width, seed=0):
    return np.random.default_rng(seed).integers(0, 2, (n, width), dtype=np.uint8)


def brute(a, b):
    return (a[:, None, :] != b[None, :, :]).sum(axis=2)


@pytest.mark.parametrize("width", WIDTHS)
def test_distances_are_counts_of_differing_bits(width):
    a, b = some_bits(23, width), some_bits(11, width, 1)
    assert (hamming_distances(a, b) == brute(a, b)).all()
    assert (hamming_distances(a) == brute(a, a)).all()
    assert hamming_distances(np.zeros((1, width), int), np.ones((1, width), int))[0, 0] == width


@pytest.mark.parametrize("width", [20, 64, 90, 300])
def test_without_a_counter_of_bits_the_answers_are_the_same(width, monkeypatch):
    a = some_bits(30, width)
    with_counter = hamming_distances(a)
    monkeypatch.delattr(np, "bitwise_count", raising=False)
    assert (hamming_distances(a) == with_counter).all()
    assert (np.sort(nearest(a, k=3).distances) == nearest(a, k=3).distances).all()


def test_packing_takes_an_eighth_of_a_byte_a_bit():
    assert pack(some_bits(100_000, 64)).nbytes == 800_000
    assert pack(some_bits(1000, 20)).nbytes == 4000


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("k", [1, 4, 39])
@pytest.mark.parametrize("block", [1, 100, 1 << 18])
def test_the_nearest_are_nearest(width, k, block, monkeypatch):
    monkeypatch.setattr("dprivacy.hashing.hashes.packed_bits._BLOCK", block)
    monkeypatch.setattr("dprivacy.hashing.hashes.packed_bits._PROBED", 8)
    a = some_bits(40, width)
    table = brute(a, a)
    np.fill_diagonal(table, 10**6)
    found = nearest(a, k=k)
    assert (found.distances == np.sort(table, axis=1)[:, :k]).all()
    assert (np.take_along_axis(table, found.places, axis=1) == found.distances).all()
    assert all(len(set(row)) == k for row in found.places.tolist())


def test_queries_may_find_themselves():
    a = some_bits(50, 24)
    found = nearest(a, k=2, queries=a[:5])
    assert (found.distances[:, 0] == 0).all()
    table = brute(a[:5], a)
    assert (found.distances == np.sort(table, axis=1)[:, :2]).all()
    assert nearest(a, k=50, queries=a[:1]).places.shape == (1, 50)


def test_among_equally_near_ones_each_has_the_same_chance():
    # Seven strings at distance 1 from the query and one at 0: two of the seven, any two.
    strings = np.vstack([np.zeros((1, 7), int), np.eye(7, dtype=int)])
    with pytest.warns(InsecureSeedWarning):
        source = InsecureSource(4)
    queries = np.zeros((7000, 7), dtype=int)
    found = nearest(strings, k=3, queries=queries, source=source)
    assert (found.places[:, 0] == 0).all()
    for column in (1, 2):
        counts = np.bincount(found.places[:, column], minlength=8)[1:]
        assert stats.chisquare(counts).pvalue > 1e-3
    pairs = np.sort(found.places[:, 1:], axis=1) @ [10, 1]
    assert stats.chisquare(np.unique(pairs, return_counts=True)[1]).pvalue > 1e-3
    # With the same source the choice is the same, whatever the blocks: it is for reproducing.
    with pytest.warns(InsecureSeedWarning):
        again = nearest(strings, k=3, queries=queries, source=InsecureSource(4))
    assert (again.places == found.places).all()


@pytest.mark.parametrize("dtype", [bool, np.int64, np.float32, object])
def test_any_type_of_zeros_and_ones_will_do(dtype):
    a = some_bits(9, 12)
    assert (hamming_distances(a.astype(dtype)) == brute(a, a)).all()


@pytest.mark.parametrize("k", [0, -1, 3, 1.5, True, None])
def test_numbers_of_neighbours_that_are_refused(k):
    with pytest.raises(Malformed, match="k"):
        nearest(some_bits(3, 5), k=k)


@pytest.mark.parametrize(
    "bad",
    [
        [0, 1],
        [[0, 2]],
        [[0.5, 1]],
        [["0", "1"]],
        [[0, 1], [1]],
        np.zeros((2, 0), int),
        np.ma.array([[1, 0], [1, 1]], mask=[[0, 1], [0, 0]]),
        [[[0]]],
        None,
    ],
    ids=str,
)
def test_strings_that_are_refused(bad):
    for use in (hamming_distances, lambda b: nearest(b, k=1), pack):
        with pytest.raises((Malformed, UnknownCategory)):
            use(bad)
    with pytest.raises(DPrivacyError, match="of one length"):
        hamming_distances([[0, 1]], [[0, 1, 1]])
    with pytest.raises(DPrivacyError, match="of one length"):
        nearest([[0, 1]], k=1, queries=[[0, 1, 1]])
