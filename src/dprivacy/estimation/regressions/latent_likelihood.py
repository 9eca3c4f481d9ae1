"""Maximum likelihood over true categories: the way out where corrected scores have no solution.

In each combination z of the clean covariates the noisy ones have any law π(x | z), and

    P(x*, y* | z) = Σ_x π(x | z)·C[x, x*]·Σ_y P(y | x, z; β)·D[y, y*].

Only for few true combinations: a law on many has its maximum on the boundary, without usable errors.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable
from dprivacy.estimation.regressions.equation_solver import Evaluation
from dprivacy.estimation.regressions.model_columns import ModelColumn
from dprivacy.estimation.regressions.model_formula import Formula
from dprivacy.estimation.regressions.outcome_families import in_order
from dprivacy.estimation.regressions.outcome_roles import Outcome
from dprivacy.estimation.regressions.pseudo_rows import PseudoRows, distinct_rows
from dprivacy.estimation.scores.survey_design import Records
from dprivacy.estimation.scores.total_variances import score_totals
from dprivacy.numbers import Floats

MOST_CELLS = 200


def latent_likelihood(
    formula: Formula, cells: dict[str, ModelColumn], outcome: Outcome, design: Records
) -> "LatentLikelihood":
    """The likelihood of a model on cells; refused where it has too many true combinations."""
    covariates = [column for name, column in cells.items() if name != formula.outcome]
    noisy = [column for column in covariates if column.noise is not None]
    clean = [column for column in covariates if column.noise is None]
    alike = [column.codes for column in clean] or [np.zeros_like(design.strata)]
    first, stratum = distinct_rows(alike)
    latent = int(np.prod([len(column.values) for column in noisy])) * len(first)
    if not outcome.has_classes or latent > MOST_CELLS or design.whole:
        raise NotApplicable(
            "maximum likelihood over true categories is for an outcome of classes, for a population, "
            f"and for at most {MOST_CELLS} combinations of true covariates, not {latent:,}; leave the "
            "choice of the method open"
        )
    return LatentLikelihood(formula, outcome, tuple(noisy), tuple(clean), first, stratum, design)


@dataclass(frozen=True, eq=False)
class LatentLikelihood:
    """The likelihood's equations for β and, as logits against the first combination, π."""

    formula: Formula
    outcome: Outcome
    hidden: tuple[ModelColumn, ...]
    clean: tuple[ModelColumn, ...]
    first: NDArray[np.intp]
    stratum: NDArray[np.intp]
    design: Records

    @cached_property
    def combinations(self) -> int:
        """How many true combinations the noisy covariates have."""
        return int(np.prod([len(column.values) for column in self.hidden]))

    @property
    def nuisance(self) -> int:
        """How many parameters π has."""
        return len(self.first) * (self.combinations - 1)

    @cached_property
    def channel(self) -> Floats:
        """C: the product of the noisy covariates' channels."""
        found: Floats = np.ones((1, 1))
        for column in self.hidden:
            found = np.asarray(np.kron(found, _matrix(column)), dtype=np.float64)
        return found

    @cached_property
    def released(self) -> NDArray[np.intp]:
        """Which column of C each cell shows."""
        sizes = [_matrix(column).shape[1] for column in self.hidden]
        return np.ravel_multi_index([column.codes for column in self.hidden], sizes)

    @cached_property
    def outcome_channel(self) -> Floats:
        """D; the identity for an outcome that is as it was."""
        column = self.outcome.column
        return np.eye(len(column.values)) if column.noise is None else _matrix(column)

    @cached_property
    def _true_rows(self) -> PseudoRows:
        """Every true row: the combinations of the first stratum, then those of the next."""
        strata, combinations = len(self.first), self.combinations
        places = np.unravel_index(
            np.tile(np.arange(combinations), strata), [len(c.values) for c in self.hidden]
        )
        columns = {
            column.name: replace(column, codes=np.asarray(at, dtype=np.intp), noise=None)
            for column, at in zip(self.hidden, places, strict=True)
        }
        for column in self.clean:
            codes = np.repeat(column.codes[self.first], combinations)
            columns[column.name] = replace(column, codes=codes)
        ignored = np.zeros(strata * combinations, dtype=np.intp)
        columns[self.formula.outcome] = replace(self.outcome.column, codes=ignored, noise=None)
        family, worth = self.outcome.family, np.zeros((len(self.outcome.column.values), 1))
        return PseudoRows(
            columns, self.formula.terms, worth, self.formula.outcome, family.intercept, False
        )

    @cached_property
    def designs(self) -> Floats:
        """The design of every true row: strata, combinations, columns."""
        design = np.concatenate([block.X for block in self._true_rows])
        return design.reshape(len(self.first), self.combinations, -1)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Coefficients, then the shares of the true combinations."""
        own = self.outcome.family.coefficient_names(self._true_rows.names)
        return (*own, *(f"share {k + 1} of the true combinations" for k in range(self.nuisance)))

    noisy = True

    def allowed(self, beta: Floats) -> bool:
        """Whether thresholds ascend."""
        return in_order(self.outcome.family, beta)

    def at(self, beta: Floats) -> Evaluation:
        """The equations, with the expected information as J."""
        strata, combinations = len(self.first), self.combinations
        size = len(beta) - strata * (combinations - 1)
        law = _law(beta[size:].reshape(strata, -1))
        family: Any = self.outcome.family
        scores = np.zeros((len(self.stratum), len(beta)))
        information, value, reach = np.zeros((len(beta), len(beta))), 0.0, 0.0
        shown = self.outcome.column.codes
        for z in range(strata):
            X = self.designs[z]
            chances = family.chances(X, beta[:size])
            parts = np.stack(
                [
                    family.scores(X, np.tile(family.class_worth(j), (len(X), 1)), beta[:size])
                    for j in range(chances.shape[1])
                ]
            )
            # joint[x*, y*, x, y]
            seen = np.einsum(
                "x,xa,xj,jb->abxj", law[z], self.channel, chances, self.outcome_channel
            )
            total = np.maximum(seen.sum(axis=(2, 3)), 1e-300)
            after = seen / total[:, :, None, None]
            psi = np.zeros((*total.shape, len(beta)))
            psi[..., :size] = np.einsum("abxj,jxp->abp", after, parts)
            own = slice(size + z * (combinations - 1), size + (z + 1) * (combinations - 1))
            psi[..., own] = after.sum(axis=3)[..., 1:] - law[z, 1:]
            here = self.stratum == z
            weights = self.design.weights[here]
            flat = psi.reshape(-1, len(beta))
            information += weights.sum() * (flat.T @ (flat * total.reshape(-1, 1)))
            scores[here] = psi[self.released[here], shown[here]]
            value += float(weights @ np.log(total[self.released[here], shown[here]]))
            reach = max(reach, float(family.reach(X, beta[:size]).max()))
        found = score_totals(scores, np.zeros((0, 0, 0)), self.design)
        return Evaluation(
            found.values[0], information, found.covariance[0], found.degrees, reach, value
        )


def _law(logits: Floats) -> Floats:
    """π, a row for each stratum."""
    padded = np.pad(logits, ((0, 0), (1, 0)))
    raised = np.exp(padded - padded.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True))


def _matrix(column: ModelColumn) -> Floats:
    assert column.noise is not None
    channel = column.noise.known.channel
    if channel is None:
        raise NotApplicable(f"column {column.name!r} has too many values for a likelihood")
    return channel.matrix.floats
