"""Sets on the wire: refused unless a device draws them, and counted by their numbers."""

from itertools import combinations

import numpy as np
import pytest

from dprivacy.collecting import Tally
from support.collections_asked import MECHANISMS, on_the_wire, wires

WIRES = wires()


@pytest.mark.parametrize(
    "told",
    [
        [0],
        [0, 1, 2],
        [1, 0],
        [1, 1],
        [-1, 0],
        [0, 5],
        [0, 1.0],
        [0, True],
        "01",
        {"0": 1},
        None,
        [[0], 1],
    ],
)
def test_lists_that_no_device_sends(told):
    assert WIRES["subset"].read([[0, 1]]) == [[0, 1]]
    assert WIRES["subset"].read([[0, 1], told]) is None


@pytest.mark.parametrize(
    "told", ["", "0", "20", "ff", "0100", " 1", "1 ", "g0", 1, None, ["01"], b"1"]
)
def test_bits_that_no_device_sends(told):
    assert WIRES["unary"].read(["1f"]) == [b"\x1f"]
    assert WIRES["unary"].read(["1f", told]) is None


@pytest.mark.parametrize(("size", "labels"), [(2, 5)])
def test_every_set_has_its_own_number(size, labels):
    wire = WIRES["subset"]
    sets = [list(some) for some in combinations(range(labels), size)]
    numbers = [next(iter(wire.added([some])))[0] for some in sets]
    assert sorted(numbers) == list(range(wire.slots))
    held = wire.members(np.array(numbers))
    assert [np.flatnonzero(row).tolist() for row in held] == sets


@pytest.mark.parametrize(
    "kind", ["subset", "unary", "wide unary", "wide subset", "projective", "hashed"]
)
def test_counters_give_what_the_mechanism_counts(kind):
    wire, mechanism = WIRES[kind], MECHANISMS[kind]
    truth = [label for at, label in enumerate(wire.labels) for _ in range(at + 1)]
    told = on_the_wire(mechanism, truth)
    counters = dict(wire.added(wire.read(told)))
    found = Tally(wire, len(told), counters).observed()
    sent = [bytes.fromhex(y) if isinstance(y, str) else y for y in told]
    assert found.supports.tolist() == mechanism.count(sent).supports.tolist()
    assert found.n == len(told)


def test_few_sets_are_counted_one_by_one_and_many_by_label():
    assert [WIRES[kind].slots for kind in ("subset", "unary", "wide unary", "wide subset")] == [
        10,
        32,
        40,
        60,
    ]
