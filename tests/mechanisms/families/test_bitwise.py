"""Bitwise randomised response."""

import math
from fractions import Fraction as Q
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dprivacy.errors import (
    DPrivacyError,
    InsecureSeedWarning,
    Malformed,
    NotApplicable,
    UnknownCategory,
)
from dprivacy.mechanisms import bitwise_response
from dprivacy.model import as_channel
from dprivacy.numbers import ln
from dprivacy.spaces import hamming_cube
from dprivacy.spaces.endless_spaces import BitStrings
from dprivacy.verify import privacy, smallest_eps


@pytest.mark.statement("T", "Def 10.3.7")
@pytest.mark.parametrize("a", [Q(2), Q(3, 2), Q(20)])
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_every_bit_is_kept_with_the_same_chance(a, bits):
    mechanism = bitwise_response(bits, eps=ln(a))
    keep, flip = a / (1 + a), 1 / (1 + a)
    strings = list(product([0, 1], repeat=bits))
    assert list(mechanism.channel.rows) == strings
    for v in strings:
        for y in strings:
            differ = sum(p != q for p, q in zip(v, y, strict=True))
            assert mechanism.channel[v, y] == keep ** (bits - differ) * flip**differ
    assert smallest_eps(mechanism.channel, hamming_cube(bits)) == ln(a)


def test_long_strings_have_no_list_of_all_of_them():
    mechanism = bitwise_response(64, eps=1)
    assert mechanism.guarantee.space == BitStrings(64)
    assert mechanism.guarantee.space.distance([0] * 64, [1] * 64) == 64
    assert mechanism.channel is None
    with pytest.raises(NotApplicable, match="no channel"):
        as_channel(mechanism)
    assert mechanism.randomise(np.ones((3, 64), dtype=np.uint8)).shape == (3, 64)


def test_bits_are_flipped_independently():
    with pytest.warns(InsecureSeedWarning):
        noisy = bitwise_response(3, eps="ln 3").randomise(
            np.tile([1, 0, 1], (40_000, 1)), insecure_seed=2
        )
    flips = (noisy != [1, 0, 1]) @ [4, 2, 1]
    expected = [
        40_000 * 0.25 ** bin(k).count("1") * 0.75 ** (3 - bin(k).count("1")) for k in range(8)
    ]
    assert stats.chisquare(np.bincount(flips, minlength=8), expected).pvalue > 1e-3


@pytest.mark.parametrize("dtype", [np.uint8, np.int64, np.bool_, np.float32, object])
def test_arrays_keep_their_type(dtype):
    values = np.array([[0, 1, 1], [1, 0, 0]], dtype=dtype)
    noisy = bitwise_response(3, eps=1).randomise(values)
    assert noisy.dtype == dtype
    assert noisy.shape == (2, 3)


def test_lists_of_tuples():
    noisy = bitwise_response(2, eps=1).randomise([(0, 1), [1, 1], np.array([0, 0])])
    assert all(type(row) is tuple for row in noisy)
    assert all(type(bit) is int for row in noisy for bit in row)
    assert bitwise_response(2, eps=1).randomise([]) == []
    assert bitwise_response(2, eps=1).randomise(np.zeros((0, 2))).shape == (0, 2)


@pytest.mark.parametrize("bad", [0.5, 2, -1, math.nan, 0.999, 256, 2**70])
def test_what_is_neither_0_nor_1_is_refused_by_row(bad):
    """0.5 is not quietly cut to 0."""
    mechanism = bitwise_response(3, eps=1)
    with pytest.raises(UnknownCategory, match="row 1 "):
        mechanism.randomise([(0, 1, 0), (0, bad, 1)])
    if bad != 2**70:
        with pytest.raises(UnknownCategory, match="row 1 "):
            mechanism.randomise(np.array([[0, 1, 0], [0, bad, 1]]))


@pytest.mark.parametrize(
    "values",
    [
        5,
        None,
        [5],
        ["011"],
        "011",
        [("canary", 1, 0)],
        [(0, 1)],
        [(0, 1, 1, 0)],
        [(0, 1, 1), (0,)],
        np.zeros(3),
        np.zeros((2, 1, 3)),
        np.zeros((3, 2)),
        np.array([["0", "1", "1"]]),
        np.array([[1j, 0, 0]]),
        np.ma.array([[1, 0, 1]], mask=[[0, 1, 0]]),
    ],
    ids=str,
)
def test_what_is_no_bit_string(values):
    with pytest.raises(Malformed) as caught:
        bitwise_response(3, eps=1).randomise(values)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize("bits", [0, -1, 2.5, "3", True, None])
def test_lengths_that_are_refused(bits):
    with pytest.raises(DPrivacyError):
        bitwise_response(bits, eps=1)


def test_a_real_level():
    mechanism = bitwise_response(3, eps=1)
    assert privacy(mechanism.channel, hamming_cube(3), eps=1)
    assert not privacy(mechanism.channel, hamming_cube(3), eps=1 - 1e-8)
