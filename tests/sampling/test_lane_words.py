"""Lanes: AES-256 as it is published, and each lane's own words whatever is drawn beside it."""

import sys

import numpy as np
import pytest

from dprivacy.errors import MissingExtra, WrongShape
from dprivacy.sampling import CategoricalSampler, Lanes, SystemSource
from dprivacy.sampling.lane_words import PIECE, block_cipher, lane_of
from support.plain_aes import aes_256, words_of
from support.programs import printed

KEY = bytes(range(32))


def rows(*blocks):
    return np.frombuffer(b"".join(blocks), "<u8").reshape(-1, 2)


def test_the_block_cipher_is_that_of_the_standard():
    """FIPS 197, appendix C.3; and every block of an array by the definition."""
    plain, cipher = "00112233445566778899aabbccddeeff", "8ea2b7ca516745bfeafc49904b496089"
    assert block_cipher(KEY)(rows(bytes.fromhex(plain))).tobytes().hex() == cipher
    assert aes_256(KEY, bytes.fromhex(plain)).hex() == cipher
    many = [bytes([k] * 16) for k in range(5)]
    assert block_cipher(KEY)(rows(*many)).tobytes() == b"".join(aes_256(KEY, b) for b in many)


def test_pieces_make_no_difference():
    blocks = np.arange(2 * (2 * PIECE + 3), dtype="<u8").reshape(-1, 2)
    cipher = block_cipher(KEY)
    whole = cipher(blocks)
    for part in (slice(0, 0), slice(5, 9), slice(PIECE - 1, PIECE + 1), slice(2 * PIECE, None)):
        assert (cipher(blocks[part]) == whole[part]).all()
    assert (cipher(blocks[::-3]) == whole[::-3]).all()
    assert (whole[-1] == rows(aes_256(KEY, blocks[-1].tobytes()))).all()


def test_words_are_those_of_the_definition():
    starts = rows(bytes(16), b"\xff" * 16, bytes(range(16)))
    expected = [[next(w) for _ in range(9)] for w in (words_of(KEY, s.tobytes()) for s in starts)]
    lanes = Lanes(KEY, starts)
    assert np.stack([lanes.words(3) for _ in range(9)], axis=1).tolist() == expected
    lanes = Lanes(KEY, starts)
    assert [lanes.lane(i).words(9).tolist() for i in range(3)] == expected


def test_lanes_that_go_on_alone_read_on_where_they_were():
    starts = np.arange(20, dtype="<u8").reshape(-1, 2)
    expected = [Lanes(KEY, starts).lane(i).words(12).tolist() for i in range(10)]
    lanes = Lanes(KEY, starts)
    read = [[] for _ in range(10)]
    left = np.arange(10)
    for round_number in range(4):
        for i, word in zip(left, lanes.words(len(left)).tolist(), strict=True):
            read[i].append(word)
        one = left[round_number]
        read[one] += lanes.lane(round_number).words(2).tolist()
        big = lanes.lane(0).below(1 << 128)
        read[left[0]] += [big % (1 << 64), big >> 64]
        chosen = left % 6 != round_number
        left, lanes = left[chosen], lanes.only(chosen)
    assert all(mine == theirs[: len(mine)] for mine, theirs in zip(read, expected, strict=True))
    assert {len(mine) for mine in read} > {1}


def test_a_word_for_every_lane_or_none():
    lanes = Lanes(KEY, rows(bytes(16), bytes(16)))
    for n in (1, 3):
        with pytest.raises(WrongShape, match="2 lanes have one next word each"):
            lanes.words(n)
    with pytest.raises(WrongShape, match="choose it with lane"):
        lanes.below(7)


def test_what_a_word_leaves_open_is_drawn_from_its_own_lane():
    """A sampler of 3 bits, whose residual is often drawn: together as one by one."""
    sampler = CategoricalSampler([[3, 4, 6]], bits=3)
    starts = np.arange(600, dtype="<u8").reshape(-1, 2)
    codes = np.zeros(300, dtype=np.intp)
    together = sampler.draw(codes, Lanes(KEY, starts))
    alone = [sampler.draw(codes[:1], Lanes(KEY, starts).lane(i))[0] for i in range(300)]
    assert together.tolist() == alone


def test_a_stream_of_all_has_no_lanes():
    source = SystemSource()
    assert lane_of(source, 3) is source


def test_without_the_library_it_is_refused_with_the_way_out(monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.ciphers", None)
    with pytest.raises(MissingExtra, match=r"keyed noise needs cryptography; .*dprivacy\[table\]"):
        block_cipher(KEY)


def test_loading_the_room_loads_no_library():
    program = "import sys, dprivacy.sampling; print('cryptography' in sys.modules)"
    assert printed(program).strip() == "False"
