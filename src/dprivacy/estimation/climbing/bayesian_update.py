"""The iterative Bayesian update: climbing to the maximum-likelihood distribution."""

from dataclasses import dataclass, replace

import numpy as np

from dprivacy.errors import BadNumber, UnknownCategory
from dprivacy.estimation.climbing.compiled_updates import compiled_updates, worth_compiling
from dprivacy.estimation.climbing.newton_steps import interior
from dprivacy.estimation.operators.channel_operator import Dense, Operator
from dprivacy.numbers import Floats
from dprivacy.sources import result

_ROUNDING = 4e-16  # changes of the mean log-likelihood below this are noise
_HELD_BACK = 0.1  # a probability that a leap would make negative keeps this share
_LOST = 1e-100  # below this a probability cannot grow back by itself
_CHECK_EVERY = 32  # plain updates between two looks at the gap
_LINE = 8  # doubles in a cache line
_PATIENCE = 60  # updates before the interior steps are tried


@dataclass(frozen=True)
class Climb:
    """Where the update ended.

    Attributes
    ----------
    p
        The distribution, in the order of the channel's inputs.
    gap
        max_x Σ_y q_y·C_xy/(pC)_y − 1: the mean log-likelihood of p is at most this far below the
        largest there is.
    iterations
        Updates made, each one pass forward and one back.
    converged
        Whether the gap came below the tolerance.
    trace
        The mean log-likelihood (column scales left out) after every leap; for plain updates, at
        every look.
    """

    p: Floats
    gap: float
    iterations: int
    converged: bool
    trace: tuple[float, ...]


@result("T", "Def 8.3.1", "Thm 8.1")
def climb(
    operator: Operator,
    frequencies: Floats,
    *,
    tolerance: float,
    max_iterations: int,
    accelerate: bool = True,
    start: Floats | None = None,
) -> Climb:
    """The distribution under which the observed frequencies are likeliest.

    p'_x = Σ_y q_y·p_x·C_xy/(pC)_y, again and again; in leaps when `accelerate`.

    Parameters
    ----------
    operator
        The channel.
    frequencies
        q, not negative, summing to 1.
    tolerance
        The gap to stop at.
    max_iterations
        Updates to stop at.
    accelerate
        Leap, or take every step as T Def 8.3.1 writes it.
    start
        A distribution to start from; uniform when omitted.

    Notes
    -----
    1. The mean log-likelihood L(p) = Σ_y q_y·ln (pC)_y is concave, its gradient is
       g_x = Σ_y q_y·C_xy/(pC)_y, and Σ_x p_x·g_x = 1. So L(p*) − L(p) ≤ max_x g_x − 1:
       a certificate that needs nothing else.
    2. One update is p ← p∘g, and never lowers L.
    3. A leap (SQUAREM) follows two updates p → p₁ → p₂ along p + 2s·r + s²·v, r = p₁ − p,
       v = (p₂ − p₁) − r, with s = ‖r‖/‖v‖ in the metric Σ·²/p₁. Where that is negative, a tenth of p₂
       is kept. It is taken only if it is likelier than p₁, and p₂ otherwise: L never falls.
    4. The comparison adds q·log1p(change), which sees differences that subtracting two sums would
       not; where even that is rounding, the smaller gap decides.
    5. A probability that has all but vanished although its g is above 1 is given new mass by a step
       towards it, halved until L rises.

    6. What has not converged after 60 updates is finished from inside (`interior`), where the channel
       allows it; its answer too is taken only if it is likelier.

    Cost: two passes an update; O(inputs) each for structured operators.
    """
    q = _checked(operator, frequencies)
    p = np.full(operator.inputs, 1 / operator.inputs) if start is None else start / start.sum()
    with np.errstate(under="ignore", over="ignore", divide="ignore", invalid="ignore"):
        if not accelerate:
            return _steps(operator, q, p, tolerance, max_iterations)
        first = _leaps(operator, q, p, tolerance, min(max_iterations, _PATIENCE))
        if first.converged or first.iterations >= max_iterations:
            return first
        return _finished(operator, q, first, tolerance, max_iterations)


def _finished(
    operator: Operator, q: Floats, first: Climb, tolerance: float, max_iterations: int
) -> Climb:
    """Interior steps, if they lead higher, and leaps for what is left."""
    inside = interior(operator, q, tolerance)
    p, used = first.p, first.iterations
    if inside is not None:
        used += inside[1]
        if _gain(q, operator.forward(p), operator.forward(inside[0])) >= -_ROUNDING:
            p = inside[0]
    rest = _leaps(operator, q, p, tolerance, max(max_iterations - used, 0))
    return replace(rest, iterations=used + rest.iterations, trace=first.trace + rest.trace)


def _checked(operator: Operator, frequencies: Floats) -> Floats:
    """The frequencies; refused where an output was seen that the channel cannot give."""
    impossible = float(frequencies[np.isneginf(operator.column_logs)].sum())
    if impossible > 0:
        raise UnknownCategory(
            f"{100 * impossible:.3g} % of the answers are outputs that this channel gives with "
            "probability 0, whatever the truth; were they made by another mechanism?"
        )
    if not np.isfinite(frequencies).all() or (frequencies < 0).any():
        raise BadNumber(f"frequencies should be finite and at least 0, not {frequencies.min()!r}")
    return frequencies


def gradient(operator: Operator, q: Floats, r: Floats) -> Floats:
    """g_x = Σ_y q_y·C_xy/r_y, outputs that were not seen left out."""
    return operator.backward(np.divide(q, r, out=np.zeros_like(q), where=q > 0))


def mean_log_likelihood(q: Floats, r: Floats) -> float:
    """Σ_y q_y·ln r_y over the outputs that were seen."""
    seen = q > 0
    return float(q[seen] @ np.log(r[seen]))


def _gain(q: Floats, before: Floats, after: Floats) -> float:
    """L(after) − L(before), accurate when it is small; −inf where `after` forbids what was seen."""
    seen = q > 0
    old, new = before[seen], after[seen]
    if not (new > 0).all():
        return -np.inf
    return float(q[seen] @ np.log1p((new - old) / old))


def _steps(
    operator: Operator, q: Floats, p: Floats, tolerance: float, max_iterations: int
) -> Climb:
    """Plain updates: between two looks nothing but the four operations of each."""
    inputs, table = len(p), None
    if isinstance(operator, Dense):
        table, q, p = _laid_out(operator.scaled, q, p)
    r, g = np.empty(len(q)), np.ones(len(p))
    trace: list[float] = []
    done, more = 0, 0
    _update(operator, table, q, p, r, g, 1)  # g = 1: p stays, and r and g become those of p
    while True:
        done += more
        gap = float(g.max()) - 1
        trace.append(mean_log_likelihood(q, r))
        if gap <= tolerance or done == max_iterations:
            return Climb(p[:inputs], gap, done, gap <= tolerance, tuple(trace))
        more = min(_CHECK_EVERY, max_iterations - done)
        if table is not None and worth_compiling(table, done):
            compiled_updates()(table, q, p, r, g, more)
        else:
            _update(operator, table, q, p, r, g, more)


def _update(
    operator: Operator,
    table: Floats | None,
    q: Floats,
    p: Floats,
    r: Floats,
    g: Floats,
    times: int,
) -> None:
    """So many updates of p, by its own g, with the r and the g that come of each; all in place."""
    if table is None:
        for _ in range(times):
            p *= g
            r[:] = operator.forward(p)
            g[:] = gradient(operator, q, r)
        return
    weights = np.empty_like(r)
    forward, backward, divide, multiply = p.dot, table.dot, np.divide, np.multiply
    for _ in range(times):
        multiply(p, g, p)
        forward(table, r)
        divide(q, r, weights)
        backward(weights, g)


def _laid_out(matrix: Floats, q: Floats, p: Floats) -> tuple[Floats, Floats, Floats]:
    """The columns that were seen, their frequencies, and p, as BLAS reads them fastest.

    Rows begin at whole cache lines. What fills them up changes nothing: outputs of frequency 0, which
    every input gives, and inputs of probability 0.
    """
    seen = np.flatnonzero(q)
    (inputs, outputs), (height, width) = (len(p), len(seen)), (_whole(len(p)), _whole(len(seen)))
    memory = np.ones(height * width + _LINE)
    skipped = -memory.ctypes.data % (8 * _LINE) // 8
    table = memory[skipped : skipped + height * width].reshape(height, width)
    table[:inputs, :outputs] = matrix if outputs == len(q) else matrix[:, seen]
    frequencies, start = np.zeros(width), np.zeros(height)
    frequencies[:outputs], start[:inputs] = q[seen], p
    # a filling input that gives no output has the gradient 0, so that it is never the largest
    table[inputs:] = 0
    return table, frequencies, start


def _whole(count: int) -> int:
    """The count, rounded up to whole cache lines."""
    return -(-count // _LINE) * _LINE


def _leaps(
    operator: Operator, q: Floats, p: Floats, tolerance: float, max_iterations: int
) -> Climb:
    """Updates two by two, each pair followed by a leap."""
    r = operator.forward(p)
    g = gradient(operator, q, r)
    trace = [mean_log_likelihood(q, r)]
    iterations, longest = 0, 4.0
    while True:
        gap = float(g.max()) - 1
        if gap <= tolerance or iterations >= max_iterations:
            return Climb(p, gap, iterations, gap <= tolerance, tuple(trace))
        best = int(g.argmax())
        if p[best] < _LOST:
            p, r = _revive(operator, q, p, r, best)
            g = gradient(operator, q, r)
        p1 = _normal(p * g)
        r1 = operator.forward(p1)
        g1 = gradient(operator, q, r1)
        p2 = _normal(p1 * g1)
        iterations += 2
        length = _leap_length(p, p1, p2, longest)
        leapt = _leap(p, p1, p2, length)
        reached = operator.forward(leapt)
        gain = _gain(q, r1, reached)
        slope = gradient(operator, q, reached) if gain >= -_ROUNDING else g1
        if gain > _ROUNDING or (gain >= -_ROUNDING and slope.max() <= g1.max()):
            p, r, g = leapt, reached, slope
            longest = longest * 4 if length == longest else longest
        else:
            p, r = p2, operator.forward(p2)
            g = gradient(operator, q, r)
            longest = max(length / 2, 1.5)
        trace.append(mean_log_likelihood(q, r))


def _leap_length(p: Floats, p1: Floats, p2: Floats, longest: float) -> float:
    first, bend = p1 - p, p2 - 2 * p1 + p
    weight = np.divide(1.0, p1, out=np.zeros_like(p1), where=p1 > 1e-14)
    curved = float(bend * bend @ weight)
    straight = float(first * first @ weight)
    length = (straight / curved) ** 0.5 if curved > 0 else longest
    return min(max(length, 1.0), longest)


def _leap(p: Floats, p1: Floats, p2: Floats, length: float) -> Floats:
    leapt = p + 2 * length * (p1 - p) + length**2 * (p2 - 2 * p1 + p)
    return _normal(np.where(leapt > 0, leapt, _HELD_BACK * p2))


def _revive(operator: Operator, q: Floats, p: Floats, r: Floats, at: int) -> tuple[Floats, Floats]:
    """Mass moved to one input, as much as makes the data likelier (the derivative there is > 0)."""
    corner = np.zeros_like(p)
    corner[at] = 1.0
    towards = operator.forward(corner)
    share = 0.5
    while share > 1e-18:
        moved = r + share * (towards - r)
        if _gain(q, r, moved) > 0:
            return _normal(p + share * (corner - p)), moved
        share /= 4
    return p, r


def _normal(p: Floats) -> Floats:
    return np.asarray(p / p.sum())
