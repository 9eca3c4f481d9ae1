"""Local mechanisms as something to apply: geometries by a transform, other sets as far as they came.

Neither is written out. With m_y people who reported the set y, what an unbiased estimate takes of a
report is B_yx = ([x ∈ y] − q)/(p − q) + c_y, where c_y, the same for all labels, makes row y sum to 1:
totals are then kept, as by every other inverse.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import TooLarge
from dprivacy.estimation.operators.channel_operator import MOST_SOLVED, dense_solver
from dprivacy.mechanisms import HyperplaneReports, LocalMechanism, UnaryReports, reports_in
from dprivacy.model import BlockLaw
from dprivacy.numbers import Floats

_MOST_SEEN = 1 << 27  # labels of the different sets that are seen, all of them together
_WRITTEN = 1 << 25  # entries of an inverse that is written out
_WORK = 1 << 33  # multiplications to solve with the curvature once
_AT_A_TIME = 1 << 22


class ReportOperator(ABC):
    """Reports y with probability w_y·(1 + (a − 1)·[x ∈ y])/Z, for labels x."""

    def __init__(self, law: BlockLaw, outputs: int, weight_logs: Floats | float) -> None:
        self.inputs, self.outputs = law.labels, outputs
        # outside a set, where 1 is inside; a itself may be too large
        self._low = float(1 / law.factor)
        self._p, self._q = float(law.inside), float(law.outside)
        # Columns are divided by w·a/Z, those of sets that are empty by w/Z; doubles may hold neither.
        odds = np.where(self._sizes > 0, _log(law.factor), 0.0)
        self.column_logs = odds - _log(law.normaliser) + weight_logs
        self._outside = np.where(self._sizes > 0, float(1 / law.factor), 1.0)

    @abstractmethod
    def _in_sets(self, weights: Floats) -> Floats:
        """For every report the sum of the weights of the labels in its set."""

    @abstractmethod
    def _with_label(self, weights: Floats) -> Floats:
        """For every label the sum of the weights of the reports whose sets hold it."""

    @cached_property
    def _sizes(self) -> Floats:
        """How many labels each set holds."""
        return np.round(self._in_sets(np.ones(self.inputs)))

    @cached_property
    def _evened(self) -> Floats:
        """c_y: what is missing in the sum of a row of the inverse, an equal part for every label."""
        rows = (self._sizes - self.inputs * self._q) / (self._p - self._q)
        return np.asarray((1 - rows) / self.inputs)

    def forward(self, p: Floats) -> Floats:
        """See `Operator`."""
        held, total = _along(p, self._in_sets), p.sum(axis=-1, keepdims=True)
        return np.asarray(self._outside * (total - held) + held)

    def backward(self, w: Floats) -> Floats:
        """See `Operator`."""
        inside = _along(w * (1 - self._outside), self._with_label)
        return np.asarray((w * self._outside).sum(axis=-1, keepdims=True) + inside)

    def inverted(self, m: Floats) -> Floats:
        """See `Operator`: (s − |m|·q)/(p − q) + Σ m·c."""
        evened = (m * self._evened).sum(axis=-1, keepdims=True)
        return np.asarray(self._plainly_inverted(m) + evened)

    def _plainly_inverted(self, m: Floats) -> Floats:
        held = _along(m, self._with_label)
        return np.asarray((held - m.sum(axis=-1, keepdims=True) * self._q) / (self._p - self._q))

    def inverted_squares(self, m: Floats) -> Floats:
        """See `Operator`: (B + c)² = B² + 2·c·B + c²."""
        held = _along(m, self._with_label)
        rest = m.sum(axis=-1, keepdims=True) - held
        squares = held * (1 - self._q) ** 2 + rest * self._q**2
        evened = m * self._evened
        more = (evened * self._evened).sum(axis=-1, keepdims=True)
        return np.asarray(
            squares / (self._p - self._q) ** 2 + 2 * self._plainly_inverted(evened) + more
        )

    def scores(self, v: Floats) -> Floats:
        """See `Operator`: Σ_x v_x·B_yx."""
        held, total = _along(v, self._in_sets), v.sum(axis=-1, keepdims=True)
        return np.asarray((held - total * self._q) / (self._p - self._q) + total * self._evened)

    @cached_property
    def inverse(self) -> Floats:
        """B, a row for each report; TooLarge where it cannot be written out."""
        if self.inputs * self.outputs > _WRITTEN:
            raise TooLarge(
                f"{self.outputs:,} different reports about {self.inputs:,} values are too many to be "
                "joined with; ask `dprivacy estimate` for counts, or of fewer rows"
            )
        return np.ascontiguousarray(self.scores(np.eye(self.inputs)).T)

    @property
    def solvable(self) -> bool:
        """Whether there are few enough labels and reports to be written out."""
        size = self.inputs * self.outputs
        return self.inputs <= MOST_SOLVED and size <= _WRITTEN and self.inputs * size <= _WORK

    def curvature(self, d: Floats, z: Floats) -> Callable[[Floats], Floats]:
        """Solve (C·diag(d)·Cᵀ + diag(z))·x = b."""
        return dense_solver(self._scaled, d, z)

    @cached_property
    def _scaled(self) -> Floats:
        return self.forward(np.eye(self.inputs))


class HyperplaneOperator(ReportOperator):
    """All reports of a finite geometry: each way is one transform."""

    def __init__(self, reports: HyperplaneReports) -> None:
        reports.require_decodable()
        self._reports = reports
        super().__init__(reports, reports.outputs, 0.0)

    def _in_sets(self, weights: Floats) -> Floats:
        return self._reports.over_labels(weights)

    def _with_label(self, weights: Floats) -> Floats:
        return self._reports.over_reports(weights)


class SeenSets(ReportOperator):
    """The different reports that were sent, each with its set: enough for every estimate.

    A report that nobody sent has no weight in a likelihood, and nothing to invert.

    Parameters
    ----------
    mechanism
        With sets of any kind.
    cells
        Different reports, as cells of a table.
    """

    def __init__(self, mechanism: LocalMechanism, cells: Sequence[Any]) -> None:
        k, law = len(mechanism.labels), mechanism.reports
        if k * len(cells) > _MOST_SEEN:
            raise TooLarge(
                f"{len(cells):,} different reports about {k:,} values are too many for this; take "
                'estimator="inverse" or "projected", or let people send projective_response'
            )
        self._held = _membership(mechanism, reports_in(mechanism, cells))
        logs: Floats | float = _log(law.total) - law.bits * log(2)  # where all sets weigh the same
        if isinstance(law, UnaryReports):
            size, chance = self._held.sum(axis=1), law.single
            logs = size * _log(chance) + (k - size) * _log(1 - chance)
        super().__init__(law, len(cells), logs)

    def _in_sets(self, weights: Floats) -> Floats:
        return np.concatenate([part @ weights for part in self._parts()] or [np.zeros(0)])

    def _with_label(self, weights: Floats) -> Floats:
        total, start = np.zeros(self.inputs), 0
        for part in self._parts():
            total += weights[start : start + len(part)] @ part
            start += len(part)
        return total

    def residual(self, f: Floats) -> float:
        """How far rounding can move the mean score of f, over all reports, also those not seen."""
        terms = 4 * (self.inputs + 3)
        largest = 1 / (self._p - self._q) + float(np.abs(self._evened).max(initial=0.0))
        return float(terms * 2.0**-53 * largest * np.abs(f).sum())

    def _parts(self) -> list[Floats] | Any:
        """The sets as rows of 0 and 1, some thousands at a time where there are many."""
        if self._held.size <= _AT_A_TIME:
            return [self._written]
        step = max(1, _AT_A_TIME // self.inputs)
        return (
            self._held[at : at + step].astype(np.float64) for at in range(0, self.outputs, step)
        )

    @cached_property
    def _written(self) -> Floats:
        return self._held.astype(np.float64)


def _membership(mechanism: LocalMechanism, reports: NDArray[Any]) -> NDArray[np.bool_]:
    """Which labels the sets of some reports hold."""
    k, sets = len(mechanism.labels), mechanism.reports
    if isinstance(sets, UnaryReports):
        rows = reports.astype(np.uint8)
        return np.unpackbits(rows, axis=1, count=k, bitorder="little").astype(np.bool_)
    held = np.zeros((len(reports), k), dtype=np.bool_)
    held[np.arange(len(reports))[:, None], reports] = True
    return held


def _log(chance: Fraction) -> float:
    return log(chance.numerator) - log(chance.denominator)


def _along(table: Floats, apply: Callable[[Floats], Floats]) -> Floats:
    if table.ndim == 1:
        return apply(table)
    flat = table.reshape(-1, table.shape[-1])
    rows = [apply(np.ascontiguousarray(row)) for row in flat]
    return np.array(rows).reshape(*table.shape[:-1], -1)
