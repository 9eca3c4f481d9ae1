"""Numbers and labels in sentences and as plain data."""

import json
import math
from fractions import Fraction as Q

import pytest

from dprivacy.model import Channel, as_channel
from dprivacy.model.plain_data import about, plain, shown
from dprivacy.numbers import Level, ln
from dprivacy.spaces import power_set
from dprivacy.verify import privacy


def test_plain_data() -> None:
    assert plain({"a": Q(16, 7), 2: [ln(Q(16, 7)), math.inf, -math.inf, 0.5, None, True]}) == {
        "a": "16/7",
        "2": ["ln(16/7)", "inf", "-inf", 0.5, None, True],
    }
    assert plain((1, (2, "x"))) == [1, [2, "x"]]
    assert plain(as_channel([[1]]))["matrix"] == [["1"]]
    assert plain(math.nan) == "nan"
    assert plain(object()).startswith("<object")
    assert plain(frozenset({"a"})) == ["a"]


def test_numbers_in_sentences() -> None:
    assert about(Q(16, 7)) == "16/7 ≈ 2.286"
    assert about(Q(2)) == "2"
    assert about(0.1) == "0.1"
    assert about(3) == "3"
    assert about(ln(2)) == "ln(2) ≈ 0.6931"
    assert about(Q(1, 3**100)).startswith("about 1.94")
    assert about(Q(10) ** 400) == "about 10^400"
    assert about(Q(3**10000, 2)) == "about 10^4771"
    assert plain(Q(2, 3**10000)) == "about 10^-4771"
    assert about(ln(3**10000)).startswith("about 1.099e+04")


def test_labels_in_sentences() -> None:
    assert shown(frozenset({"b", "a"})) == "{a, b}"
    assert shown((1, ("x", frozenset()))) == "(1, (x, {}))"
    assert shown("tea") == "tea"


def test_labels_of_any_kind_reach_json() -> None:
    space = power_set(["a", "b"])
    channel = Channel(space.labels, [0, 1], [["1/2", "1/2"]] * 3 + [["1/4", "3/4"]])
    data = json.dumps(privacy(channel, space).to_dict(), allow_nan=False)
    assert '"a"' in data


@pytest.mark.parametrize(("level", "text"), [("1/2", "1/2"), ("3", "3"), ("1/3", "1/3 ≈ 0.3333")])
def test_a_rational_level_reads_like_the_fraction_it_is(level, text):
    assert about(Level(level)) == about(Q(level)) == text


def test_a_label_does_not_steer_the_terminal():
    assert shown(("a\x1b[2J", "b\x7f\x9b")) == r"(a\x1b[2J, b\x7f\x9b)"
    assert shown("caf\u00e9\u00a0noir") == "caf\u00e9\u00a0noir"
