"""Spaces and mechanisms of columns: what a plan's words mean."""

from fractions import Fraction

import pytest

from dprivacy.mechanisms import FAMILIES
from dprivacy.numbers.levels import as_level
from dprivacy.release.plans.column_domains import LISTED, TYPES, families_for
from dprivacy.verify import privacy
from support.release_tables import CODES, GRAPH, LETTERS, NUMBERS, TABLE, TREE, plan_of


def test_siblings_of_a_tree_are_at_distance_one():
    space = plan_of(TREE).columns[0].space
    assert space.distance("FR", "DE") == 1
    assert space.distance("FR", "JP") == 2


def test_deep_trees():
    deep = {"World": {"Europe": {"West": ["FR"], "North": ["SE"]}, "Asia": ["JP"]}}
    space = plan_of({**TREE, "tree": deep}).columns[0].space
    assert space.distance("FR", "SE") == 2
    assert space.labels == ("FR", "SE", "JP")


def test_a_flat_tree():
    assert plan_of({**TREE, "tree": ["a", "b", "c"]}).columns[0].space.diameter == 1


def test_a_graph_counts_its_edges_and_lengths():
    space = plan_of(GRAPH).columns[0].space
    assert space.distance("a", "c") == 3
    decimals = plan_of({**GRAPH, "edges": [["a", "b", 0.1], ["b", "c", 0.2]]}).columns[0].space
    assert decimals.distance("a", "c") == Fraction(3, 10)


def test_distances_in_decimals_are_exact():
    spec = {**TABLE, "values": ["a", "b"], "distances": [[0, 0.1], [0.1, 0]]}
    assert plan_of(spec).columns[0].space.distance("a", "b") == Fraction(1, 10)


def test_ordered_classes_are_one_step_apart():
    spec = {"type": "ordered", "values": ["bad", "fair", "good"], "epsilon": "ln 2"}
    space = plan_of(spec).columns[0].space
    assert space.distance("bad", "good") == 2


@pytest.mark.parametrize("spec", [LETTERS, CODES, TREE, GRAPH, TABLE])
@pytest.mark.parametrize("eps", ["ln 2", "1/3", "2"])
def test_what_is_drawn_from_is_private_at_the_level_of_the_plan(spec, eps):
    column = plan_of({**spec, "epsilon": eps}).columns[0]
    assert privacy(column.mechanism.channel, column.space, eps=eps)


@pytest.mark.parametrize("spec", [TREE, GRAPH, TABLE])
def test_the_exponential_mechanism_is_not_quieter_than_it_must_be(spec):
    guarantee = plan_of(spec).columns[0].mechanism.guarantee
    assert as_level(spec["epsilon"]) * Fraction(3, 4) <= guarantee.eps <= as_level(spec["epsilon"])


@pytest.mark.parametrize(
    ("spec", "names"),
    [
        (LETTERS, ["randomised_response", "exponential"]),
        (TREE, ["exponential", "randomised_response", "any_metric"]),
        (TABLE, ["exponential", "randomised_response", "any_metric"]),
        (
            {"type": "ordered", "values": [1, 2, 3], "epsilon": "ln 2"},
            ["geometric", "randomised_response", "exponential"],
        ),
        (NUMBERS, ["laplace"]),
    ],
)
def test_mechanisms_that_fit(spec, names):
    for name in names:
        found = plan_of({**spec, "mechanism": name}).columns[0].mechanism
        assert found.guarantee.eps <= as_level(spec["epsilon"])


def test_every_type_has_one_usual_mechanism():
    for kind in set(TYPES) - {"stored", "text", "joint"}:
        assert [kind in family.usual_for for family in families_for(kind)].count(True) == 1
        assert kind in families_for(kind)[0].usual_for
    assert families_for("stored") == families_for("text") == []
    assert {kind for family in FAMILIES for kind in family.fits} == set(TYPES) - {
        "stored",
        "text",
        "joint",
    }
    assert all(set(family.usual_for) <= set(family.fits) for family in FAMILIES)
    assert set(LISTED) < set(TYPES)


def test_a_missing_value_as_a_category_is_one_more_point():
    column = plan_of({**LETTERS, "nulls": "category"}).columns[0]
    assert column.space.labels == ("a", "b", "c", None)
    assert len(column.mechanism.channel.columns) == 4
