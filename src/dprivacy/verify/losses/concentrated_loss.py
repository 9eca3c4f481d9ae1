"""Mean-concentrated extended privacy (CXDP): a small mean loss, and a subgaussian deviation from it."""

import math
from dataclasses import dataclass, replace
from typing import Any

from dprivacy.errors import BadLevel, Uncertified
from dprivacy.model import Verdict, about, as_channel, shown, space_for
from dprivacy.numbers import Level, as_level, quotient_up, within_doubles
from dprivacy.sources import result
from dprivacy.spaces import Distance
from dprivacy.typing import ChannelLike, LevelLike, SpaceLike
from dprivacy.verify.losses.privacy_loss_law import PrivacyLoss, privacy_loss
from dprivacy.verify.losses.subgaussian_loss import hoeffding_scale, subgaussian_scale
from dprivacy.verify.metric.row_ratios import Pairs, ordered_pairs

Loss = Level | float

_COARSE = 1e-290  # below this a quotient of doubles may lose digits to underflow


@dataclass(frozen=True)
class ConcentratedVerdict(Verdict):
    """Whether a channel is (μ, τ, d)-mean-concentrated private.

    `smallest_mu` is the largest mean loss per unit of distance and `mean_pair` needs it;
    `smallest_tau` is the smallest τ (a float, rounded up, or exact by Hoeffding's lemma) and
    `tau_pair` needs it. With τ given, the search stops where the question is settled, so that
    `smallest_tau` is then an upper bound on what is needed.

    Examples
    --------
    >>> found = concentrated_privacy([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> print(found.smallest_mu, found.mean_pair)
    1/2*ln(3) (0, 1)
    """

    mu: Loss = 0.0
    tau: Loss = 0.0
    smallest_mu: Loss = 0.0
    smallest_tau: Loss = 0.0
    mean_pair: tuple[Any, Any] | None = None
    tau_pair: tuple[Any, Any] | None = None

    def explain(self) -> str:
        """The verdict in words, with the pairs that decide it."""
        lines = [super().explain()]
        if self.mean_pair is not None:
            x, z = map(shown, self.mean_pair)
            lines.append(
                f"The mean loss is at most {about(self.smallest_mu)} per unit of distance, "
                f"between {x} and {z}."
            )
        if self.tau_pair is not None:
            x, z = map(shown, self.tau_pair)
            pair = f", for {x} and {z}" if self.tau == self.smallest_tau or not self.holds else ""
            lines.append(f"Its deviation is {about(self.smallest_tau)}-subgaussian{pair}.")
        return "\n".join(lines)


@dataclass(frozen=True)
class _Part:
    """One half of the question: what is needed, by which pair, and whether it is within the bound."""

    needed: Loss
    pair: tuple[Any, Any] | None
    holds: bool | None
    exact: bool
    error: float = 0.0


@result("T", "Def 10.3.5", "Def 10.4.2")
def concentrated_privacy(
    C: ChannelLike,
    space: SpaceLike | None = None,
    *,
    mu: LevelLike | None = None,
    tau: LevelLike | None = None,
    pairs: Pairs = None,
) -> ConcentratedVerdict:
    """Whether E[L] ≤ μ·d(x,z) and L − E[L] is τ-subgaussian, for the loss L of every ordered pair.

    Parameters
    ----------
    C
        A channel; for shared randomness, `with_shared_randomness(weights, channels)`.
    space
        The metric d. Without it every pair counts as distance 1 (plain concentrated privacy).
    mu, tau
        The bounds asked about; where one is omitted, the smallest is found.
    pairs
        The ordered pairs to look at (an adjacency relation); all of them when omitted.

    Returns
    -------
    ConcentratedVerdict
        Means are compared exactly for an exact channel on an exact space. A τ of at least half the
        loss's range is proved by Hoeffding's lemma; between that and the smallest τ the answer is
        measured in floats.

    Examples
    --------
    >>> C = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> verdict = concentrated_privacy(C, mu="0.5 ln 3", tau="ln 3")
    >>> verdict.status, str(verdict.smallest_mu)
    ('proved', '1/2*ln(3)')
    """
    channel = as_channel(C)
    asked_mu, asked_tau = _read(mu, "μ"), _read(tau, "τ")
    metric = None if space is None else space_for(C, space)
    losses: list[tuple[PrivacyLoss, Distance]] = [
        (privacy_loss(channel, x, z), Level(1) if metric is None else metric.distance(x, z))
        for x, z in ordered_pairs(channel, pairs)
    ]
    mean = _mean_part(losses, asked_mu)
    scale = _scale_part([loss for loss, _ in losses], asked_tau)
    parts = (mean.holds, scale.holds)
    holds = False if False in parts else None if None in parts else True
    deciding = [part for part in (mean, scale) if holds is not False or part.holds is False]
    bound = mean.needed if asked_mu is None else asked_mu
    deviation = scale.needed if asked_tau is None else asked_tau
    what = (
        f"(μ, τ{', d' if metric else ''})-mean-concentrated private at μ = {about(bound)}, "
        f"τ = {about(deviation)}"
    )
    return ConcentratedVerdict(
        f"the channel is {what}",
        holds,
        any(part.exact for part in deciding) if holds is False else mean.exact and scale.exact,
        max(mean.error, scale.error),
        smallest_mu=mean.needed,
        smallest_tau=scale.needed,
        mean_pair=mean.pair,
        tau_pair=scale.pair,
        mu=bound,
        tau=deviation,
        denial=f"the channel is not {what}",
    )


def _read(value: LevelLike | None, name: str) -> Level | None:
    if value is None:
        return None
    level = as_level(value)
    if level.sign() < 0:
        raise BadLevel(f"{name} should be at least 0, not {level}")
    return level


def _mean_part(losses: list[tuple[PrivacyLoss, Distance]], mu: Level | None) -> _Part:
    """The largest mean per unit of distance, and whether μ is enough."""
    best = _Part(Level(0), None, True, True)
    for loss, d in _in_question(losses, mu):
        exact = loss.exact and not isinstance(d, float)
        needed = _rate(loss.mean, d)
        error = 0.0
        if not exact and needed != math.inf:
            error = 2**-48 * len(loss.cells) * (1 + float(loss.mean)) / quotient_up(d, 1)
        keeps: bool | None
        if loss.mean == math.inf or d == 0:
            keeps = needed != math.inf
        elif mu is None:
            keeps = within_doubles(float(needed)) < math.inf if isinstance(needed, float) else True
        elif exact:
            keeps = _within(as_level(loss.mean), mu, d)
        else:
            gap = float(needed) - float(mu)
            keeps = True if gap + error <= 0 else False if gap - error > 0 else None
        part = _Part(needed, (loss.x, loss.z), keeps, exact, error)
        best = _worse(best, part)
    return best


def _in_question(
    losses: list[tuple[PrivacyLoss, Distance]], mu: Level | None
) -> list[tuple[PrivacyLoss, Distance]]:
    """The pairs that may need the most, and those that floats cannot tell from needing just μ.

    Every pair has bounds on its rate. One that is left out has an upper bound below another's lower
    bound, so that it needs less; or it needs nothing, being free (d = ∞) or two equal rows.
    """
    bounded = []
    for loss, d in losses:
        if not (loss.is_nothing or (isinstance(d, float) and d == math.inf)):
            bounded.append((loss, d, *_rate_bounds(loss, d)))
    most = max((low for _, _, low, _ in bounded), default=0.0)
    return [
        (loss, d)
        for loss, d, low, high in bounded
        if high >= most or (mu is not None and low <= float(mu) <= high)
    ]


def _rate_bounds(loss: PrivacyLoss, d: Distance) -> tuple[float, float]:
    """Doubles below and above mean/d, for rows that differ; the widest where doubles cannot tell."""
    mean, error = loss.mean_estimate()
    if mean == math.inf or d == 0:
        return math.inf, math.inf
    far = float(d)
    if far < _COARSE:  # a distance that a double holds badly, or not at all
        return 0.0, math.inf
    return (mean - error) / far * (1 - 1e-12), (mean + error) / far * (1 + 1e-12)


def _within(mean: Level, mu: Level, d: Distance) -> bool | None:
    """Whether mean ≤ μ·d, exactly; by enclosures where that is a product of two logarithms."""
    try:
        return mean <= mu * as_level(d)
    except Uncertified:
        first, second = mu.bounds(256), as_level(d).bounds(256)
        low, high = mean.bounds(256)
        if high <= first[0] * second[0]:
            return True
        return False if low > first[1] * second[1] else None


def _rate(mean: Loss, d: Distance) -> Loss:
    if mean == 0:
        return mean
    if mean == math.inf or d == 0:
        return math.inf
    if isinstance(mean, float) or isinstance(d, float):
        return quotient_up(mean, d)
    try:
        return mean / as_level(d)
    except Uncertified:
        return quotient_up(mean, d)


def _worse(first: _Part, second: _Part) -> _Part:
    """The part that needs more, with the poorer of the two answers."""
    order = {True: 0, None: 1, False: 2}
    holds = max(first.holds, second.holds, key=lambda answer: order[answer])
    worst = second if first.pair is None or second.needed > first.needed else first
    settled = [part.exact for part in (first, second) if part.holds is holds]
    return replace(
        worst,
        holds=holds,
        exact=any(settled) if holds is False else first.exact and second.exact,
        error=max(first.error, second.error),
    )


def _scale_part(losses: list[PrivacyLoss], tau: Level | None) -> _Part:
    """The largest τ that any pair needs, and whether the given one is enough."""
    best = _Part(Level(0), None, True, True)
    # The widest first: what a later pair needs is then soon seen to be less.
    widths = [(hoeffding_scale(loss), loss) for loss in losses]
    for half, loss in sorted(widths, key=lambda entry: -float(entry[0])):
        pair = loss.x, loss.z
        if half == math.inf:
            part = _Part(math.inf, pair, False, loss.exact)
        elif not half or (tau is not None and half <= tau and loss.exact):
            part = _Part(half, pair, True, loss.exact)
        elif tau is None and half <= best.needed:
            continue  # by Hoeffding's lemma it needs no more
        else:
            part = _measured(loss, float(best.needed), tau)
        best = _worse(best, part)
    return best


def _measured(loss: PrivacyLoss, most: float, tau: Level | None) -> _Part:
    pair = loss.x, loss.z
    if tau is None:
        scale = subgaussian_scale(loss, floor=most if most < math.inf else 0.0)
        return _Part(scale.high, pair, True, False, scale.high - scale.low)
    quick = subgaussian_scale(loss, floor=float(tau) * (1 - 1e-5))
    scale = quick if quick.high <= tau or quick.low > tau else subgaussian_scale(loss)
    keeps = True if scale.high <= tau else False if scale.low > tau else None
    return _Part(scale.high, pair, keeps, False, scale.high - scale.low)
