"""Two secrets told apart: the law of the ratio against brute force over all outputs."""

import itertools
import math
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadNumber
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.numbers import Level, ln
from dprivacy.spaces import discrete, line
from dprivacy.verify import atoms_of_level, atoms_of_profile, privacy_profile, told_apart
from dprivacy.verify.composing import telling_apart


def level(factor):
    return atoms_of_level(ln(Q(factor)), Q(0))


def between(channel, x, z):
    return atoms_of_profile(privacy_profile(channel, pairs=[(x, z), (z, x)]))


def brute(channels, one, other):
    """Σ max(P, Q)/2 over every row that may come out: the definition."""
    total = Q(0)
    for row in itertools.product(*(channel.columns for channel in channels)):
        p, q = (
            math.prod(c[x, y] for c, x, y in zip(channels, record, row, strict=True))
            for record in (one, other)
        )
        total += max(p, q)
    return total / 2


SOME = [
    randomised_response(discrete(range(2)), eps="ln 3").channel,
    randomised_response(discrete(range(4)), eps="ln 1.5").channel,
    geometric(line(3), eps="ln 2").channel,
    randomised_response(discrete(range(3)), eps="ln 1.25").channel,
]


@pytest.mark.parametrize("chosen", [(0,), (1,), (2,), (0, 1), (0, 0, 2), (0, 1, 2, 3)])
def test_products_equal_brute_force(chosen):
    channels = [SOME[k] for k in chosen]
    ends = [
        channel.rows[-1] if k == 2 else channel.rows[1]
        for k, channel in zip(chosen, channels, strict=True)
    ]
    atoms = [between(c, c.rows[0], z) for c, z in zip(channels, ends, strict=True)]
    found = told_apart({one: atoms.count(one) for one in atoms})
    assert found.exact
    assert found.right == brute(channels, [c.rows[0] for c in channels], ends)


@pytest.mark.parametrize(
    ("factor", "times", "right", "telling"),
    [("1.1", 100, 0.683, 30.9), ("3", 8, 0.929, 6561), ("9", 1, 0.9, 9), ("1.5", 1, 0.6, 1.5)],
)
def test_golden_numbers(factor, times, right, telling):
    found = told_apart({level(factor): times})
    assert round(float(found.right), 3) == right
    assert round(float(found.telling), 1) == telling


@pytest.mark.parametrize("factors", [["1.1"] * 20, ["1.25", "1.5", "3", "1.25"], ["2"] * 9])
def test_the_grid_errs_upwards_and_hardly(factors, monkeypatch):
    pairs = {level(f): factors.count(f) for f in factors}
    exact = told_apart(pairs)
    monkeypatch.setattr(telling_apart, "_MOST_PRODUCTS", 0)
    rough = told_apart(pairs)
    assert exact.exact
    assert not rough.exact
    assert 0 <= rough.right - exact.right < 1e-3
    assert exact.telling * (1 - 1e-12) <= rough.telling < exact.telling * 1.001


def test_what_is_exceeded_as_rarely_as_it_says():
    pairs = {level("1.3"): 30}
    found = told_apart(pairs, share="1/50")
    high = Q("1.3") / Q("2.3")
    over = sum(
        math.comb(30, k) * high**k * (1 - high) ** (30 - k)
        for k in range(31)
        if Q("1.3") ** (2 * k - 30) > found.telling
    )
    at = over + sum(
        math.comb(30, k) * high**k * (1 - high) ** (30 - k)
        for k in range(31)
        if Q("1.3") ** (2 * k - 30) == found.telling
    )
    assert over <= Q(1, 50) < at


def test_what_rules_a_secret_out():
    found = told_apart({atoms_of_level(ln(2), Q(1, 10)): 1})
    assert found.telling == math.inf
    assert found.most == math.inf
    assert found.right == (1 + Q(1, 10) + Q(9, 10) / 3) / 2
    assert told_apart({atoms_of_level(Level(0), Q(1)): 1}).right == 1


def test_a_share_of_nothing_is_refused():
    with pytest.raises(BadNumber, match="above 0"):
        told_apart({level(2): 1}, share=0)
