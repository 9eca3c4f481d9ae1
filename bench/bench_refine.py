"""Refinement with its witness, against qif in the same run; who is right where they differ."""

import time
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import qif
from timing import best_of

import dprivacy as dp
from dprivacy.refine import refines


def timed(run: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    """The shortest wall time of a few runs, and the last answer."""
    return best_of(run, times, time.perf_counter)


def truncated_geometric(n: int, eps: float) -> np.ndarray:
    a = np.exp(-eps)
    distance = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    weight = np.full(n, (1 - a) / (1 + a))
    weight[[0, -1]] = 1 / (1 + a)
    return a**distance * weight


def line(name: str, theirs: float, ours: float, rest: str) -> None:
    print(
        f"{name:44s} qif {theirs * 1e3:9.1f} ms   ours {ours * 1e3:9.1f} ms   "
        f"ratio {theirs / ours:8.1f}×   {rest}",
        flush=True,
    )


def geometric_channels(n: int) -> None:
    sharp, blunt = truncated_geometric(n, 1.0), truncated_geometric(n, 0.5)
    theirs, (yes, _, R) = timed(lambda: qif.refinement.refined_by_witness(sharp, blunt))
    ours, verdict = timed(lambda: refines(sharp, blunt), 2)
    assert bool(yes) is True
    assert verdict.holds is True
    wrong = np.abs(sharp @ R - blunt).max() if R.size else np.nan
    line(
        f"n={n:4d} refined, witness R",
        theirs,
        ours,
        f"|AR−B|: qif {wrong:.0e}, ours {verdict.residual:.0e} ({verdict.status})",
    )
    theirs, (no, gain, _) = timed(lambda: qif.refinement.refined_by_witness(blunt, sharp))
    ours, verdict = timed(lambda: refines(blunt, sharp), 2)
    assert bool(no) is False
    assert verdict.holds is False
    line(
        f"n={n:4d} not refined, counter-example",
        theirs,
        ours,
        f"gap: qif {_gap(gain, blunt, sharp):.1e}, ours {verdict.after - verdict.before:.1e} "
        f"({verdict.status})",
    )


def _gap(gain: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """V_g(B) − V_g(A), uniform prior, with the gain shifted and scaled into [0, 1]."""
    if not gain.size:
        return float("nan")
    scaled = (gain - gain.min()) / (gain.max() - gain.min())
    return float(((scaled @ b).max(axis=0).sum() - (scaled @ a).max(axis=0).sum()) / len(a))


def certified_channels(n: int) -> None:
    sharp, blunt = (dp.geometric(n, eps=e).channel for e in ("1", "1/2"))
    rational, lower = (dp.geometric(n, eps=e).channel for e in ("ln 2", "ln(3/2)"))
    for name, a, b in [("ε = 1 → 1/2", sharp, blunt), ("ε = ln 2 → ln 3/2", rational, lower)]:
        spent, verdict = timed(lambda a=a, b=b: refines(a, b))
        back, refuted = timed(lambda a=a, b=b: refines(b, a))
        assert (verdict.status, refuted.status) == ("proved", "refuted")
        print(
            f"n={n:4d} exact, {name:18s} proved in {spent * 1e3:8.1f} ms "
            f"(|AR−B| = {verdict.residual:.0e}), refuted in {back * 1e3:7.1f} ms"
        )


def dependent_columns(n: int, m: int, k: int) -> None:
    rng = np.random.default_rng(0)
    a = rng.dirichlet(np.full(m, 0.5), n)
    good = a @ rng.dirichlet(np.ones(k), m)
    bad = 0.3 * good + 0.7 * rng.dirichlet(np.full(k, 0.5), n)
    for name, b, expected in [("refined", good, True), ("not refined", bad, False)]:
        theirs, (answer, _, _) = timed(lambda b=b: qif.refinement.refined_by_witness(a, b))
        ours, verdict = timed(lambda b=b: refines(a, b), 2)
        said = "agree" if bool(answer) == expected else "qif is wrong"
        assert verdict.holds is expected
        line(f"{n}×{m} → {k}, {name}", theirs, ours, f"{said}; |AR−B| ours {verdict.residual:.0e}")
        theirs, answer = timed(lambda b=b: qif.refinement.max_refined_by(a, b))
        ours, verdict = timed(lambda b=b: refines(a, b, by="max"), 2)
        said = "agree" if bool(answer) == bool(verdict) else f"qif {bool(answer)}"
        line(f"{n}×{m} → {k}, {name}, max case", theirs, ours, f"{said} ({verdict.status})")


def a_hair() -> None:
    """Channels that differ by e on the diagonal: never a refinement in the sharper direction."""
    A = [["1/2", "1/2"], ["1/4", "3/4"]]
    for power in (3, 5, 7, 9, 12, 15):
        e = Fraction(1, 10**power)
        B = dp.as_channel(
            [[Fraction(1, 2) + e, Fraction(1, 2) - e], [Fraction(1, 4) - e, Fraction(3, 4) + e]]
        )
        theirs = qif.refinement.refined_by(dp.as_channel(A).matrix.floats, B.matrix.floats)
        ours = refines(A, B)
        print(
            f"e = 1e-{power:<3d} qif says {bool(theirs)!s:5s}  ours {ours.status} (the truth: refuted)"
        )


if __name__ == "__main__":
    print(f"qif {qif.__version__}, numpy {np.__version__}")
    for size in (20, 50, 100, 200):
        geometric_channels(size)
    for size in (20, 50, 100):
        certified_channels(size)
    for shape in ((10, 20, 20), (20, 30, 30), (30, 50, 50)):
        dependent_columns(*shape)
    a_hair()
