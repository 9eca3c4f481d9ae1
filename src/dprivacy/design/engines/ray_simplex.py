"""The simplex method over the rays of a private cone, in balls of as many bits as it takes.

A channel is a mixture of rays, each with the output it belongs to, whose rows sum to 1. A vertex has as
many rays as there are secrets. The method goes from vertex to vertex, taking up the rays of least
reduced cost, which floats propose and balls confirm.
"""

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.design.engines.scaled_cone import Ball, Balls, Cone
from dprivacy.design.engines.tree_rays import Tree, walk_roughly
from dprivacy.design.problems.independent_pieces import Piece
from dprivacy.numbers import Floats, Sparse, solve_in_floats

_WORTH_FLOATS = 100  # secrets times outputs from which floats propose
_RENEW = 12  # pivots after which the inverse is computed afresh
_MOST_ROUNDS = 100  # for each secret
_DEAR = 100  # log₂ of what a column that is not private costs, of the largest cost
_FEW_ROUNDS = 200  # of looking for a start in floats
_CALM = 0.7  # the share of the best multipliers so far
_KEPT = 5  # rays that are kept there, for each secret
_BETTER = 1e-11  # of the largest cost: what a new ray must be worth there


@dataclass(frozen=True, eq=False)
class Source:
    """Where a column comes from: a tree, or without one the same for all, or one secret alone."""

    output: int
    tree: Tree | None
    secret: int | None = None

    def values(self, cone: Cone, factors: tuple[list[Any], list[Any]], one: Any) -> list[Any]:
        """The column, in whatever numbers the factors are."""
        if self.tree is not None:
            return self.tree.values(cone, factors, one)
        n = len(cone.codes)
        return [one if self.secret in (None, x) else one - one for x in range(n)]


_Candidate = tuple[Source, Balls, Ball]  # a column, its entries and its price


class Simplex:
    """The program Σ_k w_k·r_k = 1, w ≥ 0, of least Σ_k w_k·price_k over all rays r_k.

    Columns of one secret each are not private, and so dear that they leave. Ties between leaving
    columns are broken as if the right-hand side were larger by Σ_k δ^k·(the kth column of the first
    basis) for a tiny δ, so that no basis comes twice.
    """

    def __init__(
        self,
        piece: Piece,
        cone: Cone,
        trees: list[Tree],
        bits: int,
        basis: list[Source],
    ) -> None:
        from flint import arb, fmpz

        self.piece, self.cone, self.trees, self.bits = piece, cone, trees, bits
        self.factors = cone.factors(bits)
        den = arb(fmpz(piece.costs.den))
        self.costs = [[arb(fmpz(v)) / den for v in line] for line in piece.costs.entries.T.tolist()]
        self.dear = int(piece.costs.entries.max()) << _DEAR
        self.basis = list(basis)
        self.columns = [source.values(cone, self.factors, arb(1)) for source in self.basis]
        self.prices = [
            arb(fmpz(self.dear)) / den
            if source.secret is not None
            else dot(self.costs[source.output], column)
            for source, column in zip(self.basis, self.columns, strict=True)
        ]
        self.start = self._matrix()
        self._renew()

    def _matrix(self) -> Any:
        from flint import arb_mat

        n = self.piece.n
        return arb_mat(n, n, [column[x] for x in range(n) for column in self.columns])

    def _renew(self) -> None:
        """Compute the inverse of the basis afresh."""
        self.inverse = self._matrix().inv()
        self.pivots = 0

    def multipliers(self) -> Balls:
        """λ: what each row sum is worth at the vertex."""
        from flint import arb_mat

        return list((arb_mat(1, self.piece.n, self.prices) * self.inverse).entries())

    def weights(self) -> Balls:
        """How much of each column."""
        return [sum(row[1:], row[0]) for row in self.inverse.tolist()]

    def rounds(self) -> Iterator[None]:
        """Price every output, and take up what improves, until nothing does.

        It ends early where no sign is certain, or signs that are not have led it in circles.
        """
        for _ in range(_MOST_ROUNDS * self.piece.n):
            found = self._priced()
            if not found:
                return
            yield
            while found:
                best = self._best(found)
                if best is None:
                    break
                if not self._enter(*found.pop(best)):
                    return
                yield
            self._renew()

    def _priced(self) -> list[_Candidate]:
        """Rays of negative reduced cost: those that floats find, or where there is none, all."""
        multipliers = self.multipliers()
        if self.piece.costs.entries.size >= _WORTH_FLOATS:
            rough = np.array([float(value.mid()) for value in multipliers])
            walk_roughly(self.cone, self.trees, self.piece.costs.floats.T - rough)
            found = list(self._walked(multipliers, 0))
            if found:
                return found
        return list(self._walked(multipliers, math.inf))

    def _walked(self, multipliers: Balls, steps: float) -> Iterator[_Candidate]:
        for y, tree in enumerate(self.trees):
            prices = [c - m for c, m in zip(self.costs[y], multipliers, strict=True)]
            values, ratio = tree.walk(self.cone, self.factors, prices, steps=steps)
            if ratio < 0:
                yield Source(y, tree.copy()), values, dot(self.costs[y], values)

    def _best(self, found: list[_Candidate]) -> int | None:
        """Which candidate has the least reduced cost in proportion to its sum, if below 0."""
        multipliers = self.multipliers()
        best, least = None, 0
        for k, (_, values, price) in enumerate(found):
            ratio = (price - dot(multipliers, values)) / sum(values[1:], values[0])
            if ratio < least:
                best, least = k, ratio
        return best

    def _enter(self, source: Source, values: Balls, price: Ball) -> bool:
        """Take a column up in place of the one whose weight comes to 0 first; False without one."""
        from flint import arb_mat

        n = self.piece.n
        change = self.inverse * arb_mat(n, 1, values)
        steps = list(change.entries())
        leaving = self._leaving(steps)
        if leaving is None:
            return False
        row = arb_mat(1, n, [self.inverse[leaving, x] / steps[leaving] for x in range(n)])
        change[leaving, 0] = steps[leaving] - 1
        self.inverse = self.inverse - change * row
        self.basis[leaving], self.columns[leaving], self.prices[leaving] = source, values, price
        self.pivots += 1
        if self.pivots >= _RENEW:
            self._renew()
        return True

    def _leaving(self, steps: Balls) -> int | None:
        """The column whose weight comes to 0 first; None where no sign is certain."""
        left = [k for k, step in enumerate(steps) if step > 0]
        weights = self.weights()
        left = _least(left, [weights[k] / steps[k] for k in left])
        if len(left) > 1:
            table = (self.inverse * self.start).tolist()
            for at in range(self.piece.n):
                left = _least(left, [table[k][at] / steps[k] for k in left])
        return left[0] if left else None


def _least(left: list[int], shares: Balls) -> list[int]:
    """Those that may have the least share."""
    if len(left) < 2:
        return left
    least = min(shares, key=lambda ball: ball.mid())
    return [k for k, share in zip(left, shares, strict=True) if not share > least]


def dot(one: list[Any], other: list[Any]) -> Any:
    """Σ one·other."""
    total = one[0] * other[0]
    for a, b in zip(one[1:], other[1:], strict=True):
        total += a * b
    return total


# -------------------------------------------------------------------------------------- where to start


def plain_basis(piece: Piece) -> list[Source]:
    """The output that is the same for all and cheapest so, with weight 1; one secret each, with 0."""
    totals = piece.costs.entries.sum(axis=0).tolist()
    best = totals.index(min(totals))
    return [Source(best, None), *(Source(best, None, x) for x in range(1, piece.n))]


def started(piece: Piece, cone: Cone, trees: list[Tree], bits: int, basis: list[Source]) -> Simplex:
    """The method at a basis, or at the plain one where that basis gives no vertex."""
    try:
        state = Simplex(piece, cone, trees, bits, basis)
        if not any(weight < 0 for weight in state.weights()):
            return state
    except ZeroDivisionError:
        pass
    return Simplex(piece, cone, trees, bits, plain_basis(piece))


def proposed(piece: Piece, cone: Cone, trees: list[Tree], until: float) -> list[Source]:
    """The basis at which HiGHS ends, with rays that float walks find; the plain one for few secrets.

    Rays are priced between the multipliers of the last vertex and the best so far, which keeps these
    from jumping. The trees are left near the best for the last multipliers. Past `until` (of
    `time.monotonic`) it is the plain basis.
    """
    plain = plain_basis(piece)
    if piece.costs.entries.size < _WORTH_FLOATS:
        return plain
    costs = piece.costs.floats.T / piece.costs.floats.max()
    sources = [plain[0], *(Source(y, tree.copy()) for y, tree in enumerate(trees))]
    table = np.array([np.ones(piece.n), *(tree.roughly(cone) for tree in trees)])
    prices = np.array([costs[s.output] @ v for s, v in zip(sources, table, strict=True)])
    ones = np.ones(piece.n)
    centre, bound = None, -np.inf
    for _ in range(_FEW_ROUNDS):
        found = solve_in_floats(prices, Sparse.of(table.T), ones, ones, tolerance=1e-10)
        if found is None or time.monotonic() > until:
            return plain
        last = found.prices
        fresh: list[tuple[Source, Floats]] = []
        for point in [last] if centre is None else [_CALM * centre + (1 - _CALM) * last, last]:
            walk_roughly(cone, trees, costs - point)
            rays = np.array([tree.roughly(cone) for tree in trees])
            ratios = ((costs - point) * rays).sum(axis=1) / rays.sum(axis=1)
            if point.sum() + piece.n * min(0.0, ratios.min()) > bound:
                centre, bound = point, point.sum() + piece.n * min(0.0, ratios.min())
            gains = ((costs - last) * rays).sum(axis=1) / rays.sum(axis=1)
            better = np.flatnonzero(gains < -_BETTER).tolist()
            fresh = [(Source(y, trees[y].copy()), rays[y]) for y in better]
            if fresh:
                break
        basic = found.basic_columns
        if not fresh:
            rows = np.flatnonzero(found.basic_rows).tolist()
            kept = [source for source, in_it in zip(sources, basic, strict=True) if in_it]
            return [*kept, *(Source(plain[0].output, None, x) for x in rows)]
        worth = (prices - table @ last) / table.sum(axis=1)
        worth[basic] = -np.inf
        at = np.sort(np.argsort(worth, kind="stable")[: _KEPT * piece.n])
        sources = [*(sources[k] for k in at.tolist()), *(source for source, _ in fresh)]
        table = np.concatenate([table[at], [ray for _, ray in fresh]])
        prices = np.concatenate([prices[at], [costs[s.output] @ ray for s, ray in fresh]])
    return plain
