"""The answer of a regression: coefficients with standard errors."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dprivacy.estimation.counts.standard_errors import quantile
from dprivacy.estimation.tabular_answer import Rows, TabularAnswer
from dprivacy.model import counted
from dprivacy.numbers import Floats


@dataclass(frozen=True, eq=False, repr=False)
class Regression(TabularAnswer):
    """Coefficients with standard errors.

    Attributes
    ----------
    names
        "intercept", the given columns, and "column=label" for the categories of randomised ones (the
        channel's first input is the reference).
    values
        The coefficients.
    covariance
        Of the coefficients.
    n, family, confidence
        What was fitted.
    errors_from
        What the covariance rests on.
    converged
        Whether the equations were solved.
    log_likelihood
        For maximum likelihood only.

    Examples
    --------
    >>> from dprivacy.estimation import regress
    >>> print(regress([0, 1, 2, 4], {"x": [0, 1, 2, 3]}, family="linear"))
    Regression(linear, n = 4)
               coefficient  ± s.e.     95 % interval
    intercept      -0.2000  0.1625  -0.5185 … 0.1185
            x       1.3000  0.1158   1.0731 … 1.5269
    """

    names: tuple[str, ...]
    values: Floats
    covariance: Floats
    n: int
    family: str
    confidence: float
    errors_from: str
    converged: bool
    log_likelihood: float | None = None
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
        """By name, at the confidence asked for."""
        z = quantile(self.confidence)
        errors = self.standard_errors
        return {k: (v - z * errors[k], v + z * errors[k]) for k, v in self.coefficients.items()}

    def explain(self) -> str:
        """The fit in words."""
        end = "" if self.converged else " It did not converge: do not use the coefficients."
        rests = f"Standard errors come from {self.errors_from}."
        return f"A {self.family} regression on {counted(self.n, 'row')}. {rests}{end}"

    def to_dict(self) -> dict[str, Any]:
        """The fit as plain data."""
        found = self._told("family", "n", "coefficients", "standard_errors", "intervals")
        return found | self._told("confidence", "errors_from", "converged", "log_likelihood")

    def _printed(self) -> tuple[str, Rows]:
        errors, ends = self.standard_errors, self.intervals
        rows: Rows = [("", "coefficient", "± s.e.", f"{100 * self.confidence:g} % interval")]
        for name, value in self.coefficients.items():
            low, high = ends[name]
            rows.append((name, f"{value:.4f}", f"{errors[name]:.4f}", f"{low:.4f} … {high:.4f}"))
        return f"Regression({self.family}, n = {self.n})", rows
