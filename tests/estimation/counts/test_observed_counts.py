"""What was observed, in every form it may have."""

import math
from fractions import Fraction as Q

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from dprivacy.errors import (
    BadNumber,
    Malformed,
    NotApplicable,
    SpaceMismatch,
    UnknownCategory,
    WrongKind,
)
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
        pd.Series(["tea", "tea", "water", "tea"]),
        pd.Series(["tea", "tea", "water", "tea"], index=["coffee", "tea", "x", "y"]),
        pd.Series(["tea", "tea", "water", "tea"]).value_counts(),
        pd.Series({"tea": 3, "coffee": 0, "water": 1.0}),
        pd.Series({"tea": 3, "water": 1}, dtype="Int64"),
        pl.Series(["tea", "tea", "water", "tea"]),
        pa.array(["tea", "tea", "water", "tea"]),
        pa.array(["tea", "tea", "water", "tea"]).dictionary_encode(),
        pa.chunked_array([["tea", "tea"], ["water", "tea"]]),
    ],
    ids=lambda observed: type(observed).__name__,
)
def test_every_form_says_the_same(observed) -> None:
    assert read_observed(observed, R.channel.columns).counts == (3, 0, 1)


@pytest.mark.parametrize(
    ("observed", "counts"),
    [
        (pd.Series([0, 1, 1]), (1, 2, 0)),  # numbered rows are never labels
        (pd.Series([0, 1, 1], index=[7, 8, 9]), (1, 2, 0)),
        (pd.Series([0, 1, 1], index=[0, 0, 1]), (1, 2, 0)),
        (pd.Series([2] * 30 + [1] * 9).value_counts(), (0, 9, 30)),
    ],
)
def test_counts_of_numbers_are_told_from_numbers(observed, counts) -> None:
    assert read_observed(observed, [0, 1, 2]).counts == counts


@pytest.mark.parametrize(
    "observed",
    [pd.Series([1, 2], index=[0, 1]), pd.Series([2, 1, 0], index=range(3), name="count")],
)
def test_what_may_be_counts_or_labels_is_not_guessed(observed) -> None:
    with pytest.raises(NotApplicable, match=r"tolist\(\) for noisy labels, or series.to_dict\(\)"):
        read_observed(observed, [0, 1, 2])


TABLE = {"drink": ["tea"], "size": ["big"]}


@pytest.mark.parametrize(
    "made",
    [
        pd.DataFrame,
        pl.DataFrame,
        pa.table,
        lambda columns: duckdb.from_arrow(pa.table(columns)),
        lambda columns: pl.Series("drink", columns["drink"]).value_counts(),
    ],
    ids=["pandas", "Polars", "Arrow", "DuckDB", "counts of Polars"],
)
def test_a_whole_table_is_refused_with_the_names_of_its_columns(made) -> None:
    table = made(TABLE)
    with pytest.raises(WrongKind, match=r"one column, not a table .*'drink', '.*pass one of them"):
        estimate(R, table)
    with pytest.raises(WrongKind, match="column 'y' should be one column"):
        regress("y ~ x", {"y": table, "x": [1]})


def test_a_cross_table_is_read_by_its_names() -> None:
    S = randomised_response(["yes", "no"], eps=1)
    frame = pd.DataFrame([[9, 8], [7, 6], [5, 4]], list(R.channel.rows), ["yes", "no"])
    found, bare = (estimate([R, S], counts) for counts in (frame, frame.to_numpy()))
    assert found.counts.tolist() == bare.counts.tolist()
    with pytest.raises(SpaceMismatch, match="'yes', 'no', in this order"):
        estimate([R, S], frame[["no", "yes"]])


@pytest.mark.parametrize("wrong", ["x", None, 0, 1, math.nan, True])
def test_a_confidence_is_a_number_between_0_and_1(wrong) -> None:
    for ask in (
        lambda: estimate(R, ["tea"], confidence=wrong),
        lambda: estimate_mean(R, ["tea"], values=[1, 2, 3], confidence=wrong),
        lambda: regress("y ~ x", {"y": [0, 1, 2.5], "x": [0, 1, 2]}, confidence=wrong),
    ):
        with pytest.raises(Malformed, match="confidence"):
            ask()
    assert estimate(R, ["tea"], confidence="9/10").confidence == 0.9


@pytest.mark.parametrize("option", ["tolerance", "max_iterations"])
def test_where_to_stop_is_a_number(option) -> None:
    with pytest.raises(Malformed, match=option):
        estimate(R, ["tea"], **{option: "soon"})


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
        (["tea", SECRET, SECRET], "2 of 3"),
        ({"tea": 3, SECRET: 4}, "4 of 7"),
        (["tea", [SECRET]], "1 of 2"),
        ([None, math.nan, "tea"], "2 of 3"),
    ],
)
def test_unknown_labels_are_counted_and_never_shown(observed, words) -> None:
    with pytest.raises(UnknownCategory, match=words) as caught:
        estimate(R, observed)
    assert SECRET not in str(caught.value)


def test_columns_of_a_regression_keep_their_secrets_too() -> None:
    data = {"y": [1.0, 2.0], "drink": ["tea", SECRET]}
    with pytest.raises(UnknownCategory, match="1 of 2 rows") as caught:
        regress("y ~ drink", data, channels={"drink": R})
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
        ("tea", "not one value of type str"),
        (17, "a list, an array or a column of labels"),
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
