"""Expected errors, and floors that no private mechanism goes below."""

import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadLevel, Malformed, UnknownCategory
from dprivacy.model import Channel, as_channel
from dprivacy.numbers import Level
from dprivacy.spaces import discrete, from_table, grid, line
from dprivacy.verify import error_floor, expected_error, hamming_error_bounds


def test_expected_error_by_hand() -> None:
    channel = as_channel([["1/2", "1/4", "1/4"], [0, 1, 0], ["1/3", "1/3", "1/3"]])
    assert expected_error(channel, line(3)) == Q(1, 3) * 2 + Q(1, 3)
    assert expected_error(channel, discrete(range(3))) == Q(2, 3)
    root = expected_error(Channel([(0, 0)], [(1, 1), (0, 0)], [["1/2", "1/2"]]), grid(2, 2))
    assert root == Level("sqrt(2)") / 2
    floats = expected_error([[0.5, 0.5], [0.0, 1.0]], line(2))
    assert floats == 0.5
    perfect = expected_error([[1.0, 0.0], [0.0, 1.0]], line(2))
    assert perfect == 0
    assert isinstance(perfect, float)


def test_expected_error_over_infinite_distances() -> None:
    space = from_table([0, 1], [[0, "inf"], ["inf", 0]], extended=True)
    assert expected_error([[1, 0], [0, 1]], space) == 0
    assert expected_error([["1/2", "1/2"], [0, 1]], space) == math.inf


def test_outputs_must_be_points_of_the_space() -> None:
    with pytest.raises(UnknownCategory, match="'far'"):
        expected_error(Channel([0, 1], [0, "far"], [[1, 0], [0, 1]]), line(2))
    with pytest.raises(UnknownCategory, match="7"):
        expected_error(Channel([0, 7], [0, 1], [[1, 0], [0, 1]]), line(2))


@pytest.mark.parametrize("categories", [1, 0, -3])
def test_bounds_need_two_categories(categories) -> None:
    with pytest.raises(Malformed, match="at least 2"):
        hamming_error_bounds(categories, eps="ln 2")


def test_bounds_refuse_nonsense() -> None:
    for eps in (0, -1, math.nan, True, "x"):
        with pytest.raises(BadLevel):
            hamming_error_bounds(3, eps=eps)
        with pytest.raises(BadLevel):
            error_floor(line(3), eps=eps)
    with pytest.raises(BadLevel):
        error_floor(line(3), eps="ln 2", delta=2)
    with pytest.raises(Malformed, match="inside"):
        error_floor(line(3), eps="ln 2", outputs="outside")
    with pytest.raises(Malformed, match="at least 2"):
        error_floor(line(1), eps="ln 2")


@pytest.mark.statement("M", "Thm 6")
def test_the_larger_of_two_floors() -> None:
    # five points on a line: spread 4/(1+2) beats packing 4/(4+2)
    assert error_floor(line(5), eps="ln 2") == Q(4, 3)
    assert error_floor(discrete(range(5)), eps="ln 2") == Q(4, 6)
    assert error_floor(discrete(range(5)), eps="ln 2", outputs="anywhere") == Q(1, 3)
    assert error_floor(grid(2, 2), eps="ln 2") == max(Level("sqrt(2)") / 3, Q(3, 5))
    assert error_floor(line([0.0, 4.0]), eps="ln 2") == pytest.approx(4 / 3)
    assert error_floor(line(5), eps="ln 2", delta=1) == 0


def test_a_floor_under_floats_is_rounded_down_and_never_nan():
    space = from_table([0, 1], [[0.0, 0.7], [0.7, 0.0]])
    found = error_floor(space, eps="ln 2")
    assert isinstance(found, float)
    assert Q(found) <= Q(0.7) / 3 < Q(math.nextafter(found, 1))
    far = from_table([0, 1], [[0, "inf"], ["inf", 0]], extended=True)
    assert (error_floor(far, eps=900), error_floor(far, eps=1, delta=1)) == (math.inf, 0)
