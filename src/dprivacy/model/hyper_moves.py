"""The refining Earth Move: one hyper's posteriors merged into another's."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from dprivacy.model.answers import Verdict
from dprivacy.model.channels import Hyper
from dprivacy.model.labelled_matrix import Gain, Labelled
from dprivacy.numbers import Mat, feasible
from dprivacy.sources import result
from dprivacy.spaces import require_same_labels


@dataclass(frozen=True)
class EarthMove(Verdict):
    """Whether a refining Earth Move exists, with what shows it.

    `coefficients[i, j]` is the share of posterior i that moves to posterior j. Where there is no
    move, `gain` is an adversary who gains more from the second hyper (`after`) than from the first
    (`before`), which a refinement forbids.
    """

    coefficients: Labelled | None = None
    gain: Gain | None = None
    before: Fraction | float | None = None
    after: Fraction | float | None = None


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
    """
    order = require_same_labels(first.secrets, second.secrets, "Earth Move: secrets")
    exact = first.exact and second.exact
    a = _rational(first.joint)
    b = _rational(second.joint.take(rows=order))
    m1, m2, n = a.shape[1], b.shape[1], a.shape[0]
    program, right = _conditions(a, b)
    outcome = feasible(program, right)
    claim = "the second hyper is a refinement of the first"
    if outcome.status == "optimal":
        shares = [[outcome.x[i * m2 + j] for j in range(m2)] for i in range(m1)]
        table = Labelled(first.observations, second.observations, shares)
        return EarthMove(claim, True, exact, coefficients=table)
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
