"""Drawing: arbitrary channels, randomised response, discrete Laplace and planar noise.

Ours are exact and take the operating system's randomness; numpy's paths and the two LDP libraries are
neither. Peers that are slow draw fewer values; every figure is values a second of CPU time.
"""

import math
import time
from collections.abc import Callable
from fractions import Fraction
from importlib.metadata import version

import numpy as np
import opendp.prelude as opendp
from diffprivlib.mechanisms import Geometric
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client
from numba import njit
from pure_ldp.frequency_oracles.direct_encoding import DEClient
from timing import best_of

from dprivacy.mechanisms import randomised_response
from dprivacy.numbers import Level, ln
from dprivacy.sampling import (
    CategoricalSampler,
    DiscreteLaplace,
    KeyedSource,
    PlanarNoise,
    SystemSource,
)

K, N = 100, 1_000_000
SOURCE = SystemSource()


def speed(draw: Callable[[], object], values: int, times: int = 5) -> float:
    """Values a second, the best of a few runs."""
    return values / best_of(draw, times)[0]


def report(name: str, theirs: float, ours: float) -> None:
    print(f"  {name:52s} {theirs / 1e6:9.3f} M/s   ratio ours/theirs {ours / theirs:10.1f}×")


def integer_channel() -> list[list[int]]:
    """An arbitrary channel: 100 × 100 random integers, each row over its own total."""
    rng = np.random.default_rng(1)
    return [[int(a) for a in row] for row in rng.integers(1, 1 << 40, (K, K))]


def fits(codes: np.ndarray, outputs: np.ndarray, law: np.ndarray) -> None:
    """Both answers must follow the same law before they are timed."""
    counts = np.zeros((K, K))
    np.add.at(counts, (codes, outputs), 1)
    expected = law * counts.sum(axis=1, keepdims=True)
    statistic = ((counts - expected) ** 2 / expected).sum()
    freedom = K * (K - 1)
    assert abs(statistic - freedom) < 6 * math.sqrt(2 * freedom), statistic


def grouped_choice(codes: np.ndarray, law: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng()
    out = np.empty(codes.size, dtype=np.intp)
    for x in range(K):
        where = np.flatnonzero(codes == x)
        out[where] = rng.choice(K, size=where.size, p=law[x])
    return out


def inverse_distribution(codes: np.ndarray, law: np.ndarray) -> np.ndarray:
    rng = np.random.default_rng()
    steps = np.cumsum(law, axis=1)
    steps[:, -1] = 1.0
    table = (steps + np.arange(K)[:, None]).ravel()
    return np.searchsorted(table, codes + rng.random(codes.size), side="right") - codes * K


def channels() -> None:
    rows = integer_channel()
    law = np.array(rows, dtype=float)
    law /= law.sum(axis=1, keepdims=True)
    began = time.process_time()
    sampler = CategoricalSampler(rows)
    built = time.process_time() - began
    codes = np.random.default_rng(2).integers(0, K, N)
    small = codes.astype(np.uint8)
    ours = speed(lambda: sampler.draw(codes, SOURCE), N)
    print(f"an arbitrary channel, k={K}: ours {ours / 1e6:.0f} M/s, built in {built * 1e3:.0f} ms")
    print(f"  codes of one byte: {speed(lambda: sampler.draw(small, SOURCE), N) / 1e6:.0f} M/s")
    keyed = KeyedSource(bytes(32))
    print(f"  from a keyed stream: {speed(lambda: sampler.draw(small, keyed), N) / 1e6:.0f} M/s")
    for name, draw in {
        "numpy, inverse distribution function (floats)": inverse_distribution,
        "numpy, choice for each input in turn (floats)": grouped_choice,
    }.items():
        fits(codes, draw(codes, law), law)
        report(name, speed(lambda d=draw: d(codes, law), N), ours)
    fits(codes, sampler.draw(codes, SOURCE), law)


@njit  # type: ignore[misc]
def _all_values(values: np.ndarray, eps: float) -> np.ndarray:
    out = np.empty(values.size, dtype=np.int64)
    for i in range(values.size):
        out[i] = GRR_Client(values[i], 100, eps)
    return out


def responses() -> None:
    eps = 3.0
    mechanism = randomised_response(range(K), eps=3)
    codes = np.random.default_rng(3).integers(0, K, N)
    ours = speed(lambda: mechanism.randomise(codes), N)
    print(f"randomised response, k={K}, `randomise` as called: ours {ours / 1e6:.0f} M/s")
    few = codes[:100_000]
    _all_values(few[:10], eps)
    report(
        "multi-freq-ldpy GRR_Client, loop compiled by numba",
        speed(lambda: _all_values(few, eps), few.size, 3),
        ours,
    )
    listed = few.tolist()
    report(
        "multi-freq-ldpy GRR_Client, called for each value",
        speed(lambda: [GRR_Client(v, K, eps) for v in listed], few.size, 3),
        ours,
    )
    client = DEClient(eps, K, index_mapper=lambda v: v)
    report(
        "pure-ldp DEClient.privatise",
        speed(lambda: [client.privatise(v) for v in listed], few.size, 3),
        ours,
    )
    keep = math.exp(eps) / (math.exp(eps) + K - 1)
    response = opendp.m.make_randomized_response(categories=list(range(K)), prob=keep)
    report(
        "OpenDP make_randomized_response",
        speed(lambda: [response(v) for v in listed[:3000]], 3000, 3),
        ours,
    )


def laplace(level: Level) -> None:
    noise = DiscreteLaplace(level)
    assert abs(np.abs(noise.draw(N, SOURCE)).mean() * math.sinh(float(level)) - 1) < 0.02
    ours = speed(lambda: noise.draw(N, SOURCE), N)
    print(f"discrete Laplace, level {level}: ours {ours / 1e6:.0f} M/s")
    batch = opendp.m.make_laplace(
        opendp.vector_domain(opendp.atom_domain(T=int)),
        opendp.l1_distance(T=int),
        scale=1 / float(level),
    )
    zeros = [0] * 20_000
    report(
        "OpenDP make_laplace on a vector of integers", speed(lambda: batch(zeros), 20_000, 3), ours
    )
    geometric = Geometric(epsilon=float(level), sensitivity=1)
    report(
        "diffprivlib Geometric",
        speed(lambda: [geometric.randomise(0) for _ in range(5000)], 5000, 3),
        ours,
    )
    p = -math.expm1(-float(level))
    rng = np.random.default_rng()
    report(
        "numpy, difference of two geometrics (floats)",
        speed(lambda: rng.geometric(p, N) - rng.geometric(p, N), N),
        ours,
    )


def plane() -> None:
    def polar(rate: float) -> np.ndarray:
        rng = np.random.default_rng()
        radius, angle = rng.gamma(2.0, 1 / rate, N), rng.random(N) * 2 * math.pi
        return np.rint(np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1))

    for level in (Level(1), ln(2) / 10, Level(Fraction(1, 1000))):
        noise = PlanarNoise(level)
        ours = speed(lambda n=noise: n.draw(N, SOURCE), N)
        print(f"planar noise, level {level} a step: ours {ours / 1e6:.1f} M points/s")
        report(
            "numpy, polar Laplace in doubles, rounded",
            speed(lambda r=float(level): polar(r), N),
            ours,
        )


if __name__ == "__main__":
    opendp.enable_features("contrib")
    names = ("numpy", "multi-freq-ldpy", "pure-ldp", "opendp", "diffprivlib", "dprivacy")
    print(", ".join(f"{name} {version(name)}" for name in names))
    channels()
    responses()
    for each in (Level("1/10"), ln(2), Level("1/1000")):
        laplace(each)
    plane()
