"""Refinement by a program, where columns depend on each other."""

from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.numbers.matrices import Mat
from dprivacy.refine.deciding.channel_pairs import reduced
from dprivacy.refine.deciding.dependent_columns import by_program
from dprivacy.refine.deciding.independent_columns import by_inversion
from dprivacy.refine.deciding.separating_gains import exact_bet, exact_gain
from support.refine_witnesses import proves, stochastic


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

    def test_rows_that_depend_modulo_the_prime_alone(self) -> None:
        """Rows that agree modulo 2⁶¹ − 1: to take one for the other would prove what is false."""
        p = 2**61 - 1
        a = Mat.over(10 * p, [[p + 1, 2 * p + 2, 7 * p - 3], [2 * p + 1, p + 2, 7 * p - 3]])
        for share, holds in ((Q(2, 5), False), (Q(9, 20), True)):
            b = Mat.of([[share, 1 - share], [1 - share, share]])
            found = by_program(a, b)
            assert found.holds is holds
            assert proves(found, a, b)


class TestGains:
    @pytest.mark.parametrize("bits", [50, 2000])
    def test_a_difference_far_behind_every_rounding(self, bits) -> None:
        """A row of A depends on the others by a long factor, and B misses it by a hair."""
        share, hair = Q(3**bits, 4**bits), Q(1, 16**bits)
        rows = [[Q(1, 2), Q(1, 2)], [Q(1, 3), Q(2, 3)]]
        made = [[Q(2, 5), Q(3, 5)], [Q(3, 7), Q(4, 7)]]
        for table in (rows, made):
            table.append([share * u + (1 - share) * v for u, v in zip(*table, strict=True)])
        wrong = [*made[:2], [made[2][0] + hair, made[2][1] - hair]]
        a = Mat.of(rows)
        wide = Mat.of([[u / 2, v / 2, u / 4, Q(1, 2) - u / 4] for u, v in rows])
        for b, holds in ((Mat.of(made), True), (Mat.of(wrong), False)):
            for found, first in ((by_inversion(a, b), a), (by_program(wide, b), wide)):
                assert found.holds is holds
                assert proves(found, first, b)

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
