"""Inference: what a channel on one value betrays of another that is correlated with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber, NotApplicable, SpaceMismatch, WrongShape
from dprivacy.flow.gains.gain_algebra import restrict
from dprivacy.flow.measures.best_actions import Strategy, strategy
from dprivacy.model import Answer, Channel, Dist, Gain, Pictured, about, as_channel, as_prior, plain
from dprivacy.numbers import Mat
from dprivacy.sources import result
from dprivacy.spaces import positions
from dprivacy.typing import ChannelLike, GainLike, Label, NumberLike


@dataclass(frozen=True)
class Inference(Pictured, Answer):
    """What is learned of a value through a channel on another one.

    Attributes
    ----------
    strategy
        What the adversary guesses, without the output and on each output.

    Examples
    --------
    >>> from dprivacy.model import joint
    >>> smokes = joint(["smokes", "does not"], ["ill", "well"], [[2, 1], [1, 6]])
    >>> told = {"smokes": {"yes": 1}, "does not": {"no": 1}}
    >>> found = inference(told, smokes)
    >>> print(found.explain().splitlines()[0])
    The output raises the adversary's expected gain from 7/10 to 4/5, a factor of 8/7 ≈ 1.143.
    >>> print(found.before, found.after, found.multiplicative, found.additive, found.leaks)
    7/10 4/5 8/7 1/10 True
    """

    strategy: Strategy

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact."""
        return self.strategy.exact

    @property
    def before(self) -> Any:
        """V_g of the secret without the output: with the identity gain, the chance of guessing it."""
        return self.strategy.before

    @property
    def after(self) -> Any:
        """The Dalenius vulnerability V^D: the same with the output."""
        return self.strategy.after

    @property
    def multiplicative(self) -> Any:
        """The privacy loss: after over before. 1 when nothing is betrayed."""
        return self.strategy.multiplicative

    @property
    def additive(self) -> Any:
        """After minus before."""
        return self.strategy.additive

    @property
    def leaks(self) -> bool:
        """Whether anything is betrayed (for the gain asked about)."""
        return bool(self.after != self.before)

    def __float__(self) -> float:
        return float(self.after)

    def explain(self) -> str:
        """The inference in words."""
        lead = (
            f"The output raises the adversary's expected gain from {about(self.before)} to "
            f"{about(self.after)}, a factor of {about(self.multiplicative)}."
            if self.leaks
            else "The output reveals nothing: with or without it, the adversary's expected gain is "
            f"{about(self.before)}."
        )
        return f"{lead}\n{self.strategy.explain()}"

    def to_dict(self) -> dict[str, Any]:
        """The inference as plain data."""
        return {
            **self._told("before", "after"),
            "privacy_loss": plain(self.multiplicative),
            **self._told("strategy", "exact"),
        }


@result("T", "Def 5.3.1", "Def 5.4.1")
def inference(
    C: ChannelLike,
    correlation: Dist | Mapping[tuple[Label, Label], NumberLike],
    *,
    gain: GainLike = "bayes",
    sees: int | None = None,
    about: int | None = None,
) -> Inference:
    """V^D_g(Π, C) = V_g[ρ ▷ B·C]: what a channel betrays of a value that is correlated with its input.

    Parameters
    ----------
    C
        A channel on one coordinate of the pairs, or on the pairs themselves.
    correlation
        A joint distribution on pairs, such as `joint` makes from a table of counts, or the mapping
        ``{(first, second): probability}``.
    gain
        What is to be guessed of it; its exact value by default.
    sees
        The coordinate that the channel sees, 0 or 1. By default the one whose values are its inputs;
        when both are, the first.
    about
        The coordinate to infer. By default the one that the channel does not see.

    Notes
    -----
    1. ρ is the distribution of the inferred value z, and B the channel from it to what C sees.
    2. Then the question is that of the channel B·C with prior ρ.

    Examples
    --------
    >>> from dprivacy.model import joint
    >>> smokes = joint(["smokes", "does not"], ["ill", "well"], [[2, 1], [1, 6]])
    >>> coin = {"smokes": {0: "3/4", 1: "1/4"}, "does not": {0: "1/4", 1: "3/4"}}
    >>> print(inference(coin, smokes).after)
    7/10
    """
    channel, pairs = as_channel(C), as_prior(correlation)
    side, inferred = _sides(pairs, channel, sees, about)
    prior, through = _seen_through(pairs, channel, side, inferred)
    # What is impossible earns nothing.
    if isinstance(gain, Gain) and set(prior.labels) < set(gain.secrets):
        gain = restrict(gain, prior.labels)
    return Inference(strategy(through, prior=prior, gain=gain))


def coordinates_seen(correlation: Dist, channel: Channel) -> tuple[bool, bool, bool]:
    """Whether the channel's inputs hold the first values, the second values, or the pairs."""
    if not all(isinstance(pair, tuple) and len(pair) == 2 for pair in correlation.labels):
        raise WrongShape(
            f"a correlation should be a distribution on pairs, not on {correlation.labels[0]!r}, …; "
            "make one with joint(...)"
        )
    inputs = positions(channel.rows)
    support = correlation.support
    first, second = (all(pair[k] in inputs for pair in support) for k in (0, 1))
    return first, second, all(pair in inputs for pair in support)


def _sides(
    correlation: Dist, channel: Channel, sees: int | None, about: int | None
) -> tuple[int | None, int]:
    """Which coordinate the channel sees (None for the whole pair), and which is inferred."""
    for name, value in (("sees", sees), ("about", about)):
        if value not in (None, 0, 1):
            raise BadNumber(f"{name} should be a coordinate of the pairs, 0 or 1, not {value!r}")
    first, second, both = coordinates_seen(correlation, channel)
    if both and sees is None:
        if about is None:
            raise NotApplicable(
                f"the channel sees both values of a pair such as {channel.rows[0]!r}; say which to "
                "infer with about=0 or about=1"
            )
        return None, about
    fits = (first, second)
    if sees is None:
        # With a choice, the channel sees what is not asked about; without a question, the first.
        wanted = 0 if about is None else 1 - about
        sees = wanted if fits[wanted] else 1 - wanted
    if not fits[sees]:
        raise SpaceMismatch(
            f"the channel's inputs ({channel.rows[0]!r}, …) should be the first values of the pairs, "
            f"the second or the pairs themselves ({correlation.labels[0]!r}, …); name them with "
            "as_channel(..., rows=...)"
        )
    return sees, (1 - sees if about is None else about)


def _seen_through(
    correlation: Dist, channel: Channel, side: int | None, inferred: int
) -> tuple[Dist, Channel]:
    """The prior ρ on the inferred value, and the channel from it to the outputs."""
    prior = correlation.marginal(inferred)
    kept = prior.support
    at = positions(kept)
    correlation.matrix._require_same(channel.matrix)
    weights = np.zeros((len(kept), len(channel.rows)), dtype=channel.matrix.entries.dtype)
    for pair, p in zip(correlation.labels, correlation.matrix.entries[0].tolist(), strict=True):
        if p:
            seen = channel.row_position(pair if side is None else pair[side])
            weights[at[pair[inferred]], seen] += p
    joint = Mat(weights, correlation.matrix.den) @ channel.matrix
    sums = joint.entries.sum(axis=1)
    if joint.exact:
        pairs = zip(joint.entries.tolist(), sums.tolist(), strict=True)
        rows: Any = Mat.of([[Fraction(v, total) for v in row] for row, total in pairs])
        marginal = Dist(kept, Mat.over(joint.den, [sums.tolist()]))
    else:
        rows = joint.entries / sums[:, None]
        marginal = Dist(kept, Mat((sums / sums.sum())[None, :]))
    return marginal, Channel(kept, channel.columns, rows)
