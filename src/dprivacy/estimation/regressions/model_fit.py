"""The ways to fit a model on distinct rows: corrected scores, and two likelihoods."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable, Unidentified
from dprivacy.estimation.counts.standard_errors import read_chance
from dprivacy.estimation.regressions.corrected_scores import (
    CorrectedScores,
    level_per_unit,
    require_spread,
)
from dprivacy.estimation.regressions.equation_solver import Equations, Root, find_root, settled
from dprivacy.estimation.regressions.latent_likelihood import LatentLikelihood, latent_likelihood
from dprivacy.estimation.regressions.model_columns import (
    ModelColumn,
)
from dprivacy.estimation.regressions.model_formula import Formula
from dprivacy.estimation.regressions.outcome_families import FamilyName, Poisson
from dprivacy.estimation.regressions.outcome_likelihood import OutcomeLikelihood
from dprivacy.estimation.regressions.outcome_roles import Outcome, read_outcome
from dprivacy.estimation.regressions.pseudo_rows import PseudoRows, enters_as_number
from dprivacy.estimation.regressions.regression_result import Regression
from dprivacy.estimation.scores.estimator_choice import LIKELY, SCORE, Method, require_method
from dprivacy.estimation.scores.survey_design import Records
from dprivacy.numbers import Floats
from dprivacy.typing import NumberLike


def fitted(
    formula: Formula,
    cells: dict[str, ModelColumn],
    design: Records,
    *,
    family: FamilyName | None,
    order: Sequence[Any] | None,
    method: Method,
    confidence: NumberLike,
    text: str,
    assumed: tuple[str, ...] = (),
) -> Regression:
    """The regression on distinct rows with their design."""
    sure = read_chance(confidence)
    require_method(method)
    outcome = read_outcome(cells[formula.outcome], family, order)
    task = _ModelFit(formula, {**cells, formula.outcome: outcome.column}, outcome, design)
    root, used = task.solved(method)
    root = task.replicated(root, used)
    names = task.names
    notes = (*outcome.notes, *design.notes, *task.notes(root), *assumed)
    size = len(names)
    degrees = root.last.degrees + 1 - size
    if degrees < 1:
        units = "clusters" if design.clusters is not None else "rows"
        units = units if design.replicates is None else "replicate weights"
        more = ", and one more for each further stratum," if len(design.fractions) > 1 else ""
        raise Unidentified(
            f"{size} coefficients need more than {size} {units}{more} to have standard errors; take "
            "fewer covariates"
        )
    return Regression(
        text, outcome.family.name, names, root.values[:size], root.covariance[:size, :size],
        int(design.rows.sum()),
        "table" if design.whole else "population", used, notes, root.decrement,
        degrees, sure,
        root.last.log_likelihood if used == LIKELY else None,
        task.constants,
    )  # fmt: skip


@dataclass(frozen=True, eq=False)
class _ModelFit:
    """A model on cells, and the ways to fit it."""

    formula: Formula
    cells: dict[str, ModelColumn]
    outcome: Outcome
    design: Records

    @property
    def covariates(self) -> list[ModelColumn]:
        """All columns but the outcome."""
        return [c for name, c in self.cells.items() if name != self.formula.outcome]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coefficients."""
        return self.outcome.family.coefficient_names(self._rows(self.outcome.worth).names)

    @property
    def constants(self) -> tuple[str, ...]:
        """The names of intercepts and thresholds."""
        family = self.outcome.family
        return family.coefficient_names(("intercept",) if family.intercept else ())

    def _rows(self, worth: Floats, *, expand: bool = False) -> PseudoRows:
        family = self.outcome.family
        return PseudoRows(
            self.cells, self.formula.terms, worth, self.formula.outcome, family.intercept, expand
        )

    def solved(self, method: Method) -> tuple[Root, str]:
        """The coefficients, and the method that gave them."""
        noisy = any(column.noise is not None for column in self.covariates)
        if self._alone and method != "score" and not self.design.whole:
            return find_root(self._outcome_likelihood(), self._start()), LIKELY
        if method == "likelihood" and (noisy or self._alone):
            return self._latent_root(), LIKELY
        try:
            for column in self.covariates:
                if column.noise is not None and self._numeric(column):
                    require_spread(column, self.design)
            root = find_root(self._scores(), self._start())
        except Unidentified:
            if method == "score" or not noisy:
                raise
            try:
                return self._latent_root(), LIKELY
            except (Unidentified, NotApplicable):
                pass
            raise
        return root, SCORE if noisy or self.outcome.column.noise is not None else "plain"

    def replicated(self, root: Root, used: str) -> Root:
        """The root with the covariance of refits under the replicate weights, where there are any."""
        if self.design.replicates is None:
            return root
        found = []
        for weights in self.design.replicates.T:
            again = replace(self, design=replace(self.design, weights=weights))
            equations: Equations = again._scores()
            if used == LIKELY:
                equations = again._outcome_likelihood() if again._alone else again._latent()
            found.append(settled(equations, root))
        off = np.stack(found) - root.values
        return replace(root, covariance=self.design.scale * (off.T @ off))

    @property
    def _alone(self) -> bool:
        """Whether the noise is in an outcome of classes alone."""
        clean = all(column.noise is None for column in self.covariates)
        return clean and self.outcome.column.noise is not None and self.outcome.has_classes

    def _start(self) -> Floats:
        weights = self.design.weights
        shares = weights @ self.outcome.shares[self.outcome.column.codes] / weights.sum()
        columns = len(self._rows(self.outcome.worth).names)
        return self.outcome.family.start(shares, columns)

    def _numeric(self, column: ModelColumn) -> bool:
        """Whether a column enters some term as a number."""
        factors = (factor for term in self.formula.terms for factor in term)
        return any(
            factor.column == column.name and enters_as_number(column, factor) for factor in factors
        )

    def _scores(self) -> CorrectedScores:
        family = self.outcome.family
        rows = self._rows(self.outcome.worth, expand=not family.linear_in_outcome)
        return CorrectedScores(rows, family, self.design)

    def _outcome_likelihood(self) -> OutcomeLikelihood:
        noise = self.outcome.column.noise
        assert noise is not None
        assert noise.known.channel is not None
        released = np.arange(len(noise.outputs), dtype=np.float64)[:, None]
        return OutcomeLikelihood(
            self._rows(released),
            self.outcome.family,
            noise.known.channel.matrix.floats,
            self.design,
        )

    def _latent_root(self) -> Root:
        likelihood = self._latent()
        return find_root(likelihood, np.append(self._start(), np.zeros(likelihood.nuisance)))

    def _latent(self) -> LatentLikelihood:
        return latent_likelihood(self.formula, self.cells, self.outcome, self.design)

    def notes(self, root: Root) -> tuple[str, ...]:
        """What a reader of the coefficients should know."""
        if not isinstance(self.outcome.family, Poisson):
            return ()
        slopes = dict(zip(self.names, root.values.tolist(), strict=False))
        return tuple(
            f"the slope of {column.name} is more than half of its ε per unit: values at the ends of "
            "its range carry most of the variance, and errors are rough"
            for column in self.covariates
            if abs(slopes.get(column.name, 0.0)) > level_per_unit(column) / 2
        )
