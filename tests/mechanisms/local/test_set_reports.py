"""Sets of one size and free sets: drawn as stated."""

from collections import Counter
from fractions import Fraction as Q
from itertools import combinations, product

import numpy as np
import pytest

from dprivacy.mechanisms.local.set_reports import SubsetReports, UnaryReports, _others
from support.sampling_fakes import Scripted


@pytest.mark.parametrize(("k", "m"), [(3, 1), (4, 2), (5, 2), (5, 4), (6, 3), (6, 0)])
def test_floyds_method_gives_every_set_equally_often(k, m):
    bounds = [last + 1 for last in range(k - 1 - m, k - 1)]
    scripts = list(product(*map(range, bounds)))
    for own in range(k):
        words = np.array(scripts, dtype=np.uint64).T.ravel()  # drawn for all rows, step by step
        chosen = _others(k, m, np.full(len(scripts), own), Scripted(words))
        sets = Counter(tuple(np.flatnonzero(row).tolist()) for row in chosen)
        others = [z for z in range(k) if z != own]
        wanted = list(combinations(others, m))
        assert sets == Counter(dict.fromkeys(wanted, len(scripts) // len(wanted)))


def test_a_coin_decides_whether_a_subset_holds_the_truth():
    reports = SubsetReports.of(4, Q(3), 2)  # p = 3·3/(3·3 + 3) = 3/4
    assert reports.inside == Q(3, 4)
    low, high = 0, (1 << 64) - 1
    drawn = reports.draw(np.array([2, 2]), Scripted([low, high, 1, 0, 0]))
    assert 2 in drawn[0]
    assert 2 not in drawn[1]


def test_unary_bits_are_coins():
    reports = UnaryReports.of(10, Q(3), Q(1, 4))
    assert (reports.inside, reports.outside) == (Q(1, 2), Q(1, 4))
    low, high = 0, (1 << 64) - 1
    words = [high] * 10 + [low]  # no other label, and the truth
    (row,) = reports.draw(np.array([9]), Scripted(words))
    assert row.tolist() == [0, 2]
    words = [low] * 10 + [high]
    (row,) = reports.draw(np.array([0]), Scripted(words))
    assert row.tolist() == [254, 3]


@pytest.mark.parametrize(
    ("reports", "good", "wrong"),
    [
        (
            SubsetReports.of(5, Q(2), 2),
            [(0, 4), [1, 2], np.array([3, 4])],
            [
                (1, 1),
                (2, 1),
                (0, 5),
                (-1, 2),
                (1,),
                (1, 2, 3),
                3,
                "12",
                None,
                (True, 2),
                (0.0, 1.0),
            ],
        ),
        (
            UnaryReports.of(10, Q(2), Q(1, 3)),
            [b"\xff\x03", b"\0\0", bytearray(2)],
            [b"\xff\x04", b"\0", b"\0\0\0", "ab", 3, None, (0, 0)],
        ),
    ],
)
def test_what_is_read_as_a_report(reports, good, wrong):
    assert (reports.read(good)[:, 0] >= 0).all()
    assert (reports.read(wrong)[:, 0] < 0).all()


def test_tables_of_reports_are_read_as_lists_are():
    subsets, bits = SubsetReports.of(5, Q(2), 2), UnaryReports.of(10, Q(2), Q(1, 3))
    table = np.array([[0, 4], [1, 1], [2, 5], [-1, 3]])
    assert (subsets.read(table) == subsets.read(table.tolist())).all()
    rows = np.array([[255, 3], [255, 4]], dtype=np.uint8)
    assert (bits.read(rows) == bits.read([row.tobytes() for row in rows])).all()
    assert (subsets.read(np.zeros((2, 3), int)) < 0).all()
    assert (bits.read(np.zeros((2, 3), np.uint8)) < 0).all()
