"""Totals of scores with their variances: one formula for noise, sampling, strata and clusters."""

from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, counted
from dprivacy.estimation.scores.survey_design import Records
from dprivacy.numbers import Floats, Sealed


@dataclass(frozen=True, eq=False)
class Totals(Sealed):
    """Estimated totals of k functions in each of G groups, with their covariances.

    Parameters
    ----------
    values
        T̂, of shape (G, k).
    covariance
        V̂, of shape (G, k, k): noise and, as far as the table was drawn, sampling.
    degrees
        Degrees of freedom of the quantile that intervals take; infinite where only the noise errs.
    replicated
        The totals under each replicate weight, of shape (R, G, k); None where there are none.
    scale
        A of the replicates' variance.
    """

    values: Floats
    covariance: Floats
    degrees: float
    replicated: Floats | None = None
    scale: float = 0.0


def score_totals(
    scores: Floats,
    products: Floats,
    design: Records,
    groups: NDArray[np.intp] | None = None,
    count: int = 1,
) -> Totals:
    """The totals Σ w·g of scores, and their covariances.

    Parameters
    ----------
    scores
        g_a(y) for each record and function, of shape (n, k).
    products
        The score of f_a·f_b for each record, of shape (n, k, k).
    design
        Weights, strata and clusters of the records.
    groups
        The number of each record's group, from 0 to `count` − 1; all in one when omitted. Rows of other
        groups count as zeros, as in the estimation of domains.
    count
        How many groups there are.

    Notes
    -----
    With E[g_a·g_b − h_ab | truth] = Cov(g_a, g_b | truth), strata H of which the share φ was drawn, n_H
    clusters in it and z_c = Σ w·g over a cluster,

        V̂ = Σ_H [(1−φ)·n_H/(n_H−1)·Σ_c (z_c − z̄)(z_c − z̄)ᵀ + φ·Σ_i w_i²·(g_i·g_iᵀ − h_i)].

    φ = 1 asks for the table itself, where only the noise errs, and φ = 0 for the population it was
    drawn from; in between, the finite-population correction shrinks sampling and not the noise.

    Raises
    ------
    NotApplicable
        For a stratum of a single cluster.
    """
    n, k = scores.shape
    group = np.zeros(n, dtype=np.intp) if groups is None else groups
    values = _summed(design.weights[:, None] * scores, group, count)
    if design.replicates is not None:
        again = np.stack(
            [_summed(column[:, None] * scores, group, count) for column in design.replicates.T]
        )
        off = again - values
        covariance = design.scale * np.einsum("rga,rgb->gab", off, off)
        return Totals(values, covariance, float(len(again) - 1), again, design.scale)
    covariance = np.zeros((count, k, k))
    pairs = list(combinations_with_replacement(range(k), 2))
    share = design.fractions[design.strata]
    if (share > 0).any():
        for a, b in pairs:
            noise = share * design.squares * (scores[:, a] * scores[:, b] - products[:, a, b])
            covariance[:, a, b] += np.bincount(group, noise, minlength=count)
    if design.whole:
        return Totals(values, _mirrored(covariance), np.inf)
    degrees = _add_sampling(covariance, scores, design, group, pairs)
    return Totals(values, _mirrored(covariance), degrees)


def _add_sampling(
    covariance: Floats,
    scores: Floats,
    design: Records,
    group: NDArray[np.intp],
    pairs: list[tuple[int, int]],
) -> float:
    """Add what drawing the rows or clusters errs by; the degrees of freedom that are left."""
    count, k = covariance.shape[:2]
    strata = len(design.fractions)
    sums = design.weights[:, None] * scores
    if design.clusters is None:
        sizes = np.bincount(design.strata, design.rows, minlength=strata)
        place = design.strata * count + group
        seconds = {
            (a, b): np.bincount(
                place, design.squares * scores[:, a] * scores[:, b], minlength=strata * count
            )
            for a, b in pairs
        }
    else:
        home = np.zeros(int(design.clusters.max()) + 1, dtype=np.intp)
        home[design.clusters] = design.strata
        sizes = np.bincount(home, minlength=strata).astype(np.float64)
        both, at = np.unique(design.clusters * count + group, return_inverse=True)
        sums = _summed(sums, at, len(both))
        place = home[both // count] * count + both % count
        seconds = {
            (a, b): np.bincount(place, sums[:, a] * sums[:, b], minlength=strata * count)
            for a, b in pairs
        }
    kept = design.fractions < 1
    lonely = int(((sizes < 2) & kept).sum())
    if lonely:
        raise NotApplicable(
            f"{counted(lonely, 'stratum', 'strata')} with a single cluster: its variance cannot be "
            "estimated; merge it with another stratum, or give its sampled share as 1"
        )
    first = _summed(sums, place, strata * count).reshape(strata, count, k)
    factor = np.where(kept, (1 - design.fractions) * sizes / np.maximum(sizes - 1, 1), 0.0)
    for (a, b), second in seconds.items():
        spread = second.reshape(strata, count) - first[..., a] * first[..., b] / sizes[:, None]
        covariance[:, a, b] += factor @ spread
    return float((sizes - 1)[kept].sum())


def _summed(table: Floats, at: NDArray[np.intp], count: int) -> Floats:
    """The sums of the rows of a table that have the same number."""
    return np.stack([np.bincount(at, column, minlength=count) for column in table.T], axis=1)


def _mirrored(covariance: Floats) -> Floats:
    """The symmetric matrices of which the upper halves are given; no variance is below 0."""
    k = covariance.shape[1]
    for a in range(k):
        covariance[:, a, a] = np.maximum(covariance[:, a, a], 0.0)
        covariance[:, a + 1 :, a] = covariance[:, a, a + 1 :]
    return covariance
