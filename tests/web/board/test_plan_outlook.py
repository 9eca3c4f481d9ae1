"""What the room Protect says of a plan: the whole row first, then each answer."""

from fractions import Fraction

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.mechanisms import geometric, projective_response, randomised_response
from dprivacy.spaces import discrete, line
from dprivacy.web.board.plan_outlook import HEAD, outlook, usual_delta, worth
from dprivacy.web.pages.plan_form import FIRST, plan_mapping


def test_the_whole_row_is_the_headline_and_answers_are_what_the_channels_say():
    found = outlook(plan_mapping(FIRST, "ln 3"), 1000)
    first, limit, _ = found.band.lines()
    assert first == "NEXT TO NONE. The whole row is not protected in any sense that matters."
    assert "by at most 81, whatever they know already" in limit  # 3 and 3³
    hobby, health = found.answers
    response = randomised_response(discrete(range(5)), eps="ln 3").channel
    assert hobby.blind == Fraction(1, 5)
    assert hobby.seen == response[0, 0]
    noise = geometric(line(4), eps="ln 3").channel
    assert health.seen == sum(noise[x, x] for x in range(4)) / 4
    rows = worth(found)
    assert [row[0] for row in rows] == ["hobby", "health"]
    assert {len(row) for row in rows} == {len(HEAD)}
    # 27·0.75/(1 + 26·0.75) between the ends; 62.5 % kept on average, 50 % of those in the middle
    assert rows[1][3:5] == ["99 %", "63 % (50 %)"]
    assert rows[0][5].startswith("± ")


def test_columns_of_many_values_come_with_a_recommendation_and_reports_with_a_guess():
    values = [f"v{k}" for k in range(120)]
    spec = {"type": "categories", "values": values, "epsilon": "1"}
    (told,) = outlook({"columns": {"town": spec}}, 5000).ahead.alternatives
    assert 'mechanism = "projective_response" is recommended' in told.sentence()
    spec = {**spec, "mechanism": "projective_response"}
    (guess,) = outlook({"columns": {"town": spec}}, 5000).answers
    local = projective_response(values, eps=1)
    # The best guess for any report is a value of its set: Σ_y a/Z of 1/k each.
    after = local.factor * local.reports.total / local.reports.normaliser / 120
    assert guess.blind == Fraction(1, 120)
    assert float(guess.seen) == pytest.approx(float(after))


class TestUnordered:
    def test_both_numbers_stand_side_by_side(self):
        raw = plan_mapping(FIRST, "ln 3")
        alone, both = outlook(raw, 1000), outlook(raw, 1000, unordered=True)
        assert alone.unordered == ""
        assert both.unordered.startswith("Released sorted, without order and names:")
        assert both.ahead.guarantee.explain() == alone.ahead.guarantee.explain()

    def test_where_nothing_can_be_said_it_says_why(self):
        tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3", "source": "data"}
        found = outlook({"columns": {"tea": tea}}, 1000, unordered=True)
        assert "nothing more can be said here: the values of 'tea' were read off" in found.unordered

    @pytest.mark.parametrize(
        ("rows", "delta"), [(10, "1e-2"), (11, "1e-3"), (1000, "1e-6"), (1001, "1e-7"), (1, "1e-1")]
    )
    def test_delta_is_at_most_one_over_n_squared(self, rows, delta):
        assert usual_delta(rows) == delta
        assert float(delta) <= 1 / rows**2


def test_columns_that_are_drawn_together_are_told_one_by_one():
    values = {"type": "categories", "values": ["yes", "no"]}
    joint = {"both": {"columns": ["tea", "rum"], "epsilon": "ln 9"}}
    found = outlook({"columns": {"tea": values, "rum": values}, "joint": joint}, 1000)
    assert [row[0] for row in worth(found)] == ["tea", "rum"]
