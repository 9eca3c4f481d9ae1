"""What a guarantee means to an adversary who knows something: two readings."""

import math
from dataclasses import dataclass
from fractions import Fraction

from dprivacy.errors import NotApplicable
from dprivacy.model import Answer, about, as_channel, prior_for, shown, space_for
from dprivacy.numbers import as_level
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, Number, NumberLike, PriorLike, SpaceLike


@dataclass(frozen=True)
class Change(Answer):
    """How far one output moves a belief: from `before` to `after`, a factor of `factor`."""

    subject: str
    output: Label
    before: Number
    after: Number
    factor: Number

    @property
    def exact(self) -> bool:
        """Whether the numbers are exact."""
        return isinstance(self.before, Fraction)

    def explain(self) -> str:
        """The change in words."""
        return (
            f"Seeing {shown(self.output)} moves {self.subject} from {about(self.before)} to "
            f"{about(self.after)}, a factor of {about(self.factor)}."
        )


@result("T", "Lem 3.4")
def odds_change(C: ChannelLike, x: Label, z: Label, *, prior: PriorLike = None) -> Change:
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

    Examples
    --------
    >>> coin = {"yes": {"yes": "3/4", "no": "1/4"}, "no": {"yes": "1/4", "no": "3/4"}}
    >>> print(odds_change(coin, "yes", "no", prior={"yes": "1/10", "no": "9/10"}))
    Seeing yes moves the odds of yes against no from 1/9 ≈ 0.1111 to 1/3 ≈ 0.3333, a factor of 3.
    """
    channel = as_channel(C)
    belief = prior_for(channel, prior)
    for label in (x, z):
        if not belief[label]:
            raise NotApplicable(
                f"the prior gives {label!r} probability 0, so that there are no odds to change"
            )
    before = belief[x] / belief[z]
    factor, y = max(
        ((_ratio(channel[x, y], channel[z, y]), y) for y in channel.columns if channel[x, y]),
        key=lambda found: found[0],
    )
    after = math.inf if factor == math.inf else before * factor
    return Change(f"the odds of {shown(x)} against {shown(z)}", y, before, after, factor)


def _ratio(p: Number, q: Number) -> Number:
    return p / q if q else math.inf


@result("T", "Lem 3.5")
def ball_change(
    C: ChannelLike,
    x: Label,
    space: SpaceLike | None = None,
    *,
    prior: PriorLike = None,
    radius: NumberLike,
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
        A belief that holds only secrets within `radius` of x; uniform on all secrets when omitted.
    radius
        The radius of the ball.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> noisy = geometric(range(3), eps="ln 2")
    >>> print(ball_change(noisy, 0, prior=["1/2", "1/2", 0], radius=1).factor)
    4/3
    """
    channel, metric = as_channel(C), space_for(C, space)
    belief = prior_for(channel, prior)
    reach = radius if radius == math.inf else as_level(radius)
    outside = [label for label in belief.support if metric.distance(x, label) > reach]
    if outside:
        raise NotApplicable(
            f"the prior allows {outside[0]!r}, which is farther than {radius} from {x!r}; give a prior "
            "on the ball alone, or a larger radius"
        )
    if not belief[x]:
        raise NotApplicable(f"the prior gives {x!r} probability 0, so that its belief cannot grow")
    best: Change | None = None
    for y in channel.columns:
        seen = sum((belief[w] * channel[w, y] for w in belief.support), belief[x] * 0)
        if not seen:
            continue
        factor = channel[x, y] / seen
        if best is None or factor > best.factor:
            best = Change(f"the belief in {shown(x)}", y, belief[x], belief[x] * factor, factor)
    assert best is not None, "every row has a positive entry"
    return best
