"""The forecast of columns with many values: local mechanisms beside what the plan names."""

import json

import pytest

from dprivacy.mechanisms import projective_response
from dprivacy.release import Plan, forecast
from dprivacy.release.forecasts.plan_forecast import transition_summary
from support.command_runs import command

FAMILIES = ["subset_response", "unary_response", "hashed_response", "projective_response"]


def ahead(k=1024, rows=100_000, eps="1", **more):
    values = [f"v{i}" for i in range(k)]
    spec = {"type": "categories", "values": values, "epsilon": eps, **more}
    return forecast(Plan.read({"columns": {"town": spec}}), rows=rows)


def test_a_thousand_values_at_level_one():
    found = ahead()
    (told,) = found.alternatives
    assert round(told.error) == 5896  # of randomised response
    assert (told.best.family, round(told.best.error)) == ("projective_response", 607)
    assert told.sentence() == (
        'town has 1,024 unordered values: mechanism = "projective_response" is recommended, whose '
        "counts have a standard error of 607 in place of 5,896, at the same level. Cells are then "
        "reports of 10.4 bits, to be read through the card, and not values."
    )
    assert told.explain() in found.explain()
    assert found.to_dict()["alternatives"][0]["recommended"] == "projective_response"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_forecast_of_a_column_of_reports_is_that_of_its_mechanism(family):
    found = ahead(k=100, mechanism=family)
    (column,) = found.columns
    local = Plan.read(
        {"columns": {"t": {"type": "categories", "values": list(range(100)), "epsilon": "1",
                           "mechanism": family}}}
    ).columns[0].local  # fmt: skip
    p, q, k, n = float(local.p), float(local.q), 100, 100_000
    noise = n * (p * (1 - p) + (k - 1) * q * (1 - q)) / k / (p - q) ** 2
    assert column.count_error == pytest.approx(noise**0.5)
    assert column.share_error == pytest.approx(noise**0.5 / n)
    assert column.bits == local.bits
    (told,) = found.alternatives
    assert not told.worthwhile
    assert "no local mechanism that was looked at errs by much less" in told.sentence()
    assert f"{local.bits:,.1f} bits" in found.explain()


def test_a_poor_choice_is_told_so():
    (told,) = ahead(k=100, mechanism="subset_response", size=1).alternatives
    assert told.worthwhile


@pytest.mark.parametrize(
    "more",
    [
        {"k": 3},
        {"k": 6, "blocks": [["v0", "v1", "v2", "v3", "v4", "v5"]]},
        {"delta": "1/100", "k": 60},
        {"eps": "1e4", "k": 6},
    ],
)
def test_where_nothing_is_gained_or_does_not_apply_nothing_is_said(more):
    assert ahead(**more).alternatives == ()


def test_small_errors_are_told_with_their_digits():
    (told,) = ahead(k=200, rows=10, eps="4").alternatives
    assert f"{told.best.error:.3g} in place of {told.error:.3g}, at the same" in told.sentence()
    assert 0 < told.best.error < 1


def test_the_level_of_missing_values_counts_them_too():
    (told,) = ahead(k=99, nulls="category").alternatives
    assert told.values == 100
    expected = projective_response(range(100), eps=1).reports.total_variance() * 100_000 / 100
    assert told.best.error == pytest.approx(float(expected) ** 0.5)


def test_the_command_shows_them(tmp_path):
    values = json.dumps([f"v{i}" for i in range(300)])
    plan = f'[columns.town]\ntype = "categories"\nvalues = {values}\nepsilon = "1"\n'
    (tmp_path / "plan.toml").write_text(plan)
    told = command("plan", tmp_path / "plan.toml", "--rows", "1000").out
    assert 'mechanism = "projective_response" is recommended' in told
    assert "subset response (size = 81)" in told


def test_a_report_is_described_where_values_have_transitions():
    spec = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 3"}
    column = Plan.read({"columns": {"t": {**spec, "mechanism": "unary_response"}}}).columns[0]
    assert transition_summary(column).endswith(
        "its set holds the true value with probability 50.0%, and any other with 25.0%"
    )
