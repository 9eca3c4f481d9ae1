"""Probabilistic extended privacy (PXDP): the loss stays within ξ, but for probability δ."""

import math
from dataclasses import dataclass
from fractions import Fraction

from dprivacy.model import Verdict, about, as_channel, shown
from dprivacy.numbers import Level
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, LevelLike, Number, NumberLike
from dprivacy.verify.losses.extended_levels import Factors, Pairwise, constrained_pairs, exceeding
from dprivacy.verify.losses.privacy_loss_law import PrivacyLoss, privacy_loss
from dprivacy.verify.metric.row_ratios import Case, Pairs, RowRatios, deciding


@dataclass(frozen=True)
class LossTail(Case):
    """One ordered pair: the loss of x over z exceeds ξ with probability `tail`; δ was allowed."""

    xi: Level
    delta: Fraction
    tail: Number

    def words(self) -> str:
        """The pair in a sentence."""
        return (
            f"when {shown(self.x)} is true, the loss against {shown(self.z)} exceeds "
            f"{about(self.xi)} with probability {about(self.tail)} where {about(self.delta)} is allowed"
        )


@dataclass(frozen=True)
class ProbabilisticVerdict(Verdict):
    """Whether the loss stays within ξ but for probability δ, with the pair that comes closest.

    Examples
    --------
    >>> print(probabilistic_privacy([["3/4", "1/4"], ["1/4", "3/4"]], xi="ln 3").claim)
    the channel is (ξ, δ)-probabilistically extended private
    """

    worst: LossTail | None = None

    def explain(self) -> str:
        """The verdict in words, with the pair that decides it."""
        text = super().explain()
        return text if self.worst is None else f"{text}\nDeciding case: {self.worst.words()}."


@result("T", "Def 10.3.6", "Def 10.4.3")
def probabilistic_privacy(
    C: ChannelLike,
    *,
    xi: LevelLike | Pairwise,
    delta: NumberLike | Pairwise = 0,
    pairs: Pairs = None,
) -> ProbabilisticVerdict:
    """Whether Pr[loss of x over z > ξ(x,z)] ≤ δ(x,z) for all ordered pairs of inputs.

    It implies extended privacy with the same ξ and δ (T Prop 10.5), not the other way round.

    Parameters
    ----------
    C
        A channel; for shared randomness, `with_shared_randomness(weights, channels)`.
    xi, delta
        Functions of the pair, or one value for all pairs, as in `extended_privacy`.
    pairs
        The ordered pairs to look at (an adjacency relation); all of them when omitted.

    Returns
    -------
    ProbabilisticVerdict
        Proved or refuted for an exact channel, whatever ξ; for a float channel measured, and
        undecided where rounding could move a loss across ξ.

    Examples
    --------
    >>> C = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> bool(probabilistic_privacy(C, xi="ln 3"))
    True
    >>> probabilistic_privacy(C, xi="ln 2", delta="1/4").worst.tail
    Fraction(3, 4)
    """
    channel = as_channel(C)
    ratios, factors = RowRatios(channel), Factors(channel)
    error = 0.0
    verdicts: list[tuple[Number, bool | None, LossTail]] = []
    for i, j, level, slack in constrained_pairs(channel, xi, delta, pairs):
        x, z = channel.rows[i], channel.rows[j]
        tail: Number
        keeps: bool | None
        if channel.exact:
            inside = exceeding(ratios, i, j, factors.of(level))
            tail = Fraction(int(ratios.entries[i][inside].sum()), channel.matrix.den)
            keeps = tail <= slack
        else:
            loss = privacy_loss(channel, x, z)
            tail = loss.tail(level)
            low, high = _float_tail(loss, float(level), ratios.error)
            error = max(error, high - float(tail), float(tail) - low)
            keeps = True if high <= slack else False if low > slack else None
        verdicts.append((tail - slack, keeps, LossTail(x, z, level, slack, tail)))
    holds, worst = deciding(verdicts)
    return ProbabilisticVerdict(
        "the channel is (ξ, δ)-probabilistically extended private",
        holds,
        channel.exact,
        error,
        worst,
        denial="the channel is not (ξ, δ)-probabilistically extended private",
    )


def _float_tail(loss: PrivacyLoss, level: float, rounding: float) -> tuple[float, float]:
    """The tail if every loss within rounding of the level fell below it, or above it."""
    near = 2 * rounding + 2**-50 * level
    error = 2**-50 * len(loss.cells)
    low = math.fsum(float(p) for key, p in loss.cells if float(key) > level + near)
    high = math.fsum(float(p) for key, p in loss.cells if float(key) > level - near)
    return max(0.0, low - error), (high + error if high else 0.0)
