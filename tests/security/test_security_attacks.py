"""Attacks on released doubles: what a naive Laplace betrays, and our outputs do not."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.mechanisms import integer_geometric, laplace, planar_laplace, randomised_response
from dprivacy.sampling import KeyedSource

OUTPUTS = 100_000
UNIT = 2.0**-53


def naive_laplace(x: float, n: int, seed: int) -> np.ndarray:
    """x + Laplace noise from a uniform double, as in a textbook."""
    rng = np.random.default_rng(seed)
    u = (rng.integers(1, 1 << 53, n)) * UNIT
    sign = rng.choice([-1.0, 1.0], n)
    return x + sign * -np.log(u)


def naive_could_give(y: np.ndarray, x: float, near: int = 40) -> np.ndarray:
    """Whether any uniform double near the right one makes the naive mechanism answer y for x."""
    size = np.abs(y - x)
    sign = np.where(y >= x, 1.0, -1.0)
    middle = np.rint(np.exp(-size) / UNIT)
    found = np.zeros(y.shape, dtype=bool)
    for k in range(-near, near + 1):
        u = np.clip(middle + k, 1, 2**53) * UNIT
        found |= x + sign * -np.log(u) == y
    return found


def test_a_naive_laplace_is_caught():
    """A large part of single outputs cannot come from the other input: the attack works."""
    proved = 0
    for x, other in ((0.0, 1.0), (1.0, 0.0)):
        y = naive_laplace(x, OUTPUTS, seed=int(x) + 1)
        assert naive_could_give(y, x).all()
        proved += int((~naive_could_give(y, other)).sum())
    assert proved > 0.3 * 2 * OUTPUTS


def test_the_precision_of_a_naive_laplace_is_caught():
    """Outputs for 0 have low bits that no double near 1 + noise can have."""
    low_bits = lambda y: np.ldexp(y, 53) % 1 != 0  # noqa: E731
    near_0, near_1 = naive_laplace(0.0, OUTPUTS, 3), naive_laplace(1.0, OUTPUTS, 4)
    inside_0, inside_1 = (y[(y > 0.25) & (y < 0.75)] for y in (near_0, near_1))
    assert low_bits(inside_0).any()
    assert not low_bits(inside_1[inside_1 > 0.5]).any()


INPUTS = [0.0, 1.0, 0.3, -2.7, 1 / 3, math.pi, 5e-324, 4.999999999999999]
NUMERIC = {
    "listed": (lambda: laplace(-8, 8, eps="1/2", grid="1/4"), Q(1, 4)),
    "listed-tenths": (lambda: laplace(-8, 8, eps="1/2", grid="1/10"), Q(1, 10)),
    "wide": (lambda: laplace(-8000, 8000, eps="1/2", grid="1/4"), Q(1, 4)),
    "integers": (lambda: integer_geometric(eps="1/2"), Q(1)),
}


@pytest.mark.parametrize("name", NUMERIC)
@pytest.mark.parametrize("x", INPUTS)
def test_no_output_proves_an_input(name, x):
    """Every output is the double of a grid point, and every grid point is possible for every input.

    So the set of possible outputs is the same for all inputs, and 0 of 10^5 outputs rule one out.
    """
    build, step = NUMERIC[name]
    outputs = build().randomise(np.full(OUTPUTS, x))
    distinct = np.unique(outputs)
    nearest = [round(Q(y) / step) for y in distinct]
    off_grid = sum(float(k * step) != y for k, y in zip(nearest, distinct, strict=True))
    assert off_grid == 0
    assert not (np.signbit(distinct) & (distinct == 0)).any()


@pytest.mark.parametrize("x", INPUTS)
def test_no_place_proves_a_place(x):
    places = np.stack([np.full(OUTPUTS, x), np.full(OUTPUTS, -x * 3)], axis=1)
    outputs = planar_laplace(eps="1/2", grid="1/10").randomise(places)
    distinct = np.unique(outputs)
    assert (np.rint(distinct / 0.1) * 0.1 == distinct).all()
    assert not (np.signbit(distinct) & (distinct == 0)).any()


@pytest.mark.parametrize("name", NUMERIC)
def test_supports_overlap_entirely_where_outputs_are_likely(name):
    """What comes out often for 0 comes out for 1 as well, and the other way round."""
    mechanism = NUMERIC[name][0]()
    counts = []
    for x in (0.0, 1.0):
        values, times = np.unique(mechanism.randomise(np.full(OUTPUTS, x)), return_counts=True)
        counts.append(dict(zip(values.tolist(), times.tolist(), strict=True)))
    for here, there in (counts, counts[::-1]):
        assert all(there.get(y, 0) > 0 for y, times in here.items() if times > 60)


@pytest.mark.parametrize("name", NUMERIC)
def test_low_bits_of_the_input_do_not_survive(name):
    """Two inputs in one cell and the same words: byte for byte the same output."""
    mechanism = NUMERIC[name][0]()
    key = bytes(range(16))
    rng = np.random.default_rng(8)
    centres = np.rint(rng.uniform(-7, 7, 2000))
    plain = mechanism.using(KeyedSource(key)).randomise(centres)
    for wiggle in (1e-16, -1e-9, 0.03):
        moved = mechanism.using(KeyedSource(key)).randomise(centres + wiggle)
        assert moved.tobytes() == plain.tobytes()


def test_neighbouring_cells_shift_the_output_and_nothing_else():
    """Unclamped noise is added to the integer: input + 1 gives output + 1 from the same words."""
    mechanism = integer_geometric(eps="1/3")
    key = bytes(range(16))
    outputs = [mechanism.using(KeyedSource(key)).randomise(np.full(1000, x)) for x in (0.0, 1.0)]
    assert (outputs[1] - outputs[0] == 1).all()


def test_every_cell_of_a_truncated_mechanism_is_possible():
    """Doubles give 4095 impossible cells on 101 points at ε = 1; integers none."""
    mechanism = laplace(0, 100, eps=1, grid=1)
    assert (mechanism.channel.matrix.entries > 0).all()
    a = math.exp(-1)
    apart = np.abs(np.subtract.outer(np.arange(101), np.arange(101)))
    naive = np.cumsum(np.where(True, (1 - a) / (1 + a) * a**apart, 0), axis=1)
    assert (np.diff(naive, axis=1) == 0).sum() > 1000  # a cumulative table in doubles
    far = randomised_response(range(3), eps=2000)
    assert (far.channel.matrix.entries > 0).all()
