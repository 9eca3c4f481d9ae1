"""Structured operators are the matrices they stand for."""

import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.errors import NotApplicable, NotInvertible
from dprivacy.estimation import estimate
from dprivacy.estimation.operators.channel_operator import Dense, left_inverse
from dprivacy.estimation.operators.structure_check import Known, operator_of
from dprivacy.estimation.operators.structured_operators import Axes, LineGeometric, ResponseLike
from dprivacy.mechanisms import geometric, integer_geometric, laplace, randomised_response
from dprivacy.model import Channel, as_channel, parallel
from dprivacy.spaces import line


def same(first, second, rng) -> None:
    assert np.exp(first.column_logs) == pytest.approx(np.exp(second.column_logs), rel=1e-10)
    p, w = rng.random(first.inputs), rng.random(first.outputs)
    both = rng.random((3, first.inputs))
    v = rng.random(first.inputs)
    assert first.forward(p) == pytest.approx(second.forward(p), rel=1e-10)
    assert first.forward(both) == pytest.approx(second.forward(both), rel=1e-10)
    assert first.backward(w) == pytest.approx(second.backward(w), rel=1e-10)
    assert first.inverted(w) == pytest.approx(second.inverted(w), rel=1e-7, abs=1e-9)
    assert first.inverted_squares(w) == pytest.approx(second.inverted_squares(w), rel=1e-7)
    assert first.scores(v) == pytest.approx(second.scores(v), rel=1e-7, abs=1e-9)


@pytest.mark.parametrize(
    ("mechanism", "kind"),
    [
        (randomised_response(range(70), eps="ln 3"), ResponseLike),
        (geometric(70, eps="ln 2"), LineGeometric),
        (geometric(70, eps="1/10"), LineGeometric),
        (geometric(line([k * k for k in range(60)]), eps="1/50"), LineGeometric),
        (laplace(0, 5, eps=2, grid="0.1"), LineGeometric),
    ],
    ids=str,
)
def test_structure_is_recognised_and_right(mechanism, kind) -> None:
    operator = operator_of(as_channel(mechanism))
    assert type(operator) is kind
    same(operator, Dense(as_channel(mechanism)), np.random.default_rng(0))


def test_what_only_looks_alike_is_dense() -> None:
    m = geometric(60, eps="ln 2").channel
    floats = m.matrix.floats.copy()
    floats[10, 40] *= 1 + 1e-6
    assert type(operator_of(as_channel(floats / floats.sum(axis=1, keepdims=True)))) is Dense
    turned = m.matrix.take(list(range(59, -1, -1)))
    assert type(operator_of(Channel(range(60), range(60), turned))) is Dense


@pytest.mark.parametrize(
    "mechanism", [geometric(60, eps="1/5"), randomised_response(range(60), eps="ln 3")], ids=str
)
def test_curvature_is_that_of_the_matrix(mechanism) -> None:
    rng = np.random.default_rng(2)
    slow, fast = Dense(mechanism.channel), operator_of(mechanism.channel)
    assert type(fast) is not Dense
    d, z, b = rng.random(60), rng.random(60), rng.normal(size=60)
    assert fast.curvature(d, z)(b) == pytest.approx(slow.curvature(d, z)(b), rel=1e-8)


def test_axes_are_the_product_channel() -> None:
    rng = np.random.default_rng(1)
    parts = [
        as_channel([["3/4", "1/4"], ["1/4", "3/4"]]),
        as_channel([["1/2", "1/4", "1/4"], ["1/4", "1/2", "1/4"], ["0", "1/4", "3/4"]]),
        as_channel([["2/3", "1/3"], ["1/3", "2/3"]]),
    ]
    same(Axes([Dense(part) for part in parts]), Dense(parallel(*parts)), rng)
    mixed = [geometric(50, eps="ln 2").channel, randomised_response(range(48), eps="ln 2").channel]
    product = Axes([operator_of(part) for part in mixed])
    assert [type(part) for part in product.parts] == [LineGeometric, ResponseLike]
    table = rng.random((50, 48))
    first, second = (part.matrix.floats for part in mixed)
    reached = product.forward(table.ravel()) * np.exp(product.column_logs)
    assert reached.reshape(50, 48) == pytest.approx(first.T @ table @ second, rel=1e-9)


def test_ten_thousand_points_on_a_line_need_no_matrix() -> None:
    noise = laplace(0, 9_999, eps="1/20", grid=1)
    known = Known(noise)
    assert known.channel is None
    assert isinstance(known.operator, LineGeometric)
    rng = np.random.default_rng(4)
    truth = np.clip(rng.normal(4000, 300, 20_000), 0, 9999).round()
    found = estimate(noise, noise.randomise(truth), tolerance=1e-7)
    assert found.converged
    mean = sum(float(label) * share for label, share in found.distribution.items())
    assert mean == pytest.approx(truth.mean(), abs=2)
    inverted = estimate(noise, noise.randomise(truth), estimator="inverse")
    assert sum(inverted.shares) == pytest.approx(1)


def test_noise_without_ends_is_refused_with_the_way_out() -> None:
    with pytest.raises(NotApplicable, match="declare a range"):
        estimate(integer_geometric(eps="ln 2"), [1, 2, 3])


def test_left_inverses_keep_totals() -> None:
    rng = np.random.default_rng(0)
    C = rng.dirichlet(np.ones(6), size=4)
    C[:, 2] = 0
    C /= C.sum(axis=1, keepdims=True)
    B = left_inverse(C)
    assert np.abs(C @ B - np.eye(4)).max() <= 1e-10
    assert B.sum(axis=1)[[0, 1, 3, 4, 5]] == pytest.approx(np.ones(5))


@pytest.mark.parametrize(
    "rows",
    [
        [["1/2", "1/2"], ["1/2", "1/2"]],
        [["1/2", "1/2"], ["1/4", "3/4"], ["1/3", "2/3"]],
        [[0.5, 0.5], [0.5, 0.5]],
    ],
)
def test_no_inverse_and_the_way_out(rows) -> None:
    C = as_channel(rows)
    for estimator in ("inverse", "projected"):
        with pytest.raises(NotInvertible, match='estimator="ibu"'):
            estimate(C, {0: 5, 1: 3}, estimator=estimator)
    assert estimate(C, {0: 5, 1: 3}).converged


def test_doubles_beyond_their_range() -> None:
    m = geometric(line([0, 1000, 2000]), eps="ln 2")
    operator = Dense(m.channel)
    assert np.isfinite(operator.column_logs).all()
    assert math.isclose(float(operator.forward(np.full(3, 1 / 3)).sum()), 1.0)
    found = estimate(m, {0: 5, 1000: 3, 2000: 2}, estimator="inverse")
    assert found.exact
    assert float(found.counts[0]) == pytest.approx(5)
    assert isinstance(found.counts[0], Q)
