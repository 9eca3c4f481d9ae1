"""What readers, attackers and files make of protected curves."""

import csv
import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.curves import curves as command
from dprivacy.curves import (
    choose_size,
    curve_mechanism,
    example_days,
    linkage,
    make_basis,
    principal_basis,
    protect_curves,
    read_days,
)
from dprivacy.errors import BadFile, Malformed, PrivacyLeakWarning, UnknownName, WrongShape
from dprivacy.numbers.levels import as_eps
from dprivacy.release import Ledger, card_path
from dprivacy.release.plans.release_card import read_card
from support.real_data import real

pytest.importorskip("pyarrow")


def _inside(profile, truth, slack=0.0):
    return bool(np.all((profile.low - slack <= truth) & (truth <= profile.high + slack)))


@pytest.mark.parametrize(
    ("releases", "least"), [(60, 48), pytest.param(2000, 1860, marks=pytest.mark.slow)]
)
def test_the_band_holds_the_mean_as_often_as_it_says(releases, least):
    days = example_days(60)
    basis = make_basis("cosine", 48, 6)
    followed = days.mean(axis=0) @ basis.rows.T @ basis.back.T
    inside = [
        _inside(protect_curves(days, eps=1, grid="0.001", size=6).data.mean(), followed, 1e-3)
        for _ in range(releases)
    ]
    # Bonferroni over readings that hang together: at least 95 %; the least is 4 sigma below.
    assert sum(inside) > least


def test_groups_have_profiles_of_their_own():
    days = np.vstack([example_days(50), example_days(50) + 5])
    protected = protect_curves(days, eps=5, grid="0.001", size=3).data
    profiles = protected.means(["low"] * 50 + ["high"] * 50)
    assert set(profiles) == {"low", "high"}
    assert profiles["high"].mean.mean() - profiles["low"].mean.mean() > 4
    with pytest.raises(WrongShape, match="one entry for each"):
        protected.means(["low"])


def test_smoothing_with_public_curves_brings_single_days_nearer():
    days = example_days(300)
    protected = protect_curves(days, eps=1, grid="0.001", size=6).data
    error = ((protected.values - days) ** 2).sum()
    smooth = protected.smoothed(example_days(200)[100:])
    assert ((smooth - days) ** 2).sum() < error / 4
    assert smooth.min() >= 0


def test_the_rule_for_the_size_is_the_minimum_it_claims():
    public = example_days(300)
    basis = principal_basis(public)
    choice = choose_size(public, basis, eps=4, grid="0.001", most=12)
    sums = np.add(choice.left_out, choice.noise)
    assert choice.size == 1 + int(sums.argmin())
    assert choose_size(public, basis, eps=40, grid="0.001", most=12).size > 1
    waves = make_basis("cosine", 48)
    wide = choose_size(public, waves, eps=1, grid="0.001", averaged=5000, most=12)
    assert wide.size > choose_size(public, waves, eps=1, grid="0.001", most=12).size
    # Both terms against their own computation.
    part = basis.first(choice.size)
    left = ((public - public @ part.rows.T @ part.back.T) ** 2).sum(axis=1).mean()
    assert choice.left_out[choice.size - 1] == pytest.approx(left)
    made = curve_mechanism(part, eps=as_eps(4), grid=Fraction(1, 1000))
    drawn = made.randomise(np.zeros((4000, 48)))
    assert (drawn**2).sum(axis=1).mean() == pytest.approx(choice.noise[choice.size - 1], rel=0.1)
    protected = protect_curves(example_days(20), eps=4, grid="0.001", public=public).data
    assert protected.choice is not None
    assert protected.choice.explain() in protected.explain()


def test_the_attacker_finds_all_before_and_few_after():
    days = example_days(400)
    loud = linkage(protect_curves(days, eps=2000, grid="0.001", size=12).data, days)
    quiet = linkage(protect_curves(days, eps="1/10", grid="0.001", size=12).data, days)
    assert loud.before == 1.0
    assert loud.after > 0.9
    assert quiet.after < 0.05
    twins = np.vstack([days, days])
    assert linkage(protect_curves(twins, eps=1, grid="0.001").data, twins).before == pytest.approx(
        0.5
    )


def _write(path: Path, header, rows) -> Path:
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([header, *rows])
    return path


def test_the_command_writes_curves_and_their_card(tmp_path):
    days = example_days(30)
    names = [f"h{k:02d}" for k in range(48)]
    rows = [[f"canary-{i}", "2026-01", *day] for i, day in enumerate(days.tolist())]
    source = _write(tmp_path / "days.csv", ["home", "month", *names], rows)
    out = tmp_path / "out.csv"
    options = ["--epsilon", "1/2", "--grid", "0.001", "--unit", "kWh", "--columns", "h00:h47"]
    options += ["--keep", "month", "--person", "home", "-o", str(out), "--attack", "--json"]
    run = CliRunner().invoke(command, [str(source), *options])
    assert run.exit_code == 0, run.output
    answer = json.loads(run.stdout)
    assert answer["guarantee"]["eps"] == "1/2"
    assert 0 <= answer["linkage"]["after"] <= 1
    found = read_days(out, keep=["month"])
    assert found.values.shape == (30, 48)
    assert found.kept == {"month": ["2026-01"] * 30}
    card = read_card(card_path(out))
    assert "multiply their odds" in card.guarantee.sentence
    assert card.pass_through == ("month",)
    assert all("canary" not in file.read_text() for file in (out, card_path(out)))
    again = CliRunner().invoke(command, [str(source), *options])
    assert isinstance(again.exception, Malformed)
    assert "exists" in str(again.exception)


def test_the_command_declares_the_resolution_of_the_meter(tmp_path):
    days = example_days(5, 6)
    source = _write(tmp_path / "days.csv", [f"h{k}" for k in range(6)], days.tolist())
    out, book = tmp_path / "out.csv", tmp_path / "ledger.db"
    Ledger(book, open=True).close()
    for flags in ([], ["--on-grid"]):
        options = ["--epsilon", "1", "--grid", "0.001", "--unit", "kWh", "-o", str(out), *flags]
        options += ["--ledger", str(book), "--replace", "--again", "to try it"]
        run = CliRunner().invoke(command, [str(source), *options])
        assert run.exit_code == 0, run.output
        said = read_card(card_path(out)).guarantee.sentence
        assert ("on the grid of 1/1000 kWh" in said) == bool(flags)
        assert ("farther apart, by" in said) != bool(flags)
    with Ledger(book) as spent:
        assert spent.spent(column="curves").words() == "2"
    coarse = ["--epsilon", "1", "--grid", "0.01", "-o", str(tmp_path / "b.csv"), "--on-grid"]
    refused = CliRunner().invoke(command, [str(source), *coarse]).exception
    assert isinstance(refused, Malformed)
    assert "off the grid of 1/100" in str(refused)


def test_long_files_are_cut_into_days_and_changed_clocks_are_refused(tmp_path):
    rows = [
        [home, f"2026-03-{day:02d} {hour:02d}:00:00", 0.1 * hour]
        for home in ("a", "b")
        for day in (1, 2)
        for hour in range(24)
        if not (home == "b" and day == 2 and hour == 2)
    ]
    source = _write(tmp_path / "long.csv", ["home", "time", "kwh"], rows[::-1])
    long = ["home", "time", "kwh"]
    with pytest.raises(BadFile, match="the day of row 22 does not have 24 readings"):
        read_days(source, long=long, per_day=24)
    days = read_days(source, long=long, per_day=24, incomplete="drop", keep=["date"])
    assert days.values.shape == (3, 24)
    assert days.left_out == 1
    assert np.allclose(days.values, 0.1 * np.arange(24))
    assert days.kept["date"] == ["2026-03-01", "2026-03-02", "2026-03-01"]
    options = [
        "--epsilon",
        "1",
        "--grid",
        ".1",
        "--per-day",
        "24",
        "--incomplete",
        "drop",
        "--json",
    ]
    said = [str(source), "--long", "home,time,kwh", *options, "-o", str(tmp_path / "out.csv")]
    done = CliRunner().invoke(command, said)
    assert done.exit_code == 0
    assert "left_out" not in done.output
    twice = _write(tmp_path / "twice.csv", long, [rows[0], rows[0]])
    with pytest.raises(BadFile, match="row 1 has a second reading"):
        read_days(twice, long=long, per_day=24)


@pytest.mark.parametrize(
    ("header", "row", "options", "words"),
    [
        (["a", "b"], ["secret", "1"], {"columns": "a:b"}, "column 'a', row 0: not a number; a"),
        (["a", "b"], ["secret", "1"], {}, "its first line holds words.*pass --header"),
        (["a", "b"], ["1", "2"], {"columns": "b:a"}, "FIRST:LAST"),
        (["a", "b"], ["1", "2"], {"keep": ["c"]}, "not 'c'"),
        (["a", "b"], ["1", "2"], {"keep": "home"}, "not 'home'"),
        (["a", "b"], ["1", "2"], {"long": "abc"}, "three columns .* not abc"),
        (["a", "b"], ["1", "2"], {"long": ["a", "b"]}, "three columns"),
        (["a", "b", "c"], ["1", "noon", "2"], {"long": ["a", "b", "c"]}, "should contain times"),
    ],
)
def test_files_that_do_not_fit_are_refused_without_their_values(
    tmp_path, header, row, options, words
):
    source = _write(tmp_path / "bad.csv", header, [row])
    with pytest.raises((BadFile, UnknownName), match=words) as caught:
        read_days(source, **options)
    assert "secret" not in str(caught.value)


def test_smart_meter_days_keep_their_mean_and_lose_their_names():
    path = real("smart_meter", "daily_curves_48.parquet")
    days = read_days(path, columns="h00:h47", keep=["customer_id", "date"]).values
    assert days.shape == (6050, 48)
    protected = protect_curves(
        days, eps="1/2", grid="0.001", bounds=(0, 5), size=8, unit="kWh"
    ).data
    profile, truth = protected.mean(confidence=1 - 1e-6), np.clip(days, 0, 5).mean(axis=0)
    basis = protected.mechanism.basis
    bias = np.abs(truth - truth @ basis.rows.T @ basis.back.T).max()
    assert _inside(profile, truth, bias)
    assert bias < 0.05
    found = linkage(protected, days)
    assert found.before > 0.97  # the rest are twins, such as days without use
    assert found.after < 0.01


def test_curves_in_the_order_of_their_sums_are_warned_of():
    days = example_days(60, 4)
    protect_curves(days, eps=1, grid="0.1")
    with pytest.warns(PrivacyLeakWarning, match="by the sum of their readings") as heard:
        protect_curves(days[np.argsort(days.sum(axis=1))], eps=1, grid="0.1")
    assert heard[0].filename == __file__
