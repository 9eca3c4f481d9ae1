"""The machinery behind refinement: enclosures, interior point, corners and repair."""

from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.mechanisms import geometric
from dprivacy.numbers.matrices import Mat
from dprivacy.refine.deciding.ball_systems import Enclosed, pivots
from dprivacy.refine.deciding.blend_interior import blended
from dprivacy.refine.deciding.channel_pairs import integer_rows, reduced
from dprivacy.refine.deciding.dependent_columns import by_program
from dprivacy.refine.deciding.exact_repair import repaired_near
from dprivacy.refine.deciding.hull_membership import place_in_hull
from dprivacy.refine.deciding.independent_columns import by_inversion
from dprivacy.refine.deciding.nearest_corner import nearest_corner
from dprivacy.refine.deciding.separating_gains import exact_bet, exact_gain, uniform_vulnerability


def stochastic(rng, n: int, m: int, zeros: float = 0.0, largest: int = 20) -> Mat:
    weights = rng.integers(1, largest, (n, m)) * (rng.random((n, m)) >= zeros)
    weights[np.arange(n), rng.integers(0, m, n)] += 1
    return Mat.of([[Q(int(v), int(row.sum())) for v in row] for row in weights])


def proves(found, a: Mat, b: Mat) -> bool:
    """Whether a finding carries a witness that is right, checked with Fractions alone."""
    if found.holds:
        r = found.r.rows()
        product = [
            [sum(p * row[j] for p, row in zip(line, r, strict=True)) for j in range(b.shape[1])]
            for line in a.rows()
        ]
        return product == b.rows() and all(min(row) >= 0 and sum(row) == 1 for row in r)
    gain = Mat.of(found.bet.gain()) if found.bet is not None else found.gain
    return uniform_vulnerability(gain, b) > uniform_vulnerability(gain, a)


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


class TestInversion:
    def test_dependent_columns_are_not_its_business(self) -> None:
        assert by_inversion(Mat.of([[Q(1, 3)] * 3] * 3), Mat.of([[1]] * 3)) is None

    @pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 2), (5, 3), (6, 6)])
    def test_witnesses(self, n: int, m: int) -> None:
        rng = np.random.default_rng(n)
        for _ in range(10):
            _, a = reduced(stochastic(rng, n, m))
            for b in (a @ stochastic(rng, a.shape[1], 3, zeros=0.4), stochastic(rng, n, 3)):
                found = by_inversion(a, b)
                if found is not None:
                    assert proves(found, a, b)

    def test_a_left_out_row_that_is_off_by_a_hair(self) -> None:
        a = Mat.of([[Q(3, 4), Q(1, 4)], [Q(1, 4), Q(3, 4)], [Q(1, 2), Q(1, 2)]])
        hair = Q(1, 10**30)
        for e in (hair, -hair):
            b = Mat.of([[Q(1, 2), Q(1, 2)], [Q(1, 2), Q(1, 2)], [Q(1, 2) + e, Q(1, 2) - e]])
            found = by_inversion(a, b)
            assert found.holds is False
            assert proves(found, a, b)
        assert by_inversion(a, Mat.of([[Q(1, 2), Q(1, 2)]] * 3)).holds is True

    def test_an_r_with_many_digits_is_proved_and_rounded(self) -> None:
        a, b = (geometric(64, eps=e).channel.matrix for e in ("1", "1/2"))
        found = by_inversion(a, b)
        assert found.holds is True
        assert 0 < found.residual < 1e-30
        assert all(sum(row) == 1 and min(row) >= 0 for row in found.r.rows())

    @pytest.mark.slow
    def test_an_r_with_fewer_digits_is_written_out(self) -> None:
        a, b = (geometric(40, eps=e).channel.matrix for e in ("1", "1/2"))
        found = by_inversion(a, b)
        assert found.residual == 0
        assert a @ found.r == b


class TestProgram:
    @pytest.mark.parametrize("size", [(3, 5, 4), (4, 6, 5), (6, 9, 8), (8, 16, 10)])
    @pytest.mark.parametrize("zeros", [0.0, 0.5, 0.8])
    def test_witnesses(self, size, zeros) -> None:
        n, m, k = size
        rng = np.random.default_rng(hash((size, zeros)) % 1000)
        for _ in range(3):
            _, a = reduced(stochastic(rng, n, m, zeros))
            made = a @ stochastic(rng, a.shape[1], k, zeros)
            mixed = made.scaled(Q(9, 10)) + stochastic(rng, n, k).scaled(Q(1, 10))
            for b, expected in ((made, True), (mixed, None)):
                _, b = reduced(b)
                found = by_program(a, b)
                assert found.holds is not None
                assert expected is None or found.holds is expected
                assert proves(found, a, b)

    @pytest.mark.slow
    @pytest.mark.parametrize("zeros", [0.0, 0.5, 0.8])
    def test_thirty_secrets(self, zeros) -> None:
        rng = np.random.default_rng(5)
        _, a = reduced(stochastic(rng, 30, 50, zeros))
        _, b = reduced(a @ stochastic(rng, a.shape[1], 50, zeros))
        found = by_program(a, b)
        assert found.holds is True
        assert a @ found.r == b

    def test_a_gain_that_no_single_output_shows(self) -> None:
        a = Mat.of(
            [[Q(3, 4), 0, Q(1, 4), 0], [Q(3, 4), Q(1, 4), 0, 0], [0, Q(1, 4), Q(1, 4), Q(1, 2)]]
        )
        b = Mat.of([[Q(1, 2), 0, Q(1, 2)], [Q(1, 2), Q(1, 2), 0], [0, Q(1, 2), Q(1, 2)]])
        found = by_program(a, b)
        assert (found.holds, found.bet) == (False, None)
        assert proves(found, a, b)


class TestBlend:
    def test_share_and_bound_meet(self) -> None:
        rng = np.random.default_rng(0)
        a = rng.dirichlet(np.ones(9), 5)
        b = a @ rng.dirichlet(np.ones(7), 9)
        inside = blended(a, b)
        assert inside.share < 1e-12
        assert np.abs(a @ inside.r - b).max() < 1e-13
        outside = blended(a, 0.3 * b + 0.7 * rng.dirichlet(0.3 * np.ones(7), 5))
        assert 0.9 * outside.share < outside.bound <= outside.share

    def test_the_share_is_what_has_to_be_blended_in(self) -> None:
        coin, fair = np.array([[0.75, 0.25], [0.25, 0.75]]), np.full((2, 2), 0.5)
        found = blended(coin, np.array([[1.0, 0.0], [0.0, 1.0]]) * 0.96 + 0.04 * fair)
        assert found.share == pytest.approx(1 - 0.5 / 0.96, rel=0.06)

    def test_zeros_that_no_output_respects(self) -> None:
        assert blended(np.full((2, 2), 0.5), np.eye(2)) is None


class TestCorner:
    def test_distance_and_prices_agree(self) -> None:
        a = np.array([[0.75, 0.25], [0.25, 0.75]])
        found = nearest_corner(a, np.array([[0.9, 0.1], [0.1, 0.9]]))
        assert found.distance == pytest.approx(0.6)
        gap = (found.prices * np.array([[0.9, 0.1], [0.1, 0.9]])).sum()
        gap -= (found.prices.T @ a).max(axis=0).sum()
        assert gap == pytest.approx(found.distance)

    def test_too_large_to_try(self) -> None:
        assert nearest_corner(np.full((200, 200), 1 / 200), np.full((200, 200), 1 / 200)) is None


class TestRepair:
    def test_noise_is_taken_off_exactly(self) -> None:
        rng = np.random.default_rng(1)
        a, r = stochastic(rng, 4, 8), stochastic(rng, 8, 5)
        b = a @ r
        noisy = np.maximum(r.floats + rng.normal(0, 1e-9, r.shape), 0)
        found = repaired_near(*integer_rows(a, b), noisy / noisy.sum(axis=1, keepdims=True))
        assert a @ found == b

    def test_nothing_to_repair_with(self) -> None:
        a = Mat.of([[Q(1, 2), Q(1, 2)], [Q(1, 4), Q(3, 4)]])
        b = Mat.of([[1, 0], [0, 1]])
        assert repaired_near(a, b, np.eye(2)) is None


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


class TestGains:
    def test_a_short_rounding_is_preferred(self) -> None:
        a, b = Mat.of([[Q(1, 2), Q(1, 2)], [Q(1, 4), Q(3, 4)]]), Mat.of([[1, 0], [0, 1]])
        bet = exact_bet(a, b, 0, [Q(10**20), Q(-(10**20) + 1)])
        assert bet.worth == (1, 0)
        assert exact_bet(a, b, 0, [0, 0]) is None
        assert exact_bet(a, b, 0, [-1, 1]) is None

    def test_no_gain_prefers_a_post_processing(self) -> None:
        a = Mat.of([[Q(1, 2), Q(1, 2)], [Q(1, 4), Q(3, 4)]])
        for prices in (np.zeros((2, 2)), np.ones((2, 2)), np.eye(2), np.full((2, 2), np.nan)):
            assert exact_gain(a, a, prices) is None
