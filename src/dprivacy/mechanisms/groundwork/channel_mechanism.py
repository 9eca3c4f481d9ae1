"""Mechanisms with finitely many inputs and outputs: a channel, its guarantee and its sampler."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotPrivate
from dprivacy.mechanisms.containers.python_values import Held
from dprivacy.mechanisms.groundwork.label_codes import Coder
from dprivacy.model import Channel, Guarantee, Pictured, Sourced, about, plain
from dprivacy.numbers import Level
from dprivacy.sampling import CategoricalSampler, Source
from dprivacy.spaces import FiniteSpace
from dprivacy.verify import PrivacyVerdict, enclosure, privacy, smallest_eps, weights_hash


@dataclass(frozen=True)
class ChannelMechanism(Sourced, Pictured):
    """A finite mechanism. What is proved of `channel` is what `randomise` draws: the same integers.

    Parameters
    ----------
    family
        The function that made it, such as "randomised_response".
    channel
        Exact probabilities.
    guarantee
        What it promises.
    tight
        Whether no smaller ε is enough.
    parameters
        What it was made with, for the record.
    source
        The random source to draw from; the system's when omitted.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> coin
    randomised_response(2→2, ε = ln(3) ≈ 1.099)
    >>> coin.tight, len(coin.randomise(["yes", "no", "yes"]))
    (True, 3)
    >>> low, high = coin.achieved()
    >>> low <= 1.0986122886681098 <= high, coin.space.labels, coin.verify().status
    (True, ('yes', 'no'), 'proved')
    """

    family: str
    channel: Channel
    guarantee: Guarantee
    tight: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict, compare=False)
    source: Source | None = None

    @property
    def space(self) -> FiniteSpace:
        """The metric on the inputs that the guarantee speaks of."""
        assert isinstance(self.guarantee.space, FiniteSpace)
        return self.guarantee.space

    @cached_property
    def _sampler(self) -> CategoricalSampler:
        return CategoricalSampler(self.channel.matrix.entries.tolist())

    @cached_property
    def _coders(self) -> tuple[Coder, Coder]:
        return Coder(self.channel.rows), Coder(self.channel.columns)

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> Any:
        """A noisy value for every true one, drawn with exactly the channel's probabilities.

        Parameters
        ----------
        values
            Labels of the channel's inputs: one label, a list or a tuple, an array of NumPy (numbers,
            text or objects), pandas (a Series or an Index of any type, categories too), Polars or
            pyarrow.
        insecure_seed
            For tests only: a seed that makes the noise repeatable, and so guessable. It warns.

        Returns
        -------
        the same kind of container
            Labels of the channel's outputs in the same order, shape and type, with the same index and
            name. Categories are all outputs in their order, whatever occurs; a type of whole numbers
            that is too small for the outputs becomes int64.

        Raises
        ------
        UnknownCategory
            A value outside the inputs, or a missing one unless None is an input; the message has its
            row number, never the value.

        Notes
        -----
        Numbers are equal across their types: 1, 1.0 and numpy.int8(1) are the same label. A boolean
        equals booleans alone: True is refused where the labels are 0 and 1.

        Examples
        --------
        >>> from dprivacy.mechanisms import randomised_response
        >>> coin = randomised_response(["yes", "no"], eps="ln 3")
        >>> coin.randomise("yes") in {"yes", "no"}, type(coin.randomise(("yes", "no"))).__name__
        (True, 'tuple')
        """
        inputs = self._coders[0]
        held = inputs.open(values)
        return self._drawn(inputs.codes(held), held, insecure_seed)

    def _drawn(self, codes: NDArray[np.integer], held: Held, insecure_seed: int | None) -> Any:
        """Outputs for inputs that are given by position, in the container that they came in."""
        drawn = self._sampler.draw(codes, self._source(insecure_seed))
        return self._coders[1].back(drawn, held)

    def achieved(self) -> tuple[float, float]:
        """An enclosure of the channel's own smallest ε (for δ = 0)."""
        return enclosure(smallest_eps(self.channel, self.space))

    def verify(self) -> PrivacyVerdict:
        """Check the guarantee again, from the integers alone."""
        return privacy(
            self.channel,
            self.space,
            eps=self.guarantee.eps,
            delta=self.guarantee.delta,
        )

    def to_dict(self) -> dict[str, Any]:
        """The mechanism as plain data, without its matrix."""
        return {
            **super().to_dict(),
            "parameters": plain(self.parameters),
            "weights_hash": weights_hash(self.channel),
        }

    def _repr_html_(self) -> str:
        return super()._repr_html_() + self.channel._repr_html_()

    def __repr__(self) -> str:
        eps = about(self.guarantee.eps)
        slack = f", δ = {about(self.guarantee.delta)}" if self.guarantee.delta else ""
        size = f"{len(self.channel.rows)}→{len(self.channel.columns)}"
        taint = "" if self.secure else ", INSECURE source"
        return f"{self.family}({size}, ε = {eps}{slack}{taint})"


def promised(
    family: str,
    channel: Channel,
    guarantee: Guarantee,
    **parameters: Any,
) -> ChannelMechanism:
    """A mechanism whose guarantee is checked now; `tight` is what the check found."""
    mechanism = ChannelMechanism(family, channel, guarantee, False, parameters)
    verdict = mechanism.verify()
    if not verdict:
        raise NotPrivate(f"{family} does not keep its guarantee: {verdict.explain()}")
    return ChannelMechanism(family, channel, guarantee, is_tight(verdict, guarantee), parameters)


def is_tight(verdict: PrivacyVerdict, guarantee: Guarantee) -> bool:
    """Whether the bound is met with equality: an exact one, not one that was rounded to it."""
    if guarantee.delta:
        needed = verdict.delta_needed
        return isinstance(needed, Fraction) and needed == guarantee.delta
    return isinstance(verdict.smallest, Level) and verdict.smallest == guarantee.eps
