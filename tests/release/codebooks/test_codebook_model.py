"""The model: names, ranges and codes that no table can have are refused by their place."""

import pytest

from dprivacy.errors import BadFile, TooLarge, UnknownName
from dprivacy.release import Codebook, Value, Variable
from dprivacy.release.codebooks import codebook_model
from dprivacy.release.codebooks.codebook_model import require_sound, words_of


@pytest.mark.parametrize(
    ("variables", "fault"),
    [
        ([], "this file has none"),
        ([Variable("")], "variable 1 should have a name"),
        ([Variable("x" * 201)], "variable 1 should have a name"),
        ([Variable("x"), Variable("y"), Variable("x")], "variables 1 and 3 have the same name"),
        ([Variable("x", values=(Value("a"), Value("a")))], "variable 1, code 2: comes twice"),
        ([Variable("x", values=(Value(""),))], "variable 1, code 1: is empty"),
    ],
)
def test_refusals(variables, fault):
    with pytest.raises(BadFile, match=fault):
        require_sound(variables, "book")


def test_limits(monkeypatch):
    monkeypatch.setattr(codebook_model, "_MOST_VARIABLES", 2)
    monkeypatch.setattr(codebook_model, "_MOST_VALUES", 2)
    with pytest.raises(TooLarge, match="more than 2 variables"):
        require_sound([Variable(name) for name in "abc"], "book")
    with pytest.raises(TooLarge, match="more than 2 codes"):
        require_sound([Variable("x", values=tuple(map(Value, "abc")))], "book")


def test_words_hold_nothing_that_steers_a_terminal():
    assert words_of("a\x1b[2J\n b\ud800") == "a [2J b?"


def test_a_variable_that_is_not_there():
    with pytest.raises(UnknownName, match="did you mean 'sex'"):
        Codebook("b", "", (Variable("sex"),)).variable("sec")
