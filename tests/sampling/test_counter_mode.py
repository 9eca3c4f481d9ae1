"""The stream of a chunk: the documented cipher, entered anywhere, and named by what a run keeps to."""

import copy
import hmac
import pickle
import sys

import numpy as np
import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from hypothesis import given, strategies as st

from dprivacy.errors import BadNumber, MissingExtra, RepeatedStream, UnknownName
from dprivacy.sampling import CtrWords, KeyedSource, best_stream, chunk_stream

KEY = bytes(range(32))


def documented(key: bytes, chunk: int, blocks: int) -> list[int]:
    """The words by the definition: AES of each counter by itself."""
    name = b"dprivacy stream aes-256-ctr 1\0" + chunk.to_bytes(8, "little")
    aes = Cipher(algorithms.AES(hmac.digest(key, name, "sha256")), modes.ECB()).encryptor()
    stream = b"".join(aes.update(k.to_bytes(16, "big")) for k in range(blocks))
    return [int.from_bytes(stream[k : k + 8], "little") for k in range(0, len(stream), 8)]


def test_known_answers_that_openssl_gives() -> None:
    # printf of HMAC's message | openssl dgst -hmac; then openssl enc -aes-256-ctr of zeros
    assert CtrWords(KEY, 7).words(2).tolist() == [0x2C3D29C205BFCC96, 0x720BB9CCC3CB78F3]


def test_a_published_vector_of_the_cipher() -> None:
    # FIPS 197, C.3: that it is AES-256 which the library calls so
    aes = Cipher(algorithms.AES(KEY), modes.ECB()).encryptor()
    plain = bytes.fromhex("00112233445566778899aabbccddeeff")
    assert aes.update(plain).hex() == "8ea2b7ca516745bfeafc49904b496089"


@pytest.mark.parametrize("chunk", [0, 1, 7, (1 << 64) - 1])
def test_the_stream_is_the_documented_one(chunk: int) -> None:
    assert CtrWords(KEY, chunk).words(300).tolist() == documented(KEY, chunk, 150)


def test_a_stream_goes_on_beyond_what_is_made_at_a_time() -> None:
    n = (1 << 16) + 10  # words; 2^15 are made at a time
    assert CtrWords(KEY, 3).words(n).tolist() == documented(KEY, 3, n // 2)


@given(st.lists(st.integers(0, 9000), max_size=8), st.integers(0, 999))
def test_the_words_do_not_depend_on_cuts_or_on_where_it_is_entered(
    sizes: list[int], start: int
) -> None:
    source = CtrWords(KEY, 5, word=start)
    pieces = [source.words(n) for n in sizes]
    whole = CtrWords(KEY, 5).words(start + sum(sizes))[start:]
    assert np.concatenate([*pieces, whole[:0]]).tobytes() == whole.tobytes()


def test_below_takes_the_next_words() -> None:
    plain = documented(KEY, 0, 3)
    source = CtrWords(KEY, 0)
    assert source.below(1 << 64) == plain[0]
    assert source.below(1 << 3) == plain[1] % 8
    assert source.below(1 << 128) == plain[2] + (plain[3] << 64)
    assert source.secure


def test_keys_and_chunks_have_streams_of_their_own() -> None:
    streams = {
        CtrWords(key, chunk).words(4).tobytes()
        for key in (KEY, KEY[:31], KEY[:16])
        for chunk in (0, 1, 256, 1 << 56)
    }
    assert len(streams) == 12


@pytest.mark.parametrize(
    ("key", "chunk", "word", "what"),
    [
        (bytes(15), 0, 0, "at least 16 bytes, not 15"),
        (KEY, -1, 0, "at least 0, not -1"),
        (KEY, 1 << 64, 0, "below 2"),
        (KEY, 0, -1, "at least 0"),
    ],
)
def test_what_names_no_stream_is_refused(key: bytes, chunk: int, word: int, what: str) -> None:
    with pytest.raises(BadNumber, match=what):
        CtrWords(key, chunk, word=word)


def test_the_key_is_not_printed_and_the_stream_not_copied() -> None:
    assert repr(CtrWords(KEY, 7)) == "CtrWords(chunk=7)"
    for again in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(RepeatedStream, match="cannot be copied or pickled"):
            again(CtrWords(KEY, 7))


def test_streams_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    assert best_stream() == "aes-256-ctr 1"
    fast, slow = (chunk_stream(name, KEY, 9) for name in ("aes-256-ctr 1", "shake-256 1"))
    assert fast.words(5).tobytes() == CtrWords(KEY, 9).words(5).tobytes()
    assert slow.words(5).tobytes() == KeyedSource(KEY, 9).words(5).tobytes()
    with pytest.raises(UnknownName, match="a stream is 'aes-256-ctr 1' or 'shake-256 1', not"):
        chunk_stream("chacha", KEY, 9)
    for name in [name for name in sys.modules if name.split(".")[0] == "cryptography"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cryptography", None)
    assert best_stream() == "shake-256 1"
    with pytest.raises(MissingExtra, match=r"cryptography; install it with .*dprivacy\[table\]"):
        chunk_stream("aes-256-ctr 1", KEY, 9)
