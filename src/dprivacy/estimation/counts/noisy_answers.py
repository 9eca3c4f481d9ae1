"""The front door: noisy answers in, the distribution before the noise out."""

from fractions import Fraction
from typing import Any, Literal

import numpy as np

from dprivacy.errors import Malformed
from dprivacy.estimation.counts.bayesian_update import climb, gradient
from dprivacy.estimation.counts.channel_inversion import (
    inverted_counts,
    projected,
    projected_exactly,
)
from dprivacy.estimation.counts.estimate_result import Estimate
from dprivacy.estimation.counts.likelihood import total_log_likelihood
from dprivacy.estimation.counts.observed_counts import Observed, read_observed
from dprivacy.estimation.counts.standard_errors import EDGE, around, quantile, spread
from dprivacy.estimation.operators.channel_operator import Floats
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.sources import result

Estimator = Literal["ibu", "inverse", "projected"]


@result("T", "Thm 8.1", "Prop 8.2", "§8.3.1")
def estimate(
    C: Any,
    observed: Any,
    *,
    estimator: Estimator = "ibu",
    n: Any = None,
    confidence: float = 0.95,
    tolerance: float = 1e-9,
    max_iterations: int = 100_000,
    accelerate: bool = True,
) -> Estimate:
    """The distribution of the true values, estimated from noisy ones, with standard errors.

    Parameters
    ----------
    C
        The channel the values went through, or the mechanism.
    observed
        The noisy values; or a mapping from label to count; or a Dist of frequencies (with `n`).
    estimator
        "ibu": the most likely distribution, always a distribution. "inverse": m·C⁻¹, unbiased,
        exact when the channel and the counts are; small cells may come out negative. "projected": the
        distribution nearest to the inverse.
    n
        For frequencies: how many answers they come from.
    confidence
        Of the intervals.
    tolerance
        For "ibu": how far the mean log-likelihood may stay from its maximum (certified).
    max_iterations
        For "ibu": updates after which to stop; `converged` tells.
    accelerate
        For "ibu": the same answer in far fewer updates. Switch it off for the update as it is written.

    Returns
    -------
    Estimate
        Labels are the channel's inputs.

    Raises
    ------
    UnknownCategory
        Answers that the channel cannot give; the message counts them.
    NotInvertible
        "inverse" and "projected" need independent rows.
    Malformed
        No answers, or counts that are none.

    Notes
    -----
    1. Count the outputs.
    2. "inverse" solves n̂·C = m (over ℚ when it can); "projected" moves it to the simplex; "ibu" climbs.
    3. Standard errors come from Bᵀ·diag(m)·B (see `spread`): exact for the inverse, the delta method at
       an interior maximum, and those of the unconstrained estimate when the maximum lies on the
       boundary, where no normal approximation holds for the estimate itself.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> found = estimate(coin, {"yes": 400, "no": 600}, estimator="inverse")
    >>> print(found.counts["yes"])
    300
    """
    if estimator not in ("ibu", "inverse", "projected"):
        raise Malformed(f'estimator must be "ibu", "inverse" or "projected", not {estimator!r}')
    quantile(confidence)
    known = C if isinstance(C, Known) else Known(C)
    seen = read_observed(observed, known.columns, n)
    if estimator == "ibu":
        return _by_ibu(known, seen, confidence, tolerance, max_iterations, accelerate)
    return _by_inversion(known, seen, estimator, confidence)


def _by_inversion(
    known: Known, seen: Observed, estimator: Estimator, confidence: float
) -> Estimate:
    counts, squares = inverted_counts(known, seen)
    shares: list[Any] = [count / seen.n for count in counts]
    exact = all(isinstance(share, Fraction) for share in shares)
    if estimator == "projected":
        shares = projected_exactly(shares) if exact else projected(np.array(shares)).tolist()
    p = np.array([float(share) for share in shares])
    proper = bool((p >= 0).all())
    return Estimate(
        known.rows,
        tuple(shares),
        seen.n,
        estimator,
        spread(counts, squares, seen.n),
        confidence,
        total_log_likelihood(known, p, seen) if proper else None,
        _gap(known, seen, p) if proper else None,
        0,
        True,
        "the covariance of the inverted counts"
        + (", before they were moved to the simplex" if estimator == "projected" else ""),
    )


def _by_ibu(
    known: Known,
    seen: Observed,
    confidence: float,
    tolerance: float,
    max_iterations: int,
    accelerate: bool,
) -> Estimate:
    counts = seen.floats
    found = climb(
        known.operator,
        counts / counts.sum(),
        tolerance=tolerance,
        max_iterations=max_iterations,
        accelerate=accelerate,
    )
    centres, squares, identified = around(known.operator, counts, found.p)
    edge = found.p < EDGE * found.p.max()
    if edge.any():
        rests = (
            f"the estimate lies on the boundary ({int(edge.sum())} of {len(edge)} shares are 0), so "
            "they are those of the unconstrained estimate, by inverting the channel"
        )
    else:
        rests = "the delta method at the maximum (Fisher information)"
    notes = []
    if not identified:
        notes.append(
            "Some shares are not determined by this channel: other distributions are just as likely, "
            "and the standard errors of those shares are infinite."
        )
    return Estimate(
        known.rows,
        tuple(found.p.tolist()),
        seen.n,
        "ibu",
        spread(centres, squares, seen.n),
        confidence,
        total_log_likelihood(known, found.p, seen),
        found.gap,
        found.iterations,
        found.converged,
        rests,
        tuple(notes),
    )


def _gap(known: Known, seen: Observed, p: Floats) -> float:
    counts = seen.floats
    q = counts / counts.sum()
    r = known.operator.forward(p)
    if not (r[q > 0] > 0).all():
        return float("inf")
    return max(float(gradient(known.operator, q, r).max()) - 1, 0.0)
