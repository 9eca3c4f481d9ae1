"""Systems in balls: pivots, and rationals read back."""

from fractions import Fraction as Q

from dprivacy.numbers.matrices import Mat
from dprivacy.refine.deciding.ball_systems import Enclosed, pivots
from dprivacy.refine.deciding.channel_pairs import integer_rows


class TestEnclosures:
    def test_pivots_are_independent_columns(self) -> None:
        assert pivots(Mat.of([[0, 1, 2, 0], [0, 2, 4, 1]])) == [1, 3]
        assert pivots(Mat.of([[0, 0], [0, 0]])) == []

    def test_simple_rationals_are_read_back(self) -> None:
        left = Mat.of([[Q(1, 2), Q(1, 3)], [Q(1, 7), Q(2, 5)]])
        x = Mat.of([[Q(3, 11), 0], [Q(-5, 13), Q(1, 6)]])
        found = Enclosed(left, left @ x, 256)
        assert found.read() == x
        assert found.signs() == [[1, None], [-1, 1]]

    def test_long_rationals_are_not(self) -> None:
        left = Mat.of([[Q(1, 2), Q(1, 3)], [Q(1, 7), Q(2, 5)]])
        long = Mat.of([[Q(10**40 + 1, 3**90)], [Q(1, 2)]])
        assert Enclosed(left, left @ long, 160).read() != long

    def test_rows_scaled_to_short_integers(self) -> None:
        a = Mat.of([[Q(1, 3), Q(2, 3)], [Q(1, 2), Q(1, 2)]])
        left, right = integer_rows(a, a)
        assert left.rows() == right.rows() == [[1, 2], [1, 1]]
