"""Linear systems of integers solved in balls, and the rationals read back out of them."""

from fractions import Fraction
from typing import Any

from dprivacy.numbers import Mat, ball_precision, dyadic

_PRIME = (1 << 61) - 1


def pivots(matrix: Mat) -> list[int]:
    """Columns that are linearly independent, as many as the rank (modulo a large prime).

    What is independent modulo a prime is so over the rationals. The other way round it can fail, with
    a chance of about 2⁻⁵⁰, and then merely a slower method decides.
    """
    from flint import nmod_mat

    n, m = matrix.shape
    entries = [int(v) % _PRIME for v in matrix.entries.ravel().tolist()]
    reduced, rank = nmod_mat(n, m, entries, _PRIME).rref()
    found: list[int] = []
    j = 0
    for i in range(int(rank)):
        while int(reduced[i, j]) == 0:
            j += 1
        found.append(j)
    return found


class Enclosed:
    """X with left·X = right, every entry in a ball of radius about 2^(−bits).

    Parameters
    ----------
    left, right
        Exact matrices; the left one is square and invertible.
    bits
        The working precision.
    """

    def __init__(self, left: Mat, right: Mat, bits: int) -> None:
        from flint import arb_mat, fmpq, fmpz_mat

        self.shape = right.shape
        self.bits = bits
        with ball_precision(bits):
            try:
                solution = arb_mat(fmpz_mat(left.entries.tolist())).solve(
                    arb_mat(fmpz_mat(right.entries.tolist()))
                )
                self.balls: Any = (solution * fmpq(left.den, right.den)).tolist()
            except ZeroDivisionError:
                self.balls = None

    def signs(self) -> list[list[int | None]] | None:
        """1, −1, or None for a ball that holds 0; None as a whole when nothing was found."""
        if self.balls is None:
            return None
        return [[1 if x > 0 else -1 if x < 0 else None for x in row] for row in self.balls]

    def middle(self, i: int, j: int) -> Fraction:
        """The centre of one ball."""
        return dyadic(self.balls[i][j].mid())

    def radius(self) -> Fraction:
        """The largest radius."""
        return dyadic(max((x.rad() for row in self.balls for x in row), key=float).upper())

    def read(self) -> Mat | None:
        """Simple rationals inside the balls, over a common denominator, or None when there are none.

        They are candidates: the caller puts them into the equations.
        """
        from flint import fmpz

        most = self.bits // 2
        den = 1
        with ball_precision(self.bits):
            for row in self.balls:
                for ball in row:
                    scaled = ball * fmpz(den)
                    if scaled.unique_fmpz() is None:
                        short = 1 << max(1, most - den.bit_length())
                        den *= dyadic(scaled.mid()).limit_denominator(short).denominator
                        if den.bit_length() > most:
                            return None
            whole = [[(ball * fmpz(den)).unique_fmpz() for ball in row] for row in self.balls]
        if any(value is None for row in whole for value in row):
            return None
        return Mat.over(den, [[int(value) for value in row] for row in whole])
