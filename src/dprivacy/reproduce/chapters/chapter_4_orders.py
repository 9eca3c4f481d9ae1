"""Chapter 4 of the thesis: families of mechanisms in the three orders, as tables and as Fig 4.5."""

import math
from collections.abc import Callable
from fractions import Fraction, Fraction as Q
from functools import cache
from itertools import pairwise

from dprivacy.mechanisms import over_truncated
from dprivacy.model import Channel
from dprivacy.numbers import ln
from dprivacy.refine import refines
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import Drawing, Parts, compared, extended
from dprivacy.reproduce.items.source_channels import exponent, response, true_factor, truncated
from dprivacy.spaces import line
from dprivacy.typing import Order
from dprivacy.viz import plot_refinement_frontier

Family = Callable[[int, Fraction], Channel]

ORDERS: dict[str, Order] = {"⊑": "average", "⊑max": "max", "⊑prv": "private"}
FAMILIES: dict[str, Family] = {"TG": truncated, "R": response, "E": exponent}
NAMES = {"TG": "truncated geometric", "R": "randomised response", "E": "exponential"}


def _wide(n: int, a: Fraction) -> Channel:
    """The infinite geometric: outputs far beyond the inputs; more of them change nothing [Lem 4.15]."""
    return over_truncated(n, range(-3, n + 3), eps=ln(a)).channel


def _cut(n: int, a: Fraction) -> Channel:
    return over_truncated(line(range(1, n + 1)), range(1, n), eps=ln(a)).channel


@item("T:table-4.2", "Families at decreasing ε", "T Table 4.2")
def table_4_2(_: Setting) -> Parts:
    """Four points, four levels each; N is shown by a counter-example, Y by proofs at each pair."""
    families: dict[str, tuple[Family, str]] = {
        "Geometric": (_wide, "YYY"),
        "Truncated geometric": (truncated, "YYY"),
        "Over-truncated geometric": (_cut, "NNY"),
        "Exponential": (exponent, "YYY"),
        "Randomised response": (response, "YYY"),
    }
    levels = [Q(7), Q(2), Q(3, 2), Q(11, 10)]
    for name, (family, printed) in families.items():
        n = 3 if family is _cut else 4
        steps = [(Q(4), Q(2))] if family is _cut else list(pairwise(levels))
        for (order, by), said in zip(ORDERS.items(), printed, strict=True):
            ours = all(refines(family(n, high), family(n, low), by=by) for high, low in steps)
            yield compared(f"{name}, {order}", said, "Y" if ours else "N")
    yield (
        "Proved exactly for e^ε = 7, 2, 3/2 and 11/10 on four points; for the over-truncated "
        "geometric from 4 to 2 on three, the source's example."
    )
    yield "Lowering ε always refines the exponential too (Conjecture 4.20, proved for lines)."


_TABLE_4_3 = {
    ("TG", "R"): "NNY",
    ("R", "TG"): "NNN",
    ("TG", "E"): "NNY",
    ("E", "TG"): "NNN",
    ("R", "E"): "NNN",
    ("E", "R"): "NNN",
}


def _same_level(n: int, base: Fraction) -> dict[str, Channel]:
    E = exponent(n, base)
    a = true_factor(E)
    return {"TG": truncated(n, a), "R": response(n, a), "E": E, "G": _wide(n, a)}


@item("T:table-4.3", "Families at the same ε", "T Table 4.3")
def table_4_3(_: Setting) -> Parts:
    """All ten rows on four points; on three points the last differs."""
    four = _same_level(4, Q(2))
    for first, second in [*_TABLE_4_3, ("G", "R"), ("R", "G"), ("G", "E"), ("E", "G")]:
        printed = _TABLE_4_3[_cut_to_size(first), _cut_to_size(second)]
        for (order, by), said in zip(ORDERS.items(), printed, strict=True):
            ours = refines(four[first], four[second], by=by)
            yield compared(f"{first} {order} {second}", said == "Y", ours)
    three = _same_level(3, Q(2))
    ours = refines(three["E"], three["R"], by="private")
    yield compared("E ⊑prv R on three points", "no", ours, erratum="E5")
    yield "Four points, e^(ε/2) = 2 for the exponential; levels are true ones."


def _cut_to_size(family: str) -> str:
    """The geometric and its truncation leak the same, and the table has the same rows for both."""
    return "TG" if family == "G" else family


@item("T:table-4.4", "Families at differing ε", "T Table 4.4")
def table_4_4(_: Setting) -> Parts:
    """No refinement at once below ε₁, but below a threshold."""
    n = 4
    for first, second in _TABLE_4_3:
        strong = FAMILIES[first](n, Q(3))
        just_below = true_factor(strong) - Q(1, 100)
        weak = _at_level(second, n, just_below)
        for order, by in ORDERS.items():
            said = order == "⊑prv" and first == "TG"
            what = f"{first} {order} {second}, ε₂ just below ε₁"
            yield compared(what, said, refines(strong, weak, by=by))
        far = refines(strong, _at_level(second, n, Q(1001, 1000)))
        yield compared(f"{first} ⊑ {second}, ε₂ = ln 1.001", "no", far, erratum="E28")
    alpha = Q(1, 3)
    odds = alpha / (1 - alpha) ** 2
    edge, hair = odds / (1 + odds), Q(1, 10**12)
    at = refines(truncated(n, 1 / alpha), response(n, 1 / edge))
    under = refines(truncated(n, 1 / alpha), response(n, 1 / (edge - hair)))
    yield extended(
        "TG ⊑ R from α₁ = 1/3",
        f"exactly for α₂ ≥ {edge}: α₂/(1−α₂) ≥ α₁/(1−α₁)²",
        holds=bool(at) and not under,
    )


def _at_level(family: str, n: int, a: Fraction) -> Channel:
    """The family's channel whose true level is about ln a, or exactly."""
    if family != "E":
        return FAMILIES[family](n, a)
    low, high = Q(1), a
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if true_factor(exponent(n, middle)) <= a else (low, middle)
    return exponent(n, low if low > 1 else Q(1000001, 1000000))


@cache
def _frontier(first: str, second: str) -> tuple[tuple[float, float], ...]:
    """(ε₁, ε₂) with ε₂ the largest level of the second family that refines the first."""
    points = []
    for k in (1, 2, 4, 6, 8, 10):
        strong = _at_level(first, 5, Q(math.exp(k / 2)).limit_denominator(100))
        top = true_factor(strong)
        low, high = Q(1), top
        for _ in range(10):
            middle = Q(math.sqrt(low * high)).limit_denominator(4096)
            weak = _at_level(second, 5, middle)
            low, high = (middle, high) if refines(strong, weak) else (low, middle)
        points.append((math.log(top), math.log(low)))
    return tuple(points)


@item("T:figure-4.5", "At which level one family refines another", "T Fig 4.5")
def figure_4_5(setting: Setting) -> Parts:
    """Bisection with proved verdicts on 5 × 5 channels."""
    TG = truncated(5, Q(math.exp(4)).limit_denominator(10**9))
    RR = response(5, Q(math.exp(4)).limit_denominator(10**9))
    up = _threshold(lambda a: bool(refines(TG, response(5, a))), Q(40), Q(60))
    down = _threshold(lambda a: bool(refines(RR, truncated(5, a))), Q(2), Q(3))

    def drawn(first: str) -> Drawing:
        others = [name for name in FAMILIES if name != first]
        return Drawing(
            f"Refining the {NAMES[first]}",
            lambda: plot_refinement_frontier(
                {NAMES[other]: _frontier(first, other) for other in others},
                of=f"the {NAMES[first]}",
            ),
        )

    setting.progress("thresholds between families")
    yield compared("largest ε₂ with TG at 4 ⊑ R at ε₂ (printed: about 4)", "4.0", up)
    yield compared(
        "largest ε₂ with R at 4 ⊑ TG at ε₂ (printed: about 1)", "1.000", down, erratum="E33"
    )
    yield extended("the first of them, closer", f"{up:.5f}")
    yield from (drawn(first) for first in FAMILIES)


def _threshold(holds: Callable[[Fraction], bool], low: Fraction, high: Fraction) -> float:
    for _ in range(18):
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return math.log(low)
