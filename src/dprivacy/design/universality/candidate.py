"""A private channel read against its space, ready for questions of optimality."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from dprivacy.design.universality.private_answers import Answers
from dprivacy.errors import NotPrivate, TooLarge
from dprivacy.model import Channel, about, space_for
from dprivacy.polytope import Column, Cone, Read, primitive
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import ChannelLike, LevelLike, SpaceLike
from dprivacy.verify import privacy

_MOST_CLASSES = 64


@dataclass(frozen=True)
class Candidate:
    """An exact ε·d-private channel, its rows in the order of the space; e^(ε·d) is rational.

    Points at distance 0 are one class (all points are, at ε = 0), and indices count classes.
    """

    cone: Cone
    channel: Channel

    @classmethod
    def of(cls, C: ChannelLike, space: SpaceLike | None, eps: LevelLike) -> "Candidate":
        """Read a channel, a space and a level; refuse what is not private or not exact."""
        metric = space_for(C, space)
        read = Read.of(C, metric, eps)
        cone = read.cone
        cone.require_rational()
        if cone.n > _MOST_CLASSES:
            raise TooLarge(
                f"optimality is decided on at most {_MOST_CLASSES} points, not {cone.n}; look at a "
                "part of the space with restrict"
            )
        for column in read.posteriors():
            gathered, apart = cone.gathered(column)
            if apart is not None:
                x, z = (metric.labels[i] for i in apart)
                raise NotPrivate(
                    f"{x!r} and {z!r} are at distance 0, so their rows should be equal, but they differ"
                )
            if cone.violated(gathered) is not None:
                worst = privacy(read.channel, metric, eps=cone.eps).worst
                words = "" if worst is None else f": {worst.words()}"
                raise NotPrivate(
                    f"the channel should be ε·d-private for ε = {about(cone.eps)} but is not{words}; "
                    "give a larger ε (smallest_eps finds the least)"
                )
        return cls(cone, read.channel)

    @property
    def space(self) -> FiniteSpace:
        """The space of all points."""
        return self.cone.space

    @cached_property
    def rows(self) -> list[list[Fraction]]:
        """One row a class."""
        table = self.channel.matrix.rows()
        return [[Fraction(v) for v in table[members[0]]] for members in self.cone.classes]

    @cached_property
    def columns(self) -> set[Column]:
        """The directions of the possible columns, as primitive integers on the classes."""
        return {primitive(c) for c in zip(*self.rows, strict=True) if any(c)}

    @cached_property
    def answers(self) -> Answers:
        """The private yes-or-no answers on the same space."""
        return Answers(self.cone)

    @cached_property
    def factors(self) -> list[list[Fraction]]:
        """e^(ε·d) for every two classes."""
        return [
            [slope for _, slope in self.answers.greatest(i, Fraction(0))]
            for i in range(self.cone.n)
        ]

    def labels(self, classes: Sequence[int]) -> tuple[Any, ...]:
        """The labels of classes."""
        return tuple(self.cone.label(i) for i in classes)

    def position(self, label: Any) -> int:
        """The class of a label."""
        at = self.space.position(label)
        return next(k for k, members in enumerate(self.cone.classes) if at in members)
