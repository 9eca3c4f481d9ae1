"""The answer for one piece of a problem: exactly where it is small, by the float engines where not."""

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.design.columns.generation import column_generation
from dprivacy.design.engines.certified_integers import EVERYTHING, integers, logarithms, room
from dprivacy.design.engines.exact_rays import Vertex, exact_optimum, small
from dprivacy.design.engines.interior_rounds import interior_point
from dprivacy.design.engines.lower_bounds import Bound, bound_of_floats
from dprivacy.design.problems.approximation import Approximation, Flows, Progress
from dprivacy.design.problems.independent_pieces import Piece
from dprivacy.design.problems.machine_limits import interior_fits
from dprivacy.design.problems.problem_symmetry import find_symmetry
from dprivacy.numbers import Floats, Mat
from dprivacy.verify import round_outward

_SPARE = 1 / 3  # of the gap asked for, the engines' share; rounding and certifying need the rest
_NOTHING = 1e-9  # of the largest cost: what column generation takes for no loss
_LATE = 200  # secrets from which on the interior point takes minutes
_WORTH_SYMMETRY = 20  # rows below which a problem is small enough as it is


@dataclass(frozen=True, eq=False)
class PieceAnswer:
    """A channel for a piece, as exact numbers or as logarithms, and a proved lower bound.

    `rational` says that the exact numbers are the optimum itself, and not integers around it.
    """

    channel: Mat | Floats
    bound: Bound
    method: str
    rational: bool = False
    approximation: Approximation | None = None

    def apart(self, costs: Floats) -> float:
        """The relative gap, in floats."""
        rows = self.channel.floats if isinstance(self.channel, Mat) else np.exp(self.channel)
        loss = float((rows * costs).sum())
        return (loss - float(self.bound.value)) / loss if loss else 0.0

    def matrix(self, bits: int, share: int) -> Mat:
        """The rows as exact numbers; logarithms become integers over 2^bits."""
        if not isinstance(self.channel, Mat):
            return integers(self.channel, bits, share)
        if self.rational or share in (0, EVERYTHING):
            return self.channel
        n, m = self.channel.shape
        rows = [[Fraction(v) for v in row] for row in self.channel.rows()]
        return round_outward(range(n), range(m), rows, bits + share, Fraction(1, 1 << share)).matrix


@dataclass(eq=False)
class Clock:
    """How much time is left, whether someone has interrupted, and who is told how far things are."""

    seconds: float | None = None
    progress: Progress | None = None
    began: float = field(default_factory=time.monotonic)
    interrupted: bool = False

    @property
    def spent(self) -> float:
        """Seconds so far."""
        return time.monotonic() - self.began

    @property
    def left(self) -> float | None:
        """Seconds that are left; None for as many as it takes."""
        return None if self.seconds is None else max(self.seconds - self.spent, 0.0)

    def tell(self, loss: float, bound: float, _: float) -> None:
        """Pass on how far an engine is."""
        if self.progress is None:
            return
        try:
            self.progress(loss, bound, self.spent)
        except KeyboardInterrupt:
            self.interrupted = True
            raise

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Note an interruption from the keyboard: the engines end early on it, and do not say why."""
        import signal
        import threading

        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def noted(number: int, frame: Any) -> None:
            self.interrupted = True
            raise KeyboardInterrupt

        before = signal.getsignal(signal.SIGINT)
        signal.signal(signal.SIGINT, noted)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def answered(
    piece: Piece, *, gap: float, clock: Clock, start: Approximation | None, device: str = "cpu"
) -> PieceAnswer:
    """The best channel for a piece, and the best bound.

    Notes
    -----
    1. Few secrets: the exact optimum.
    2. Otherwise column generation, with the symmetries of the piece; where it does not reach the gap,
       the interior point. Channel and bound may come from different engines.
    """
    if small(piece):
        vertex = _exactly(piece, clock)
        if vertex is not None:
            with suppress(KeyboardInterrupt):  # noted by the clock; there is nothing left to stop
                clock.tell(float(vertex.loss), float(vertex.bound.value), clock.spent)
            return PieceAnswer(vertex.channel, vertex.bound, "exact vertex", vertex.rational)
    scaled = piece.scaled * (1.0 - room(piece.nearest))
    costs = np.asarray(piece.costs.floats)
    goal = gap * _SPARE
    orbits = find_symmetry(scaled, costs) if piece.n >= _WORTH_SYMMETRY else None
    if start is not None and start.channel.shape != costs.shape:
        start = None
    found = column_generation(
        scaled,
        costs,
        gap=goal,
        seconds=0.0 if clock.interrupted else clock.left,
        progress=clock.tell,
        start=start,
        orbits=orbits,
        device=device,
    )
    best = _answer(piece, scaled, costs, found, "column generation")
    # With a spanner the bound is that of all channels, and need not meet the loss.
    # Nor where the loss is next to nothing: the interior point would take hours for what floats hide.
    nothing = piece.n > _LATE and found.loss <= _NOTHING * float(costs.max())
    enough = found.finished and (piece.stretched or nothing or best.apart(costs) <= gap)
    late = clock.left == 0.0 or clock.interrupted
    if enough or late or not interior_fits(piece.n, piece.m):
        return best
    robust = interior_point(
        scaled, costs, gap=goal, seconds=clock.left, progress=clock.tell, pairs=piece.pairs
    )
    other = _answer(piece, scaled, costs, robust, "interior point")
    better = other if robust.loss < found.loss else best
    tighter = other if other.bound.value > best.bound.value else best
    return PieceAnswer(better.channel, tighter.bound, better.method, approximation=found)


def _exactly(piece: Piece, clock: Clock) -> Vertex | None:
    """The exact optimum; None where half of the time is not enough, or someone has interrupted."""
    try:
        return exact_optimum(piece, seconds=None if clock.left is None else clock.left / 2)
    except KeyboardInterrupt:
        clock.interrupted = True
        return None


def _answer(
    piece: Piece, scaled: Floats, costs: Floats, found: Approximation, method: str
) -> PieceAnswer:
    nothing = np.empty(0, dtype=np.int64)
    flows = found.flows or Flows(nothing, nothing, nothing, np.empty(0))
    # The engines' distances are a little shorter (much, with a spanner). What a flow takes at the lower
    # end is kept, so that the difference shows only at the upper end, where it is e^(ε·d) smaller.
    full = float(piece.eps) * piece.space.distances.floats
    shorter = scaled[flows.above, flows.below] - full[flows.above, flows.below]
    flows = replace(flows, amounts=flows.amounts * np.exp(shorter))
    logs = logarithms(found.channel, scaled, costs)
    return PieceAnswer(logs, bound_of_floats(piece, flows), method, approximation=found)
