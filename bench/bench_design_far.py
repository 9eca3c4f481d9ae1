"""How far `optimal` goes with both proofs: one large grid, on the processor or on a graphics card.

The square grid of `bench_design.py` with its three hot spots, Euclidean distance and loss, e^ε = 2 per
step; or, with --venues, a made list of places in a town: clustered, to the metre, some of them much
likelier than most, at ln 4 for 200 m. A line for every few seconds of the search, and at the end what
is proved: the gap between the exact loss of a channel proved private and an exactly checked lower
bound.

    bench_design_far.py 20 --gap 1e-6
    bench_design_far.py 40 --seconds 1800
    bench_design_far.py 50 --device gpu
    bench_design_far.py --venues 600
"""

import argparse
import resource
import time

import numpy as np
from bench_design import problem

import dprivacy as dp

CENTRES, NEAR = 25, 200.0  # how many there are, and how wide one is: one deviation, in metres
WIDE = 35.0  # of the town, times the root of how many places it has


def town(n: int) -> tuple[list[tuple[int, int]], list[float]]:
    """Places to the metre, all different, and how often they are visited."""
    draw = np.random.default_rng(n)
    centres = draw.normal(0, WIDE * n**0.5, (CENTRES, 2))
    places: dict[tuple[int, int], float] = {}
    while len(places) < n:
        x, y = np.round(centres[draw.integers(CENTRES)] + draw.normal(0, NEAR, 2)).tolist()
        places.setdefault((int(x), int(y)), float(draw.lognormal(0, 0.8)))
    whole = sum(places.values())
    return list(places), [weight / whole for weight in places.values()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("side", type=int, nargs="?", default=20, help="of the grid")
    parser.add_argument("--venues", type=int, help="places of a made list instead of a grid")
    parser.add_argument("--gap", type=float, default=1e-4)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--force", action="store_true", help="though most of the memory is needed")
    asked = parser.parse_args()
    small = problem(7, "city")[1].tolist()
    dp.optimal(dp.grid(7, 7), eps=dp.ln(2), prior=small, device=asked.device)  # load and compile
    began, cpu, said = time.perf_counter(), time.process_time(), 0.0

    def spent() -> str:
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        return (
            f"{time.perf_counter() - began:7.1f} s of wall time, "
            f"{time.process_time() - cpu:7.1f} s of CPU, {peak:.2f} GiB"
        )

    def tell(loss: float, bound: float, seconds: float) -> None:
        nonlocal said
        if seconds - said > 5:
            said = seconds
            print(f"  loss {loss:.8f}  gap {(loss - bound) / loss:.1e}  {spent()}", flush=True)

    if asked.venues:
        places, weights = town(asked.venues)
        space, rate = dp.points(places), dp.ln(4) / 200
    else:
        space, rate = dp.grid(asked.side, asked.side), dp.ln(2)
        weights = problem(asked.side, "city")[1].tolist()
    found = dp.optimal(
        space,
        eps=rate,
        prior=weights,
        loss="metric",
        gap=asked.gap,
        seconds=asked.seconds,
        progress=tell,
        device=asked.device,
        force=asked.force,
    )
    private = bool(found.certificate.privacy)
    print(
        f"N = {len(weights)}  {asked.device}  proved private {private}  proved gap "
        f"{float(found.gap):.1e}  finished {found.finished}  {spent()}"
    )


if __name__ == "__main__":
    main()
