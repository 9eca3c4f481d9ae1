"""Attacks on designs: the classes of sets are what their channel says; levels alone have none."""

from fractions import Fraction as Q

import pytest

from dprivacy.mechanisms import projective_response, subset_response
from dprivacy.verify import shuffled
from dprivacy.verify.shuffling.attack_choice import attack_cases


@pytest.mark.parametrize(
    "mechanism",
    [subset_response(range(5), eps="ln 3", size=2), projective_response(range(7), eps=1, q=2)],
    ids=["sets", "planes"],
)
def test_classes_of_sets_add_up_to_rows(mechanism):
    rows = [[Q(value) for value in row] for row in mechanism.channel.matrix.rows()]
    high = max(rows[0])
    expected = set()
    for others in rows[:3]:
        classes = {}
        for p, q, o in zip(rows[0], rows[1], others, strict=True):
            key = p == high, q == high
            before = classes.get(key, (Q(0), Q(0), Q(0)))
            classes[key] = before[0] + p, before[1] + q, before[2] + o
        expected.add(tuple(sorted(classes.values())))
    found = {tuple(sorted(cells)) for cells in attack_cases(mechanism, (0, 1))}
    assert found == expected


def test_a_thousand_labels_are_attacked():
    words = projective_response(range(1024), eps="ln 3", q=4)
    found = shuffled(words, 10**6, delta="1e-6")
    assert found.attacked < found.eps < found.attacked * Q(102, 100)


def test_a_level_alone_is_not_attacked():
    assert shuffled("ln 3", 1000, delta="1e-6").attacked is None
