"""Documents: how they are read, what is protected, and what their guarantee says."""

import json
import math
import warnings

import numpy as np
import pytest

from dprivacy.errors import (
    BadFile,
    BadLevel,
    DPrivacyError,
    InsecureSeedWarning,
    Malformed,
    NotApplicable,
    UnknownCategory,
    WrongKind,
)
from dprivacy.model import Mechanism
from dprivacy.release import protect_text
from dprivacy.release.plans.release_card import read_card
from dprivacy.sampling import InsecureSource
from dprivacy.text import (
    Embedding,
    Policy,
    document_leakage,
    pieces_of,
    read_document,
    small_embedding,
    stop_words,
    text_mechanism,
    words_of,
)
from dprivacy.text.documents.text_pieces import decode_document
from support.text_corpora import TINY, glove, random_embedding

TEXT = "Don't pay $5.20 to the King’s men,\nnot on 12/03 -- well-known 3rd_rate naïve folk!"


def protected(text, *, embedding=None, insecure_seed=None, **options):
    return text_mechanism(embedding, **options).protect(text, insecure_seed=insecure_seed)


def quiet(seed=1):
    with warnings.catch_warnings(action="ignore"):
        return InsecureSource(seed)


def test_pieces_make_up_the_text():
    pieces = pieces_of(TEXT)
    assert "".join(piece.text for piece in pieces) == TEXT
    kinds = {
        kind: [p.text for p in pieces if p.kind == kind] for kind in ("word", "number", "mark")
    }
    assert kinds["word"][:6] == ["Don't", "pay", "to", "the", "King’s", "men"]
    assert kinds["word"][-2:] == ["naïve", "folk"]
    assert "well-known" in kinds["word"]
    assert kinds["number"] == ["5.20", "12/03", "3rd_rate"]
    assert kinds["mark"] == ["$", ",", "-", "-", "!"]


def test_words_of_a_text():
    assert words_of("The President greets the press in Chicago.", stops=False) == [
        "president",
        "greets",
        "press",
        "chicago",
    ]
    assert words_of("Room 101 is mine", numbers=False) == ["room", "is", "mine"]
    assert words_of("") == []
    assert {"the", "of", "don't"} <= stop_words()


def test_decomposed_letters_are_composed():
    assert words_of("nai\u0308ve") == ["na\u00efve"]


@pytest.mark.parametrize(
    "wrong", [None, 3, b"bytes", ["a"], "a\0b", "x" * 201, "1" * 5000, "ok " + "y" * 300]
)
def test_texts_that_are_refused(wrong):
    with pytest.raises((NotApplicable, WrongKind)):
        pieces_of(wrong)


@pytest.mark.parametrize("wrong", [b"\xff\xfe\x00a", b"caf\xe9", b"a\x00b", b"\x89PNG\r\n\x1a\n\0"])
def test_files_that_are_no_text(tmp_path, wrong):
    place = tmp_path / "notes.txt"
    place.write_bytes(wrong)
    with pytest.raises(BadFile) as caught:
        read_document(place)
    assert "caf" not in str(caught.value)  # never the content
    with pytest.raises(BadFile, match="cannot be read"):
        read_document(tmp_path / "none.txt")
    assert decode_document(b"\xef\xbb\xbfhi", "x") == "hi"


# ------------------------------------------------------------------------------------------ policy


def read(text, **options):
    e = Embedding(("tea", "moon", "the", "of"), np.eye(4))
    return Policy(**options).read(text, e)


def test_unknown_words_are_never_passed():
    text = "Tea of the zyx moon 42"
    assert read(text).words == ["Tea", "of", "the", "zyx", "moon", "42"]
    assert read(text).unknown == 2
    assert read(text, unknown="drop").words == ["Tea", "of", "the", "moon"]
    with pytest.raises(UnknownCategory, match="word number 4 is not in") as caught:
        read(text, unknown="refuse")
    assert "zyx" not in str(caught.value)
    e = Embedding(("tea", "moon", "the", "of"), np.eye(4))
    for layout in ("bag", "text"):
        noisy = protected(text, eps=50, embedding=e, layout=layout)
        assert set(noisy.words) <= set(e.words)
        assert noisy.unknown == 2


def test_stop_words():
    text = "Tea of the moon"
    assert read(text, stop_words="drop").words == ["Tea", "moon"]
    assert read(text, stop_words="drop").dropped == 2
    passing = read(text, layout="text", unprotected="stop words")
    assert passing.words == ["Tea", "moon"]
    assert len(passing.pieces) == 4


def test_what_passes_is_asked_for_by_name_and_listed():
    e = Embedding(("tea", "moon", "sun"), 10 * np.eye(3))
    policy = {"layout": "text", "unprotected": ["punctuation", "capitals", "numbers", "stop-words"]}
    noisy = protected("The tea, Moon: 42 of 7.\nTEA!", eps=99, embedding=e, **policy)
    assert noisy.text == "The tea, Moon: 42 of 7.\nTea!"
    assert noisy.words == ("tea", "moon", "tea")
    said = noisy.sentence()
    assert "NOT PROTECTED" in said
    for kind in ("stop words", "numbers", "punctuation", "capitals"):
        assert kind in said
    plain = protected("The tea, Moon: 42", eps=99, embedding=e, layout="text")
    assert "," not in plain.text
    assert "42" not in plain.text
    assert plain.text.islower()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"layout": "lines"}, "layout should be one of"),
        ({"unknown": "pass"}, "unknown should be one of"),
        ({"stop_words": "keep"}, "stop_words should be one of"),
        ({"unprotected": ["names"], "layout": "text"}, "unprotected should be one of"),
        ({"unprotected": ["numbers"]}, "layout='text'"),
        ({"unprotected": "stop words", "layout": "text", "stop_words": "drop"}, "choose one"),
        ({"length": 0}, "length"),
        ({"length": 2.5}, "length"),
        ({"length": 5, "layout": "text", "unprotected": "punctuation"}, "filled up"),
    ],
)
def test_policies_that_are_refused(options, says):
    with pytest.raises(Malformed, match=says):
        Policy(**options)


@pytest.mark.parametrize("text", ["", "   \n", "?!...", "\t-- --"])
def test_a_document_without_words(text):
    with pytest.raises(NotApplicable, match="no words"):
        protected(text, eps=1)
    with pytest.raises(NotApplicable, match="no words"):
        protected("zyx qqq", eps=1, unknown="drop")


def test_a_declared_length_fills_up():
    short, long = (protected(t, eps=5, length=6) for t in ("tea moon", "tea moon river king law"))
    assert len(short.words) == len(long.words) == 6
    assert "public by declaration" in short.explain()
    assert "NOT hidden" in protected("tea moon", eps=5).explain()
    with pytest.raises(NotApplicable, match="more than the declared 2 words"):
        protected("tea moon river", eps=5, length=2)
    mechanism = text_mechanism(eps=1, length=4)
    bags = [mechanism.policy.read(t, small_embedding()).words for t in ("tea", "tea moon river")]
    assert math.isfinite(mechanism.guarantee.space.distance(*bags))
    assert len(protected("a", eps=1, length=3, layout="text").words) == 3


# ---------------------------------------------------------------------------------------- mechanism


def test_a_bag_shows_no_order():
    e = random_embedding(50, 3)
    text = " ".join(reversed(e.words))
    noisy = protected(text, eps=2, embedding=e)
    assert list(noisy.words) == sorted(noisy.words)
    assert noisy.text.split() == list(noisy.words)


def test_order_is_kept_where_asked():
    e = random_embedding(50, 3, scale=1000)
    text = " ".join(reversed(e.words))
    assert protected(text, eps=50, embedding=e, layout="text").text == text


@pytest.mark.statement("T", "Thm 9.10")
def test_the_guarantee_of_the_layouts():
    """The same words in another order: no difference for a bag, a large one where the order is kept."""
    x, z = ["tea", "moon"], ["moon", "tea"]
    bag = text_mechanism(TINY, eps="ln 2").guarantee
    kept = text_mechanism(TINY, eps="ln 2", layout="text").guarantee
    assert bag.odds_factor(x, z) == 1
    assert kept.odds_factor(x, z) == 2**24
    assert bag.odds_factor(x, ["tea"]) == kept.odds_factor(x, ["tea"]) == math.inf
    assert "Thm 9.10" in bag.because
    assert "Def 4.7.2" in bag.because
    idealised = text_mechanism(TINY, eps="ln 2", noise="laplace")
    assert "Thm 9.7" in idealised.guarantee.because
    assert idealised.guarantee.odds_factor(x, ["moon", "coffee"]) == 32


def test_what_is_said_of_the_guarantee():
    noisy = protected("the king drank tea", eps=10)
    text = noisy.explain()
    for phrase in (
        "ε = 10 per word",
        "One word: the output multiplies anyone's odds",
        "22,027",
        "any other bag of 4 words",
        "Earth Mover's distance",
        "NOT hidden",
    ):
        assert phrase in text
    assert "hardly a protection" in protected("the king drank tea", eps=30).explain()
    assert "hardly a protection" not in text
    assert "idealised" in protected("tea", eps=10, noise="laplace").explain()
    assert "place by place" in protected("tea", eps=10, layout="text").explain()


def test_what_may_be_published_has_nothing_of_the_true_document():
    secret = "tea zyxsecret river 998877 moon"
    answer = protected(secret, eps=1).to_dict()
    written = json.dumps(answer)
    for word in ("zyxsecret", "998877", "unchanged", "unknown_words"):
        assert word not in written
    assert answer["words"] == 5
    assert answer["secure"] is True
    assert answer["embedding"]["sha256"] == small_embedding().sha256


def test_a_release_is_the_text_with_its_card(tmp_path):
    released = protect_text("the old king drank tea", eps=3)
    assert len(released.data.split()) == released.card.count == 5
    assert released.card.guarantee.unit == "word"
    assert "NOT hidden" in released.explain()
    released.save(tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text() == released.data
    assert read_card(tmp_path / "out.txt.card.json").guarantee == released.card.guarantee


def test_seeds_warn_and_taint():
    with pytest.warns(InsecureSeedWarning):
        first = protected("the old king drank tea", eps=3, insecure_seed=7)
    with pytest.warns(InsecureSeedWarning):
        again = protected("the old king drank tea", eps=3, insecure_seed=7)
    assert first.text == again.text
    assert not first.secure
    assert "NO GUARANTEE" in first.explain()
    texts = ["the king", "the king"]
    with pytest.warns(InsecureSeedWarning):
        one = text_mechanism(eps=3).randomise(texts, insecure_seed=2)
    with pytest.warns(InsecureSeedWarning):
        assert text_mechanism(eps=3).randomise(texts, insecure_seed=2) == one


def test_a_seed_is_not_used_twice_within_a_run():
    """Two equal texts of one run get different noise."""
    words = " ".join(small_embedding().words[:300])
    with pytest.warns(InsecureSeedWarning):
        one, two = text_mechanism(eps=3).randomise([words, words], insecure_seed=2)
    assert one != two


def test_it_is_a_mechanism():
    mechanism = text_mechanism(eps=10)
    assert isinstance(mechanism, Mechanism)
    assert mechanism.secure
    out = mechanism.randomise(["the king drank tea", "rain in spain"])
    assert [len(text.split()) for text in out] == [4, 3]
    assert "bag" in repr(mechanism)
    with pytest.raises(Malformed):
        mechanism.randomise("one text")
    for eps in (0, math.nan, -3, "ten"):
        with pytest.raises(BadLevel):
            text_mechanism(eps=eps)


def test_errors_never_show_the_document():
    for text in ("zyxsecret \0", "zyxsecret " + "q" * 300):
        with pytest.raises(DPrivacyError) as caught:
            protected(text, eps=1)
        assert "zyxsecret" not in str(caught.value)
        assert "qqq" not in str(caught.value)


def test_counts_for_the_owner():
    e = random_embedding(20, 3, scale=1000)
    noisy = protected("w1 W2 w3 nothing", eps=50, embedding=e)
    assert (noisy.unchanged, noisy.unknown, noisy.spoken) == (3, 1, 4)
    assert "unchanged" not in noisy.explain() + repr(noisy)


def test_a_thousand_words_of_thirty_thousand():
    e = glove()
    text = " ".join(e.words[k * 29 % 30_000] for k in range(1000))
    noisy = text_mechanism(e, eps=10, noise="laplace").using(quiet()).protect(text)
    assert len(noisy.words) == 1000
    assert 0.3 < noisy.unchanged / 1000 < 0.8


# ------------------------------------------------------------------------------------------ leakage


@pytest.mark.statement("T", "Thm 9.11")
def test_the_leakage_bound_of_some_documents():
    mechanism = text_mechanism(TINY, eps="1/100")
    found = document_leakage(mechanism, ["tea tea", "tea coffee", "moon moon"])
    assert found.diameter == pytest.approx(24)
    assert found.farthest == (0, 2)
    assert found.bound == pytest.approx(math.exp(0.24))
    assert "at most 24 apart" in found.explain()
    large = document_leakage(text_mechanism(TINY, eps=1), ["tea", "moon"])
    assert large.bound == 2
    assert "adds nothing" in large.explain()
    other = document_leakage(mechanism, ["tea", "moon moon"])
    assert other.diameter == math.inf
    assert other.bound == 2
    assert "different numbers of words" in other.explain()
    assert other.to_dict()["diameter"] == "inf"
    with pytest.raises(NotApplicable, match="two candidate"):
        document_leakage(mechanism, ["tea"])
