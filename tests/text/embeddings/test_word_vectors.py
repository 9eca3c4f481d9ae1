"""Embeddings: distances, unknown words, nearest words, and files in every format."""

import gzip
import hashlib
import itertools
import struct
import zipfile
from contextlib import suppress
from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from dprivacy.errors import (
    BadFile,
    BadNumber,
    DPrivacyError,
    DuplicateLabel,
    Malformed,
    TooLarge,
    UnknownCategory,
    UnknownName,
    WrongShape,
)
from dprivacy.text import Embedding, embedding_from_groups, read_embedding, small_embedding
from dprivacy.text.embeddings.nearest_vectors import nearest_rows
from dprivacy.text.embeddings.word_distances import WordBags, WordSequences, WordSpace
from support.text_corpora import TINY, glove, random_embedding


@pytest.mark.statement("T", "Def 9.2.2")
def test_words_are_as_far_apart_as_their_vectors():
    assert TINY.distance("tea", "coffee") == 5
    assert TINY.distance("coffee", "moon") == pytest.approx(np.hypot(3, 8))
    assert TINY.space().distance("tea", "moon") == 12
    assert TINY.space(["moon", "tea"]).labels == ("moon", "tea")


@pytest.mark.statement("T", "Lem 9.1")
def test_the_distance_is_a_pseudometric_on_all_texts():
    """Also on words that the vocabulary lacks: they are all at one place, the centre."""
    e = random_embedding(30, 4)
    words = [*e.words[:12], "unheard", "of", "W3", "w5's"]
    d = {(x, z): e.distance(x, z) for x in words for z in words}
    for x in words:
        assert d[x, x] == 0
        for z in words:
            assert d[x, z] == d[z, x]
            assert all(d[x, z] <= d[x, y] + d[y, z] + 1e-12 for y in words)
    assert d["unheard", "of"] == 0
    assert d["W3", "w3"] == d["w5's", "w5"] == 0
    assert d["of", "w1"] == pytest.approx(np.linalg.norm(e.centre - e.vectors[1]))


def test_forms_of_a_word():
    e = Embedding(("China", "tea", "Rome"), np.eye(3))
    assert e.position("china") == e.position("China") == e.position("China’s") == 0
    assert e.position("TEA") == e.position("tea's") == 1
    assert e.position("teas") is None
    assert e.position("'s") is None
    assert e.position("") is None
    assert "rome" in e
    assert "paris" not in e
    assert 3 not in e


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("dimension", [1, 2, 7, 50])
def test_the_nearest_word_is_the_nearest(dimension, dtype):
    """Against all distances by differences, in doubles; float32 products alone would err."""
    rng = np.random.default_rng(dimension)
    rows = rng.normal(size=(700, dimension)).astype(dtype)
    queries = np.vstack([rng.normal(size=(300, dimension)) * 3, rows[:50] + 1e-9])
    squares = (rows.astype(float) ** 2).sum(axis=1)
    found = nearest_rows(queries, rows, squares)
    apart = ((queries[:, None, :] - rows[None].astype(float)) ** 2).sum(axis=2)
    assert (found == apart.argmin(axis=1)).all()


def test_near_ties_far_from_the_origin_are_decided_in_doubles():
    """Around 1000 a float32 cannot tell vectors 1e-5 apart; the answer must."""
    rng = np.random.default_rng(0)
    rows = 1000 + 1e-3 * rng.normal(size=(200, 5))
    queries = 1000 + 1e-3 * rng.normal(size=(100, 5))
    apart = np.linalg.norm(queries[:, None] - rows[None], axis=2)
    found = nearest_rows(queries, rows, (rows**2).sum(axis=1))
    assert (found == apart.argmin(axis=1)).all()
    naive = (2 * queries.astype(np.float32) @ rows.T.astype(np.float32)) - (rows**2).sum(axis=1)
    assert (naive.argmax(axis=1) != apart.argmin(axis=1)).any()


def test_of_equally_near_words_the_first_is_taken():
    e = Embedding(("b", "a"), np.array([[0.0], [2.0]]))
    assert e.nearest([[1.0], [1.0000001]]) == ["b", "a"]


def test_blocks_do_not_change_the_answer(monkeypatch):
    e = random_embedding(40, 3)
    queries = np.random.default_rng(2).normal(size=(57, 3))
    whole = e.nearest(queries)
    monkeypatch.setattr("dprivacy.text.embeddings.nearest_vectors._BLOCK", 100)
    assert e.nearest(queries) == whole


@pytest.mark.parametrize("queries", [[[1.0]], [1.0, 2.0], [[np.nan, 0.0]], [[np.inf, 0.0]]])
def test_vectors_that_have_no_nearest_word(queries):
    with pytest.raises((BadNumber, WrongShape)):
        TINY.nearest(queries)


@pytest.mark.parametrize(
    ("words", "vectors", "says"),
    [
        (["a", "b"], [[1, 2], [3]], "one dimension"),
        (["a", "b"], [[1.0, 2.0]], "as many rows"),
        (["a"], [[]], "as many rows"),
        (["a", "b"], [[1.0], [np.nan]], "'b' is not finite"),
        (["a", "b"], [[1.0], [np.inf]], "'b' is not finite"),
        (["a", 3], [[1.0], [2.0]], "should be text"),
        ([], np.zeros((0, 2)), "at least one"),
        (["a"], [["x"]], "rows of numbers"),
    ],
)
def test_vectors_that_are_refused(words, vectors, says):
    with pytest.raises(Malformed, match=says):
        Embedding(words, vectors)


def test_words_that_are_refused():
    with pytest.raises(DuplicateLabel):
        Embedding(("a", "a"), np.eye(2))
    with pytest.raises(UnknownCategory, match="'venus'"):
        TINY.restrict(["moon", "venus"])
    with pytest.raises(TooLarge, match="4,000"):
        random_embedding(4001, 2).space()


def test_nobody_can_change_the_vectors():
    given = np.eye(2)
    e = Embedding(("a", "b"), given)
    given[0, 0] = 7
    assert e.vectors[0, 0] == 1
    with pytest.raises(ValueError, match="read-only"):
        e.vectors[0, 0] = 7


def test_typical_distances():
    line = Embedding(tuple("abcd"), np.array([[0.0], [1], [3], [7]]))
    assert line.typical == (1.5, 3.5)  # nearest 1, 1, 2, 4; pairs 1, 2, 3, 4, 6, 7


# ------------------------------------------------------------------------------------------- files

ROWS = {"tea": [0.5, -1.25, 3.0], "Kaffee": [1e-3, 2.0, 0.0], "naïve": [7.0, 8.5, -9.0]}


def text_lines(head=""):
    return head + "".join(f"{w} {' '.join(map(str, v))}\n" for w, v in ROWS.items())


def binary(rows=ROWS, end=b""):
    body = b"".join(w.encode() + b" " + struct.pack("<3f", *v) + end for w, v in rows.items())
    return f"{len(rows)} 3\n".encode() + body


def npz(folder, **arrays):
    place = folder / "e.npz"
    np.savez(place, **arrays)
    return place


@pytest.mark.parametrize("form", ["glove", "word2vec", "fasttext", "bin", "bin lines", "gz", "npz"])
def test_every_format_is_read(tmp_path, form):
    place = tmp_path / "e.txt"
    if form == "npz":
        place = npz(tmp_path, words=np.array(list(ROWS)), vectors=np.array(list(ROWS.values())))
    elif form.startswith("bin"):
        place = tmp_path / "e.bin"
        place.write_bytes(binary(end=b"\n" if form == "bin lines" else b""))
    elif form == "gz":
        place = tmp_path / "e.txt.gz"
        place.write_bytes(gzip.compress(text_lines().encode()))
    else:
        place = place.with_suffix(".vec") if form == "fasttext" else place
        place.write_text(text_lines("" if form == "glove" else "3 3\n"), encoding="utf-8")
    e = read_embedding(place)
    assert e.words == tuple(ROWS)
    assert np.allclose(e.vectors, list(ROWS.values()))
    assert e.sha256 == hashlib.sha256(place.read_bytes()).hexdigest()
    assert read_embedding(place, sha256=e.sha256.upper(), most_words=2).words == ("tea", "Kaffee")
    with pytest.raises(BadFile, match="SHA-256"):
        read_embedding(place, sha256="0" * 64)


def test_a_word_that_comes_again_is_passed_over(tmp_path):
    place = tmp_path / "e.txt"
    place.write_text("a 1 2\nb 3 4\na 5 6\nnai\u0308ve 1 1\nna\u00efve 2 2\n", encoding="utf-8")
    e = read_embedding(place)
    assert e.words == ("a", "b", "na\u00efve")
    assert e.vectors[0].tolist() == [1, 2]


def test_words_with_spaces(tmp_path):
    place = tmp_path / "e.txt"
    place.write_text("a 1 2\n. . . 3 4\n")
    assert read_embedding(place).words == ("a", ". . .")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("e.txt", b"a 1 2\nb 3\n", "line 2"),
        ("e.txt", b"a 1 2\nb x 3\n", "not a number"),
        ("e.txt", b"a 1 nan\n", "not finite"),
        ("e.txt", b"a 1e400 2\n", "not finite"),
        ("e.txt", b"", "no word"),
        ("e.txt", b"2 3\n", "no word"),
        ("e.txt", b"word\n", "no numbers"),
        ("e.txt", b"a" * 500 + b" 1 2\n", "400 bytes"),
        ("e.txt", b"a " + b"1" * 200_000, "too long"),
        ("e.bin", b"nonsense", "two counts"),
        ("e.bin", b"2 3\nab", "file ends"),
        ("e.bin", b"1 3\nab \0\0", "ends within"),
        ("e.bin", b"1 3\n" + b"x" * 1000, "too long"),
        ("e.bin", b"1 0\n", "no numbers"),
        ("e.npz", b"PK nonsense", "npz"),
        ("e.dat", b"a 1 2\n", "give form"),
        ("e.txt.gz", b"not packed", "cannot be read"),
        ("e.txt.gz", gzip.compress(b"a 1 2\n" * 2000, mtime=0)[:-20], "cannot be read|damaged"),
    ],
)
def test_files_that_are_refused(tmp_path, name, content, says):
    place = tmp_path / name
    place.write_bytes(content)
    with np.errstate(over="ignore"), pytest.raises(DPrivacyError, match=says):
        read_embedding(place)


@pytest.mark.parametrize("count", ["9" * 5000, "²"])
def test_a_first_line_that_is_no_count(tmp_path, count):
    path = tmp_path / "e.vec"
    path.write_text(f"3 {count}\ncat 1 2\n", encoding="utf-8")
    with pytest.raises((BadFile, BadNumber)):
        read_embedding(path)


def test_an_archive_that_says_it_is_encrypted(tmp_path):
    path = tmp_path / "e.npz"
    np.savez(path, words=np.array(["cat"]), vectors=np.ones((1, 2)))
    data = bytearray(path.read_bytes())
    at = data.index(b"PK\x01\x02")
    while at >= 0:  # the flags of every member in the directory
        data[at + 8] |= 1
        at = data.find(b"PK\x01\x02", at + 4)
    path.write_bytes(data)
    with pytest.raises(BadFile, match="plain arrays"):
        read_embedding(path)


def test_too_many_dimensions(tmp_path):
    place = tmp_path / "e.bin"
    place.write_bytes(b"1 999999999999\n")
    with pytest.raises(TooLarge, match="4,096"):
        read_embedding(place)


def test_a_missing_file_and_odd_arguments(tmp_path):
    with pytest.raises(BadFile, match="cannot be read"):
        read_embedding(tmp_path / "nowhere.txt")
    place = tmp_path / "e.txt"
    place.write_text("a 1\nb 2\n")
    for most in (0, -1, 1.5, True, "3"):
        with pytest.raises(Malformed, match="most_words"):
            read_embedding(place, most_words=most)
    with pytest.raises(UnknownName, match="form"):
        read_embedding(place, form="pickle")


@pytest.mark.parametrize(
    "arrays",
    [
        {"words": np.array(["a"])},
        {"words": np.array(["a", "b"]), "vectors": np.ones((1, 2))},
        {"words": np.array([1, 2]), "vectors": np.ones((2, 2))},
        {"words": np.array(["a"]), "vectors": np.ones(1)},
        {"words": np.array(["a"]), "vectors": np.array([["x"]])},
        {"words": np.array(["a", None], dtype=object), "vectors": np.ones((2, 1))},
    ],
)
def test_arrays_that_are_refused(tmp_path, arrays):
    with pytest.raises(BadFile):
        read_embedding(npz(tmp_path, **arrays))


def test_a_bomb_is_not_unpacked(tmp_path):
    """A member that claims to be huge is refused by its size, before it is unpacked."""
    place = tmp_path / "e.npz"
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as file:
        for k in range(9):
            file.writestr(f"{k}.npy", b"\0" * 1_000_000)
    bytes_ = bytearray(place.read_bytes())
    size = struct.pack("<I", 1_000_000)
    at = bytes_.find(b"PK\x01\x02")
    while at >= 0:  # the sizes in the list of members, at offset 24 of each entry
        assert bytes_[at + 24 : at + 28] == size
        bytes_[at + 24 : at + 28] = struct.pack("<I", 1_000_000_000)
        at = bytes_.find(b"PK\x01\x02", at + 1)
    place.write_bytes(bytes_)
    with pytest.raises(TooLarge, match="unpacks to more"):
        read_embedding(place)


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.sampled_from(["e.txt", "e.bin", "e.npz", "e.txt.gz"]),
    head=st.sampled_from([b"", b"2 2\n", b"a 1 2\n", b"PK\x03\x04", b"\x1f\x8b\x08\x00"]),
    body=st.one_of(st.binary(max_size=80), st.text("ab 12.e-\n", max_size=60).map(str.encode)),
)
def test_whatever_the_file_holds_it_is_read_or_refused_in_words(tmp_path, name, head, body):
    place = tmp_path / name
    place.write_bytes(head + body)
    with np.errstate(all="ignore"), suppress(DPrivacyError):
        assert np.isfinite(read_embedding(place).vectors).all()


# --------------------------------------------------------------------------------- the package's own


def test_the_small_embedding_is_the_same_everywhere():
    e = small_embedding()
    assert len(e) > 1500
    assert e.dimension == 32
    digest = hashlib.sha256("\n".join(e.words).encode() + e.vectors.tobytes()).hexdigest()
    assert digest == "425b1bd557be1053a2bccbd1859f0f075a753fce9a57676e184f2fab10edfdba"


def test_the_small_embedding_knows_what_belongs_together():
    e = small_embedding()
    near, far = e.typical
    assert 0.3 < near < 0.6
    assert 1.4 < far < 1.7
    for word, close, other in [
        ("river", "lake", "lawyer"),
        ("king", "queen", "cheese"),
        ("happy", "glad", "rocket"),
        ("monday", "friday", "guitar"),
    ]:
        assert e.distance(word, close) < 0.6
        assert e.distance(word, other) > 1.2
    table = e.space().distances.floats + 9 * np.eye(len(e))
    assert table.min() > 0.2  # no two words coincide


def test_an_embedding_from_lists():
    made = embedding_from_groups([["tea", "cup"], ["cup", "glass"], ["moon"]], dimension=400)
    assert made.words == ("tea", "cup", "glass", "moon")
    assert (
        made.distance("tea", "cup") < made.distance("tea", "glass") < made.distance("tea", "moon")
    )
    with pytest.raises(WrongShape, match="at least one word"):
        embedding_from_groups([[], []])
    with pytest.raises(Malformed, match="dimension"):
        embedding_from_groups([["a"]], dimension=0)


def test_real_vectors():
    e = glove("4k")
    assert len(e) == 4000
    assert e.dimension == 100
    close = e.distance("river", "lake")
    assert close < e.distance("river", "lawyer")
    assert e.nearest(e.vectors_of(["river", "king"])) == ["river", "king"]


def test_distances_that_a_promise_rests_on_are_rounded_up():
    made = random_embedding(30, 7)
    for a, b in itertools.product(made.words, made.words[:5]):
        here, there = (map(Q, vector.tolist()) for vector in made.vectors_of([a, b]))
        square = sum((u - v) ** 2 for u, v in zip(here, there, strict=True))
        assert square <= Q(made.distance(a, b)) ** 2 <= square * (1 + Q(1, 2**50))
    x, z = list(made.words[:5]), list(made.words[5:10])
    ground = WordSpace(made)
    apart = sum(Q(ground.distance(a, b)) for a, b in zip(x, z, strict=True))
    assert Q(WordSequences(ground).distance(x, z)) >= apart
    assert Q(WordBags(ground).distance(x, z)) <= Q(WordSequences(ground).distance(x, z))
    assert WordBags(ground).distance(x, x[::-1]) == 0
