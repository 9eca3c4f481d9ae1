"""The nouns of a question: gains (from `model`), losses, and how they meet priors and channels."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dprivacy.errors import Malformed
from dprivacy.model.channel import Channel
from dprivacy.model.dist import Dist
from dprivacy.model.gain import Gain
from dprivacy.model.reading import as_channel
from dprivacy.numbers.matrix import Mat
from dprivacy.spaces.labels import require_same_labels

Number = Fraction | float
Measure = Gain | Callable[[Dist], Any]


class Loss(Gain):
    """Actions by secrets: `loss[w, x]` is what action w costs when the secret is x.

    The mirror image of a gain: the same table, read the other way, so that less is better. It is a
    Gain in all but the direction; `leakage` and `strategy` look at the class to know which way to go.

    Parameters
    ----------
    rows
        Actions.
    columns
        Secrets.
    matrix
        What each costs, exact or float.
    """


def as_prior(prior: Any, secrets: tuple[Any, ...]) -> Dist:
    """A prior as it was given, or from weights in the order of the secrets."""
    if isinstance(prior, Dist):
        return prior
    if isinstance(prior, str):
        raise Malformed(f"a prior is a Dist, or a list of weights, not the text {prior!r}")
    return Dist(secrets, prior)


def joint_matrix(prior: Any, C: Any) -> tuple[Channel, Mat]:
    """The channel and its joint probabilities π_x·C[x, y], in the order of the channel's inputs.

    Raises
    ------
    MixedArithmetic
        An exact prior and a float channel, or the other way round.
    """
    channel = as_channel(C)
    belief = as_prior(prior, channel.rows)
    order = require_same_labels(channel.rows, belief.labels, "channel and prior")
    weights = belief.matrix.take(columns=order)
    weights._require_same(channel.matrix)
    joint = Mat(channel.matrix.entries * weights.entries.T, channel.matrix.den * weights.den)
    return channel, joint


def aligned(gain: Gain, secrets: tuple[Any, ...]) -> Mat:
    """The gain's table with its secrets in the given order."""
    order = require_same_labels(secrets, gain.secrets, "the gain and what it is asked about")
    return gain.matrix if order == list(range(len(order))) else gain.matrix.take(columns=order)


def expected(table: Mat, joint: Mat) -> Mat:
    """Σ_x table[w, x]·joint[x, y]: the gain of every action on every observation.

    The gain is the question, the prior and the channel are the facts: a table of 0 and 1 serves
    floats as well, and a table of floats makes the answer one.
    """
    if table.exact != joint.exact:
        table, joint = Mat(table.floats), Mat(joint.floats)
    blocks = _blocks(table)
    if blocks is not None:
        return _summed(blocks, table, joint)
    return table @ joint


def _blocks(table: Mat) -> list[int] | None:
    """For a table of 0 and 1 with a single 1 for every secret: the action that has it."""
    entries = table.entries
    if table.den != 1 or entries.shape[0] < 8 or (entries != 0).sum() != entries.shape[1]:
        return None
    at = (entries == 1).argmax(axis=0)
    if not all(entries[w, x] == 1 for x, w in enumerate(at.tolist())):
        return None
    return [int(w) for w in at]


def _summed(blocks: list[int], table: Mat, joint: Mat) -> Mat:
    """The product of such a table with the joint matrix: rows of a block added up."""
    import numpy as np

    sums = np.zeros((table.shape[0], joint.shape[1]), dtype=joint.entries.dtype)
    np.add.at(sums, blocks, joint.entries)
    return Mat(sums, joint.den)


def require_gain(gain: Any) -> None:
    """Refuse a loss, or something that is no table, where a gain is needed."""
    if isinstance(gain, Loss):
        raise Malformed(
            "this is a loss, where less is better; ask for `uncertainty`, or turn it into a gain with "
            "`mirror`"
        )
    if not isinstance(gain, Gain) and not callable(gain):
        raise Malformed(
            f"a gain is needed, such as gain.identity(labels), not {type(gain).__name__}"
        )


def require_loss(loss: Any) -> None:
    """Refuse what is neither a table nor a function of a distribution."""
    if not isinstance(loss, Gain) and not callable(loss):
        raise Malformed(f"a loss is needed, such as loss.metric(space), not {type(loss).__name__}")
