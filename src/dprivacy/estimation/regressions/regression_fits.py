"""The two fits: maximum likelihood for a misreported outcome, corrected scores for everything else."""

import math
from typing import Literal

import numpy as np

from dprivacy.errors import NotInvertible
from dprivacy.estimation.regressions.design_matrix import Design
from dprivacy.estimation.regressions.regression_result import Regression
from dprivacy.numbers import Floats

_STEPS = 100
_STILL = 1e-10
_BEYOND = 30.0  # log-odds at which an outcome is as good as certain
_DEPENDENT = 1e12
_NO_ROOT = (
    "the corrected equations have no solution for these {rows:,} rows: too little is left once the "
    "noise is taken out. Take more rows or fewer covariates, or randomise with a larger ε"
)


def _sigmoid(t: Floats) -> Floats:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * t)))


def likeliest(
    design: Design, reported: Floats, rates: tuple[float, float], confidence: float
) -> Regression:
    """Maximum likelihood for an outcome reported with known rates."""
    X = design.given
    low, kept = rates[0], rates[1] - rates[0]
    beta = np.zeros(X.shape[1])

    def chance(at: Floats) -> tuple[Floats, Floats]:
        s = _sigmoid(X @ at)
        return np.clip(low + kept * s, 1e-300, 1 - 1e-16), kept * s * (1 - s)

    def value(at: Floats) -> float:
        p, _ = chance(at)
        return float(reported @ np.log(p) + (1 - reported) @ np.log1p(-p))

    best, converged = value(beta), False
    information = np.eye(len(beta))
    for _ in range(_STEPS):
        p, slope = chance(beta)
        spread = p * (1 - p)
        score = X.T @ ((reported - p) * slope / spread)
        information = X.T @ (X * (slope**2 / spread)[:, None])
        step = _solve(information, score)
        share = 1.0
        while value(beta + share * step) < best and share > 1e-10:
            share /= 2
        gain = value(beta + share * step) - best
        if share <= 1e-10 or np.abs(step).max() <= _STILL * (1 + np.abs(beta).max()):
            converged = bool(np.abs(step).max() <= 1e-6 * (1 + np.abs(beta).max()))
            break
        beta, best = beta + share * step, best + gain
        if np.abs(X @ beta).max() > _BEYOND:  # chances of 0 and 1 fit best: there is no maximum
            break
    return Regression(
        design.names,
        beta,
        _solve(information, np.eye(len(beta))),
        len(reported),
        "logistic",
        confidence,
        "the Fisher information of the reported outcomes",
        converged,
        best,
    )


def corrected(
    design: Design, target: Floats, family: Literal["logistic", "linear"], confidence: float
) -> Regression:
    """Corrected estimating equations, by Newton's method with halved steps, and their sandwich."""
    beta = np.zeros(len(design.names))
    scores, slope = _equations(design, target, beta, family)
    converged, no_root = False, _NO_ROOT.format(rows=len(target))
    for _ in range(_STEPS):
        total = scores.sum(axis=0)
        step = _solve(slope, total, no_root if beta.any() else None)
        share = 1.0
        while True:
            moved = beta + share * step
            new_scores, new_slope = _equations(design, target, moved, family)
            if np.abs(new_scores.sum(axis=0)).max() <= np.abs(total).max() or share < 1e-6:
                break
            share /= 2
        beta, scores, slope = moved, new_scores, new_slope
        if np.abs(share * step).max() <= _STILL * (1 + np.abs(beta).max()):
            converged = share == 1.0
            break
    inverse = _solve(slope, np.eye(len(beta)), no_root)
    covariance = inverse @ (scores.T @ scores) @ inverse.T
    return Regression(
        design.names,
        beta,
        covariance,
        len(target),
        family,
        confidence,
        "the sandwich of the corrected scores",
        converged and math.isfinite(float(covariance.sum())),
    )


def _equations(design: Design, target: Floats, beta: Floats, family: str) -> tuple[Floats, Floats]:
    """The corrected score of every row, and minus the derivative of their sum."""
    scores = np.zeros((len(target), len(beta)))
    slope = np.zeros((len(beta), len(beta)))
    for weight, X in design.cases():
        mean = X @ beta
        curve = np.ones(len(target))
        if family == "logistic":
            mean = _sigmoid(mean)
            curve = mean * (1 - mean)
        scores += X * (weight * (target - mean))[:, None]
        slope += X.T @ (X * (weight * curve)[:, None])
    return scores, slope


def _solve(matrix: Floats, right: Floats, otherwise: str | None = None) -> Floats:
    try:
        size = np.sqrt(np.maximum(np.abs(np.diagonal(matrix)), 1e-300))
        if np.linalg.cond(matrix / size / size[:, None]) > _DEPENDENT:
            raise np.linalg.LinAlgError
        return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise NotInvertible(
            otherwise
            or f"the columns do not determine the {len(matrix)} coefficients: one is constant, or a "
            "combination of others; leave it out"
        ) from None
