"""Formulas: what they mean, and which are refused with what to write instead."""

import pytest

from dprivacy.errors import NotApplicable, WrongKind
from dprivacy.estimation.regressions.model_formula import Factor, read_formula


def terms(text: str) -> list[str]:
    return [":".join(map(str, term)) for term in read_formula(text).terms]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("y ~ a", ["a"]),
        ("y~a+b", ["a", "b"]),
        ("y ~ a + C(b)", ["a", "C(b)"]),
        ("y ~ a*b", ["a", "b", "a:b"]),
        ("y ~ a + b + a:b", ["a", "b", "a:b"]),
        ("y ~ a*b*c", ["a", "b", "c", "a:b", "a:c", "b:c", "a:b:c"]),
        ("y ~ C(a) * b", ["C(a)", "b", "C(a):b"]),
        ("y ~ a + a", ["a"]),
        ("y ~ C", ["C"]),
        ("y ~ a.b + été", ["a.b", "été"]),
    ],
)
def test_terms(text, found):
    assert terms(text) == found


def test_names_of_more_than_a_word():
    formula = read_formula("`what is it` ~ `age at birth` + C(`2nd`)")
    assert formula.columns == ("what is it", "age at birth", "2nd")
    assert formula.terms[1] == (Factor("2nd", as_categories=True),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("y", "it ends early"),
        ("y ~", "it ends early"),
        ("~ a", "it ends early"),
        ("y ~ a b", "'b' stands where"),
        ("y ~ a + 1", "'1' stands where"),
        ("y ~ a - 1", "'-' stands where"),
        ("y ~ log(a)", r"'\(' stands where"),
        ("y ~ C(a", "it ends early"),
        ("y ~ a ~ b", "'~' stands where"),
        ("y z ~ a", "'z' stands where"),
        ("y ~ a*b:c", r"mixes \* and :"),
        ("y ~ a + y", "'y' is the outcome"),
        ("y ~ a + a:b", r"needs b in the model by itself: write a\*b"),
        ("y ~ a*C(a)", "multiplies a column by itself"),
    ],
)
def test_formulas_that_are_refused(text, words):
    with pytest.raises(NotApplicable, match=words):
        read_formula(text)


def test_something_else_than_a_text():
    with pytest.raises(WrongKind, match="a formula is a text"):
        read_formula(["y", "x"])
