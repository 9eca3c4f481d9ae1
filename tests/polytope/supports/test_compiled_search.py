"""The compiled search finds the same minimal supports as the plain way, and only exactly."""

import random
import sys
from dataclasses import replace
from importlib import import_module
from itertools import accumulate, pairwise

import numpy as np
import pytest
from flint import fmpz_mat

import dprivacy.polytope.supports.minimal_supports as supports_room
from dprivacy.errors import TooLarge
from dprivacy.polytope import count_kernels, kernels
from dprivacy.polytope.kernel_list import Table
from dprivacy.polytope.supports.compiled_search import Search
from dprivacy.polytope.supports.minimal_supports import minimal_supports
from dprivacy.spaces import discrete, grid, hamming_cube, line
from support.polytope_oracles import by_brute_force

SPACES = [
    *((line(n), eps) for n in (4, 5, 6) for eps in ("ln 2", "ln(3/2)", "ln 3")),
    *((discrete(range(n)), "ln 2") for n in (4, 5)),
    (grid(2, 2, metric="manhattan"), "ln 2"),
    (grid(2, 3, metric="manhattan"), "ln 2"),
    (hamming_cube(2), "ln 5"),
]
SLOW = [
    (discrete(range(6)), "ln 2"),
    (hamming_cube(3), "ln 2"),
]


def columns_of(space, eps):
    return Table.of(space, eps, rational=True, force=True).columns


def listed(blocks):
    found = [tuple(np.flatnonzero(flags)) for block in blocks for flags in block]
    assert len(set(found)) == len(found)
    return set(found)


def random_columns(seed, n, m, largest):
    generator = random.Random(seed)
    draws = (tuple(generator.randint(0, largest) for _ in range(n)) for _ in range(m))
    return sorted(set(draws) - {(0,) * n})


def plainly(columns):
    """The plain way, whatever is installed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(supports_room, "MOST_PAIRS", 10**12)
        yield from minimal_supports(columns)


def gathered(blocks):
    """All supports, packed into bits and sorted; no two are the same."""
    packed = np.packbits(np.concatenate(list(blocks)), axis=1)
    ordered = packed[np.lexsort(packed.T)]
    assert (ordered[1:] != ordered[:-1]).any(axis=1).all()
    return ordered


@pytest.fixture
def tiny(monkeypatch):
    """The plain way gives up at once."""
    monkeypatch.setattr(supports_room, "MOST_PAIRS", 3)


@pytest.mark.parametrize(
    ("space", "eps"), [*SPACES, *(pytest.param(*case, marks=pytest.mark.slow) for case in SLOW)]
)
def test_both_ways_find_the_same(space, eps):
    columns = columns_of(space, eps)
    plain = gathered(plainly(columns))
    assert np.array_equal(gathered(Search.of(columns).supports()), plain)


@pytest.mark.parametrize("seed", range(12))
def test_brute_force_finds_the_same(seed):
    """Few values, so that dependent sets of every size abound; some columns are constant."""
    columns = random_columns(seed, 4 + seed % 2, 11, 1 + seed % 3)
    assert listed(Search.of(columns).supports()) == by_brute_force(columns)


@pytest.mark.parametrize("m", [65, 130])
def test_more_columns_than_a_word_has_bits(m):
    """Nearly all rise in the first step, so that a support needs one of the few that fall."""
    columns = [c for c in random_columns(m, 4, 3 * m, 40) if c[0] < c[1]][: m - 2]
    columns[m // 3 : m // 3] = [(30, 10, 20, 20), (9, 8, 3, 9)]
    assert len(columns) == m
    plain = gathered(plainly(columns))
    assert len(plain) > 1000
    assert np.array_equal(gathered(Search.of(columns).supports()), plain)


def test_columns_that_do_not_span():
    flat = [(a, b, a, b, c) for a in (1, 2, 4) for b in (1, 3) for c in (1, 2)]
    assert listed(Search.of(flat).supports()) == by_brute_force(flat)


def test_the_order_of_the_columns_does_not_matter():
    columns = columns_of(line(6), "ln 2")
    shuffled = random.Random(3).sample(columns, len(columns))
    mixed = [tuple(column[i] for i in (3, 0, 5, 1, 4, 2)) for column in shuffled]
    found = {frozenset(shuffled[j] for j in s) for s in listed(Search.of(mixed).supports())}
    straight = {frozenset(columns[j] for j in s) for s in listed(Search.of(columns).supports())}
    assert found == straight
    assert len(found) == 15_346


def test_signs_are_right_where_numbers_are_long():
    """Vectors that are nearly parallel: minors of one digit beside others of seventeen."""
    big = 2 * 10**5
    tilted = [(a, a * b, b * big + a) for a in (1, 2, 3) for b in (1, 2)]
    apart = [*tilted, *(tuple(-v for v in u) for u in tilted[::2]), (-big, 1, -2 * big)]
    columns = [tuple(4 * big + sum(u[:k]) for k in range(4)) for u in apart]
    assert listed(Search.of(columns).supports()) == by_brute_force(columns)


def turned(columns, matrix):
    """The columns whose differences are those of the given ones times an integer matrix."""
    turned = []
    for column in columns:
        apart = [b - a for a, b in pairwise(column)]
        moved = [
            sum(u * m for u, m in zip(apart, row, strict=True)) for row in zip(*matrix, strict=True)
        ]
        turned.append((0, *accumulate(moved)))
    low = min(map(min, turned))
    return [tuple(value - low + 1 for value in column) for column in turned]


def sheared(n, generator, largest):
    """An integer matrix of determinant 1 with entries of about that size."""
    matrix = [[int(i == j) for j in range(n)] for i in range(n)]
    while max(abs(value) for row in matrix for value in row) < largest:
        i, j = generator.sample(range(n), 2)
        by = generator.randint(-9, 9)
        matrix[i] = [u + by * v for u, v in zip(matrix[i], matrix[j], strict=True)]
    return matrix


class TestMinorsBeyondAWord:
    """Signs from doubles where these are sure, and from remainders modulo 2^64 where they are not."""

    @pytest.mark.parametrize(
        ("seed", "n", "bits"), [(0, 4, 32), (1, 4, 30), (2, 5, 24), (3, 6, 19)]
    )
    def test_a_change_of_basis_keeps_the_supports(self, seed, n, bits):
        """All minors of full rank are those of the small vectors, and the others are very long."""
        few = random_columns(seed, n, 13, 3)
        long = turned(few, sheared(n - 1, random.Random(seed), 1 << bits))
        search = Search.of(long)
        assert search.slack > 0
        assert listed(search.supports()) == by_brute_force(few) == by_brute_force(long)

    @pytest.mark.parametrize("largest", [1 << 31, 1 << 33])
    def test_long_numbers_without_any_pattern(self, largest):
        columns = random_columns(5, 4, 12, largest)
        search = Search.of(columns)
        assert search.slack > 0
        assert listed(search.supports()) == by_brute_force(columns)

    def test_a_minor_that_is_a_multiple_of_a_word(self):
        """Modulo 2^64 it is 0, and supports would be lost; the double knows better."""
        big = 1 << 32
        apart = [(big, 1, 0), (0, big, 1), (1, 0, big), (-big, -big - 1, -big - 1), (-1, -1, -1)]
        columns = [tuple(4 * big + sum(u[:k]) for k in range(4)) for u in apart]
        assert Search.of(columns).slack > 0
        assert listed(Search.of(columns).supports()) == by_brute_force(columns)

    def test_both_arithmetics_agree(self):
        columns = columns_of(line(6), "ln(5/2)")
        exact = Search.of(columns)
        assert exact.slack == 0
        for slack in (1.0, 1e4, 4e18):
            found = replace(exact, slack=slack)
            assert np.array_equal(gathered(found.supports()), gathered(exact.supports()))


class TestWhereItApplies:
    @pytest.mark.parametrize("bits", [19, 20, 21, 22, 23, 34, 35, 36, 37, 40])
    def test_only_where_no_sign_is_in_doubt(self, bits):
        """Doubles join where a determinant may reach 2^63; the search is refused where they fail."""
        wide = (1 << bits) - 1
        apart = [(wide, wide - 1, 0), (-wide, wide - 1, 0), (0, 1, wide)]
        columns = [tuple((4 << bits) + sum(u[:k]) for k in range(4)) for u in apart]
        found = Search.of(columns)
        assert (found is not None) == (12 * (2 * wide) ** 2 * wide >> 53 < 1 << 62)
        if found is not None:
            assert (found.slack > 0) == (bits > 20)

    def test_only_differences_count_and_only_up_to_scale(self):
        few = random_columns(1, 4, 9, 3)
        plain = Search.of(few).vectors
        for columns in (
            [tuple(10**30 + v for v in c) for c in few],
            [tuple(10**30 * v for v in c) for c in few],
        ):
            assert np.array_equal(Search.of(columns).vectors, plain)
        assert Search.of(turned(few, sheared(3, random.Random(1), 10**30))) is None

    def test_only_with_room_for_its_table_and_rows_enough(self):
        assert Search.of(columns_of(line(8), "ln 2")) is None
        assert Search.of(columns_of(line(3), "ln 2")) is None
        assert Search.of([(1,) * 11 + (2,), (2,) * 11 + (1,)]) is None


class TestWhenItIsUsed:
    def test_where_the_plain_way_is_long(self, tiny):
        found = count_kernels(line(5), eps="ln 2")
        assert (found, found.by_posteriors) == (187, {2: 1, 3: 5, 4: 24, 5: 157})
        compiled = list(kernels(line(5), eps="ln 2"))
        assert list(kernels(line(5), eps="ln 2", start=100)) == compiled[100:]

    def test_the_same_kernels_and_classes(self, monkeypatch):
        space = line(5)
        plain, classes = list(kernels(space, eps="ln 3")), count_kernels(space, eps="ln 3").classes
        monkeypatch.setattr(supports_room, "MOST_PAIRS", 3)
        searched = list(kernels(space, eps="ln 3"))
        assert searched != plain  # another order, so the other way was gone

        def columns(K):
            return frozenset(map(tuple, K.matrix.transposed.rows()))

        assert {columns(K) for K in searched} == {columns(K) for K in plain}
        assert count_kernels(space, eps="ln 3").classes == classes
        assert len(list(kernels(space, eps="ln 3", up_to_symmetry=True))) == classes

    def test_progress_and_interruption(self, tiny):
        seen = []
        count_kernels(line(5), eps="ln 2", progress=lambda *step: seen.append(step))
        assert seen == sorted(seen)
        assert seen[-1][0] == seen[-1][1] == 1820  # the sets of 4 out of 16
        assert len(seen) > 100

        def stop(done, total):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            count_kernels(line(5), eps="ln 2", progress=stop)

    def test_a_long_search_is_refused_unless_forced(self, tiny, monkeypatch):
        monkeypatch.setattr(
            import_module("dprivacy.polytope.supports.compiled_search"), "_MOST_SECONDS", 0
        )
        with pytest.raises(TooLarge, match=r"after about 0 seconds; pass force=True"):
            count_kernels(line(5), eps="ln 2")
        seen = []
        assert count_kernels(line(5), eps="ln 2", force=True, progress=lambda *s: seen.append(s))
        assert seen[-1][1] == 1820

    def test_without_the_extra_the_refusal_names_it(self, tiny, monkeypatch):
        monkeypatch.setitem(sys.modules, "numba", None)
        with pytest.raises(TooLarge, match=r"compiled code .* pip install 'dprivacy\[fast\]'"):
            count_kernels(line(5), eps="ln 2")
        assert count_kernels(line(5), eps="ln 2", force=True) == 187

    def test_numbers_too_long_for_it_go_the_plain_way(self, tiny):
        few = random_columns(1, 4, 9, 3)
        wide = turned(few, sheared(3, random.Random(1), 10**30))
        with pytest.raises(TooLarge, match="force=True") as refusal:
            listed(minimal_supports(wide))
        assert "fast" not in str(refusal.value)
        assert listed(minimal_supports(wide, force=True)) == by_brute_force(wide)


@pytest.fixture(scope="module")
def line_of_seven():
    columns = columns_of(line(7), "ln 2")
    return columns, np.concatenate(list(Search.of(columns).supports()))


@pytest.mark.slow
class TestTheLineOfSeven:
    @pytest.mark.parametrize("a", ["5/3", "5/2", "4", "5"])
    def test_levels_at_which_minors_are_long(self, a):
        """Among some of the vertices, drawn at random, the plain way finds the same."""
        columns = columns_of(line(7), f"ln({a})")
        some = sorted(random.Random(a).sample(range(64), 40))
        chosen = [columns[j] for j in some]
        full = Search.of(columns)
        found = replace(full, vectors=full.vectors[some]).supports()
        assert np.array_equal(gathered(found), gathered(plainly(chosen)))

    def test_how_many(self):
        """The number that a search in floats, which this one shares nothing with, gives too."""
        found = count_kernels(line(7), eps="ln 2")
        assert found == 4_757_698
        assert found.by_posteriors == {2: 1, 3: 17, 4: 190, 5: 3322, 6: 96_839, 7: 4_657_329}
        assert found.classes == 2_380_214

    def test_among_some_of_the_vertices_the_plain_way_finds_the_same(self, line_of_seven):
        columns, found = line_of_seven
        generator = random.Random(7)
        for _ in range(4):
            some = sorted(generator.sample(range(64), 40))
            inside = found[~found[:, np.setdiff1d(np.arange(64), some)].any(axis=1)][:, some]
            plain = gathered(plainly([columns[j] for j in some]))
            assert len(plain) > 10_000
            assert np.array_equal(gathered([inside]), plain)

    def test_the_symmetric_ones_are_known_from_half_the_points(self, line_of_seven):
        """A kernel that reversal keeps balances the sums v + reversed v, which have four values."""
        columns, found = line_of_seven
        pairs = sorted({tuple(sorted({c, c[::-1]})) for c in columns})
        sums = [tuple(sum(c[i] for c in pair) for i in range(4)) for pair in pairs]
        expected = 0
        for block in plainly(sums):
            for flags in block:
                chosen = [c for j in np.flatnonzero(flags) for c in pairs[j]]
                expected += fmpz_mat([list(c) for c in chosen]).rank() == len(chosen)
        back = [columns.index(c[::-1]) for c in columns]
        assert (found == found[:, back]).all(axis=1).sum() == expected
        assert expected == 2 * 2_380_214 - 4_757_698
