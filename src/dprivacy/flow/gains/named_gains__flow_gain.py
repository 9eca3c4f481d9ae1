"""Gains by name: the whole secret, a property of it, something near it, several tries.

The names read with the module's: `gain.identity(labels)`, `gain.metric(space)`. The algebra
(`gain.scale`, `gain.lift`, …) keeps gains gains and losses losses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

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
from dprivacy.flow.gains.loss_table import finite
from dprivacy.model import Gain
from dprivacy.sources import result
from dprivacy.spaces import FiniteSpace

__all__ = [
    "combine",
    "function",
    "identity",
    "lift",
    "matrix",
    "metric",
    "mirror",
    "partition",
    "property",
    "restrict",
    "scale",
    "shift",
    "threshold",
    "tries",
    "weight",
]


@result("T", "Def 2.2.3")
def identity(labels: FiniteSpace | Iterable[Any]) -> Gain:
    """Guess the secret in one try: 1 for the right guess, 0 for any other.

    Parameters
    ----------
    labels
        The secrets, or their space.
    """
    names = listed(labels)
    return Gain(names, names, identity_table(len(names)))


@result("T", "Def 5.3.2")
def partition(blocks: Mapping[Any, Iterable[Any]] | Iterable[Iterable[Any]]) -> Gain:
    """Guess the block in which the secret lies: 1 when x ∈ w, else 0.

    Parameters
    ----------
    blocks
        ``{name: secrets}``, or lists of secrets, which are then named by their set. No secret may
        lie in two blocks.

    Examples
    --------
    >>> age = partition({"young": [20, 30], "old": [60, 70]})
    >>> print(age["old", 60], age["old", 20])
    1 0
    """
    return Gain(*block_table(blocks))


@result("T", "Ex 2.2")
def property(inside: Iterable[Any], secrets: FiniteSpace | Iterable[Any]) -> Gain:
    """Guess whether the secret has a property: actions are the set that has it and the rest.

    The gain tests x ∈ w, the guessed set; so that guessing "no" rightly is worth 1 too.

    Parameters
    ----------
    inside
        The secrets that have the property.
    secrets
        All secrets.
    """
    names = listed(secrets)
    yes = set(inside)
    blocks = [[x for x in names if x in yes], [x for x in names if x not in yes]]
    return restrict(partition([block for block in blocks if block]), names)


@result("T", "Ex 2.3")
def metric(
    space: FiniteSpace,
    *,
    actions: Sequence[Any] | None = None,
    secrets: Sequence[Any] | None = None,
) -> Gain:
    """Guess close to the secret: 1 − d(w, x)/diameter.

    Parameters
    ----------
    space
        The metric. Irrational distances make the table float.
    actions, secrets
        The points that may be guessed, and those that may be secret; all by default. A guess need not
        be a possible secret.
    """
    rows, columns, distances = distance_table(space, actions, secrets, normalised=True)
    return Gain(rows, columns, opposite(distances))


def threshold(
    space: FiniteSpace,
    radius: Any,
    *,
    actions: Sequence[Any] | None = None,
    secrets: Sequence[Any] | None = None,
) -> Gain:
    """Guess within a radius: 1 when d(w, x) ≤ r, else 0.

    Parameters
    ----------
    space
        The metric.
    radius
        How near is near enough.
    actions, secrets
        As for `metric`.
    """
    return Gain(*near_table(space, radius, actions, secrets))


def tries(labels: FiniteSpace | Iterable[Any], k: int) -> Gain:
    """Guess the secret in k tries: an action is a set of k secrets, worth 1 when it holds x.

    Parameters
    ----------
    labels
        The secrets, or their space.
    k
        How many different guesses; there are C(n, k) actions.
    """
    return Gain(*subset_table(listed(labels), k))


def matrix(actions: Iterable[Any], secrets: Iterable[Any], table: Any) -> Gain:
    """A gain from its table.

    Parameters
    ----------
    actions, secrets
        Labels of the rows and of the columns.
    table
        One row an action, one column a secret.
    """
    return finite(Gain(actions, secrets, table))


def function(
    actions: Iterable[Any], secrets: FiniteSpace | Iterable[Any], f: Callable[[Any, Any], Any]
) -> Gain:
    """A gain from a function of action and secret.

    Parameters
    ----------
    actions, secrets
        Labels.
    f
        ``f(action, secret)``, a number.
    """
    return finite(Gain(*function_table(actions, listed(secrets), f)))
