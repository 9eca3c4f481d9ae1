"""Intervals hold the truth as often as they say: bands at default size, and the whole table slowly."""

import gzip
import io

import numpy as np
import pandas as pd
import pytest

from dprivacy.design import optimal
from dprivacy.mechanisms import mechanism_text
from dprivacy.release import Plan, Released, received, sanitise
from dprivacy.spaces import line
from support.coverage_cases import CASES, runs_for, summary
from support.real_data import real
from support.release_tables import seed_is_noticed, weak_rows

pytestmark = weak_rows


@pytest.mark.parametrize("name", [name for name in CASES if not CASES[name][1]])
def test_intervals_hold_the_truth(name):
    found = summary(name, 40, seed=2)
    assert round(40 * found.coverage) >= 33  # fewer happen once in 3,000 times
    assert abs(found.bias) < 4 / np.sqrt(40)
    assert 0.6 < found.spread / found.error < 1.5


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name][1]])
def test_likelihood_intervals_hold_the_truth(name):
    assert summary(name, 12, seed=2).coverage >= 10 / 12


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_coverage_over_many_releases(name):
    found = summary(name, runs_for(name))
    conservative = CASES[name][1]
    assert found.coverage >= 0.93
    assert conservative or found.coverage <= 0.97
    assert conservative or abs(found.bias) < 0.25


def acs():
    raw = gzip.decompress(real("nist_acs_excerpts", "national2019.csv.gz").read_bytes())
    frame = pd.read_csv(io.BytesIO(raw), dtype={"DREM": str}, keep_default_na=False)
    return frame[["DREM", "AGEP", "PWGTP"]]


ACS = Plan.read({
    "columns": {
        "DREM": {"type": "categories", "values": ["N", "1", "2"], "epsilon": "ln 3"},
        "AGEP": {"type": "numbers", "low": 0, "high": 99, "grid": 1, "epsilon": "1/10"},
    },
    "pass_through": ["PWGTP"],
})  # fmt: skip


def releases(frame, count):
    for seed in range(count):
        with seed_is_noticed():
            made = sanitise(frame, ACS, insecure_seed=seed)
        yield received(Released(made.data, made.card))


@pytest.mark.slow
def test_weighted_totals_of_a_census_excerpt_over_100_releases():
    frame = acs()
    truth = frame.groupby("DREM").PWGTP.sum()
    hits = dict.fromkeys(truth.index, 0)
    off = {label: [] for label in truth.index}
    for release in releases(frame, 100):
        found = release.total(by="DREM", weights="PWGTP")
        for label, true in truth.items():
            entry = found.at(label)
            hits[label] += entry.low <= true <= entry.high
            off[label].append((entry.value - true) / entry.standard_error)
    assert min(hits.values()) >= 89, hits
    assert max(abs(np.mean(each)) for each in off.values()) < 0.3


@pytest.mark.slow
def test_a_range_errs_no_more_than_the_best_known_estimator():
    """Maximum likelihood errs least of all that assume nothing of the law; the score errs far more."""
    frame = acs()
    truth = frame.AGEP.between(40, 49).sum()
    errors = {"auto": [], "likelihood": [], "score": []}
    for release in releases(frame, 20):
        for method, each in errors.items():
            found = release.total(where="AGEP=40..49", method=method)
            each.append(found.value - truth)
            if method == "auto":
                assert found.only.method == "maximum likelihood"
    size = {method: np.sqrt(np.mean(np.square(each))) for method, each in errors.items()}
    assert size["auto"] <= 1.5 * min(size.values())
    assert size["auto"] < size["score"] / 2


def test_what_an_optimal_mechanism_hides_for_good_has_a_range():
    mechanism = optimal(line(4), eps="1/4 ln 2").mechanism()
    used = [y for y in mechanism.channel.columns if mechanism.channel[0, y]]
    assert len(used) < 4
    plan = Plan.read({"columns": {"x": {"type": "stored", "stored": mechanism_text(mechanism)}}})
    made = sanitise(pd.DataFrame({"x": [0, 0, 1, 3] * 500}), plan)
    release = received(Released(made.data, made.card))
    found = release.share(where={"x": 0})
    assert found.only.method == "possible range"
    assert found.only.low - 0.1 < 0.5 < found.only.high + 0.1
    assert found.only.low < found.only.high
    assert "unknown" in str(found)
    assert "no point can be estimated" in found.explain()
