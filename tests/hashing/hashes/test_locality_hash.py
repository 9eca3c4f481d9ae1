"""The collision laws of the four families: exact where finite, measured with fixed keys elsewhere."""

import itertools
import math
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy import integrate, stats

from dprivacy.errors import (
    BadNumber,
    DPrivacyError,
    Malformed,
    NotApplicable,
    TooLarge,
    UnknownCategory,
)
from dprivacy.hashing import bit_sampling, minhash, parity_law, random_projection, stable_projection
from dprivacy.hashing.hashes.hyperplanes import angular_distance, sides
from dprivacy.hashing.hashes.set_hash import first_bits
from dprivacy.spaces import points

MANY = 1 << 14


def share_differing(function, x, z):
    """How often bits differ, and how far from the law that may be (five standard deviations)."""
    share = function.hamming(x, z) / function.bits
    p = float(function.differing(x, z))
    return share, p, 5 * math.sqrt(p * (1 - p) / function.bits) + 1e-12


# -- random projection -----------------------------------------------------------------------------


@pytest.mark.statement("T", "Def 10.2.1")
@pytest.mark.statement("T", "Def 10.2.3")
@pytest.mark.parametrize("degrees", [0, 1, 30, 45, 90, 123, 179, 180])
def test_in_the_plane_the_share_of_lines_between_two_vectors_is_their_angle(degrees):
    # Every direction of a fine compass, none perpendicular to either vector.
    turns = (np.arange(3600) + 0.5) * math.pi / 1800
    lines = np.stack([np.cos(turns), np.sin(turns)])
    angle = math.radians(degrees)
    x, z = np.array([[1.0, 0.0]]), np.array([[math.cos(angle), math.sin(angle)]])
    differ = int((sides(x @ lines) != sides(z @ lines)).sum())
    assert differ == 20 * degrees
    assert angular_distance(x[0], z[0]) == pytest.approx(degrees / 180, abs=1e-14)


@pytest.mark.statement("T", "Def 10.2.1")
@pytest.mark.parametrize("dimension", [1, 2, 7, 60])
def test_projections_keep_angles(dimension):
    rng = np.random.default_rng(dimension)
    function = random_projection(dimension, bits=MANY, key="law")
    x, z = rng.normal(size=(2, dimension))
    for one, other in ((x, z), (x, -x), (x, 3 * x), (x, x + 0.1 * z)):
        share, p, off = share_differing(function, one, other)
        assert abs(share - p) <= off


def test_a_projection_is_the_side_of_a_hyperplane():
    function = random_projection(2, bits=5, key="side")
    normal = function.directions(range(2))
    for x in ([1.0, 2.0], [-3.0, 0.5]):
        expected = [0 if np.dot(r, x) < 0 else 1 for r in normal.T]
        assert function.hash([x])[0].tolist() == expected
    assert sides(np.array([[0.0, -0.0, -1e-300]])).tolist() == [[1, 1, 0]]


def test_items_by_name_hash_like_coordinates_and_need_no_list():
    dense = random_projection(6, bits=40, key="a")
    sparse = random_projection(bits=40, key="a")
    x = [0, 2.5, 0, -1, 0, 4]
    assert (dense.hash([x]) == sparse.hash([{1: 2.5, 3: -1, 5: 4}])).all()
    # Strangers who bring other items do not change anybody's hash.
    few = sparse.hash([{"tea": 2, "rum": 1}])
    many = sparse.hash([{"milk": 7}, {"rum": 1, "tea": 2}, {"tea": 1, 9: 2}])
    assert (few[0] == many[1]).all()
    assert sparse.distance({"tea": 1}, {"rum": 5}) == pytest.approx(0.5)


@pytest.mark.parametrize("scale", [1e-320, 1e-200, 1.0, 1e200, 1e308])
def test_lengths_play_no_part_however_small_or_large(scale):
    function = random_projection(2, bits=64, key="a")
    sparse = random_projection(bits=64, key="a")
    x = np.array([1.0, -1.0])
    assert (function.hash([x]) == function.hash([scale * x])).all()
    assert (sparse.hash([{0: 1, 1: -1}]) == sparse.hash([{0: scale, 1: -scale}])).all()
    assert function.distance(x, scale * x) < 1e-13


def test_the_angle_is_never_rounded_down():
    turn = 1e-9
    x, z = np.array([1.0, 0.0]), np.array([math.cos(turn), math.sin(turn)])
    assert turn / math.pi <= angular_distance(x, z) < turn / math.pi + 1e-14
    assert angular_distance(x, x) == 0
    assert angular_distance(x, -x) == 1


def test_tables_agree_with_the_spaces_room():
    rng = np.random.default_rng(4)
    vectors = rng.integers(-2, 6, (12, 5)).astype(float)
    vectors[:, 0] = 1
    room = points(vectors, metric="angular", pseudo=True).distances.floats
    assert np.allclose(random_projection(5, bits=1, key="a").table(vectors), room, atol=1e-7)
    rows = [dict(enumerate(v)) for v in vectors]
    assert np.allclose(random_projection(bits=1, key="a").table(rows), room, atol=1e-7)


@pytest.mark.statement("T", "Def 10.2.2")
@pytest.mark.statement("T", "Lem A4")
def test_over_keys_the_hamming_distance_is_binomial():
    x, z = {"tea", "rum"}, {"tea", "milk", "ale"}
    counts = np.bincount(
        [minhash(bits=6, key=f"binomial {k}").hamming(x, z) for k in range(3000)], minlength=7
    )
    p = float(minhash(bits=6, key="a").differing(x, z))
    assert p == 3 / 8
    assert stats.chisquare(counts, 3000 * stats.binom.pmf(range(7), 6, p)).pvalue > 1e-3


# -- MinHash ---------------------------------------------------------------------------------------


def test_minhash_by_every_order_and_every_fair_bit():
    universe = range(4)
    sets = [{0}, {0, 1}, {1, 2, 3}, {0, 1, 2, 3}, {2}]
    columns = [
        [2 * rank + bit for rank, bit in zip(order, bits, strict=True)]
        for order in itertools.permutations(range(4))
        for bits in itertools.product((0, 1), repeat=4)
    ]
    words = np.array(columns, dtype=np.uint64).T
    hashed = first_bits(words, [sorted(s) for s in sets])
    function = minhash(bits=1, key="a")
    assert list(universe) == [0, 1, 2, 3]
    for (i, x), (j, z) in itertools.product(enumerate(sets), repeat=2):
        jaccard = 1 - Q(len(x & z), len(x | z))
        assert Q(int((hashed[i] != hashed[j]).sum()), len(columns)) == jaccard / 2
        assert function.distance(x, z) == jaccard
        assert function.differing(x, z) == jaccard / 2


def test_minhash_keeps_jaccard_distances():
    function = minhash(bits=MANY, key="law")
    rng = np.random.default_rng(3)
    for _ in range(3):
        x, z = (set(rng.integers(0, 30, 15).tolist()) for _ in range(2))
        share, p, off = share_differing(function, x, z)
        assert abs(share - p) <= off


def test_sets_in_blocks_are_hashed_alike(monkeypatch):
    rng = np.random.default_rng(1)
    sets = [set(rng.integers(0, 50, rng.integers(1, 9)).tolist()) for _ in range(60)]
    function = minhash(bits=16, key="a")
    whole = function.hash(sets)
    monkeypatch.setattr("dprivacy.hashing.hashes.set_hash._CELLS", 40)
    assert (function.hash(sets) == whole).all()
    table = function.table(sets)
    for i, j in itertools.product(range(0, 60, 7), repeat=2):
        assert table[i, j] == pytest.approx(float(function.distance(sets[i], sets[j])))


# -- bit sampling ----------------------------------------------------------------------------------


def test_sampled_bits_are_the_bits_at_uniform_positions():
    function = bit_sampling(12, bits=MANY, key="law")
    x = np.random.default_rng(0).integers(0, 2, 12)
    assert (function.hash([x])[0] == x[function.positions]).all()
    assert stats.chisquare(np.bincount(function.positions, minlength=12)).pvalue > 1e-3
    z = x.copy()
    z[[2, 5, 6]] ^= 1
    assert function.distance(x, z) == 3
    assert function.differing(x, z) == Q(1, 4)
    # Exactly: over the 12 positions there are, 3 tell them apart.
    assert Q(int((x != z).sum()), 12) == function.differing(x, z)
    assert function.table([x, z]).tolist() == [[0, 3], [3, 0]]


# -- stable projection -----------------------------------------------------------------------------


def wave(v):
    return abs((v + 1) % 2 - 1)


@pytest.mark.parametrize("norm", [1, 2])
@pytest.mark.parametrize("u", [0.003, 0.2, 0.9, 0.999999, 1.0, 1.5, 4.0])
def test_the_parity_law_is_the_mean_of_a_triangle_wave(norm, u):
    if norm == 2:
        top = 10.0
        knots = np.unique(np.append(np.arange(0, top, 1 / u) if u > 0.1 else [0.0], top))
        parts = [
            integrate.quad(lambda s: wave(u * s) * stats.norm.pdf(s), a, b)[0]
            for a, b in itertools.pairwise(knots)
        ]
        truth = 2 * sum(parts)
    else:
        # Strip by strip the wave is linear, and its integral against the Cauchy law elementary; far
        # out, where the density hardly changes within a strip, the wave averages 1/2.
        k = np.arange(100_000)
        rise = np.where(k % 2 == 0, 1.0, -1.0)
        level = np.where(k % 2 == 0, -k, k + 1.0)
        a, b = k / u, (k + 1) / u
        logs = 0.5 * (np.log1p(b * b) - np.log1p(a * a))
        arcs = np.arctan((b - a) / (1 + a * b))
        near = 2 / math.pi * float((rise * u * logs + level * arcs).sum())
        truth = near + 0.5 * (2 / math.pi * math.atan(u / 100_000))
    assert parity_law(u, norm) == pytest.approx(truth, abs=1e-9)


def test_the_parity_law_grows_from_0_to_a_half():
    for norm in (1, 2):
        steps = [parity_law(u, norm) for u in np.linspace(0, 6, 400)]
        assert steps[0] == 0
        assert all(a <= b + 1e-14 for a, b in itertools.pairwise(steps))
        assert steps[-1] <= 0.5
        assert steps[-1] == pytest.approx(0.5, abs=1e-7)
    # Both ways to compute it meet where they change over.
    assert parity_law(1 - 1e-12, 2) == pytest.approx(parity_law(1.0, 2), abs=1e-11)


@pytest.mark.parametrize("norm", [1, 2])
def test_stable_projections_keep_distances(norm):
    function = stable_projection(5, bits=MANY, key="law", width=4, norm=norm)
    rng = np.random.default_rng(norm)
    for size in (0.1, 0.5, 2.0):
        x, step = rng.normal(size=5), rng.normal(size=5)
        z = x + size * step / np.linalg.norm(step, ord=norm)
        assert function.distance(x, z) == pytest.approx(size)
        share, p, off = share_differing(function, x, z)
        assert abs(share - p) <= off
    table = function.table([x, z])
    assert table[0, 1] == pytest.approx(2.0)


# -- bad input -------------------------------------------------------------------------------------

VECTORS = [random_projection(3, bits=4, key="a"), stable_projection(3, bits=4, key="a", width=1)]
CANARY = 8675309.25


@pytest.mark.parametrize("function", VECTORS, ids=["projection", "stable"])
@pytest.mark.parametrize(
    "bad",
    [
        [[1, 2], [3, 4]],
        [[1, 2, 3], [4, 5]],
        [[1, 2, 3], [1, math.nan, CANARY]],
        [[1, 2, 3], [1, math.inf, CANARY]],
        [["8675309", "tea", 1]],
        [1, 2, 3],
        np.zeros((2, 2, 3)),
        np.array([[1j, 0, 0]]),
        np.ma.array([[1, 0, 1]], mask=[[0, 1, 0]]),
        None,
        [{"tea": 1}],
    ],
    ids=str,
)
def test_vectors_that_are_refused(function, bad):
    for method in (function.hash, function.table):
        with pytest.raises(Malformed) as caught:
            method(bad)
        assert "8675309" not in str(caught.value)


def test_a_zero_vector_has_no_direction():
    function = random_projection(3, bits=4, key="a")
    with pytest.raises(NotApplicable, match="row 1 is the zero vector"):
        function.hash([[1, 2, 3], [0, 0, 0], [1, 0, 0]])
    with pytest.raises(NotApplicable, match="zero vector"):
        function.distance([0, 0, 0], [1, 0, 0])
    sparse = random_projection(bits=4, key="a")
    for empty in ({}, {"tea": 0}):
        with pytest.raises(NotApplicable, match="row 1 is the zero vector"):
            sparse.hash([{"tea": 1}, empty])
    assert stable_projection(3, bits=4, key="a", width=1).hash([[0, 0, 0]]).shape == (1, 4)


def refused(family, bad, words):
    """In these words, which show nothing of the data."""
    with pytest.raises(Malformed, match=words) as caught:
        family(bits=4, key="a").hash(bad)
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ([{"tea": math.nan}], "row 0 has a number that is missing"),
        ([{"rum": 1}, {"tea": 1, "ale": math.inf}], "row 1 has a number that is missing"),
        ([{"tea": "canary"}], "should be numbers"),
        ([{"tea": [1, 2]}], "single numbers"),
        ([{("canary",): 1}], "row 0: items should be texts"),
        ([{True: 1}], "row 0: items should be texts"),
        ([[1, 2]], "row 0 should be a mapping"),
        ("canary", "not a single text"),
        (5, "list or an array"),
    ],
)
def test_mappings_that_are_refused(bad, words):
    refused(random_projection, bad, words)


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ([{"tea"}, set()], "row 1 is an empty set"),
        ([{"tea"}, {1.5}], "row 1: items should be texts"),
        ([{"tea"}, {True}], "row 1: items should be texts"),
        ([{"tea"}, "canary"], "row 1 should be a set .*str"),
        ([{"tea": 1}], "row 0 should be a set .*dict"),
        ([5], "row 0 should be a set .*int"),
        (7, "list or an array"),
    ],
)
def test_sets_that_are_refused(bad, words):
    refused(minhash, bad, words)


@pytest.mark.parametrize(
    "bad",
    [[[0, 1]], [[0, 1, 2]], [[0, 1, math.nan]], [[0, 1, 0.5]], [["0", "1", "1"]], [0, 1, 1], None],
)
def test_strings_that_are_refused(bad):
    with pytest.raises((Malformed, UnknownCategory)):
        bit_sampling(3, bits=4, key="a").hash(bad)


@pytest.mark.parametrize("bits", [0, -1, 2.5, "3", True, None, 1 << 17])
def test_lengths_that_are_refused(bits):
    for make in (
        lambda: random_projection(3, bits=bits, key="a"),
        lambda: minhash(bits=bits, key="a"),
        lambda: bit_sampling(3, bits=bits, key="a"),
        lambda: stable_projection(3, bits=bits, key="a", width=1),
    ):
        with pytest.raises(DPrivacyError, match="bits"):
            make()


def test_other_parameters_that_are_refused():
    for width in (0, -1, math.nan, math.inf, "3", True, None):
        with pytest.raises(BadNumber, match="width"):
            stable_projection(3, bits=4, key="a", width=width)
    for norm in (0, 3, True, "2"):
        with pytest.raises(Malformed, match="norm"):
            stable_projection(3, bits=4, key="a", width=1, norm=norm)
    for dimension in (0, -2, 1.5, "3", True):
        with pytest.raises(Malformed, match="dimension"):
            random_projection(dimension, bits=4, key="a")
        with pytest.raises(Malformed, match="length"):
            bit_sampling(dimension, bits=4, key="a")
    with pytest.raises(Malformed, match="too large to be projected"):
        stable_projection(2, bits=4, key="a", width=1).hash([[1e308, 1e308], [1, 1]])
    with pytest.raises(TooLarge, match=r"20,001 inputs"):
        random_projection(1, bits=4, key="a").table(np.ones((20_001, 1)))
