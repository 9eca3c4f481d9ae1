"""Events that tell inputs apart are found where they are."""

import math
from typing import Any

import numpy as np
import pytest

from dprivacy.verify import audit, audit_counts
from dprivacy.verify.auditing.confidence_bounds import clopper_pearson
from dprivacy.verify.auditing.event_search import Atoms
from support.noisy_samplers import geometric, halves, laplace


def test_candidates_are_scored_at_the_size_of_the_test() -> None:
    """An output seen 200 times in 100,000, and never for the other input, proves ε ≥ 2."""
    test = {"a": {0: 72_800, 1: 27_000, 99: 200}, "b": {0: 27_000, 1: 73_000}}
    result = audit_counts(test, learned_from=halves(test), confidence=1 - 1e-6)
    assert result.event == "the output is 99"
    assert result.eps_lower > 2
    low = clopper_pearson(200, 100_000, miss=5e-7)[0]
    high = clopper_pearson(0, 100_000, miss=5e-7)[1]
    assert result.eps_lower == pytest.approx(math.log(low / high))


def test_half_lines_are_found_for_numbers() -> None:
    result = audit(laplace(1.0, np.random.default_rng(5)), [0, 1], samples=100_000)
    assert 0.9 < result.eps_lower <= 1
    assert "the output is at most" in result.event or "the output is more than" in result.event


def test_neighbouring_integers_make_an_interval() -> None:
    result = audit(geometric(0.5, np.random.default_rng(12)), [0, 1], samples=40_000)
    assert 0.4 < result.eps_lower <= 0.5
    assert "one of" not in result.event
    atoms = Atoms((1, 2, 5, 9), None, True, ())
    assert atoms.event([0, 1]).words() == "the output is at most 2"
    assert atoms.event([2, 3]).words() == "the output is more than 2"
    assert atoms.event([1, 2]).words() == "the output is more than 1 and at most 5"
    assert atoms.event([0, 2]).words() == "the output is one of 1, 5"
    assert atoms.event([3]).words() == "the output is 9"


def test_a_set_of_outputs_is_found_where_no_single_one_tells() -> None:
    # 400 outputs; x gives the even ones 3 times as often as z does.
    generator = np.random.default_rng(1)

    def sampler(value: str, n: int) -> list[str]:
        even = generator.random(n) < (0.75 if value == "x" else 0.25)
        return [
            f"o{2 * k + (not e)}" for k, e in zip(generator.integers(0, 200, n), even, strict=True)
        ]

    result = audit(sampler, ["x", "z"], samples=60_000)
    assert 1.0 < result.eps_lower <= math.log(3)
    assert "and" in result.event
    assert "more" in result.event


def test_a_hole_between_two_numbers_is_found() -> None:
    generator = np.random.default_rng(2)

    def sampler(value: int, n: int) -> Any:  # z never lands in (0.4, 0.6)
        draws = generator.random(n)
        return np.where((value == 1) & (abs(draws - 0.5) < 0.1), draws + 0.3, draws)

    result = audit(sampler, [0, 1], samples=20_000)
    assert result.eps_lower > 4
    assert result.hits_z == 0
    assert "and at most" in result.event


def test_an_atom_among_many_numbers_is_found() -> None:
    generator = np.random.default_rng(4)

    def sampler(value: int, n: int) -> Any:  # clamping leaves an atom at the end for 1 only
        return np.where(generator.random(n) < 0.02 * value, 0.5, generator.random(n))

    assert audit(sampler, [0, 1], samples=40_000).eps_lower > 2.5

    def broken(value: int, n: int) -> Any:
        return np.where(generator.random(n) < 0.05 * value, math.nan, generator.random(n))

    result = audit(broken, [0, 1], samples=40_000)
    assert result.eps_lower > 3
    assert result.event == "the output is nan"
