"""Symmetries: found, a group, and of no influence on the answer."""

import numpy as np
import pytest

from dprivacy.design.columns.generation import column_generation
from dprivacy.design.problems.problem_symmetry import alone, find_symmetry


def grid(rows, columns, p=2):
    at = np.array([(i, j) for i in range(rows) for j in range(columns)], dtype=float)
    return np.linalg.norm(at[:, None] - at[None], ord=p, axis=-1)


def line(n):
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)


def cube(bits):
    return np.array(
        [[float((a ^ b).bit_count()) for a in range(1 << bits)] for b in range(1 << bits)]
    )


def elements(symmetry):
    """The whole group, by closing the generators under composition."""
    n, m = symmetry.secrets.shape[1], symmetry.outputs.shape[1]
    seen = {(tuple(range(n)), tuple(range(m)))}
    waiting = list(seen)
    while waiting:
        g, h = waiting.pop()
        for a, b in zip(symmetry.secrets, symmetry.outputs, strict=True):
            image = tuple(a[list(g)].tolist()), tuple(b[list(h)].tolist())
            if image not in seen:
                seen.add(image)
                waiting.append(image)
    return seen


@pytest.mark.parametrize(
    ("distance", "size", "orbits"),
    [
        (line(5), 2, 3),
        (grid(4, 4), 8, 3),
        (grid(3, 5), 4, 6),
        (grid(3, 3, 1), 8, 3),
        (cube(3), 48, 1),
        (1.0 - np.eye(5), 120, 1),
    ],
)
def test_all_symmetries_of_a_space_are_found(distance, size, orbits):
    found = find_symmetry(distance, distance / len(distance))
    group = elements(found)
    assert len(group) == size
    for g, h in group:
        assert (distance[np.ix_(g, g)] == distance).all()
        assert (distance[np.ix_(g, h)] == distance).all()
    assert len(found.sizes) == orbits
    assert found.sizes.sum() == found.multiplicities.sum() == len(distance)


def test_orbits_and_stabilisers_are_those_of_the_group():
    distance = grid(4, 4)
    found = find_symmetry(distance, distance)
    group = elements(found)
    for x in range(16):
        orbit = {g[x] for g, _ in group}
        assert {z for z in range(16) if found.orbit[z] == found.orbit[x]} == orbit
    for which, y in enumerate(found.representatives):
        stable = [g for g, h in group if h[y] == y]
        for x in range(16):
            orbit = {g[x] for g in stable}
            number = found.stable[which]
            assert {z for z in range(16) if number[z] == number[x]} == orbit
    for y, g in enumerate(found.movers):
        first = found.representatives[found.outputs_orbit[y]]
        assert any(tuple(g) == a and b[first] == y for a, b in group)


def test_prior_and_loss_break_symmetries():
    distance = grid(3, 3)
    prior = np.full(9, 1 / 9)
    assert len(elements(find_symmetry(distance, prior[:, None] * distance))) == 8
    prior[1] = 0.2  # the middle of the top row: one reflection is left
    assert len(elements(find_symmetry(distance, prior[:, None] * distance))) == 2
    prior[0] = 0.3
    assert find_symmetry(distance, prior[:, None] * distance) is None


def test_outputs_need_not_be_secrets():
    """On a line, outputs between the points are reflected too; two equal columns are no obstacle."""
    x, y = np.arange(4.0), np.array([0.5, 1.5, 2.5, 1.5])
    costs = np.abs(np.subtract.outer(x, y))
    found = find_symmetry(line(4), costs)
    assert found.secrets.tolist() == [[3, 2, 1, 0]]
    g, h = found.secrets[0], found.outputs[0]
    assert (costs[np.ix_(g, h)] == costs).all()
    assert h[0] == 2
    assert h[2] == 0


def test_rounding_does_not_hide_a_symmetry():
    distance = grid(4, 4)
    costs = distance * (1 + 1e-15 * np.sin(np.arange(256.0)).reshape(16, 16))
    assert len(elements(find_symmetry(distance, costs))) == 8


def test_a_random_space_has_none():
    points = np.random.default_rng(0).random((12, 2))
    distance = np.linalg.norm(points[:, None] - points[None], axis=-1)
    assert find_symmetry(distance, distance) is None


def test_large_groups_are_found_by_few_generators():
    found = find_symmetry(1.0 - np.eye(60), 1.0 - np.eye(60))
    assert len(found.secrets) == 59
    assert len(found.sizes) == 1
    assert (np.bincount(found.stable[0]) == [1, 59]).all()


@pytest.mark.parametrize(
    ("distance", "loss"),
    [
        (line(6), line(6)),
        (grid(4, 4), grid(4, 4)),
        (grid(3, 4), grid(3, 4) ** 2),
        (cube(3), cube(3)),
        (1.0 - np.eye(6), 1.0 - np.eye(6)),
        (line(5), np.abs(np.subtract.outer(np.arange(5.0), [0.5, 2.0, 3.5]))),
    ],
)
@pytest.mark.parametrize("eps", [0.3, 1.0])
def test_symmetry_changes_nothing_but_the_time(distance, loss, eps):
    costs = loss / len(loss)
    found = find_symmetry(distance, costs)
    full = column_generation(eps * distance, costs, gap=1e-7)
    short = column_generation(eps * distance, costs, gap=1e-7, orbits=found)
    assert full.finished
    assert short.finished
    assert short.loss == pytest.approx(full.loss, rel=2e-7)
    assert short.loss == pytest.approx((costs * short.channel).sum(), rel=1e-12)
    np.testing.assert_allclose(short.channel.sum(axis=1), 1, rtol=0, atol=1e-14)
    used = short.channel[:, short.channel.max(axis=0) > 0]
    excess = np.log(used)[:, None] - np.log(used) - eps * distance[:, :, None]
    assert excess.max() <= 1e-12
    for g, h in zip(found.secrets, found.outputs, strict=True):
        np.testing.assert_allclose(short.channel[np.ix_(g, h)], short.channel, rtol=1e-12)
    left = costs - short.multipliers[:, None]
    f = short.flows
    rise = np.exp(eps * distance[f.above, f.below])
    np.subtract.at(left, (f.below, f.outputs), f.amounts * rise)
    np.add.at(left, (f.above, f.outputs), f.amounts)
    assert left.min() >= -1e-11


def test_alone_is_the_identity():
    group = alone(3, 2)
    columns = np.arange(6.0).reshape(2, 3)
    assert (group.channel(columns) == columns.T).all()
    assert group.representatives.tolist() == [0, 1]
    assert len(group.sizes) == 3
