"""What a person wrote, read exactly or refused."""

import math
from fractions import Fraction

import numpy as np
import pytest

from dprivacy.design import expected_loss, optimal, remap, worst_case_loss
from dprivacy.design.problems.design_problem import exact_mat
from dprivacy.errors import (
    BadLevel,
    BadNumber,
    Malformed,
    NotApplicable,
    SpaceMismatch,
    TooLarge,
    WrongKind,
)
from dprivacy.flow import loss, posterior_uncertainty
from dprivacy.model import Dist
from dprivacy.numbers.matrices import Mat
from dprivacy.polytope import kernels
from dprivacy.spaces import discrete, from_table, grid, line, points, product
from dprivacy.store import load, save


class TestOutputs:
    def test_chosen_outputs(self):
        best = optimal(line(5), eps="ln 2", outputs=[0, 4])
        assert best.channel.columns == (0, 4)
        every = kernels(line(5), eps="ln 2")
        question = loss.metric(line(5), actions=[0, 4])
        assert best.loss == min(
            posterior_uncertainty(K, prior=best.problem.prior, loss=question) for K in every
        )

    def test_an_output_that_is_no_action(self):
        with pytest.raises(ValueError, match="7"):
            optimal(line(3), eps=1, outputs=[0, 7])

    def test_loss_as_a_function_and_as_a_matrix(self):
        by_function = optimal(line(3), eps="ln 2", loss=lambda w, x: abs(w - x))
        by_matrix = optimal(line(3), eps="ln 2", loss=[[0, 1, 2], [1, 0, 1], [2, 1, 0]])
        assert by_function.loss == by_matrix.loss == Fraction(5, 9)

    def test_loss_by_coordinates(self):
        space = grid(2, 2, metric="manhattan")
        best = optimal(space, eps=1, loss="euclidean")
        assert float(best.problem.loss[(0, 0), (1, 1)]) == pytest.approx(math.sqrt(2))
        for space in (
            discrete(range(4)),
            line(4),
            points([[2], [4], [6], [9]], labels=[2, 4, 6, 9]),
        ):
            assert optimal(space, eps=1, loss="manhattan").loss > 0

    def test_numbers_of_points_are_no_coordinates(self, tmp_path):
        """A list of places is labelled 0 … n−1, and the loss was the distance of these numbers."""
        places = [[0, 0], [100, 5], [200, 0], [300, 7]]
        space = points(places)
        save(space, tmp_path / "space.json")
        for known in (
            space,
            space.restrict([3, 1]),
            space.scaled(2),
            product(space, line(2)),
            load(tmp_path / "space.json"),
        ):
            with pytest.raises(NotApplicable, match="only count these points"):
                optimal(known, eps="1/100", loss="euclidean")
        best = optimal(space, eps="1/100")
        for question in (expected_loss, worst_case_loss, remap):
            with pytest.raises(NotApplicable, match="only count these points"):
                question(best, loss="euclidean")
        named = points(places, labels=[tuple(place) for place in places])
        assert optimal(named, eps="1/100", loss="euclidean").loss == best.loss
        assert float(expected_loss(best)) == pytest.approx(float(best.loss))

    @pytest.mark.parametrize("labels", [[False, True], [0.0, math.inf]])
    def test_what_is_no_number_is_no_coordinate(self, labels):
        with pytest.raises(NotApplicable, match="labels that are coordinates"):
            optimal(discrete(labels), eps=1, loss="euclidean")

    def test_numbers_that_are_values_are_coordinates_at_any_distances(self):
        apart = [
            [abs(i - j) if (i < 2) == (j < 2) else math.inf for j in range(5)] for i in range(5)
        ]
        split = from_table(range(5), apart, extended=True)
        assert optimal(split, eps="ln 2", loss="euclidean").loss > 0
        hours = from_table(
            range(6), [[min(abs(i - j), 6 - abs(i - j)) for j in range(6)] for i in range(6)]
        )
        assert optimal(hours, eps="ln 2", loss="euclidean").loss > 0


class TestRefusals:
    def test_a_prior_on_other_secrets(self):
        with pytest.raises(SpaceMismatch, match="'d' only in the second"):
            optimal(discrete(list("abc")), eps=1, prior=Dist(list("abd"), ["1/2", "1/4", "1/4"]))

    def test_a_loss_on_other_secrets(self):
        with pytest.raises(SpaceMismatch, match="'c'"):
            optimal(discrete(list("ab")), eps=1, loss=loss.identity(list("ac")))

    def test_a_negative_loss_names_the_pair(self):
        with pytest.raises(BadNumber, match=r"action 'b' on secret 'a' costs -1.*loss\.shift"):
            optimal(discrete(["a", "b"]), eps=1, loss=[[0, 1], [-1, 0]])

    @pytest.mark.parametrize("eps", [0, -1, math.nan, math.inf, True, "x"])
    def test_levels_that_are_none(self, eps):
        with pytest.raises(BadLevel):
            optimal(line(3), eps=eps)

    @pytest.mark.parametrize(
        ("what", "words"),
        [
            ({"loss": "cosine"}, "not 'cosine'"),
            ({"loss": 5}, "a loss should be a name"),
            ({"loss": [[0, 1, 2]]}, "name them with outputs"),
            ({"loss": "euclidean"}, "coordinates"),
            ({"gap": 0}, "gap should be a positive number"),
            ({"prior": "uniform"}, "a prior is a distribution"),
        ],
    )
    def test_what_makes_no_sense(self, what, words):
        with pytest.raises(Malformed, match=words):
            optimal(discrete(list("abc")), eps=1, **what)

    def test_no_finite_space(self):
        with pytest.raises(WrongKind, match="a space is a FiniteSpace"):
            optimal([1, 2, 3], eps=1)

    def test_more_than_the_memory(self, monkeypatch):
        monkeypatch.setattr("dprivacy.design.problems.machine_limits.machine_memory", lambda: 1e6)
        with pytest.raises(TooLarge, match=r"GiB.*force=True"):
            optimal(grid(6, 6), eps=1)
        assert optimal(grid(6, 6), eps=1, force=True).certificate.privacy


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
