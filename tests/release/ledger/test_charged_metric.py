"""What a level is measured by, also where some points cannot be told apart."""

from fractions import Fraction

import pytest

from dprivacy.mechanisms import exponential
from dprivacy.numbers import Level
from dprivacy.release import Ledger
from dprivacy.release.ledger.charged_metric import charge, metric_of
from dprivacy.spaces import from_table

TWINS = from_table(["a", "b", "c"], [[0, 0, 2], [0, 0, 2], [2, 2, 0]], pseudo=True)


def test_twins_do_not_set_the_unit():
    name, words, length = metric_of(TWINS)
    assert (words, length) == ("between the closest of 3 values", Level(2))
    scaled = from_table(["a", "b", "c"], [[0, 0, 6], [0, 0, 6], [6, 6, 0]], pseudo=True)
    assert metric_of(scaled)[0] == name


def test_points_that_are_all_alike_are_one_point():
    alike = from_table(["a", "b"], [[0, 0], [0, 0]], pseudo=True)
    assert metric_of(alike)[0] == "point"


def test_a_ledger_charges_a_pseudometric(tmp_path):
    mechanism = exponential(TWINS, eps="ln 2")
    eps = mechanism.guarantee.eps
    assert charge("x", mechanism).amount.eps == eps * 2
    with Ledger(tmp_path / "ledger.db", open=True) as ledger:
        ledger.spend({"x": mechanism})
        assert ledger.spent().eps == eps * 2


def test_numbers_that_are_twins_are_no_line():
    near = [[0, 0, 1], [0, 0, 1], [1, 1, 0]]
    space = from_table([0, Fraction(1, 2), 1], near, pseudo=True)
    assert metric_of(space)[1] != "per unit"
    assert metric_of(from_table([0, 2, 4], [[0, 1, 2], [1, 0, 1], [2, 1, 0]]))[:2] == (
        "line",
        "per unit",
    )


@pytest.mark.parametrize("given", ["ln 2", None, 3])
def test_what_cannot_be_charged(given):
    with pytest.raises(TypeError, match="a Guarantee or a mechanism is needed"):
        charge("x", given)
