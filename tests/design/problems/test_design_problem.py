"""What a person wrote, read exactly."""

from fractions import Fraction

import numpy as np

from dprivacy.design.problems.design_problem import exact_mat
from dprivacy.numbers.matrices import Mat


class TestExactNumbers:
    def test_doubles_are_their_binary_values(self):
        doubles = Mat(np.array([[0.1, 0.0, 3.0], [1e-300, 2.0**60, 5e-324]]))
        exact = exact_mat(doubles)
        for i in range(2):
            for j in range(3):
                assert exact[i, j] == Fraction(float(doubles.entries[i, j]))

    def test_exact_numbers_are_left_alone(self):
        table = Mat.of([[Fraction(1, 3)]])
        assert exact_mat(table) is table
