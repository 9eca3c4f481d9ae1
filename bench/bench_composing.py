"""Composition: certified loss distributions beside dp_accounting's two estimates, and exact values.

dp_accounting rounds its losses up (pessimistic) or down (optimistic) to a grid; the truth lies between
the two, up to the rounding of its convolutions. Ours must lie between them too, and never below an
exact value where one is known: products of pairs in Fractions, and optimal composition in closed form.

    python bench/bench_composing.py
"""

import math
import random
from collections.abc import Callable
from fractions import Fraction
from functools import partial, reduce
from importlib.metadata import version

import numpy as np
from timing import best_of_each

from dprivacy.mechanisms import randomised_response
from dprivacy.numbers import Level, ln
from dprivacy.verify import compose

CASES = [  # (values, level, times) of each response, δ
    ([(2, "ln 3", 10)], "1e-6"),
    ([(2, "ln 3", 100)], "1e-6"),
    ([(4, "ln 3", 30)], "1e-6"),
    ([(20, "1", 30)], "1e-9"),
    ([(2, "1/10", 1000)], "1e-6"),
    ([(3, "1/50", 5000)], "1e-6"),
    ([(4, "ln 3", 12), (2, "1/7", 52), (9, "1/3", 24)], "1e-6"),
]
INTERVAL = 1e-4  # dp_accounting's grid, its default
PRODUCTS = 60  # each at four levels


def peer(parts: list[tuple[int, str, int]], delta: str, *, pessimistic: bool) -> float:
    """ε by dp_accounting: its pair of laws for k-ary response, composed."""
    from dp_accounting.pld import privacy_loss_distribution as pld

    laws = []
    for k, level, times in parts:
        e = math.exp(float(Level(level)))
        true, false = math.log(e / (e + k - 1)), math.log(1 / (e + k - 1))
        rest = {2: math.log(k - 2) + false} if k > 2 else {}
        law = pld.from_two_probability_mass_functions(
            {0: false, 1: true} | rest,
            {0: true, 1: false} | rest,
            pessimistic_estimate=pessimistic,
            value_discretization_interval=INTERVAL,
            symmetric=True,
        )
        laws.append(law.self_compose(times))
    whole = reduce(lambda one, two: one.compose(two), laws)
    return float(whole.get_epsilon_for_delta(float(Fraction(delta))))


def ours(parts: list[tuple[int, str, int]], delta: str) -> float:
    releases = []
    for k, level, times in parts:
        releases += [randomised_response(range(k), eps=level)] * times
    return float(compose(releases, delta=delta).eps)


def against_the_peer() -> None:
    print(f"dp_accounting {version('dp-accounting')}, CPU seconds, best of three")
    for parts, delta in CASES:
        runs: dict[str, Callable[[], object]] = {
            "ours": partial(ours, parts, delta),
            "high": partial(peer, parts, delta, pessimistic=True),
            "low": partial(peer, parts, delta, pessimistic=False),
        }
        spent, found = best_of_each(runs)
        mine, high, low = (float(found[name]) for name in ("ours", "high", "low"))  # type: ignore[arg-type]
        slack = 1e-6 * mine  # the peer adds up doubles
        where = (
            "ABOVE" if mine > high + slack else "below both" if mine < low - slack else "between"
        )
        name = " + ".join(f"{k}-ary {level} ×{times}" for k, level, times in parts)
        print(f"  {name}, δ = {delta}")
        print(
            f"    ours {mine:.6f}, peer {low:.6f} … {high:.6f}: {where}; "
            f"{spent['ours'] * 1e3:.1f} ms, ratio peer/ours {spent['high'] / spent['ours']:.1f}×"
        )


def exact_delta(pairs: list[list[tuple[Fraction, Fraction]]], a: Fraction) -> Fraction:
    """δ of a product at e^ε = a, by enumerating it in Fractions."""
    whole = [(Fraction(1), Fraction(1))]
    for pair in pairs:
        whole = [(p * u, q * v) for p, q in whole for u, v in pair]
    return sum((max(p - a * q, Fraction(0)) for p, q in whole), Fraction(0))


def against_exact_values() -> None:
    rng = random.Random(11)
    below, largest, cases = 0, 0.0, 0
    for _ in range(PRODUCTS):
        channels = []
        for _ in range(rng.choice([1, 2, 3, 5, 6])):
            weights = [[rng.randint(1, 9) for _ in range(rng.choice([2, 3]))] for _ in "P"]
            weights.append([rng.randint(1, 9) for _ in weights[0]])
            channels.append([[Fraction(w, sum(row)) for w in row] for row in weights])
        pairs = {
            order: [list(zip(rows[order[0]], rows[order[1]], strict=True)) for rows in channels]
            for order in ((0, 1), (1, 0))
        }
        for a in (Fraction(1), Fraction(11, 10), Fraction(2), Fraction(7)):
            true = max(exact_delta(pair, a) for pair in pairs.values())
            bound = Fraction(compose(channels, eps=ln(a), same_value=True).delta)
            cases += 1
            below += bound < true
            largest = max(largest, float(bound / true) - 1 if true else 0.0)
    print(f"{cases} exact products: {below} below the truth, largest excess of δ {largest:.1e}")
    k, e, delta = 40, Fraction(3, 2), Fraction(1, 10**4)
    worst = 0.0
    for i in range(k // 2 + 1):
        a = e ** (k - 2 * i)
        told = sum(math.comb(k, j) * (e ** (k - j) - a * e**j) for j in range(i)) / (1 + e) ** k
        true = 1 - (1 - delta) ** k * (1 - told)
        bound = Fraction(compose([(ln(e), delta)], eps=ln(a), times=k).delta)
        assert bound >= true
        worst = max(worst, float(bound / true) - 1)
    print(f"closed form of optimal composition, {k} releases: largest excess of δ {worst:.1e}")


def main() -> None:
    print(f"numpy {np.__version__}")
    against_exact_values()
    try:
        version("dp-accounting")
    except ModuleNotFoundError:
        print("no comparison with dp_accounting: it is not installed (bench/requirements.txt)")
        return
    against_the_peer()


if __name__ == "__main__":
    main()
