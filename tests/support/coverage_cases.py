"""Statistics whose intervals are counted: each case draws, protects, estimates, and knows the truth."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import pyarrow as pa

from dprivacy.estimation import Survey
from dprivacy.release import Plan, Released, received, sanitise

JOBS, SEXES = ("a", "b", "c", "d"), ("f", "m")
CODES = tuple(f"c{k:02}" for k in range(30))
PLAN = {
    "columns": {
        "job": {"type": "categories", "values": list(JOBS), "epsilon": "3/2"},
        "sex": {"type": "categories", "values": list(SEXES), "epsilon": "ln 3"},
        "code": {"type": "categories", "values": list(CODES), "epsilon": "1"},
        "age": {"type": "numbers", "low": 0, "high": 20, "grid": 1, "epsilon": "1/2"},
        "years": {"type": "numbers", "low": 0, "high": 72, "grid": 1, "epsilon": "1/10"},
    },
    "pass_through": ["w", "region", "stratum", "cluster", "r0", "r1"],
}


@dataclass(frozen=True)
class Summary:
    """What many runs of a case came to."""

    runs: int
    truth: float
    spread: float
    error: float
    bias: float
    coverage: float


@cache
def card():
    """The card of the plan, made once."""
    empty = {"job": "a", "sex": "f", "code": "c00", "age": 0, "years": 0}
    open_ = {"w": 1.0, "region": "n", "stratum": 0, "cluster": 0, "r0": 1.0, "r1": 1.0}
    table = pa.table({name: [value] for name, value in (empty | open_).items()})
    return sanitise(table, Plan.read(PLAN)).card


@cache
def _sums(column):
    channel = card().channel(column)
    labels = [float(x) if column in ("age", "years") else x for x in channel.columns]
    return np.cumsum(channel.matrix.floats, axis=1), np.array(labels)


def noisy(rng, column, codes):
    """True places of a column, through its channel."""
    sums, labels = _sums(column)
    at = (rng.random(len(codes))[:, None] > sums[codes]).sum(axis=1)
    return labels[np.minimum(at, len(labels) - 1)]


def release(rng, truth, **public):
    """A protected table of these true places."""
    columns = {name: noisy(rng, name, codes) for name, codes in truth.items()}
    size = len(next(iter(columns.values())))
    missing = {name: np.zeros(size) for name in card().columns if name not in columns | public}
    labels = {name: np.full(size, _sums(name)[1][0]) for name in PLAN["columns"] if name in missing}
    return received(Released(pa.table({**columns, **missing, **labels, **public}), card()))


def _people(n=3000):
    rng = np.random.default_rng(11)
    job = rng.choice(4, n, p=[0.4, 0.3, 0.2, 0.1])
    age = np.clip(rng.normal(9, 4, n).round(), 0, 20).astype(int)
    return job, age, rng.gamma(3, 1 / 3, n), rng.choice(["n", "s"], n), rng.integers(0, 2, n)


def weighted_total(rng):
    job, _, w, *_ = _people()
    return release(rng, {"job": job}, w=w).total(where={"job": "d"}, weights="w"), w[job == 3].sum()


def filtered_count(rng):
    job, age, *_ = _people()
    found = release(rng, {"job": job, "age": age}).total(
        where=[{"job": "d"}, "age>=12"], method="score"
    )
    return found, ((job == 3) & (age >= 12)).sum()


def ratio_of_totals(rng):
    job, age, w, *_ = _people()
    found = release(rng, {"job": job, "age": age}, w=w).mean("age", where={"job": "d"}, weights="w")
    return found, np.average(age, weights=w * (job == 3))


def mean(rng):
    _, age, *_ = _people()
    return release(rng, {"age": age}).mean("age"), age.mean()


def variance(rng):
    _, age, *_ = _people()
    return release(rng, {"age": age}).variance("age"), age.var()


def correlation(rng):
    job, age, *_ = _people()
    older = np.clip(age + 4 * (job == 3), 0, 20)
    found = release(rng, {"job": job, "age": older}).correlation("age", lambda job: job == "d")
    return found, np.corrcoef(older, job == 3)[0, 1]


def three_way_cell(rng):
    job, _, _, region, sex = _people()
    table = release(rng, {"job": job, "sex": sex}, region=region).cross_table(
        ["job", "sex", "region"], estimator="inverse"
    )
    return table.long_form().rows[4], ((job == 1) & (sex == 0) & (region == "n")).sum()


YEARS = np.arange(73)
SMOOTH = np.exp(-0.5 * ((YEARS - 23) / 13) ** 2) + 0.3 * np.exp(-0.5 * ((YEARS - 52) / 6) ** 2)
SMOOTH /= SMOOTH.sum()
ROUND = (YEARS + 18) % 10 == 0
HEAPED = 0.6 * SMOOTH + 0.4 * np.where(ROUND, SMOOTH, 0) / SMOOTH[ROUND].sum()


def median(rng):
    truth = rng.choice(73, 5000, p=SMOOTH)
    found = release(rng, {"years": truth}).quantile("years", of="population")
    return found, int(np.searchsorted(np.cumsum(SMOOTH), 0.5))


def range_of_heaped_numbers(rng):
    truth = rng.choice(73, 20_000, p=HEAPED)
    found = release(rng, {"years": truth}).share(where="years=22..31", of="population")
    return found, HEAPED[22:32].sum()


def weighted_range(rng):
    truth = rng.choice(73, 8000, p=SMOOTH)
    w = np.where(truth >= 22, 0.5, 1.5) * rng.gamma(4, 0.25, len(truth))
    found = release(rng, {"years": truth}, w=w).share(
        where="years>=22", weights="w", of="population"
    )
    above, below = 0.5 * SMOOTH[22:].sum(), 1.5 * SMOOTH[:22].sum()
    return found, above / (above + below)


def rare_class_of_many(rng):
    shares = 0.9 ** np.arange(30)
    truth = rng.choice(30, 4000, p=shares / shares.sum())
    found = release(rng, {"code": truth}).share(where={"code": "c10"}, of="population")
    return found, shares[10] / shares.sum()


TAKEN, PER, SIZE = (10, 16, 24), 40, 25


@cache
def _population():
    """Three strata of 40 clusters of 25 people each: who has job d rather than a."""
    rng = np.random.default_rng(12)
    level = rng.normal(0, 0.5, (3, PER))[:, :, None] + np.array([-1, 0, 0.6])[:, None, None]
    return rng.random((3, PER, SIZE)) < 1 / (1 + np.exp(-level))


def _clusters(rng):
    truth, stratum, cluster, w = [], [], [], []
    for h, taken in enumerate(TAKEN):
        for k in rng.choice(PER, taken, replace=False):
            truth.append(_population()[h, k])
            stratum += [h] * SIZE
            cluster += [1000 * h + int(k)] * SIZE
            w += [PER / taken] * SIZE
    return np.concatenate(truth), np.array(stratum), np.array(cluster), np.array(w)


def clustered_total(rng):
    truth, stratum, cluster, w = _clusters(rng)
    shares = {h: taken / PER for h, taken in enumerate(TAKEN)}
    survey = Survey(weights="w", strata="stratum", clusters="cluster", fraction=shares)
    table = release(rng, {"job": 3 * truth}, w=w, stratum=stratum, cluster=cluster)
    return table.total(where={"job": "d"}, survey=survey), _population().sum()


def stratified_total(rng):
    truth, stratum, w = [], [], []
    for h, taken in enumerate((200, 300, 400)):
        people = _population()[h].ravel()
        truth.append(rng.choice(people, taken, replace=False))
        stratum += [h] * taken
        w += [len(people) / taken] * taken
    shares = {0: 0.2, 1: 0.3, 2: 0.4}
    table = release(
        rng, {"job": 3 * np.concatenate(truth)}, w=np.array(w), stratum=np.array(stratum)
    )
    survey = Survey(weights="w", strata="stratum", fraction=shares)
    return table.total(where={"job": "d"}, survey=survey), _population().sum()


def few_clusters(rng):
    chosen = rng.choice(PER, 8)
    truth = _population()[1, chosen].ravel()
    table = release(rng, {"job": 3 * truth}, cluster=np.repeat(np.arange(8), SIZE))
    found = table.share(where={"job": "d"}, survey=Survey(clusters="cluster"))
    return found, _population()[1].mean()


# Name, case, and whether its likelihood intervals may hold the truth more often than they say.
CASES: dict[str, tuple[Callable[[np.random.Generator], tuple[object, float]], bool]] = {
    "weighted total": (weighted_total, False),
    "filtered count": (filtered_count, False),
    "ratio: weighted mean in a protected group": (ratio_of_totals, False),
    "mean": (mean, False),
    "variance": (variance, False),
    "correlation": (correlation, False),
    "three-way cell": (three_way_cell, False),
    "median": (median, True),
    "range of a noisy number, heaped": (range_of_heaped_numbers, True),
    "weighted range": (weighted_range, True),
    "a class of 30": (rare_class_of_many, True),
    "stratified total": (stratified_total, False),
    "stratified clusters, total": (clustered_total, False),
    "eight clusters, share": (few_clusters, False),
}


def runs_for(name):
    """How many releases the table of the documentation takes: 400 of a likelihood's."""
    return 400 if CASES[name][1] else 1000


def runs_of(name, runs, seed=1) -> Iterator[tuple[float, float, float, float, float]]:
    """Estimate, standard error, the ends of the interval and the truth, run by run."""
    rng = np.random.default_rng([seed, *name.encode()])
    for _ in range(runs):
        found, truth = CASES[name][0](rng)
        if isinstance(found, tuple):
            value, error, low, high = found[-6:-2]
        else:
            value, error, (low, high) = found.value, found.standard_error, found.interval
        yield value, error, low, high, float(truth)


def summary(name, runs, seed=1) -> Summary:
    """Coverage, bias and errors of a case."""
    value, error, low, high, truth = map(np.array, zip(*runs_of(name, runs, seed), strict=True))
    off = value - truth
    size = math.sqrt((error**2).mean())
    held = (low <= truth) & (truth <= high)
    return Summary(runs, truth.mean(), off.std(), size, off.mean() / size, held.mean())
