"""The exponential mechanism on an interval of integers, and what turns it into the one at a lower ε."""

from fractions import Fraction

from dprivacy.numbers import Mat

Rows = list[list[Fraction]]


def lowered(n: int, alpha: Fraction, beta: Fraction) -> Mat:
    """R with E_α·R = E_β on the points 0 … n − 1, for α < β (α = e^(−ε/2)).

    Notes
    -----
    E_α = S_α⁻¹·K_α with K[x, y] = α^|x−y| and S the sums of its rows, so that R = K_α⁻¹·S_α·S_β⁻¹·K_β,
    and the inverse of K_α has entries on and beside the diagonal only. No entry of R is negative
    (see the theory page on lowering ε); a row of it is an atom and two geometric tails.
    """
    d = [_row_sum(alpha, n, x) / _row_sum(beta, n, x) for x in range(n)]
    powers = [beta**k for k in range(n)]
    rows = []
    for x in range(n):
        inner = 1 + alpha**2 if 0 < x < n - 1 else Fraction(1)
        parts = [(x, inner * d[x]), *((z, -alpha * d[z]) for z in (x - 1, x + 1) if 0 <= z < n)]
        rows.append(
            [sum(c * powers[abs(z - y)] for z, c in parts) / (1 - alpha**2) for y in range(n)]
        )
    return Mat.of(rows)


def lowered_between(a: Mat, b: Mat) -> Mat | None:
    """R where both are exponential mechanisms on one interval and b has the lower ε; else None."""
    if not a.exact or a.shape != b.shape or a.shape[1] < 2:
        return None
    first, second = _read(a), _read(b)
    if first is None or second is None or first[1] != second[1] or not first[0] < second[0]:
        return None
    return lowered(a.shape[1], first[0], second[0])


def _row_sum(alpha: Fraction, n: int, x: int) -> Fraction:
    return (1 + alpha - alpha ** (x + 1) - alpha ** (n - x)) / (1 - alpha)


def _read(matrix: Mat) -> tuple[Fraction, list[int]] | None:
    """α, and the point of each row, where every row is proportional to α^|x−y| for some point x."""
    alpha: Fraction | None = None
    at = []
    for row in matrix.entries.tolist():
        peak = max(range(len(row)), key=row.__getitem__)
        if 0 in row:
            return None
        steps = [
            Fraction(row[y], row[y + 1]) if y < peak else Fraction(row[y + 1], row[y])
            for y in range(len(row) - 1)
        ]
        if alpha is None:
            alpha = steps[0]
        if alpha >= 1 or any(step != alpha for step in steps):
            return None
        at.append(peak)
    return None if alpha is None else (alpha, at)
