"""The answer to "what was true before the noise?", with how sure it is."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.errors import UnknownName
from dprivacy.estimation.counts.standard_errors import SCALES, Of, Scale, Spread, interval
from dprivacy.estimation.tabular_answer import LongForm, Rows, TabularAnswer
from dprivacy.model import Dist, Pictured, counted, plain, shown

_ROWS_SHOWN = 20
METHODS = {"ibu": "maximum likelihood", "inverse": "score", "projected": "projected score"}


@dataclass(frozen=True, eq=False, repr=False)
class Estimate(TabularAnswer, Pictured):
    """Estimated counts and shares of every label, with standard errors.

    Attributes
    ----------
    labels
        The channel's inputs.
    shares
        Their estimated proportions, in that order: Fractions or floats.
    n
        The number of answers.
    estimator
        "ibu", "inverse" or "projected".
    spread
        Variances, and the unconstrained estimates that intervals are centred on.
    confidence
        Confidence level of the intervals.
    log_likelihood
        Σ_y m_y·ln (pC)_y; None where the estimate is not a distribution.
    gap
        The mean log-likelihood of one answer is at most this far from the largest possible
        (certified by the gradient); None where the estimate is not a distribution.
    iterations, converged
        Updates made, and whether the gap came below the tolerance.
    errors_from
        What the standard errors rest on, in words.
    notes
        What else a reader should know.

    Examples
    --------
    >>> from dprivacy.estimation import estimate
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> found = estimate(coin, {"yes": 400, "no": 600}, estimator="inverse")
    >>> print(found)
    Estimate(inverse, n = 1000, 2 labels)
    label  count  ± s.e.  95 % interval  share
      yes    300    27.4  246.3 … 353.7   3/10
       no    700    27.4  646.3 … 753.7   7/10
    >>> print(found.counts["yes"], found.distribution["yes"], found.proper, found.dist()["no"])
    300 3/10 True 7/10
    >>> round(found.standard_errors["yes"], 1), [round(end, 1) for end in found.intervals["yes"]]
    (27.4, [246.3, 353.7])
    >>> shares = {"of": "population", "scale": "proportions"}
    >>> round(found.errors(**shares)["yes"], 3), [round(x, 3) for x in found.ranges(**shares)["yes"]]
    (0.031, [0.239, 0.361])
    >>> found.long_form().columns
    ('label', 'estimate', 'standard_error', 'low', 'high', 'of', 'method')
    """

    labels: tuple[Any, ...]
    shares: tuple[Fraction | float, ...]
    n: Any
    estimator: str
    spread: Spread
    confidence: float
    log_likelihood: float | None
    gap: float | None
    iterations: int
    converged: bool
    errors_from: str
    notes: tuple[str, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether the shares are rational numbers."""
        return all(isinstance(share, Fraction) for share in self.shares)

    @property
    def distribution(self) -> dict[Any, Fraction | float]:
        """The estimated share of every label; of "inverse" it need not be a distribution."""
        return dict(zip(self.labels, self.shares, strict=True))

    @property
    def proper(self) -> bool:
        """Whether the shares are a distribution: none is negative."""
        return all(share >= 0 for share in self.shares)

    def dist(self) -> Dist:
        """The shares as a Dist; NotStochastic if some are negative."""
        return Dist(self.labels, self.shares)

    @property
    def counts(self) -> dict[Any, Fraction | float]:
        """The estimated true count of every label among the n answers."""
        return {label: share * self.n for label, share in self.distribution.items()}

    @property
    def standard_errors(self) -> dict[Any, float]:
        """Of the counts among these n people; `errors` has the other kinds."""
        return self.errors()

    @property
    def intervals(self) -> dict[Any, tuple[float, float]]:
        """For the counts among these n people; `ranges` has the other kinds."""
        return self.ranges()

    def errors(self, *, of: Of = "table", scale: Scale = "counts") -> dict[Any, float]:
        """Standard errors.

        Parameters
        ----------
        of
            "table": of the true counts among these n people. "population": of what they say about the
            population they were drawn from, which adds the error of drawing them.
        scale
            "counts", or "proportions" (divided by n).
        """
        unit = self._unit(scale)
        variances = self.spread.variances(of)
        return {
            label: math.sqrt(float(variance)) / unit
            for label, variance in zip(self.labels, variances, strict=True)
        }

    def ranges(
        self, *, of: Of = "table", scale: Scale = "counts"
    ) -> dict[Any, tuple[float, float]]:
        """Intervals at the confidence asked for; see `errors` for the parameters.

        They are centred on the unconstrained estimate, whose errors are known; for "ibu" and
        "projected" they are cut to what is possible, and widened, if need be, to hold the estimate.
        """
        unit = self._unit(scale)
        within = None if self.estimator == "inverse" else (0.0, self.n)
        answer = {}
        for label, share, centre, variance in zip(
            self.labels,
            self.shares,
            self.spread.centres,
            self.spread.variances(of),
            strict=True,
        ):
            low, high = interval(centre, variance, self.confidence, within, share * self.n)
            answer[label] = (low / unit, high / unit)
        return answer

    def _unit(self, scale: Scale) -> float:
        UnknownName.require("scale", scale, SCALES)
        return 1.0 if scale == "counts" else float(self.n)

    def explain(self) -> str:
        """The estimate in words."""
        how = {
            "ibu": "maximum likelihood (iterative Bayesian update)",
            "inverse": "inverting the channel",
            "projected": "inverting the channel, then the nearest distribution",
        }[self.estimator]
        text = [
            f"{counted(len(self.labels), 'share')} estimated from n = {plain(self.n)} by {how}."
        ]
        if self.estimator == "ibu":
            end = "Converged" if self.converged else "Not converged"
            text.append(
                f"{end} after {counted(self.iterations, 'update')}: the mean log-likelihood is within "
                f"{self.gap:.2g} of its maximum."
            )
        if not self.proper:
            least = min(zip(self.shares, self.labels, strict=True), key=lambda pair: pair[0])
            text.append(
                f"The estimate is not a distribution ({shown(least[1])} has share "
                f"{_number(least[0], 4)}): "
                'it is unbiased; for shares of at least 0 use estimator="ibu" or "projected".'
            )
        text.append(f"Standard errors: {self.errors_from}.")
        return " ".join([*text, *self.notes])

    def long_form(self) -> LongForm:
        """One row for each label: its count among these people."""
        errors, ends = self.errors(), self.ranges()
        rows = tuple(
            (label, float(count), errors[label], *ends[label], "table", METHODS[self.estimator])
            for label, count in self.counts.items()
        )
        return LongForm("count", ("label",), rows, (f"standard errors: {self.errors_from}",))

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain data."""
        rows = zip(
            self.labels,
            self.shares,
            self.counts.values(),
            self.errors().values(),
            self.ranges().values(),
            self.errors(of="population", scale="proportions").values(),
            strict=True,
        )
        titles = ("label", "share", "count", "standard_error", "interval", "population_share_error")
        return {
            **self._told("estimator", "n", "confidence"),
            "rows": [dict(zip(titles, plain(row), strict=True)) for row in rows],
            **self._told("log_likelihood", "gap", "iterations", "converged", "proper", "exact"),
            **self._told("errors_from", "notes"),
        }

    def _printed(self) -> tuple[str, Rows]:
        head = (
            f"Estimate({self.estimator}, n = {plain(self.n)}, {counted(len(self.labels), 'label')})"
        )
        rows: Rows = [
            ("label", "count", "± s.e.", f"{100 * self.confidence:g} % interval", "share")
        ]
        errors, ends = self.errors(), self.ranges()
        for label, share in list(self.distribution.items())[:_ROWS_SHOWN]:
            low, high = ends[label]
            count = _number(share * self.n)
            interval = f"{low:.1f} … {high:.1f}"
            rows.append((shown(label), count, f"{errors[label]:.1f}", interval, _number(share, 4)))
        left = len(self.labels) - _ROWS_SHOWN
        return head, rows + ([(f"… and {left} more", *[""] * 4)] if left > 0 else [])


def _number(value: Any, digits: int = 1) -> str:
    """Short fractions as they are, everything else rounded."""
    if isinstance(value, Fraction) and len(str(value)) <= 12:
        return str(value)
    return f"{float(value):.{digits}f}"
