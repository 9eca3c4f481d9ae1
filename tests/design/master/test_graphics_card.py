"""The column generation on a graphics card against the same on the processor.

Where there is no card only the refusals are tested.
"""

import numpy as np
import pytest

import dprivacy as dp
from dprivacy.design.columns import arithmetic_device
from dprivacy.design.columns.generation import column_generation
from dprivacy.design.master import graphics_card as gpu
from dprivacy.design.master.master_program import balanced, mixture
from dprivacy.design.master.normal_equations import Walled
from dprivacy.errors import UnknownName
from support.design_spaces import apart, check, check_flows, costs_of, lattice, rng, spaces
from support.programs import printed

card = pytest.mark.service("gpu")


@pytest.fixture(autouse=True)
def small_problems_go_to_the_card(monkeypatch):
    """The problems here are small, and the processor would mix their columns."""
    monkeypatch.setattr(arithmetic_device, "_WORTH_CARD", 0)


def test_a_device_that_is_not_known():
    with pytest.raises(UnknownName, match="device should be one of 'cpu', 'gpu', not 'tpu'"):
        dp.optimal(dp.line(3), eps="ln 2", device="tpu")


def test_without_cupy_the_way_out_is_named():
    """In a process of its own, where CuPy cannot be found even if it is installed."""
    program = """
import importlib.util as u
find = u.find_spec
u.find_spec = lambda name, *rest: None if name == "cupy" else find(name, *rest)
import dprivacy as dp
from dprivacy.errors import MissingExtra
try:
    dp.optimal(dp.line(3), eps="ln 2", device="gpu")
except MissingExtra as error:
    print(error)
"""
    assert "pip install 'dprivacy[gpu]'" in printed(program)


@card
def test_mixtures_agree():
    draw = rng(7)
    A, q = draw.random((12, 60)) + 0.1, draw.random(60)
    start, known = np.ones(60), np.zeros(12)
    plain = mixture(A, q, 1e-9, start, known)
    quick = gpu.Card().mixture(A, q, 1e-9, start, known)
    assert quick.sound
    assert q @ quick.weights == pytest.approx(q @ plain.weights, rel=1e-8)
    np.testing.assert_allclose(quick.multipliers, plain.multipliers, rtol=1e-5, atol=1e-7)
    even = gpu.Card().balanced(A, quick.weights)
    assert np.abs(A @ even - 1).max() < 1e-13
    np.testing.assert_allclose(even, balanced(A, quick.weights), rtol=1e-9, atol=1e-13)


@card
def test_columns_that_take_no_room_are_written_out():
    import cupy

    A = rng(2).random((3, 4))
    whole = cupy.asnumpy(Walled(cupy.asarray(A)).whole())
    np.testing.assert_array_equal(whole, Walled(A).whole())


@card
@pytest.mark.parametrize("name", list(spaces()))
def test_answers_agree(name):
    distance = spaces(5)[name]
    costs = costs_of("metric", distance, 1)
    plain = column_generation(0.7 * distance, costs, gap=1e-8, compiled=False)
    quick = column_generation(0.7 * distance, costs, gap=1e-8, device="gpu")
    check(quick, 0.7 * distance, costs, 1e-8)
    check_flows(quick, 0.7 * distance, costs)
    assert quick.loss == pytest.approx(plain.loss, rel=2e-8)


@card
def test_steep_and_shallow():
    distance = apart(lattice(5))
    costs = costs_of("metric", distance, 2)
    for most in (1e-3, 30.0, 200.0):
        scaled = distance * (most / distance.max())
        check(column_generation(scaled, costs, device="gpu"), scaled, costs)


@card
def test_what_is_found_there_is_proved_here():
    space = dp.grid(8, 8)
    weights = rng(2).dirichlet(np.ones(64)).tolist()
    here = dp.optimal(space, eps="ln 2", prior=weights, loss="euclidean")
    there = dp.optimal(space, eps="ln 2", prior=weights, loss="euclidean", device="gpu")
    assert there.finished
    assert there.gap <= 1e-6
    assert there.certificate.holds()
    assert float(there.bound) <= float(here.loss) <= float(there.loss) * (1 + 1e-6)
