"""Errata E1 to E11, each with its counter-example computed."""

import math
from fractions import Fraction as Q
from functools import partial
from operator import and_

from dprivacy.flow import count_scenario, loss, mutual_information, posterior_uncertainty
from dprivacy.mechanisms import geometric, over_truncated
from dprivacy.model import uniform
from dprivacy.numbers import ln
from dprivacy.polytope import count_kernels, kernels
from dprivacy.refine import refines
from dprivacy.reproduce.chapters.articles import NEIGHBOURS, l1_exponential
from dprivacy.reproduce.chapters.chapter_5 import scenarios
from dprivacy.reproduce.chapters.chapter_6 import tall_or_average
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Parts, compared, corrected, extended
from dprivacy.reproduce.items.source_channels import (
    G,
    R,
    deterministic,
    exponent,
    response,
    true_factor,
)
from dprivacy.spaces import discrete, line
from dprivacy.verify import checks_needed, distinguishability, privacy


@item("erratum:E1", "A tie that floats break", "C Ex 2")
def e1(_: Setting) -> Parts:
    """Exactly, and in floats."""
    exact = checks_needed(l1_exponential(Q(1, 2)), pairs=NEIGHBOURS).sufficient_subsets
    floats = checks_needed(l1_exponential(math.exp(-1)), pairs=NEIGHBOURS).sufficient_subsets
    C = l1_exponential(Q(1, 2))
    yield compared("checks in all", 1092, exact, erratum="E1")
    yield extended("the same in floating point", floats, holds=floats != exact)
    yield extended(
        "the tie: P(1, 1) from (0, 1) and from (2, 1)",
        f"{C[(0, 1), (1, 1)]} and {C[(2, 1), (1, 1)]}",
        holds=C[(0, 1), (1, 1)] == C[(2, 1), (1, 1)],
    )


@item("erratum:E2", "A count of kernels needs its ε", "T Table 6.1")
def e2(_: Setting) -> Parts:
    """Five points at two levels; the discrete metric's counts stay."""
    yield compared(
        "kernels on 5 points at e^ε = 3", 187, int(count_kernels(line(5), eps="ln 3")), erratum="E2"
    )
    yield compared("kernels on 5 points at e^ε = 2", 187, int(count_kernels(line(5), eps="ln 2")))
    yield extended(
        "kernels of 4 categories at e^ε = 2 and 3",
        [int(count_kernels(discrete(range(4)), eps=eps)) for eps in ("ln 2", "ln 3")],
    )


@item("erratum:E3", "The metric that tells two channels apart", "T §4.5.3")
def e3(_: Setting) -> Parts:
    """G and R of Ex 4.4."""
    d_a, d_b = distinguishability(G), distinguishability(R)
    shows = bool(privacy(G, d_a, eps=1)) and not privacy(R, d_a, eps=1)
    yield corrected(
        "the metric for which A is private and B is not",
        "d_B",
        "d_A",
        "E3",
        shows=shows and bool(privacy(R, d_b, eps=1)),
    )


@item("erratum:E4", "Lowering ε of an over-truncated geometric can refine", "T Lem 4.18")
def e4(_: Setting) -> Parts:
    """Inputs {0, 1}, outputs {1, 2}, α from 1/2 to 9/10."""
    A = over_truncated(line([0, 1]), [1, 2], eps=ln(2)).channel
    B = over_truncated(line([0, 1]), [1, 2], eps=ln(Q(10, 9))).channel
    verdict = refines(A, B)
    yield compared("A ⊑ B", "no", verdict, erratum="E4")
    yield extended(
        "by the post-processing R: A R = B",
        "yes",
        holds=verdict.R is not None and A @ verdict.R == B,
    )


@item("erratum:E5", "On three points the response refines the exponential", "T Thm 4.22, Table 4.3")
def e5(_: Setting) -> Parts:
    """At five levels."""
    for base in (Q(11, 10), Q(3, 2), Q(2), Q(5), Q(20)):
        E = exponent(3, base)
        a = true_factor(E)
        holds = refines(E, response(3, a), by="private")
        yield compared(f"E ⊑prv R on 3 points, e^ε = {a}", "no", holds, erratum="E5")


@item("erratum:E6", "Eight bits leak more than four", "T Ex 4.1.1")
def e6(_: Setting) -> Parts:
    """Secrets of 9 bits."""
    three, four = (
        mutual_information(deterministic(partial(and_, m), range(512)), prior=uniform(range(512)))
        for m in (255, 15)
    )
    yield corrected(
        "which leaks more", "P₄", f"P₃: {three} bits against {four}", "E6", shows=three > four
    )


@item("erratum:E7", "The last row of Table 5.1 is a ceiling", "T Table 5.1")
def e7(_: Setting) -> Parts:
    """What the mechanisms themselves tend to."""
    for name, (belief, rows) in scenarios().items():
        limit = count_scenario(belief, counted=[0], rows=rows, oblivious=math.inf).privacy_loss
        yield compared(f"privacy loss at ε = ∞, scenario {name}", "1.2607", limit, erratum="E7")


@item("erratum:E8", "A restriction need not be optimal", "T Cor 6.23")
def e8(_: Setting) -> Parts:
    """The geometric on {0, 1, 2} at ln 2, restricted to {0, 2}."""
    ends = [0, 2]
    restricted = geometric(line(3), eps="ln 2").channel.restrict(ends)
    (T,) = kernels(line(3).restrict(ends), eps="ln 2")
    ours, best = (
        posterior_uncertainty(C, prior=uniform(ends), loss=loss.identity(ends))
        for C in (restricted, T)
    )
    yield corrected(
        "Bayes risk of the restriction",
        "the least",
        f"{ours}; T has {best}",
        "E8",
        shows=best < ours,
    )


@item("erratum:E9", "Two losses without the prior's factor", "T §6.8.1")
def e9(_: Setting) -> Parts:
    """Telling tall from average."""
    u_r, u_k = tall_or_average()
    yield compared("loss of the response", "3/4", u_r, erratum="E9")
    yield compared("loss of the kernel", "2/3", u_k, erratum="E9")


@item("erratum:E10", "The factor of the geometric distribution", "T (7.4), (7.5)")
def e10(_: Setting) -> Parts:
    """Σ α^|n| over all integers is (1 + α)/(1 − α)."""
    alpha = Q(1, 2)
    series = 1 + 2 * alpha / (1 - alpha)
    inside = geometric(41, eps="ln 2").channel
    right = (1 - alpha) / (1 + alpha)
    yield corrected(
        "sum of all probabilities at α = 1/2",
        "1",
        f"{series / (1 + alpha)} with 1/(1+α), {right * series} with (1−α)/(1+α)",
        "E10",
        shows=series / (1 + alpha) == 2 and right * series == 1,
    )
    yield extended(
        "P(0) of the geometric mechanism far from the ends",
        inside[20, 20],
        holds=inside[20, 20] == right,
    )


@item("erratum:E11", "The atoms of the truncated Laplace", "T Def 7.4.3")
def e11(_: Setting) -> Parts:
    """x = 1, ε = 1: what lies between the ends, and the atoms."""
    x, eps = 1.0, 1.0
    between = (2 - math.exp(-eps * x) - math.exp(-eps * (1 - x))) / 2
    printed = between + (math.exp(eps * x) + math.exp(eps * (1 - x))) / 2
    right = between + (math.exp(-eps * x) + math.exp(-eps * (1 - x))) / 2
    yield corrected(
        "total probability at x = 1, ε = 1",
        "1",
        f"{printed:.4f} with the printed atoms, {right:.4f} with e^(−εx)/2 and e^(−ε(1−x))/2",
        "E11",
        shows=printed > 1 and abs(right - 1) < 1e-12,
    )
