"""Counts from the reports of a local mechanism: exact and unbiased, whatever their number."""

from fractions import Fraction
from typing import Any

from dprivacy.errors import NotApplicable
from dprivacy.estimation.counts.channel_inversion import projected_exactly
from dprivacy.estimation.counts.estimate_result import Estimate
from dprivacy.estimation.counts.observed_counts import Observed
from dprivacy.estimation.counts.standard_errors import spread
from dprivacy.mechanisms import HyperplaneReports, LocalMechanism, ReportCounts
from dprivacy.sources import result


@result("L", "Thm 2")
def estimated_reports(seen: ReportCounts, estimator: str, confidence: float) -> Estimate:
    """The estimate (s − n·q)/(p − q) of every count, or the distribution nearest to it.

    Notes
    -----
    With B_yx = ([x ∈ y] − q)/(p − q), Σ_y m_y·B_yx² = (s·(1−q)² + (n−s)·q²)/(p−q)²; both this and the
    counts are rationals, found from the numbers s of reports whose sets hold each label.
    """
    mechanism, n = seen.mechanism, seen.n
    p, q = mechanism.p, mechanism.q
    held = [int(s) for s in seen.supports]
    counts = [(s - n * q) / (p - q) for s in held]
    squares = [(s * (1 - q) ** 2 + (n - s) * q**2) / (p - q) ** 2 for s in held]
    shares: list[Any] = [count / n for count in counts]
    moved = estimator == "projected"
    if moved:
        shares = projected_exactly(shares)
    return Estimate(
        mechanism.labels,
        tuple(shares),
        n,
        estimator,
        spread(counts, squares, n),
        confidence,
        None,
        None,
        0,
        True,
        "from the covariance of the inverted counts"
        + (", before they were moved to the simplex" if moved else ""),
    )


def counted_reports(mechanism: LocalMechanism, observed: Any) -> ReportCounts:
    """What was sent, counted; NotApplicable where nothing was."""
    seen = mechanism.count(observed)
    if not seen.n:
        raise NotApplicable("there are no reports to estimate from: their number is 0")
    return seen


def counters_seen(seen: ReportCounts) -> Observed:
    """How often each report came, for estimators that need it."""
    if not isinstance(seen.mechanism.reports, HyperplaneReports):
        raise NotApplicable(
            f'{seen.mechanism.family} keeps no count of each report; use estimator="inverse" for '
            'unbiased counts, or "projected" for a distribution'
        )
    return Observed(tuple(Fraction(int(count)) for count in seen.counters))
