"""Chapter 8 of the thesis: statistics back out of noise."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from dprivacy.estimation import Known, climb, estimate, kantorovich
from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.model import Dist
from dprivacy.numbers import Floats
from dprivacy.reproduce.items.catalogue_items import Setting, item
from dprivacy.reproduce.items.compared_lines import (
    Drawing,
    Parts,
    agrees,
    compared,
    extended,
    written,
)
from dprivacy.reproduce.items.repeatable_draws import draws
from dprivacy.spaces import line
from dprivacy.viz import plot_convergence, plot_curves, plot_noise, plot_reconstruction

N = 101
SIZES = (1_000, 10_000, 50_000, 100_000)
RUNS, UPDATES = 10, 5000


@dataclass(frozen=True)
class Run:
    """One population through one mechanism, and what IBU makes of it."""

    truth: Floats
    noisy: Floats
    estimated: Floats
    distance: float


@cache
def _mechanisms() -> dict[str, Any]:
    return {
        "truncated geometric": geometric(N, eps="1/10 ln 2"),
        "randomised response": randomised_response(range(N), eps="ln 2"),
    }


def population(kind: str, size: int, key: str) -> Floats:
    """How many people have each value: binomial, or on four random points."""
    if kind == "binomial":
        law = np.array([math.comb(100, k) for k in range(N)], dtype=float)
    else:
        law = np.zeros(N)
        places = np.argsort(draws(N, f"{key}, places"))[:4]
        law[places] = -np.log1p(-draws(4, f"{key}, shares"))
    return counted(law, size, f"{key}, {kind}, {size}, people")


def counted(law: Floats, size: int, key: str) -> Floats:
    """So many independent draws from a law, as counts."""
    bins = np.cumsum(law / law.sum())
    places = np.searchsorted(bins, draws(size, key), side="right")
    return np.bincount(np.minimum(places, len(law) - 1), minlength=len(law)).astype(float)


@cache
def run(kind: str, name: str, size: int, number: int) -> Run:
    """One experiment."""
    mechanism = _mechanisms()[name]
    truth = population(kind, size, f"run {number}")
    rows = mechanism.channel.matrix.floats
    noisy = np.zeros(N)
    for x in np.flatnonzero(truth):
        noisy += counted(rows[x], int(truth[x]), f"run {number}, {name}, {kind}, {size}, {x}")
    reached = climb(
        Known(mechanism).operator,
        noisy / size,
        tolerance=-math.inf,
        max_iterations=UPDATES,
        accelerate=False,
    )
    distance = float(kantorovich(reached.p, truth / size, line(N)))
    return Run(truth / size, noisy / size, np.asarray(reached.p), distance)


def _means(setting: Setting) -> dict[str, list[tuple[float, float]]]:
    curves: dict[str, list[tuple[float, float]]] = {}
    for kind in ("binomial", "4-point"):
        for name in _mechanisms():
            setting.progress(f"{kind} populations through the {name}")
            curves[f"{name}, {kind}"] = [
                (size, sum(run(kind, name, size, k).distance for k in range(RUNS)) / RUNS)
                for size in SIZES
            ]
    return curves


@item("T:section-8.3.1", "An inversion that is not a distribution", "T §8.3.1")
def section_8_3_1(_: Setting) -> Parts:
    """q = (9/10, 1/10) through the response at ln 2."""
    R = randomised_response([0, 1], eps="ln 2")
    q = Dist([0, 1], ["9/10", "1/10"])
    inverse = estimate(R, q, n=10, estimator="inverse")
    likeliest = estimate(R, q, n=10)
    values = [f"{float(v):.4f}" for v in likeliest.distribution.values()]
    yield compared("q R⁻¹", "17/10, -7/10", list(inverse.distribution.values()))
    yield extended(
        "the likeliest distribution", written(values), holds=values == ["1.0000", "0.0000"]
    )


@item("T:figure-8.1", "Two mechanisms with one promise within 10", "T Fig 8.1")
def figure_8_1(_: Setting) -> Parts:
    """ln 2/10 a step against ln 2 everywhere."""
    two = _mechanisms()
    g, r = (mechanism.channel for mechanism in two.values())
    yield compared("ratio at 10 steps, geometric", "2.000000", float(g[50, 50] / g[60, 50]))
    yield compared("ratio at 10 steps, response", "2", r[50, 50] / r[60, 50])
    yield compared("ratio at 40 steps, response", "2", r[50, 50] / r[90, 50])
    yield extended("ratio at 40 steps, geometric", f"{float(g[50, 50] / g[90, 50]):.4f}")
    yield Drawing("Answers when the truth is 50", lambda: plot_noise(two, at=50, within=10))


@item("T:figure-8.2", "Distributions reconstructed from noise", "T Fig 8.2")
def figure_8_2(_: Setting) -> Parts:
    """100,000 people, two populations, two mechanisms."""

    def drawn(kind: str, name: str) -> Drawing:
        one = run(kind, name, 100_000, 0)

        def listed(values: Floats) -> dict[int, float]:
            return dict(enumerate(values.tolist()))

        return Drawing(
            f"{kind.capitalize()} population, {name}",
            lambda: plot_reconstruction(
                listed(one.truth), listed(one.noisy), listed(one.estimated)
            ),
        )

    for kind in ("binomial", "4-point"):
        near, far = (run(kind, name, 100_000, 0).distance for name in _mechanisms())
        said = f"{near:.3f} against {far:.3f}"
        yield agrees(f"{kind}: which is nearer (Kantorovich)", "the geometric", said, near < far)
        near, far = (_variation(run(kind, name, 100_000, 0)) for name in _mechanisms())
        said = f"{near:.3f} and {far:.3f}"
        yield extended(f"{kind}: total variation, geometric and response", said)
    kinds = [(kind, name) for kind in ("binomial", "4-point") for name in _mechanisms()]
    yield from (drawn(kind, name) for kind, name in kinds)


def _variation(one: Run) -> float:
    return float(np.abs(one.estimated - one.truth).sum() / 2)


@item("T:figure-8.3", "How far the reconstruction is from the truth", "T Fig 8.3")
def figure_8_3(setting: Setting) -> Parts:
    """Ten runs of 5000 updates for each size and population, as the source did it."""
    curves = _means(setting)
    for kind in ("binomial", "4-point"):
        ours, theirs = (curves[f"{name}, {kind}"] for name in _mechanisms())
        for (size, near), (_, far) in zip(ours, theirs, strict=True):
            yield agrees(
                f"{kind}, {size:,} people: which is nearer",
                "the geometric",
                f"{near:.3f} against {far:.3f}",
                near < far,
            )
    yield Drawing(
        "Kantorovich distance from the truth",
        lambda: plot_curves(
            {name: [(x / 1000, y) for x, y in points] for name, points in curves.items()},
            x="people, in thousands",
            y="Kantorovich distance",
        ),
    )


@item("T:figure-8.4", "How fast the likelihood climbs", "T Fig 8.4")
def figure_8_4(_: Setting) -> Parts:
    """The geometric is nearly there after ten updates, the response is not."""
    traces: dict[str, list[float]] = {}
    share = {}
    for name, mechanism in _mechanisms().items():
        q = run("binomial", name, 100_000, 0).noisy
        C = mechanism.channel.matrix.floats
        reached = climb(Known(mechanism).operator, q, tolerance=1e-9, max_iterations=50_000)
        best, climbed = float(q @ np.log(reached.p @ C)), likelihoods(C, q, 200)
        traces[name] = [(best - value) / (best - climbed[0]) for value in climbed]
        share[name] = 1 - traces[name][10]
    quick, slow = share.values()
    yield agrees(
        "convergence, geometric", "quick", f"{quick:.0%} of the way after 10 updates", quick > 0.9
    )
    yield agrees(
        "convergence, response",
        "almost flat",
        f"{slow:.0%} of the way after 10 updates",
        slow < 0.5,
    )
    yield Drawing(
        "What is still missing of the log-likelihood",
        lambda: plot_convergence(traces, y="log-likelihood still missing, as a share"),
    )


def likelihoods(C: Floats, q: Floats, updates: int) -> list[float]:
    """The mean log-likelihood at the start and after each plain update [T Def 8.3.1]."""
    p = np.full(len(C), 1 / len(C))
    values = []
    for _ in range(updates + 1):
        seen = p @ C
        values.append(float(q @ np.log(seen)))
        p = p * (C @ (q / seen))
    return values
