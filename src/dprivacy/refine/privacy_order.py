"""Privacy-based refinement: B tells no two secrets apart better than A does."""

import math

from dprivacy.numbers import Level
from dprivacy.refine.deciding.channel_pairs import Pair
from dprivacy.refine.deciding.refinement_verdicts import PrivateRefinement
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace
from dprivacy.verify import (
    Eps,
    Ratio,
    RowRatios,
    distinguishability,
    larger_rate,
    log_ratio,
    tightest,
)


@result("T", "Def 4.4.2", "Def 4.4.3", "Def 4.4.5", "Prop 4.4", "§4.5.3")
def refined_for_privacy(
    pair: Pair, space: FiniteSpace | None, names: tuple[str, str]
) -> PrivateRefinement:
    """Whether d_B ≤ d_A for every pair of secrets; on one metric d whether Priv_d(B) ≤ Priv_d(A).

    d_C(x, z) is the largest logarithm of a ratio C[x, y]/C[z, y], and Priv_d the smallest ε.

    Notes
    -----
    Ratios are compared as integers for exact channels; for floats a difference within rounding leaves
    the answer undecided. O(n²·m).
    """
    if space is not None:
        return _on_one_metric(pair, space, names)
    claim = f"{names[1]} is at least as private as {names[0]} on every metric"
    denial = f"{names[1]} is less private than {names[0]} on some metric"
    holds, at = _pointwise(pair)
    error = 0.0 if pair.exact else _error(pair)
    if at is None:
        return PrivateRefinement(claim, holds, pair.exact, error, names, denial=denial)
    i, j, before, after = at
    metric = distinguishability(pair.first) if holds is False else None
    return PrivateRefinement(
        claim,
        holds,
        pair.exact,
        error,
        names,
        pair=(pair.secrets[i], pair.secrets[j]),
        before=log_ratio(before),
        after=log_ratio(after),
        metric=metric,
        denial=denial,
    )


def _error(pair: Pair) -> float:
    return RowRatios(pair.first).error + RowRatios(pair.second).error


Worst = tuple[int, int, Ratio, Ratio]


def _pointwise(pair: Pair) -> tuple[bool | None, Worst | None]:
    """Whether d_B ≤ d_A, and the first pair that breaks it or leaves it open."""
    first, second = RowRatios(pair.first), RowRatios(pair.second)
    error = 0.0 if pair.exact else first.error + second.error
    open_: Worst | None = None
    for i in range(len(pair.secrets)):
        for j in range(i + 1, len(pair.secrets)):
            before, after = first.worst(i, j), second.worst(i, j)
            sign = _compared(before, after, error)
            if sign == 1:
                return False, (i, j, before, after)
            if sign is None and open_ is None and not _same_rows(pair, i, j):
                open_ = (i, j, before, after)
    return (True, None) if open_ is None else (None, open_)


def _same_rows(pair: Pair, i: int, j: int) -> bool:
    """Whether both channels have bit by bit the same two rows, so that rounding makes no difference."""
    a, b = pair.first.matrix.entries, pair.second.matrix.entries
    return a.shape == b.shape and bool((a[[i, j]] == b[[i, j]]).all())


def _compared(before: Ratio, after: Ratio, error: float) -> int | None:
    """1 when `after` is the larger ratio, −1 when it is not, None within the error."""
    if not after.bottom or not before.bottom:
        return 1 if before.bottom else -1
    if not error:
        return 1 if after.top * before.bottom > before.top * after.bottom else -1
    gap = float(log_ratio(after)) - float(log_ratio(before))
    if abs(gap) <= error:
        return None
    return 1 if gap > 0 else -1


def _on_one_metric(pair: Pair, space: FiniteSpace, names: tuple[str, str]) -> PrivateRefinement:
    exact = pair.exact and space.exact
    mine, mine_at = tightest(pair.first, space)
    theirs, theirs_at = tightest(pair.second, space)
    claim = f"{names[1]} is at least as private as {names[0]} on this metric"
    denial = f"{names[1]} is less private than {names[0]} on this metric"
    if exact:
        error = 0.0
        holds = _at_most(theirs, theirs_at, mine, mine_at, space.restrict(pair.secrets))
    else:
        apart = space.distances.floats
        closest = float(apart[apart > 0].min(initial=math.inf))
        error = _error(pair) / closest
        gap = float(theirs) - float(mine) if theirs != mine else 0.0
        same = bool(
            pair.first.matrix.shape == pair.second.matrix.shape
            and (pair.first.matrix.entries == pair.second.matrix.entries).all()
        )
        holds = True if same or gap < -error else False if gap > error else None
        holds = True if mine == math.inf else holds
    return PrivateRefinement(
        claim, holds, exact, error, names, before=mine, after=theirs, space=space, denial=denial
    )


def _at_most(
    small: Eps, small_at: Ratio | None, large: Eps, large_at: Ratio | None, space: FiniteSpace
) -> bool | None:
    """Whether the first rate is at most the second, also where a quotient has no exact form."""
    if isinstance(small, Level) and isinstance(large, Level):
        return small <= large
    if small_at is None or large == math.inf:
        return True
    if large_at is None or small == math.inf:
        return False
    mine, other = ((at.value, space.distances[at.x, at.z]) for at in (small_at, large_at))
    above = mine != other and larger_rate(small, small_at, large, large_at, space)
    return None if above is None else not above
