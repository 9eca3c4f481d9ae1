"""Which local mechanism for how many labels: error, length of a report and decoding of each."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadNumber, TooLarge
from dprivacy.mechanisms.groundwork.label_codes import whole
from dprivacy.mechanisms.local.geometry_reports import (
    HashedReports,
    HyperplaneReports,
    ProjectiveReports,
    least_rank,
)
from dprivacy.mechanisms.local.local_families import best_size, made, orders, telling
from dprivacy.mechanisms.local.local_mechanism import LocalMechanism
from dprivacy.mechanisms.local.set_reports import Reports, SubsetReports, UnaryReports
from dprivacy.model import Answer, Pictured, about
from dprivacy.numbers import Level, as_eps, float_up, root_above
from dprivacy.spaces import read_labels
from dprivacy.typing import Label, LevelLike

MOST_BITS = 64
_NEARLY = Fraction(1005, 1000)  # of variances that count as equal: the shorter report is taken
_SHOWN = 8


@dataclass(frozen=True)
class Candidate:
    """One local mechanism with what it would cost.

    Attributes
    ----------
    family, parameters
        How to make it. Sets of one label are randomised response.
    error
        The standard error of an estimated count, the mean over all labels (root of the mean square).
    worth
        How many times the error of the best subsets, the smallest that any local mechanism has.
    bits
        The length of a report.
    counters
        How many counters the collector keeps, of which decoding is one transform where there are more
        than labels.

    Examples
    --------
    >>> local_plan(["yes", "no"], eps="ln 3", n=100).best.name
    'randomised response'
    """

    family: str
    parameters: dict[str, Any]
    error: float
    worth: float
    bits: float
    counters: int
    reports: Reports = field(repr=False, compare=False)

    @property
    def name(self) -> str:
        """The family and its parameters, in words."""
        if self.family == "subset_response" and self.parameters["size"] == 1:
            return "randomised response"
        told = ", ".join(
            str(value) if name == "kind" else f"{name} = {value}"
            for name, value in self.parameters.items()
        )
        return f"{self.family.replace('_', ' ')} ({told})"


@dataclass(frozen=True, repr=False, eq=False)
class LocalPlan(Answer, Pictured):
    """Local mechanisms side by side, the recommended one first.

    Examples
    --------
    >>> found = local_plan(range(1024), eps=1, n=100_000)
    >>> found.best.name, round(found.best.error)
    ('projective response (q = 4, t = 6)', 607)
    >>> found.mechanism
    projective_response(1024 labels, 1365 reports of 10.4 bits, ε = 1)
    """

    labels: tuple[Any, ...]
    eps: Level
    n: int
    most_bits: int
    candidates: tuple[Candidate, ...]
    exact: bool = True

    @property
    def best(self) -> Candidate:
        """The recommended one."""
        return self.candidates[0]

    @property
    def mechanism(self) -> LocalMechanism:
        """The recommended mechanism, ready to draw."""
        best = self.best
        return made(best.family, self.labels, self.eps, best.reports, **best.parameters)

    def explain(self) -> str:
        """The recommendation, why, and a table."""
        best = self.best
        lines = [
            f"For {len(self.labels):,} labels at ε = {about(self.eps)} and {self.n:,} people: "
            f"{best.name}, with a standard error of {_error(best.error)} for each count and reports of "
            f"{best.bits:.1f} bits. {self._why()}",
            "",
            f"{'mechanism':<38}{'± s.e.':>10}{'× best':>9}{'bits':>10}{'counters':>11}",
        ]
        for each in self.candidates[:_SHOWN]:
            lines.append(
                f"{each.name:<38}{_error(each.error):>10}{each.worth:>9.3f}{each.bits:>10,.1f}"
                f"{each.counters:>11,}"
            )
        return "\n".join(lines)

    def _why(self) -> str:
        least = min(self.candidates, key=lambda each: each.error)
        if least is self.best:
            return "No other one that was looked at errs less."
        excess = (self.best.error / least.error - 1) * 100
        if least.bits > self.most_bits:
            why = f"which takes {least.bits:,.0f} bits a report, more than {self.most_bits}"
        else:
            why = f"which takes {least.bits:.1f} bits"
        return f"Its error is {excess:.1f} % above that of {least.name}, {why}."


def local_plan(
    labels: Iterable[Label], *, eps: LevelLike, n: int, most_bits: int = MOST_BITS
) -> LocalPlan:
    """Choose a local mechanism by its error: subsets if their reports are short, else a geometry.

    Parameters
    ----------
    labels
        The answers that a person may have.
    eps
        The level of privacy.
    n
        How many people are expected.
    most_bits
        The longest report that is acceptable.

    Returns
    -------
    LocalPlan
        Every candidate with its forecast error, bits and counters, and which one is recommended.

    Notes
    -----
    1. Candidates are randomised response, subsets of the best size, both unary responses, and for every
       prime power q up to 4(a + 2) the smallest geometry that has room, if one transform decodes it.
    2. Of those whose reports are short enough the smallest total variance is taken; among the ones
       within 0.5 % of it, the shortest report. Variances are compared as rationals.

    Examples
    --------
    >>> found = local_plan(range(10), eps=1, n=1000)
    >>> [each.name for each in found.candidates[:2]]
    ['subset response (size = 3)', 'projective response (q = 3, t = 3)']
    """
    known, level = read_labels(labels), as_eps(eps)
    if len(known) < 2:
        raise BadNumber(f"a local mechanism needs at least two labels, not {list(known)} alone")
    people, longest = whole(n, "n"), whole(most_bits, "most_bits")
    k = len(known)
    options = list(_options(k, telling(level), level))
    least = min(sets.total_variance() for _, _, sets in options)
    short = [option for option in options if option[2].bits <= longest]
    if not short:
        raise TooLarge(
            f"no report about {k:,} labels has {longest} bits; allow at least "
            f"{math.ceil(min(sets.bits for _, _, sets in options))}"
        )
    bound = min(sets.total_variance() for _, _, sets in short) * _NEARLY
    near = [option for option in short if option[2].total_variance() <= bound]
    chosen = min(near, key=lambda option: (option[2].bits, option[2].total_variance()))
    rest = sorted(
        (option for option in options if option is not chosen),
        key=lambda option: option[2].total_variance(),
    )
    candidates = tuple(_candidate(option, people, least) for option in (chosen, *rest))
    return LocalPlan(known, level, people, longest, candidates)


def _options(k: int, a: Fraction, level: Level) -> Iterable[tuple[str, dict[str, Any], Reports]]:
    size = best_size(k, a)
    for d in sorted({1, size}):
        yield "subset_response", {"size": d}, SubsetReports.of(k, a, d)
    yield "unary_response", {"kind": "optimised"}, UnaryReports.of(k, a, 1 / (a + 1))
    root = telling(level / 2)
    symmetric = UnaryReports.of(k, root * root, 1 / (root + 1))
    yield "unary_response", {"kind": "symmetric"}, symmetric
    best: dict[str, HyperplaneReports] = {}
    for q in orders(4 * (a + 2)):
        for family, sets in _geometries(k, a, q):
            known = best.get(family)
            less = known is None or sets.total_variance() < known.total_variance()
            if less and sets.decodable:
                best[family] = sets
    for family, sets in best.items():
        yield family, {"q": sets.q, "t": sets.t}, sets


def _geometries(k: int, a: Fraction, q: int) -> Iterable[tuple[str, HyperplaneReports]]:
    yield "projective_response", ProjectiveReports.of(k, a, q, least_rank(k, q))
    m = 1
    while q**m < k:
        m += 1
    yield "hashed_response", HashedReports.of(k, a, q, m)


def _candidate(option: tuple[str, dict[str, Any], Reports], n: int, least: Fraction) -> Candidate:
    family, parameters, sets = option
    variance = sets.total_variance()
    error = float_up(root_above(n * variance / sets.labels))
    worth = float_up(root_above(variance / least))
    return Candidate(family, parameters, error, worth, sets.bits, sets.slots, sets)


def _error(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
