"""The exact optimum of small problems, at every scale of e^(ε·d).

Where the simplex method over rays ends (`ray_simplex`), the vertex and its dual are solved again: in
rationals where e^(ε·d) is rational, so that loss and bound are one number; else to enough digits that
they enclose the optimum. Both are checked, so that nothing depends on how the vertex was found; where
the check fails, the method goes on with twice the bits.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.design.engines.lower_bounds import Bound, ExactFlows, bound_of_exact, bound_of_nothing
from dprivacy.design.engines.ray_simplex import Simplex, dot, proposed, started
from dprivacy.design.engines.scaled_cone import Ball, Balls, Cone
from dprivacy.design.engines.tree_rays import Tree
from dprivacy.design.problems.independent_pieces import Piece
from dprivacy.numbers import Mat, ball_precision, dyadic, fraction_of, from_flint
from dprivacy.verify import round_outward

_MOST_SECRETS = 64
_MOST_CELLS = 4096  # secrets times outputs
_FIRST_BITS, _MOST_BITS = 320, 1 << 15
_CLOSE = Fraction(1, 1 << 64)  # of the loss: what may stay open where e^(ε·d) is irrational
_GIVEN_UP = 96  # −log₂ of the part of the loss that rounding may cost


@dataclass(frozen=True, eq=False)
class Vertex:
    """A private channel on a piece, its loss, and a lower bound: all exact.

    They meet where e^(ε·d) is rational; elsewhere the channel is rounded, and `rational` is False.
    """

    channel: Mat
    loss: Fraction
    bound: Bound
    rational: bool


def small(piece: Piece) -> bool:
    """Whether a piece is small enough to be solved exactly."""
    few = piece.n <= _MOST_SECRETS and piece.n * piece.m <= _MOST_CELLS
    return few and not piece.stretched


def exact_optimum(piece: Piece, *, seconds: float | None = None) -> Vertex | None:
    """The optimum of a small piece, exactly or enclosed; None where time is up.

    Parameters
    ----------
    piece
        What to optimise.
    seconds
        How long to try.
    """
    plain = _without_privacy(piece)
    if plain is not None:
        return plain
    until = math.inf if seconds is None else time.monotonic() + seconds
    bits = _FIRST_BITS
    cone = Cone.of(piece)
    trees = [Tree.falling_from(cone, _cheapest(piece, y)) for y in range(piece.m)]
    basis = proposed(piece, cone, trees, until)
    while bits <= _MOST_BITS:
        try:
            with ball_precision(bits):
                state = started(piece, cone, trees, bits, basis)
                for _ in state.rounds():
                    if time.monotonic() > until:
                        return None
            settled = _settled(state) if cone.exact is not None else _enclosed(state)
        except ZeroDivisionError:  # a basis that looks singular in so few bits
            settled = None
        if settled is not None:
            return settled
        bits, basis = 2 * bits, state.basis
    return None


def _without_privacy(piece: Piece) -> Vertex | None:
    """The cheapest output for everyone, where that is the best without privacy too."""
    totals = piece.costs.entries.sum(axis=0).tolist()
    best = totals.index(min(totals))
    bound = bound_of_nothing(piece)
    loss = Fraction(totals[best], piece.costs.den)
    if bound.value < loss:
        return None
    channel = Mat.over(1, [[int(y == best) for y in range(piece.m)]] * piece.n)
    return Vertex(channel, loss, bound, rational=True)


def _cheapest(piece: Piece, y: int) -> int:
    """A secret for which an output costs least, compared with the best for that secret."""
    entries = piece.costs.entries
    over: list[int] = (entries[:, y] - entries.min(axis=1)).tolist()
    return over.index(min(over))


# ------------------------------------------------------------------------------------------ proofs


def _settled(state: Simplex) -> Vertex | None:
    """The vertex and its dual in rationals; None unless they prove each other the best."""
    from flint import fmpq, fmpq_mat

    piece, cone, n = state.piece, state.cone, state.piece.n
    factors, den = cone.exact_factors(), piece.costs.den
    costs = [[fmpq(v, den) for v in line] for line in piece.costs.entries.T.tolist()]
    columns = [source.values(cone, factors, fmpq(1)) for source in state.basis]
    prices = [
        fmpq(state.dear, den) if source.secret is not None else dot(costs[source.output], column)
        for source, column in zip(state.basis, columns, strict=True)
    ]
    system = fmpq_mat(n, n, [v for column in columns for v in column])
    try:
        dual = list(system.solve(fmpq_mat(n, 1, prices)).entries())
        weights = list(system.transpose().solve(fmpq_mat(n, 1, [1] * n)).entries())
    except ZeroDivisionError:
        return None
    if any(
        w < 0 or (w > 0 and s.secret is not None) for w, s in zip(weights, state.basis, strict=True)
    ):
        return None
    flows: dict[tuple[int, int, int], Fraction] = {}
    for y, tree in enumerate(state.trees):
        z = tree.values(cone, factors, fmpq(1))
        reduced = [c - v for c, v in zip(costs[y], dual, strict=True)]
        ratio = dot(reduced, z) / sum(z[1:], z[0])
        if ratio < 0:
            return None
        pulls = tree.pulls([(r - ratio) * v for r, v in zip(reduced, z, strict=True)])
        for v in tree.order[1:]:
            amount = -tree.sign[v] * pulls[v]
            if amount < 0:
                return None
            above, below = _ends(tree, v)
            if amount:
                flows[y, above, below] = fraction_of(amount / z[above])
    table = [[fmpq(0)] * piece.m for _ in range(n)]
    for weight, source, column in zip(weights, state.basis, columns, strict=True):
        if weight > 0:
            for x, value in enumerate(column):
                table[x][source.output] += weight * value
    channel = from_flint(fmpq_mat(n, piece.m, [v for row in table for v in row]))
    loss = fraction_of(dot(weights, prices))
    bound = bound_of_exact(piece, ExactFlows(flows))
    return Vertex(channel, loss, bound, rational=True) if bound.value == loss else None


def _ends(tree: Tree, v: int) -> tuple[int, int]:
    """The upper and the lower point of the pair by which a point hangs."""
    return (v, tree.parent[v]) if tree.sign[v] > 0 else (tree.parent[v], v)


def _enclosed(state: Simplex) -> Vertex | None:
    """The vertex rounded to integers that are private, and a bound; None where they are too far apart.

    What rounding gives up to the average output must outweigh the errors of the balls on tight pairs,
    and cost little in comparison with the loss: the smaller the loss, the more bits it takes.
    """
    piece, cone, trees = state.piece, state.cone, state.trees
    with ball_precision(state.bits):
        loss = dot(state.prices, state.weights())
        if not loss > 0:
            return None
        given_up = _GIVEN_UP + _log2(state.piece.n * sum(max(line) for line in state.costs) / loss)
    near = max(0, math.ceil(-math.log2(piece.nearest)))
    bits = max(state.bits, given_up + near + _GIVEN_UP)
    with ball_precision(bits):
        fine = Simplex(piece, cone, trees, bits, state.basis)
        table = _mixed(fine)
        if table is None:
            return None
        least = min(entry for row in table for entry in row if entry > 0)
        rows = [[dyadic(entry) for entry in row] for row in table]
        length = given_up + near + _GIVEN_UP + max(0, _log2(1 / least))
        flows = ExactFlows(dict(_flows(fine)))
    share = Fraction(1, 1 << given_up)
    channel = round_outward(range(piece.n), range(piece.m), rows, length, share).matrix
    paid = Fraction(
        int((channel.entries * piece.costs.entries).sum()), channel.den * piece.costs.den
    )
    bound = bound_of_exact(piece, flows)
    if paid - bound.value > paid * _CLOSE or not _is_private(piece, channel):
        return None
    return Vertex(channel, paid, bound, rational=False)


def _mixed(state: Simplex) -> list[Balls] | None:
    """The channel of a vertex, in balls of radius 0; None where a weight is below 0."""
    from flint import arb

    table = [[arb(0)] * state.piece.m for _ in range(state.piece.n)]
    for weight, source, column in zip(state.weights(), state.basis, state.columns, strict=True):
        if weight < 0 or (weight > 0 and source.secret is not None):
            return None
        if weight > 0:
            for x, value in enumerate(column):
                table[x][source.output] += weight * value
    return [[entry.mid() for entry in row] for row in table]


def _flows(state: Simplex) -> Iterator[tuple[tuple[int, int, int], Fraction]]:
    """The weights of tight pairs by which the multipliers are feasible, but for rounding.

    What a flow takes at the lower end is divided by a factor of at least e^(ε·d), so that what
    distances were shortened by shows only at the upper end.
    """
    from flint import arb, fmpq

    piece, codes, values = state.piece, *_coded(state.piece)
    highs: dict[int, Ball] = {}
    multipliers = state.multipliers()
    for y, tree in enumerate(state.trees):
        z = tree.values(state.cone, state.factors, arb(1))
        reduced = [c - v for c, v in zip(state.costs[y], multipliers, strict=True)]
        ratio = dot(reduced, z) / sum(z[1:], z[0])
        pulls = tree.pulls([(r - ratio) * v for r, v in zip(reduced, z, strict=True)])
        for v in tree.order[1:]:
            above, below = _ends(tree, v)
            code = int(codes[above, below])
            if code not in highs:
                high = piece.high(values[code])
                highs[code] = arb(fmpq(high.numerator, high.denominator))
            amount = (-tree.sign[v] * pulls[v] / (z[below] * highs[code])).mid()
            if amount > 0:
                yield (y, above, below), dyadic(amount)


def _coded(piece: Piece) -> tuple[Any, Sequence[Any]]:
    """Codes and values of the distances of a piece."""
    values = piece.space.distances.values
    assert values is not None
    return piece.space.distances.table, values


def _is_private(piece: Piece, channel: Mat) -> bool:
    """Whether an exact matrix keeps every pair of a piece."""
    entries = channel.entries
    for (i, j), reach in zip(piece.pairs.tolist(), piece.reaches, strict=True):
        up, down = reach.low.numerator, reach.low.denominator
        if (entries[i] * down > entries[j] * up).any() or (
            entries[j] * down > entries[i] * up
        ).any():
            return False
    return True


def _log2(ball: Ball) -> int:
    """A whole number of at least log₂, and little more."""
    return math.ceil(float(ball.log().mid()) / math.log(2)) + 1
