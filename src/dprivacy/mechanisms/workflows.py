"""Workflows: a query and then noise, several mechanisms on one secret, one mechanism on many rows."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, reduce
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable, WrongShape
from dprivacy.mechanisms.groundwork.channel_mechanism import ChannelMechanism, promised
from dprivacy.mechanisms.groundwork.label_codes import Coder, Codes, whole
from dprivacy.model import Channel, Guarantee, Pictured, Sourced, as_space
from dprivacy.numbers import Level, as_level
from dprivacy.sampling import Source
from dprivacy.sources import result
from dprivacy.spaces import product, sensitivity
from dprivacy.typing import Label, SpaceLike


@dataclass(frozen=True)
class ObliviousMechanism(Sourced, Pictured):
    """A query, then noise on its answer. Privacy is that of the whole, utility that of the noise.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> parity = oblivious(geometric(2, eps="ln 3"), lambda x: x % 2, "discrete:4")
    >>> parity.randomise([3])[0] in {0, 1}, str(parity.channel[3, 1])
    (True, '3/4')
    """

    query: Callable[[Label], Label]
    noise: ChannelMechanism
    guarantee: Guarantee
    channel: Channel
    family: str = "oblivious"

    @property
    def secure(self) -> bool:
        """Whether its noise comes from a source that nobody can guess."""
        return self.noise.secure

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> Any:
        """A noisy answer for every secret.

        The query is never asked about a value that is not a secret of the space: what it might say of
        one is not covered by the guarantee.
        """
        held = self._coder.open(values)
        codes = self._answers[self._coder.codes(held)]
        return self.noise._drawn(codes, held, insecure_seed)

    @cached_property
    def _coder(self) -> Coder:
        return Coder(self.channel.rows)

    @cached_property
    def _answers(self) -> Codes:
        """For every secret the position of its answer among the noise's inputs."""
        position = self.noise.channel.row_position
        return np.array([position(self.query(x)) for x in self.channel.rows], dtype=np.intp)

    def using(self, source: Source) -> "ObliviousMechanism":
        """The same mechanism drawing from a given random source."""
        return replace(self, noise=self.noise.using(source))


@result("T", "Def 3.3.1", "Lem 3.6")
def oblivious(
    mechanism: ChannelMechanism, query: Callable[[Label], Label], space: SpaceLike
) -> ObliviousMechanism:
    """A query followed by a mechanism on its answers.

    Parameters
    ----------
    mechanism
        The noise, private on the space of answers.
    query
        A function from the secrets to the mechanism's inputs.
    space
        The secrets and their metric.

    Returns
    -------
    ObliviousMechanism
        (ε·Δ)·d-private, with Δ the sensitivity of the query between the two spaces. For the metric
        that the query induces (`induced_space`) Δ = 1, and nothing is lost.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> count = oblivious(geometric(range(4), eps="ln 2"), sum, "cube:3")
    >>> print(count.guarantee.eps, count.channel[(1, 0, 1), 2])
    ln(2) 1/3
    """
    space = as_space(space)
    stretch = sensitivity(query, space, mechanism.space)
    if stretch == math.inf:
        raise NotApplicable(
            f"two secrets at distance 0 in {space!r} have different answers, and no noise protects "
            "them; use the metric that the query induces (induced_space)"
        )
    if isinstance(stretch, float):
        raise NotApplicable(
            f"the sensitivity of the query, about {stretch:.6g}, has no exact form; use spaces with "
            "exact distances"
        )
    rows = [mechanism.channel.row_position(query(x)) for x in space.labels]
    channel = Channel(
        space.labels, mechanism.channel.columns, mechanism.channel.matrix.take(rows=rows)
    )
    if stretch == 0:
        raise NotApplicable(
            f"the query gives all {len(space)} secrets the same answer; there is nothing to protect"
        )
    level = as_level(mechanism.guarantee.eps * stretch)
    guarantee = Guarantee(level, space, mechanism.guarantee.delta, "T Lem 3.6")
    return ObliviousMechanism(query, mechanism, guarantee, channel)


@dataclass(frozen=True)
class SequentialMechanism(Sourced, Pictured):
    """Several mechanisms on the same secret, all observed.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric, randomised_response
    >>> both = sequential(geometric(2, eps="ln 2"), randomised_response([0, 1], eps="ln 3"))
    >>> len(both.randomise([1])[0]), str(both.guarantee.eps)
    (2, 'ln(6)')
    """

    parts: tuple[ChannelMechanism, ...]
    guarantee: Guarantee
    family: str = "sequential"

    @property
    def secure(self) -> bool:
        """Whether every part's noise comes from a source that nobody can guess."""
        return all(part.secure for part in self.parts)

    @cached_property
    def channel(self) -> Channel:
        """The channel to tuples of outputs."""
        first = self.parts[0].channel
        flat = Channel(first.rows, [(y,) for y in first.columns], first.matrix)
        return reduce(_extended, (part.channel for part in self.parts[1:]), flat)

    def using(self, source: Source) -> "SequentialMechanism":
        """The same mechanisms, all drawing from a given random source, one after the other."""
        return replace(self, parts=tuple(part.using(source) for part in self.parts))

    def randomise(self, values: Any, *, insecure_seed: int | None = None) -> Any:
        """A tuple of noisy values, one a mechanism, for every true value, in the same container."""
        first = self.parts[0]._coders[0]
        held = first.open(values)
        drawn = []
        for k, part in enumerate(self.parts):
            seed = None if insecure_seed is None else insecure_seed * 1009 + k
            inputs, outputs = part._coders
            noisy = part._sampler.draw(inputs.codes(held), part._source(seed))
            drawn.append([outputs.labels[code] for code in noisy.tolist()])
        return held.of_cells(list(zip(*drawn, strict=True)))


def _extended(left: Channel, right: Channel) -> Channel:
    both = left & right
    return Channel(both.rows, [(*y, z) for y, z in both.columns], both.matrix)


@result("T", "Lem 3.1", "Lem 3.2")
def sequential(*mechanisms: ChannelMechanism) -> SequentialMechanism:
    """Several mechanisms on the same secret; what they protect adds up, metric by metric.

    On one space the levels add: (ε₁ + ε₂)·d. On different metrics the guarantee is 1·(ε₁·d₁ + ε₂·d₂).
    The slacks δ add too (for one space; with different metrics δ is not supported).

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> twice = sequential(coin, coin)
    >>> print(twice.guarantee.eps, twice.channel["yes", ("yes", "no")])
    ln(9) 3/16
    """
    if not mechanisms:
        raise WrongShape("sequential needs at least one mechanism, and none was given")
    promises = [mechanism.guarantee for mechanism in mechanisms]
    spaces = [mechanism.space for mechanism in mechanisms]
    slack = min(sum((Fraction(promise.delta) for promise in promises), Fraction(0)), Fraction(1))
    if all(space == spaces[0] for space in spaces):
        level = sum((promise.eps for promise in promises), Level(0))
        guarantee = Guarantee(level, spaces[0], slack, "T Lem 3.1")
    else:
        if slack:
            raise NotApplicable(
                f"mechanisms on different metrics compose for δ = 0 only, and these have δ = {slack}"
            )
        scaled = [
            space.scaled(promise.eps) for space, promise in zip(spaces, promises, strict=True)
        ]
        guarantee = Guarantee(Level(1), reduce(lambda a, b: a + b, scaled), slack, "T Lem 3.2")
    return SequentialMechanism(tuple(mechanisms), guarantee)


@result("C", "Def 5", "Thm 6")
def over_rows(mechanism: ChannelMechanism, n: int) -> ChannelMechanism:
    """Product sanitisation: a database of n rows, each randomised independently.

    Its guarantee is on tuples, with distances added row by row: changing one row moves a database by
    the distance that this row moved.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> table = over_rows(randomised_response(["yes", "no"], eps="ln 3"), 2)
    >>> print(table.channel[("yes", "yes"), ("yes", "no")], table.guarantee.eps)
    3/16 ln(3)
    """
    n = whole(n, "rows")
    single = mechanism.guarantee
    if single.delta:
        raise NotApplicable(
            f"over_rows takes mechanisms with δ = 0, and this one has δ = {single.delta}; compare "
            "neighbouring databases with delta_at instead"
        )
    guarantee = Guarantee(single.eps, product(*[mechanism.space] * n), single.delta, "C Thm 6")
    return promised(
        "over_rows", mechanism.channel.over_rows(n), guarantee, of=mechanism.family, n=n
    )
