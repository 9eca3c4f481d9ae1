"""What was observed, in every form it may have."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import BadNumber, Malformed, UnknownCategory
from dprivacy.estimation import estimate, estimate_mean, regress
from dprivacy.estimation.counts.observed_counts import positions_of, read_observed
from dprivacy.mechanisms import laplace, randomised_response
from dprivacy.model import Dist

R = randomised_response(["tea", "coffee", "water"], eps="ln 2")


SECRET = "the-answer-of-one-person"


@pytest.mark.parametrize(
    "observed",
    [
        ["tea", "tea", "water", "tea"],
        np.array(["tea", "tea", "water", "tea"]),
        np.array(["tea", "tea", "water", "tea"], dtype=object),
        {"tea": 3, "water": 1},
        {"tea": 3.0, "water": np.int64(1), "coffee": 0},
        ("tea", "tea", "water", "tea"),
    ],
    ids=repr,
)
def test_every_form_says_the_same(observed) -> None:
    assert read_observed(observed, R.channel.columns).counts == (3, 0, 1)


def test_numbers_on_a_grid_are_known_as_doubles() -> None:
    noise = laplace(0, 1, eps=3, grid="0.1")
    seen = read_observed(noise.randomise([0.1, 0.3, 0.7]), noise.channel.columns)
    assert seen.n == 3
    assert read_observed(np.array([0.1, 0.2]), noise.channel.columns).counts[1:3] == (1, 1)


def test_unicode_forms_are_one_label() -> None:
    assert read_observed(["cafe\u0301"], ["caf\u00e9", "x"]).counts == (1, 0)


def test_fractions_and_weights() -> None:
    assert read_observed({"tea": Q(1, 2)}, R.channel.columns).n == Q(1, 2)
    weighted = read_observed({"tea": 1.5, "water": 1}, R.channel.columns)
    assert not weighted.exact
    assert weighted.n == 2.5
    assert read_observed({"tea": 3, "milk": 0}, R.channel.columns).n == 3


@pytest.mark.parametrize(
    ("observed", "words"),
    [
        (["tea", SECRET, SECRET], "2 of 3 answers"),
        ({"tea": 3, SECRET: 4}, "4 of 7 answers"),
        (["tea", [SECRET]], "1 of 2 answers"),
        ([None, math.nan, "tea"], "2 of 3 answers"),
    ],
)
def test_unknown_labels_are_counted_and_never_shown(observed, words) -> None:
    with pytest.raises(UnknownCategory, match=words) as caught:
        estimate(R, observed)
    assert SECRET not in str(caught.value)


def test_columns_of_a_regression_keep_their_secrets_too() -> None:
    with pytest.raises(UnknownCategory, match="1 of 2 rows") as caught:
        regress(
            [1.0, 2.0], {"drink": ["tea", SECRET]}, covariate_channels={"drink": R}, family="linear"
        )
    assert SECRET not in str(caught.value)
    with pytest.raises(UnknownCategory, match="2 of 2 rows"):
        positions_of([{}, SECRET], ["a"], "here")


@pytest.mark.parametrize(
    ("observed", "words"),
    [
        ([], "no answers"),
        ({"tea": 0, "water": 0}, "no answers"),
        ({"tea": -1}, "negative"),
        ({"tea": math.nan}, "NaN"),
        ({"tea": math.inf}, "finite"),
        ({"tea": "many"}, "not str"),
        ({"tea": True}, "not bool"),
        ("tea", "not one str"),
        (17, "list of noisy labels"),
        (np.ma.masked_equal(np.array([1, 2]), 2), "masked"),
    ],
)
def test_what_is_no_observation_is_refused(observed, words) -> None:
    for function in (estimate, estimate_mean):
        options = {"values": [1, 2, 3]} if function is estimate_mean else {}
        with pytest.raises(Malformed, match=words):
            function(R, observed, **options)


def test_bad_sizes() -> None:
    q = Dist(R.channel.columns, ["1/3"] * 3)
    for n in (0, -3, math.nan):
        with pytest.raises(BadNumber):
            estimate(R, q, n=n)
