"""Leaders: the rule one reading at a time, and what may come later changes nothing."""

from fractions import Fraction as Q

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import BadNumber, BudgetExceeded
from dprivacy.geo.leading_places import follow

STEP = Q(1, 5)


def by_the_rule(points, people, known=(), near=Q(1), step=STEP):
    """Each reading to the nearest earlier leader of its person, or to itself, in plain fractions."""
    leaders = {who: [*mine] for who, mine in dict(known).items()}
    led = []
    for point, who in zip(points, people, strict=True):
        mine = leaders.setdefault(who, [])
        away = [sum((Q(a - b) * step) ** 2 for a, b in zip(point, at, strict=True)) for at in mine]
        if away and min(away) <= near**2:
            led.append(mine[away.index(min(away))])
        else:
            mine.append(tuple(point))
            led.append(tuple(point))
    return led, {who: mine for who, mine in leaders.items() if who in people}


def tags(people):
    return np.array([[who, 7] for who in people], dtype="<u8").reshape(-1, 2)


def found(points, people, known=(), **given):
    before = {tags([who])[0].tobytes(): np.array(mine) for who, mine in dict(known).items()}
    rows = np.array(points, dtype=np.int64) if len(people) else np.empty((0, 2), np.int64)
    return follow(rows, tags(people), before, **{"near": "1 m", "step": STEP, **given})


def told(one):
    """Leaders by the number of the person."""
    return {
        int(np.frombuffer(who, "<u8")[0]): [tuple(p) for p in mine.tolist()]
        for who, mine in one.leaders.items()
    }


small = st.integers(-12, 12)
rows_of = st.lists(st.tuples(small, small, st.integers(0, 2)), max_size=30)


@given(rows_of, rows_of)
def test_it_is_the_rule_also_with_leaders_of_before(before, rows):
    _, known = by_the_rule([row[:2] for row in before], [row[2] for row in before])
    points, people = [row[:2] for row in rows], [row[2] for row in rows]
    one = found(points, people, known)
    led, leaders = by_the_rule(points, people, known)
    assert [tuple(p) for p in one.points.tolist()] == led
    assert told(one) == leaders
    grown = {who: len(mine) - len(known.get(who, ())) for who, mine in leaders.items()}
    assert one.most_new == max(grown.values(), default=0)
    assert one.most == max(map(len, leaders.values()), default=1)
    assert len(one.newcomers) == sum(more > 0 for more in grown.values())


@given(rows_of, rows_of)
def test_rows_that_come_later_change_nothing(rows, later):
    both = [*rows, *later]
    points = np.array([r[:2] for r in both], dtype=np.int64).reshape(-1, 2)
    people = [r[2] for r in both]
    whole = found(points, people)
    n = len(rows)
    start = found(points[:n], people[:n])
    assert (whole.points[:n] == start.points).all()
    rest = follow(points[n:], tags(people[n:]), start.leaders, near="1 m", step=STEP)
    assert (whole.points[n:] == rest.points).all()


def test_the_border_belongs_to_the_leader():
    """Exactly one metre away, five steps along one axis or three and four along two."""
    points = [(0, 0), (5, 0), (3, 4), (4, 4), (-5, 0)]
    assert found(points, [0] * 5).points.tolist() == [[0, 0], [0, 0], [0, 0], [4, 4], [0, 0]]
    assert found([(0, 0), (1, 1)], [0, 0], near="0.2828427124 m").most == 2
    assert found([(0, 0), (1, 1)], [0, 0], near="0.2828427125 m").most == 1


def test_of_two_as_near_the_earlier_one_leads():
    one = found([(0, 0), (8, 0), (4, 0), (5, 0)], [0] * 4)
    assert one.points.tolist() == [[0, 0], [8, 0], [0, 0], [8, 0]]


def test_in_space_and_very_far_apart():
    far = 1 << 36  # squares beyond 64 bits
    one = found([(0, 0, 0), (3, 4, 0), (far, far, -far), (far, far, 1 - far)], [0] * 4)
    assert told(one) == {0: [(0, 0, 0), (far, far, -far)]}
    with pytest.raises(BadNumber, match="near should be below"):
        found([(0, 0)], [0], near="2000 km", step=Q(1, 1000))


def test_the_row_that_is_one_place_too_many_is_named():
    points, people = [(0, 0), (0, 0), (50, 0), (1, 0), (90, 0)], [1, 2, 1, 2, 1]
    assert found(points, people, limit=3).most == 3
    with pytest.raises(BudgetExceeded, match="row 4: its person has more than 2 different places"):
        found(points, people, limit=2)
    with pytest.raises(BudgetExceeded, match="row 2: its person has more than 1 different place,"):
        found(points, people, limit=1)
    with pytest.raises(BudgetExceeded, match="row 0"):
        found([(0, 0)], [1], {1: [(0, 0), (70, 70)]}, limit=1)


def test_nobody_and_nothing():
    one = found([], [])
    assert (len(one.points), one.most, one.most_new) == (0, 1, 0)
