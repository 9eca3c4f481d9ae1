"""Two channels on the same secrets, brought to the form in which they are compared."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.model import Channel, as_channel, proportional_groups, summed_groups
from dprivacy.numbers import Mat
from dprivacy.spaces import require_same_labels

Groups = list[list[int]]


@dataclass(frozen=True)
class Pair:
    """Channels A and B with their rows in one order, and their reduced matrices a and b.

    Impossible outputs are dropped and proportional columns are added up, which changes nothing that
    an adversary could notice; `a_groups` and `b_groups` say which columns went where.
    """

    first: Channel
    second: Channel
    a: Mat
    b: Mat
    a_groups: Groups
    b_groups: Groups

    @property
    def secrets(self) -> tuple[Any, ...]:
        """The secrets, in the order of the rows of a and b."""
        return self.first.rows

    @property
    def exact(self) -> bool:
        """Whether both channels are exact."""
        return self.a.exact

    def post_processing(self, r: Mat) -> Channel:
        """R on all outputs of A and B, from its form on the reduced matrices.

        1. Outputs of A that were merged behave alike.
        2. What arrives at a merged output of B is dealt out in the proportions it was merged in.
        3. An impossible output of A may become anything; it becomes B's first.
        """
        m, k = len(self.first.columns), len(self.second.columns)
        if r.shape == (m, k):
            return Channel(self.first.columns, self.second.columns, r)
        zero: Any = Fraction(0) if r.exact else 0.0
        full = [[zero] * k for _ in range(m)]
        shares = [
            [_share(self.second.matrix, self.b, j, h) for j in group]
            for h, group in enumerate(self.b_groups)
        ]
        for g, members in enumerate(self.a_groups):
            row = r.row(g)
            for h, group in enumerate(self.b_groups):
                for j, share in zip(group, shares[h], strict=True):
                    for y in members:
                        full[y][j] = row[h] * share
        for y in set(range(m)).difference(*self.a_groups):
            full[y][0] = zero + 1
        return Channel(self.first.columns, self.second.columns, full)

    def table(self, rows: list[list[Fraction | float]]) -> Mat:
        """Rows of numbers as a matrix, exact where the channels are."""
        if self.exact:
            return Mat.of([[Fraction(value) for value in row] for row in rows])
        return Mat(np.array(rows, dtype=np.float64))


def merged_labels(channel: Channel, groups: Groups) -> list[Any]:
    """A label for each reduced column: of the one output, or of all that were merged."""
    names = [tuple(channel.columns[j] for j in group) for group in groups]
    return [name[0] if len(name) == 1 else name for name in names]


def read_pair(A: Any, B: Any) -> Pair:
    """Two channels (or what `as_channel` reads), aligned and reduced; refused as `refines` says."""
    first, second = as_channel(A), as_channel(B)
    require_same_labels(first.rows, second.rows, "comparing two channels: inputs")
    if first.rows != second.rows:
        second = second.restrict(first.rows)
    first.matrix._require_same(second.matrix)
    a_groups, a = reduced(first.matrix)
    b_groups, b = reduced(second.matrix)
    return Pair(first, second, a, b, a_groups, b_groups)


def reduced(matrix: Mat) -> tuple[Groups, Mat]:
    """Groups of proportional columns (none for columns of zeros), and the matrix of their sums."""
    found = proportional_groups(matrix)
    whole = len(found) == matrix.shape[1]
    return found, matrix if whole else summed_groups(matrix, found)


def integer_rows(a: Mat, b: Mat) -> tuple[Mat, Mat]:
    """A and B with each row scaled (alike in both) to the smallest integers: the same R solves A·R = B.

    Rows with denominators of their own are much shorter so than over one denominator for all.
    """
    left, right = [], []
    for mine, theirs in zip(a.entries.tolist(), b.entries.tolist(), strict=True):
        mine, theirs = [v * b.den for v in mine], [v * a.den for v in theirs]
        common = math.gcd(*mine, *theirs)
        left.append([v // common for v in mine])
        right.append([v // common for v in theirs])
    return Mat.over(1, left), Mat.over(1, right)


def _share(whole: Mat, merged: Mat, j: int, h: int) -> Fraction | float:
    """Which part of merged column h is column j."""
    x = int(np.argmax(merged.entries[:, h] != 0))
    if merged.exact:
        return Fraction(whole[x, j]) / Fraction(merged[x, h])
    return float(whole.floats[:, j].sum() / merged.floats[:, h].sum())
