"""The nouns of a question: gains (from `model`), losses, and how they meet priors and channels."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber
from dprivacy.model import Channel, Gain, as_channel, joint_probabilities
from dprivacy.numbers import Mat, product
from dprivacy.spaces import require_same_labels
from dprivacy.typing import ChannelLike, Label, PriorLike


class Loss(Gain):
    """Actions by secrets: `loss[w, x]` is what action w costs when the secret is x.

    The mirror image of a gain: the same table, read the other way, so that less is better. It is a
    Gain in all but the direction; `leakage` and `strategy` look at the class to know which way to go.

    Parameters
    ----------
    rows, columns
        Actions and secrets.
    matrix
        What each costs, exact or float.

    Examples
    --------
    >>> late = Loss(["leave at 8", "leave at 9"], ["rain", "sun"], [[1, 1], [5, 0]])
    >>> print(late["leave at 9", "rain"])
    5
    """


G = TypeVar("G", bound=Gain)


def finite(gain: G) -> G:
    """The same table, refused when an entry is infinite: 0 times inf would have no meaning."""
    if not gain.exact and not np.isfinite(gain.matrix.entries).all():
        i, j = (int(at) for at in np.argwhere(~np.isfinite(gain.matrix.entries))[0])
        raise BadNumber(
            f"{gain._place(i, j)} should be finite, not {gain.matrix.entries[i, j]}; leave the action "
            "out, or give it a large finite value"
        )
    return gain


def joint_matrix(C: ChannelLike, prior: PriorLike) -> tuple[Channel, Mat]:
    """The channel and its joint probabilities π_x·C[x, y], in the order of the channel's inputs.

    Raises
    ------
    MixedArithmetic
        An exact prior and a float channel, or the other way round.
    """
    channel = as_channel(C)
    return channel, joint_probabilities(channel, prior)


def aligned(gain: Gain, secrets: tuple[Label, ...]) -> Mat:
    """The gain's table with its secrets in the given order."""
    if gain.secrets == secrets:
        return gain.matrix
    order = require_same_labels(secrets, gain.secrets, "the gain and what it is asked about")
    return gain.matrix.take(columns=order)


def expected(table: Mat, joint: Mat) -> Mat:
    """Σ_x table[w, x]·joint[x, y]: the gain of every action on every observation.

    The gain is the question, the prior and the channel are the facts: a table of 0 and 1 serves
    floats as well, and a table of floats makes the answer one.
    """
    blocks = table.single_ones
    if blocks is not None and table.exact >= joint.exact:
        return joint if table.is_identity else _summed(blocks, table.shape[0], joint)
    if table.exact != joint.exact:
        return Mat(product(table.floats, joint.floats))
    return table @ joint


def _summed(blocks: NDArray[np.intp], actions: int, joint: Mat) -> Mat:
    """The product of a table that has a single 1 for every secret: the rows of a block added up."""
    sums = np.zeros((actions, joint.shape[1]), dtype=joint.entries.dtype)
    np.add.at(sums, blocks, joint.entries)
    return Mat(sums, joint.den)
