"""The front door: noisy answers in, the distribution before the noise out."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal, TypeGuard, get_args, overload

import numpy as np

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.estimation.climbing.bayesian_update import climb, gradient
from dprivacy.estimation.counts.channel_inversion import (
    inverted_counts,
    projected,
    projected_exactly,
)
from dprivacy.estimation.counts.estimate_result import Estimate
from dprivacy.estimation.counts.likelihood import total_log_likelihood
from dprivacy.estimation.counts.noisy_tables import estimated_table
from dprivacy.estimation.counts.observed_counts import Observed, read_observed
from dprivacy.estimation.counts.report_estimate import (
    counted_reports,
    counters_seen,
    estimated_reports,
)
from dprivacy.estimation.counts.standard_errors import EDGE, around, read_chance, spread
from dprivacy.estimation.counts.table_estimate import TableEstimate
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.mechanisms import LocalMechanism, whole
from dprivacy.numbers import Floats, read_number
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, NumberLike

Estimator = Literal["ibu", "inverse", "projected"]


@overload
def estimate(
    C: ChannelLike,
    observed: Any,
    *,
    estimator: Estimator | None = None,
    confidence: NumberLike = 0.95,
    n: NumberLike | None = None,
    tolerance: NumberLike = 1e-9,
    max_iterations: int = 100_000,
    accelerate: bool = True,
) -> Estimate: ...


@overload
def estimate(
    C: Sequence[ChannelLike | None],
    observed: Any,
    *,
    estimator: Literal["ibu", "inverse"] | None = None,
    confidence: NumberLike = 0.95,
    n: None = None,
    tolerance: NumberLike = 1e-9,
    max_iterations: int = 100_000,
    accelerate: bool = True,
) -> TableEstimate: ...


@result("T", "Thm 8.1", "Prop 8.2", "§8.3.1")
def estimate(
    C: ChannelLike | Sequence[ChannelLike | None],
    observed: Any,  # labels of any kind, a mapping, a Dist, or an array of counts
    *,
    estimator: Estimator | None = None,
    confidence: NumberLike = 0.95,
    n: NumberLike | None = None,
    tolerance: NumberLike = 1e-9,
    max_iterations: int = 100_000,
    accelerate: bool = True,
) -> Estimate | TableEstimate:
    """The distribution of the true values, estimated from noisy ones, with standard errors.

    Parameters
    ----------
    C
        The channel the values went through, or the mechanism (for a local one `observed` are the
        reports, or what its `count` gave); or, for a table of several columns that
        were randomised independently, a list of them (None for a column that was not randomised).
    observed
        The noisy values (a list, an array, a column); or counts by label (a mapping, or what pandas'
        `value_counts` gives); or a Dist of frequencies (with `n`). For a table an array of counts, one
        axis for each channel, in the order of the channels' outputs.
    estimator
        "ibu": the most likely distribution, always a distribution. "inverse": m·C⁻¹, unbiased,
        exact when the channel and the counts are; small cells may come out negative. "projected": the
        distribution nearest to the inverse (not for a table). When omitted "ibu", and "inverse" for
        the reports of a local mechanism.
    confidence
        Confidence level of the intervals.
    n
        The number of answers that frequencies come from.
    tolerance
        For "ibu": how far the mean log-likelihood may stay from its maximum (certified).
    max_iterations
        For "ibu": updates after which to stop; `converged` tells.
    accelerate
        For "ibu": the same answer in far fewer updates. Switch it off for the update as it is written.

    Returns
    -------
    Estimate or TableEstimate
        The second for a list of channels. Labels are the channels' inputs.

    Raises
    ------
    UnknownCategory
        Answers that the channel cannot give; the message counts them.
    NotInvertible
        "inverse" and "projected" need independent rows.
    NotApplicable
        There are no answers.

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
    >>> both = estimate([coin, None], [[200, 200], [300, 300]], estimator="inverse")
    >>> both.counts.tolist()
    [[150.0, 150.0], [350.0, 350.0]]
    """
    if estimator is not None:
        UnknownName.require("estimator", estimator, get_args(Estimator))
    sure = read_chance(confidence)
    climbing: dict[str, Any] = {
        "tolerance": float(read_number(tolerance, "tolerance")),
        "max_iterations": whole(max_iterations, "max_iterations"),
        "accelerate": accelerate,
    }
    if _several(C):
        if n is not None:
            raise NotApplicable(
                f"n={n!r} belongs to a Dist of frequencies; a table has its own total"
            )
        return estimated_table(
            C, observed, estimator=estimator or "ibu", confidence=sure, **climbing
        )
    if isinstance(C, LocalMechanism):
        reports = counted_reports(C, observed)
        if estimator != "ibu":
            return estimated_reports(reports, estimator or "inverse", sure)
        counters = counters_seen(reports)
        return _by_ibu(Known(C), counters, sure, **climbing)
    estimator = estimator or "ibu"
    known = C if isinstance(C, Known) else Known(C)
    seen = read_observed(observed, known.columns, n)
    if estimator == "ibu":
        return _by_ibu(known, seen, sure, **climbing)
    return _by_inversion(known, seen, estimator, sure)


def _several(C: Any) -> TypeGuard[Sequence[ChannelLike | None]]:
    """Whether this is a list of channels; rows of numbers are one channel."""
    return isinstance(C, list | tuple) and not any(map(_is_row, C))


def _is_row(part: Any) -> bool:
    return isinstance(part, list | tuple | np.ndarray) and all(np.ndim(v) == 0 for v in part)


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
        "from the covariance of the inverted counts"
        + (", before they were moved to the simplex" if estimator == "projected" else ""),
    )


def _by_ibu(known: Known, seen: Observed, confidence: float, **climbing: Any) -> Estimate:
    counts = seen.floats
    found = climb(known.operator, counts / counts.sum(), **climbing)
    centres, squares, identified = around(known.operator, counts, found.p)
    edge = found.p < EDGE * found.p.max()
    if edge.any():
        rests = (
            "those of the unconstrained estimate (by inverting the channel), because the estimate lies "
            f"on the boundary: {int(edge.sum())} of {len(edge)} shares are 0"
        )
    else:
        rests = "from the Fisher information at the maximum (delta method)"
    notes = []
    if not identified:
        notes.append(
            "This channel does not determine some of the shares: other distributions are just as "
            "likely, and the standard errors of those shares are infinite."
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
