"""The mean of a numeric column behind the noise, with its standard error."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import Malformed, UnknownCategory, UnknownName, WrongShape
from dprivacy.estimation.counts.channel_inversion import inverse_times
from dprivacy.estimation.counts.observed_counts import read_observed
from dprivacy.estimation.counts.standard_errors import OF, Of, interval, read_chance
from dprivacy.estimation.operators.structure_check import Known
from dprivacy.estimation.scores.exact_scores import exact_scores, few_enough
from dprivacy.estimation.scores.signed_rows import column_scores
from dprivacy.model import Answer, plain
from dprivacy.numbers import Mat, read_number
from dprivacy.typing import ChannelLike, Label, NumberLike


@dataclass(frozen=True, repr=False)
class MeanEstimate(Answer):
    """An estimated mean.

    `value` estimates the mean of the true values without bias. `table_variance` is its variance if the
    people are given (only the noise errs), `population_variance` if they were drawn. In floats the
    expectation of `value` is off by at most `residual`.

    Examples
    --------
    >>> from dprivacy.estimation import estimate_mean
    >>> from dprivacy.mechanisms import geometric
    >>> found = estimate_mean(geometric(3, eps="ln 2"), {0: 30, 1: 30, 2: 60})
    >>> print(found.value, round(found.standard_error, 3))
    3/2 0.144
    >>> round(found.error(of="population"), 3), [round(end, 2) for end in found.interval]
    (0.151, [1.22, 1.78])
    >>> [round(end, 2) for end in found.range(of="population")]
    [1.2, 1.8]
    """

    value: Fraction | float
    n: Any
    table_variance: Fraction | float
    population_variance: Fraction | float
    confidence: float
    residual: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether the mean is a rational number."""
        return isinstance(self.value, Fraction)

    def error(self, *, of: Of = "table") -> float:
        """The standard error, of the mean in this table or in the population."""
        UnknownName.require("of", of, OF)
        chosen = self.table_variance if of == "table" else self.population_variance
        return math.sqrt(float(chosen))

    @property
    def standard_error(self) -> float:
        """Of the mean in this table."""
        return self.error()

    @property
    def interval(self) -> tuple[float, float]:
        """For the mean in this table."""
        return self.range()

    def range(self, *, of: Of = "table") -> tuple[float, float]:
        """An interval at the confidence asked for."""
        return interval(self.value, self.error(of=of) ** 2, self.confidence, None, self.value)

    def __repr__(self) -> str:
        return f"MeanEstimate({float(self.value):.6g}, n = {self.n})"

    def explain(self) -> str:
        """The mean in words."""
        low, high = self.interval
        return (
            f"The mean of the {plain(self.n)} true values is estimated as {float(self.value):.6g}, "
            f"with a standard error of {self.standard_error:.3g} ({100 * self.confidence:g} % interval "
            f"{low:.6g} … {high:.6g}). As an estimate of the population's mean it has a standard error "
            f"of {self.error(of='population'):.3g}."
        )

    def to_dict(self) -> dict[str, Any]:
        """The mean as plain data."""
        return {
            "value": plain(self.value),
            "value_float": float(self.value),
            **self._told("n", "standard_error", "interval"),
            "population_error": self.error(of="population"),
            **self._told("confidence", "exact", "residual"),
        }


def estimate_mean(
    C: ChannelLike,
    observed: Any,  # labels of any kind, a mapping, or a Dist
    *,
    values: Mapping[Label, NumberLike] | Sequence[NumberLike] | None = None,
    confidence: NumberLike = 0.95,
    n: NumberLike | None = None,
) -> MeanEstimate:
    """The mean of the true values, estimated from noisy ones.

    Every answer y is worth s_y = Σ_x C⁻¹_yx·v_x, whose expectation is the true person's v_x; the mean
    of the scores is unbiased.

    Parameters
    ----------
    C
        The channel, or a mechanism with one.
    observed
        Noisy labels, counts by label, or a Dist of frequencies with `n`.
    values
        The number that each input stands for: a mapping from label, or numbers in order. The labels
        themselves when omitted.
    confidence
        Confidence level of the intervals.
    n
        The number of answers that frequencies come from.

    Notes
    -----
    1. s = C⁻¹·v, by the closed form where the channel has one; in rationals if that leaves nothing
       over, or the channel is small, and otherwise in floats with a bound of what is left.
    2. Given the people, the variance is (Σ_y m_y·s_y² − Σ_x n̂_x·v_x²)/N², estimated without bias.
    3. For people who were drawn it is (Σ_y m_y·s_y²/N − mean²)/N.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> ages = geometric(5, eps="ln 2")
    >>> print(estimate_mean(ages, {1: 30, 2: 40, 3: 30}).value)
    2
    """
    sure = read_chance(confidence)
    known = Known(C)
    seen = read_observed(observed, known.columns, n)
    numbers = read_values(known.rows, values)
    total: Any = seen.n
    residual = 0.0
    exact = _exactly(known, numbers) if seen.exact else None
    if exact is not None:
        scores: list[Any]
        worth: list[Any]
        scores, worth = exact
    else:
        v = np.array([float(value) for value in numbers])
        columns = column_scores(known)
        found = columns.score(v)
        residual = found.residual
        scores, worth = found.values.tolist(), columns.score(v**2).values.tolist()
        total = float(total)
    counts: Any = seen.counts if isinstance(scores[0], Fraction) else seen.floats.tolist()
    mean = sum(m * s for m, s in zip(counts, scores, strict=True)) / total
    square = sum(m * s * s for m, s in zip(counts, scores, strict=True))
    truth = sum(m * t for m, t in zip(counts, worth, strict=True))
    noise = max((square - truth) / total**2, mean * 0)
    drawn = max((square / total - mean * mean) / total, noise)
    return MeanEstimate(mean, seen.n, noise, drawn, sure, residual)


def _exactly(
    known: Known, numbers: Sequence[Fraction | float]
) -> tuple[list[Fraction], list[Fraction]] | None:
    """The scores of the values and of their squares in rationals, where that takes a moment."""
    channel = known.exact
    if channel is None or not all(isinstance(v, Fraction) for v in numbers):
        return None
    rationals = [Fraction(v) for v in numbers]
    both = [rationals, [v * v for v in rationals]]
    found = exact_scores(channel, both)
    if found is None and few_enough(channel):
        solved = inverse_times(channel.matrix, Mat.of(zip(*both, strict=True))).rows()
        found = [[Fraction(row[k]) for row in solved] for k in range(2)]
    return None if found is None else (found[0], found[1])


def read_values(
    labels: Sequence[Label], values: Mapping[Label, NumberLike] | Sequence[NumberLike] | None
) -> list[Fraction | float]:
    """The number that every label stands for."""
    if values is None:
        try:
            return [read_number(label, f"label {label!r}") for label in labels]
        except Malformed as reason:
            raise type(reason)(f"{reason}; say what each label is worth with values=…") from None
    if isinstance(values, Mapping):
        missing = [label for label in labels if label not in values]
        if missing:
            raise UnknownCategory(
                f"values should say what every label is worth, but {missing[0]!r} is missing"
            )
        values = [values[label] for label in labels]
    listed = list(values)
    if len(listed) != len(labels):
        raise WrongShape(
            f"values should be {len(labels)} numbers, one for each label, not {len(listed)}"
        )
    return [
        read_number(value, f"the value of {label!r}")
        for label, value in zip(labels, listed, strict=True)
    ]
