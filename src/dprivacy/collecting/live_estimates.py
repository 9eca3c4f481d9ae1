"""What a collection says so far: counts with errors, and what fakes could have done to them."""

from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from itertools import pairwise
from operator import itemgetter
from typing import Any

from dprivacy.collecting.fake_reports import (
    CounterVerdict,
    FakeReport,
    counters_honest,
    fake_report,
)
from dprivacy.collecting.report_wire import Tally
from dprivacy.errors import NotInvertible
from dprivacy.estimation import Estimate, estimate
from dprivacy.model import Answer, about, counted, shown

_MOST_ROWS = 1000  # of the largest counts, for the page
_COMPARED = 5  # the largest counts, each beside the next


@dataclass(frozen=True, eq=False, repr=False)
class Findings(Answer):
    """Estimates from what was collected, with the effect that fake reports could have had.

    Attributes
    ----------
    tally
        What was counted.
    estimate
        Counts with standard errors; None before the first report.
    fake
        What one fake report can do; None where the channel cannot be inverted.
    honest
        Whether the counters are as honest reports can leave them.

    Examples
    --------
    >>> from dprivacy.collecting import wire_of
    >>> from dprivacy.mechanisms import randomised_response
    >>> wire = wire_of(randomised_response(["yes", "no"], eps="ln 3"))
    >>> print(findings(Tally(wire, 1000, {0: 400, 1: 600})).explain())  # doctest: +ELLIPSIS
    Estimate(inverse, n = 1000, 2 labels)
    label  count  ± s.e.  95 % interval  share
      yes    300    27.4  246.3 … 353.7   3/10
       no    700    27.4  646.3 … 753.7   7/10
    <BLANKLINE>
    One fake report adds up to 1.5 to an estimated count, and moves two counts apart by up to 2.
    no is ahead of yes by 400; to make that up would have taken at least 200 fake reports.
    No sign of manipulation in 2 counters. ...
    >>> findings(Tally(wire, 1000, {0: 400, 1: 600})).comparisons
    (('no', 'yes', 400.0, 200),)
    """

    tally: Tally
    estimate: Estimate | None
    fake: FakeReport | None
    honest: CounterVerdict
    exact: bool = True

    @property
    def comparisons(self) -> tuple[tuple[Any, Any, float, int], ...]:
        """The largest counts, each beside the next: both labels, the lead, and the fewest fakes."""
        if self.estimate is None or self.fake is None:
            return ()
        return tuple(
            (first, second, float(high - low), self.fake.fewest(high - low))
            for (first, high), (second, low) in pairwise(self._largest[: _COMPARED + 1])
        )

    @cached_property
    def _largest(self) -> list[tuple[Any, Any]]:
        """The labels with the largest counts."""
        counts = {} if self.estimate is None else self.estimate.counts
        return nlargest(_MOST_ROWS, counts.items(), key=itemgetter(1))

    def explain(self) -> str:
        """The estimates in words."""
        if self.estimate is None:
            return "There are no reports yet."
        lines = [str(self.estimate), ""]
        if self.fake is not None:
            lines.append(self.fake.explain())
        lines += [
            f"{shown(first)} is ahead of {shown(second)} by {ahead:,.4g}; to make that up would have "
            f"taken at least {counted(fewest, 'fake report')}."
            for first, second, ahead, fewest in self.comparisons
        ]
        return "\n".join([*lines, self.honest.explain()])

    def to_dict(self) -> dict[str, Any]:
        """The estimates as plain data."""
        return {
            "mechanism": self.tally.wire.hash,
            "eps": about(self.tally.wire.mechanism.guarantee.eps),
            "n": self.tally.n,
            "rows": self._rows(),
            "labels": len(self.tally.wire.labels),
            "fake": None if self.fake is None else self.fake.explain(),
            "comparisons": [
                {
                    "first": shown(first),
                    "second": shown(second),
                    "ahead": ahead,
                    "fewest_fakes": fewest,
                }
                for first, second, ahead, fewest in self.comparisons
            ],
            "honest": bool(self.honest),
            "manipulation": self.honest.explain(),
        }

    def _rows(self) -> list[dict[str, Any]]:
        """The largest counts."""
        if self.estimate is None:
            return []
        errors, ends = self.estimate.errors(), self.estimate.ranges()
        return [
            {
                "label": shown(label),
                "count": float(count),
                "standard_error": errors[label],
                "interval": list(ends[label]),
            }
            for label, count in self._largest
        ]


def findings(tally: Tally) -> Findings:
    """Estimate from what was collected so far.

    Counts are found by inverting the channel, which is unbiased and shows what fakes did; where the
    channel cannot be inverted, by maximum likelihood.

    Examples
    --------
    >>> from dprivacy.collecting import wire_of
    >>> from dprivacy.mechanisms import projective_response
    >>> wire = wire_of(projective_response(["tea", "coffee", "milk"], eps="ln 3"))
    >>> found = findings(Tally(wire, 300, {0: 120, 1: 90, 2: 90}))
    >>> found.estimate.n, bool(found.honest)
    (300, True)
    """
    mechanism = tally.wire.mechanism
    honest = counters_honest(tally)
    try:
        fake = fake_report(mechanism)
    except NotInvertible:
        fake = None
    if not tally.n:
        return Findings(tally, None, fake, honest)
    found = estimate(mechanism, tally.observed(), estimator="ibu" if fake is None else "inverse")
    return Findings(tally, found, fake, honest)
