"""Losses by name: the mirror images of the gains, where less is better."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any

from dprivacy.errors import TooLarge
from dprivacy.flow.gains.gain_algebra import combine, lift, mirror, restrict, scale, shift, weight
from dprivacy.flow.gains.gain_shapes import (
    block_table,
    distance_table,
    function_table,
    identity_table,
    listed,
    near_table,
    opposite,
    subset_table,
)
from dprivacy.flow.gains.loss_table import Loss, finite
from dprivacy.numbers import Mat
from dprivacy.spaces import FiniteSpace

__all__ = [
    "combine",
    "function",
    "guesses",
    "identity",
    "lift",
    "matrix",
    "metric",
    "mirror",
    "partition",
    "restrict",
    "scale",
    "shift",
    "threshold",
    "tries",
    "weight",
]

_MOST_GUESSED = 8


def identity(labels: FiniteSpace | Iterable[Any]) -> Loss:
    """Miss the secret: 0 for the right guess, 1 for any other. Its uncertainty is the Bayes risk.

    Parameters
    ----------
    labels
        The secrets, or their space.
    """
    names = listed(labels)
    return Loss(names, names, opposite(identity_table(len(names))))


def partition(blocks: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]]) -> Loss:
    """Miss the block in which the secret lies: 0 when x ∈ w, else 1.

    Parameters
    ----------
    blocks
        As for `gain.partition`.
    """
    rows, columns, table = block_table(blocks)
    return Loss(rows, columns, opposite(table))


def metric(
    space: FiniteSpace,
    *,
    actions: Sequence[Any] | None = None,
    secrets: Sequence[Any] | None = None,
) -> Loss:
    """How far off: d(w, x).

    Parameters
    ----------
    space
        The metric. Irrational distances make the table float.
    actions, secrets
        The points that may be guessed, and those that may be secret; all by default.

    Examples
    --------
    >>> from dprivacy.spaces import line
    >>> print(metric(line(4))[0, 3])
    3
    """
    return Loss(*distance_table(space, actions, secrets, normalised=False))


def threshold(
    space: FiniteSpace,
    radius: Any,
    *,
    actions: Sequence[Any] | None = None,
    secrets: Sequence[Any] | None = None,
) -> Loss:
    """Miss by more than a radius: 0 when d(w, x) ≤ r, else 1.

    Parameters
    ----------
    space
        The metric.
    radius
        How near is near enough.
    actions, secrets
        As for `metric`.
    """
    rows, columns, table = near_table(space, radius, actions, secrets)
    return Loss(rows, columns, opposite(table))


def tries(labels: FiniteSpace | Iterable[Any], k: int) -> Loss:
    """Miss the secret in k tries.

    Parameters
    ----------
    labels
        The secrets, or their space.
    k
        How many different guesses; there are C(n, k) actions.
    """
    rows, columns, table = subset_table(listed(labels), k)
    return Loss(rows, columns, opposite(table))


def guesses(labels: FiniteSpace | Iterable[Any]) -> Loss:
    """How many guesses it takes: an action is an order of all secrets, its loss the place of x in it.

    The uncertainty of this loss is the guessing entropy; `guessing_entropy` finds it by sorting.

    Parameters
    ----------
    labels
        The secrets: at most 8, since there are n! orders.
    """
    names = listed(labels)
    if len(names) > _MOST_GUESSED:
        raise TooLarge(
            f"{len(names)} secrets have too many orders; `guessing_entropy` needs no table of them"
        )
    orders = list(permutations(names))
    table = [[order.index(x) + 1 for x in names] for order in orders]
    return Loss(orders, names, Mat.over(1, table))


def matrix(actions: Iterable[Any], secrets: Iterable[Any], table: Any) -> Loss:
    """A loss from its table.

    Parameters
    ----------
    actions, secrets
        Labels of the rows and of the columns.
    table
        One row an action, one column a secret.
    """
    return finite(Loss(actions, secrets, table))


def function(
    actions: Iterable[Any], secrets: FiniteSpace | Iterable[Any], f: Callable[[Any, Any], Any]
) -> Loss:
    """A loss from a function of action and secret.

    Parameters
    ----------
    actions, secrets
        Labels.
    f
        ``f(action, secret)``, a number.
    """
    return finite(Loss(*function_table(actions, listed(secrets), f)))
