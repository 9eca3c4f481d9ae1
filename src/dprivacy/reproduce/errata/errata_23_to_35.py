"""Errata E23 to E35, each with its counter-example computed."""

import math
from fractions import Fraction as Q
from itertools import product

from dprivacy.design import laplace_loss, optimal
from dprivacy.errors import NotStochastic
from dprivacy.flow import gain, is_monotonic, loss
from dprivacy.mechanisms import any_metric
from dprivacy.model import Channel
from dprivacy.numbers import Level
from dprivacy.refine import refines
from dprivacy.reproduce.chapters.chapter_5 import ceiling
from dprivacy.reproduce.chapters.chapters_2_3 import nothing_over_nothing
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Parts, compared, corrected, extended
from dprivacy.reproduce.items.source_channels import (
    G,
    channel,
    response,
    truncated,
    worth,
)
from dprivacy.spaces import FiniteSpace, from_table, line, points, quantised
from dprivacy.verify import binomial_tail_bound, distinguishability, privacy


@item("erratum:E23", "A guess, a centre and tightness", "T Ex 2.2, 2.3, 3.1")
def e23(_: Setting) -> Parts:
    """Three small slips."""
    salaries = ["10k", "20k", "60k", "100k"]
    g = gain.property(["60k", "100k"], salaries)
    low = frozenset(["10k", "20k"])
    corners = [(0, 0), (0, 1), (1, 1), (1, 0)]
    square = points([*corners, ("1/2", "1/2")], labels=["p1", "p2", "p3", "p4", "centre"])
    centre = float(gain.metric(square, secrets=["p1", "p2", "p3", "p4"])["centre", "p1"])
    tight = {frozenset((t.x, t.z)) for t in privacy(G, line(3), eps="ln 2").tight}
    yield corrected(
        "gain of guessing 'low' for 10k and for 60k",
        "1 and 1",
        f"{g[low, '10k']} and {g[low, '60k']}",
        "E23",
        shows=(g[low, "10k"], g[low, "60k"]) == (1, 0),
    )
    yield corrected(
        "gain of the centre", "1/√2", f"{centre:.3f}", "E23", shows=abs(centre - 0.5) < 1e-12
    )
    yield corrected(
        "G is tight on",
        "all pairs",
        "adjacent inputs",
        "E23",
        shows=frozenset((0, 2)) not in tight and len(tight) > 1,
    )


@item("erratum:E24", "Nothing over nothing", "T Def 2.2.6")
def e24(setting: Setting) -> Parts:
    """A gain that is always 0."""
    yield from nothing_over_nothing(setting).lines


@item("erratum:E25", "The infinite geometric at α = 1", "T Def 3.4.1")
def e25(_: Setting) -> Parts:
    """All probabilities would be 0."""
    factor = (1 - Q(1)) / (1 + Q(1))
    yield corrected(
        "factor (1−α)/(1+α) at α = 1",
        "allowed",
        f"{factor}: nothing sums to 1",
        "E25",
        shows=factor == 0,
    )


@item("erratum:E26", "The normaliser and its reciprocal", "C Prop 1")
def e26(_: Setting) -> Parts:
    """m = 2, n = 2, e^k = 5/2."""
    base, m, n = Q(5, 2), 2, 2
    total = sum(Q(1) / base ** sum(map(bool, d)) for d in product(range(m + 1), repeat=n))
    printed = (1 + m / base) ** -n
    yield corrected(
        "normaliser of Def 4",
        str(printed),
        str(total),
        "E26",
        shows=total == 1 / printed != printed,
    )


@item("erratum:E27", "A gain below zero", "T Thm 4.12")
def e27(_: Setting) -> Parts:
    """A says nothing, B everything: B* has all entries 1/2."""
    A, B = channel("1 0; 1 0"), channel("1 0; 0 1")
    least = min(v - Q(1, 2) for row in B.matrix.rows() for v in row)
    verdict = refines(A, B)
    assert verdict.gain is not None
    entries = [verdict.gain[w, x] for w in verdict.gain.actions for x in verdict.gain.secrets]
    tells = worth(verdict.gain, A) < worth(verdict.gain, B)
    yield corrected("smallest entry of B − B*", "at least 0", str(least), "E27", shows=least < 0)
    yield extended(
        "smallest entry of the gain we give", min(entries), holds=min(entries) >= 0 and tells
    )


@item("erratum:E28", "Each pair of families has a threshold", "T Table 4.4")
def e28(_: Setting) -> Parts:
    """TG ⊑ R exactly when α₂/(1−α₂) ≥ α₁/(1−α₁)²."""
    for n, alpha in ((3, Q(1, 3)), (5, Q(1, 2)), (4, Q(9, 10))):
        odds = alpha / (1 - alpha) ** 2
        edge, hair = odds / (1 + odds), Q(1, 10**20)
        at, under = (
            bool(refines(truncated(n, 1 / alpha), response(n, 1 / a))) for a in (edge, edge - hair)
        )
        yield compared(f"TG ⊑ R, n = {n}, α₁ = {alpha}, α₂ = {edge}", "no", at, erratum="E28")
        yield extended("a hair below", under, holds=not under)


@item("erratum:E29", "A channel for any metric", "T Lem 4.14")
def e29(_: Setting) -> Parts:
    """Distances ln 2, ln 3 and ln 4; the scale 1/e is made 7/19."""
    names, far = ["a", "b", "c"], {"ab": Q(2), "ac": Q(3), "bc": Q(4)}
    d = from_table(names, [[0, "ln 2", "ln 3"], ["ln 2", 0, "ln 4"], ["ln 3", "ln 4", 0]])
    body = [
        [Q(7, 57) / (1 if x == y else far["".join(sorted(x + y))]) for y in names] for x in names
    ]
    right = Channel(names, [*names, "⊥"], [[*row, 1 - sum(row)] for row in body])
    printed = [[*row, 1 - 3 * Q(7, 57)] for row in body]  # the term with x′ = x, for every y
    yield corrected(
        "rows with the printed column of ⊥",
        "sum to 1",
        "do not; with the sum over y they do",
        "E29",
        shows=_refused(names, printed),
    )
    yield extended("d_C = d exactly", "yes", holds=distinguishability(right) == d)
    yield extended(
        "and for the library's own", "d_C ≤ d", holds=_below(any_metric(d, eps=1).channel, d)
    )


def _refused(names: list[str], rows: list[list[Q]]) -> bool:
    try:
        Channel(names, [*names, "⊥"], rows)
    except NotStochastic:
        return True
    return False


def _below(C: Channel, d: FiniteSpace) -> bool:
    own = distinguishability(C)
    pairs = [(x, z) for x in d.labels for z in d.labels if x != z]
    return all(Level(own.distance(x, z)) <= Level(d.distance(x, z)) for x, z in pairs)


@item("erratum:E30", "The likeliest, not the least likely", "T Remark 6.2.1")
def e30(_: Setting) -> Parts:
    """The geometric's output y0."""
    column = {x: G[x, "y0"] for x in range(3)}
    least, most = min(column, key=lambda x: column[x]), max(column, key=lambda x: column[x])
    yield corrected(
        "the likeliest input for output y0 of G",
        f"argmin: {least}",
        f"argmax: {most}",
        "E30",
        shows=(least, most) == (2, 0),
    )


@item("erratum:E31", "Values of α that were cut off", "T Table 10.2")
def e31(_: Setting) -> Parts:
    """Rounded down, α no longer bounds the chance by 0.01."""
    from dprivacy.reproduce.chapters.chapter_10 import BITS, TABLE_10_2

    bounds = [
        binomial_tail_bound(bits, distance, printed)
        for distance, row in TABLE_10_2.items()
        for bits, printed in zip(BITS, row.split(), strict=True)
    ]
    over = sum(bound > 0.01 for bound in bounds)
    yield corrected(
        "entries whose δ is above 0.01",
        f"0 of {len(bounds)}",
        f"{over} of {len(bounds)}",
        "E31",
        shows=over == len(bounds) - 1,
    )
    yield extended("the largest δ among them", f"{max(bounds):.6f}")


@item("erratum:E32", "A restricted loss may have nowhere to stand", "T Property 11")
def e32(_: Setting) -> Parts:
    """|w − x| on {0, 1, 2}, restricted to the secrets {0, 2}."""
    space, kept = line(3), [0, 2]
    whole = loss.metric(space)
    part = loss.matrix(range(3), kept, [[whole[w, x] for x in kept] for w in range(3)])
    yield compared("|w − x| is monotonic on {0, 1, 2}", "yes", is_monotonic(whole, space))
    yield compared(
        "its restriction is monotonic on {0, 2}",
        "yes",
        is_monotonic(part, space.restrict(kept)),
        erratum="E32",
    )
    yield extended(
        "with α into the whole space",
        is_monotonic(part, space),
        holds=bool(is_monotonic(part, space)),
    )


@item("erratum:E33", "How low the geometric must go to refine the response", "T Fig 4.5, §4.7.4")
def e33(_: Setting) -> Parts:
    """R at 4, five points."""
    RR = response(5, Q(math.exp(4)).limit_denominator(10**9))
    at_one = refines(RR, truncated(5, Q(math.e).limit_denominator(10**6)))
    below, above = (bool(refines(RR, truncated(5, Q(a)))) for a in ("2.430", "2.431"))
    yield compared("R at ε = 4 ⊑ TG at ε = 1", "yes", at_one, erratum="E33")
    yield extended(
        "the threshold ε₂ lies between",
        f"{math.log(2.430):.4f} and {math.log(2.431):.4f}",
        holds=below and not above,
    )


@item("erratum:E34", "A last digit that was cut off", "T Table 5.1")
def e34(_: Setting) -> Parts:
    """11710/9288 is 1.26077…, so 1.2608 when rounded."""
    yield compared("the ceiling 11710/9288", "1.2607", ceiling(), erratum="E34")
    yield extended("exactly", ceiling(), holds=ceiling() == Q(11710, 9288))


@item("erratum:E35", "Losses in steps on an interval", "T §7.7, §7.8")
def e35(_: Setting) -> Parts:
    """The Laplace is optimal for losses in N steps too, where privacy is asked on all points."""
    ratios = []
    for points_apart in (20, 40):
        places = quantised(0, 1, Q(1, points_apart))
        table = loss.function(
            [0, Q(1, 2), 1], places.labels, lambda w, x: abs(w - Q(int(2 * x), 2))
        )
        best = float(optimal(places, eps=2, loss=table).loss)
        laplace = float(laplace_loss(points_apart, eps=2, loss=table)[1])
        ratios.append(laplace / best)
        yield extended(
            f"least private loss and the Laplace's on {points_apart + 1} points",
            f"{best:.6f}, {laplace:.6f}",
            holds=best <= laplace < 1.001 * best,
        )
    yield corrected(
        "the Laplace for |w − ⌊2x⌋/2|, private on all points",
        "not optimal",
        "optimal in the limit of many points",
        "E35",
        shows=1 <= ratios[1] < ratios[0] < 1.001,
    )
