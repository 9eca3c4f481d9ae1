"""The one variance formula: exact laws of tiny tables, today's tables, and designs by hand."""

from itertools import product

import numpy as np
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.estimation import estimate
from dprivacy.estimation.scores.signed_rows import column_scores
from dprivacy.estimation.scores.survey_design import records
from dprivacy.estimation.scores.total_variances import score_totals
from dprivacy.mechanisms import geometric, randomised_response

AGE = geometric(4, eps="ln 2")
F = np.array([[0.0, 1, 4, 9], [0, 0, 1, 1]])


def scored(fs, y, scores=None):
    scores = scores or column_scores(AGE)
    g = np.stack([scores.apply(f) for f in fs], axis=1)
    h = np.stack([[scores.apply(a * b) for b in fs] for a in fs]).transpose(2, 0, 1)
    return g[y], h[y]


def test_totals_and_noise_variances_are_unbiased_over_the_exact_law():
    truth, w = [0, 2, 3], np.array([1.0, 2.5, 0.5])
    C = AGE.channel.matrix.floats
    mean, second, told = np.zeros(2), np.zeros((2, 2)), np.zeros((2, 2))
    design = records(w, fraction=1.0)
    noise = np.zeros((2, 2))
    for y in product(range(4), repeat=3):
        chance = np.prod([C[x, v] for x, v in zip(truth, y, strict=True)])
        g, h = scored(F, list(y))
        total = w @ g
        mean += chance * total
        second += chance * np.outer(total, total)
        noise += chance * np.einsum("i,iab->ab", w**2, g[:, :, None] * g[:, None, :] - h)
        told += chance * score_totals(g, h, design).covariance[0]
    assert mean == pytest.approx(F[:, truth] @ w)
    variance = second - np.outer(mean, mean)
    assert noise == pytest.approx(variance)
    assert (np.diag(told) >= np.diag(variance) - 1e-9).all()  # negative ones are lifted to 0


def test_the_whole_table_has_the_variances_of_estimated_tables():
    jobs = randomised_response(["a", "b", "c"], eps=1)
    counts = [250, 200, 150]
    old = estimate([jobs, None], [[c] for c in counts], estimator="inverse")
    y = np.repeat(np.arange(3), counts)
    g, h = scored(np.eye(3), y, column_scores(jobs))
    for fraction, errors in (
        (1.0, old.table_variances),
        (0.0, old.population_variances * 600 / 599),
    ):
        found = score_totals(g, h, records(np.ones(600), fraction=fraction))
        assert found.values[0] == pytest.approx(old.counts[:, 0])
        assert np.diag(found.covariance[0]) == pytest.approx(errors[:, 0])


def by_hand(z, strata, clusters, fraction, noise):
    total = 0.0
    for h in set(strata.tolist()):
        inside = strata == h
        sums = np.array([z[inside & (clusters == c)].sum() for c in set(clusters[inside].tolist())])
        total += (1 - fraction) * len(sums) * sums.var(ddof=1) + fraction * noise[inside].sum()
    return total


@pytest.mark.parametrize("fraction", [0.0, 0.3, 1.0])
def test_strata_and_clusters_by_hand(fraction):
    rng = np.random.default_rng(5)
    n = 400
    y, strata, clusters = rng.integers(0, 4, n), rng.integers(0, 3, n), rng.integers(0, 9, n)
    clusters = clusters + 100 * strata
    w = rng.gamma(2, 1, n)
    g, h = scored(F, y)
    found = score_totals(g, h, records(w, strata=strata, clusters=clusters, fraction=fraction))
    for a in range(2):
        noise = w**2 * (g[:, a] ** 2 - h[:, a, a])
        expected = by_hand(w * g[:, a], strata, clusters, fraction, noise)
        assert found.covariance[0, a, a] == pytest.approx(expected)
    assert found.covariance[0, 0, 1] == found.covariance[0, 1, 0]
    assert found.degrees == (np.inf if fraction == 1 else 27 - 3)


def test_groups_are_domains_whose_other_rows_are_zeros():
    rng = np.random.default_rng(6)
    y, group = rng.integers(0, 4, 300), rng.integers(0, 3, 300)
    g, h = scored(F, y)
    strata, clusters = rng.integers(0, 2, 300), rng.integers(0, 20, 300)
    for design in (records(np.ones(300)), records(np.ones(300), strata=strata, clusters=clusters)):
        found = score_totals(g, h, design, group, 3)
        for k in range(3):
            inside = (group == k) * 1.0
            alone = score_totals(g * inside[:, None], h * inside[:, None, None], design)
            assert found.values[k] == pytest.approx(alone.values[0])
            assert found.covariance[k] == pytest.approx(alone.covariance[0])


@pytest.mark.parametrize("fraction", [0.0, 0.4, 1.0])
def test_alike_rows_may_be_taken_together(fraction):
    rng = np.random.default_rng(7)
    y, w = rng.integers(0, 4, 500), rng.gamma(2, 1, 500)
    g, h = scored(F, y)
    apart = score_totals(g, h, records(w, fraction=fraction))
    one = np.arange(4)
    g4, h4 = scored(F, one)
    sums = [np.bincount(y, power, minlength=4) for power in (np.ones(500), w, w**2)]
    together = records(sums[1], rows=sums[0], squares=sums[2], fraction=fraction)
    found = score_totals(g4, h4, together)
    assert found.values == pytest.approx(apart.values)
    assert found.covariance == pytest.approx(apart.covariance)


def test_jackknife_weights_give_the_cluster_variance():
    rng = np.random.default_rng(8)
    clusters = np.repeat(np.arange(20), 15)
    y = rng.integers(0, 4, 300)
    g, h = scored(F, y)
    plain = score_totals(g, h, records(np.ones(300), clusters=clusters))
    again = np.where(clusters[:, None] == np.arange(20), 0.0, 20 / 19)
    found = score_totals(g, h, records(np.ones(300), replicates=again, scale=19 / 20))
    assert found.covariance == pytest.approx(plain.covariance)
    assert found.degrees == 19


def test_identity_has_no_noise():
    y = np.array([0, 1, 3, 3])
    one = column_scores(np.eye(4).tolist())
    g, h = scored(F, y, one)
    found = score_totals(g, h, records(np.ones(4), fraction=1.0))
    assert found.values[0] == pytest.approx([19, 2])
    assert not found.covariance.any()


def test_a_stratum_of_one_cluster_is_refused():
    g, h = scored(F, [0, 1, 2])
    with pytest.raises(NotApplicable, match=r"1 stratum with a single cluster.*merge it"):
        score_totals(g, h, records([1, 1, 1], strata=["n", "n", "s"]))
