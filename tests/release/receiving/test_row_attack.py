"""Attacks on a release: the numbers against the theory, the words, and the command."""

import json
import math
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.tables import attack as command
from dprivacy.errors import Malformed, TooLarge
from dprivacy.flow import capacity, gain, posterior_vulnerability
from dprivacy.model import Channel, Dist
from dprivacy.numbers import Level
from dprivacy.release import Plan, ReceivedTable, received, sanitise_file
from dprivacy.release.columns.demo_survey import write_demo
from dprivacy.release.plans.table_card import table_card
from dprivacy.release.receiving.own_statistics import OwnStatistics
from dprivacy.release.receiving.row_attack import attack
from support.report_tables import FAMILIES, every_release, report_plan

pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attack")
    table, plan = write_demo(folder)
    output = folder / "released.csv"
    sanitise_file(table, Plan.read(plan), output)
    return received(output)


@pytest.mark.statement("T", "Def 5.3.1")
def test_the_numbers_are_posterior_vulnerabilities(released):
    """A belief is given, so that every number can be found again through the flow room."""
    smokes, health = released.card.channel("smokes"), released.card.channel("health")
    rng = np.random.default_rng(7)
    regions = ["north", "south"]
    triples = [(s, r, h) for s in smokes.rows for r in regions for h in health.rows]
    weights = rng.random(len(triples))
    belief = Dist(triples, (weights / weights.sum()).tolist())
    found = attack(released, secret="smokes", known=["region"], also=["health"], population=belief)
    seen = [(r, y, z) for r in regions for y in smokes.columns for z in health.columns]
    rows = [
        [float(smokes[s, y]) * float(health[h, z]) if r == region else 0.0 for region, y, z in seen]
        for s, r, h in triples
    ]
    guess = gain.partition({s: [t for t in triples if t[0] == s] for s in smokes.rows})
    expected = posterior_vulnerability(Channel(triples, seen, rows), prior=belief, gain=guess)
    assert found.after == pytest.approx(expected)
    by_region = Channel(
        triples, regions, [[float(r == region) for region in regions] for _, r, _ in triples]
    )
    assert found.before == pytest.approx(
        posterior_vulnerability(by_region, prior=belief, gain=guess)
    )
    assert found.bound == pytest.approx(float(capacity(smokes) * capacity(health)))
    assert found.error is None
    assert sum(g.share for g in found.groups) == pytest.approx(1)
    assert sum(g.share * g.after for g in found.groups) == pytest.approx(found.after)
    assert found.groups[0].after >= found.groups[-1].after


def test_more_knowledge_never_hurts(released):
    alone = attack(released, secret="hobby")
    read = attack(released, secret="hobby", known=["region"])
    assert alone.blind == alone.before <= alone.after
    assert read.before <= read.after <= read.bound * read.before + 1e-9
    assert alone.after <= alone.surest <= 1
    assert alone.lift == alone.after / alone.before


def test_the_success_is_what_a_real_attacker_has(released):
    """Guess every person's hobby from their released value, and count how often that is right."""
    from dprivacy.release.columns.demo_survey import survey

    found = attack(released, secret="hobby")
    channel = released.card.channel("hobby")
    truth = survey()["hobby"]
    prior = released.estimate("hobby").counts
    best = {
        y: max(channel.rows, key=lambda s, y=y: float(prior[s]) * float(channel[s, y]))
        for y in channel.columns
    }
    noisy = [line.split(",") for line in released.data.read_text().splitlines()]
    at = [name.strip('"') for name in noisy[0]].index("hobby")
    values = [line[at].strip('"') for line in noisy[1:]]
    right = sum(best[y] == x for x, y in zip(truth, values, strict=True)) / len(truth)
    assert found.error is not None
    assert 0 <= found.error < 0.05
    assert abs(right - found.after) < 5 * found.error + 0.08


def test_words_and_data(released):
    told = OwnStatistics(0.05, 0.001)
    found = replace(attack(released, secret="smokes", known=["region"]), own=told)
    words = found.explain()
    for part in (
        "Probability of guessing a person's smokes:",
        "knowing the person's true region as well",
        "100.0 %  if smokes were released as it is",
        "for every attacker, by at most 1.5",
        "Most exposed:",
        "the attacker knows which row is the person's",
        "nothing is learned from hobby and health",
    ):
        assert part in words
    data = json.loads(json.dumps(found.to_dict()))
    assert data["groups"][0]["known"]["region"] in ("north", "south")
    assert str(found) == words


def test_a_published_column_has_no_bound(released):
    found = attack(released, secret="smokes", also=["region"])
    assert found.bound == math.inf
    assert (
        "population"
        in attack(
            released, secret="smokes", population=Dist(["yes", "no"], [0.5, 0.5])
        ).assumptions[2]
    )


def test_refusals(released, monkeypatch):
    with pytest.raises(Malformed, match="published as it is"):
        attack(released, secret="region")
    with pytest.raises(Malformed, match="not list a column 'age'"):
        attack(released, secret="age")
    with pytest.raises(Malformed, match="named twice"):
        attack(released, secret="smokes", known=["smokes"])
    with pytest.raises(Malformed, match="known should be a list of columns"):
        attack(released, secret="smokes", known="region")
    with pytest.raises(Malformed, match="tuples of 2 values"):
        attack(
            released, secret="smokes", known=["region"], population=Dist(["yes", "no"], [0.5, 0.5])
        )
    monkeypatch.setattr("dprivacy.release.receiving.row_attack._MOST_CELLS", 3)
    with pytest.raises(TooLarge, match="too many combinations"):
        attack(released, secret="smokes")


def test_the_command(released):
    run = CliRunner().invoke(
        command, [str(released.data), "--secret", "smokes", "--known", "region,health"]
    )
    assert run.exit_code == 0, run.output
    assert "knows region and health truly" in run.output
    data = CliRunner().invoke(
        command, [str(released.data), "--secret", "smokes", "--also", "health", "--json"]
    )
    assert json.loads(data.output)["seen"] == ["smokes", "health"]


class TestReports:
    """A guess from a report: all reports are weighed where they can be listed."""

    @pytest.mark.parametrize("family", FAMILIES)
    def test_the_best_guess_is_that_of_the_channel(self, family):
        plan = report_plan(family)
        ((_, table), *_) = every_release(plan, ["rum", "tea", "tea"], ["n"] * 3)
        weights = ["1/3", "1/6", "1/2"]
        prior = Dist([("tea",), ("milk",), ("rum",)], weights)
        found = attack(table, secret="drink", population=prior)
        channel = plan.column("drink").local.channel
        believed = Dist(channel.rows, weights)
        expected = posterior_vulnerability(
            channel, prior=believed, gain=gain.identity(channel.rows)
        )
        assert found.after == pytest.approx(float(expected))
        assert found.bound == pytest.approx(float(capacity(channel)))

    def test_more_reports_than_can_be_listed_are_refused_in_words(self):
        plan = report_plan("unary", values=[f"v{k}" for k in range(30)])
        card = table_card(plan, rows=1, secure=True)
        table = ReceivedTable(pa.table({"drink": ["x00000000"], "town": ["n"]}), card)
        with pytest.raises(Malformed, match="unary_response about 30 values has too many reports"):
            attack(table, secret="drink")

    def test_reports_of_a_geometry_are_weighed_beside_what_is_known(self):
        plan = report_plan("projective", values=[f"v{k}" for k in range(9)])
        card = table_card(plan, rows=4, secure=True)
        rows = pa.table({"drink": [0, 3, 7, 7], "town": ["n", "s", "n", "s"]})
        exact = attack(ReceivedTable(rows, card), secret="drink", known=["town"])
        local = plan.column("drink").local
        assert exact.bound == pytest.approx(float(capacity(local.channel)))
        assert exact.people == 4


def test_what_is_too_noisy_to_say_is_not_said(released):
    found = attack(released, secret="hobby", known=["region"], also=["health", "smokes"])
    assert not found.own.trusted
    first, second, *_ = found.explain().splitlines()
    assert first.startswith("This release is too noisy to say how its answers go together.")
    assert second.startswith("Whatever else an attacker knows: 50 right guesses in 100")
    assert "Probability of guessing" not in found.explain()
    assert json.loads(json.dumps(found.to_dict()))["own"]["shift"] is None


def test_limits_are_those_of_what_is_read(released):
    factor = attack(released, secret="smokes").factor
    assert factor == 3
    more = attack(released, secret="smokes", also=["hobby"])
    card = released.card.mechanisms
    assert more.factor == pytest.approx(3 * math.exp(float(Level(card["hobby"]["most"]))))
    assert attack(released, secret="smokes", also=["region"]).factor == math.inf
