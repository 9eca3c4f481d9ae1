"""Public randomness: a function of the key alone, spread evenly, and never the noise."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dprivacy.errors import WrongKind
from dprivacy.hashing import bit_sampling, lshrr, minhash, random_projection, stable_projection
from dprivacy.hashing.hashes.public_randomness import item_words, normals, public_source, unit
from support.programs import printed

MAKERS = {
    "projection": lambda key: random_projection(3, bits=64, key=key),
    "stable": lambda key: stable_projection(3, bits=64, key=key, width=2),
    "minhash": lambda key: minhash(bits=64, key=key),
    "sampled": lambda key: bit_sampling(9, bits=64, key=key),
}
INPUTS = {
    "projection": [[1, 2, -3], [0, 1, 1]],
    "stable": [[1, 2, -3], [0, 1, 1]],
    "minhash": [{"tea", "rum"}, {"milk"}],
    "sampled": [[0, 1] * 4 + [1], [1, 0] * 4 + [0]],
}


@pytest.mark.parametrize("name", MAKERS)
def test_everyone_with_the_key_hashes_alike_and_others_do_not(name):
    one, same, other = (MAKERS[name](key) for key in ("a", "a", "b"))
    hashed = one.hash(INPUTS[name])
    assert hashed.shape == (2, 64)
    assert hashed.dtype == np.uint8
    assert set(np.unique(hashed)) <= {0, 1}
    assert (hashed == same.hash(INPUTS[name])).all()
    assert (hashed != other.hash(INPUTS[name])).any()
    assert (replace(one, key="b").hash(INPUTS[name]) == other.hash(INPUTS[name])).all()


@pytest.mark.parametrize("name", MAKERS)
def test_the_first_bits_do_not_depend_on_who_else_is_hashed(name):
    function = MAKERS[name]("a")
    together = function.hash(INPUTS[name])
    alone = np.concatenate([function.hash([value]) for value in INPUTS[name]])
    assert (together == alone).all()


def test_words_are_shake_256_of_key_purpose_and_item():
    def part(text):
        return len(text).to_bytes(8, "little") + text

    stream = part(b"dprivacy public hash 1") + part(b"key") + part(b"use") + b"text:tea"
    wanted = hashlib.shake_256(stream).digest(24)
    assert item_words("key", "use", ["tea"], 3).tobytes() == wanted
    first = item_words("key", "use", [1, "1", "tea"], 2)
    assert len(np.unique(first)) == 6  # the number 1 is not the text "1"
    assert (item_words("key", "use", [np.int32(1)], 2) == first[:1]).all()
    assert (item_words("key", "other use", [1], 2) != first[:1]).all()


def test_other_processes_hash_alike():
    program = (
        "from dprivacy.hashing import minhash; "
        "print(minhash(bits=32, key='a').hash([{'tea', 'rum', 'milk'}])[0].tolist())"
    )
    mine = minhash(bits=32, key="a").hash([{"tea", "rum", "milk"}])[0].tolist()
    assert {printed(program) for _ in range(2)} == {f"{mine}\n"}


def test_units_and_normals_have_their_laws():
    words = item_words("law", "law", range(50), 2000)
    assert stats.kstest(unit(words).ravel(), "uniform").pvalue > 1e-3
    assert stats.kstest(normals(words).ravel(), "norm").pvalue > 1e-3
    assert abs(np.corrcoef(normals(words))[0, 1:]).max() < 5 / np.sqrt(1000)
    edge = np.array([[0, 2**64 - 1]], dtype=np.uint64)
    assert ((unit(edge) > 0) & (unit(edge) < 1)).all()
    assert np.isfinite(normals(np.array([[0, 0], [2**64 - 1] * 2], dtype=np.uint64))).all()


def test_noise_does_not_follow_from_the_public_key():
    mechanism = lshrr(random_projection(3, bits=64, key="a"), eps="ln 3")
    assert mechanism.secure
    reports = [mechanism.randomise([[1, 2, -3]]).tobytes() for _ in range(3)]
    assert len(set(reports)) == 3
    derived = mechanism.using(public_source("a", "noise"))
    assert derived.randomise([[1, 2, -3]]).shape == (1, 64)  # possible only by asking for it


@pytest.mark.parametrize("key", ["", "  ", None, 7, b"bytes"])
def test_keys_that_are_refused(key):
    for make in MAKERS.values():
        with pytest.raises(WrongKind, match="everybody knows"):
            make(key)
