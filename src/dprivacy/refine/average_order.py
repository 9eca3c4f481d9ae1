"""Average-case refinement: B is A followed by a post-processing, or somebody gains more from B."""

from functools import partial

from dprivacy.model import Gain, uniform
from dprivacy.refine.deciding.channel_pairs import Pair, merged_labels
from dprivacy.refine.deciding.dependent_columns import by_program, measured_program
from dprivacy.refine.deciding.float_columns import by_measuring, same_columns
from dprivacy.refine.deciding.independent_columns import Finding, by_inversion
from dprivacy.refine.deciding.refinement_verdicts import AverageRefinement
from dprivacy.refine.deciding.separating_gains import rounding_of, uniform_vulnerability
from dprivacy.refine.lowering.lowered_line import lowered_between
from dprivacy.sources import result


@result("T", "Def 2.3.1", "Def 2.3.2", "Lem 2.2", "Thm 4.12", "Lem 2.4", "Lem 2.5")
def refined_on_average(pair: Pair, names: tuple[str, str]) -> AverageRefinement:
    """Whether A·R = B for some R; equivalently V_g[π ▷ A] ≥ V_g[π ▷ B] for every gain g and prior π.

    Notes
    -----
    1. Impossible outputs are dropped and proportional columns merged in both.
    2. Two exponential mechanisms on one interval of integers: R in closed form (`lowered_line`).
    3. If A has independent columns (any square invertible channel), R can only be the solution of
       A·R = B, and it decides (`by_inversion`; `by_measuring` for floats).
    4. Otherwise a program decides (`by_program`): a column of B outside the hull of A's, a gain from
       the dual, or an R that is repaired until A·R = B exactly.
    5. Whatever was found is checked in exact arithmetic before it is returned. A large exact program
       whose float answer cannot be made exact is undecided.
    """
    rounding = 0.0 if pair.exact else rounding_of(pair.first.matrix, pair.second.matrix)
    found = settled(pair, rounding)
    claim = f"{names[1]} is at least as safe as {names[0]} against every adversary, on average"
    denial = f"some adversary gains more from {names[1]} than from {names[0]}, on average"
    error = 0.0 if pair.exact else max(rounding, found.residual)
    answer = partial(
        AverageRefinement, claim, exact=pair.exact, error=error, names=names, denial=denial
    )
    actions = merged_labels(pair.second, pair.b_groups)
    output = None
    if found.bet is not None:
        gains, output = pair.table(found.bet.gain()), actions[found.bet.at]
        actions = ["bet", "pass"]
    elif found.gain is not None:
        gains = found.gain
    else:
        R = None if found.r is None else pair.post_processing(found.r)
        return answer(holds=found.holds, R=R, residual=found.residual)
    return answer(
        holds=False,
        gain=Gain(actions, pair.secrets, gains),
        prior=uniform(pair.secrets),
        before=uniform_vulnerability(gains, pair.a),
        after=uniform_vulnerability(gains, pair.b),
        output=output,
    )


def settled(pair: Pair, rounding: float) -> Finding:
    """What the methods find on the reduced matrices."""
    a, b = pair.a, pair.b
    if pair.exact:
        lowered = lowered_between(a, b)
        if lowered is not None:
            return Finding(True, lowered)
        return by_inversion(a, b) or by_program(a, b)
    same = same_columns(a, b)
    if same is not None:
        return Finding(True, same)
    return by_measuring(a, b, rounding) or measured_program(a, b, rounding)
