"""Inside, outside, and on the hull."""

from fractions import Fraction as Q

from dprivacy.numbers.matrices import Mat
from dprivacy.refine.deciding.hull_membership import place_in_hull


class TestHull:
    def test_inside_outside_and_on_a_corner(self) -> None:
        a = Mat.of(
            [[Q(1, 2), Q(1, 4), Q(1, 4)], [Q(1, 4), Q(1, 2), Q(1, 4)], [Q(1, 4), Q(1, 4), Q(1, 2)]]
        )
        b = Mat.of(
            [
                [Q(1, 3), Q(1, 2), Q(1, 6)],
                [Q(1, 3), Q(1, 4), Q(5, 12)],
                [Q(1, 3), Q(1, 4), Q(5, 12)],
            ]
        )
        places = [place_in_hull(a, b, j) for j in range(3)]
        assert [place.inside for place in places] == [True, True, False]
        for j in (0, 1):
            mixed = [
                sum(m * v for m, v in zip(places[j].mixture, row, strict=True)) for row in a.rows()
            ]
            assert mixed == b.transposed.row(j)
        bet = places[2].bet
        assert bet.accepted > bet.refused

    def test_a_point_outside_by_less_than_floats_see(self) -> None:
        hair = Q(1, 10**25)
        a = Mat.of([[Q(1, 2), Q(1, 4), Q(1, 4)], [Q(1, 4), Q(1, 2), Q(1, 4)]])
        for e, inside in ((hair, False), (-hair, True)):
            b = Mat.of([[Q(2, 3) + e, Q(1, 3) - e], [Q(1, 3) - e, Q(2, 3) + e]])
            assert place_in_hull(a, b, 0).inside is inside
