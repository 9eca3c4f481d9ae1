"""Beginnings of words: every word has exactly one place at every depth."""

from itertools import product

import pytest

from dprivacy.errors import BadNumber, DuplicateLabel, TooLarge, WrongKind
from dprivacy.mechanisms.rounds.word_prefixes import (
    REST,
    branches,
    continued,
    cut,
    read_alphabet,
    read_depths,
    read_words,
)


def words(letters, most):
    return ["".join(word) for size in range(1, most + 1) for word in product(letters, repeat=size)]


@pytest.mark.parametrize("step", [1, 2, 3])
def test_continuations_hold_every_word_once(step):
    first = list(continued([REST], ("a", "b"), 2))
    assert len(first) == len(set(first)) == branches(2, 2)
    deeper = list(continued(first, ("a", "b"), step))
    assert len(deeper) == len(set(deeper))
    assert {cut(word, 2 + step) for word in words("ab", 6)} == set(deeper)


def test_words_of_other_letters_are_nobodys_continuation():
    first = set(continued([REST], ("a", "b"), 2))
    for strange in ("c", "ac", "abc", "", "a…", "…", "b…a", "A"):
        told = cut(strange, 2)
        assert told not in first or told == "ab…"


def test_the_composed_form_counts():
    assert cut("e\u0301te\u0301", 2) == "ét…"


def test_large_alphabets_are_read():
    assert len(read_alphabet(map(chr, range(0x4E00, 0x9FFF)))) == 0x9FFF - 0x4E00
    assert len(read_alphabet("\u0915\u0916\u093f\u0940")) == 4  # signs that compose with nothing


def test_rounds_are_as_few_as_answers_allow():
    assert read_depths(26, 8, 200, 1 << 19) == (3, 5, 7, 8)
    assert read_depths(26, 3, 200, 1 << 19) == (3,)
    assert read_depths(2, 2, 1, 5) == (1, 2)
    for letters, length, keep, most in ((26, 9, 50, 10_000), (3, 20, 7, 60), (40, 5, 1, 90)):
        depths = read_depths(letters, length, keep, most)
        known, start = 1, 0
        for depth in depths:
            assert known * branches(letters, depth - start) + 1 <= most
            assert depth == length or known * branches(letters, depth - start + 1) + 1 > most
            known, start = keep, depth
        assert depths[-1] == length


def test_what_is_refused():
    with pytest.raises(TooLarge, match="5,200 continuations by one of 26 letters"):
        read_depths(26, 8, 100, 5000)
    with pytest.raises(DuplicateLabel, match="once"):
        read_alphabet("aba")
    with pytest.raises(BadNumber, match="at least two characters"):
        read_alphabet("a")
    with pytest.raises(BadNumber, match="'…'"):
        read_alphabet("ab…")
    with pytest.raises(WrongKind, match="single characters"):
        read_alphabet(["a", "bc"])
    for strange in ("ae\u0301", "a\u212b", "\u1100\u1161", "\u0d46\u0d3e"):
        with pytest.raises(WrongKind, match="another character in Unicode's composed form"):
            read_alphabet(strange)
    with pytest.raises(TooLarge, match="first 256 letters"):
        read_depths(26, 10**9, 10, 5000)
    with pytest.raises(WrongKind, match="row 1 holds no text") as caught:
        read_words(["tea", 987654])
    assert "987654" not in str(caught.value)
