"""The kernel that serves one consumer best."""

import json
import random

import pytest

from dprivacy.design import optimal
from dprivacy.design.universality.consumer_preference import best_kernel
from dprivacy.errors import MixedArithmetic, SpaceMismatch, TooLarge, UnknownName
from dprivacy.flow import gain, loss, posterior_uncertainty
from dprivacy.model import uniform
from dprivacy.polytope import is_kernel, kernels
from dprivacy.spaces import line
from support.universality_cases import optimum, random_loss, random_prior, spaces


class TestBestKernel:
    @pytest.mark.statement("T", "Thm 6.16", "Def 6.2.3")
    @spaces
    def test_against_every_kernel_and_the_direct_program(self, space):
        """Two independent ways: the minimum over kernels, and a channel with one output an action."""
        rng = random.Random(4)
        found = list(kernels(space, eps="ln 2"))
        for _ in range(6):
            prior, table = random_prior(rng, space), random_loss(rng, space)
            best = best_kernel(space, eps="ln 2", prior=prior, loss=table)
            assert best.loss == min(
                posterior_uncertainty(K, prior=prior, loss=table) for K in found
            )
            assert best.loss == optimum(space, 2, prior, table)
            assert best.loss == posterior_uncertainty(best.channel, prior=prior, loss=table)
            assert is_kernel(best.channel, space, eps="ln 2")
            assert sum(best.multipliers.values()) == best.loss

    @spaces
    def test_the_solver_agrees(self, space):
        rng = random.Random(11)
        prior, table = random_prior(rng, space), random_loss(rng, space)
        best = best_kernel(space, eps="ln 2", prior=prior, loss=table)
        assert optimal(space, eps="ln 2", prior=prior, loss=table).loss == best.loss

    def test_its_words_and_its_data(self):
        best = best_kernel(line(3), eps="ln 2", prior=[1, 0, 0], loss=loss.identity(range(3)))
        assert best.loss == 0
        assert "dual solution" in str(best)
        json.dumps(best.to_dict())

    def test_a_gain_stands_for_the_loss_behind_it(self):
        prior = uniform(range(3))
        best = best_kernel(line(3), eps="ln 2", prior=prior, loss=gain.identity(range(3)))
        assert (
            best.loss
            == best_kernel(line(3), eps="ln 2", prior=prior, loss=loss.identity(range(3))).loss
        )

    @pytest.mark.parametrize(
        ("arguments", "error", "words"),
        [
            ((line(3), [1, 0, 0], "worst"), UnknownName, "a loss given by name"),
            ((line(3), [0.5, 0.5, 0], loss.identity(range(3))), MixedArithmetic, "prior"),
            ((line(2), [1, 0], loss.matrix([0], [0, 1], [[0.5, 1]])), MixedArithmetic, "loss"),
            ((line(3), uniform([*"abc"]), loss.identity(range(3))), SpaceMismatch, "prior"),
            ((line(2), [1, 0], loss.identity([0, 5])), SpaceMismatch, "the gain"),
            ((line(14), uniform(range(14)), loss.identity(range(14))), TooLarge, "optimal"),
        ],
    )
    def test_what_is_refused(self, arguments, error, words):
        with pytest.raises(error, match=words):
            best_kernel(arguments[0], eps="ln 2", prior=arguments[1], loss=arguments[2])
