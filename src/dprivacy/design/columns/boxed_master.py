"""The master program with its multipliers kept in a box, while its columns say too little of them.

On a new pool of columns the rows can often be met by a nearly constant mixture only, and multipliers
are off by orders of magnitude. A box around multipliers that are known to be nearly right is the same
as letting every row miss its sum at a price.
"""

import numpy as np

from dprivacy.design.columns.arithmetic_device import Machine
from dprivacy.design.master.master_program import Mixture
from dprivacy.numbers import Floats

_WIDTH = 0.5  # of a multiplier: how far it may move at first
_WIDEST = 1e4  # of a multiplier: where there is no box any more
_FLOOR = 0.3  # of the mean multiplier, for those near 0
_LEAST = 1e-9  # of the largest cost: the mean multiplier counts as that much
_SMALL = 1e-2  # of a row: with less missed in the mean, the box is made twice as wide
_MET = 1e-3  # of a row: with less, weights may be moved so that rows are met
_MISSED = 1e-6  # of a row: with less, it is not needed any more
_SLIGHT = 1e-3  # of a row: what is missed at the start
_PATIENCE = 20  # rounds after which the box widens whatever is missed


class Box:
    """How far multipliers may be from those known, for as long as it is `closed`.

    Rows are `met` when so little is missed that weights can be moved to meet them. The box widens step
    by step: taken away at once, it would leave equations that are nearly singular.
    """

    def __init__(self, *, closed: bool) -> None:
        self.closed = closed
        self.met = not closed
        self._width = _WIDTH
        self._missed: Floats | None = None
        self._rounds = 0

    def mixture(
        self, machine: Machine, A: Floats, q: Floats, gap: float, weights: Floats, known: Floats
    ) -> Mixture:
        """The mixture whose rows may miss their sums, at what the box's walls cost."""
        rows, columns = A.shape
        if self._missed is None:
            self._missed = np.full(2 * rows, _SLIGHT)
        least = max(float(np.abs(known).mean()), _LEAST * float(np.abs(q).max()))
        far = self._width * (np.abs(known) + _FLOOR * least)
        costs = np.concatenate([q, known + far, far - known])
        start = np.concatenate([weights, self._missed])
        found = machine.mixture(A, costs, gap, start, known)
        self._missed = found.weights[columns:]
        missed = float(self._missed.mean())
        self._rounds += 1
        if missed < _SMALL or self._rounds > _PATIENCE:
            self._width *= 2.0
        self.met = missed < _MET
        self.closed = missed > _MISSED and self._width < _WIDEST
        return Mixture(found.weights[:columns], found.multipliers, found.sound)
