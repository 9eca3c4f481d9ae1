"""The compiled search finds the same minimal supports as the plain way, and only exactly."""

import random
import sys
from importlib import import_module

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


class TestWhereItApplies:
    @pytest.mark.parametrize("bits", [19, 20, 21, 22, 23, 40])
    def test_only_where_no_minor_can_overflow(self, bits):
        """The search is refused before a determinant reaches 2^63, not after."""
        apart = [(1 << bits, 1 << bits, 0), (-1 << bits, 1 << bits, 0), (0, 0, 1 << bits)]
        columns = [tuple((4 << bits) + sum(u[:k]) for k in range(4)) for u in apart]
        largest = 2 << 3 * bits
        assert (Search.of(columns) is not None) == (largest < 1 << 63)

    def test_only_differences_count(self):
        few = random_columns(1, 4, 9, 3)
        assert Search.of([tuple(10**30 + v for v in c) for c in few]) is not None
        assert Search.of([tuple(10**30 * v for v in c) for c in few]) is None

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
        wide = [tuple(10**30 * v for v in c) for c in random_columns(1, 4, 9, 3)]
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
