"""The structured interior point: every output has its own small system, tied together by the row sums.

    min Σ_y c_y·z_y  with  Σ_y z_y = 1,  b·z_y[j] − z_y[i]/b ≥ 0 for pairs,  z_y ≥ 0,  b = e^(ε·d/2)

Newton's equations are H_y·Δz_y = Δλ + f_y for each output, and (Σ_y H_y⁻¹)·Δλ = what is missing in the
rows: m factorisations of n × n matrices instead of one of the whole. It does not mind ties, which makes
it the method for degenerate spaces.
"""

import time

import numpy as np

from dprivacy.design.engines.barrier_state import Barrier
from dprivacy.design.problems.approximation import Approximation, Progress
from dprivacy.design.problems.machine_limits import one_thread
from dprivacy.numbers import Floats, Whole

_MOST_ROUNDS = 300
_SMALL = 300  # rows below which one thread does the linear algebra
_STALLED = 25  # rounds in which the gap did not halve


def interior_point(
    scaled: Floats,
    costs: Floats,
    *,
    gap: float = 1e-6,
    seconds: float | None = None,
    progress: Progress | None = None,
    pairs: Whole | None = None,
) -> Approximation:
    """Solve min Σ costs·C over the channels C that are private for the distances `scaled`, in floats.

    Parameters
    ----------
    scaled, costs, gap, seconds, progress
        As for `column_generation`.
    pairs
        Pairs i < j that imply all others, where they are known; all pairs otherwise.

    Returns
    -------
    Approximation
        With `flows`. `finished` is False when it was stopped, interrupted, or came no further.

    Notes
    -----
    1. From the uniform channel, which is strictly private, by Mehrotra's predictor and corrector and
       Gondzio's further corrections.
    2. Each output has its own working set of pairs, those that have weights. No step leaves the cone of
       all pairs, and a pair that loses most of its room joins the set: few ever do.
    3. Any weights μ ≥ 0 give the lower bound Σ_x min_y (costs − Gᵀμ)[x, y].

    A round costs O(m·n³), and the memory is about m·n² doubles.
    """
    began = time.monotonic()
    state = Barrier(scaled, costs, pairs)
    finished, rounds, halved, mark = False, 0, 0, np.inf
    try:
        while True:
            spent = time.monotonic() - began
            if progress is not None:
                progress(state.loss, state.bound, spent)
            apart = state.loss - state.bound
            finished = apart <= gap * max(abs(state.loss), np.finfo(float).tiny)
            if apart < 0.5 * mark:
                mark, halved = apart, rounds
            late = seconds is not None and spent > seconds
            if finished or late or rounds - halved >= _STALLED or rounds >= _MOST_ROUNDS:
                break
            with one_thread(when=len(scaled) < _SMALL):
                moved = state.advance()
            if not moved:
                break
            rounds += 1
    except KeyboardInterrupt:
        finished = False
    return Approximation(
        np.ascontiguousarray(state.z.T),
        state.multipliers,
        state.loss,
        state.bound,
        rounds,
        finished,
        flows=state.flows(gap),
    )
