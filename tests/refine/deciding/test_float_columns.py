"""Float channels: a verdict only where every channel within rounding has the same answer."""

import math
from fractions import Fraction as Q
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from dprivacy.errors import MixedArithmetic, SpaceMismatch, Uncertified
from dprivacy.model import Channel, Gain, as_channel
from dprivacy.refine import join, meet, order, refines
from dprivacy.refine.deciding.float_columns import binary
from dprivacy.spaces import discrete, line
from support.refine_random import pairs, processed

ORDERS = (refines, partial(refines, by="max"), partial(refines, by="private"))


def as_float(channel: Channel) -> Channel:
    return Channel(channel.rows, channel.columns, channel.matrix.floats)


def geometric(n: int, eps: float) -> Channel:
    a = math.exp(-eps)
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    weight = np.full(n, (1 - a) / (1 + a))
    weight[[0, -1]] = 1 / (1 + a)
    return as_channel(a**distance * weight)


@settings(max_examples=60)
@given(st.one_of(pairs(), processed().map(lambda f: [f[0], f[2]])))
def test_floats_never_contradict_the_exact_answer(found) -> None:
    A, B = found
    for compare in ORDERS:
        truth, measured = compare(A, B), compare(as_float(A), as_float(B))
        assert measured.status in ("measured", "measured to fail", "undecided")
        assert measured.holds in (None, truth.holds)
        assert measured.explain()


@pytest.mark.parametrize("n", [2, 10, 50])
def test_geometric_channels_are_measured_down_to_their_smallest_entries(n: int) -> None:
    sharp, blunt = geometric(n, 1.0), geometric(n, 0.5)
    verdict = refines(sharp, blunt)
    assert verdict.status == "measured"
    assert verdict.residual < 1e-14
    assert np.abs(sharp.matrix.floats @ verdict.R.matrix.floats - blunt.matrix.floats).max() < 1e-14
    assert refines(sharp, blunt, by="max").status == "measured"
    worse = refines(blunt, sharp)
    assert worse.status == "measured to fail"
    assert worse.after - worse.before > 100 * worse.error
    assert refines(blunt, sharp, by="max").status == "measured to fail"


@pytest.mark.slow
@pytest.mark.parametrize("n", [100, 200])
def test_large_geometric_channels_are_measured(n: int) -> None:
    assert refines(geometric(n, 1.0), geometric(n, 0.5)).status == "measured"
    assert refines(geometric(n, 0.5), geometric(n, 1.0)).status == "measured to fail"


def test_a_float_channel_refines_itself() -> None:
    A = geometric(7, 0.3)
    for compare in ORDERS:
        assert compare(A, A).status == "measured"
    shuffled = as_channel(A.matrix.floats[:, ::-1])
    assert refines(A, shuffled).status == "measured"


def test_what_rounding_could_explain_is_undecided() -> None:
    A = as_channel([[0.5, 0.5], [0.25, 0.75]])
    hair = 2.0**-53
    B = as_channel([[0.5 + 2 * hair, 0.5 - 2 * hair], [0.25 - hair, 0.75 + hair]])
    verdict = refines(A, B)
    assert verdict.status == "undecided"
    assert not verdict
    assert verdict.residual < 1e-15
    assert "give exact entries" in verdict.explain()
    assert refines(A, B, by="max").status == "undecided"
    assert refines(A, B, by="private").status == "undecided"
    assert refines(A, B, discrete([0, 1]), by="private").status == "undecided"
    coarse = as_channel([[0.5 + 1e-9, 0.5 - 1e-9], [0.25 - 1e-9, 0.75 + 1e-9]])
    assert [compare(A, coarse).status for compare in ORDERS] == ["measured to fail"] * 3
    assert [compare(coarse, A).status for compare in ORDERS] == ["measured"] * 3


def test_dependent_columns_in_floats() -> None:
    rng = np.random.default_rng(3)
    A = rng.dirichlet(np.ones(8), 4)
    B = A @ rng.dirichlet(np.ones(6), 8)
    verdict = refines(A, B)
    assert verdict.status == "measured"
    assert verdict.residual < 1e-14
    assert refines(A, B, by="max").status == "measured"
    sharp = 0.2 * B + 0.8 * rng.dirichlet(0.2 * np.ones(6), 4)
    assert refines(A, sharp).status == "measured to fail"
    assert refines(A, sharp, by="max").status == "measured to fail"


def test_max_without_average_in_floats() -> None:
    A = [[0.75, 0, 0.25, 0], [0.75, 0.25, 0, 0], [0, 0.25, 0.25, 0.5]]
    B = [[0.5, 0, 0.5], [0.5, 0.5, 0], [0, 0.5, 0.5]]
    verdict = refines(A, B)
    assert verdict.status == "measured to fail"
    assert refines(A, B, by="max").status == "undecided"  # on the boundary of the hull
    zeros = refines([[0.5, 0.5], [0.5, 0.5]], [[1.0, 0.0], [0.0, 1.0]])
    assert zeros.status == "measured to fail"


def test_fewer_outputs_than_secrets_in_floats() -> None:
    A = as_channel([[0.8, 0.2], [0.5, 0.5], [0.1, 0.9]])
    B = as_channel([[0.7, 0.3], [0.5, 0.5], [0.1, 0.9]])
    assert refines(A, B).status == "measured to fail"
    blurred = as_channel(A.matrix.floats @ np.array([[0.9, 0.1], [0.1, 0.9]]))
    assert refines(A, blurred).status == "undecided"


def test_refines_for_in_floats() -> None:
    guess = Gain([0, 1], [0, 1], [[1.0, 0.0], [0.0, 1.0]])
    A, B = [[0.75, 0.25], [0.25, 0.75]], [[0.5, 0.5], [0.5, 0.5]]
    assert refines(A, B, gains=[guess]).status == "measured"
    assert refines(B, A, gains=[guess]).status == "measured to fail"
    assert refines(A, A, gains=[guess]).status == "undecided"


def test_lattices_in_floats() -> None:
    A, B = geometric(3, 1.0), geometric(3, 0.5)
    with pytest.raises(Uncertified, match="exact channels"):
        join(A, B, by="max")
    assert not meet(A, B, by="max").exact
    above, below = join(A, B, by="private"), meet(A, B, by="private")
    assert refines(A, above, by="private").holds is not False
    assert refines(below, B, by="private").holds is not False


def test_an_order_names_what_floats_leave_open() -> None:
    A = as_channel([[0.5, 0.5], [0.25, 0.75]])
    B = as_channel([[0.5 + 2.0**-52, 0.5 - 2.0**-52], [0.25, 0.75]])
    found = order({"A": A, "B": B})
    assert ("A", "B") in found.undecided
    assert "Undecided: " in found.explain()


def test_exact_and_float_do_not_mix() -> None:
    for compare in (*ORDERS, partial(join, by="max"), partial(meet, by="private")):
        with pytest.raises(MixedArithmetic, match="exact"):
            compare([["1/2", "1/2"], ["1/4", "3/4"]], [[0.5, 0.5], [0.25, 0.75]])


def test_secrets_must_agree() -> None:
    with pytest.raises(SpaceMismatch, match="comparing two channels"):
        refines(as_channel([[1], [1]]), as_channel([[1], [1]], rows=["x", "z"]))


@pytest.mark.parametrize("value", [0.1, 1e-300, 5e-324, 0.0])
def test_floats_as_binary_fractions(value: float) -> None:
    matrix = as_channel([[value, 1.0 - value]]).matrix
    assert binary(matrix).rows() == [[Q(value), Q(1.0 - value)]]


def test_one_metric_in_floats() -> None:
    A, B = geometric(4, 1.0), geometric(4, 0.5)
    assert refines(A, B, line(4), by="private").status == "measured"
    assert refines(B, A, line(4), by="private").status == "measured to fail"
    assert refines(A, A, line(4), by="private").status == "measured"
