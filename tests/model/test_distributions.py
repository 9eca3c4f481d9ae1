"""Distributions, joint tables, hypers and their mixtures, Earth Moves on floats."""

import json
import math
from array import array
from fractions import Fraction as Q

import numpy as np
import pandas as pd
import pytest

from dprivacy.errors import (
    DuplicateLabel,
    Malformed,
    MixedArithmetic,
    NotStochastic,
    SpaceMismatch,
    UnknownCategory,
    UnknownName,
    WrongKind,
)
from dprivacy.mechanisms import geometric
from dprivacy.model import Dist, as_prior, empirical, joint, point, uniform
from dprivacy.numbers import Mat
from dprivacy.spaces import line

# -- distributions ---------------------------------------------------------------------------------


def test_ready_made_priors() -> None:
    assert uniform(line(4)).weights == [Q(1, 4)] * 4
    assert uniform(["a"]).weights == [1]
    assert point("b", ["a", "b"]).weights == [0, 1]
    assert point(2, line(3)).support == (2,)
    counted = empirical(["a", "b", "a"], ["a", "b", "c"])
    assert dict(counted.items()) == {"a": Q(2, 3), "b": Q(1, 3), "c": 0}
    assert empirical(np.array([0, 1, 1, 1]), line(2)).weights == [Q(1, 4), Q(3, 4)]


def test_refused_priors() -> None:
    with pytest.raises(NotStochastic, match="5/6"):
        Dist(["a", "b"], ["1/2", "1/3"])
    with pytest.raises(NotStochastic, match="'b'"):
        Dist(["a", "b"], ["3/2", "-1/2"])
    with pytest.raises(Malformed, match="'b'"):
        Dist(["a", "b"], [1.0, math.nan])
    with pytest.raises(NotStochastic):
        Dist(["a", "b"], [1.0, math.inf])
    with pytest.raises(Malformed, match="2 labels but 1"):
        Dist(["a", "b"], [1])
    with pytest.raises(MixedArithmetic, match="'a'"):
        Dist(["a", "b"], ["1/3", 2 / 3])
    with pytest.raises(DuplicateLabel):
        Dist(["a", "a"], ["1/2", "1/2"])
    with pytest.raises(UnknownCategory, match="'c'"):
        Dist(["a", "b"], [1, 0])["c"]
    with pytest.raises(UnknownCategory, match="'c'"):
        point("c", ["a", "b"])
    for empty in ([], ()):
        with pytest.raises(Malformed):
            uniform(empty)


def test_values_outside_the_domain_are_counted_and_not_shown() -> None:
    with pytest.raises(UnknownCategory, match="2 of 3") as refused:
        empirical(["a", "secret", "secret"], ["a", "b"])
    assert "secret" not in str(refused.value)
    with pytest.raises(Malformed, match="no values"):
        empirical([], ["a"])


def test_floats_get_a_small_tolerance_and_exact_numbers_none() -> None:
    Dist(["a", "b"], [0.5, 0.5 + 1e-12])
    with pytest.raises(NotStochastic):
        Dist(["a", "b"], [0.5, 0.5 + 1e-6])
    with pytest.raises(NotStochastic):
        Dist(["a", "b"], [Q(1, 2), Q(1, 2) + Q(1, 10**30)])


def test_nan_is_no_probability_wherever_it_stands() -> None:
    for weights in ([0.5, math.nan, 0.5], [math.nan, 0.5, 0.5], [1.0, 0.0, math.nan]):
        at = "abc"[[math.isnan(w) for w in weights].index(True)]
        with pytest.raises(NotStochastic, match=f"'{at}': nan is not a probability"):
            Dist(["a", "b", "c"], Mat(np.array([weights])))
    with pytest.raises(NotStochastic, match=r"'c': -0\.5 is not a probability"):
        Dist(["a", "b", "c"], np.array([1.0, 0.5, -0.5]))


def test_weights_with_more_digits_than_can_be_printed_are_refused_in_words() -> None:
    for weights in ([10**400, 0], [10**5000, 0], [2, Q(-1, 3**10000)], [Q(1, 3**10000), 0]):
        with pytest.raises(NotStochastic, match=r"sum to|is not a probability"):
            Dist(["a", "b"], weights)


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.longdouble])
def test_weights_in_an_array_are_those_of_a_list(kind) -> None:
    given = np.array([0.25, 0.75], dtype=kind)
    read = Dist(["a", "b"], given)
    given[:] = 0.5
    assert read == Dist(["a", "b"], [0.25, 0.75])
    assert Dist(["a", "b"], np.array([0, 1])).exact


def test_distributions_are_values() -> None:
    first, second = Dist(["a", "b"], ["1/3", "2/3"]), Dist(["b", "a"], ["2/3", "1/3"])
    assert first == second
    assert hash(first) == hash(second)
    assert first != Dist(["a", "b"], [1 / 3, 2 / 3])
    assert first != "dist"
    assert len(first) == 2
    assert json.loads(json.dumps(first.to_dict())) == {"a": "1/3", "b": "2/3"}
    assert "2/3" in repr(first)


def test_joint_tables() -> None:
    table = joint(["f", "m"], ["no", "yes"], [[3, 1], [4, 0]])
    assert table[("f", "yes")] == Q(1, 8)
    assert table.marginal(0) == Dist(["f", "m"], ["1/2", "1/2"])
    assert table.marginal(1) == Dist(["no", "yes"], ["7/8", "1/8"])
    for wrong in ([[0, 0], [0, 0]], [[1, -1], [1, 1]]):
        with pytest.raises(NotStochastic):
            joint(["f", "m"], ["no", "yes"], wrong)


def test_priors_are_read_in_the_order_of_the_secrets() -> None:
    labels = ["rain", "sun"]
    third = Dist(labels, ["1/3", "2/3"])
    assert as_prior(third, labels) is third
    for given in ({"sun": "2/3", "rain": "1/3"}, ["1/3", "2/3"], third):
        assert as_prior(given, labels).weights == third.weights
    assert as_prior(third, labels[::-1]).weights == third.weights[::-1]
    assert as_prior(None, labels) == uniform(labels)
    assert as_prior(None, labels, exact=False).weights == [0.5, 0.5]
    with pytest.raises(SpaceMismatch, match="'snow' only in the first"):
        as_prior(third, [*labels, "snow"])
    for wrong in ("uniform", 3):
        with pytest.raises(WrongKind, match="leave it out for the uniform"):
            as_prior(wrong, labels)


@pytest.mark.parametrize("build", [uniform, lambda s: point(0, s), lambda s: empirical([0, 1], s)])
def test_any_space_is_a_domain(build):
    """A text is the name of a space, a mechanism has a space; neither is a list of letters."""
    assert build("line:5") == build(line(5)) == build(geometric(range(5), eps=1)) == build(range(5))
    with pytest.raises(UnknownName, match="'abc' does not name a space"):
        build("abc")


class TestWeightsWithLabels:
    """A Series or a mapping is read by its labels, whatever their order; a list by position."""

    SERIES = pd.Series([0.25, 0.75], index=["b", "a"])

    @pytest.mark.parametrize("given", [SERIES, SERIES.to_dict()], ids=["series", "mapping"])
    def test_by_label(self, given):
        for read in (as_prior(given, ["a", "b"]), Dist(["a", "b"], given)):
            assert read.labels == ("a", "b")
            assert read.weights == [0.75, 0.25]
        assert as_prior(given).labels == ("b", "a")

    def test_labels_that_are_not_the_secrets_are_refused(self):
        for read in (as_prior, lambda given, labels: Dist(labels, given)):
            with pytest.raises(SpaceMismatch, match="a list has none, and is read in order"):
                read(pd.Series([0.25, 0.75]), ["a", "b"])
        with pytest.raises(DuplicateLabel, match="'a' appears twice"):
            as_prior(pd.Series([0.5, 0.5], index=["a", "a"]), ["a", "b"])

    @pytest.mark.parametrize(
        "given", [[0.25, 0.75], np.array([0.25, 0.75]), array("d", [0.25, 0.75])]
    )
    def test_by_position(self, given):
        assert as_prior(given, ["a", "b"]) == Dist(["a", "b"], [0.25, 0.75])
        assert as_prior(given) == Dist([0, 1], [0.25, 0.75])


def test_a_text_is_no_list_of_weights():
    for weights in ("10", None, 3):
        with pytest.raises(WrongKind, match="weights: a list of numbers is needed"):
            Dist(["a", "b"], weights)
