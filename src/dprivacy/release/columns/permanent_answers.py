"""Permanent answers: the same person's same value gets the same noisy answer, every time."""

import hashlib
import hmac
import json
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, WrongKind, WrongShape
from dprivacy.mechanisms import ChannelMechanism, Coder, LocalMechanism, local_body
from dprivacy.model import Channel, Guarantee, channel_body, counted
from dprivacy.numbers import Frozen
from dprivacy.release.columns.person_identifiers import person_name
from dprivacy.sampling import CategoricalSampler, KeyedSource
from dprivacy.typing import Label

_SHORTEST_KEY = 16


class PermanentAnswers(Frozen):
    """A mechanism whose noise is a function of a secret key, the person and the value.

    Asked again, it repeats itself, so that averaging many answers gains nothing: all of them together
    say what the first one said, and spend its ε once. The key stays with the curator; anyone who has
    it can undo the noise.

    Parameters
    ----------
    mechanism
        A finite mechanism.
    key
        At least 16 secret bytes, for instance ``secrets.token_bytes(32)``.
    context
        What is answered, such as the column's name. Another column, another list of answers (or the
        same in another order) and another mechanism have independent noise: of two questions that
        shared it, the true answer to one could give away the other.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> answers = PermanentAnswers(randomised_response(["yes", "no"], eps="ln 3"), b"k" * 32, "smokes")
    >>> once = answers.randomise(["yes", "no"], people=["ann", "bob"])
    >>> once == answers.randomise(["yes", "no"], people=["ann", "bob"])
    True
    """

    def __init__(self, mechanism: ChannelMechanism, key: bytes, context: str) -> None:
        require_key(key, context)
        _require_finite(mechanism)
        channel = mechanism.channel
        self._set(
            mechanism=mechanism,
            guarantee=mechanism.guarantee,
            _key=question_key(key, "answers", channel, context),
            _inputs=Coder(channel.rows),
            _outputs=Coder(channel.columns),
            _sampler=CategoricalSampler(channel.matrix.entries.tolist()),
        )

    mechanism: ChannelMechanism
    guarantee: Guarantee
    _key: bytes
    _inputs: Coder
    _outputs: Coder
    _sampler: CategoricalSampler

    def randomise(
        self,
        values: Any,  # labels in any kind of sequence, which is the kind that comes back
        *,
        people: Sequence[Label],
    ) -> Any:
        """The permanent noisy answer of every person.

        Parameters
        ----------
        values
            Labels of the mechanism's inputs.
        people
            Who each value belongs to: one identifier a value.
        """
        return self._outputs.decode(self.draw(self._inputs.encode(values), people), values)

    def draw(self, codes: NDArray[np.intp], people: Sequence[Any]) -> NDArray[np.int64]:
        """The same for positions of inputs, giving positions of outputs."""
        owners = read_people(people, len(codes), "value")
        tags = [
            tag_of(self._key, who, int(code), row)
            for row, (who, code) in enumerate(zip(owners, codes, strict=True))
        ]
        words = np.frombuffer(b"".join(tag[:8] for tag in tags), dtype="<u8")
        drawn = self._sampler.from_words(codes, words.astype(np.uint64))
        for i in np.flatnonzero(drawn < 0):
            drawn[i] = self._sampler.resolve(int(codes[i]), KeyedSource(tags[i], "residual"))
        return drawn

    def __repr__(self) -> str:
        return f"PermanentAnswers({self.mechanism!r})"


def tag_of(key: bytes, person: Any, code: int, row: int = 0) -> bytes:
    """What all noise of a person with a value is derived from, under a question's key."""
    return hmac.digest(key, code.to_bytes(8, "big") + person_name(person, row), "sha256")


def question_key(key: bytes, purpose: str, asked: Channel | LocalMechanism, context: str) -> bytes:
    """A key for one question and one purpose, derived from the curator's.

    The question is what is asked (`context`), the possible answers, true and noisy, in their order, and
    the probabilities; for reports the whole mechanism. Questions that differ in any of it have keys
    that are independent of each other.
    """
    body = local_body(asked) if isinstance(asked, LocalMechanism) else channel_body(asked)
    question = json.dumps([context, body], sort_keys=True).encode()
    told = f"dprivacy permanent {purpose} 2\0".encode() + hashlib.sha256(question).digest()
    return hmac.digest(key, told, "sha256")


def read_people(people: Iterable[Any], count: int, of: str) -> list[Any]:
    """Whose each of some values, places or sets is."""
    if isinstance(people, str | bytes) or not isinstance(people, Iterable):
        raise WrongKind(
            f"people should be a list with the person of each {of}, not one value of type "
            f"{type(people).__name__}"
        )
    owners = list(people)
    if len(owners) != count:
        raise WrongShape(f"people should name one person for each {of}: {count}, not {len(owners)}")
    return owners


def require_key(key: Any, context: Any) -> None:
    """Refuse a key that is too short, and a context that is not a text."""
    if not isinstance(key, bytes) or len(key) < _SHORTEST_KEY:
        told = counted(len(key), "byte") if isinstance(key, bytes) else f"a {type(key).__name__}"
        raise WrongKind(f"the key must be at least {_SHORTEST_KEY} secret bytes, not {told}")
    if not isinstance(context, str):
        raise WrongKind(f"the context is a text, such as the column's name, not {context!r}")


def _require_finite(mechanism: Any) -> None:
    if not isinstance(getattr(mechanism, "channel", None), Channel):
        raise NotApplicable(
            "permanent answers need a finite mechanism, one with a channel, which "
            f"{getattr(mechanism, 'family', mechanism)} is not"
        )
