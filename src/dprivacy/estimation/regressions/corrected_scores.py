"""Corrected scores: the model's own equations, on signed pseudo-rows."""

from dataclasses import dataclass, replace

import numpy as np

from dprivacy.errors import Unidentified
from dprivacy.estimation.regressions.equation_solver import Evaluation
from dprivacy.estimation.regressions.model_columns import ModelColumn
from dprivacy.estimation.regressions.outcome_families import ModelFamily, in_order
from dprivacy.estimation.regressions.pseudo_rows import PseudoRows
from dprivacy.estimation.scores.survey_design import Records
from dprivacy.estimation.scores.total_variances import score_totals
from dprivacy.numbers import Floats


@dataclass(frozen=True, eq=False)
class CorrectedScores:
    """Σ w·ψ over released rows, each row's ψ averaged over its pseudo-rows.

    The expectation over the noise is the sum over true rows, whatever the law of the covariates is.
    This is the corrected score of Nakamura (1990), exact for every channel with an inverse.
    """

    rows: PseudoRows
    family: ModelFamily
    design: Records

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        return self.family.coefficient_names(self.rows.names)

    @property
    def noisy(self) -> bool:
        """Whether any column is."""
        return self.rows.noisy

    def allowed(self, beta: Floats) -> bool:
        """Whether thresholds ascend."""
        return in_order(self.family, beta)

    def at(self, beta: Floats) -> Evaluation:
        """The equations, with V by rows or clusters."""
        k, family = len(beta), self.family
        scores = np.zeros((self.rows.cell_count, k))
        noisy = bool((self.design.fractions > 0).any())
        products = np.zeros((self.rows.cell_count, k, k)) if noisy else _NOTHING
        slope, reach = np.zeros((k, k)), 0.0
        for block in self.rows:
            psi = family.scores(block.X, block.y, beta)
            signed = psi * block.sign[:, None]
            scores[block.cells] = np.add.reduceat(signed, block.starts, axis=0)
            if noisy:
                outer = signed[:, :, None] * psi[:, None, :]
                products[block.cells] = np.add.reduceat(outer, block.starts, axis=0)
            weights = np.repeat(self.design.weights[block.cells], block.sizes)
            slope += family.slope(block.X, block.y, beta, block.sign * weights)
            reach = max(reach, float(family.reach(block.X, beta).max(initial=0.0)))
        found = score_totals(scores, products, self.design)
        return Evaluation(found.values[0], slope, found.covariance[0], found.degrees, reach)


_NOTHING = np.zeros((0, 0, 0))


def require_spread(column: ModelColumn, design: Records) -> None:
    """Refuse a noisy number whose true values may all be alike, for all that can be seen."""
    assert column.noise is not None
    simple = replace(
        design,
        strata=np.zeros(len(design.rows), dtype=np.intp),
        fractions=np.zeros(1),
        clusters=design.clusters,
        replicates=None,
        scale=0.0,
    )
    numbers, total = column.numbers, float(design.weights.sum())
    mean = float(design.weights @ column.noise.apply(numbers)[column.codes]) / total
    squares = column.noise.apply((numbers - mean) ** 2)[column.codes]
    variance = float(design.weights @ squares) / total
    found = score_totals((squares - variance)[:, None] / total, _NOTHING, simple)
    error = float(np.sqrt(found.covariance[0, 0, 0]))
    if variance < 2 * error:
        raise Unidentified(
            f"the noise hides the spread of {column.name}: its variance is estimated as {variance:.4g} "
            f"with a standard error of {error:.4g}, so that nothing can be said of a slope. Leave it "
            "out, take more rows, or ask for a release with a larger ε"
        )


def level_per_unit(column: ModelColumn) -> float:
    """ε per unit of a number with geometric noise; infinite for any other column."""
    noise = column.noise
    if noise is None or noise.kind != "line" or noise.known.channel is None:
        return np.inf
    floats, numbers = noise.known.channel.matrix.floats, column.numbers
    ratios = np.diagonal(floats, 1) / np.diagonal(floats)[1:]
    return float((-np.log(ratios) / np.abs(np.diff(numbers))).min())
