"""The five models: the equations of one row, their derivative, and what their coefficients are called.

A family turns the design X and the outcome of every (pseudo-)row into scores ψ, one row each, with
E[ψ] = 0 at the true coefficients, and minus the derivative of their weighted sum.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from dprivacy.numbers import Floats

FamilyName = Literal["linear", "logistic", "multinomial", "ordinal", "poisson"]
FAMILIES = get_args(FamilyName)
MOST_EXPONENT = 700.0  # beyond, a double overflows


def sigmoid(t: Floats) -> Floats:
    """1/(1 + e^(−t)), also of ±∞; small values keep their digits."""
    small = np.exp(-np.abs(t))
    return np.asarray(np.where(t >= 0, 1.0, small) / (1 + small))


class ModelFamily(ABC):
    """A model, for p columns of the design.

    `linear_in_outcome` says that ψ is a linear function of what the outcome is worth, so that a noisy
    outcome is replaced by its score; otherwise outcomes are positions of classes.
    """

    name: FamilyName
    linear_in_outcome = True
    intercept = True  # whether the design has a column of ones

    @abstractmethod
    def coefficient_names(self, columns: Sequence[str]) -> tuple[str, ...]:
        """The names of the coefficients."""

    @abstractmethod
    def start(self, shares: Floats, columns: int) -> Floats:
        """Where to begin, given the shares of the classes (or the mean of a number, alone)."""

    @abstractmethod
    def scores(self, X: Floats, y: Floats, beta: Floats) -> Floats:
        """ψ of every row."""

    @abstractmethod
    def slope(self, X: Floats, y: Floats, beta: Floats, weights: Floats) -> Floats:
        """Minus the derivative of Σ weights·ψ."""

    def reach(self, X: Floats, beta: Floats) -> Floats:
        """How far each row is towards an outcome that is as good as certain, on the scale of logits."""
        return np.zeros(len(X))


class _OnePredictor(ModelFamily):
    """ψ = x·(y − μ(xβ))."""

    def coefficient_names(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Those of the columns."""
        return tuple(columns)

    def start(self, shares: Floats, columns: int) -> Floats:
        """An intercept that fits the mean."""
        beta = np.zeros(columns)
        beta[0] = self._link(float(shares[-1]))
        return beta

    def scores(self, X: Floats, y: Floats, beta: Floats) -> Floats:
        """x·(y − μ)."""
        return np.asarray(X * (y[:, 0] - self._mean(X @ beta))[:, None])

    def slope(self, X: Floats, y: Floats, beta: Floats, weights: Floats) -> Floats:
        """Σ weights·μ'·xxᵀ."""
        return np.asarray(X.T @ (X * (weights * self._curve(X @ beta))[:, None]))

    @abstractmethod
    def _link(self, mean: float) -> float: ...

    @abstractmethod
    def _mean(self, t: Floats) -> Floats: ...

    @abstractmethod
    def _curve(self, t: Floats) -> Floats: ...


class Linear(_OnePredictor):
    """E[y] = xβ."""

    name: FamilyName = "linear"

    def _link(self, mean: float) -> float:
        return mean

    def _mean(self, t: Floats) -> Floats:
        return t

    def _curve(self, t: Floats) -> Floats:
        return np.ones_like(t)


class Poisson(_OnePredictor):
    """E[y] = exp(xβ)."""

    name: FamilyName = "poisson"

    def reach(self, X: Floats, beta: Floats) -> Floats:
        """A mean towards 0 is certain; a large one is not."""
        return np.maximum(-(X @ beta), 0.0)

    def _link(self, mean: float) -> float:
        return float(np.log(max(mean, 1e-3)))

    def _mean(self, t: Floats) -> Floats:
        return np.asarray(np.exp(np.minimum(t, MOST_EXPONENT)))

    def _curve(self, t: Floats) -> Floats:
        return self._mean(t)


class Logistic(_OnePredictor):
    """P(y = 1) = 1/(1 + exp(−xβ))."""

    name: FamilyName = "logistic"

    def reach(self, X: Floats, beta: Floats) -> Floats:
        """|xβ|."""
        return np.abs(X @ beta)

    def chances(self, X: Floats, beta: Floats) -> Floats:
        """P(0) and P(1) of every row."""
        t = X @ beta
        return np.stack([sigmoid(-t), sigmoid(t)], axis=1)

    def class_worth(self, j: int) -> Floats:
        """The outcome of class j as `scores` takes it."""
        return np.array([float(j)])

    def _link(self, mean: float) -> float:
        share = min(max(mean, 0.01), 0.99)
        return float(np.log(share / (1 - share)))

    def _mean(self, t: Floats) -> Floats:
        return sigmoid(t)

    def _curve(self, t: Floats) -> Floats:
        mean = sigmoid(t)
        return np.asarray(mean * (1 - mean))


@dataclass(frozen=True)
class Multinomial(ModelFamily):
    """ln P(y = j)/P(y = 0) = xβ_j; the worth of an outcome is a number for each class but the first."""

    labels: tuple[str, ...]
    name: FamilyName = "multinomial"

    def coefficient_names(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Class by class, the first being the reference."""
        return tuple(f"{label}: {column}" for label in self.labels[1:] for column in columns)

    def start(self, shares: Floats, columns: int) -> Floats:
        """Intercepts that fit the shares."""
        beta = np.zeros((len(shares) - 1, columns))
        kept = np.clip(shares, 0.01, 0.99)
        beta[:, 0] = np.log(kept[1:] / kept[0])
        return np.asarray(beta.ravel())

    def _predictors(self, X: Floats, beta: Floats) -> Floats:
        return np.asarray(X @ beta.reshape(len(self.labels) - 1, -1).T)

    def chances(self, X: Floats, beta: Floats) -> Floats:
        """P(y = j) of every row."""
        t = np.pad(self._predictors(X, beta), ((0, 0), (1, 0)))
        t = np.exp(t - t.max(axis=1, keepdims=True))
        return np.asarray(t / t.sum(axis=1, keepdims=True))

    def class_worth(self, j: int) -> Floats:
        """The outcome of class j as `scores` takes it."""
        return np.asarray(np.arange(1, len(self.labels)) == j, dtype=np.float64)

    def reach(self, X: Floats, beta: Floats) -> Floats:
        """The largest difference of two predictors."""
        t = np.pad(self._predictors(X, beta), ((0, 0), (1, 0)))
        return np.asarray(t.max(axis=1) - t.min(axis=1))

    def scores(self, X: Floats, y: Floats, beta: Floats) -> Floats:
        """(1{y = j} − P_j)·x, class by class."""
        rest = y - self.chances(X, beta)[:, 1:]
        return np.asarray((rest[:, :, None] * X[:, None, :]).reshape(len(X), -1))

    def slope(self, X: Floats, y: Floats, beta: Floats, weights: Floats) -> Floats:
        """Blocks Σ weights·P_a·(1{a = b} − P_b)·xxᵀ."""
        chances = self.chances(X, beta)[:, 1:]
        p, k = X.shape[1], chances.shape[1]
        found = np.zeros((k, p, k, p))
        for a in range(k):
            for b in range(a + 1):
                curve = weights * chances[:, a] * (float(a == b) - chances[:, b])
                block = X.T @ (X * curve[:, None])
                found[a, :, b, :] = block
                found[b, :, a, :] = block.T
        return found.reshape(k * p, k * p)


@dataclass(frozen=True)
class Ordinal(ModelFamily):
    """P(y ≤ j) = 1/(1 + exp(xβ − τ_j)): the thresholds τ first, then β; the design has no intercept."""

    labels: tuple[str, ...]
    name: FamilyName = "ordinal"
    linear_in_outcome = False
    intercept = False

    def coefficient_names(self, columns: Sequence[str]) -> tuple[str, ...]:
        """Thresholds between neighbouring classes, then the columns."""
        between = zip(self.labels, self.labels[1:], strict=False)
        return (*(f"{low}|{high}" for low, high in between), *columns)

    def start(self, shares: Floats, columns: int) -> Floats:
        """Thresholds that fit the cumulative shares."""
        kept = np.maximum(shares, 0.01)
        below = np.cumsum(kept / kept.sum())[:-1]
        return np.append(np.log(below / (1 - below)), np.zeros(columns))

    def _ends(self, X: Floats, y: Floats, beta: Floats) -> tuple[Floats, Floats]:
        """τ_y − xβ and τ_(y−1) − xβ."""
        cut = len(self.labels) - 1
        ends = np.concatenate([[-np.inf], beta[:cut], [np.inf]])
        t, at = X @ beta[cut:], y[:, 0].astype(np.intp)
        return ends[at + 1] - t, ends[at] - t

    def chances(self, X: Floats, beta: Floats) -> Floats:
        """P(y = j) of every row: with ends h and l, σ(h)·σ(−l)·(1 − e^(l−h)); nothing cancels."""
        columns = []
        for j in range(len(self.labels)):
            high, low = self._ends(X, np.full((len(X), 1), float(j)), beta)
            columns.append(sigmoid(high) * sigmoid(-low) * -np.expm1(low - high))
        return np.stack(columns, axis=1)

    def class_worth(self, j: int) -> Floats:
        """The outcome of class j as `scores` takes it."""
        return np.array([float(j)])

    def reach(self, X: Floats, beta: Floats) -> Floats:
        """The largest |xβ − τ|."""
        cut = len(self.labels) - 1
        t = X @ beta[cut:]
        return np.asarray(np.maximum(beta[:cut].max() - t, t - beta[:cut].min()))

    def _parts(self, X: Floats, y: Floats, beta: Floats) -> tuple[Floats, ...]:
        """f(h)/P, f(l)/P, σ(h), σ(l), and the derivatives of h and l by the coefficients."""
        high, low = self._ends(X, y, beta)
        width = -np.expm1(low - high)
        up = sigmoid(-high) / (sigmoid(-low) * width)
        down = sigmoid(low) / (sigmoid(high) * width)
        at, cuts = y[:, 0], np.arange(len(self.labels) - 1.0)
        of_high = np.concatenate([at[:, None] == cuts, -X], axis=1)
        of_low = np.concatenate([at[:, None] - 1 == cuts, -X], axis=1)
        return up, down, sigmoid(high), sigmoid(low), of_high, of_low

    def scores(self, X: Floats, y: Floats, beta: Floats) -> Floats:
        """(f(h)·∂h − f(l)·∂l)/P."""
        up, down, _, _, of_high, of_low = self._parts(X, y, beta)
        return np.asarray(of_high * up[:, None] - of_low * down[:, None])

    def slope(self, X: Floats, y: Floats, beta: Floats, weights: Floats) -> Floats:
        """Σ weights·(ψψᵀ − (f'(h)·∂h∂hᵀ − f'(l)·∂l∂lᵀ)/P)."""
        up, down, at_high, at_low, of_high, of_low = self._parts(X, y, beta)
        psi = of_high * up[:, None] - of_low * down[:, None]
        total = psi.T @ (psi * weights[:, None])
        total -= of_high.T @ (of_high * (weights * up * (1 - 2 * at_high))[:, None])
        total += of_low.T @ (of_low * (weights * down * (1 - 2 * at_low))[:, None])
        return np.asarray(total)


def in_order(family: ModelFamily, beta: Floats) -> bool:
    """Whether the thresholds of an ordinal model ascend; true of every other model."""
    if not isinstance(family, Ordinal):
        return True
    return bool((np.diff(beta[: len(family.labels) - 1]) > 0).all())
