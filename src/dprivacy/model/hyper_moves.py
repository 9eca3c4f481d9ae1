"""Hypers from priors, and the refining Earth Move from one hyper to another."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dprivacy.model.answers import Verdict
from dprivacy.model.channels import Hyper
from dprivacy.model.labelled_matrix import Gain, Labelled
from dprivacy.model.noun_input import as_channel
from dprivacy.model.plain_data import about
from dprivacy.numbers import Mat, feasible
from dprivacy.sources import result
from dprivacy.spaces import require_same_labels
from dprivacy.typing import ChannelLike, Number, PriorLike


@dataclass(frozen=True)
class EarthMove(Verdict):
    """Whether a refining Earth Move exists, with what shows it.

    `coefficients[i, j]` is the share of posterior i that moves to posterior j. Where there is no
    move, `gain` is an adversary who gains more from the second hyper (`after`) than from the first
    (`before`), which a refinement forbids.

    Examples
    --------
    >>> from dprivacy.model import push
    >>> sharp, blunt = push([[1, 0], [0, 1]]), push([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> earth_move(sharp, blunt).coefficients[0, 1]
    Fraction(1, 4)
    """

    coefficients: Labelled | None = None
    gain: Gain | None = None
    before: Number | None = None
    after: Number | None = None

    def explain(self) -> str:
        """The answer in words, with the gain that shows a denial."""
        words = super().explain()
        if self.before is None or self.after is None:
            return words
        return (
            f"{words}\nDeciding case: a gain that is worth {about(self.before)} after the first hyper "
            f"and {about(self.after)} after the second."
        )


@result("T", "Def 2.4.1")
def push(C: ChannelLike, *, prior: PriorLike = None) -> Hyper:
    """[prior ▷ C], the hyper-distribution of a prior pushed through a channel; also ``prior >> C``.

    a_y = Σ_x π_x·C_{x,y} is the chance of observation y, and δ^y_x = π_x·C_{x,y} / a_y its posterior.

    Parameters
    ----------
    C
        The channel.
    prior
        A distribution on its inputs, exact with exact and float with float; uniform when omitted.

    Examples
    --------
    >>> push([["3/4", "1/4"], ["1/4", "3/4"]], prior=["1/3", "2/3"]).inner(0)
    Dist(0: 3/5, 1: 2/5)
    """
    return as_channel(C).__rrshift__(prior)


@result("T", "Def 2.4.2", "Def 2.4.3")
def earth_move(first: Hyper, second: Hyper) -> EarthMove:
    """The refining Earth Move from one hyper to another, or the gain that shows there is none.

    Looks for λ ≥ 0 with Σ_j λ_ij = 1 and b_j·γ^j = Σ_i λ_ij·a_i·δ^i.

    Notes
    -----
    1. The conditions are linear; a program with exact certificates finds λ or a Farkas vector.
    2. From a Farkas vector (u, v), g(j, x) = v_jx is a gain function with V_g(second) > V_g(first);
       it is shifted to be ≥ 0 (both vulnerabilities move by the same amount).
    3. Floats are read as the binary fractions they are, so that two hypers which are equal only up to
       rounding have no exact move; the answer says that it was measured.

    Examples
    --------
    >>> sharp, blunt = push([[1, 0], [0, 1]]), push([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> bool(earth_move(sharp, blunt)), bool(earth_move(blunt, sharp))
    (True, False)
    """
    order = require_same_labels(first.secrets, second.secrets, "Earth Move: secrets")
    exact = first.exact and second.exact
    a = _rational(first.joint)
    b = _rational(second.joint.take(rows=order))
    m1, m2, n = a.shape[1], b.shape[1], a.shape[0]
    program, right = _conditions(a, b)
    outcome = feasible(program, right)
    claim = "the second hyper is a refinement of the first"
    denial = "the second hyper is not a refinement of the first"
    if outcome.status == "optimal":
        shares = [[outcome.x[i * m2 + j] for j in range(m2)] for i in range(m1)]
        table = Labelled(first.observations, second.observations, shares)
        return EarthMove(claim, True, exact, coefficients=table, denial=denial)
    values = [[outcome.y[m1 + j * n + x] for x in range(n)] for j in range(m2)]
    lowest = min(value for row in values for value in row)
    gain = Gain(second.observations, first.secrets, [[v - lowest for v in row] for row in values])
    before, after = _vulnerability(a, gain), _vulnerability(b, gain)
    gap = float(after - before)
    undecided = not exact and gap <= _ROUNDING * float(max(abs(after), abs(before)))
    return EarthMove(
        claim,
        None if undecided else False,
        exact,
        0.0 if exact else _ROUNDING,
        None,
        gain,
        before,
        after,
        denial=denial,
    )


_ROUNDING = 1e-12


def _rational(joint: Mat) -> Mat:
    """Exact as it is; floats as binary fractions, scaled so that they sum to 1."""
    if joint.exact:
        return joint
    values = [[Fraction(v) for v in row] for row in joint.floats.tolist()]
    total = sum((v for row in values for v in row), Fraction(0))
    return Mat.of([[v / total for v in row] for row in values])


def _conditions(a: Mat, b: Mat) -> tuple[Mat, list[Fraction]]:
    """Rows: Σ_j λ_ij = 1 for each i, then Σ_i λ_ij·a_ix = b_jx for each (j, x)."""
    n, m1 = a.shape
    m2 = b.shape[1]
    den = a.den
    entries = np.zeros((m1 + m2 * n, m1 * m2), dtype=object)
    for i in range(m1):
        entries[i, i * m2 : (i + 1) * m2] = den
        for j in range(m2):
            entries[m1 + j * n : m1 + (j + 1) * n, i * m2 + j] = a.entries[:, i]
    right = [Fraction(1)] * m1 + [
        Fraction(b.entries[x, j], b.den) for j in range(m2) for x in range(n)
    ]
    return Mat(entries, den), right


def _vulnerability(joint: Mat, gain: Gain) -> Fraction:
    scores = gain.matrix @ joint
    return Fraction(sum(max(column) for column in scores.entries.T.tolist()), scores.den)
