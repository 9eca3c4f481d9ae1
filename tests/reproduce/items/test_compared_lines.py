"""A printed value beside ours: what counts as the same, and what an erratum excuses."""

from fractions import Fraction as Q

import pytest

from dprivacy.numbers import ln
from dprivacy.reproduce.items.compared_lines import (
    agrees,
    compared,
    corrected,
    extended,
    rounded,
    written,
)


@pytest.mark.parametrize(
    ("printed", "ours", "mark"),
    [
        ("0.63", Q(5, 8), "as printed"),  # halves away from zero: 0.625
        ("0.62", Q(5, 8), "unexplained"),
        ("0.59", Q(19, 32), "as printed"),
        ("1.2607", Q(11710, 9288), "unexplained"),
        ("1.2608", Q(11710, 9288), "as printed"),
        ("2", Q(2), "as printed"),
        ("2", 2.0000001, "unexplained"),
        ("ln 2", ln(2), "as printed"),
        ("ln 2", ln(3), "unexplained"),
        ("yes", True, "as printed"),
        ("no", True, "unexplained"),
        ("1/3, 2/3", [Q(1, 3), Q(2, 3)], "as printed"),
        (187, 195, "unexplained"),
    ],
)
def test_marks(printed, ours, mark):
    assert compared("it", printed, ours).mark == mark
    excused = compared("it", printed, ours, erratum="E7")
    # An erratum excuses a difference, and is itself in doubt where there is none.
    assert excused.mark == ("differs" if mark == "unexplained" else "unexplained")


def test_words():
    assert compared("it", "1.2607", Q(11710, 9288), erratum="E34").verdict == (
        "differs: see erratum E34"
    )
    assert agrees("it", "falls", "it does", True).mark == "as printed"
    assert agrees("it", "falls", "it does not", False).mark == "unexplained"
    assert corrected("it", "a", "b", "E1", shows=False).mark == "unexplained"
    assert extended("it", 3, holds=False).mark == "unexplained"
    assert compared("it", "0.6", Q(3, 5)).ours == "3/5 = 0.6"
    assert compared("it", "0.67", Q(2, 3)).ours == "2/3 = 0.67…"
    assert written((Q(1, 2), ln(5))) == "(1/2, ln 5)"
    assert [rounded(Q(1, 8), 2), rounded(Q(-1, 8), 2), rounded(2, 3)] == ["0.13", "-0.13", "2.000"]
