"""The exact optimum of small problems: a vertex proposed in floats, solved again in rationals.

At a vertex the tight pairs of an output tie its secrets into groups, and inside a group the column is
fixed up to one factor: powers of e^(ε·d) along the tight pairs. So a vertex is as many groups as there
are secrets, and the row sums are one small linear system for their factors; its transpose gives the
multipliers, and going from the leaves of each group to its root gives the flows. Both are then checked:
nothing depends on how the vertex was found.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.design.engines.lower_bounds import Bound, ExactFlows, bound_of_exact, bound_of_nothing
from dprivacy.design.problems.independent_pieces import Piece
from dprivacy.numbers import Floats, FloatSolution, Mat, Sparse, Whole, solve_in_floats

_MOST_CONSTRAINTS = 6_000  # ordered pairs times outputs, for the simplex method of HiGHS
_TIGHT = 1e-10  # the finest tolerance that HiGHS takes
_STEEPEST = 16.0  # of a constraint's entries, e^±16 at most: HiGHS leaves out what is too small
_LEAST = 1e-290  # the smallest unit in which an entry of the channel is measured

Tie = tuple[int, int, Fraction]  # (above, below, e^(ε·d)): z[above] = e^(ε·d)·z[below]


@dataclass(frozen=True, eq=False)
class Vertex:
    """An exact channel on a piece, its loss, and an exact lower bound.

    They meet at an optimum with rational e^(ε·d). A vertex that floats took for the best of several
    almost equally good ones has a gap, as small as what misled them.
    """

    channel: Mat
    loss: Fraction
    bound: Bound


def small(piece: Piece) -> bool:
    """Whether the linear program of a piece is small enough to be solved exactly.

    The pairs connect the rows, so that there are at least n − 1; many rows need not be looked at.
    """
    fewest = 2 * (piece.n - 1) * piece.m
    return fewest <= _MOST_CONSTRAINTS and 2 * len(piece.pairs) * piece.m <= _MOST_CONSTRAINTS


def exact_optimum(piece: Piece, near: Floats | None = None) -> Vertex | None:
    """The optimum of a piece in rationals, or None where floats proposed no vertex that is private.

    Parameters
    ----------
    piece
        What to optimise.
    near
        A channel near the optimum. Entries are then measured by those of this channel, and costs by
        its loss, so that a solver's tolerances make sense for probabilities of e^−50 too.

    Notes
    -----
    Where e^(ε·d) is irrational, a rational just below it takes its place in the channel and one just
    above it in the bound; they are 2⁻¹⁵⁰ of it apart.
    """
    if piece.n == 1:
        return _single(piece)
    proposal = _proposed(piece, near)
    if proposal is None:
        return None
    ties, zeros, settled = proposal
    groups = [_groups(piece.n, ties[y], zeros[y]) for y in range(piece.m)]
    if None in groups:
        return None
    return _solved(piece, [group for group in groups if group is not None], settled)


def _single(piece: Piece) -> Vertex:
    """One secret alone: the cheapest output."""
    row = piece.costs.entries[0].tolist()
    best = row.index(min(row))
    channel = Mat.over(1, [[int(y == best) for y in range(piece.m)]])
    return Vertex(channel, Fraction(piece.costs[0, best]), bound_of_nothing(piece))


def _proposed(
    piece: Piece, near: Floats | None
) -> tuple[list[list[Tie]], list[list[int]], list[int]] | None:
    """Tight pairs and zeros of every output where HiGHS ends, and the row sums that bind."""
    n, m = piece.n, piece.m
    above = np.concatenate([piece.pairs[:, 0], piece.pairs[:, 1]])
    below = np.concatenate([piece.pairs[:, 1], piece.pairs[:, 0]])
    lows = [reach.low for reach in piece.reaches] * 2
    try:
        factors = np.array([float(low) for low in lows])
    except OverflowError:  # beyond the doubles: no proposal
        return None
    found = _program_end(piece, above, below, factors, near)
    if found is None:
        return None
    free, fixed = ~found.basic_rows, ~found.basic_columns
    ties: list[list[Tie]] = [[] for _ in range(m)]
    for k in np.flatnonzero(free[n:]).tolist():
        y, at = divmod(k, len(above))
        ties[y].append((int(above[at]), int(below[at]), lows[at]))
    zeros: list[list[int]] = [[] for _ in range(m)]
    for k in np.flatnonzero(fixed).tolist():
        zeros[k // n].append(k % n)
    return ties, zeros, np.flatnonzero(free[:n]).tolist()


def _program_end(
    piece: Piece, above: Whole, below: Whole, factors: Floats, near: Floats | None
) -> FloatSolution | None:
    """Where HiGHS ends on Σ_y u·w[x, y] = 1 and a·u·w[below] − u·w[above] ≥ 0, for z = u·w.

    Entries stand by output, then by secret.
    """
    n, m, count = piece.n, piece.m, len(above)
    unit = np.ones((m, n)) if near is None else np.maximum(near.T, _LEAST)
    costs = piece.costs.floats.T * unit
    size = costs.max() if near is None else costs.sum()
    # Each constraint is divided by the geometric mean of its two entries.
    steep = 0.5 * (np.log(factors) + np.log(unit[:, below]) - np.log(unit[:, above]))
    steep = np.exp(np.clip(steep, -_STEEPEST, _STEEPEST))
    sums = (np.arange(n)[:, None] + n * np.arange(m)[None, :]).ravel()
    shift = n * np.arange(m)[:, None]
    both = np.stack([below + shift, above + shift], axis=2).ravel()
    values = np.stack([steep, -1.0 / steep], axis=2)
    matrix = Sparse(
        np.concatenate([np.arange(n) * m, n * m + 2 * np.arange(count * m + 1)]),
        np.concatenate([sums, both]),
        np.concatenate([unit.T.ravel(), values.ravel()]),
        by_row=True,
    )
    return solve_in_floats(
        costs.ravel() / (size or 1.0),
        matrix,
        np.concatenate([np.ones(n), np.zeros(count * m)]),
        np.concatenate([np.ones(n), np.full(count * m, np.inf)]),
        tolerance=_TIGHT,
    )


@dataclass(frozen=True, eq=False)
class _Group:
    """Secrets of one output that tight pairs tie together.

    `order` lists (secret, parent, tie) from the root on; `shape` is the column up to a factor, which is
    0 when there is one tie more than a tree needs (`extra`) or a secret that must be 0 (`zero`).
    """

    order: list[tuple[int, int, Tie | None]]
    shape: dict[int, Fraction]
    extra: Tie | None
    zero: int | None

    @property
    def empty(self) -> bool:
        return self.extra is not None or self.zero is not None


def _groups(n: int, ties: list[Tie], zeros: list[int]) -> list[_Group] | None:
    """The groups of one output; None when its tight pairs are dependent."""
    around: list[list[Tie]] = [[] for _ in range(n)]
    for tie in ties:
        around[tie[0]].append(tie)
        around[tie[1]].append(tie)
    seen: set[int] = set()
    found = []
    for root in range(n):
        if root in seen:
            continue
        order: list[tuple[int, int, Tie | None]] = [(root, -1, None)]
        shape, used, extra = {root: Fraction(1)}, set(), []
        for at, _, _ in order:
            for tie in around[at]:
                if id(tie) in used:
                    continue
                used.add(id(tie))
                above, below, factor = tie
                other = below if at == above else above
                value = shape[at] / factor if at == above else shape[at] * factor
                if other not in shape:
                    shape[other] = value
                    order.append((other, at, tie))
                elif shape[other] == value:
                    return None
                else:
                    extra.append(tie)
        seen |= shape.keys()
        must = [x for x in zeros if x in shape]
        if len(extra) + len(must) > 1:
            return None
        found.append(_Group(order, shape, extra[0] if extra else None, must[0] if must else None))
    return found


def _solved(piece: Piece, groups: list[list[_Group]], settled: list[int]) -> Vertex | None:
    """Factors, multipliers and flows of a vertex; None unless all are as an optimum has them."""
    from flint import fmpq_mat

    from dprivacy.numbers import to_flint

    full = [(y, group) for y in range(piece.m) for group in groups[y] if not group.empty]
    if len(full) != len(settled):
        return None
    zero = Fraction(0)
    system = to_flint(Mat.of([[group.shape.get(x, zero) for _, group in full] for x in settled]))
    prices = [
        sum((Fraction(piece.costs[x, y]) * v for x, v in group.shape.items()), zero)
        for y, group in full
    ]
    try:
        factors = system.solve(fmpq_mat(len(settled), 1, [1] * len(settled)))
        dual = system.transpose().solve(to_flint(Mat.of([[price] for price in prices])))
    except ZeroDivisionError:
        return None
    table = [[zero] * piece.m for _ in range(piece.n)]
    for k, (y, group) in enumerate(full):
        factor = _fraction(factors[k, 0])
        for x, value in group.shape.items():
            table[x][y] = factor * value
    multipliers = [zero] * piece.n
    for k, x in enumerate(settled):
        multipliers[x] = _fraction(dual[k, 0])
    flows: dict[tuple[int, int, int], Fraction] = {}
    for y in range(piece.m):
        for group in groups[y]:
            prices_here = {x: Fraction(piece.costs[x, y]) - multipliers[x] for x in group.shape}
            found = _flows(group, prices_here)
            if found is None:
                return None
            flows |= {(y, *pair): amount for pair, amount in found.items() if amount > 0}
    channel = Mat.of(table)
    if not is_private(piece, channel):
        return None
    loss = sum((_fraction(factors[k, 0]) * price for k, price in enumerate(prices)), zero)
    return Vertex(channel, loss, bound_of_exact(piece, ExactFlows(flows)))


def _flows(group: _Group, prices: dict[int, Fraction]) -> dict[tuple[int, int], Fraction] | None:
    """Weights f on the ties with Σ f·(a·[below] − [above]) = prices; at an optimum they are ≥ 0.

    A tree's weights follow from its leaves. One tie more, or a secret held at 0, takes up what is then
    left at the root.
    """
    flows, rest = _emptied(group, prices)
    if rest:
        unit = dict.fromkeys(prices, Fraction(0))
        if group.extra is not None:
            above, below, factor = group.extra
            unit[below], unit[above] = -factor, Fraction(1)
        elif group.zero is not None:
            unit[group.zero] = Fraction(-1)
        else:
            return None
        change, left = _emptied(group, unit)
        if not left:
            return None
        share = -rest / left
        flows = {pair: amount + share * change[pair] for pair, amount in flows.items()}
        if group.extra is not None:
            pair = group.extra[:2]
            flows[pair] = flows.get(pair, Fraction(0)) + share
    return flows


def _emptied(
    group: _Group, prices: dict[int, Fraction]
) -> tuple[dict[tuple[int, int], Fraction], Fraction]:
    """Send everything to the root: the weights of the tree's ties, and what the root is left with."""
    left, flows = dict(prices), {}
    for at, parent, tie in reversed(group.order[1:]):
        assert tie is not None
        above, below, factor = tie
        if at == below:
            flows[above, below] = left[at] / factor
            left[parent] += flows[above, below]
        else:
            flows[above, below] = -left[at]
            left[parent] += factor * left[at]
    return flows, left[group.order[0][0]]


def is_private(piece: Piece, channel: Mat) -> bool:
    """Whether an exact matrix is a channel on the piece that keeps every pair."""
    entries = channel.entries
    if (entries < 0).any() or (entries.sum(axis=1) != channel.den).any():
        return False
    for (i, j), reach in zip(piece.pairs.tolist(), piece.reaches, strict=True):
        up, down = reach.low.numerator, reach.low.denominator
        if (entries[i] * down > entries[j] * up).any() or (
            entries[j] * down > entries[i] * up
        ).any():
            return False
    return True


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))
