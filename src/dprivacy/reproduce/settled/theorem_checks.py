"""New results (N): checks of theorems that do not use their proofs, each on a stated range."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from dprivacy.design import laplace_against_geometric, optimal
from dprivacy.numbers import ln
from dprivacy.polytope import vertices
from dprivacy.refine import refines
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Parts, compared, extended
from dprivacy.spaces import line

Polynomial = Any  # of flint, in one or two variables
_POINTS = (*range(2, 13), 16)
_SIDES = 11


def step_numerators(n: int) -> Iterator[Polynomial]:
    """The entries of R off the diagonal, cleared of positive factors, in s and t.

    With 1/β = 1 + s and 1/α = 1 + s + t, s and t > 0 stand for all levels 0 < α < β < 1.
    """
    from flint import Ordering, fmpz_mpoly_ctx

    s, t = fmpz_mpoly_ctx.get(("s", "t"), Ordering.lex).gens()
    high, low = 1 + s + t, 1 + s

    def sums(base: Polynomial) -> list[Polynomial]:
        powers = [base**k for k in range(n)]
        return [sum((powers[n - 1 - abs(x - y)] for y in range(n)), 0 * s) for x in range(n)]

    a, b = sums(high), sums(low)
    yield a[0] * b[1] * high - low * a[1] * b[0]
    for x in range(1, n - 1):
        here = (high * high + 1) * low * a[x] * b[x - 1] * b[x + 1]
        beside = low * low * a[x - 1] * b[x] * b[x + 1] + a[x + 1] * b[x] * b[x - 1]
        yield here - high * beside


def hub_polynomial(m: int, j: int) -> Polynomial:
    """Ψ at an inner point with m points on one side and j on the other, times positive sums, in α."""
    from flint import fmpz_poly

    al, one = fmpz_poly([0, 1]), fmpz_poly([1])
    q0, q1 = fmpz_poly([1] * m), fmpz_poly([1] * j)
    y0, y1 = q0 + fmpz_poly(list(range(m))), q1 + fmpz_poly(list(range(j)))  # times q0 and q1
    c0, c1 = al * q0, al * q1
    r, S, r4 = one - al**2, one + c0 + c1, one - al**4
    B = al**2 * S - r * c0 * c1 + r * c1 * (one + c1)
    return (
        2 * al**2 * S * B * q0 * q1
        + r * al**2 * S * c0 * y0 * q1
        + r * r4 * c0 * c1 * (one + c1) * y0 * q1
        + r * c1 * y1 * (al**4 * S - r4 * c0 * c1) * q0
    )


@item(
    "N:lowering-line",
    "Lowering ε on a line, for each number of points by itself",
    "New results, Theorem 1",
)
def lowering_line(_: Setting) -> Parts:
    """Polynomials without a negative coefficient: for all pairs of levels, without the proof."""
    from flint import fmpz_poly

    for n in _POINTS:
        holds = all(c >= 0 for p in step_numerators(n) for c in p.coeffs())
        yield compared(f"no negative coefficient, {n} points", "yes", holds)
    good = 0
    for m, j in product(range(1, _SIDES + 1), repeat=2):
        reversed_ = fmpz_poly(hub_polynomial(m, j).coeffs()[::-1])
        good += all(c >= 0 for c in reversed_(fmpz_poly([1, 1])).coeffs())  # α = 1/(1 + s)
    yield compared("cells of Ψ without a negative coefficient", _SIDES**2, good)
    before, after = (Fraction(2), Fraction(3, 2))
    exponentials = [_exponential(12, base) for base in (before, after)]
    yield extended("refines on 12 points, by its own solver", refines(*exponentials))


def _exponential(n: int, base: Fraction) -> list[list[Fraction]]:
    rows = [[1 / base ** abs(x - y) for y in range(n)] for x in range(n)]
    return [[value / sum(row) for value in row] for row in rows]


@item("N:max-case", "The max case on a line", "New results, Theorem 5")
def max_case(_: Setting) -> Parts:
    """All rows of 0, 1, 2 that fall and then rise, on 3 and 4 points; and the ends of three."""
    for n, base in ((3, 2), (4, 2), (4, 5)):
        corners = [
            [Fraction(w) for w in vertex.weights] for vertex in vertices(line(n), eps=ln(base))
        ]
        peaks = [[Fraction(1, base ** abs(x - w)) for x in range(n)] for w in range(n)]
        priors = [[1] * n, [1, 5, *[20] * (n - 2)]]
        dipped = [row for row in product(range(3), repeat=n) if _dips(row)]
        worse = sum(
            _least(peaks, prior, row) > _least(corners, prior, row)
            for row in dipped
            for prior in priors
        )
        what = f"geometric worse than the best vertex, {n} points, e^ε = {base}"
        yield compared(f"{what}, of {2 * len(dipped)}", 0, worse)
    ends = optimal("line:3", eps="ln 2", loss=[[0, 1, 0]], outputs=["an end"], case="max")
    yield compared("least loss for the ends of three points", "1/5", ends.loss)
    geometric = [[Fraction(1, 2 ** abs(x - w)) for x in range(3)] for w in range(3)]
    yield compared("that of the geometric", "2/7", _least(geometric, [1, 1, 1], (0, 1, 0)))


def _dips(row: Sequence[int]) -> bool:
    turn = row.index(min(row))
    falls = list(row[: turn + 1]) == sorted(row[: turn + 1], reverse=True)
    return falls and list(row[turn:]) == sorted(row[turn:])


def _least(columns: list[list[Fraction]], prior: list[int], row: Sequence[int]) -> Fraction:
    """The smallest posterior loss of one action over the outputs."""
    found = []
    for column in columns:
        joint = [p * v for p, v in zip(prior, column, strict=True)]
        lost = sum((q * c for q, c in zip(joint, row, strict=True)), Fraction(0))
        found.append(lost / sum(joint, Fraction(0)))
    return min(found)


@item("N:laplace", "The Laplace against the geometric", "New results, Theorem 2")
def laplace(_: Setting) -> Parts:
    """N·difference/κ for ∣w − x∣ and a uniform prior; 2/3 is proved for every case."""
    for N, step in product((1, 2, 4, 8), ("1/2", "1", "2", "4")):
        found = laplace_against_geometric(
            N, eps=f"{N * Fraction(step)}", loss=lambda w, x: abs(w - x)
        )
        most = N * float(found.difference[1]) / float(found.kappa)
        told = f"{most:.4f}"
        yield extended(f"N = {N}, ε/N = {step}", told, holds=most <= 2 / 3)
