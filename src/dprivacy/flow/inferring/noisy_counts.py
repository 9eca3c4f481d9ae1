"""Noisy counts as channels from one person's value: noise on the count, or on every answer."""

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber, UnknownCategory
from dprivacy.model import Channel, as_channel
from dprivacy.numbers import Floats, Mat, as_eps
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike

_EXACT_DIGITS = 200_000  # bits of all exact coefficients together up to which they are kept


def _population(rows: Mapping[Any, int], counted: Iterable[Any]) -> tuple[dict[Any, int], set[Any]]:
    people = {value: int(count) for value, count in rows.items()}
    if not people or any(count < 0 for count in people.values()):
        raise BadNumber(
            f"rows should say how many known rows have each value, at least 0 and not empty, not "
            f"{dict(rows)!r}"
        )
    chosen = set(counted)
    strange = [value for value in chosen if value not in people]
    if strange:
        raise UnknownCategory(
            f"the query counts {strange[0]!r}, which is not among the values of the rows "
            f"({', '.join(map(repr, people))})"
        )
    return people, chosen


@result("T", "§5.6")
def oblivious_count(
    rows: Mapping[Label, int], *, counted: Iterable[Label], eps: LevelLike
) -> Channel:
    """From the value of one more row to the truncated geometric noise on the count of all.

    Parameters
    ----------
    rows, counted
        How many of the known rows have each value, and the values that the query counts.
    eps
        The level on the count; 0 and inf are allowed (pure noise, and none).

    Returns
    -------
    Channel
        To two outputs, "at most c" and "more than c" with c the count of the known rows.

    Notes
    -----
    The count is c or c + 1. Truncated or not, geometric noise gives each reported count y ≤ c the
    same ratio α between these two, and each y > c the ratio 1/α: those columns are proportional,
    and an adversary learns from them what the two sums tell, 1/(1+α) and α/(1+α). So the data set
    may be as large as it likes.

    Examples
    --------
    >>> noisy = oblivious_count({"yes": 3, "no": 7}, counted=["yes"], eps="ln 3")
    >>> print(noisy["yes", "more than 3"])
    3/4
    """
    people, chosen = _population(rows, counted)
    here = sum(count for value, count in people.items() if value in chosen)
    stay = _stay(eps)
    rows_out = [[1 - stay, stay] if value in chosen else [stay, 1 - stay] for value in people]
    return Channel(people, [f"at most {here}", f"more than {here}"], rows_out)


def _stay(eps: Any) -> Fraction | float:
    """1/(1 + e^(−ε)): exact when e^ε is rational."""
    if isinstance(eps, float) and math.isinf(eps) and eps > 0:
        return Fraction(1)
    level = as_eps(eps, zero=True)
    ratio = level.exp()
    if ratio is not None:
        return ratio / (ratio + 1)
    return 1 / (1 + math.exp(-float(level)))


@result("T", "§5.6")
def local_count(
    rows: Mapping[Label, int], *, counted: Iterable[Label], noise: ChannelLike
) -> Channel:
    """From the value of one more row to the count of all rows, each randomised before it is counted.

    Parameters
    ----------
    rows, counted
        As in `oblivious_count`; what is counted are values after the noise.
    noise
        A channel on the values.

    Returns
    -------
    Channel
        To the counts 0 … N + 1. Exact when the noise is and the data set is small, in doubles
        otherwise.

    Notes
    -----
    1. A row of value v is counted with probability p_v = Σ_{w counted} noise[v, w].
    2. The known rows of one value make a binomial count; those of different values are convolved.
    3. One more row of value v adds 1 with probability p_v.

    Examples
    --------
    >>> coin = {"yes": {"yes": "3/4", "no": "1/4"}, "no": {"yes": "1/4", "no": "3/4"}}
    >>> print(local_count({"yes": 1, "no": 0}, counted=["yes"], noise=coin)["yes", 2])
    9/16
    """
    people, chosen = _population(rows, counted)
    channel = as_channel(noise)
    missing = [y for y in chosen if y not in channel.columns]
    if missing:
        raise UnknownCategory(
            f"the query counts {missing[0]!r}, which is not an output of the noise ({channel!r})"
        )
    chance = {
        value: sum((channel[value, y] for y in chosen), channel[value, next(iter(chosen))] * 0)
        for value in people
    }
    total = sum(people.values())
    digits = (total + 2) * (total + 1) * channel.matrix.den.bit_length()
    if channel.exact and digits <= _EXACT_DIGITS:
        known: Any = _exact_count(people, chance)
        table: Any = [[*_one_more(known, Fraction(chance[value]))] for value in people]
    else:
        doubles = _float_count(people, {v: float(p) for v, p in chance.items()})
        table = np.array([_one_more(doubles, float(chance[value])) for value in people])
        table = Mat(table / table.sum(axis=1, keepdims=True))
    return Channel(people, range(total + 2), table)


def _one_more(known: Any, p: Any) -> Any:
    if isinstance(known, list):
        padded = [Fraction(0), *known, Fraction(0)]
        return [(1 - p) * padded[k + 1] + p * padded[k] for k in range(len(known) + 1)]
    return np.append(known, 0.0) * (1 - p) + np.append(0.0, known) * p


def _exact_count(people: Mapping[Any, int], chance: Mapping[Any, Any]) -> list[Fraction]:
    known = [Fraction(1)]
    for value, count in people.items():
        p = Fraction(chance[value])
        for _ in range(count):
            known = _one_more(known, p)
    return known


def _float_count(people: Mapping[Any, int], chance: Mapping[Any, float]) -> Floats:
    """The distribution of the count of the known rows: binomials, convolved."""
    total = sum(people.values())
    known, low = np.ones(1), 0
    for value, count in people.items():
        pmf, start = _binomial(count, chance[value])
        known, cut = _trimmed(np.convolve(known, pmf))
        low += start + cut
    full = np.zeros(total + 1)
    full[low : low + len(known)] = known
    return full


def _binomial(n: int, p: float) -> tuple[Floats, int]:
    """Binomial probabilities without the ends that underflow, and where they start."""
    if n == 0 or p <= 0 or p >= 1:
        return np.ones(1), (n if p >= 1 and n else 0)
    k = np.arange(n + 1)
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    choose = factorials[n] - factorials - factorials[::-1]
    with np.errstate(under="ignore"):
        pmf = np.exp(choose + k * math.log(p) + (n - k) * math.log1p(-p))
    return _trimmed(pmf / pmf.sum())


def _trimmed(pmf: Floats) -> tuple[Floats, int]:
    """Without the ends below 10^(−60), which no sum of doubles notices."""
    kept = np.flatnonzero(pmf > 1e-60)
    return pmf[kept[0] : kept[-1] + 1], int(kept[0])
