"""Average-case refinement: B is A followed by a post-processing, or somebody gains more from B."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.model import Gain, uniform
from dprivacy.numbers import Mat
from dprivacy.refine.deciding.channel_pairs import Pair
from dprivacy.refine.deciding.dependent_columns import by_program, measured_program
from dprivacy.refine.deciding.float_columns import by_measuring, same_columns
from dprivacy.refine.deciding.independent_columns import Finding, by_inversion
from dprivacy.refine.deciding.refinement_verdicts import AverageRefinement
from dprivacy.refine.deciding.separating_gains import Number, rounding_of, uniform_vulnerability
from dprivacy.sources import result


@result("T", "Def 2.3.1", "Def 2.3.2", "Lem 2.2", "Thm 4.12", "Lem 2.4", "Lem 2.5")
def refined_on_average(pair: Pair, names: tuple[str, str]) -> AverageRefinement:
    """Whether A·R = B for some R; equivalently V_g[π ▷ A] ≥ V_g[π ▷ B] for every gain g and prior π.

    Notes
    -----
    1. Impossible outputs are dropped and proportional columns merged in both.
    2. If A has independent columns (any square invertible channel), R can only be the solution of
       A·R = B, and it decides (`by_inversion`; `by_measuring` for floats).
    3. Otherwise a program decides (`by_program`): a column of B outside the hull of A's, a gain from
       the dual, or an R that is repaired until A·R = B exactly.
    4. Whatever was found is checked in exact arithmetic before it is returned. A large exact program
       whose float answer cannot be made exact is undecided.
    """
    rounding = 0.0 if pair.exact else rounding_of(pair.first.matrix, pair.second.matrix)
    found = settled(pair, rounding)
    claim = f"{names[1]} is at least as safe as {names[0]} against every adversary, on average"
    denial = f"some adversary gains more from {names[1]} than from {names[0]}, on average"
    error = 0.0 if pair.exact else max(rounding, found.residual)
    if found.bet is not None:
        gains = _table(found.bet.gain(), exact=pair.exact)
        actions: Sequence[Any] = ["bet", "pass"]
        output = _named(pair.outputs_of_second(found.bet.at))
    elif found.gain is not None:
        gains, output = found.gain, None
        actions = [_named(pair.outputs_of_second(h)) for h in range(pair.b.shape[1])]
    else:
        R = None if found.r is None else pair.post_processing(found.r)
        return AverageRefinement(
            claim,
            found.holds,
            pair.exact,
            error,
            names,
            R=R,
            residual=found.residual,
            denial=denial,
        )
    return AverageRefinement(
        claim,
        False,
        pair.exact,
        error,
        names,
        gain=Gain(actions, pair.secrets, gains),
        prior=uniform(pair.secrets),
        before=uniform_vulnerability(gains, pair.a),
        after=uniform_vulnerability(gains, pair.b),
        output=output,
        denial=denial,
    )


def settled(pair: Pair, rounding: float) -> Finding:
    """What the methods find on the reduced matrices."""
    a, b = pair.a, pair.b
    if pair.exact:
        return by_inversion(a, b) or by_program(a, b)
    same = same_columns(a, b)
    if same is not None:
        return Finding(True, same)
    return by_measuring(a, b, rounding) or measured_program(a, b, rounding)


def _named(labels: list[Any]) -> Any:
    return labels[0] if len(labels) == 1 else tuple(labels)


def _table(rows: list[list[Number]], *, exact: bool) -> Mat:
    if exact:
        return Mat.of([[Fraction(value) for value in row] for row in rows])
    return Mat(np.array(rows, dtype=np.float64))
