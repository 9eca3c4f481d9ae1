"""Which estimator of a share errs less: the unbiased score, or maximum likelihood; chosen and named."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, get_args

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.estimation.operators.channel_operator import Operator
from dprivacy.estimation.operators.report_operators import ReportOperator
from dprivacy.estimation.scores.range_likelihood import Likelihood
from dprivacy.estimation.scores.smooth_functions import reach
from dprivacy.estimation.scores.statistics_result import figure
from dprivacy.numbers import Floats

Method = Literal["auto", "score", "likelihood"]
METHODS = get_args(Method)
SCORE, LIKELY = "score", "maximum likelihood"
_QUIET = 2.0  # spread of one row's score, of a function from 0 to 1, that is never worth replacing
_BETTER = 0.8  # of the score's forecast mean squared error
MOST_CELLS = 10_000  # true cells up to which the likelihood is climbed


@dataclass(frozen=True)
class ChosenShare:
    """An estimated share with its interval, and by which estimator.

    `spread` is V, the variance of one row's score: V/N is the score's mean squared error, and `instead`
    its root where the likelihood was taken. `whole` says that the table itself was asked for.
    """

    value: float
    standard_error: float
    low: float
    high: float
    method: str
    spread: float
    instead: float = math.nan
    whole: bool = False

    def note(self, unit: float = 1.0) -> str:
        """What a reader should know of the choice; in counts where `unit` is the size of the group."""
        if self.method == SCORE:
            return ""
        told = (
            f"the unbiased score would err by ±{_rounded(unit * self.instead)} where this errs by "
            f"±{_rounded(unit * self.standard_error)}"
        )
        if self.whole:
            told += "; the interval is for the population, and longer than the table alone needs"
        return told


def _rounded(error: float) -> str:
    return figure(error, error)


def require_method(method: str) -> None:
    """Refuse a method that there is not."""
    UnknownName.require("method", method, METHODS)


def chosen_share(
    operator: Operator,
    f: Floats,
    size: float,
    *,
    score: tuple[float, float, float],
    likelihood: Callable[[], Likelihood],
    method: Method = "auto",
    confidence: float = 0.95,
    whole: bool = True,
) -> ChosenShare:
    """Σ p_x·f(x) by the estimator whose forecast mean squared error is less.

    Parameters
    ----------
    operator
        The channel of the cells that f is about.
    f
        The function, one number for each true cell.
    size
        How many rows the table is worth: (Σw)²/Σw², divided by the design effect of clusters.
    score
        The score's estimate, its standard error and its V (the variance of one row's score).
    likelihood
        Gives the likelihood of the released cells' weighted shares, if it is needed.
    method
        "auto", or the estimator that is wanted.
    confidence
        Of the interval.
    whole
        Whether the table itself is asked for; a likelihood interval, which is about the population, is
        then too long rather than too short.

    Notes
    -----
    V ≤ 2 (for f from 0 to 1): the score. Otherwise the likelihood is climbed, if it has at most 10,000
    cells, and taken if (half its interval/z)² < 0.8·V/N.
    """
    require_method(method)
    value, error, spread = score
    z = reach(confidence)
    plain = ChosenShare(value, error, value - z * error, value + z * error, SCORE, spread)
    width = float(f.max() - f.min())
    if method == "score" or (method == "auto" and spread <= _QUIET * width**2):
        return plain
    slow = isinstance(operator, ReportOperator) or not operator.solvable
    if operator.inputs > MOST_CELLS or slow or width == 0:
        if method == "likelihood":
            raise NotApplicable(
                f"the likelihood of {operator.inputs:,} cells cannot be climbed in good time; leave "
                'out a column, or take method="score"'
            )
        return plain
    found = likelihood().share(f, z)
    likely = (found.high - found.low) / 2 / z
    if method == "auto" and likely**2 >= _BETTER * spread / size:
        return plain
    instead = math.sqrt(spread / size)
    return ChosenShare(found.value, likely, found.low, found.high, LIKELY, spread, instead, whole)


def spread_of(scores: Floats, frequencies: Floats) -> float:
    """V: the variance of one row's score."""
    return max(float(frequencies @ scores**2 - (frequencies @ scores) ** 2), 0.0)
