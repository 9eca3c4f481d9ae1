"""The answer of a regression: coefficients with standard errors, and how they were found."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dprivacy.estimation.scores.estimator_choice import LIKELY, SCORE
from dprivacy.estimation.scores.smooth_functions import reach
from dprivacy.estimation.tabular_answer import LongForm, Rows, TabularAnswer
from dprivacy.model import Pictured, counted
from dprivacy.numbers import Floats

_METHODS = {
    SCORE: "the model's equations, corrected for the noise; nothing is assumed of the covariates",
    LIKELY: LIKELY,
    "plain": "the model's own equations, since none of its columns is noisy",
}


@dataclass(frozen=True, eq=False, repr=False)
class Regression(TabularAnswer, Pictured):
    """Coefficients with standard errors.

    Attributes
    ----------
    formula, family
        What was fitted.
    names
        "intercept", the columns, "column=level" for categories but the first, "a:b" for products; in an
        ordinal model "low|high" for the thresholds, in a multinomial one "class: column".
    values, covariance
        The coefficients; the covariance is the sandwich of rows or clusters.
    n
        The number of rows.
    of
        "population": drawing the rows errs as well as the noise. "table": only the noise errs, about
        what the same regression would give on the true table.
    method
        "score", "maximum likelihood", or "plain" where no column is noisy.
    assumed
        What that rests on, in sentences.
    decrement
        By how many standard errors one more step would change a coefficient, at most.
    degrees
        Degrees of freedom of the intervals.
    confidence
        Of the intervals.
    log_likelihood
        For maximum likelihood only.
    constants
        Which of the names are those of intercepts and thresholds.

    Examples
    --------
    >>> from dprivacy.estimation import regress
    >>> found = regress("y ~ x", {"y": [0, 1, 2, 4], "x": [0, 1, 2, 3]})
    >>> print(found)
    Regression(linear, n = 4)
               coefficient  ± s.e.     95 % interval
    intercept      -0.2000  0.1876  -1.0072 … 0.6072
            x       1.3000  0.1337   0.7249 … 1.8751
    >>> round(found.coefficients["x"], 4), round(found.standard_errors["x"], 4)
    (1.3, 0.1337)
    >>> [round(end, 4) for end in found.intervals["x"]], found.long_form().columns
    ([0.7249, 1.8751], ('term', 'estimate', 'standard_error', 'low', 'high', 'of', 'method'))
    """

    formula: str
    family: str
    names: tuple[str, ...]
    values: Floats
    covariance: Floats
    n: int
    of: str
    method: str
    assumed: tuple[str, ...]
    decrement: float
    degrees: float
    confidence: float
    log_likelihood: float | None = None
    constants: tuple[str, ...] = ()
    exact: ClassVar[bool] = False  # the fit is in doubles

    @property
    def coefficients(self) -> dict[str, float]:
        """By name."""
        return dict(zip(self.names, self.values.tolist(), strict=True))

    @property
    def standard_errors(self) -> dict[str, float]:
        """By name."""
        spread = np.sqrt(np.maximum(np.diagonal(self.covariance), 0.0))
        return dict(zip(self.names, spread.tolist(), strict=True))

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """By name, at the confidence asked for: Student's quantile."""
        far = reach(self.confidence, self.degrees)
        errors = self.standard_errors
        return {k: (v - far * errors[k], v + far * errors[k]) for k, v in self.coefficients.items()}

    def long_form(self) -> LongForm:
        """One row for each coefficient, to be written to a file."""
        errors, ends = self.standard_errors, self.intervals
        rows = tuple(
            (name, value, errors[name], *ends[name], self.of, self.method)
            for name, value in self.coefficients.items()
        )
        return LongForm(f"{self.family} model {self.formula}", ("term",), rows, self.assumed)

    def explain(self) -> str:
        """The fit in words."""
        drawn = (
            "Standard errors count both the noise and the drawing of the rows."
            if self.of == "population"
            else "Standard errors count the noise alone: they are about the true table."
        )
        kind = {"poisson": "A Poisson", "ordinal": "An ordinal"}.get(
            self.family, f"A {self.family}"
        )
        head = f"{kind} regression on {counted(self.n, 'row')}, by {_METHODS[self.method]}."
        assumed = [f"{sentence[0].upper()}{sentence[1:]}." for sentence in self.assumed]
        return " ".join([head, drawn, *assumed])

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain data."""
        found = self._told("formula", "family", "n", "coefficients", "standard_errors", "intervals")
        more = ("confidence", "of", "method", "assumed", "decrement", "degrees", "log_likelihood")
        told = found | self._told(*more)
        return told | {"degrees": None if np.isinf(self.degrees) else self.degrees}

    def _printed(self) -> tuple[str, Rows]:
        errors, ends = self.standard_errors, self.intervals
        rows: Rows = [("", "coefficient", "± s.e.", f"{100 * self.confidence:g} % interval")]
        for name, value in self.coefficients.items():
            low, high = ends[name]
            rows.append((name, f"{value:.4f}", f"{errors[name]:.4f}", f"{low:.4f} … {high:.4f}"))
        return f"Regression({self.family}, n = {self.n:,})", rows
