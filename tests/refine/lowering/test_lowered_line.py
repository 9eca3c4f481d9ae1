"""The closed form on an interval, and the pieces of the proof that it is never negative."""

from fractions import Fraction as Q
from itertools import product
from math import comb

import numpy as np
import pytest
from flint import Ordering, fmpq_mpoly_ctx, fmpz_mpoly_ctx

import dprivacy as dp
from dprivacy.numbers import Mat
from dprivacy.refine import refines
from dprivacy.refine.deciding.independent_columns import by_inversion
from dprivacy.refine.lowering.lowered_line import lowered, lowered_between


def exponential(n, base, first=0, inputs=None):
    """Rows of the exponential mechanism with e^(ε/2) = base on the outputs first … first + n − 1."""
    outputs = range(first, first + n)
    rows = []
    for x in outputs if inputs is None else inputs:
        row = [Q(1) / base ** abs(x - y) for y in outputs]
        rows.append([v / sum(row) for v in row])
    return Mat.of(rows)


LEVELS = [(Q(2), Q(3, 2)), (Q(5), Q(11, 10)), (Q(11, 10), Q(21, 20)), (Q(3), Q(299, 100))]


@pytest.mark.parametrize("n", [2, 3, 4, 7, 12])
@pytest.mark.parametrize(("high", "low"), LEVELS)
def test_it_is_the_post_processing(n, high, low):
    R = lowered(n, 1 / high, 1 / low)
    assert exponential(n, high) @ R == exponential(n, low)
    assert all(sum(R.row(x)) == 1 for x in range(n))
    assert not (R.entries < 0).any()
    assert by_inversion(exponential(n, high), exponential(n, low)).r == R


def test_three_points():
    R = lowered(3, Q(1, 2), Q(2, 3))
    assert R.row(0) == [Q(289, 399), Q(66, 399), Q(44, 399)]
    assert R.row(1) == [Q(41, 266), Q(184, 266), Q(41, 266)]


def test_inputs_outside_the_interval_have_the_row_of_the_nearer_end():
    inputs = [-3, 0, 2, 2, 9]
    a, b = (exponential(4, base, inputs=inputs) for base in (Q(3), Q(2)))
    assert a.row(0) == a.row(1)
    R = lowered_between(a, b)
    assert R is not None
    assert a @ R == b


@pytest.mark.parametrize(
    "change",
    [
        lambda a, b: (b, a),  # the higher ε second
        lambda a, b: (a, a),
        lambda a, b: (a, Mat(b.entries[::-1].copy(), b.den)),  # inputs at other points
        lambda a, b: (a.take(columns=[1, 0, 2, 3]), b),
        lambda a, b: (Mat(a.floats), Mat(b.floats)),
        lambda a, b: (Mat.of([[1, 0, 0, 0]] * 4), b),
        lambda a, b: (Mat.of([[Q(1, 4)] * 4] * 4), b),
    ],
)
def test_other_pairs_are_left_to_others(change):
    assert lowered_between(*change(exponential(4, Q(3)), exponential(4, Q(2)))) is None


def test_refines_gives_it_exactly_where_solving_had_too_many_digits():
    a, b = (dp.exponential(dp.line(80), eps=2 * dp.ln(base)).channel for base in (Q(3), Q(5, 2)))
    found = refines(a, b)
    assert found.status == "proved"
    assert found.residual == 0
    assert found.R.matrix == lowered(80, Q(1, 3), Q(2, 5))
    assert refines(b, a).status == "refuted"


def test_numerators_have_no_negative_coefficient():
    """With b = 1 + s and a = 1 + s + t, for each n by itself: a proof that does not use the theorem."""
    ring = fmpz_mpoly_ctx.get(("s", "t"), Ordering.lex)
    s, t = ring.gens()
    A, B = 1 + s + t, 1 + s

    def sums(base, n):
        return [sum((base ** (n - 1 - abs(x - y)) for y in range(n)), 0 * s) for x in range(n)]

    for n in range(2, 10):
        a, b = sums(A, n), sums(B, n)
        entries = [a[0] * b[1] * A - B * a[1] * b[0]]
        for x in range(1, n - 1):
            here = (A * A + 1) * B * a[x] * b[x - 1] * b[x + 1]
            beside = B * B * a[x - 1] * b[x] * b[x + 1] + a[x + 1] * b[x] * b[x - 1]
            entries.append(here - A * beside)
        assert all(c >= 0 for entry in entries for c in entry.coeffs())


class TestProof:
    """Step 5 of the theory page: 2 − h₀ − α²·h₁ is a positive multiple of Ψ, and Ψ ≥ 0."""

    @staticmethod
    def psi(al, c0, c1, y0, y1):
        r, S = 1 - al**2, 1 + c0 + c1
        B = al**2 * S - r * c0 * c1 + r * c1 * (1 + c1)
        return (
            2 * al**2 * S * B
            + r * al**2 * S * c0 * y0
            + r * (1 - al**4) * c0 * c1 * (1 + c1) * y0
            + r * c1 * y1 * (al**4 * S - (1 - al**4) * c0 * c1)
        )

    def test_the_identity(self):
        """Times S·(S − r(1 + c₀))·(S − r(1 + c₁)), multiplied out."""
        names = fmpq_mpoly_ctx.get(("al", "c0", "c1", "y0", "y1"), Ordering.lex).gens()
        al, c0, c1, y0, y1 = names
        r, S = 1 - al**2, 1 + c0 + c1
        d0, d1 = S - r * (1 + c1), S - r * (1 + c0)  # (1 − r(1 − w))·S, with S·(1 − w₀) = 1 + c₁
        total = c0 * y0 + c1 * y1  # σ·S
        n0 = c0 * (2 * S + r * (total - S * y0))  # h₀ = n0/(S·d0)
        n1 = c1 * (2 * S + r * (total - S * y1))
        left = 2 * S * d0 * d1 - n0 * d1 - al**2 * n1 * d0
        assert left == self.psi(*names)

    def test_the_twelve_polynomials_of_the_page(self):
        """Their Bernstein coefficients in g, k and α are not negative, and they are Ψ at its least."""
        ring = fmpq_mpoly_ctx.get(("al", "g", "k"), Ordering.lex)
        al, g, k = ring.gens()
        # c₀ = αg/(1 − α), c₁ = αk/(1 − α), y₀ = 1, y₁ = c₁/α: cleared of (1 − α)⁴.
        one = 1 - al
        S = one + al * g + al * k
        r = 1 - al**2
        B = al**2 * S * one - r * al**2 * g * k + r * al * k * (one + al * k)
        c = al**4 * S * one - (1 - al**4) * al**2 * g * k
        whole = (
            2 * al**2 * S * B * one
            + r * al**2 * S * al * g * one**2
            + r * (1 - al**4) * al**2 * g * k * (one + al * k) * one
            + r * al * k * k * c
        )
        p = {}
        for (e, i, j), value in whole.to_dict().items():
            p[e, i, j] = Q(int(value.p), int(value.q))
        assert max(i for _, i, _ in p) <= 2
        assert max(j for *_, j in p) <= 3
        # whole = α²·(1 − α)²·p(α, g, k): divide the coefficients of each g^i·k^j.
        rows = {}
        for i, j in product(range(3), range(4)):
            row = [p.get((e, i, j), Q(0)) for e in range(20)]
            assert row[:2] == [0, 0]
            row = row[2:]
            for _ in range(2):
                quotient, carry = [], Q(0)
                for value in row:
                    carry += value
                    quotient.append(carry)
                assert quotient[-1] == 0
                row = quotient[:-1]
            assert not any(row[7:])
            rows[i, j] = row[:7]
        least = min(
            sum(
                rows[m, n][e]
                * Q(comb(i, m), comb(2, m))
                * Q(comb(j, n), comb(3, n))
                * Q(comb(q, e), comb(6, e))
                for m in range(i + 1)
                for n in range(j + 1)
                for e in range(q + 1)
            )
            for i, j, q in product(range(3), range(4), range(7))
        )
        assert least >= 0

    def test_psi_at_true_positions(self):
        """With m points on one side and j on the other, at many α: the condition is H itself."""
        for m, j in product(range(1, 6), repeat=2):
            for al in (Q(1, 10), Q(1, 2), Q(9, 10)):
                q0, q1 = (sum(al**i for i in range(k)) for k in (m, j))
                s0, s1 = (sum(i * al**i for i in range(k)) for k in (m, j))
                assert self.psi(al, al * q0, al * q1, 1 + s0 / q0, 1 + s1 / q1) > 0


@pytest.mark.parametrize(("T", "high", "low"), [(1.0, 3.0, 1.0), (2.0, 5.0, 4.5), (0.5, 8.0, 0.5)])
@pytest.mark.parametrize("part", [0.1, 0.4, 0.5, 0.93])
def test_a_real_interval(T, high, low, part):
    """The post-processing on [0, T]: an atom and a density that is not negative, together 1."""

    def total(rate, x):
        return (2 - np.exp(-rate * x) - np.exp(-rate * (T - x))) / rate

    def d(x):
        return total(high, x) / total(low, x)

    z, h = part * T, 1e-4 * T
    first, second = (d(z + h) - d(z - h)) / (2 * h), (d(z + h) - 2 * d(z) + d(z - h)) / h**2
    mass = low / high * d(z)
    for sign, reach in ((1, z), (-1, T - z)):
        factor = ((high**2 - low**2) * d(z) - second + sign * 2 * low * first) / (2 * high)
        assert factor > 0
        mass += factor * (1 - np.exp(-low * reach)) / low
    assert mass == pytest.approx(1, abs=1e-5)
