"""Hamming cubes, databases and power sets against counting."""

from itertools import chain, combinations, product as cartesian

import pytest

from dprivacy.errors import DuplicateLabel, Malformed, TooLarge
from dprivacy.spaces import discrete as discrete_space, hamming, hamming_cube, power_set, product


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_hamming_cube(bits):
    space = hamming_cube(bits)
    assert set(space.labels) == set(cartesian((0, 1), repeat=bits))
    assert len(space) == 2**bits
    for x in space.labels:
        for z in space.labels:
            assert space.distance(x, z) == sum(a != b for a, b in zip(x, z, strict=True))
    assert space.diameter == bits


@pytest.mark.parametrize(("values", "n"), [(["a", "b", "c"], 2), ([0], 3), ([None, "x"], 2)])
def test_databases(values, n):
    space = hamming(values, n)
    assert set(space.labels) == set(cartesian(values, repeat=n))
    for x in space.labels:
        for z in space.labels:
            assert space.distance(x, z) == sum(a is not b for a, b in zip(x, z, strict=True))


def test_databases_are_products_of_the_discrete_space():
    assert hamming(["a", "b", "c"], 2) == product(*[discrete_space(["a", "b", "c"])] * 2)


@pytest.mark.statement("M", "Ex 1")
@pytest.mark.parametrize("n", [1, 2, 4])
def test_power_set_under_symmetric_difference(n):
    items = [f"hobby {i}" for i in range(n)]
    space = power_set(items)
    subsets = chain.from_iterable(combinations(items, k) for k in range(n + 1))
    assert set(space.labels) == {frozenset(s) for s in subsets}
    for x in space.labels:
        for z in space.labels:
            assert space.distance(x, z) == len((x | z) - (x & z))
    assert space.distance(frozenset(), frozenset(items)) == n == space.diameter


@pytest.mark.statement("M", "Ex 1")
def test_the_other_metric_of_the_example_is_the_discrete_one():
    hobbies = power_set(["jazz", "chess"])
    space = discrete_space(hobbies.labels)
    assert all(space.distance(a, b) == (a != b) for a in hobbies.labels for b in hobbies.labels)
    assert space.maximum(hobbies) == hobbies  # it is the smaller of the two


def test_refusals():
    with pytest.raises(Malformed, match="bits: a whole number of at least 1 is needed, not 0"):
        hamming_cube(0)
    with pytest.raises(Malformed, match="single text"):
        hamming("ab", 2)
    with pytest.raises(Malformed, match="single text"):
        power_set("ab")
    with pytest.raises(DuplicateLabel):
        power_set(["a", "a"])
    with pytest.raises(Malformed, match="values: at least one"):
        hamming([], 2)


@pytest.mark.parametrize(
    ("build", "count"),
    [
        (lambda: hamming_cube(15), "32,768"),
        (lambda: hamming_cube(20_000), r"about 10\^6021"),
        (lambda: hamming(range(3), 10**9), r"about 10\^477121255"),
        (lambda: power_set(range(15)), "32,768"),
        (lambda: power_set(range(20_000)), r"about 10\^6021"),
    ],
)
def test_too_large_gives_the_estimate_at_once(build, count):
    with pytest.raises(TooLarge, match=f"has {count} points; at most 20,000"):
        build()
