"""Values do not change: not their attributes, not the arrays inside them."""

import copy
import pickle
from dataclasses import FrozenInstanceError
from functools import cached_property

import pytest

from dprivacy.model import Channel, Dist, Gain, push
from dprivacy.numbers import Factor, Frozen, Mat, ln
from dprivacy.sampling import CategoricalSampler, DiscreteLaplace, PlanarNoise, SpatialNoise
from dprivacy.spaces import grid, points


class Span(Frozen):
    def __init__(self, low, high):
        self._set(low=low, high=high)

    @cached_property
    def width(self):
        return self.high - self.low


AB = ["a", "b"]
COIN = Channel(AB, AB, [["3/4", "1/4"], ["1/4", "3/4"]])
VALUES = [
    Span(1, 3),
    ln(2),
    Factor(ln(3)),
    Mat.of([[1, 2], [3, 4]]),
    grid(2, 2),
    points([[0.0, 1.0], [0.5, 2.0]]),
    COIN,
    Dist(AB, ["1/2", "1/2"]),
    Gain(AB, AB, [[1, 0], [0, 1]]),
    push(COIN, prior=Dist(AB, ["1/2", "1/2"])),
    CategoricalSampler([[1, 2], [3, 4]]),
    DiscreteLaplace(ln(2)),
    PlanarNoise(ln(2)),
    SpatialNoise(ln(2)),
]


def names(value):
    slots = [name for kind in type(value).__mro__ for name in getattr(kind, "__slots__", ())]
    return [*getattr(value, "__dict__", {}), *slots]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_no_attribute_can_be_set_or_deleted(value):
    for name in [*names(value), "something_new"]:
        with pytest.raises(FrozenInstanceError, match="do not change"):
            setattr(value, name, 1)
        with pytest.raises(FrozenInstanceError, match="do not change"):
            delattr(value, name)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_copies_and_pickles_are_the_same_value(value):
    for other in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value)):
        assert type(other) is type(value)
        assert names(other) == names(value)
        if type(value).__eq__ is not object.__eq__:
            assert other == value


def test_a_property_is_computed_once():
    value = Span(1, 3)
    assert value.width == 2
    assert value.__dict__["width"] == 2


def test_arrays_inside_cannot_be_written():
    space = grid(3, 3, metric="manhattan")
    arrays = [
        Mat.of([[1, 2]]).entries,
        Mat.of([[1, 2]]).floats,
        space.distances.table,
        space.distances.floats,
        space.distances.integers[0],
        space.known_edges,
        space.edges,
        CategoricalSampler([[1, 2]])._tables,
    ]
    for array in arrays:
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
