"""Permanent answers: the same person's same value gets the same noisy answer, every time."""

import hashlib
import hmac
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, WrongKind
from dprivacy.mechanisms import ChannelMechanism, Coder, LocalMechanism, local_body
from dprivacy.model import Channel, Guarantee, channel_body
from dprivacy.numbers import Frozen
from dprivacy.release.columns.tagged_people import TaggedPeople, require_key, tagged
from dprivacy.sampling import CONSTRUCTION, CategoricalSampler, FirstWords
from dprivacy.typing import Label


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

    Notes
    -----
    1. A person becomes a tag of 128 bits, the same for every question under the key (`PersonTags`).
    2. The question has a key of its own. Under it the tag and the position of the value give a lane of
       random words (`lanes_of`), from which the answer is drawn with exactly the channel's law.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> answers = PermanentAnswers(randomised_response(["yes", "no"], eps="ln 3"), b"k" * 32, "smokes")
    >>> once = answers.randomise(["yes", "no"], people=["ann", "bob"])
    >>> once == answers.randomise(["yes", "no"], people=["ann", "bob"])
    True
    >>> drawn = answers.draw(np.array([0, 1]), ["ann", "bob"])  # positions of answers
    >>> [["yes", "no"][k] for k in drawn] == once
    True
    """

    def __init__(self, mechanism: ChannelMechanism, key: bytes, context: str) -> None:
        require_key(key)
        _require_finite(mechanism)
        channel = mechanism.channel
        self._set(
            mechanism=mechanism,
            guarantee=mechanism.guarantee,
            _curator=key,
            _key=question_key(key, "answers", channel, context),
            _inputs=Coder(channel.rows),
            _outputs=Coder(channel.columns),
            _sampler=CategoricalSampler(channel.matrix.entries.tolist()),
        )

    mechanism: ChannelMechanism
    guarantee: Guarantee
    _curator: bytes
    _key: bytes
    _inputs: Coder
    _outputs: Coder
    _sampler: CategoricalSampler

    def randomise(
        self,
        values: Any,  # labels in any kind of sequence, which is the kind that comes back
        *,
        people: Sequence[Label] | TaggedPeople,
    ) -> Any:
        """The permanent noisy answer of every person.

        Parameters
        ----------
        values
            Labels of the mechanism's inputs.
        people
            Who each value belongs to: one identifier a value, or `TaggedPeople`, which saves reading
            them again for another question.
        """
        held = self._inputs.open(values)
        codes = self._inputs.codes(held).astype(np.intp)
        return self._outputs.back(self.draw(codes, people), held)

    def draw(
        self, codes: NDArray[np.integer], people: Sequence[Any] | TaggedPeople
    ) -> NDArray[np.unsignedinteger]:
        """The same for positions of inputs, giving positions of outputs."""
        tags = tagged(people, self._curator, len(codes), "value").tags
        return self._sampler.draw(codes, FirstWords(self._key, tags, codes))

    def __repr__(self) -> str:
        return f"PermanentAnswers({self.mechanism!r})"


def question_key(key: bytes, purpose: str, asked: Channel | LocalMechanism, context: str) -> bytes:
    """A key for one question and one purpose, derived from the curator's.

    The question is what is asked (`context`), the possible answers, true and noisy, in their order, and
    the probabilities; for reports the whole mechanism. Questions that differ in any of it have keys
    that are independent of each other.
    """
    body = local_body(asked) if isinstance(asked, LocalMechanism) else channel_body(asked)
    if not isinstance(context, str):
        raise WrongKind(f"the context is a text, such as the column's name, not {context!r}")
    question = json.dumps([context, body], sort_keys=True).encode()
    told = f"dprivacy {CONSTRUCTION} {purpose}\0".encode() + hashlib.sha256(question).digest()
    return hmac.digest(key, told, "sha256")


def _require_finite(mechanism: Any) -> None:
    if not isinstance(getattr(mechanism, "channel", None), Channel):
        raise NotApplicable(
            "permanent answers need a finite mechanism, one with a channel, which "
            f"{getattr(mechanism, 'family', mechanism)} is not"
        )
