"""`mended`: the smallest share of blind answers that makes a channel as private as it should be."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from dprivacy.errors import MixedArithmetic
from dprivacy.model import Answer, Channel, about, as_channel, mixture, space_for
from dprivacy.numbers import as_eps
from dprivacy.typing import ChannelLike, LevelLike, SpaceLike
from dprivacy.verify.metric.d_privacy import privacy
from dprivacy.verify.metric.privacy_verdict import PrivacyVerdict

_STEPS = 1000  # shares are multiples of a thousandth, so that the matrix stays readable


@dataclass(frozen=True)
class Mending(Answer):
    """A channel that keeps a promise which another broke.

    `channel` answers as before with probability 1 − `share`, and otherwise draws from the average
    answer, whatever the truth is. `verdict` proves that it keeps the level.

    Examples
    --------
    >>> from dprivacy.spaces import discrete
    >>> print(mended([["9/10", "1/10"], ["1/10", "9/10"]], discrete([0, 1]), eps="ln 3"))
    Let 3/8 of the answers be drawn from the average answer, whatever the truth is; then the \
channel is ε·d-private at ε = ln(3) ≈ 1.099 (proved).
    """

    channel: Channel
    share: Fraction
    verdict: PrivacyVerdict
    exact: ClassVar = True  # mending is always exact

    def explain(self) -> str:
        """The change in words."""
        if not self.share:
            return f"Nothing needs to change: {self.verdict.claim}."
        return (
            f"Let {about(self.share)} of the answers be drawn from the average answer, whatever the "
            f"truth is; then {self.verdict.claim} (proved)."
        )


def mended(C: ChannelLike, space: SpaceLike | None = None, *, eps: LevelLike) -> Mending:
    """An ε·d-private channel made of C and blind answers: (1 − s)·C + s·(average row of C).

    Parameters
    ----------
    C, space
        As in `privacy`; the channel should be exact.
    eps
        The level it should have.

    Returns
    -------
    Mending
        With the smallest share s that is a multiple of 1/1000. At s = 1 nothing is said of the truth,
        so there always is one.

    Notes
    -----
    Every ratio ((1 − s)·a + s·q)/((1 − s)·b + s·q) moves towards 1 as s grows, so that the shares which
    suffice are all those above one: it is found by halving, and each step is decided exactly.

    Examples
    --------
    >>> from dprivacy.spaces import discrete
    >>> coin = [["9/10", "1/10"], ["1/10", "9/10"]]
    >>> print(mended(coin, discrete([0, 1]), eps="ln 3").share)
    3/8
    """
    channel, metric = as_channel(C), space_for(C, space)
    if not channel.exact:
        raise MixedArithmetic(
            f"mending needs exact entries, and {channel.rows[0]!r} has {channel.matrix[0, 0]!r}, a "
            "float; give fractions or strings such as '1/3'"
        )
    level = as_eps(eps)
    rows = channel.matrix.rows()
    average = [
        sum(map(Fraction, column), Fraction(0)) / len(rows) for column in zip(*rows, strict=True)
    ]
    blind = Channel(channel.rows, channel.columns, [average] * len(rows))

    def mixed(step: int) -> Channel:
        share = Fraction(step, _STEPS)
        return mixture([1 - share, share], [channel, blind])

    low, high = 0, _STEPS
    while low < high:
        middle = (low + high) // 2
        if privacy(mixed(middle), metric, eps=level):
            high = middle
        else:
            low = middle + 1
    found = mixed(high)
    return Mending(found, Fraction(high, _STEPS), privacy(found, metric, eps=level))
