"""What a consumer makes of a channel: expected loss, worst-case loss, and the best remap."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.design.problems.design_problem import Coordinates, read_loss, require_secrets
from dprivacy.errors import UnknownCategory
from dprivacy.flow import Loss, as_loss, strategy
from dprivacy.model import (
    Answer,
    Channel,
    Dist,
    Gain,
    about,
    as_channel,
    as_prior,
    plain,
    shown,
    space_for,
)
from dprivacy.numbers import Mat
from dprivacy.sources import result
from dprivacy.spaces import discrete, require_same_labels
from dprivacy.typing import ChannelLike, LossLike, PriorLike, SpaceLike

Number = Fraction | float
_LISTED = 40


@dataclass(frozen=True, eq=False)
class Remap(Answer):
    """The consumer's best reading of a channel's outputs.

    Attributes
    ----------
    channel
        The channel followed by the remap: its outputs are actions.
    actions
        The action taken on each output (outputs that never come are left out).
    before
        The expected loss when outputs are taken for actions as they are; None where they are not
        actions.
    after
        The expected loss with the remap: no post-processing has a smaller one.

    Examples
    --------
    >>> from dprivacy.design import remap
    >>> from dprivacy.mechanisms import geometric
    >>> found = remap(geometric(3, eps="ln 2"), prior=["8/10", "1/10", "1/10"])
    >>> print(found.channel.columns, found.exact)
    (0,) True
    """

    channel: Channel
    actions: Mapping[Any, Any]
    before: Number | None
    after: Number

    @property
    def exact(self) -> bool:
        """Whether the expected loss is a rational number."""
        return isinstance(self.after, Fraction)

    def explain(self) -> str:
        """The remap in words."""
        changed = {y: w for y, w in self.actions.items() if y != w}
        lines = [f"With the best remap the expected loss is {about(self.after)}."]
        if self.before is not None:
            lines.append(f"With the outputs taken as they are it is {about(self.before)}.")
            if not changed:
                lines.append("Every output is best taken as it is.")
        listed = list((self.actions if self.before is None else changed).items())
        lines += [f"  {shown(y)} is read as {shown(w)}" for y, w in listed[:_LISTED]]
        if len(listed) > _LISTED:
            lines.append(f"  and {len(listed) - _LISTED} more")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The remap as plain data."""
        return {
            "actions": plain(list(self.actions.items())),
            **self._told("before", "after", "exact"),
        }


@result("T", "Def 6.2.2", "Lem 6.1")
def remap(
    C: ChannelLike,
    space: SpaceLike | None = None,
    *,
    prior: PriorLike = None,
    loss: LossLike | Coordinates = "metric",
) -> Remap:
    """The best post-processing for a prior and a loss: to each output its best action.

    Parameters
    ----------
    C
        A channel, a mechanism, or anything `as_channel` reads.
    space
        The metric on the inputs, where `loss` is a name or a function; a mechanism's own when
        omitted.
    prior
        A distribution on its inputs; uniform when omitted.
    loss
        As for `optimal`. "metric" needs a space.

    Notes
    -----
    Under the posterior of each output every action has an expected loss; the smallest is taken, of
    equal ones the first. No randomised remap does better.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.spaces import line
    >>> shifted = remap(geometric(line(3), eps="ln 2"), prior=["8/10", "1/10", "1/10"])
    >>> print(shifted.actions[2], shifted.before, shifted.after)
    0 31/60 3/10
    """
    channel, belief, table = _read(C, space, prior, loss)
    known, belief = _alike(channel, belief)
    found = strategy(known, prior=belief, gain=table)
    actions = {move.output: move.action for move in found.moves}
    kept = list(dict.fromkeys(actions.values()))
    columns = {w: k for k, w in enumerate(kept)}
    entries = np.zeros((len(channel.rows), len(kept)), dtype=channel.matrix.entries.dtype)
    first = next(iter(actions.values()))
    for y, name in enumerate(channel.columns):
        entries[:, columns[actions.get(name, first)]] += channel.matrix.entries[:, y]
    before = None
    if all(y in set(table.actions) for y in actions):
        before = _expected(known, belief, table)
    after: Number = found.after
    mapped = Channel(channel.rows, kept, Mat(entries, channel.matrix.den))
    return Remap(mapped, actions, before, after)


def expected_loss(
    C: ChannelLike,
    space: SpaceLike | None = None,
    *,
    prior: PriorLike = None,
    loss: LossLike | Coordinates = "metric",
) -> Number:
    """Σ_x π_x Σ_y C[x, y]·ℓ(y, x): the outputs are taken for actions as they are.

    Parameters
    ----------
    C
        A channel whose outputs are actions of the loss.
    space, prior, loss
        As for `remap`.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.spaces import line
    >>> print(expected_loss(geometric(line(3), eps="ln 2")))
    5/9
    """
    channel, belief, table = _read(C, space, prior, loss)
    return _expected(*_alike(channel, belief), table)


def worst_case_loss(
    C: ChannelLike, space: SpaceLike | None = None, *, loss: LossLike | Coordinates = "metric"
) -> tuple[Number, Any]:
    """max_x Σ_y C[x, y]·ℓ(y, x), and the secret that it is expected on.

    Parameters
    ----------
    C
        A channel whose outputs are actions of the loss.
    space, loss
        As for `remap`.

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.spaces import line
    >>> worst, secret = worst_case_loss(geometric(line(3), eps="ln 2"))
    >>> print(worst, secret)
    2/3 1
    """
    channel, _, table = _read(C, space, None, loss)
    losses = _losses(channel, table)
    at = max(range(len(losses)), key=losses.__getitem__)
    return losses[at], channel.rows[at]


def _expected(channel: Channel, belief: Dist, table: Loss) -> Number:
    exact = channel.exact and belief.exact and table.exact
    pairs = zip(belief.weights, _losses(channel, table), strict=True)
    if exact:
        return sum((Fraction(weight) * loss for weight, loss in pairs), Fraction(0))
    return sum(float(weight) * float(loss) for weight, loss in pairs)


def _losses(channel: Channel, table: Loss) -> list[Number]:
    """The expected loss of every input."""
    index = {w: k for k, w in enumerate(table.actions)}
    used = [y for y, total in enumerate(channel.matrix.entries.sum(axis=0)) if total]
    strange = [channel.columns[y] for y in used if channel.columns[y] not in index]
    if strange:
        raise UnknownCategory(
            f"output {strange[0]!r} should be an action of the loss, such as {table.actions[0]!r}; "
            "`remap` finds the best action for each output"
        )
    rows = table.matrix.take(rows=[index[channel.columns[y]] for y in used])
    chances = channel.matrix.take(columns=used)
    if rows.exact and chances.exact:
        sums = (chances.entries * rows.entries.T).sum(axis=1).tolist()
        return [Fraction(int(v), rows.den * chances.den) for v in sums]
    return [float(v) for v in (chances.floats * rows.floats.T).sum(axis=1)]


def _read(
    C: ChannelLike, space: SpaceLike | None, prior: PriorLike, loss: LossLike | Coordinates
) -> tuple[Channel, Dist, Loss]:
    """The channel, the prior on its inputs, and the loss with its secrets in the channel's order."""
    channel = as_channel(C)
    if isinstance(loss, Gain):
        raw = as_loss(loss, channel.rows)
        order = require_secrets(channel.rows, raw)
    else:
        distances = space is not None or loss == "metric" or hasattr(C, "guarantee")
        metric = space_for(C, space) if distances else discrete(channel.rows)
        order = require_same_labels(channel.rows, metric.labels, "channel and space")
        raw = read_loss(loss, metric, channel.columns if callable(loss) else None)
    table = Loss(raw.actions, channel.rows, raw.matrix.take(columns=order))
    return channel, as_prior(prior, channel.rows, exact=channel.exact), table


def _alike(channel: Channel, belief: Dist) -> tuple[Channel, Dist]:
    """Both in floats where only one of them is exact."""
    if channel.exact == belief.exact:
        return channel, belief
    floats = Channel(channel.rows, channel.columns, Mat(channel.matrix.floats))
    return floats, Dist(belief.labels, Mat(belief.matrix.floats))
