"""Several attributes of one person: the stated levels are those of the exact joint law."""

from collections import Counter
from fractions import Fraction as Q
from itertools import product

import numpy as np
import pytest

from dprivacy.errors import BadNumber, UnknownName, WrongShape
from dprivacy.estimation import estimate
from dprivacy.mechanisms import several_attributes
from dprivacy.numbers import Level, ln

ASKED = {"drink": ["tea", "coffee"], "town": ["Ayr", "Bude", "Cork"]}
LEVELS = ["ln 4", "ln 9", "ln(9/4)"]


def joint_law(found, record):
    """The law of everything that one person with this record sends, from the definition."""
    names, d = list(found.mechanisms), len(found.mechanisms)
    laws = [dict(zip(m.channel.columns, m.channel.matrix.row(m.labels.index(x)), strict=True))
            for m, x in zip(found.mechanisms.values(), record, strict=True)]  # fmt: skip
    if found.how == "split":
        return {ys: np.prod([law[y] for law, y in zip(laws, ys, strict=True)])
                for ys in product(*laws)}  # fmt: skip
    if found.how == "sample":
        return {
            (name, y): p / d for name, law in zip(names, laws, strict=True) for y, p in law.items()
        }
    even = [Q(1, len(law)) for law in laws]
    return {
        ys: sum(
            np.prod([laws[i][ys[i]] if i == j else even[i] for i in range(d)]) / d for j in range(d)
        )
        for ys in product(*laws)
    }


@pytest.mark.parametrize("eps", LEVELS)
@pytest.mark.parametrize("how", ["split", "sample", "fakes"])
def test_levels_are_those_of_the_joint_law(how, eps):
    found = several_attributes(ASKED, eps=eps, how=how)
    assert found.whole == Level(eps)
    records = list(product(*ASKED.values()))
    laws = {record: joint_law(found, record) for record in records}
    assert all(sum(law.values()) == 1 for law in laws.values())
    worst, alone = Q(1), dict.fromkeys(ASKED, Q(1))
    for one, other in product(records, repeat=2):
        ratio = max(Q(laws[one][y]) / Q(laws[other][y]) for y in laws[one])
        worst = max(worst, ratio)
        differ = [name for name, a, b in zip(ASKED, one, other, strict=True) if a != b]
        if len(differ) == 1:
            alone[differ[0]] = max(alone[differ[0]], ratio)
    assert ln(worst) <= found.whole
    assert {name: ln(factor) for name, factor in alone.items()} == dict(found.alone)
    if how != "split":  # where ε/d is irrational a little is lost
        assert ln(worst) == found.whole


def test_fakes_are_weaker_than_one_attribute_suggests():
    found = several_attributes(ASKED, eps="ln 9", how="fakes")
    assert max(found.alone.values()) < found.whole
    assert found.alone["drink"] == ln(Q(9 * 2, 10) + Q(3, 11)) - ln(Q(2, 10) + Q(3, 11))


@pytest.mark.parametrize("how", ["split", "sample", "fakes"])
def test_reports_are_estimated_without_bias(how):
    found = several_attributes(ASKED, eps=3, how=how)
    n = 12_000
    records = {
        "drink": [["tea", "coffee"][i % 4 == 0] for i in range(n)],
        "town": [["Ayr", "Bude", "Cork"][i % 3] for i in range(n)],
    }
    reports = found.randomise(records)
    assert set(reports) == set(ASKED)
    for name in ASKED:
        column = [y for y in reports[name] if y is not None]
        source = found.channels[name] if how == "fakes" else found.mechanisms[name]
        shares = estimate(source, column, estimator="inverse").shares
        truth = Counter(records[name])
        for label, share in zip(found.mechanisms[name].labels, shares, strict=True):
            assert abs(float(share) - truth[label] / n) < 6 * found.error(name, n)


def test_forecasts_are_measured():
    rng_runs, n = 200, 300
    for how in ("split", "sample", "fakes"):
        found = several_attributes(ASKED, eps=2, how=how)
        records = {
            "drink": ["tea", "coffee"] * (n // 2),
            "town": ["Ayr", "Bude", "Cork"] * (n // 3),
        }
        squares = []
        for _ in range(rng_runs):
            reports = found.randomise(records)
            column = [y for y in reports["town"] if y is not None]
            source = found.channels["town"] if how == "fakes" else found.mechanisms["town"]
            shares = estimate(source, column, estimator="inverse").shares
            squares += [(float(share) - 1 / 3) ** 2 for share in shares]
        assert abs(np.sqrt(np.mean(squares)) / found.error("town", n) - 1) < 0.25


def test_words_and_refusals():
    found = several_attributes(ASKED, eps="ln 4", how="sample")
    assert "which one is told. A whole record is ln(4) ≈ 1.386-private" in found.explain()
    with pytest.raises(UnknownName, match="how"):
        several_attributes(ASKED, eps=1, how="guess")
    with pytest.raises(BadNumber, match="at least two"):
        several_attributes({"drink": ["a", "b"]}, eps=1)
    with pytest.raises(UnknownName, match="drink, town"):
        found.randomise({"drink": ["tea"]})
    with pytest.raises(WrongShape, match="one value a person"):
        found.randomise({"drink": ["tea"], "town": ["Ayr", "Cork"]})
    with pytest.raises(UnknownName, match="estimated by their mechanisms"):
        found.channels
