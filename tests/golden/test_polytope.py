"""The sources' geometry: tables of kernels, pictured mechanisms, extreme points; and the errata."""

from fractions import Fraction as Q
from itertools import combinations, islice, permutations

import pytest

from dprivacy.mechanisms import geometric, over_truncated, randomised_response
from dprivacy.model import Channel, Hyper, push, uniform
from dprivacy.numbers.exact_algebra import rank
from dprivacy.polytope import (
    count_extreme_points,
    count_kernels,
    decompose,
    extreme_points,
    is_extreme,
    is_kernel,
    is_vertex_mechanism,
    kernels,
    loose_entries,
    vertices,
)
from dprivacy.spaces import discrete, from_table, graph, grid, hamming_cube, line

X3 = ["x1", "x2", "x3"]
LEVELS = ["ln 2", "ln 3", "ln(3/2)", "ln(11/10)", "ln 10"]


def best_response(a, rows):
    """T, the best response on two secrets [T Thm 6.14]."""
    return Channel(
        rows, ["same", "other"], [[Q(a, 1 + a), Q(1, 1 + a)], [Q(1, 1 + a), Q(a, 1 + a)]]
    )


def hyper(rows, inners, outer):
    """A hyper from the source's bracketed array: inners as columns, the outer underneath."""
    n = len(inners)
    table = [[n * Q(v) * Q(w) for v, w in zip(row, outer, strict=True)] for row in inners]
    return push(Channel(rows, range(len(outer)), table), prior=uniform(rows))


def table(text):
    return [[Q(entry) for entry in row.split()] for row in text.strip().splitlines()]


# -- T: kernels -----------------------------------------------------------------------------------


@pytest.mark.statement("T", "Table 6.1")
def test_kernels_on_a_line():
    """E2: 1, 2, 11 at every level; 187 on five points at e^ε = 2, and other numbers elsewhere."""
    for n, vertex_count, expected in [(2, 2, 1), (3, 4, 2), (4, 8, 11)]:
        for eps in LEVELS:
            found = count_kernels(line(n), eps=eps)
            assert (found.vertices, found) == (vertex_count, expected)
    five = {eps: int(count_kernels(line(5), eps=eps)) for eps in LEVELS}
    assert five == {"ln 2": 187, "ln 3": 195, "ln(3/2)": 222, "ln(11/10)": 230, "ln 10": 195}
    assert count_kernels(line(5), eps="ln 2").by_posteriors == {2: 1, 3: 5, 4: 24, 5: 157}


@pytest.mark.statement("T", "Table 6.2")
@pytest.mark.parametrize("eps", [*LEVELS, 1, "1/100"])
def test_kernels_of_the_discrete_metric(eps):
    """The counts never depend on ε."""
    for n, vertex_count, expected in [(2, 2, 1), (3, 6, 5), (4, 14, 41), (5, 30, 1291)]:
        found = count_kernels(discrete(range(n)), eps=eps)
        assert (found.vertices, found) == (vertex_count, expected)


def test_beyond_the_tables():
    assert count_kernels(line(6), eps="ln 2") == 15_346
    cube = count_kernels(hamming_cube(3), eps="ln 2")
    assert (cube, cube.classes, cube.symmetries) == (29_213, 922, 48)


@pytest.mark.slow
def test_minimal_balanced_collections_on_six_points():
    found = count_kernels(discrete(range(6)), eps="ln 2")
    assert found == 200_213
    assert found.by_posteriors == {2: 31, 3: 180, 4: 1_910, 5: 18_780, 6: 179_312}
    assert found.classes == 582


@pytest.mark.statement("T", "Ex 6.2")
def test_the_space_of_hypers_on_three_points_of_a_line():
    found = {tuple(p.weights) for p in vertices(line(3), eps="ln 2")}
    assert found == {
        (Q(4, 7), Q(2, 7), Q(1, 7)),
        (Q(1, 7), Q(2, 7), Q(4, 7)),
        (Q(1, 4), Q(1, 2), Q(1, 4)),
        (Q(2, 5), Q(1, 5), Q(2, 5)),
    }


@pytest.mark.statement("T", "Thm 6.14", "Lem 6.13", "Fig 6.1")
@pytest.mark.parametrize(("distance", "eps", "a"), [(1, "ln 2", 2), (2, "ln 3", 9)])
def test_on_two_inputs_there_is_one_kernel(distance, eps, a):
    space = line([0, distance])
    (only,) = kernels(space, eps=eps)
    assert only.equivalent(best_response(a, [0, distance]))


@pytest.mark.statement("T", "Thm 6.15")
@pytest.mark.parametrize(
    "space",
    [
        line(3),
        line([0, 1, 5]),
        discrete(range(3)),
        hamming_cube(2),
        graph([(0, 1), (0, 2), (0, 3)]),
        grid(2, 2, metric="chebyshev"),
        from_table([*"abc"], [[0, 2, 3], [2, 0, 4], [3, 4, 0]]),
    ],
    ids=["line", "gaps", "discrete", "cube", "star", "chebyshev", "triangle"],
)
@pytest.mark.parametrize("eps", ["ln 2", "ln(5/4)"])
def test_on_more_inputs_there_are_several(space, eps):
    """Two kernels, neither of which refines the other, leave none that serves everyone."""
    first, second = islice(kernels(space, eps=eps), 2)
    assert not first.equivalent(second)


@pytest.mark.statement("T", "Ex 6.3")
def test_a_vertex_hyper_in_two_ways():
    space = discrete(X3)
    mixed = hyper(
        X3,
        table("1/2 1/4 1/4 1/5 2/5 2/5\n1/4 1/2 1/4 2/5 1/5 2/5\n1/4 1/4 1/2 2/5 2/5 1/5"),
        ["4/27", "4/27", "4/27", "5/27", "5/27", "5/27"],
    )
    H = [
        hyper(X3, table("1/4 2/5\n1/4 2/5\n1/2 1/5"), ["4/9", "5/9"]),
        hyper(X3, table("1/4 2/5\n1/2 1/5\n1/4 2/5"), ["4/9", "5/9"]),
        hyper(X3, table("1/2 1/5\n1/4 2/5\n1/4 2/5"), ["4/9", "5/9"]),
    ]
    R = [
        hyper(X3, table("1/2 1/4 1/4\n1/4 1/2 1/4\n1/4 1/4 1/2"), ["1/3"] * 3),
        hyper(X3, table("1/5 2/5 2/5\n2/5 1/5 2/5\n2/5 2/5 1/5"), ["1/3"] * 3),
    ]
    found = {push(K, prior=uniform(X3)) for K in kernels(space, eps="ln 2")}
    assert found == set(H + R)
    assert Hyper.mix([Q(1, 3)] * 3, H) == mixed
    assert Hyper.mix([Q(4, 9), Q(5, 9)], R) == mixed
    V = mixed.channel()
    assert is_vertex_mechanism(V, space, eps="ln 2")
    assert not is_kernel(V, space, eps="ln 2")
    three = decompose(V, space, eps="ln 2", prefer=[H[0].channel()])
    assert three.weights == (Q(1, 3), Q(1, 3), Q(1, 3))
    assert {push(K, prior=uniform(X3)) for K in three.kernels} == set(H)
    two = decompose(V, space, eps="ln 2", prefer=[R[0].channel()])
    assert two.weights == (Q(4, 9), Q(5, 9))
    assert [push(K, prior=uniform(X3)) for K in two.kernels] == R
    assert three.holds()
    assert two.holds()


@pytest.mark.statement("T", "Lem 6.26", "Fig 6.2")
def test_the_geometric_mechanism_is_a_kernel():
    """On three points: the geometric from B, C, D, and one other kernel from A and C."""
    G = table("2/3 1/6 1/6\n1/3 1/3 1/3\n1/6 1/6 2/3")
    H = table("2/3 1/3\n1/3 2/3\n2/3 1/3")
    found = list(kernels(line(3), eps="ln 2"))
    assert [K.matrix.rows() for K in found] == [H, G]
    for n in (2, 3, 5, 8):
        for eps in ("ln 2", "ln(9/7)"):
            assert is_kernel(geometric(line(n), eps=eps), line(n), eps=eps)
    wide = over_truncated(range(4), range(-3, 8), eps="ln 2").channel
    assert is_kernel(wide, line(4), eps="ln 2")  # more outputs, the same hyper


@pytest.mark.statement("T", "Lem 6.25")
@pytest.mark.parametrize("eps", ["ln 2", "ln(3/2)"])
def test_on_a_line_every_kernel_restricts_to_the_best_response(eps):
    a = 2 if eps == "ln 2" else Q(3, 2)
    for n in (3, 4, 5):
        for K in kernels(line(n), eps=eps):
            for x in range(n - 1):
                assert K.restrict([x, x + 1]).equivalent(best_response(a, [x, x + 1]))


@pytest.mark.statement("T", "Cor 6.23")
def test_a_restriction_need_not_be_the_best():
    """E8: the geometric on {0, 1, 2} restricted to {0, 2} has Bayes risk 1/4, T has 1/5."""

    def risk(C):
        return 1 - sum(max(column) for column in C.matrix.transposed.rows()) / len(C.rows)

    restricted = geometric(line(3), eps="ln 2").channel.restrict([0, 2])
    assert risk(restricted) == Q(1, 4)
    (T,) = kernels(line(3).restrict([0, 2]), eps="ln 2")
    assert risk(T) == Q(1, 5)


@pytest.mark.statement("T", "Fig 6.3")
def test_the_five_kernels_of_three_categories():
    found = list(kernels(discrete(X3), eps="ln 2"))
    RR = randomised_response(discrete(X3), eps="ln 2").channel
    assert sum(bool(K.equivalent(RR)) for K in found) == 1
    assert sorted(len(K.columns) for K in found) == [2, 2, 2, 3, 3]


@pytest.mark.statement("T", "Lem 6.30", "Lem 6.31")
@pytest.mark.parametrize("n", [3, 4, 7])
def test_randomised_response_is_a_kernel_that_is_never_the_best_response(n):
    space = discrete(range(n))
    RR = randomised_response(space, eps="ln 2").channel
    assert is_kernel(RR, space, eps="ln 2")
    for pair in combinations(range(n), 2):
        assert not RR.restrict(list(pair)).equivalent(best_response(2, list(pair)))


@pytest.mark.statement("T", "Thm 6.33", "Cor 6.29")
@pytest.mark.parametrize("n", [3, 4, 5])
def test_no_kernel_is_the_best_response_on_all_pairs(n):
    """On the discrete metric; but on some pair (so, by symmetry, on any) some kernel is."""
    pairs = list(combinations(range(n), 2))
    served = set()
    for K in kernels(discrete(range(n)), eps="ln 2", up_to_symmetry=True):
        best = {p for p in pairs if K.restrict(list(p)).equivalent(best_response(2, list(p)))}
        assert best != set(pairs)
        served |= best
    assert served


def uncertainty(prior, C, loss):
    """U_ℓ[π ▷ C] = Σ_y min_w Σ_x π_x·C[x, y]·ℓ(w, x)."""
    rows = C.matrix.rows()
    return sum(
        min(sum(p * rows[i][y] * cost[i] for i, p in enumerate(prior)) for cost in loss)
        for y in range(len(C.columns))
    )


@pytest.mark.statement("T", "Ex 6.5")
def test_a_loss_with_universally_optimal_mechanisms():
    """For ℓ(w1) = (3, 1, 0), ℓ(w2) = (0, 1, 3) both K_A, K_B and every mixture beat all kernels."""
    space = discrete(X3)
    A = hyper(X3, table("1/4 2/5\n1/4 2/5\n1/2 1/5"), ["4/9", "5/9"])
    B = hyper(X3, table("1/2 1/5\n1/4 2/5\n1/4 2/5"), ["4/9", "5/9"])
    assert is_kernel(A.channel(), space, eps="ln 2")
    assert is_kernel(B.channel(), space, eps="ln 2")
    for K in (A, B):
        pair = K.channel().restrict(["x1", "x3"])
        assert pair.equivalent(best_response(2, ["x1", "x3"]))
    V = Hyper.mix([Q(1, 4), Q(3, 4)], [A, B]).channel()
    found = decompose(V, space, eps="ln 2")
    assert sorted(found.weights) == [Q(1, 4), Q(3, 4)]
    assert {push(K, prior=uniform(X3)) for K in found.kernels} == {A, B}
    loss = [(3, 1, 0), (0, 1, 3)]
    rivals = list(kernels(space, eps="ln 2"))
    for prior in [(1, 1, 1), (5, 1, 1), (1, 7, 2), (0, 0, 1), (1, 0, 1), (2, 3, 9)]:
        pi = [Q(p, sum(prior)) for p in prior]
        least = min(uncertainty(pi, K, loss) for K in rivals)
        for C in (A.channel(), B.channel(), V):
            assert uncertainty(pi, C, loss) == least


@pytest.mark.statement("T", "Fig 6.5")
def test_the_kernel_on_bit_strings():
    """38 vertices; the truncated geometric of the Hamming weight, geometric on all six paths."""
    space = hamming_cube(3)
    assert sum(1 for _ in vertices(space, eps="ln 2")) == 38
    G = geometric(line(4), eps="ln 2").channel
    K = Channel(space.labels, G.columns, [list(G.row(sum(x)).values()) for x in space.labels])
    assert list(K.row((1, 0, 0)).values()) == table("1/3 1/3 1/6 1/6")[0]
    assert is_kernel(K, space, eps="ln 2")
    outer = push(K, prior=uniform(space)).outer
    assert outer.weights == [Q(9, 32), Q(7, 32), Q(7, 32), Q(9, 32)]
    for order in permutations(range(3)):
        path = [tuple(int(i in order[:k]) for i in range(3)) for k in range(4)]
        assert K.restrict(path).matrix == G.matrix
    assert len(K.restrict([(1, 0, 0), (0, 1, 0), (0, 0, 1)]).reduced().columns) == 1
    for x, z in space.pairs():
        assert K.restrict([x, z]).equivalent(best_response(2, [x, z]))
    assert decompose(K, space, eps="ln 2").weights == (1,)


# -- P: extreme points ----------------------------------------------------------------------------

COUNTS = {
    2: {1: 2, 2: 2},
    3: {1: 3, 2: 18, 3: 12},
    4: {1: 4, 2: 84, 3: 288, 4: 528},
}


@pytest.mark.statement("P", "Thm 8", "§5")
@pytest.mark.parametrize("eps", ["ln 2", "ln(5/4)", "ln 100", 1, "1/1000"])
def test_how_many_extreme_points(eps):
    """4, 33, 904, none with a loose entry: the conjecture for n = 4 is true, for every ε > 0."""
    for n, columns in COUNTS.items():
        found = count_extreme_points(n, eps=eps)
        assert found == {2: 4, 3: 33, 4: 904}[n]
        assert found.by_columns == columns
        assert set(found.by_loose) == {0}
    five = count_extreme_points(5, eps=eps)
    assert five == 164_825
    assert five.by_columns == {1: 5, 2: 300, 3: 3_000, 4: 44_400, 5: 117_120}
    assert five.by_loose == {0: 150_425, 1: 14_400}


@pytest.mark.statement("P", "Ex 1", "Def 5")
def test_a_matrix_with_one_loose_entry():
    A = Channel([1, 2, 3], [1, 2, 3], table("4/7 1/7 2/7\n3/7 2/7 2/7\n2/7 1/7 4/7"))
    assert loose_entries(A, eps="ln 2") == ((2, 1),)
    assert not is_extreme(A, eps="ln 2")


@pytest.mark.statement("P", "Ex 2", "Thm 6", "Cor 3")
@pytest.mark.parametrize("a", [2, 5])
def test_an_extreme_point_with_two_columns(a):
    high, low = Q(a, 1 + a), Q(1, 1 + a)
    A = [[low, 0, high, 0], [low, 0, high, 0], [high, 0, low, 0], [low, 0, high, 0]]
    verdict = is_extreme(A, eps=f"ln {a}")
    assert verdict
    assert verdict.columns == (0, 2)
    assert verdict.loose == ()
    assert "Thm 6" in verdict.statements
    assert is_kernel([[row[0], row[2]] for row in A], discrete(range(4)), eps=f"ln {a}")


@pytest.mark.statement("P", "§5")
@pytest.mark.parametrize("a", [Q(2), Q(3, 2), Q(10)])
def test_an_extreme_point_with_a_loose_entry(a):
    s = 3 + 2 * a
    rows = [
        [1, 1, 2 * a, 1, 0],
        [a, 1, 2, a, 0],
        [a, a, 2, 1, 0],
        [1, a, 2, a, 0],
        [1, 1, 1 + a, a, 0],
    ]
    A = Channel(range(1, 6), range(1, 6), [[Q(v) / s for v in row] for row in rows])
    verdict = is_extreme(A, eps=f"ln({a})")
    assert verdict
    assert verdict.loose == ((5, 3),)
    assert (verdict.kind, verdict.rank, rank(A.matrix)) == ("loose", 25, 4)
    listed = {
        tuple(tuple(row) for row in B.matrix.rows())
        for B in extreme_points(5, eps=f"ln({a})", up_to_permutation=True)
        if loose_entries(B, eps=f"ln({a})")
    }
    orders = list(permutations(range(5)))
    mine = [A.matrix.row(i) for i in range(5)]
    images = {tuple(sorted(tuple(row[j] for j in o) for row in mine)) for o in orders}
    assert any(tuple(sorted(B)) in images for B in listed)


@pytest.mark.statement("P", "Thm 2", "Thm 4", "Thm 5", "Thm 6", "Thm 7", "Cor 1", "Cor 4", "Cor 5")
@pytest.mark.statement("P", "Lem 3", "Lem 4", "Def 6", "Thm 8")
@pytest.mark.parametrize(
    ("n", "eps", "a", "up_to_permutation"),
    [
        (2, "ln 2", 2, False),
        (3, "ln(3/2)", Q(3, 2), False),
        (4, "ln 2", 2, True),
        pytest.param(4, "ln 2", 2, False, marks=pytest.mark.slow),
    ],
)
def test_every_extreme_point_is_as_the_theorems_say(n, eps, a, up_to_permutation):
    for A in extreme_points(n, eps=eps, up_to_permutation=up_to_permutation):
        verdict = is_extreme(A, eps=eps)
        columns = [c for c in A.matrix.transposed.rows() if any(c)]
        k = len(columns)
        assert verdict  # Thm 1
        assert rank(A.matrix) == k == len(verdict.columns)  # Thm 2
        if k == 1:
            assert verdict.kind == "constant"  # Thm 5
            assert columns[0] == [1] * n
            assert len(verdict.loose) == n
            continue
        assert all(len(set(c)) > 1 for c in columns)  # Cor 1
        assert len(verdict.loose) <= n - k  # Thm 4
        assert len({x for x, _ in verdict.loose}) == len(verdict.loose)  # Lem 3
        scaled = [[v / min(c) for v in c] for c in columns]
        assert all(len({c[i] for c in scaled}) > 1 for i in range(n))  # Lem 4
        # no loose entry up to n = 4: Thm 6 for two columns, Cor 4 and 5, Thm 8, and the conjecture
        assert verdict.loose == ()
        assert {v for c in scaled for v in c} == {1, a}
        assert verdict.kind == "tame"
        assert ("Cor 5" in verdict.statements) == (k == n)
        if k == 2:
            assert all({c[i] for c in scaled} == {1, a} for i in range(n))  # Cor 3
