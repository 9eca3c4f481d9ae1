"""What a channel without an inverse still tells: the range of a share over all truths that fit."""

import numpy as np

from dprivacy.estimation.climbing.bayesian_update import climb
from dprivacy.estimation.operators.channel_operator import Operator
from dprivacy.numbers import Floats

_SLACK = 1e-9  # by which a truth may miss the likeliest released shares


def possible_range(operator: Operator, f: Floats, frequencies: Floats) -> tuple[float, float]:
    """The least and the largest Σ p_x·f(x) over all distributions p that are equally likely.

    Parameters
    ----------
    operator
        The channel.
    f
        One number for each true value.
    frequencies
        Shares of the released values.

    Notes
    -----
    All maxima p̂ of the likelihood give the released values the same shares p̂C. The range is that of f
    over {p ≥ 0 : pC = p̂C}, by two linear programs; where f has a score it is a single point.
    """
    from scipy.optimize import linprog

    found = climb(operator, frequencies, tolerance=1e-10, max_iterations=20_000).p
    rows = operator.forward(np.eye(operator.inputs)).T
    wanted = operator.forward(found)
    ends = []
    for side in (1.0, -1.0):
        # Two inequalities in place of an equation, which rounding could make impossible.
        best = linprog(
            side * f,
            A_ub=np.vstack([rows, -rows]),
            b_ub=np.concatenate([wanted + _SLACK, _SLACK - wanted]),
            A_eq=np.ones((1, len(f))),
            b_eq=[1.0],
            bounds=(0, None),
        )
        ends.append(side * float(best.fun) if best.success else float(found @ f))
    return min(ends), max(ends)
