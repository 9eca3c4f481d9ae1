"""Repeated collection: a permanent report that is kept, and a fresh, weaker one each time.

A person's device draws one report at the level that holds for ever and keeps it. Whenever it is asked
it sends the kept report with probability h and a uniform one otherwise. What one answer tells is
then the same mechanism at a smaller level, and what all answers tell together, however many, is never
more than the kept report.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable
from dprivacy.mechanisms.local.geometry_reports import HyperplaneReports
from dprivacy.mechanisms.local.local_families import made, telling
from dprivacy.mechanisms.local.local_mechanism import LocalMechanism
from dprivacy.mechanisms.local.set_reports import SubsetReports
from dprivacy.model import Explained, Guarantee, about
from dprivacy.numbers import as_eps
from dprivacy.sampling import Source, choose_source, toss, uniform_array
from dprivacy.sources import result
from dprivacy.typing import LevelLike


@dataclass(frozen=True)
class Memoised(Explained):
    """A permanent round and the fresh round on top of it.

    Attributes
    ----------
    permanent
        Draws the report that a device keeps; its guarantee holds for all answers together, for as long
        as the true value stays the same. v different values of one person cost v times its ε, and
        that a value changed can be seen.
    single
        The law of one answer: estimate from one wave of answers with this.
    kept
        h, how often the kept report is sent.

    Examples
    --------
    >>> from dprivacy.mechanisms import memoised, projective_response
    >>> weekly = memoised(projective_response(range(7), eps="ln 4", q=2), first="ln 2")
    >>> print(weekly.kept, weekly.single)
    8/15 projective_response(7 labels, 7 reports of 2.8 bits, ε = ln(2) ≈ 0.6931)
    >>> report = weekly.permanent.randomise([3])
    >>> len(weekly.answer(report))
    1
    >>> print(weekly.guarantee.eps, weekly.explain().split(",")[0], sep="; ")
    ln(4); One answer is ln(2) ≈ 0.6931-private
    """

    permanent: LocalMechanism
    single: LocalMechanism
    kept: Fraction

    def answer(self, reports: Any, *, source: Source | None = None) -> Any:
        """What is sent now for each kept report; everything is drawn afresh in every call.

        Parameters
        ----------
        reports
            Kept reports, as `permanent.randomise` gave them.
        source
            The random source; the system's when omitted.
        """
        draw = source or choose_source()
        read = self.permanent._read(reports)
        stays = toss(self.kept, len(read), draw)
        out = np.where(
            stays.reshape(-1, *[1] * (read.ndim - 1)), read, self._uniform(len(read), draw)
        )
        if isinstance(reports, np.ndarray):
            return out
        return out.tolist() if out.ndim == 1 else [tuple(row) for row in out.tolist()]

    def _uniform(self, n: int, source: Source) -> NDArray[Any]:
        """Reports that do not depend on anything, all equally likely."""
        sets = self.permanent.reports
        if isinstance(sets, SubsetReports):
            return sets.uniform(n, source)
        return uniform_array(sets.outputs, n, source)

    @property
    def guarantee(self) -> Guarantee:
        """What all answers together promise, for one true value."""
        return self.permanent.guarantee

    def explain(self) -> str:
        """Both levels in words."""
        once, always = self.single.guarantee.eps, self.permanent.guarantee.eps
        return (
            f"One answer is {about(once)}-private, and all answers of a person together are "
            f"{about(always)}-private for as long as the true value stays the same. Every other value "
            f"that the person comes to have adds {about(always)}, and that it changed can be seen."
        )


@result("L", "Thm 4")
def memoised(mechanism: LocalMechanism, *, first: LevelLike) -> Memoised:
    """A permanent report at the mechanism's level, sent through a second round each time.

    Parameters
    ----------
    mechanism
        A local mechanism whose reports are equally likely before anything is known: subset_response,
        hashed_response or projective_response. Its level is what all answers may tell together.
    first
        The smaller level of a single answer.

    Raises
    ------
    NotApplicable
        For unary response, whose sets are not equally likely; and when `first` is not smaller.

    Notes
    -----
    With Z and b of the permanent round and a₁ = e^first, the kept report is sent with probability
    h = Z(a₁ − 1)/(b(a − a₁) + Z(a₁ − 1)). A report then has probability h·w/Z + (1 − h)/b for w = a
    inside its set and w = 1 outside, and these are to each other as a₁ to 1.

    Examples
    --------
    >>> from dprivacy.mechanisms import subset_response
    >>> drinks = subset_response(["tea", "coffee", "milk"], eps="ln 4", size=1)
    >>> print(memoised(drinks, first="ln 2").kept)
    1/2
    """
    sets = mechanism.reports
    if not isinstance(sets, SubsetReports | HyperplaneReports):
        raise NotApplicable(
            f"{mechanism.family} has sets of different weights, and no second round gives it back; "
            "use subset_response, hashed_response or projective_response"
        )
    level = as_eps(first)
    a, once = sets.factor, telling(level)
    if not once < a:
        raise NotApplicable(
            f"one answer should tell less than all of them: first = {about(level)} is not below "
            f"{about(mechanism.guarantee.eps)}"
        )
    kept = sets.normaliser * (once - 1)
    kept = kept / (sets.total * (a - once) + kept)
    given = {name: value for name, value in mechanism.parameters.items() if name != "eps"}
    single = made(mechanism.family, mechanism.labels, level, sets.at(once), **given)
    return Memoised(mechanism, single, kept)
