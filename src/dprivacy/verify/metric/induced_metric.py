"""Distinguishability: the metric a channel induces on its inputs, and the smallest ε."""

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, Uncertified
from dprivacy.model import (
    Channel,
    PrintedChannel,
    as_channel,
    channel_or_print,
    require_channel_space,
    space_for,
)
from dprivacy.numbers import Floats, Level, as_level, float_down, ln, quotient_up, within_doubles
from dprivacy.sources import result
from dprivacy.spaces import Distance, Distances, FiniteSpace
from dprivacy.typing import ChannelLike, Label, SpaceLike
from dprivacy.verify.metric.print_ratios import certain_ratios, possible_ratios
from dprivacy.verify.metric.row_ratios import (
    Ratio,
    RowRatios,
    differing_supports,
    largest_rate,
    pair_sizes,
    rate_of_pairs,
    swept_rates,
)

Eps = Level | float

_MANY = 500  # points from which it is quicker to sweep all pairs than to find those that imply them
_COARSE = 1e-290  # below this a quotient of doubles may lose digits, or overflow
Bound = tuple[Eps, Ratio | None]


@result("T", "Def 4.4.4")
def distinguishability(C: ChannelLike) -> FiniteSpace:
    """The metric d_C(x, z) = max_y |ln C[x,y] − ln C[z,y]| that a channel induces on its inputs.

    It is the smallest metric for which the channel is private: C is d-private exactly when
    d_C ≤ d, pair by pair.

    Parameters
    ----------
    C
        A channel, or anything `as_channel` reads.

    Returns
    -------
    FiniteSpace
        On the channel's inputs. Distances are ln q (exact channels) or floats; 0 for inputs with
        equal rows; inf where an output is possible for one input only.

    Notes
    -----
    For each pair: compare supports; find candidates by floats; decide the largest ratio in integers.
    O(n²·m).

    Examples
    --------
    >>> d = distinguishability([["2/3", "1/3"], ["1/3", "2/3"]])
    >>> print(d.distance(0, 1))
    ln(2)
    """
    channel = as_channel(C)
    ratios = RowRatios(channel)
    n = len(channel.rows)
    table: list[list[Distance]] = [[Fraction(0) if channel.exact else 0.0] * n for _ in range(n)]
    for i in range(n):
        for j in range(i + 1, n):
            table[i][j] = table[j][i] = log_ratio(ratios.worst(i, j))
    return FiniteSpace(channel.rows, Distances.of(table))


def log_ratio(ratio: Ratio) -> Distance:
    """How far apart a ratio puts two inputs: its logarithm."""
    if ratio.bottom == 0:
        return math.inf
    if isinstance(ratio.top, float):
        return abs(math.log(ratio.top) - math.log(ratio.bottom))
    return ln(Fraction(ratio.top, ratio.bottom)).simplified


@result("T", "Def 4.4.1")
def smallest_eps(C: ChannelLike | PrintedChannel, space: SpaceLike | None = None) -> Eps:
    """Priv_d(C): the smallest ε for which the channel is ε·d-private.

    Parameters
    ----------
    C, space
        As in `privacy`.

    Returns
    -------
    Level or float
        Exact for an exact channel on an exact space; ``inf`` when no ε is large enough. A float for
        float input (`privacy` says how far it may be off), and, rounded up, where the quotient of
        two logarithms has no exact form. For a print, the ε that suffices for every channel that
        prints so.

    Raises
    ------
    TooLarge
        The smallest ε is finite, but beyond the largest double, and has no exact form.

    Notes
    -----
    1. Only pairs that no third point implies are looked at, where the space knows them; equal
       distances need only each column's largest and smallest entry.
    2. ε = max ln(C[x,y] / C[z,y]) / d(x, z); candidates by floats, ties and order decided exactly.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> print(smallest_eps([["2/3", "1/3"], ["1/2", "1/2"], ["1/3", "2/3"]], line(3)))
    ln(3/2)
    """
    channel, metric = question(C, space)
    if isinstance(channel, PrintedChannel):
        return print_bounds(channel, metric)[1][0]
    return tightest(channel, metric)[0]


def print_bounds(C: PrintedChannel, space: FiniteSpace) -> tuple[Bound, Bound]:
    """What every channel that prints so needs at least, and what one of them may need at most.

    Each with the ratio that shows it. The upper end is reached; the lower is safe, but where several
    entries would have to be extreme at once, the least ε of a channel that prints so may be above it.
    """
    if not space.exact:
        raise NotApplicable("a print is bounded exactly, and needs a space with exact distances")
    least, shows = largest_rate_of(certain_ratios(C, space), space)
    if isinstance(least, float) and math.isfinite(least) and shows is not None:
        distance = space.distances[shows.x, shows.z]
        least = float_down(_rate_bounds(shows, distance, 64)[0])
    return (least, shows), largest_rate_of(possible_ratios(C, space), space)


def with_metric(C: ChannelLike, space: SpaceLike | None) -> tuple[Channel, FiniteSpace]:
    """A channel, and the metric on its inputs in their order."""
    channel = as_channel(C)
    return channel, _in_order(channel.rows, space_for(C, space))


def question(
    C: ChannelLike | PrintedChannel, space: SpaceLike | None
) -> tuple[Channel | PrintedChannel, FiniteSpace]:
    """What is asked about: a channel or a print, and the metric on its inputs in their order."""
    channel = channel_or_print(C)
    return channel, _in_order(channel.rows, space_for(C, space))


def _in_order(inputs: Sequence[Label], metric: FiniteSpace) -> FiniteSpace:
    if require_channel_space(inputs, metric.labels) != list(range(len(metric))):
        return metric.restrict(inputs)
    return metric


def tightest(channel: Channel, space: FiniteSpace) -> tuple[Eps, Ratio | None]:
    """The smallest ε and a ratio that needs it (None when nothing constrains the channel)."""
    channel, space = with_metric(channel, space)
    if len(space) == 1:
        return (Level(0) if channel.exact else 0.0), None
    if channel.exact and space.exact:
        return _tightest_exact(channel, space)
    return _tightest_float(channel, space)


def _tightest_exact(channel: Channel, space: FiniteSpace) -> tuple[Eps, Ratio | None]:
    ratios = RowRatios(channel)
    found: list[tuple[float, Ratio]] = []
    if space.uniform_distance is not None and not math.isinf(float(space.uniform_distance)):
        found = [(0.0, ratio) for ratio in _column_extremes(ratios)]
    else:
        found = _pair_estimates(ratios, space)
    return largest_rate_of([ratio for _, ratio in found], space)


def largest_rate_of(found: Sequence[Ratio], space: FiniteSpace) -> tuple[Eps, Ratio | None]:
    """The largest ln(top/bottom)/d among exact ratios of at least 1, and the one that has it."""
    for ratio in found:
        if ratio.bottom == 0:
            return math.inf, ratio
    largest: dict[Distance, Ratio] = {}  # at one distance the largest ratio is the largest rate
    for ratio in found:
        distance = space.distances[ratio.x, ratio.z]
        if distance == 0:
            if ratio.top != ratio.bottom:
                return math.inf, ratio
            continue
        rival = largest.get(distance)
        if rival is None or ratio.top * rival.bottom > rival.top * ratio.bottom:
            largest[distance] = ratio
    best: Eps | None = None
    witness: Ratio | None = None
    for distance, ratio in largest.items():
        eps = _exact_rate(ratio, distance)
        if best is None or witness is None or larger_rate(eps, ratio, best, witness, space):
            best, witness = eps, ratio
    return (Level(0), None) if best is None else (best, witness)


def _exact_rate(ratio: Ratio, distance: Distance) -> Eps:
    logarithm = ln(Fraction(ratio.top, ratio.bottom))
    try:
        return logarithm / as_level(distance)
    except Uncertified:
        return within_doubles(quotient_up(logarithm, distance))


def _rate_bounds(ratio: Ratio, distance: Distance, precision: int) -> tuple[Fraction, Fraction]:
    """Rationals around ln(ratio) / distance, for ratio > 1, that agree to `precision` bits."""
    logarithm, length = ln(Fraction(ratio.top, ratio.bottom)), as_level(distance)
    bits = 2 * precision
    while True:
        (low, high), (near, far) = logarithm.bounds(bits), length.bounds(bits)
        if low > 0 and near > 0 and (high / near) / (low / far) - 1 < Fraction(1, 1 << precision):
            return low / far, high / near
        bits *= 2


def larger_rate(
    eps: Eps, ratio: Ratio, best: Eps, witness: Ratio, space: FiniteSpace
) -> bool | None:
    """Whether the first rate is the larger, also where both round up to the same double.

    None for rates that agree to 4096 bits, one of them without an exact form.
    """
    if isinstance(eps, Level) and isinstance(best, Level):
        return eps > best
    if eps == 0 or best == 0:
        return best == 0 and eps != 0
    for precision in (64, 256, 1024, 4096):
        low, high = _rate_bounds(ratio, space.distances[ratio.x, ratio.z], precision)
        under, over = _rate_bounds(witness, space.distances[witness.x, witness.z], precision)
        if low > over or high < under:
            return low > over
    return None


def _column_extremes(ratios: RowRatios) -> list[Ratio]:
    """With equal distances only the largest and smallest entry of a column matter: the worst ones."""
    entries = ratios.entries
    best: list[Ratio] = []
    for y in range(entries.shape[1]):
        column = entries[:, y].tolist()
        high, low = max(column), min(column)
        if high == 0:
            continue
        ratio = Ratio(column.index(high), column.index(low), y, high, low)
        if low == 0:
            return [ratio]
        if not best or high * best[0].bottom > best[0].top * low:
            best = [ratio]
    return best


def _pair_estimates(ratios: RowRatios, space: FiniteSpace) -> list[tuple[float, Ratio]]:
    """The worst ratio of every pair whose rate may be the largest, by float estimates.

    Each pair has an estimate and a bound on its error. One that is left out has a rate that is
    certainly below another's; pairs at distances that doubles hold badly (0 among them) all stay in.
    """
    distances = space.distances.floats
    search = len(space) >= _MANY and space.known_edges is None
    pairs = _swept(ratios, distances) if search else None
    if pairs is None:
        pairs = space.implying_pairs
    apart = distances[pairs[:, 0], pairs[:, 1]]
    pairs, apart = pairs[np.isfinite(apart)], apart[np.isfinite(apart)]
    broken = differing_supports(ratios, pairs)
    if broken.any():
        i, j = pairs[int(np.argmax(broken))].tolist()
        return [(math.inf, ratios.worst(i, j))]
    fine = apart >= _COARSE
    exact_needed = [(math.inf, ratios.worst(i, j)) for i, j in pairs[~fine].tolist()]
    pairs, apart = pairs[fine], apart[fine]
    if len(pairs):
        sizes = pair_sizes(ratios.logs, pairs)
        rates, errors = sizes / apart, ratios.error / apart + 1e-14 * sizes / apart
        near = rates + errors >= (rates - errors).max()
        found = zip(rates[near].tolist(), pairs[near].tolist(), strict=True)
        exact_needed += [(rate, ratios.worst(i, j)) for rate, (i, j) in found]
    return exact_needed


def _swept(ratios: RowRatios, distances: Floats) -> NDArray[np.intp] | None:
    """The pairs whose rate may be the largest; None where zeros or distances need a closer look.

    All pairs are swept: for many points that is quicker than to find out which of them imply others.
    """
    apart = distances[~np.eye(len(distances), dtype=bool)]
    if ratios.zeros.any() or not _COARSE <= apart.min() <= apart.max() < math.inf:
        return None
    rates, slack, upper = swept_rates(ratios.logs, distances)
    near = rates + slack >= (rates - slack).max()
    return np.asarray(np.stack(upper, axis=1)[near])


def _tightest_float(channel: Channel, space: FiniteSpace) -> tuple[float, Ratio | None]:
    ratios = RowRatios(channel)
    distances = space.distances.floats
    equal = space.uniform_distance
    if equal is not None and math.isfinite(float(equal)) and float(equal) > 0:
        return _float_columns(ratios, float(equal))
    apart = (np.isfinite(distances) & (distances > 0)) | np.eye(len(space), dtype=bool)
    if space.known_edges is not None or ratios.zeros.any() or not apart.all():
        pairs = space.implying_pairs
        pairs = pairs[np.isfinite(distances[pairs[:, 0], pairs[:, 1]])]
        broken = differing_supports(ratios, pairs)
        same = distances[pairs[:, 0], pairs[:, 1]] == 0
        if same.any():
            _, rows = np.unique(ratios.entries, axis=0, return_inverse=True)
            rows = rows.reshape(-1)
            broken |= same & (rows[pairs[:, 0]] != rows[pairs[:, 1]])
        if broken.any():
            i, j = pairs[int(np.argmax(broken))]
            return math.inf, ratios.worst(int(i), int(j))
        pairs = pairs[~same]
        if not len(pairs):
            return 0.0, None
        eps, i, j = rate_of_pairs(ratios.logs, distances, pairs)
    else:
        eps, i, j = largest_rate(ratios.logs, distances)
    return within_doubles(eps), ratios.worst(i, j)


def _float_columns(ratios: RowRatios, distance: float) -> tuple[float, Ratio | None]:
    entries = ratios.entries
    high, low = entries.max(axis=0), entries.min(axis=0)
    possible = high > 0
    if not possible.any():
        return 0.0, None
    if ratios.channel.exact:  # integers, which may be too large for a double
        tops, bottoms = ([math.log(v) if v else -math.inf for v in side] for side in (high, low))
    else:
        with np.errstate(divide="ignore"):
            tops, bottoms = np.log(high), np.log(low)
    with np.errstate(invalid="ignore"):
        spread = np.where(possible, np.subtract(tops, bottoms), -1.0)
    y = int(spread.argmax())
    x, z = int(entries[:, y].argmax()), int(entries[:, y].argmin())
    top, bottom = high[y], low[y]
    if not ratios.channel.exact:
        top, bottom = float(top), float(bottom)
    ratio = Ratio(x, z, y, top, bottom)
    if low[y] == 0:
        return math.inf, ratio
    with np.errstate(over="ignore"):
        return within_doubles(float(spread[y] / np.float64(distance))), ratio
