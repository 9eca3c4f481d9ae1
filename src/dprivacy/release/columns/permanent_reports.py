"""Permanent reports: the same person's same value sends the same report, every time."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.mechanisms import LocalMechanism
from dprivacy.numbers import Frozen
from dprivacy.release.columns.permanent_answers import (
    question_key,
    read_people,
    require_key,
    tag_of,
)
from dprivacy.sampling import KeyedSource


class PermanentReports(Frozen):
    """A local mechanism whose reports are a function of a secret key, the person and the value.

    Every random word of a report comes from a stream of its own, for that person and that value, so
    that reports have the mechanism's law as long as nobody can tell the streams from random ones.

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
    _key: bytes

    def __init__(self, mechanism: LocalMechanism, key: bytes, context: str) -> None:
        require_key(key, context)
        self._set(mechanism=mechanism, _key=question_key(key, "answers", mechanism, context))

    def draw(self, codes: NDArray[np.intp], people: Sequence[Any]) -> NDArray[Any]:
        """The permanent report of every person about a value, by its position."""
        owners = read_people(people, len(codes), "value")
        tags = [tag_of(self._key, who, int(codes[row]), row) for row, who in enumerate(owners)]
        draw = self.mechanism.reports.draw
        drawn = [
            draw(codes[row : row + 1], KeyedSource(tag, "report")) for row, tag in enumerate(tags)
        ]
        return np.concatenate([draw(codes[:0], KeyedSource(self._key, "nobody")), *drawn])

    def __repr__(self) -> str:
        return f"PermanentReports({self.mechanism!r})"
