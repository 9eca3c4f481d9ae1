"""Entropies: Shannon's and Massey's as the uncertainties they are."""

import math
from collections import Counter
from fractions import Fraction
from typing import Literal

import numpy as np

from dprivacy.errors import Uncertified, UnknownName
from dprivacy.flow.gains.gain_input import Worth
from dprivacy.flow.gains.loss_table import joint_matrix
from dprivacy.model import as_prior
from dprivacy.numbers import Floats, Level, Mat, ln
from dprivacy.typing import ChannelLike, Number, PriorLike

Unit = Literal["bits", "nats"]
_PIECE = 1 << 13  # entries whose logarithms are taken at a time


def shannon_entropy(prior: PriorLike, *, unit: Unit = "bits") -> Worth:
    """H(π) = −Σ π_x·log π_x: the uncertainty under the loss −log w_x, where actions are distributions.

    Parameters
    ----------
    prior
        A distribution, or what `as_prior` reads.
    unit
        "bits" or "nats".

    Returns
    -------
    Level, Fraction or float
        Exact in nats for an exact prior, and in bits where the quotient by ln 2 has an exact form.

    Examples
    --------
    >>> print(shannon_entropy(["1/2", "1/4", "1/4"]))
    3/2
    """
    return _in(unit, _entropy(as_prior(prior).matrix))


def posterior_shannon_entropy(
    C: ChannelLike, *, prior: PriorLike = None, unit: Unit = "bits"
) -> Worth:
    """H(X | Y): the entropy of the posteriors, on average.

    Parameters
    ----------
    C, prior, unit
        As in `leakage` and `shannon_entropy`.

    Examples
    --------
    >>> round(posterior_shannon_entropy([["3/4", "1/4"], ["1/4", "3/4"]]), 4)
    0.8113
    """
    _, joint = joint_matrix(C, prior)
    return _in(unit, _entropy(joint) - _entropy(_columns(joint)))


def mutual_information(C: ChannelLike, *, prior: PriorLike = None, unit: Unit = "bits") -> Worth:
    """I(X; Y) = H(X) − H(X | Y): the additive leakage of Shannon's entropy.

    Parameters
    ----------
    C, prior, unit
        As in `posterior_shannon_entropy`.

    Examples
    --------
    >>> print(mutual_information([["1/2", "1/2", 0], [0, "1/2", "1/2"]]))
    1/2
    """
    _, joint = joint_matrix(C, prior)
    before = Mat(joint.entries.sum(axis=1)[None, :], joint.den)
    return _in(unit, _entropy(before) + _entropy(_columns(joint)) - _entropy(joint))


def guessing_entropy(prior: PriorLike) -> Number:
    """The expected number of guesses, "is it x?", in the best order: Σ_i i·π_(i), largest first.

    The uncertainty under `loss.guesses`, found by sorting instead of a table of n! orders.

    Parameters
    ----------
    prior
        A distribution, or what `as_prior` reads.

    Examples
    --------
    >>> print(guessing_entropy(["1/2", "1/4", "1/4"]))
    7/4
    """
    return _guesses(as_prior(prior).matrix.transposed)


def posterior_guessing_entropy(C: ChannelLike, *, prior: PriorLike = None) -> Number:
    """The expected number of guesses once the output has been seen.

    Parameters
    ----------
    C, prior
        As in `leakage`.

    Examples
    --------
    >>> print(posterior_guessing_entropy([["3/4", "1/4"], ["1/4", "3/4"]]))
    5/4
    """
    return _guesses(joint_matrix(C, prior)[1])


def _columns(joint: Mat) -> Mat:
    return Mat(joint.entries.sum(axis=0)[None, :], joint.den)


def _guesses(joint: Mat) -> Number:
    ordered = np.sort(joint.entries, axis=0)[::-1]
    total = sum((i * rank for i, rank in enumerate(ordered.sum(axis=1).tolist(), 1)), 0)
    return Fraction(int(total), joint.den) if joint.exact else float(total)


def _entropy(weights: Mat) -> Level | float:
    """−Σ p·ln p over all entries of a matrix: a Level, or a float."""
    if not weights.exact:
        return -_times_log(weights.entries.reshape(-1))
    total = Level(0)
    for value, times in Counter(weights.entries.ravel().tolist()).items():
        if value:
            p = Fraction(value, weights.den)
            total = total - ln(p) * (p * times)
    return total


def _times_log(flat: Floats) -> float:
    """Σ p·ln p, in pieces that stay in the cache."""
    total = 0.0
    for start in range(0, len(flat), _PIECE):
        part = flat[start : start + _PIECE]
        if not part.min() > 0:
            part = part[part > 0]
        total += float(part.dot(np.log(part)))
    return total


def _in(unit: str, nats: Level | float) -> Worth:
    if unit not in ("bits", "nats"):
        raise UnknownName.among("unit", unit, ("bits", "nats"))
    if unit == "nats":
        return nats.simplified if isinstance(nats, Level) else nats
    if isinstance(nats, float):
        return nats / math.log(2)
    try:
        return (nats / ln(2)).simplified
    except Uncertified:
        return float(nats) / math.log(2)
