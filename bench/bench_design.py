"""The optimal mechanism on a grid, against HiGHS on the whole linear program and against qif.

Euclidean distance and loss, e^ε = 2 per step. "city" is a prior with three hot spots, which no symmetry
keeps; "uniform" has the eight symmetries of the square. Ours stops at a relative gap of 1e-6 between
the loss and a lower bound. A peer runs in a process of its own and is stopped after --limit seconds;
the ratio is then at least what is printed. CPU time throughout, best of several runs for ours.

    bench_design.py                      N = 49 uniform, 49, 100, 144, 225 city; peers up to N = 100
    bench_design.py --large              also N = 400 city and 900 uniform
    bench_design.py --peers 49 --limit 30
"""

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
from importlib.metadata import PackageNotFoundError, version

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # CPU time should count work, not waiting

import numpy as np

from dprivacy.design.columns.generation import column_generation
from dprivacy.design.problems.problem_symmetry import find_symmetry

GAP = 1e-6
SPOTS = (((0.25, 0.3), 0.12, 1.0), ((0.7, 0.6), 0.18, 0.6), ((0.6, 0.15), 0.07, 0.8))
PEERS = ("HiGHS IPM, all pairs", "HiGHS IPM, irredundant pairs", "qif min_loss_given_d")


def problem(side: int, prior: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Distances times ln 2, the prior, and the distances as a loss."""
    points = np.array([(i, j) for i in range(side) for j in range(side)], dtype=float)
    distance = np.sqrt(((points[:, None] - points[None]) ** 2).sum(axis=-1))
    weight = np.full(side * side, 1.0 if prior == "uniform" else 0.05)
    if prior == "city":
        for centre, width, height in SPOTS:
            squared = ((points / (side - 1) - np.array(centre)) ** 2).sum(axis=1)
            weight += height * np.exp(-squared / (2 * width**2))
    return np.log(2) * distance, weight / weight.sum(), distance


# -------------------------------------------------------------------------------------------- peers


def irredundant(distance: np.ndarray) -> np.ndarray:
    """The pairs without a third point exactly between."""
    keep = ~np.eye(len(distance), dtype=bool)
    off = distance + np.where(np.eye(len(distance), dtype=bool), np.inf, 0)
    for x in range(len(distance)):
        keep[x] &= (off[x][:, None] + off).min(axis=0) > distance[x] * (1 + 1e-9) + 1e-9
    return keep


def by_highs(scaled: np.ndarray, costs: np.ndarray, pairs: np.ndarray) -> float:
    import highspy
    from scipy.sparse import csr_matrix, eye, kron, vstack

    n, m = costs.shape
    x, z = np.nonzero(pairs)
    up, at = np.exp(scaled[x, z] / 2), np.arange(len(x))
    privacy = csr_matrix(
        (np.concatenate([1 / up, -up]), (np.tile(at, 2), np.concatenate([x, z]))),
        shape=(len(x), n),
    )
    table = vstack([kron(eye(n), np.ones((1, m))), kron(privacy, eye(m))], format="csr")
    program = highspy.HighsLp()
    program.num_row_, program.num_col_ = table.shape
    program.col_cost_ = costs.ravel()
    program.col_lower_, program.col_upper_ = np.zeros(n * m), np.ones(n * m)
    program.row_lower_ = np.concatenate([np.ones(n), np.full(len(x) * m, -highspy.kHighsInf)])
    program.row_upper_ = np.concatenate([np.ones(n), np.zeros(len(x) * m)])
    program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    program.a_matrix_.start_ = table.indptr
    program.a_matrix_.index_ = table.indices
    program.a_matrix_.value_ = table.data
    solver = highspy.Highs()
    solver.silent()
    solver.setOptionValue("solver", "ipm")
    solver.setOptionValue("run_crossover", "off")
    solver.passModel(program)
    solver.run()
    return float(solver.getInfo().objective_function_value)


def by_qif(scaled: np.ndarray, prior: np.ndarray, loss: np.ndarray) -> float:
    import qif

    n = len(prior)
    found = qif.mechanism.d_privacy.min_loss_given_d(
        prior, n, lambda x, z: scaled[x, z], lambda x, y: loss[x, y]
    )
    return float((prior[:, None] * loss * found).sum())


def peer(name: str, side: int, kind: str, limit: int) -> None:
    """Run one peer in this process and print what it took; past the limit the system ends it."""
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5))
    scaled, prior, loss = problem(side, kind)
    costs = prior[:, None] * loss
    began = time.process_time()
    if name == PEERS[0]:
        found = by_highs(scaled, costs, ~np.eye(len(prior), dtype=bool))
    elif name == PEERS[1]:
        found = by_highs(scaled, costs, irredundant(loss))
    else:
        found = by_qif(scaled, prior, loss)
    print(json.dumps({"seconds": time.process_time() - began, "loss": found}))


def against(name: str, side: int, kind: str, ours: float, loss: float, limit: int) -> None:
    command = [sys.executable, __file__, "--peer", name, "--side", str(side), "--prior", kind]
    command += ["--limit", str(limit)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode == 0:
        answer = json.loads(done.stdout.splitlines()[-1])
        seconds, apart = answer["seconds"], answer["loss"] / loss - 1
        end = f"{seconds:8.2f} s   ratio {seconds / ours:7.1f}×   loss {apart:+.1e} of ours"
    elif done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        end = f"not done after {limit:4d} s   ratio ≥ {limit / ours:5.0f}×"
    else:
        end = f"failed: {done.stderr.decode().splitlines()[-1]}"
    print(f"  {name:30s} {end}", flush=True)


# --------------------------------------------------------------------------------------------- ours


def ours(side: int, prior: str, times: int) -> tuple[float, float]:
    scaled, weight, loss = problem(side, prior)
    costs = weight[:, None] * loss
    spent = []
    for _ in range(times):
        began = time.process_time()
        orbits = find_symmetry(scaled, costs) if prior == "uniform" else None
        found = column_generation(scaled, costs, gap=GAP, orbits=orbits)
        spent.append(time.process_time() - began)
    with np.errstate(divide="ignore"):
        logs = np.log(found.channel)
    used = found.channel.max(axis=0) > 0
    worst = max(float((v[:, None] - v - scaled).max()) for v in logs[:, used].T)
    gap = (found.loss - found.bound) / found.loss
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(
        f"N = {side * side:4d} {prior:8s} ours {min(spent):8.2f} s   gap {gap:.0e}   "
        f"rounds {found.rounds:3d}   worst ln ratio − ε·d {worst:+.0e}   {peak:.2f} GiB",
        flush=True,
    )
    assert found.finished
    return min(spent), found.loss


def installed(name: str) -> str:
    try:
        return f"{name} {version(name)}"
    except PackageNotFoundError:
        return f"no {name}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--large", action="store_true", help="also N = 400 city, 900 uniform")
    parser.add_argument("--peers", type=int, default=100, help="the largest N for peers")
    parser.add_argument("--limit", type=int, default=120, help="seconds for a peer")
    parser.add_argument("--peer", choices=PEERS, help=argparse.SUPPRESS)
    parser.add_argument("--side", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--prior", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.peer:
        peer(asked.peer, asked.side, asked.prior, asked.limit)
        return
    print(", ".join(map(installed, ("numpy", "scipy", "numba", "highspy", "qif"))), "— CPU time")
    warm = problem(5, "city")
    column_generation(warm[0], warm[1][:, None] * warm[2])  # load and compile
    for side, kind in ((7, "uniform"), (7, "city"), (10, "city"), (12, "city"), (15, "city")):
        spent, loss = ours(side, kind, 3 if side < 15 else 1)
        for name in PEERS if side * side <= asked.peers else ():
            if not (name.startswith("qif") and installed("qif") == "no qif"):
                against(name, side, kind, spent, loss, asked.limit)
    ours(20, "uniform", 1)
    if asked.large:
        ours(20, "city", 1)
        ours(30, "uniform", 1)


if __name__ == "__main__":
    main()
