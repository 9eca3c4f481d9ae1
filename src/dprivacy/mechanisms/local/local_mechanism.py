"""Local mechanisms for any number of labels: a person sends a set that holds the truth or not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import (
    BadNumber,
    NotApplicable,
    TooLarge,
    UnknownCategory,
    WrongKind,
    WrongShape,
)
from dprivacy.mechanisms.containers.opened_values import opened
from dprivacy.mechanisms.containers.python_values import ArrayValues
from dprivacy.mechanisms.groundwork.label_codes import Coder, whole
from dprivacy.mechanisms.local.set_reports import Counters, Reports
from dprivacy.model import Channel, Guarantee, Pictured, Sourced, about, plain
from dprivacy.numbers import Mat
from dprivacy.spaces import FiniteSpace
from dprivacy.verify import PrivacyVerdict, privacy

MOST_REPORTS = 1 << 53  # times 256, the largest field, they are still 64-bit integers


@dataclass(frozen=True)
class ReportCounts:
    """All that estimation needs of many reports: counters, which of two collections add up.

    Examples
    --------
    >>> from dprivacy.mechanisms import projective_response
    >>> drinks = projective_response(["tea", "coffee", "milk"], eps="ln 3")
    >>> both = drinks.count(drinks.randomise(["tea"] * 60)) + drinks.count([0, 1, 1])
    >>> both.n
    63
    >>> drinks.count([0, 1, 1]).supports.tolist()
    [2, 1, 0]
    """

    mechanism: "LocalMechanism"
    n: int
    counters: Counters = field(repr=False)

    def __post_init__(self) -> None:
        sets, n = self.mechanism.reports, whole(self.n, "n", 0)
        if n > MOST_REPORTS:
            raise TooLarge("at most 2^53 reports are counted together")
        counters = np.array(self.counters)
        if counters.shape != (sets.slots,):
            raise WrongShape(
                f"these should be {sets.slots} counters of {self.mechanism!r}, not of shape "
                f"{counters.shape}"
            )
        if counters.dtype.kind not in "iu":
            raise WrongKind("counters should be whole numbers")
        if counters.min() < 0 or counters.max() > n or not sets.could_be(counters, n):
            raise BadNumber(f"{n} reports do not have such counters: {self.mechanism!r}")
        counters = counters.astype(np.int64)
        counters.flags.writeable = False
        object.__setattr__(self, "counters", counters)

    def __add__(self, other: "ReportCounts") -> "ReportCounts":
        if not isinstance(other, ReportCounts):
            return NotImplemented
        if other.mechanism != self.mechanism:
            raise NotApplicable(
                f"counts of {self.mechanism!r} and of {other.mechanism!r} do not add up: the reports "
                "mean different things"
            )
        return ReportCounts(self.mechanism, self.n + other.n, self.counters + other.counters)

    @cached_property
    def supports(self) -> Counters:
        """For every label the number of reports whose set holds it."""
        return self.mechanism.reports.supports(self.counters, self.n)


@dataclass(frozen=True)
class LocalMechanism(Sourced, Pictured):
    """A mechanism whose report is a set of labels, a = e^ε times as likely for those inside.

    Everything is exact in the rational a: the law of a report, p and q, the variances and covariances
    of the estimated counts. A matrix of all reports is never built, except to prove the guarantee
    from the definition where there are few.

    Parameters
    ----------
    family
        The function that made it: subset_response, unary_response, hashed_response or
        projective_response.
    labels
        The answers that a person may have.
    reports
        The sets, and what they weigh.
    guarantee
        What it promises.
    parameters
        What it was made with, for the record.
    source
        The random source to draw from; the system's when omitted.

    Examples
    --------
    >>> from dprivacy.mechanisms import projective_response
    >>> words = projective_response(range(1024), eps="ln 3", q=4)
    >>> words
    projective_response(1024 labels, 1365 reports of 10.4 bits, ε = ln(3) ≈ 1.099)
    >>> print(words.p, words.q, words.reports.variance())
    1023/2047 511/2047 1533/512
    >>> print(words.factor, round(words.bits, 1), words.accepts(1364), words.accepts(1365))
    3 10.4 True False
    >>> projective_response(range(7), eps="ln 3").verify().status
    'proved'
    >>> print(words.count([0, 1, 1]).n, words.covariance(0, 1, secret=2))
    3 1019/1024
    """

    family: str
    labels: tuple[Any, ...] = field(repr=False)
    reports: Reports = field(repr=False)
    guarantee: Guarantee
    parameters: Mapping[str, Any] = field(default_factory=dict, compare=False)
    source: Any = field(default=None, compare=False)

    @property
    def p(self) -> Fraction:
        """How often a report's set holds the truth."""
        return self.reports.inside

    @property
    def q(self) -> Fraction:
        """How often it holds a given other label."""
        return self.reports.outside

    @property
    def factor(self) -> Fraction:
        """a = e^ε, or the rational just below it with which the law is exact."""
        return self.reports.factor

    @property
    def bits(self) -> float:
        """The length of a report."""
        return self.reports.bits

    @cached_property
    def _coder(self) -> Coder:
        return Coder(self.labels)

    @cached_property
    def channel(self) -> Channel | None:
        """The probabilities of all reports; None where there are too many to list."""
        if not self.reports.can_be_listed:
            return None
        told = list(self.reports.listed())
        a = self.factor
        rows = [
            [
                weight * (a if x in block else 1) / self.reports.normaliser
                for _, block, weight in told
            ]
            for x in range(len(self.labels))
        ]
        return Channel(self.labels, tuple(report for report, _, _ in told), Mat.of(rows))

    def verify(self) -> PrivacyVerdict:
        """Prove the guarantee again from the probabilities of all reports."""
        if self.channel is None:
            raise NotApplicable(
                f"{self!r} has too many reports to list; its guarantee rests on the weights a and 1 "
                "alone. The same family on fewer labels is proved from its matrix"
            )
        assert isinstance(self.guarantee.space, FiniteSpace)
        return privacy(self.channel, self.guarantee.space, eps=self.guarantee.eps)

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> Any:
        """A report for every true value, drawn with exactly the stated law.

        Parameters
        ----------
        values
            Labels: one, or several in a list, a tuple or an array of NumPy, pandas, Polars or pyarrow.
        insecure_seed
            For tests only: a seed that makes the noise repeatable, and so guessable. It warns.

        Returns
        -------
        the same kind of container
            Whole numbers (hashed_response, projective_response), the sorted positions of the labels
            in the set (subset_response), or one bit a label, eight to a byte (unary_response): one
            report a value; when the values came as an array of NumPy, an array of their shape, with a
            last axis for reports of several parts.

        Raises
        ------
        UnknownCategory
            A value outside the labels; the message has its row number, never the value.
        """
        held = self._coder.open(values)
        codes = self._coder.codes(held).astype(np.intp)
        drawn = self.reports.draw(codes, self._source(insecure_seed))
        if isinstance(held, ArrayValues) or drawn.ndim == 1:
            return held.of_cells(drawn)
        if drawn.dtype == np.uint8:
            return held.of_cells([row.tobytes() for row in drawn])
        return held.of_cells([tuple(row) for row in drawn.tolist()])

    def accepts(self, report: Any) -> bool:
        """Whether a person's device can have sent this."""
        read = self.reports.read([report])
        return bool(read.reshape(-1)[0] >= 0)

    def count(self, reports: Any) -> ReportCounts:
        """Count reports; what is counted is enough to estimate from, and adds up.

        Raises
        ------
        UnknownCategory
            What no device can have sent: the message has row numbers and counts, never a report.
        """
        if isinstance(reports, ReportCounts):
            if reports.mechanism != self:
                raise NotApplicable(f"these are counts of {reports.mechanism!r}, not of {self!r}")
            return reports
        read = self._read(reports)
        return ReportCounts(self, len(read), self.reports.count(read))

    def _read(self, reports: Any) -> NDArray[Any]:
        given = opened(reports).plain()
        if isinstance(given, np.ndarray) and given.ndim == 0:
            raise WrongKind("reports should be a list or an array, not a single report")
        read = self.reports.read(given)
        strange = np.flatnonzero(read.reshape(len(read), -1)[:, 0] < 0) if len(read) else read
        if len(strange):
            raise UnknownCategory(
                f"row {int(strange[0])} holds no report of {self.family} ({len(strange)} of "
                f"{len(read)} rows do not); was it made with another mechanism?"
            )
        return read

    def covariance(self, first: Any, second: Any, secret: Any) -> Fraction:
        """The covariance of two estimated counts that one person with this secret contributes."""
        z, w, x = self._coder.encode([first, second, secret]).tolist()
        if z == w:
            raise NotApplicable("two different labels have a covariance; for one, see the variance")
        if x in (z, w):
            return self.reports.covariance()
        return self.reports.covariance(self.reports.triple(x, z, w))

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data."""
        return {
            **super().to_dict(),
            "labels": len(self.labels),
            "p": plain(self.p),
            "q": plain(self.q),
            "bits": self.bits,
            "parameters": plain(self.parameters),
        }

    def __repr__(self) -> str:
        many = (
            f"{self.reports.outputs} reports of {self.bits:.1f} bits"
            if self.bits <= 20
            else f"reports of {self.bits:.0f} bits"
        )
        taint = "" if self.secure else ", INSECURE source"
        size = f"{len(self.labels)} labels, {many}"
        return f"{self.family}({size}, ε = {about(self.guarantee.eps)}{taint})"
