"""Matching: bit-packed Hamming distances and nearest neighbours against plain numpy and scipy.

The plain ways keep one number a bit: comparing all of them, a product of ±1 matrices, scipy's cdist.
"""

import time
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from scipy.spatial.distance import cdist
from timing import best_of_each

from dprivacy.hashing import hamming_distances, lshrr, nearest, random_projection

RNG = np.random.default_rng(1)


def alternating(ours: Callable[[], object], theirs: Callable[[], object], times: int = 3) -> tuple:
    """CPU seconds of both, best of a few runs in turn."""
    return tuple(best_of_each({"ours": ours, "theirs": theirs}, times)[0].values())


def compared(bits: np.ndarray) -> np.ndarray:
    return (bits[:, None, :] != bits[None, :, :]).sum(axis=2)


def product(bits: np.ndarray) -> np.ndarray:
    signs = bits.astype(np.float32) * 2 - 1
    return ((bits.shape[1] - signs @ signs.T) / 2).astype(np.int64)


def by_scipy(bits: np.ndarray) -> np.ndarray:
    return np.rint(cdist(bits, bits, "hamming") * bits.shape[1]).astype(np.int64)


def plain_nearest(bits: np.ndarray, k: int) -> np.ndarray:
    """The unpacked way: a product of ±1 matrices, random fractions for ties, a full sort."""
    table = product(bits) + RNG.random((len(bits), len(bits)), dtype=np.float32) * 0.5
    np.fill_diagonal(table, np.inf)
    return np.argsort(table, axis=1)[:, :k]


def report(name: str, ours: float, theirs: float) -> None:
    print(f"  {name:46s} {theirs:8.3f} s, ours {ours:8.3f} s   ratio {theirs / ours:7.1f}×")


def all_pairs(people: int, length: int, repetitions: int) -> None:
    print(f"all pairs of {people} strings of {length} bits, {repetitions} times")
    bits = RNG.integers(0, 2, (people, length), dtype=np.uint8)
    for name, way in {
        "numpy, every bit compared": compared,
        "numpy, product of ±1": product,
        "scipy cdist hamming": by_scipy,
    }.items():
        assert (hamming_distances(bits) == way(bits)).all()
        rounds = range(repetitions if way is not compared else max(1, repetitions // 10))
        ours, theirs = alternating(
            lambda r=rounds: [hamming_distances(bits) for _ in r],
            lambda r=rounds, w=way: [w(bits) for _ in r],
        )
        scale = repetitions / len(rounds)
        report(name, ours * scale, theirs * scale)


def neighbours(people: int, length: int, repetitions: int, k: int = 10) -> None:
    print(f"the {k} nearest of {people} strings of {length} bits, {repetitions} times")
    bits = RNG.integers(0, 2, (people, length), dtype=np.uint8)
    table = product(bits) + np.eye(people, dtype=np.int64) * 10**6
    best = np.sort(table, axis=1)[:, :k]
    assert (nearest(bits, k=k).distances == best).all()
    assert (np.take_along_axis(table, plain_nearest(bits, k), axis=1) == best).all()
    ours, theirs = alternating(
        lambda: [nearest(bits, k=k) for _ in range(repetitions)],
        lambda: [plain_nearest(bits, k) for _ in range(repetitions)],
    )
    report("numpy, product, random ties, full sort", ours, theirs)


def many(people: int, asked: int) -> None:
    print(f"{asked} of {people:,} people ask for their 10 nearest, 64 bits")
    bits = RNG.integers(0, 2, (people, 64), dtype=np.uint8)
    signs = bits.astype(np.float32) * 2 - 1

    def theirs() -> np.ndarray:
        table = (64 - signs[:asked] @ signs.T) / 2
        return np.argpartition(table, 10, axis=1)[:, :10]

    spent = alternating(lambda: nearest(bits, k=10, queries=bits[:asked]), theirs)
    report("numpy, product of ±1, argpartition", *spent)
    print(f"  everybody's neighbours would take ours {spent[0] * people / asked:.0f} s")


def reports() -> None:
    vectors = RNG.integers(0, 6, (943, 1000)).astype(float)
    mechanism = lshrr(random_projection(1000, bits=20, key="bench"), eps="ln 3")
    mechanism.randomise(vectors)
    began = time.process_time()
    mechanism.randomise(vectors)
    spent = time.process_time() - began
    print(f"943 reports of 20 bits from 1000 ratings each: {spent * 1e3:.1f} ms")


if __name__ == "__main__":
    print(", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "dprivacy")))
    all_pairs(943, 20, 30)
    all_pairs(943, 50, 30)
    neighbours(943, 20, 30)
    many(100_000, 200)
    reports()
