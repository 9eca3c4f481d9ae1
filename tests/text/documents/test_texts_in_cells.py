"""Texts of one public length: the promise by enumeration, the level, what is read, and bad input."""

import itertools
import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import BadPlan, NotApplicable, TooLarge
from dprivacy.numbers import as_level
from dprivacy.sampling import KeyedSource
from dprivacy.text import (
    Embedding,
    kept_share,
    name_lists,
    small_embedding,
    text_cells,
    word_mechanism,
    words_of,
)
from dprivacy.text.embeddings.kind_words import median_distance, with_kind_words
from dprivacy.text.finding.personal_data import KINDS

TINY = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
EVERY = [(), *((w,) for w in TINY.words), *itertools.product(TINY.words, repeat=2)]


def law(cells, text):
    """The chance of every noisy text, by the integers of the rows and nothing else."""
    places = cells.places([" ".join(text)])[0]
    rows = cells.words.rows(places.astype(np.intp)) / 2.0**62
    found = {}
    for drawn in itertools.product(range(3), repeat=2):
        chance = rows[0, drawn[0]] * rows[1, drawn[1]]
        (written,) = cells.written(np.array([drawn], dtype=np.int32))
        found[written] = found.get(written, 0.0) + chance
    return found


@pytest.mark.parametrize("keep", ["bag", "text"])
def test_no_two_texts_of_up_to_two_words_are_told_apart_by_more_than_promised(keep):
    cells = text_cells(TINY, eps="1/5", length=2, find=(), keep=keep)
    laws = {text: law(cells, text) for text in EVERY}
    used = []
    for x, z in itertools.permutations(EVERY, 2):
        ratio = max(math.log(laws[x][y] / laws[z][y]) for y in laws[x])
        promised = 0.2 * cells.guarantee.space.distance(x, z)
        assert ratio <= promised + 1e-12
        if promised:
            used.append(ratio / promised)
    assert max(used) > 0.5
    if keep == "bag":
        assert max(used) == pytest.approx(0.594745, abs=2e-3)


RING = Embedding(
    ["north", "east", "south", "west", "near"],
    [[0.0, 9.0], [8.5, 0.0], [0.0, -8.0], [-7.5, 0.0], [-0.25, -0.25]],
)


@pytest.mark.parametrize("eps", ["1/5", 1, 5, 8, 60, 10**6])
def test_known_unknown_and_empty_words_keep_the_promise_at_every_level(eps):
    cells = text_cells(RING.restrict(RING.words[:4]), eps=eps, length=1, find=())
    rows = cells.words.rows(np.arange(5, dtype=np.intp))  # the last is the empty word
    names = [*cells.words.embedding.words, ""]
    for x, z in itertools.permutations(range(5), 2):
        worst = max(Q(a, b) for a, b in zip(rows[x].tolist(), rows[z].tolist(), strict=True))
        promised = cells.guarantee.eps * as_level(
            Q(cells.guarantee.space.distance([names[x]], [names[z]]))
        )
        whole = cells.guarantee.space.level(cells.guarantee.eps)
        assert as_level(f"ln({worst})") <= min(promised, whole)


def test_an_empty_place_comes_out_as_the_word_nearest_the_centre():
    cells = text_cells(RING, eps=1000, length=4, find=(), keep="text")
    assert cells.randomise(["north", "xyzzy"]) == ["north near near near", "near near near near"]
    # Where no word is near, either, the nearest is as likely as a known word is kept.
    far = text_cells(RING.restrict(RING.words[:4]), eps=1000, length=1, find=())
    assert far.randomise([""] * 20) == ["west"] * 20


def test_one_more_word_costs_its_distance_from_the_centre():
    cells = text_cells(TINY, eps="1/5", length=2, find=())
    promised = 0.2 * cells.guarantee.space.distance(["tea"], ["tea", "moon"])
    assert promised == pytest.approx(1.348250, abs=1e-5)
    one, two = law(cells, ("tea",)), law(cells, ("tea", "moon"))
    assert max(math.log(two[y] / one[y]) for y in one) == pytest.approx(0.757026, abs=2e-3)


def test_the_small_vocabulary_and_its_level():
    assert float(small_embedding().diameter) == pytest.approx(2.440099, abs=1e-5)
    guarantee = text_cells(eps=3, length=40).guarantee
    assert float(guarantee.space.level(guarantee.eps)) == pytest.approx(292.81, abs=0.01)


def test_kind_words_stand_at_one_distance_from_each_other_and_do_not_widen_the_vocabulary():
    plain = small_embedding()
    made = with_kind_words(plain, KINDS)
    apart = median_distance(plain)
    assert made.distance("[name]", "[email]") == pytest.approx(apart * math.sqrt(2))
    centre = float(np.linalg.norm(plain.vectors_of(["king"])[0] - plain.centre))
    assert made.distance("[ip]", "king") == pytest.approx(math.hypot(apart, centre))
    assert made.diameter == pytest.approx(float(plain.diameter))
    assert made.distance("king", "queen") == pytest.approx(plain.distance("king", "queen"))


def test_what_is_found_becomes_one_word_of_its_kind():
    cells = text_cells(eps=2, length=8, keep="text")
    words = (*cells.words.embedding.words, "")
    read = [words[k] for k in cells.read("Please tell Maria Oliveira on +44 20 7946 0958.")]
    assert read == ["please", "tell", "[name]", "on", "[phone]"]


def test_noise_does_not_depend_on_blocks():
    cells = text_cells(eps=3, length=5)
    places = cells.places(["the king drank tea", "a river", "money", "", "the old bridge at night"])
    source = KeyedSource(b"k" * 32, 0)
    whole = cells.draw(places, source)
    source = KeyedSource(b"k" * 32, 0)
    parts = [cells.draw(places[low : low + 2], source) for low in range(0, 5, 2)]
    assert (np.concatenate(parts) == whole).all()


def test_long_texts_are_cut_or_refused_without_their_length():
    cells = text_cells(eps=3, length=3)
    assert len(cells.read("the king drank tea with the queen")) == 3
    with pytest.raises(NotApplicable, match="row 1: the text has more words") as told:
        text_cells(eps=3, length=3, long="refuse").places(["tea", "the king drank tea"])
    assert "4" not in str(told.value)


def test_unknown_words_are_the_centre_or_are_left_out():
    nothing = len(text_cells(eps=3, length=3).words.embedding)
    assert text_cells(eps=3, length=3).read("xyzzy tea")[0] == nothing
    assert nothing not in text_cells(eps=3, length=3, unknown="drop").read("xyzzy tea")
    stopped = text_cells(eps=3, length=3, stop_words="drop")
    assert len(stopped.read("the king and the queen")) == 2


@pytest.mark.parametrize(
    "text",
    ["", "   ", "?!…", "日本語のテキスト", "مرحبا بالعالم", "\u202eevil\u202c", "\u200btea\u200b"],
)
def test_texts_without_known_words_and_of_other_scripts_are_kept(text):
    cells = text_cells(eps=3, length=4)
    assert len(cells.randomise([text])[0].split()) == 4


def test_marks_of_direction_are_not_read():
    cells = text_cells(eps=3, length=4)
    assert cells.read("t\u200bea \u202ecoffee\u202c") == cells.read("tea coffee")


@pytest.mark.parametrize(
    "name", ["M\u0336a\u0336r\u0336i\u0336a", "Ma\u034fria", "Ma\U000e0041ria", "Ma\u061cri\ufe0fa"]
)
def test_marks_do_not_hide_a_name(name):
    cells = text_cells(eps=3, length=4)
    assert cells.read(f"please tell {name}") == cells.read("please tell Maria")


@pytest.mark.parametrize("word", ["हिन्दी", "שָׁלוֹם", "ভাষা"])
def test_vowels_that_are_marks_belong_to_their_word(word):
    words = Embedding(["tea", word, "moon"], [[0, 0], [3, 4], [0, 12]])
    cells = text_cells(words, eps=3, length=4, find=())
    assert cells.read(f"{word}, tea") == [1, 0]
    assert words_of(f"{word}, tea") == [word, "tea"]


def test_what_is_cut_does_not_depend_on_marks_that_nobody_sees():
    cells = text_cells(eps=3, length=2)
    hidden = "\u200b" * 700 + "tea at 4111 1111 1111 1111 and the rest " * 9
    assert cells.read(hidden) == cells.read(hidden.replace("\u200b", ""))
    number = "\u200b".join("4111 1111 1111 1111")
    assert cells.read(f"tea {chr(0x200B) * 640}{number} x y z") == cells.read(
        "tea 4111 1111 1111 1111 x y z"
    )


def test_a_cell_of_ten_million_characters_is_cut():
    cells = text_cells(eps=3, length=4)
    assert len(cells.read("the king drank tea " * 500_000)) == 4


@pytest.mark.parametrize(
    ("text", "kind", "words"),
    [
        ("a\0b", NotApplicable, "binary"),
        ("\x01\x02\x03abc", NotApplicable, "binary"),
        ("x" * 300, NotApplicable, "200 characters"),
        ("x " * 11_000_000, TooLarge, "too long"),
    ],
)
def test_bad_input_is_refused_in_words(text, kind, words):
    with pytest.raises(kind, match=words) as told:
        text_cells(eps=3, length=4).read(text)
    assert "xxx" not in str(told.value)


@pytest.mark.parametrize("level", [1, "1/1000"])
def test_a_level_that_rounding_alone_exceeds_is_refused(level):
    with pytest.raises(BadPlan, match="needs at least 2000/512"):
        text_cells(level=level, length=2000)
    guarantee = text_cells(level=4, length=2000).guarantee
    assert guarantee.space.level(guarantee.eps) <= 4


def test_the_sentence_says_of_one_word_no_more_than_its_ceiling():
    guarantee = text_cells(eps=1000, length=1).guarantee
    assert "One word for the one most like it: × 10^13." in guarantee.space.sentence(guarantee.eps)


def test_lengths_and_levels_that_are_refused():
    with pytest.raises(BadPlan, match="at most 2,000"):
        text_cells(eps=1, length=2001)
    with pytest.raises(BadPlan, match="either eps"):
        text_cells(eps=1, level=1, length=5)


def test_no_first_name_that_is_no_ordinary_word_can_come_out():
    words = set(text_cells(eps=2, length=2).words.embedding.words)
    lists = name_lists()
    assert not {w for w in words if w in lists.first and w not in lists.ordinary}


def test_the_share_of_kept_words_is_that_of_the_rows():
    mechanism = word_mechanism(TINY, eps="1/5")
    own = [mechanism.weights([w])[0][k] / 2**62 for k, w in enumerate(TINY.words)]
    zipf = np.array([1 / 2.7, 1 / 3.7, 1 / 4.7])
    assert kept_share(mechanism) == pytest.approx(float(zipf @ own / zipf.sum()), abs=0.01)
