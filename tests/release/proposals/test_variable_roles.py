"""Roles: whole words of names and labels, and the traps that were met."""

import pytest

from dprivacy.release import Value, Variable
from dprivacy.release.proposals.variable_roles import made_from, purpose_of

TWO = (Value("1"), Value("2"))


@pytest.mark.parametrize(
    ("name", "label", "role"),
    [
        ("PWGTP", "Person's sampling weight", "weight"),
        ("WGTP", "Housing unit sampling weight", "weight"),
        ("sampling_weight", "", "weight"),
        ("household_weights", "", "weight"),
        ("v17", "Post-stratification weight", "weight"),
        ("NOC", "Number of own children in household (unweighted)", None),
        ("NPF", "Number of persons in family (unweighted)", None),
        ("weight", "Body weight in kg", None),
        ("bw", "Birth weight", None),
        ("height", "Height without shoes", None),
        ("ori_hid", "", "household"),
        ("HHID", "", "household"),
        ("v1", "Household number", "household"),
        ("CASEID", "Case identifier", "identifier"),
        ("personId", "", "identifier"),
        ("name", "", "identifier"),
        ("width", "", None),
        ("sdmvpsu", "", "cluster"),
        ("v2", "Primary sampling unit", "cluster"),
        ("STRATUM", "", "stratum"),
        ("strategy", "Strategy of the firm", None),
    ],
)
def test_roles_by_name_and_label(name, label, role):
    found = purpose_of(Variable(name, label))
    assert (found.role if found else None) == role


def test_what_lists_codes_names_no_person():
    assert purpose_of(Variable("person", values=TWO)) is None
    assert purpose_of(Variable("id", "Kind of identity card", values=TWO)) is None


def test_what_the_codebook_says_comes_first():
    assert purpose_of(Variable("x", role="cluster")).reason == "the codebook says so"
    assert purpose_of(Variable("weight", role="answer")) is None


def test_columns_that_are_computed_from_others():
    names = {"PUMA", "INDP", "PINCP", "AGEP", "A"}
    density = Variable("DENSITY", "Population density among residents of each PUMA")
    assert made_from(density, names) == "PUMA"
    assert made_from(Variable("PINCP_DECILE"), names) == "PINCP"
    assert made_from(Variable("AGE"), names) == ""
    assert made_from(Variable("A_B"), names) == ""  # too short to say anything
    assert made_from(Variable("PUMA", "Code of each PUMA"), names) == ""
