"""Permanent reports: the same person's same value sends the same report, every time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.mechanisms import LocalMechanism
from dprivacy.numbers import Frozen
from dprivacy.release.columns.permanent_answers import question_key
from dprivacy.release.columns.tagged_people import TaggedPeople, require_key, tagged
from dprivacy.sampling import lanes_of


class PermanentReports(Frozen):
    """A local mechanism whose reports are a function of a secret key, the person and the value.

    Every random word of a report comes from the lane of that person and that value (`lanes_of`), so
    that reports have the mechanism's law as long as nobody can tell the lanes from random words.

    Parameters
    ----------
    mechanism, key, context
        As for `PermanentAnswers`.

    Examples
    --------
    >>> from dprivacy.mechanisms import projective_response
    >>> reports = PermanentReports(projective_response(range(9), eps=1), b"k" * 32, "drink")
    >>> once = reports.draw(np.array([3, 3]), ["ann", "bob"])
    >>> (once == reports.draw(np.array([3, 3]), ["ann", "bob"])).all()
    np.True_
    """

    mechanism: LocalMechanism
    _curator: bytes
    _key: bytes

    def __init__(self, mechanism: LocalMechanism, key: bytes, context: str) -> None:
        require_key(key)
        question = question_key(key, "answers", mechanism, context)
        self._set(mechanism=mechanism, _curator=key, _key=question)

    def draw(
        self, codes: NDArray[np.integer], people: Sequence[Any] | TaggedPeople
    ) -> NDArray[Any]:
        """The permanent report of every person about a value, by its position."""
        tags = tagged(people, self._curator, len(codes), "value").tags
        lanes, draw = lanes_of(self._key, tags, codes), self.mechanism.reports.draw
        drawn = [draw(codes[row : row + 1], lanes.lane(row)) for row in range(len(codes))]
        return np.concatenate([draw(codes[:0], lanes.only(np.array([], dtype=np.intp))), *drawn])

    def __repr__(self) -> str:
        return f"PermanentReports({self.mechanism!r})"
