"""Places: noise for points, planar and spatial, and the whole way from degrees to degrees.

Ours is exact and takes the operating system's randomness. The peer is the usual recipe in NumPy: a
gamma radius and a uniform angle in doubles from a seedable generator, which is neither. Figures are
points a second of CPU time, the best of several runs that alternate.
"""

import math
from collections.abc import Callable
from importlib.metadata import version

import numpy as np
from timing import best_of_each

from dprivacy.geo import place_mechanism, protect_places
from dprivacy.sampling import SystemSource

N = 300_000
REGION = "40.7, -74.0, 50 km"


def alternating(*draws: Callable[[], object], times: int = 5) -> list[float]:
    """Points a second of each, measured in turns."""
    spent, _ = best_of_each({str(k): draw for k, draw in enumerate(draws)}, times)
    return [N / each for each in spent.values()]


def report(name: str, theirs: float, ours: float) -> None:
    print(
        f"  {name:44s} numpy {theirs / 1e6:6.2f} M/s   ours {ours / 1e6:6.2f} M/s   "
        f"ratio ours/theirs {ours / theirs:5.2f}×"
    )


def float_plane(rng: np.random.Generator, scale: float) -> np.ndarray:
    radius, angle = rng.gamma(2, scale, N), rng.uniform(0, 2 * math.pi, N)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1)


def float_space(rng: np.random.Generator, scale: float) -> np.ndarray:
    sides = rng.normal(size=(N, 3))
    return sides * (rng.gamma(3, scale, N) / np.linalg.norm(sides, axis=1))[:, None]


def float_places(
    rng: np.random.Generator, scale: float, lat: np.ndarray, lon: np.ndarray
) -> object:
    """The recipe with degrees: metres become degrees by the local length of one."""
    noise = float_plane(rng, scale)
    return (
        lat + noise[:, 1] / 111_320.0,
        lon + noise[:, 0] / (111_320.0 * np.cos(np.radians(lat))),
    )


def main() -> None:
    print(f"numpy {version('numpy')}, {N:,} points")
    rng, source = np.random.default_rng(1), SystemSource()
    plane, space = place_mechanism(region=REGION), place_mechanism()
    for mechanism, peer, mean in ((plane, float_plane, 2.0), (space, float_space, 3.0)):
        scale = 1 / float(mechanism.guarantee.eps)
        ours = mechanism.noise.draw(N, source) * float(mechanism.step)
        for drawn in (ours, peer(rng, scale)):  # both answers must follow the same law
            length = np.linalg.norm(drawn, axis=1).mean() / scale
            assert abs(length - mean) < 0.02, length
        theirs, mine = alternating(
            lambda p=peer, s=scale: p(rng, s), lambda m=mechanism: m.noise.draw(N, source)
        )
        name = "planar" if mechanism is plane else "spatial"
        report(f"{name} noise", theirs, mine)
    lat, lon = rng.uniform(40.6, 40.8, N), rng.uniform(-74.1, -73.9, N)
    scale = 1 / float(plane.guarantee.eps)
    theirs, mine, world = alternating(
        lambda: float_places(rng, scale, lat, lon),
        lambda: protect_places(lat, lon, region=REGION),
        lambda: protect_places(lat, lon),
    )
    report("degrees to degrees, in a region", theirs, mine)
    report("degrees to degrees, anywhere", theirs, world)


if __name__ == "__main__":
    main()
