"""How far `optimal` goes with both proofs: one large grid, on the processor or on a graphics card.

The square grid of `bench_design.py` with its three hot spots, Euclidean distance and loss, e^ε = 2 per
step. A line for every few seconds of the search, and at the end what is proved: the gap between the
exact loss of a channel proved private and an exactly checked lower bound.

    bench_design_far.py 20 --gap 1e-6
    bench_design_far.py 40 --seconds 1800
    bench_design_far.py 50 --device gpu
"""

import argparse
import resource
import time

from bench_design import problem

import dprivacy as dp


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("side", type=int, nargs="?", default=20, help="of the grid")
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

    found = dp.optimal(
        dp.grid(asked.side, asked.side),
        eps=dp.ln(2),
        prior=problem(asked.side, "city")[1].tolist(),
        loss="euclidean",
        gap=asked.gap,
        seconds=asked.seconds,
        progress=tell,
        device=asked.device,
        force=asked.force,
    )
    private = bool(found.certificate.privacy)
    print(
        f"N = {asked.side**2}  {asked.device}  proved private {private}  proved gap "
        f"{float(found.gap):.1e}  finished {found.finished}  {spent()}"
    )


if __name__ == "__main__":
    main()
