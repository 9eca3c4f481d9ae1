"""Hyperplanes: their numbers, both branches of the samplers, and decoding, all against enumeration."""

from collections import Counter
from fractions import Fraction as Q
from itertools import combinations

import numpy as np
import pytest

from dprivacy.errors import TooLarge
from dprivacy.mechanisms.local.geometry_reports import (
    HashedReports,
    ProjectiveReports,
    least_rank,
    points_of,
)
from dprivacy.mechanisms.local.local_families import orders

SMALL = [*[(2, 3), (2, 4), (3, 3), (4, 3)], *[(q, 2) for q in (2, 3, 4, 5, 7, 8, 9, 16, 25)]]
HASHES = [(2, 1), (2, 5), (3, 3), (4, 3), (5, 2), (8, 2), (9, 2), (25, 1)]
EVERY = [(q, t) for q in orders(256) for t in range(2, 12) if points_of(q, t) <= 2000]


def projective(q, t, labels=None, a=Q(3)):
    return ProjectiveReports.of(labels or points_of(q, t), a, q, t)


def hashed(g, m, labels=None, a=Q(3)):
    return HashedReports.of(labels or g**m, a, g, m)


def incidence(reports):
    """Which label lies in which report's set, from the definition."""
    points, planes = (
        reports.points(np.arange(reports.labels)),
        reports.planes(np.arange(reports.outputs)),
    )
    return reports.field.dot(points[:, None, :], planes[None, :, :]) == 0


@pytest.mark.parametrize(
    "reports",
    [
        *[projective(q, t) for q, t in SMALL],
        *[hashed(g, m) for g, m in ((2, 3), (3, 2), (4, 2), (5, 1), (9, 1))],
    ],
    ids=lambda reports: f"{type(reports).__name__}, {reports.q}^{reports.t}",
)
def test_sets_hold_labels_pairs_and_triples_as_often_as_stated(reports):
    held = incidence(reports).astype(int)
    assert (held.sum(axis=1) == reports.single).all()
    pairs = held @ held.T
    assert (pairs[~np.eye(reports.labels, dtype=bool)] == reports.pair).all()
    for x, z, w in list(combinations(range(min(reports.labels, 9)), 3)):
        assert (held[x] & held[z] & held[w]).sum() == reports.triple(x, z, w)


def decodes(reports):
    rng = np.random.default_rng(reports.outputs)
    counters = rng.integers(0, 1000, reports.outputs)
    counters[0] = 10**15  # no double holds all digits of its sums
    held = reports.supports(counters, int(counters.sum()))
    step = max(1, reports.labels // 40)
    planes = reports.planes(np.arange(reports.outputs))
    for x in range(0, reports.labels, step):
        point = reports.points(np.array([x]))
        assert held[x] == counters[reports.field.dot(point, planes) == 0].sum()
    shown = rng.random(reports.outputs)
    some = reports.over_reports(shown)
    labels = rng.random(reports.labels)
    back = reports.over_labels(labels)
    assert np.isclose(some @ labels, back @ shown)
    assert np.isclose(
        some[0], shown[reports.field.dot(reports.points(np.array([0])), planes) == 0].sum()
    )


@pytest.mark.parametrize(("q", "t"), [pair for pair in EVERY if points_of(*pair) <= 130])
def test_decoding_is_the_definition(q, t):
    decodes(projective(q, t))
    decodes(projective(q, t, labels=max(2, points_of(q, t) - 1)))


@pytest.mark.slow
@pytest.mark.parametrize(("q", "t"), EVERY)
def test_decoding_is_the_definition_up_to_2000_points(q, t):
    decodes(projective(q, t))


@pytest.mark.parametrize(("g", "m"), HASHES)
def test_decoding_of_hashes_is_the_definition(g, m):
    decodes(hashed(g, m))
    decodes(hashed(g, m, labels=g**m - g + 1 if m > 1 else None))


@pytest.mark.parametrize(("q", "t"), SMALL)
def test_both_branches_of_the_projective_sampler(q, t):
    reports = projective(q, t)
    held = incidence(reports)
    for x in range(min(reports.labels, 20)):
        free = np.arange(q ** (t - 1))
        code = np.full(len(free), x)
        inside = Counter(reports.solved(code[1:], np.ones(len(free) - 1, bool), free[1:]).tolist())
        outside = Counter(reports.solved(code, np.zeros(len(free), bool), free).tolist())
        assert inside == Counter(dict.fromkeys(np.flatnonzero(held[x]).tolist(), q - 1))
        assert outside == Counter(dict.fromkeys(np.flatnonzero(~held[x]).tolist(), 1))


@pytest.mark.parametrize(("g", "m"), [(2, 3), (3, 2), (4, 2), (9, 1)])
def test_both_branches_of_the_hashed_sampler(g, m):
    reports = hashed(g, m)
    held = incidence(reports)
    functions = np.arange(g**m - 1)
    for x in range(g**m):
        code = np.full(len(functions), x)
        inside = reports.valued(code, functions, np.zeros(len(functions), np.int64)).tolist()
        assert sorted(inside) == np.flatnonzero(held[x]).tolist()
        outside = [
            y
            for away in range(1, g)
            for y in reports.valued(code, functions, np.full(len(functions), away)).tolist()
        ]
        assert sorted(outside) == np.flatnonzero(~held[x]).tolist()


def test_points_and_their_numbers_go_both_ways():
    for q, t in SMALL:
        reports = projective(q, t)
        every = np.arange(reports.labels)
        vectors = reports.points(every)
        assert (reports._indices(vectors) == every).all()
        for c in range(1, q):
            assert (reports._indices(reports.field.times[c, vectors]) == every).all()


def test_ranks_and_sizes():
    assert least_rank(1024, 4) == 6
    assert [points_of(3, t) for t in range(4)] == [0, 1, 4, 13]
    large = ProjectiveReports.of(5, Q(3), 256, 6)
    with pytest.raises(TooLarge, match="more than 1 GiB"):
        large.count(np.array([1, 2]))
