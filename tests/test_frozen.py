"""Nouns and results do not change: no attribute can be set, no array inside can be written."""

import dataclasses
import importlib
import inspect
from enum import Enum
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.flow import gain
from dprivacy.mechanisms import exponential, geometric, randomised_response
from dprivacy.model import Guarantee, as_channel, uniform
from dprivacy.numbers import Frozen, Level, Mat
from dprivacy.spaces import discrete, grid, line
from dprivacy.verify import privacy, privacy_profile
from support.source_code import ROOMS, surface

HALF = as_channel([[Q(1, 2), Q(1, 2)], [Q(1, 4), Q(3, 4)]])
FLOAT = as_channel([[0.5, 0.5], [0.25, 0.75]])
RR = randomised_response(discrete(["a", "b"]), eps="ln 2")
NOUNS = {
    "Level": Level("3/2·ln 2"),
    "Mat": Mat.of([[1, 2], [3, 4]]),
    "Mat of floats": Mat(np.array([[0.5, 1.5]])),
    "FiniteSpace": discrete(["a", "b"]),
    "line": line(3),
    "grid": grid(2, 2),
    "Dist": uniform(["a", "b"]),
    "Channel": HALF,
    "Channel of floats": FLOAT,
    "Hyper": uniform(HALF.rows) >> HALF,
    "Gain": gain.identity(["a", "b"]),
    "Guarantee": RR.guarantee,
    "Mechanism": RR,
    "geometric": geometric(line(3), eps="ln 2"),
    "exponential": exponential(line(3), eps=1.0),
    "Verdict": privacy(HALF, line(2), eps="ln 2"),
    "profile": privacy_profile(HALF),
}
CHANGING = {
    "collecting.Book": "a book is what changes: counters on a disk",
    "release.ProtectColumns": "scikit-learn's protocol sets what fit() found",
    "release.ReleasedStream": "rows are drawn while it is read, and the card comes at the end",
    "sampling.DeviceSource": "a source moves on with every draw",
    "sampling.InsecureSource": "a source moves on with every draw",
    "sampling.KeyedSource": "a source moves on with every draw",
    "sampling.SystemSource": "a source keeps a buffer",
}


def attributes(value):
    """The names of everything that is stored in an object."""
    slots = (getattr(kind, "__slots__", ()) for kind in type(value).__mro__)
    named = {s for names in slots for s in ([names] if isinstance(names, str) else names)}
    return sorted((named | set(getattr(value, "__dict__", {}))) - {"__dict__", "__weakref__"})


@pytest.mark.parametrize("name", NOUNS)
def test_no_attribute_can_be_set_or_deleted(name):
    noun = NOUNS[name]
    assert attributes(noun)
    for attribute in [*attributes(noun), "new"]:
        with pytest.raises(AttributeError):
            setattr(noun, attribute, None)
        with pytest.raises(AttributeError):
            delattr(noun, attribute)


@pytest.mark.parametrize("name", NOUNS)
def test_no_array_inside_can_be_written(name):
    for attribute in attributes(NOUNS[name]):
        value = getattr(NOUNS[name], attribute, None)
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable, attribute
        assert not isinstance(value, (list, set, bytearray)), attribute


def changes(kind):
    """Whether the objects of a class can be changed, as far as its definition tells."""
    if issubclass(kind, (BaseException, Enum, Frozen, tuple)) or getattr(
        kind, "_is_protocol", False
    ):
        return False
    return not (dataclasses.is_dataclass(kind) and kind.__dataclass_params__.frozen)


def test_the_classes_of_every_surface_are_frozen():
    found = []
    for room in ROOMS:
        door = importlib.import_module(f"dprivacy.{room}")
        kinds = ((name, getattr(door, name)) for name in surface(room))
        found += [f"{room}.{n}" for n, kind in kinds if inspect.isclass(kind) and changes(kind)]
    assert set(found) == set(CHANGING)


def test_a_guarantee_is_frozen_by_construction():
    with pytest.raises(dataclasses.FrozenInstanceError):
        Guarantee.__setattr__(RR.guarantee, "eps", Level(1))
