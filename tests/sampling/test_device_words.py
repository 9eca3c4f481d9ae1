"""Words of permanent answers: block by block from the definition, whatever calls divide them."""

import hashlib

import numpy as np
import pytest

from dprivacy.errors import BadNumber, WrongKind
from dprivacy.sampling import DeviceSource

KEY = bytes(range(32))


def block(message: bytes) -> bytes:
    """HMAC-SHA-256 by RFC 2104, with hashes alone."""
    padded = KEY.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in padded) + message).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in padded) + inner).digest()


def test_words_are_those_of_the_definition():
    head = b"dprivacy client 1\x00ab\x00d\xc3\xa9\x00" + (7).to_bytes(8, "big")
    made = b"".join(block(head + i.to_bytes(8, "big")) for i in range(3))
    expected = [int.from_bytes(made[at : at + 8], "little") for at in range(0, 96, 8)]
    assert DeviceSource(KEY, "ab", "dé", 7).words(12).tolist() == expected


def test_calls_divide_one_stream():
    whole, parts = (DeviceSource(KEY, "ab", "c", -3, 5) for _ in range(2))
    words = whole.words(20).tolist()
    assert [*parts.words(3).tolist(), parts.below(1 << 64), *parts.words(0).tolist()] == words[:4]
    assert parts.below(1 << 128) == words[4] | words[5] << 64
    assert parts.words(14).tolist() == words[6:]


def test_every_part_of_the_question_counts():
    told = [("a", "b", 1), ("a", "c", 1), ("d", "b", 1), ("a", "b", 2), ("a", "b", 1, 0)]
    first = {int(DeviceSource(KEY, *parts).words(1)[0]) for parts in told}
    assert len(first) == len(told)
    assert int(DeviceSource(b"k" * 32, *told[0]).words(1)[0]) not in first
    assert np.unique(DeviceSource(KEY, "a", "b", 1).words(1000)).size == 1000


def test_what_is_no_key_or_no_text_is_refused():
    with pytest.raises(BadNumber, match="at least 16 bytes"):
        DeviceSource(b"short", "a", "b", 1)
    with pytest.raises(WrongKind, match="texts"):
        DeviceSource(KEY, "a", None, 1)  # type: ignore[arg-type]
