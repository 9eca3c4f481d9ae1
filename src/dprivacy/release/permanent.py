"""Permanent answers: the same person's same value gets the same noisy answer, every time."""

import hmac
from collections.abc import Sequence
from typing import Any

import numpy as np

from dprivacy.errors import Malformed
from dprivacy.mechanisms.coding import Coder
from dprivacy.mechanisms.finite import ChannelMechanism
from dprivacy.sampling import CategoricalSampler, KeyedSource

_SHORTEST_KEY = 16


class PermanentAnswers:
    """A mechanism whose noise is a function of a secret key, the person and the value.

    Asked again, it repeats itself, so that averaging many answers gains nothing: all of them together
    say what the first one said, and spend its ε once. The key stays with the curator; whoever has it
    can undo the noise.

    Parameters
    ----------
    mechanism
        A finite mechanism.
    key
        At least 16 secret bytes, for instance ``secrets.token_bytes(32)``.
    context
        What is answered, such as the column's name: other columns get other noise.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> answers = PermanentAnswers(randomised_response(["yes", "no"], eps="ln 3"), b"k" * 32, "smokes")
    >>> once = answers.randomise(["yes", "no"], people=["ann", "bob"])
    >>> once == answers.randomise(["yes", "no"], people=["ann", "bob"])
    True
    """

    def __init__(self, mechanism: ChannelMechanism, key: bytes, context: str) -> None:
        if len(key) < _SHORTEST_KEY:
            raise Malformed(f"the key must be at least {_SHORTEST_KEY} secret bytes")
        self.mechanism = mechanism
        self.guarantee = mechanism.guarantee
        self._key = hmac.digest(key, b"dprivacy permanent answers\0" + context.encode(), "sha256")
        self._inputs, self._outputs = (
            Coder(mechanism.channel.rows),
            Coder(mechanism.channel.columns),
        )
        self._sampler = CategoricalSampler(mechanism.channel.matrix.entries.tolist())

    def randomise(self, values: Any, *, people: Sequence[Any]) -> Any:
        """The permanent noisy answer of every person.

        Parameters
        ----------
        values
            Labels of the mechanism's inputs.
        people
            Who each value belongs to: one identifier a value.
        """
        codes = self._inputs.encode(values)
        if len(people) != len(codes):
            raise Malformed(f"{len(codes)} values for {len(people)} people")
        tags = [self._tag(person, int(code)) for person, code in zip(people, codes, strict=True)]
        words = np.frombuffer(b"".join(tag[:8] for tag in tags), dtype="<u8")
        drawn = self._sampler.from_words(codes, words.astype(np.uint64))
        for i in np.flatnonzero(drawn < 0):
            drawn[i] = self._sampler.resolve(int(codes[i]), KeyedSource(tags[i], "residual"))
        return self._outputs.decode(drawn, values)

    def _tag(self, person: Any, code: int) -> bytes:
        name = f"{type(person).__name__}:{person}".encode()
        return hmac.digest(self._key, code.to_bytes(8, "big") + name, "sha256")

    def __repr__(self) -> str:
        return f"PermanentAnswers({self.mechanism!r})"
