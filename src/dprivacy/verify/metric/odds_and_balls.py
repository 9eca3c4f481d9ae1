"""What a guarantee means to an adversary who knows something: two readings."""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.errors import Malformed
from dprivacy.model import Channel, Dist, about, as_channel, plain, shown, space_for, uniform
from dprivacy.numbers import as_level
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace, require_same_labels

Number = Fraction | float


@dataclass(frozen=True)
class Change:
    """How far one output moves a belief: from `before` to `after`, a factor of `factor`."""

    subject: str
    output: Any
    before: Number
    after: Number
    factor: Number

    def explain(self) -> str:
        """The change in words."""
        return (
            f"seeing {shown(self.output)} moves {self.subject} from {about(self.before)} to "
            f"{about(self.after)}, a factor of {about(self.factor)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The change as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


@result("T", "Lem 3.4")
def odds_change(C: Any, x: Any, z: Any, *, prior: Dist | None = None) -> Change:
    """The most that any output can raise the odds of x against z, for a given prior.

    The odds π_x/π_z become δ^y_x/δ^y_z; the factor between them is C[x,y]/C[z,y], whatever the
    prior. A channel is ε·d-private exactly when it is at most e^(ε·d(x,z)) for all x, z and priors.

    Parameters
    ----------
    C
        A channel.
    x, z
        The two secrets.
    prior
        What the adversary believes beforehand; x and z must be possible. Uniform when omitted.
    """
    channel = as_channel(C)
    prior = _believed(channel, prior)
    for label in (x, z):
        if not prior[label]:
            raise Malformed(f"the prior rules {label!r} out, so there are no odds to change")
    before = prior[x] / prior[z]
    factor, y = max(
        ((_ratio(channel[x, y], channel[z, y]), y) for y in channel.columns if channel[x, y]),
        key=lambda found: found[0],
    )
    after = math.inf if factor == math.inf else before * factor
    return Change(f"the odds of {shown(x)} against {shown(z)}", y, before, after, factor)


def _believed(channel: Channel, prior: Dist | None) -> Dist:
    belief = uniform(channel.rows) if prior is None else prior
    require_same_labels(channel.rows, belief.labels, "channel and prior")
    belief.matrix._require_same(channel.matrix)
    return belief


def _ratio(p: Number, q: Number) -> Number:
    return p / q if q else math.inf


@result("T", "Lem 3.5")
def ball_change(
    C: Any, x: Any, space: FiniteSpace | None = None, *, prior: Dist, radius: Any
) -> Change:
    """The most that any output can raise the belief in x of someone who knows it is near.

    For a prior within the ball of radius r around x, the belief π_x grows at most to e^(ε·r)·π_x.
    The converse needs all x, all r and all priors in the ball: one prior proves nothing.

    Parameters
    ----------
    C
        A channel.
    x
        The secret at the centre.
    space
        The metric; a mechanism's own when omitted.
    prior
        A belief that holds only secrets within `radius` of x.
    radius
        The radius of the ball.
    """
    channel, metric = as_channel(C), space_for(C, space)
    prior = _believed(channel, prior)
    reach = radius if radius == math.inf else as_level(radius)
    outside = [label for label in prior.support if metric.distance(x, label) > reach]
    if outside:
        raise Malformed(
            f"the prior allows {outside[0]!r}, which is farther than {radius} from {x!r}"
        )
    if not prior[x]:
        raise Malformed(f"the prior rules {x!r} out, so its belief cannot grow")
    best: Change | None = None
    for y in channel.columns:
        seen = sum((prior[w] * channel[w, y] for w in prior.support), prior[x] * 0)
        if not seen:
            continue
        factor = channel[x, y] / seen
        if best is None or factor > best.factor:
            best = Change(f"the belief in {shown(x)}", y, prior[x], prior[x] * factor, factor)
    assert best is not None, "every row has a positive entry"
    return best
