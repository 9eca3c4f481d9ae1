"""The grid of losses: a step that loses nothing where there is one, splits that keep both laws."""

from fractions import Fraction as Q

import pytest

from dprivacy.mechanisms import geometric, randomised_response
from dprivacy.numbers import Level, ln
from dprivacy.spaces import line
from dprivacy.verify import privacy_profile
from dprivacy.verify.composing.loss_atoms import LossAtoms, atoms_of_level, atoms_of_profile
from dprivacy.verify.composing.loss_grid import placed, spacing


def of(mechanism):
    return atoms_of_profile(privacy_profile(mechanism.channel))


def test_response_and_geometric_lie_on_a_grid_exactly():
    response, steps = (
        of(randomised_response(range(4), eps="ln 3")),
        of(geometric(line(4), eps="ln 2")),
    )
    assert spacing({response: 30}) == ln(3)
    assert spacing({steps: 1}) == ln(2)
    law = placed(steps, ln(2), 60, 0)
    assert (law.first, len(law.masses)) == (-3, 7)
    assert sum(law.masses) - (1 << 60) < len(law.masses)  # nothing but rounding


def test_a_common_step_of_several_levels():
    levels = {atoms_of_level(ln(4), Q(0)): 2, atoms_of_level(ln(8), Q(0)): 1}
    assert spacing(levels) == ln(2)
    assert spacing(
        {atoms_of_level(Level("1/10"), Q(0)): 1, atoms_of_level(Level("1/4"), Q(0)): 1}
    ) == Q(1, 20)


def test_levels_that_are_almost_a_multiple_are_split_and_hardly_moved():
    response = of(randomised_response(range(20), eps=1))  # e is irrational: ln(p/q) is almost 1
    step = spacing({response: 1})
    assert abs(step - 1) < Q(1, 10**8)
    law = placed(response, step, 100, 0)
    assert sum(1 for mass in law.masses if mass > 1 << 75) == 3


def test_levels_without_a_common_step_get_a_fine_one():
    odd = LossAtoms(((ln(Q(2, 3)), Q(1, 2)), (ln(Q(7, 5)), Q(1, 2))))
    step = spacing({odd: 5})
    assert 0.3 / 256 < step < 0.4 / 256


def test_nothing_to_tell_has_any_step():
    assert spacing({LossAtoms(((Level(0), Q(1)),)): 3}) == 1


@pytest.mark.parametrize("ratio", [Q(3, 2), Q(2), Q(5, 2), Q(4), Q(1, 3), Q(1, 4)])
def test_a_split_keeps_the_masses_of_both_laws(ratio):
    law = placed(LossAtoms(((ln(ratio), Q(1, 2)),)), ln(2), 80, 0)
    assert sum(law.masses) == 1 << 79
    other = sum(mass * Q(1, 2) ** (law.first + i) for i, mass in enumerate(law.masses))
    assert 0 <= (1 << 79) / ratio - other < 10  # Q's mass: less by the rounding of the share alone
    assert len(law.masses) == (1 if ratio in (2, 4, Q(1, 4)) else 2)
