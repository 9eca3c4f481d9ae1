"""What the room Protect says of a plan: the whole row first, then each answer."""

from fractions import Fraction

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.mechanisms import geometric, projective_response, randomised_response
from dprivacy.spaces import discrete, line
from dprivacy.web.board.plan_outlook import HEAD, Outlooks, outlook, usual_delta, worth
from dprivacy.web.pages.plan_form import FIRST, plan_mapping, read_plan


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


def _edits():
    """A plan that is edited step by step; the last step goes back to the first plan."""
    first = {
        "row": "ln 8",
        "columns": {
            "sex": {"type": "categories", "values": ["f", "m"], "source": "data"},
            "age": {"type": "numbers", "low": 0, "high": 90, "grid": 10},
            "mood": {"type": "ordered", "values": ["bad", "fair", "good"]},
        },
    }
    sex = {"type": "categories", "values": ["f", "m"]}
    compared = {**first, "columns": {**first["columns"], "sex": sex}}
    wider = {**first, "columns": {**first["columns"], "sex": {**sex, "values": ["f", "m", "x"]}}}
    without = {"row": "ln 8", "drop": ["sex"], "columns": dict(list(first["columns"].items())[1:])}
    own = {"columns": {name: {**s, "epsilon": "ln 2"} for name, s in compared["columns"].items()}}
    return [first, compared, wider, without, own, first]


def test_what_is_kept_while_a_plan_is_edited_is_what_would_be_found_anew():
    kept = Outlooks()
    for raw in _edits():
        found, anew = kept.ask(raw, 500), outlook(raw, 500)
        assert found.plan.unconfirmed() == anew.plan.unconfirmed()
        assert found.plan.raw == anew.plan.raw
        assert worth(found) == worth(anew)
        assert found.band == anew.band
        assert found.ahead.to_dict() == anew.ahead.to_dict()
        assert [c.spec for c in found.plan.columns] == [c.spec for c in anew.plan.columns]


def test_only_numbers_beside_codes_are_called_so():
    tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3", "nulls": "category"}
    age = {"type": "numbers", "low": 0, "high": 4, "grid": 1, "epsilon": 1, "codes": [9]}
    said, codes = (row[-1] for row in worth(outlook({"columns": {"tea": tea, "age": age}}, 100)))
    assert said.startswith("± ")
    assert codes.startswith("share of numbers among codes: ± ")


def test_a_plan_file_may_have_dates_of_toml():
    days = 'type = "dates"\nlow = 2020-01-01\nhigh = 2020-03-01\ngrid = 1\nepsilon = "0.1"'
    raw = read_plan(f"[columns.day]\n{days}\n")
    kept = Outlooks()
    assert worth(kept.ask(raw, 100)) == worth(outlook(raw, 100))
    assert kept.ask(raw, 100).ahead is kept.ask(raw, 100).ahead


def test_an_edit_of_one_column_asks_nothing_new_of_the_others(monkeypatch):
    from dprivacy.release.figures import column_pairs

    asked = []
    real = column_pairs.pair_of
    monkeypatch.setattr(
        column_pairs, "pair_of", lambda column: asked.append(column.name) or real(column)
    )
    *_, own, _ = _edits()
    kept = Outlooks()
    kept.ask(own, 500)
    assert asked == ["sex", "age", "mood"]
    kept.ask(own, 600)
    mood = {**own["columns"]["mood"], "values": ["bad", "good"]}
    kept.ask({"columns": {**own["columns"], "mood": mood}}, 500)
    assert asked == ["sex", "age", "mood", "mood"]
