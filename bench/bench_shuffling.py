"""Shuffled reports: the numbers that were worked out beforehand, the gap to attacks, and CPU time.

The printed numbers come from another program, which looked for ε in steps of up to 0.5 % where there
are two outputs. Ours must not be above them by more than their last digit; for two outputs it is a
little below. No peer computes a bound for a given channel.

    python bench/bench_shuffling.py
"""

import math
import time
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from dprivacy.mechanisms import geometric, projective_response, randomised_response
from dprivacy.numbers import ln
from dprivacy.spaces import line
from dprivacy.verify import (
    compose,
    shuffled,
    shuffled_columns,
    shuffled_distances,
    shuffled_profile,
)

SIZES, DELTAS = (10**3, 10**4, 10**5, 10**6), ("1e-6", "1e-9")
RESPONSE = """
2 1 0.1267 0.1791 0.03584 0.05219 0.01019 0.01554 0.002863 0.004652
2 ln_3 0.1421 0.2007 0.04008 0.05817 0.01140 0.01731 0.003209 0.005179
2 2 0.3234 0.4584 0.08745 0.1245 0.02478 0.03653 0.007035 0.01091
2 4 1.692 3.921 0.3162 0.4478 0.08514 0.1210 0.02413 0.03560
4 1 0.1178 0.1641 0.03426 0.04968 0.009833 0.01499 0.002769 0.004502
4 ln_3 0.1351 0.1874 0.03932 0.05675 0.01130 0.01712 0.003191 0.005146
4 2 0.3515 0.4782 0.1020 0.1428 0.02958 0.04313 0.008471 0.01300
4 4 1.749 3.017 0.4026 0.5496 0.1159 0.1619 0.03365 0.04883
20 1 0.05766 0.08215 0.01665 0.02482 0.004730 0.007469 0.001312 0.002237
20 ln_3 0.06736 0.09545 0.01949 0.02887 0.005551 0.008694 0.001545 0.002606
20 2 0.2106 0.2872 0.06179 0.08780 0.01786 0.02654 0.005079 0.007991
20 4 1.303 1.738 0.3504 0.4770 0.1016 0.1424 0.02948 0.04298
"""
DISTANCES = {  # geometric noise on 0 … 19, e^(−ε) = 3/4 a step
    (10**4, "1e-6"): {1: "0.14504", 2: "0.25671", 5: "0.45635", 19: "0.76113"},
    (10**6, "1e-9"): {1: "0.01595", 2: "0.02764", 5: "0.04833", 19: "0.08890"},
}


class Compared:
    """Ours beside printed numbers: equal in their digits, below, or above."""

    def __init__(self) -> None:
        self.counts = {"equal": 0, "below": 0, "ABOVE": 0}
        self.lowest = 0.0

    def add(self, ours: float, printed: str) -> str:
        unit = 10.0 ** -len(printed.partition(".")[2])
        told = float(printed)
        kind = "equal" if abs(ours - told) <= unit else "below" if ours < told else "ABOVE"
        self.counts[kind] += 1
        self.lowest = min(self.lowest, ours / told - 1)
        return f"{ours:.{len(printed.partition('.')[2])}f}" + {"equal": " ", "below": "-"}.get(
            kind, "!"
        )

    def __str__(self) -> str:
        told = ", ".join(f"{count} {kind}" for kind, count in self.counts.items())
        return f"{told}; lowest {self.lowest:+.2%}"


def response_table() -> None:
    print(
        "k-ary response, ε at δ = 1e-6 and 1e-9 for n = 1e3, 1e4, 1e5, 1e6; largest bound over attack"
    )
    for k in ("2", "4", "20"):
        compared = Compared()
        for text in RESPONSE.split("\n")[1:-1]:
            many, level, *printed = text.split()
            if many != k:
                continue
            mechanism = randomised_response(range(int(k)), eps=level.replace("_", " "))
            cells, gaps = [], []
            for at, (n, delta) in enumerate((n, delta) for n in SIZES for delta in DELTAS):
                found = shuffled(mechanism, n, delta=delta)
                cells.append(compared.add(float(found.eps), printed[at]))
                if found.attacked is not None:
                    gaps.append(float(found.eps) / float(found.attacked) - 1)
            print(f"  {k:>2} {level:>4}: {' '.join(cells)}  {max(gaps):.2%}", flush=True)
        print(f"  k = {k}: {compared}")


def distance_table() -> None:
    compared = Compared()
    mechanism = geometric(line(20), eps=ln(Fraction(4, 3)))
    for (n, delta), told in DISTANCES.items():
        found = shuffled_distances(mechanism, n, delta=delta, distances=told)
        cells = [
            compared.add(float(row.eps), printed)
            for row, printed in zip(found.rows, told.values(), strict=True)
        ]
        print(f"geometric on 20 points, n = {n:,}, distances {[*told]}: {' '.join(cells)}")
    print(f"  {compared}")


def several_and_many() -> None:
    compared = Compared()
    four, two = (randomised_response(range(k), eps="ln 3") for k in (4, 2))
    whole, alone = (
        float(shuffled_columns([four, two], 10**5, delta="1e-6", changed=some).eps)
        for some in (None, [1])
    )
    print(f"two columns: {compared.add(whole, '0.02557')} {compared.add(alone, '0.02053')}")
    curve = shuffled_profile(four, 10**4)
    for times, tight, added in ((12, "0.1495", "0.5547"), (52, "0.3272", "2.596")):
        together = float(compose([curve], delta="1e-6", times=times).eps)
        part = shuffled(four, 10**4, delta=Fraction(1, 10**6 * times))
        print(
            f"{times} shuffled releases: {compared.add(together, tight)} instead of "
            f"{compared.add(float(part.eps) * times, added)}"
        )
    print(f"  {compared}")


def seconds() -> None:
    def timed(name: str, run: Callable[[], object]) -> None:
        began = time.process_time()
        found = run()
        print(f"  {name}: {time.process_time() - began:.2f} s, {found}", flush=True)

    print("CPU seconds, δ = 1e-9")
    for k, eps in ((4, "ln 3"), (20, "4"), (2, "ln 3")):
        mechanism = randomised_response(range(k), eps=eps)
        for n in (10**3, 10**5, 10**7):
            timed(
                f"{k}-ary {eps}, n = {n:,}",
                lambda m=mechanism, n=n: f"ε = {float(shuffled(m, n, delta='1e-9').eps):.5g}",
            )
    words = projective_response(range(1024), eps="ln 3")
    timed(
        "1,024 labels, n = 1e6",
        lambda: f"ε = {float(shuffled(words, 10**6, delta='1e-9').eps):.5g}",
    )
    steps = geometric(line(40), eps=ln(Fraction(11, 10)))
    timed(
        "geometric on 40 points, all pairs, n = 1e5",
        lambda: f"ε = {float(shuffled(steps, 10**5, delta='1e-9').eps):.5g}",
    )


def main() -> None:
    print(f"numpy {np.__version__}, ln 3 = {math.log(3):.4f}")
    response_table()
    distance_table()
    several_and_many()
    seconds()


if __name__ == "__main__":
    main()
