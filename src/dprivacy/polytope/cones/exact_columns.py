"""A channel read against a space: exact, its rows in the order of the space, its columns as tuples."""

from dataclasses import dataclass

from dprivacy.errors import MixedArithmetic
from dprivacy.model import (
    Channel,
    Hyper,
    as_channel,
    push,
    require_channel_space,
    space_for,
    uniform,
)
from dprivacy.polytope.cones.private_cone import Column, Cone
from dprivacy.typing import ChannelLike, LevelLike, SpaceLike


def exact_channel(C: ChannelLike) -> Channel:
    """Read a channel and refuse floats: ties decide here, and floats cannot tell them."""
    channel = as_channel(C)
    if not channel.exact:
        raise MixedArithmetic(
            f"this {len(channel.rows)}×{len(channel.columns)} channel has float entries, and vertices "
            "are where constraints are equalities; give its entries as fractions or text such as '1/3' "
            "(exactly(C) makes a channel exact, but rounds ties away)"
        )
    return channel


@dataclass(frozen=True)
class Read:
    """A channel on the points of a cone, and the hyper it makes of the uniform prior."""

    cone: Cone
    channel: Channel
    hyper: Hyper

    @classmethod
    def of(cls, C: ChannelLike, space: SpaceLike | None, eps: LevelLike) -> "Read":
        """Read a channel, a space and a level."""
        space = space_for(C, space)
        cone, channel = Cone.of(space, eps), exact_channel(C)
        require_channel_space(channel.rows, space.labels)
        channel = channel.restrict(space.labels)
        return cls(cone, channel, push(channel, prior=uniform(space)))

    def posteriors(self) -> list[Column]:
        """The posteriors, up to scale, as integer columns on the points."""
        return [tuple(column) for column in self.hyper.joint.entries.T.tolist()]
