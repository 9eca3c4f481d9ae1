"""Chapters 2 and 3 of the thesis: hypers, gains and d-private channels."""

import math
from fractions import Fraction as Q

from dprivacy.flow import gain, leakage, posterior_vulnerability, vulnerability
from dprivacy.model import Channel, Dist, push, uniform
from dprivacy.numbers import Level
from dprivacy.refine import refines
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import (
    Drawing,
    Parts,
    agrees,
    compared,
    corrected,
    extended,
    rounded,
)
from dprivacy.reproduce.items.source_channels import G, R, channel, table
from dprivacy.spaces import discrete, line, points
from dprivacy.verify import privacy, smallest_eps
from dprivacy.viz import plot_simplex

SECRETS = ["x1", "x2", "x3"]


@item("T:figure-2.1", "A hyper as weighted points of a triangle", "T Fig 2.1")
def figure_2_1(_: Setting) -> Parts:
    """Three posteriors of weight 1/3 that balance at the uniform prior."""
    C = channel("2/3 1/6 1/6; 1/6 2/3 1/6; 1/6 1/6 2/3", SECRETS)
    pushed = push(C, prior=uniform(SECRETS))
    yield compared("weights of the three posteriors", "1/3, 1/3, 1/3", list(pushed.outer.weights))
    yield compared("their centre of mass", "1/3, 1/3, 1/3", list(pushed.prior().weights))
    yield Drawing(
        "Three posteriors, equally likely, and the prior in the middle",
        lambda: plot_simplex({"posteriors": pushed}),
    )
    yield "The source does not print the posteriors; any three that are equally likely serve."


@item("T:example-2.2", "The gain of guessing a property", "T Ex 2.2")
def example_2_2(_: Setting) -> Parts:
    """Salaries above and below 50k."""
    salaries = ["10k", "20k", "60k", "100k"]
    g = gain.property(["60k", "100k"], salaries)
    low = frozenset(["10k", "20k"])
    yield corrected(
        "guessing {10k, 20k} when the salary is 10k",
        "the gain does not look at the guess",
        f"gain {g[low, '10k']}, and {g[low, '60k']} when it is 60k",
        "E23",
        shows=(g[low, "10k"], g[low, "60k"]) == (1, 0),
    )


@item("T:example-2.3", "Guessing close on a square", "T Ex 2.3")
def example_2_3(_: Setting) -> Parts:
    """Four corners, and the centre as a guess."""
    places = {"p1": (0, 0), "p2": (0, 1), "p3": (1, 1), "p4": (1, 0), "centre": ("1/2", "1/2")}
    square = points(list(places.values()), labels=list(places))
    corners = ["p1", "p2", "p3", "p4"]
    anywhere = gain.metric(square, secrets=corners)
    guesses = gain.metric(square, actions=corners, secrets=corners)
    best = float(vulnerability(uniform(corners), gain=anywhere))
    corner = float(vulnerability(uniform(corners), gain=guesses))
    centre = float(anywhere["centre", "p1"])
    yield compared("gain of the opposite corner", "0.00", float(guesses["p1", "p3"]))
    yield corrected(
        "gain of the centre", "1/√2", rounded(centre, 3), "E23", shows=abs(centre - 0.5) < 1e-12
    )
    yield extended(
        "worth of the centre against that of a corner",
        f"{best:.4f} > {corner:.4f}",
        holds=best > corner and abs(corner - (3 - math.sqrt(2)) / 4) < 1e-12,
    )


@item("T:section-2.2.3", "A rare disease and a good test", "T §2.2.3")
def rare_disease(_: Setting) -> Parts:
    """The same channel leaks under one prior and not under another."""
    C = channel("9/10 1/10; 1/10 9/10")
    guess = gain.identity([0, 1])
    rare = Dist([0, 1], ["99/100", "1/100"])
    yield compared(
        "chance of a right guess, uniform prior",
        "9/10",
        posterior_vulnerability(C, prior=uniform([0, 1]), gain=guess),
    )
    yield compared("leakage when one in a hundred is ill", "1", leakage(C, prior=rare, gain=guess))


@item("T:example-2.4", "Hypers that refine, and that do not", "T Ex 2.4")
def example_2_4(_: Setting) -> Parts:
    """C₂ ⊑ C₁ by merging two columns; nothing else among the three."""
    C = {
        "Δ1": channel("1/2 0 1/2; 0 1/2 1/2; 1/2 1/2 0", SECRETS),
        "Δ2": channel("1/2 0 0 1/2; 0 1/2 1/2 0; 1/2 1/2 0 0", SECRETS),
        "Δ3": channel("1/4 0 0 3/4; 0 3/4 1/4 0; 1/4 3/4 0 0", SECRETS),
    }
    weights = {"Δ1": "1/3, 1/3, 1/3", "Δ2": "1/3, 1/3, 1/6, 1/6", "Δ3": "1/6, 1/2, 1/12, 1/4"}
    yield from [
        compared(
            f"weights of {name}", said, list(push(C[name], prior=uniform(SECRETS)).outer.weights)
        )
        for name, said in weights.items()
    ]
    for a, b in [("Δ2", "Δ1"), ("Δ1", "Δ3"), ("Δ3", "Δ1"), ("Δ2", "Δ3"), ("Δ3", "Δ2")]:
        verdict = refines(C[a], C[b])
        yield compared(f"{a} ⊑ {b}", (a, b) == ("Δ2", "Δ1"), verdict)
    move = refines(C["Δ2"], C["Δ1"]).R
    yield compared("what merges into the last posterior of Δ1", "p3, p4", _merged(move))
    two = {name: C[name] for name in ("Δ2", "Δ1")}
    yield Drawing("Δ1 lies inside Δ2, and is a refinement of it", lambda: plot_simplex(two))
    yield Drawing(
        "Δ2 and Δ3 share their posteriors but not the weights",
        lambda: plot_simplex({name: C[name] for name in ("Δ2", "Δ3")}, hulls=False),
    )


def _merged(move: Channel | None) -> str:
    assert move is not None
    last = move.columns[-1]
    return ", ".join(f"p{k}" for k, y in enumerate(move.rows, 1) if move[y, last])


@item("T:example-3.1", "Four channels and their levels", "T Ex 3.1")
def example_3_1(_: Setting) -> Parts:
    """G, R, C and D on {0, 1, 2}."""
    lines_3, flat = line(3), discrete(range(3))
    C = Channel(range(3), ["y0", "y1"], table("3/5 2/5; 1/2 1/2; 1/4 3/4"))
    D = Channel(range(3), ["y0", "y1", "y2"], table("1/4 1/4 1/2; 1/4 1/4 1/2; 1/2 1/2 0"))
    tight = privacy(G, lines_3, eps="ln 2").tight
    adjacent = {frozenset((t.x, t.z)) for t in tight} == {frozenset((0, 1)), frozenset((1, 2))}
    worst = privacy(C, lines_3).worst
    assert worst is not None
    yield compared("ε of G on the line", "ln 2", smallest_eps(G, lines_3))
    yield compared("ε of R on the line", "ln 3", smallest_eps(R, lines_3))
    yield compared("ε of R on the discrete metric", "ln 3", smallest_eps(R, flat))
    yield compared("ε of C on the line", "ln 2", smallest_eps(C, lines_3))
    yield compared("where C's largest ratio is", "1, 2, y0", f"{worst.x}, {worst.z}, {worst.y}")
    yield agrees(
        "ε of D",
        "∞",
        "∞" if smallest_eps(D, lines_3) == math.inf else "finite",
        smallest_eps(D, lines_3) == math.inf,
    )
    yield corrected(
        "where G is tight",
        "on all pairs",
        "on adjacent inputs only",
        "E23",
        shows=adjacent and G[0, "y1"] == G[2, "y1"],
    )
    yield extended("ε of G on the discrete metric", smallest_eps(G, flat))
    yield extended("ε of C on the discrete metric", smallest_eps(C, flat))
    yield f"Every level is exact: e^ε of C is {Level('ln 2').exp()}, not about 2."


@item("T:section-2.2.6", "What 0/0 means for leakage", "T Def 2.2.6")
def nothing_over_nothing(_: Setting) -> Parts:
    """No gain before and none after: nothing leaked."""
    C = channel("1/2 1/2; 1/2 1/2")
    nothing = gain.matrix(["w"], [0, 1], [[0, 0]])
    value = leakage(C, prior=uniform([0, 1]), gain=nothing)
    yield compared("multiplicative leakage 0/0", "0", Q(value), erratum="E24")
