"""Refinement of channels with independent columns."""

from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.mechanisms import geometric
from dprivacy.numbers.matrices import Mat
from dprivacy.refine.deciding.channel_pairs import reduced
from dprivacy.refine.deciding.independent_columns import by_inversion
from support.refine_witnesses import proves, stochastic


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
