"""Is a channel ε·d-private? A verdict with the triples that are tight or violated."""

import math
from fractions import Fraction

import numpy as np

from dprivacy.errors import BadLevel, NotApplicable, TooLarge, Uncertified
from dprivacy.model import Channel, Guarantee, PrintedChannel, about
from dprivacy.numbers import Factor, Level, as_delta, as_eps, as_level, ln
from dprivacy.sources import result
from dprivacy.spaces import Distance, FiniteSpace
from dprivacy.typing import ChannelLike, LevelLike, NumberLike, SpaceLike
from dprivacy.verify.metric.delta_profile import worst_delta
from dprivacy.verify.metric.induced_metric import Eps, print_bounds, question, tightest
from dprivacy.verify.metric.privacy_verdict import PrivacyVerdict, Triple
from dprivacy.verify.metric.row_ratios import Ratio, RowRatios

_MOST_TRIPLES = 1000
_COARSE = 1e-290  # below this a double may have lost digits


@result("T", "Def 3.1.2", "Def 3.1.3")
def privacy(
    C: ChannelLike | PrintedChannel,
    space: SpaceLike | None = None,
    *,
    eps: LevelLike | None = None,
    delta: NumberLike = 0,
) -> PrivacyVerdict:
    """Whether C[x,y] ≤ e^(ε·d(x,z))·C[z,y] for all inputs x, z and outputs y (with slack δ on sets).

    Parameters
    ----------
    C
        A channel, anything `as_channel` reads, or a print (`printed`). A file whose rows miss 1 by no
        more than rounding explains is read as a print.
    space
        The metric on its inputs; a mechanism's own when omitted.
    eps
        The level asked for: a Level, "ln 2", "3/2", a Fraction, an int or a float (its exact binary
        value). When omitted, the smallest ε is found, and the question is whether it is finite.
    delta
        The slack δ: P(A) ≤ e^(ε·d)·Q(A) + δ must hold for every set A of outputs.

    Returns
    -------
    PrivacyVerdict
        Proved or refuted for an exact channel on an exact space. For floats, measured with its error;
        a float channel that is within rounding of the bound is *undecided*, never private by a
        tolerance. For a print: proved when every matrix that prints so is private, refuted when none
        is, undecided otherwise.

    Notes
    -----
    1. The smallest ε and the triple that needs it (`smallest_eps`).
    2. It is compared with ε exactly: in integers when e^(ε·d) is rational, by enclosures otherwise.
    3. Tight or violated triples are listed on the pairs that imply the others.
    4. With δ > 0 every ordered pair needs Σ_y max(0, C[x,y] − e^(ε·d)·C[z,y]) ≤ δ, which is the
       worst set at once.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> G = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
    >>> bool(privacy(G, line(3), eps="ln 2"))
    True
    >>> bool(privacy(G, line(3), eps="0.69"))
    False
    """
    channel, metric = question(C, space)
    level, slack = None if eps is None else as_eps(eps), as_delta(delta)
    if isinstance(channel, PrintedChannel):
        return _settled_print(channel, metric, level, slack)
    return _settled(channel, metric, level, slack)


def _settled(
    channel: Channel, space: FiniteSpace, level: Level | None, slack: Fraction
) -> PrivacyVerdict:
    exact = channel.exact and space.exact
    smallest, ratio = tightest(channel, space)
    worst = None if ratio is None else _triple(channel, space, ratio)
    if slack > 0:
        return _with_slack(channel, space, level, slack, smallest, worst)
    asked: Eps = smallest if level is None else level
    error = 0.0 if exact else _rate_error(channel, space)
    holds = _holds(level, smallest, ratio, space, error)
    tight: tuple[Triple, ...] = ()
    violated: tuple[Triple, ...] = ()
    if exact and isinstance(asked, Level) and not (holds and _loose(level, smallest, ratio, space)):
        tight, violated = _triples(channel, space, asked)
    at = f"at ε = {about(asked)}"
    claim = f"the channel is ε·d-private {at if asked != math.inf else 'for some finite ε'}"
    denial = f"the channel is not ε·d-private {at if asked != math.inf else 'for any finite ε'}"
    guarantee = None
    if holds and asked != math.inf:
        # what was measured is promised with its error on top
        sure = asked if exact or level is not None else math.nextafter(asked + error, math.inf)
        guarantee = Guarantee(as_level(sure), space)
    return PrivacyVerdict(
        claim,
        holds,
        exact,
        error,
        asked,
        Fraction(0),
        smallest,
        worst=worst,
        tight=tight,
        violated=violated,
        guarantee=guarantee,
        denial=denial,
    )


def _settled_print(
    C: PrintedChannel, space: FiniteSpace, level: Level | None, slack: Fraction
) -> PrivacyVerdict:
    if slack:
        raise NotApplicable("a print is verified without δ; for δ > 0 give printed(…).normalised()")
    (least, certain), (most, ratio) = print_bounds(C, space)
    holds: bool | None = _holds(level, most, ratio, space, 0.0)
    if not holds and _holds(level, least, certain, space, 0.0):
        holds = None
    asked: Eps = most if level is None else level
    at = "for some finite ε" if asked == math.inf else f"at ε = {about(asked)}"
    which = "the matrix that was printed" if holds is None else "every matrix that prints so"
    return PrivacyVerdict(
        f"{which} is ε·d-private {at}",
        holds,
        True,
        0.0,
        asked,
        Fraction(0),
        most,
        worst=None if ratio is None else _triple(C, space, ratio),
        guarantee=Guarantee(as_level(asked), space) if holds else None,
        at_least=least,
        denial=f"no matrix that prints so is ε·d-private {at}",
    )


def _rate_error(channel: Channel, space: FiniteSpace) -> float:
    """A bound on the error of the measured smallest ε."""
    positive = space.distances.floats[space.distances.floats > 0]
    closest = float(positive.min()) if positive.size else math.inf
    return RowRatios(channel).error / closest


def _holds(
    level: Level | None, smallest: Eps, ratio: Ratio | None, space: FiniteSpace, error: float
) -> bool | None:
    if level is None or smallest == math.inf:
        return smallest != math.inf
    if isinstance(smallest, Level) or (error == 0 and ratio is None):
        return smallest <= level
    if error == 0:  # exact, but the quotient of two logarithms has no exact form: compare products
        assert ratio is not None
        distance = space.distances[ratio.x, ratio.z]
        return _Bound(level, distance).compare(ratio.top, ratio.bottom) <= 0
    asked = float(level)
    return True if smallest + error <= asked else False if smallest - error > asked else None


def _loose(level: Level | None, smallest: Eps, ratio: Ratio | None, space: FiniteSpace) -> bool:
    """Whether even the worst ratio of an exact channel stays below its bound: then all do."""
    if level is None or ratio is None:
        return False
    if isinstance(smallest, Level):
        return smallest < level
    return _Bound(level, space.distances[ratio.x, ratio.z]).compare(ratio.top, ratio.bottom) < 0


class _Bound:
    """e^(ε·d) for one distance, to be compared with many ratios."""

    def __init__(self, eps: Level, distance: Distance) -> None:
        self.eps, self.distance = eps, as_level(distance)
        self.level: Level | None = None
        self.factor: Factor | None = None
        try:
            self.level = eps * self.distance
            self.factor = Factor(self.level)
        except (TooLarge, Uncertified):  # e^(ε·d) is too long to write; a product of two logarithms
            pass

    def compare(self, a: int, b: int) -> int:
        """The sign of a − e^(ε·d)·b, for a > 0 and b ≥ 0."""
        if self.factor is not None:
            return self.factor.compare(a, b)
        if b == 0:
            return 1
        logarithm, bits = ln(Fraction(a, b)), 128
        if self.level is not None:
            return (logarithm - self.level).sign()
        while bits <= 1 << 14:
            low, high = logarithm.bounds(bits)
            (least, most), (near, far) = self.eps.bounds(bits), self.distance.bounds(bits)
            if low > most * far or high < least * near:
                return 1 if low > most * far else -1
            bits *= 2
        raise Uncertified(
            f"ln({Fraction(a, b)}) and ({self.eps})·({self.distance}) agree to {bits // 2} bits, "
            "and a product of two logarithms has no exact form"
        )


def _triple(channel: Channel | PrintedChannel, space: FiniteSpace, ratio: Ratio) -> Triple:
    return Triple(
        channel.rows[ratio.x],
        channel.rows[ratio.z],
        channel.columns[ratio.y],
        ratio.value,
        space.distances[ratio.x, ratio.z],
    )


def _triples(
    channel: Channel, space: FiniteSpace, eps: Level
) -> tuple[tuple[Triple, ...], tuple[Triple, ...]]:
    """Triples that meet the bound with equality, and triples that break it."""
    ratios = RowRatios(channel)
    entries = ratios.entries
    bounds: dict[Distance, _Bound] = {}
    tight: list[Triple] = []
    violated: list[Triple] = []
    distances = space.distances.floats
    for i, j in space.implying_pairs:
        if math.isinf(distances[i, j]):
            continue
        distance = space.distances[i, j]
        if distance not in bounds:
            bounds[distance] = _Bound(eps, distance)
        bound = float(eps) * float(distances[i, j])
        if not (distances[i, j] > _COARSE and bound < math.inf):
            bound = 0.0  # doubles hold ε or d badly: every output is compared exactly
        # Left out are ratios whose logarithm is below ε·d by more than rounding.
        near = np.abs(ratios.logs[i] - ratios.logs[j]) >= bound - ratios.error - 1e-13 * bound
        near |= ratios.zeros[i] != ratios.zeros[j]
        for y in np.flatnonzero(near):
            a, b = entries[i, y], entries[j, y]
            if a == 0 and b == 0:
                continue
            x, z, high, low = (i, j, a, b) if a >= b else (j, i, b, a)
            sign = bounds[distance].compare(high, low)
            if sign >= 0:
                found = _triple(channel, space, Ratio(int(x), int(z), int(y), high, low))
                (tight if sign == 0 else violated).append(found)
        if len(tight) >= _MOST_TRIPLES or len(violated) >= _MOST_TRIPLES:
            break
    return tuple(tight[:_MOST_TRIPLES]), tuple(violated[:_MOST_TRIPLES])


def _with_slack(
    channel: Channel,
    space: FiniteSpace,
    level: Level | None,
    slack: Fraction,
    smallest: Eps,
    worst: Triple | None,
) -> PrivacyVerdict:
    if level is None:
        raise BadLevel(
            f"with δ = {about(slack)} give ε too, or ask eps_at(C, delta=…) for the smallest ε"
        )
    exact = channel.exact and space.exact
    needed, holds, error, at = worst_delta(channel, space, level, slack)
    pair = None if at is None else (channel.rows[at[0]], channel.rows[at[1]])
    what = f"(ε·d, δ)-private at ε = {about(level)}, δ = {about(slack)}"
    return PrivacyVerdict(
        f"the channel is {what}",
        holds,
        exact,
        error,
        level,
        slack,
        smallest,
        needed,
        pair,
        worst,
        guarantee=Guarantee(level, space, slack) if holds else None,
        denial=f"the channel is not {what}",
    )
