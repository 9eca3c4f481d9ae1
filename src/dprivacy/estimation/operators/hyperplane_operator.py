"""A local mechanism over a finite geometry as something to apply: each way is one transform."""

from collections.abc import Callable

import numpy as np

from dprivacy.errors import NotApplicable
from dprivacy.mechanisms import HyperplaneReports
from dprivacy.numbers import Floats


class HyperplaneOperator:
    """Reports y with probability (1 + (a − 1)·[x ∈ y])/Z, for labels x: never written out."""

    solvable = False

    def __init__(self, reports: HyperplaneReports) -> None:
        self.inputs, self.outputs = reports.labels, reports.outputs
        self._reports = reports
        self._factor = float(reports.factor)
        self._p, self._q = float(reports.inside), float(reports.outside)
        largest = self._factor / float(reports.normaliser)
        self.column_logs = np.full(self.outputs, np.log(largest))

    def forward(self, p: Floats) -> Floats:
        """See `Operator`: columns are divided by a/Z."""
        extra = self._along(p, self._reports.over_labels)
        return np.asarray(
            (p.sum(axis=-1, keepdims=True) + (self._factor - 1) * extra) / self._factor
        )

    def backward(self, w: Floats) -> Floats:
        """See `Operator`."""
        extra = self._along(w, self._reports.over_reports)
        return np.asarray(
            (w.sum(axis=-1, keepdims=True) + (self._factor - 1) * extra) / self._factor
        )

    def inverted(self, m: Floats) -> Floats:
        """See `Operator`: (s − |m|·q)/(p − q)."""
        held = self._along(m, self._reports.over_reports)
        return np.asarray((held - m.sum(axis=-1, keepdims=True) * self._q) / (self._p - self._q))

    def inverted_squares(self, m: Floats) -> Floats:
        """See `Operator`."""
        held = self._along(m, self._reports.over_reports)
        rest = m.sum(axis=-1, keepdims=True) - held
        squares = held * (1 - self._q) ** 2 + rest * self._q**2
        return np.asarray(squares / (self._p - self._q) ** 2)

    def scores(self, v: Floats) -> Floats:
        """See `Operator`: Σ_x v_x·([x ∈ y] − q)/(p − q)."""
        held = self._along(v, self._reports.over_labels)
        return np.asarray((held - v.sum(axis=-1, keepdims=True) * self._q) / (self._p - self._q))

    def curvature(self, d: Floats, z: Floats) -> Callable[[Floats], Floats]:
        """Not offered: `solvable` says so."""
        raise NotApplicable(f"{self.inputs} labels over a geometry have no quick curvature")

    @staticmethod
    def _along(table: Floats, apply: Callable[[Floats], Floats]) -> Floats:
        if table.ndim == 1:
            return apply(table)
        flat = table.reshape(-1, table.shape[-1])
        rows = [apply(np.ascontiguousarray(row)) for row in flat]
        return np.array(rows).reshape(*table.shape[:-1], -1)
