"""Optimal channels by column generation over the extreme rays of the private cone.

The channel is written as a mixture of extreme rays, one family for each output, so that every iterate
is private by construction; only the sums of the rows are left to a small master program. Rays that
improve the mixture are found by walking trees (`spanning_trees`), and the walk's end proves a lower
bound (`tree_flows`).
"""

import time
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from dprivacy.design.columns.arithmetic_device import machine
from dprivacy.design.columns.column_pool import posed
from dprivacy.design.columns.connected_parts import parts, restricted, together
from dprivacy.design.columns.generation_rounds import search
from dprivacy.design.problems.approximation import Approximation, Progress
from dprivacy.design.problems.machine_limits import one_thread
from dprivacy.design.problems.problem_symmetry import Symmetry
from dprivacy.numbers import Floats


def column_generation(
    scaled: Floats,
    costs: Floats,
    *,
    gap: float = 1e-6,
    seconds: float | None = None,
    progress: Progress | None = None,
    start: Approximation | None = None,
    orbits: Symmetry | None = None,
    compiled: bool | None = None,
    device: str = "cpu",
) -> Approximation:
    """The channel with the least Σ costs·channel among those with C[x, y] ≤ e^scaled(x, z)·C[z, y].

    Parameters
    ----------
    scaled, costs
        n × n: ε·d(x, z), infinite where two secrets share no constraint; and n × m: what output y
        costs at secret x, weighted by the prior.
    gap, seconds
        The relative gap between the loss and the lower bound at which to stop, and the wall time
        after which the best answer so far is returned.
    progress
        Called with (loss, bound, seconds so far) after every round, those of smaller problems too.
    start
        An earlier answer to begin from, for the same secrets and outputs; ε or costs may have changed.
    orbits
        Symmetries to use (`find_symmetry`); for connected spaces without distances 0.
    compiled
        Whether the pivots are compiled by numba; by default where it is installed and worthwhile.
    device
        "gpu" mixes on an NVIDIA card (extra ``gpu``), which pays from about 400 secrets on.

    Returns
    -------
    Approximation
        With `finished` False where time ran out, the run was interrupted (KeyboardInterrupt), or the
        gap no longer closed, which happens on spaces with many equal distances and for small ε: the
        answer is then the best so far, its loss and its bound as true as ever.

    Raises
    ------
    MissingExtra
        When compiled pivots are insisted on and numba is not installed, or a card and there is none.

    Notes
    -----
    Secrets at infinite distance share no constraint, and those at distance 0 have equal rows: each
    connected part is solved by itself, one secret standing for all at distance 0. In a part:

    1. The master mixes the columns at hand, to a tenth of the current gap.
    2. Its multipliers, averaged with the best so far, are priced: each output's tree is walked to the
       ray with the least reduced cost. Few pivots are allowed at first.
    3. The trees' flows turn the multipliers into feasible ones: a lower bound.
    4. Rays with negative reduced cost become columns; columns of no use are dropped.

    It begins with the exponential mechanism. With 150 or more secrets, and without symmetries or an
    earlier answer, it also takes trees, columns and multipliers of smaller problems: of a coarser one,
    in which near secrets are one, where many lie within 0.4/ε, and otherwise of tiles, each by itself.
    The multipliers stay near those until the columns meet the rows; before that, the loss does not
    change.

    Columns are private for distances shorter by up to a billionth, which breaks ties; the bound is one
    for the distances as they are. The gap is relative to the loss, or to a billionth of the largest
    cost where that is more. Cost: some 20 to 70 rounds, more where many secrets lie within 1/ε, in
    each O(n²·columns) for a step of the master and O(n²) or less for a pivot; memory O(n·columns) and
    O(n·m).

    Example
    -------
    >>> import numpy as np
    >>> distance = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    >>> best = column_generation(np.log(2) * distance, distance / 3)
    >>> round(best.loss, 6), best.finished
    (0.555556, True)
    """
    scaled, costs = np.asarray(scaled, dtype=np.float64), np.asarray(costs, dtype=np.float64)
    arithmetic = machine(costs.size, compiled, device)
    cut = parts(scaled)
    if len(cut) > 1 or len(cut[0].kept) < len(scaled):
        orbits = None
    clock = _Clock(
        [float(costs[part.members].sum(axis=0).min()) for part in cut],
        [float(costs[part.members].min(axis=1).sum()) for part in cut],
        seconds,
        progress,
    )
    pieces = []
    for k, part in enumerate(cut):
        problem = posed(*part.problem(scaled, costs), orbits)
        with one_thread():
            answer, flows = search(
                problem,
                gap=gap,
                start=restricted(start, part),
                machine=arithmetic,
                until=clock.until,
                tell=partial(clock.tell, k),
                interrupted=clock.stop,
            )
        pieces.append((part, answer, flows))
    return together(costs, pieces, gap)


@dataclass(eq=False)
class _Clock:
    """Time, and what is known of all parts while one of them is worked on."""

    losses: list[float]
    bounds: list[float]
    seconds: float | None
    progress: Progress | None
    began: float = field(default_factory=time.perf_counter)
    stopped: bool = False

    @property
    def until(self) -> float:
        """When time is up, by `time.perf_counter`."""
        return np.inf if self.seconds is None else self.began + self.seconds

    def stop(self) -> None:
        """Let the parts that are still to come end after their first round."""
        self.stopped = True

    def tell(self, part: int, loss: float, bound: float) -> bool:
        """Report the part's loss and bound; whether time is up."""
        self.losses[part], self.bounds[part] = loss, bound
        spent = time.perf_counter() - self.began
        if self.progress is not None:
            self.progress(sum(self.losses), sum(self.bounds), spent)
        return self.stopped or self.began + spent > self.until
