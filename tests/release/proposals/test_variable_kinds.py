"""Kinds: a line with codes, a line, an order, a tree, a list; each with its reason."""

from datetime import date
from decimal import Decimal

import pytest

from dprivacy.release import Value, Variable
from dprivacy.release.proposals.variable_kinds import answers_of, listed, ranked


def values(**labels):
    return tuple(Value(code.removeprefix("c"), label) for code, label in labels.items())


def line(low, high, **labels):
    return Variable("x", values=values(**labels), low=Decimal(low), high=Decimal(high))


@pytest.mark.parametrize(
    ("variable", "ends", "codes"),
    [
        (line(0, 99), (0, 99), []),
        (line(1, 19, N="N/A (vacant)", c0="none"), (0, 19), ["N"]),  # 0 continues the line
        (line(0, 500, N="N/A", c501="above 5 times"), (0, 501), ["N"]),
        (line(0, 99, c97="Refused", c98="Don't know", c99="Missing"), (0, 96), ["97", "98", "99"]),
        (line(0, 10, c0="not at all", c10="fully"), (0, 10), []),  # points that have a name
        (line(0, 20000, c99998="Refused", c99999="other"), (0, 20000), ["99998", "99999"]),
        (line(-9, 20, c_9="x"), (-9, 20), ["_9"]),
    ],
)
def test_numbers_and_the_codes_beside_them(variable, ends, codes):
    found = answers_of(variable)
    assert (found.kind, (found.low, found.high)) == ("numbers", ends)
    assert [value.code for value in found.codes] == codes


@pytest.mark.parametrize(
    ("variable", "reason"),
    [
        (Variable("x"), "neither values nor a range"),
        (line(0, 99, c50="Refused"), "within its range"),
        (line(5, 5), "a single number"),
        (Variable("x", values=values(c1="all")), "a single code"),
        (Variable("x", values=values(c1="a", c2="b"), measure="scale"), "gives no range"),
    ],
)
def test_what_a_codebook_does_not_settle(variable, reason):
    found = answers_of(variable)
    assert found.kind == "decide"
    assert reason in found.reasons[0]


def test_dates():
    days = Variable("x", low=date(2020, 1, 1), high=date(2020, 12, 31), values=values(N="N/A"))
    found = answers_of(days)
    assert (found.kind, [v.code for v in found.codes]) == ("dates", ["N"])
    assert answers_of(Variable("x", low=date(2020, 1, 1), high=date(2020, 1, 1))).kind == "decide"


def test_a_range_of_listed_codes_says_nothing_more():
    assert answers_of(line(1, 2, c1="male", c2="female")).kind == "categories"


def test_degrees_are_an_order_and_codes_for_no_answer_stand_beside_it():
    found = answers_of(
        Variable("x", values=values(c3="often", c1="never", c2="sometimes", c9="refused"))
    )
    assert found.kind == "ordered"
    assert [v.code for v in found.values] == ["1", "2", "3"]
    assert [v.code for v in found.codes] == ["9"]
    assert "confirm the order" in found.reasons[0]
    married = {"c1": "Now married", "c2": "Widowed", "c3": "Divorced", "c4": "Never married"}
    assert answers_of(Variable("x", values=values(**married))).kind == "categories"


def test_an_order_that_the_codebook_states_is_as_listed():
    sizes = Variable("x", values=values(small="", large="", huge=""), measure="ordinal")
    found = answers_of(sizes)
    assert (found.kind, [v.code for v in found.values]) == ("ordered", ["small", "large", "huge"])
    assert listed(sizes).kind == "categories"
    assert ranked(Variable("x", values=values(b="", a=""))).kind == "ordered"


def test_hierarchies_have_leaves_and_levels_above():
    tree = (Value("A"), Value("a1", parent="A"), Value("a2", parent="A"), Value("b"))
    found = answers_of(Variable("x", values=tree))
    assert (found.kind, [v.code for v in found.values]) == ("tree", ["a1", "a2", "b"])
    assert [v.code for v in found.groups] == ["A"]


@pytest.mark.parametrize(
    "broken",
    [
        (Value("a", parent="b"), Value("b", parent="a"), Value("c")),
        (Value("a", parent="gone"), Value("b")),
        tuple(Value(str(k), parent=str(k + 1) if k < 99 else "") for k in range(100)),
    ],
)
def test_hierarchies_that_go_round_or_nowhere_are_lists(broken):
    assert answers_of(Variable("x", values=broken)).kind == "categories"


@pytest.mark.parametrize(
    ("codes", "why"),
    [
        ((Value("A", parent="B"), Value("B", parent="A"), Value("C")), "goes round in a circle"),
        ((Value("A", parent="A"), Value("B")), "goes round in a circle"),
        ((Value("A", parent="nowhere"), Value("B")), "a code above others is not listed"),
        ((Value("A"), Value("B", parent="A")), "a single lowest code"),
        (
            (*(Value(f"c{k}", parent=f"c{k + 1}") for k in range(40)), Value("c40"), Value("d")),
            "more than 30 levels",
        ),
    ],
)
def test_a_hierarchy_that_is_none_is_not_left_out_in_silence(codes, why):
    found = answers_of(Variable("region", values=codes))
    assert found.kind == "categories"
    assert found.reasons[1].startswith("its hierarchy is left out, as ")
    assert why in found.reasons[1]
