"""The three papers: categorical data (C), extreme points (P) and metric spaces (M)."""

import math
from fractions import Fraction, Fraction as Q
from itertools import product
from typing import Any

from dprivacy.mechanisms import laplace_scale, randomised_response, response_eps
from dprivacy.model import Channel
from dprivacy.numbers import ln, rank
from dprivacy.polytope import count_extreme_points, is_extreme, loose_entries
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Parts, compared, extended, written
from dprivacy.reproduce.items.source_channels import table
from dprivacy.spaces import discrete
from dprivacy.verify import checks_needed, delta_at, error_floor, expected_error, sufficient_set

HOBBIES = ["Sports", "Cars", "Television", "Computer games", "Reading"]
DATABASES = list(product(range(3), repeat=2))
NEIGHBOURS = [
    (x, z)
    for x in DATABASES
    for z in DATABASES
    if sum(u != v for u, v in zip(x, z, strict=True)) == 1
]


def l1_exponential(base: Any) -> Channel:
    """C Ex 2 with e^(−1) replaced by a base; the sufficient sets do not depend on it."""
    rows = []
    for x in DATABASES:
        weights = [base ** sum(abs(u - v) for u, v in zip(x, y, strict=True)) for y in DATABASES]
        rows.append([weight / sum(weights) for weight in weights])
    return Channel(DATABASES, DATABASES, rows)


@item("C:example-2", "How many sets of outputs must be checked", "C Ex 2")
def c_example_2(_: Setting) -> Parts:
    """24 pairs with 7 checks and 12 with 63; the print took ties for differences."""
    C = l1_exponential(Fraction(1, 2))
    sizes = [len(sufficient_set(C, x, z)) for x, z in NEIGHBOURS]
    work = checks_needed(C, pairs=NEIGHBOURS)
    floats = checks_needed(l1_exponential(math.exp(-1)), pairs=NEIGHBOURS)
    yield compared("ordered pairs of neighbours", 36, work.pairs)
    yield compared("checks without the theorem", 18360, work.all_subsets)
    yield compared(
        "sufficient set of (0, 1) against (2, 1)",
        "(0, 0), (0, 1), (0, 2)",
        list(sufficient_set(C, (0, 1), (2, 1))),
    )
    yield compared("its subsets", 7, 2 ** len(sufficient_set(C, (0, 1), (2, 1))) - 1)
    yield compared(
        "subsets for (1, 1) against (2, 1)", 63, 2 ** len(sufficient_set(C, (1, 1), (2, 1))) - 1
    )
    yield compared("pairs with 7 checks", 21, sizes.count(3), erratum="E1")
    yield compared("pairs with 63 checks", 15, sizes.count(6), erratum="E1")
    yield compared("checks in all", 1092, work.sufficient_subsets, erratum="E1")
    yield extended("the same in floating point, ties broken by rounding", floats.sufficient_subsets)
    yield extended("sets needed by the sharper form, one a pair", work.one_set_a_pair)


@item("C:example-3", "Five hobbies", "C Ex 1, 3")
def c_example_3(_: Setting) -> Parts:
    """p = 1/10."""
    level = response_eps(5, p="1/10")
    mechanism = randomised_response(HOBBIES, eps=level)
    yield compared(
        "P(Television | Television)", "0.6", mechanism.channel["Television", "Television"]
    )
    yield compared("P(Cars | Television)", "0.1", mechanism.channel["Television", "Cars"])
    yield extended("its level", level, holds=level == ln(6))
    yield Drawing("Five hobbies", mechanism.channel.plot)


@item("P:example-1", "A matrix with one loose entry", "P Ex 1")
def p_example_1(_: Setting) -> Parts:
    """ε = ln 2."""
    A = Channel([1, 2, 3], [1, 2, 3], table("4/7 1/7 2/7; 3/7 2/7 2/7; 2/7 1/7 4/7"))
    yield compared("λ(A)", "(2, 1)", list(loose_entries(A, eps="ln 2")))
    yield extended("is it extreme", is_extreme(A, eps="ln 2"), holds=not is_extreme(A, eps="ln 2"))


@item("P:example-2", "An extreme point with two columns", "P Ex 2")
def p_example_2(_: Setting) -> Parts:
    """n = 4."""
    for a in (2, 5):
        high, low, no = Q(a, 1 + a), Q(1, 1 + a), Q(0)
        A = [[low, no, high, no], [low, no, high, no], [high, no, low, no], [low, no, high, no]]
        verdict = is_extreme(A, eps=ln(a))
        yield compared(f"extreme at e^ε = {a}", "yes", verdict)
        yield compared(f"non-zero columns at e^ε = {a}", 2, len(verdict.columns))


@item("P:section-5", "An extreme point with a loose entry", "P §5")
def p_section_5(_: Setting) -> Parts:
    """n = 5, four non-zero columns."""
    a = Q(2)
    rows: list[list[Any]] = [
        [1, 1, 2 * a, 1, 0],
        [a, 1, 2, a, 0],
        [a, a, 2, 1, 0],
        [1, a, 2, a, 0],
        [1, 1, 1 + a, a, 0],
    ]
    A = Channel(range(1, 6), range(1, 6), [[Q(v) / (3 + 2 * a) for v in row] for row in rows])
    verdict = is_extreme(A, eps="ln 2")
    yield compared("extreme", "yes", verdict)
    yield compared("λ(A)", "(5, 3)", list(verdict.loose))
    yield compared("rank", 4, rank(A.matrix))
    yield Drawing("The matrix at e^ε = 2", A.plot)


@item("P:counts", "How many extreme points there are", "P Thm 8, §5")
def p_counts(_: Setting) -> Parts:
    """None has a loose entry up to n = 4: the conjecture is true."""
    for n in (2, 3, 4):
        counted = count_extreme_points(n, eps="ln 2")
        none = set(counted.by_loose) == {0}
        where = "by Thm 8" if n < _CONJECTURED else "by the conjecture"
        yield compared(f"loose entries, n = {n} ({where})", "none", "none" if none else "some")
        yield extended(f"extreme points, n = {n}", int(counted))
        columns = [f"{count} with {k}" for k, count in counted.by_columns.items()]
        yield extended(f"by non-zero columns, n = {n}", ", ".join(columns))
    yield "The counts do not depend on ε > 0."


_CONJECTURED = 4


@item("P:counts-five", "Extreme points of 5 × 5 matrices", "P §5, extended")
def p_counts_five(_: Setting) -> Parts:
    """One size further than the source's conjecture."""
    counted = count_extreme_points(5, eps="ln 2")
    yield compared("some have loose entries", "yes", 1 in counted.by_loose)
    yield extended("extreme points", f"{int(counted):,}", holds=counted == 164_825)
    yield extended("with a loose entry", f"{counted.by_loose[1]:,}")


def laplace_delta(width: float, scale: float, eps: float) -> float:
    """δ of Laplace noise for two values that far apart: max(0, 1 − e^((ε − width/b)/2))."""
    return max(0.0, 1 - math.exp((eps - width / scale) / 2))


@item("M:example-5", "Laplace noise on a bounded range", "M Ex 5")
def m_example_5(_: Setting) -> Parts:
    """The printed scale is enough, and larger than need be."""
    width, eps, delta = 10.0, 1.0, 0.05
    printed = width / (eps - math.log(1 - delta))
    least = laplace_scale(10, eps=1, delta="1/20")
    yield compared(
        "with the printed scale it is (1, 1/20)-private",
        "yes",
        laplace_delta(width, printed, eps) <= delta,
    )
    yield extended(
        "the printed scale, range 10",
        f"{printed:.4f}: δ = {laplace_delta(width, printed, eps):.4f}",
    )
    yield extended(
        "the least scale, range 10",
        f"{least:.4f}: δ = {laplace_delta(width, least, eps):.4f}",
        holds=abs(laplace_delta(width, least, eps) - delta) < 1e-12 and least < printed,
    )
    yield "Sharper than printed: private exactly when b ≥ Δ/(ε − 2 ln(1−δ))."


@item("M:example-6", "The smallest chance of each wrong answer", "M Ex 6")
def m_example_6(_: Setting) -> Parts:
    """p = (1 − δ)/(m + e^ε) at ε = ln 3."""
    for m, delta in ((1, Q(0)), (4, Q(0)), (4, Q(1, 10))):
        mechanism = randomised_response(range(m + 1), eps="ln 3", delta=delta)
        p = (1 - delta) / (m + 3)
        yield compared(f"p, m = {m}, δ = {delta}", p, mechanism.channel[0, 1])
        yield extended(
            f"δ at ln 3, m = {m}, computed",
            delta_at(mechanism.channel, eps="ln 3"),
            holds=delta_at(mechanism.channel, eps="ln 3") == delta,
        )


@item("M:example-7", "The error bound is reached", "M Ex 7")
def m_example_7(_: Setting) -> Parts:
    """mp = (1 − δ)m/(m + e^ε) on the discrete metric."""
    for m, delta in ((1, Q(0)), (2, Q(1, 10)), (4, Q(1, 10))):
        space = discrete(range(m + 1))
        mechanism = randomised_response(space, eps="ln 3", delta=delta)
        printed = (1 - delta) * m / (m + 3)
        yield compared(
            f"expected error, m = {m}, δ = {delta}",
            printed,
            expected_error(mechanism.channel, space),
        )
        floor = error_floor(space, eps="ln 3", delta=delta)
        yield compared(f"the bound of Thm 7, m = {m}, δ = {delta}", written(printed), floor)
