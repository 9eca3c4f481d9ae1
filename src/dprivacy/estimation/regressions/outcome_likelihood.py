"""Maximum likelihood where the outcome alone is noisy: no law of anything else is needed.

P(y* | x) = Σ_y P(y | x; β)·C[y, y*]. The score of a row is the average of the model's scores over the
true outcomes, weighted by their chances given what was released.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.estimation.regressions.equation_solver import Evaluation
from dprivacy.estimation.regressions.outcome_families import in_order
from dprivacy.estimation.regressions.pseudo_rows import PseudoRows
from dprivacy.estimation.scores.survey_design import Records
from dprivacy.estimation.scores.total_variances import score_totals
from dprivacy.numbers import Floats


@dataclass(frozen=True, eq=False)
class OutcomeLikelihood:
    """The likelihood's equations, with the expected information as J.

    Parameters
    ----------
    rows
        Cells without noise in their covariates; the outcome of each is its released position.
    family
        A model with classes.
    channel
        C: true classes by released ones.
    design
        Weights, strata and clusters.
    """

    rows: PseudoRows
    family: Any  # a family with classes: logistic, multinomial or ordinal
    channel: Floats
    design: Records

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        found: tuple[str, ...] = self.family.coefficient_names(self.rows.names)
        return found

    noisy = True

    def allowed(self, beta: Floats) -> bool:
        """Whether thresholds ascend."""
        return in_order(self.family, beta)

    def at(self, beta: Floats) -> Evaluation:
        """The equations, with V by rows or clusters."""
        family, size = self.family, len(beta)
        scores = np.zeros((self.rows.cell_count, size))
        information, value, reach = np.zeros((size, size)), 0.0, 0.0
        for block in self.rows:
            weights = self.design.weights[block.cells]
            chances = family.chances(block.X, beta)
            parts = np.stack(
                [
                    family.scores(block.X, np.tile(family.class_worth(j), (len(chances), 1)), beta)
                    for j in range(chances.shape[1])
                ],
                axis=1,
            )
            seen = block.y[:, 0].astype(np.intp)
            for y, column in enumerate(self.channel.T):
                joint = chances * column
                total = np.maximum(joint.sum(axis=1), 1e-300)
                psi = np.einsum("nj,njp->np", joint / total[:, None], parts)
                information += psi.T @ (psi * (weights * total)[:, None])
                here = seen == y
                scores[block.cells][here] = psi[here]
                value += float(weights[here] @ np.log(total[here]))
            reach = max(reach, float(family.reach(block.X, beta).max(initial=0.0)))
        found = score_totals(scores, np.zeros((0, 0, 0)), self.design)
        return Evaluation(
            found.values[0], information, found.covariance[0], found.degrees, reach, value
        )
