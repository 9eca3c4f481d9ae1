"""Gains and losses by name: the whole secret, a property of it, something near it, several tries.

`gain.identity(labels)` and `loss.identity(labels)` ask the same question; a loss is its gain's mirror
image, where less is better. The algebra (`gain.scale`, `gain.lift`, …) keeps gains gains and losses
losses.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any, Generic, TypeVar

from dprivacy.errors import TooLarge
from dprivacy.flow.gains.gain_algebra import combine, lift, mirror, restrict, scale, shift, weight
from dprivacy.flow.gains.gain_shapes import (
    Table,
    block_table,
    distance_table,
    function_table,
    near_table,
    opposite,
    subset_table,
)
from dprivacy.flow.gains.loss_table import Loss, finite
from dprivacy.model import Gain, as_space, labels_of
from dprivacy.numbers import Frozen, Mat
from dprivacy.sources import result
from dprivacy.spaces import require_list
from dprivacy.typing import Label, NumberLike, SpaceLike, TableLike

G = TypeVar("G", bound=Gain)
Labels = SpaceLike | Iterable[Label]
Blocks = Mapping[Label, Iterable[Label]] | Iterable[Iterable[Label]]

_MOST_GUESSED = 8


class NamedGains(Frozen, Generic[G]):
    """The gains by name, or the losses: `gain` and `loss` of this room.

    Examples
    --------
    >>> from dprivacy.flow import gain, loss
    >>> print(gain.identity(["a", "b"])["a", "b"], loss.identity(["a", "b"])["a", "b"])
    0 1
    """

    __slots__ = ("kind",)
    kind: type[G]

    combine = staticmethod(combine)
    lift = staticmethod(lift)
    mirror = staticmethod(mirror)
    restrict = staticmethod(restrict)
    scale = staticmethod(scale)
    shift = staticmethod(shift)
    weight = staticmethod(weight)

    def __init__(self, kind: type[G]) -> None:
        self._set(kind=kind)

    def _of(self, table: Table) -> G:
        """The gain with a table of 0 and 1, or the loss that is 1 − that."""
        rows, columns, worth = table
        return self.kind(rows, columns, opposite(worth) if self.kind is Loss else worth)

    @result("T", "Def 2.2.3")
    def identity(self, labels: Labels) -> G:
        """Guess the secret in one try: 1 for the right guess, 0 for any other; a loss reversed.

        The uncertainty of the loss is the Bayes risk.

        Parameters
        ----------
        labels
            The secrets, or their space.

        Examples
        --------
        >>> from dprivacy.flow import gain, loss
        >>> print(gain.identity(["a", "b"])["a", "a"], loss.identity(["a", "b"])["a", "a"])
        1 0
        """
        names = labels_of(labels, "secrets")
        return self._of((names, names, Mat.identity(len(names))))

    @result("T", "Def 5.3.2")
    def partition(self, blocks: Blocks) -> G:
        """Guess the block in which the secret lies: 1 when x ∈ w, else 0; a loss reversed.

        Parameters
        ----------
        blocks
            ``{name: secrets}``, or lists of secrets, which are then named by their set. No secret may
            lie in two blocks.

        Examples
        --------
        >>> from dprivacy.flow import gain
        >>> age = gain.partition({"young": [20, 30], "old": [60, 70]})
        >>> print(age["old", 60], age["old", 20])
        1 0
        """
        return self._of(block_table(blocks))

    @result("T", "Ex 2.2")
    def property(self, inside: Iterable[Label], secrets: Labels) -> G:
        """Guess whether the secret has a property: actions are the set that has it and the rest.

        The gain tests x ∈ w, the guessed set, so that guessing "no" rightly is worth 1 too.

        Parameters
        ----------
        inside
            The secrets that have the property.
        secrets
            All secrets.

        Examples
        --------
        >>> from dprivacy.flow import gain
        >>> even = gain.property([0, 2], range(4))
        >>> print(len(even.actions), sum(even[w, 3] for w in even.actions))
        2 1
        """
        names = labels_of(secrets, "secrets")
        yes = set(require_list(inside, "inside"))
        blocks = [[x for x in names if x in yes], [x for x in names if x not in yes]]
        return restrict(self.partition([block for block in blocks if block]), names)

    @result("T", "Ex 2.3")
    def metric(
        self,
        space: SpaceLike,
        *,
        actions: Sequence[Label] | None = None,
        secrets: Sequence[Label] | None = None,
    ) -> G:
        """Guess close to the secret: a gain is 1 − d(w, x)/diameter, a loss d(w, x) itself.

        Parameters
        ----------
        space
            The metric. Irrational distances make the table float.
        actions, secrets
            The points that may be guessed, and those that may be secret; all by default. A guess need
            not be a possible secret.

        Examples
        --------
        >>> from dprivacy.flow import gain, loss
        >>> from dprivacy.spaces import line
        >>> print(loss.metric(line(4))[0, 3], gain.metric(line(4))[0, 1])
        3 2/3
        """
        less = self.kind is Loss
        rows, columns, far = distance_table(as_space(space), actions, secrets, normalised=not less)
        return self.kind(rows, columns, far if less else opposite(far))

    def threshold(
        self,
        space: SpaceLike,
        radius: NumberLike,
        *,
        actions: Sequence[Label] | None = None,
        secrets: Sequence[Label] | None = None,
    ) -> G:
        """Guess within a radius: 1 when d(w, x) ≤ r, else 0; a loss reversed.

        Parameters
        ----------
        space, actions, secrets
            As for `metric`.
        radius
            How near is near enough.

        Examples
        --------
        >>> from dprivacy.flow import gain
        >>> from dprivacy.spaces import line
        >>> near = gain.threshold(line(4), 1)
        >>> print(near[0, 1], near[0, 2])
        1 0
        """
        return self._of(near_table(as_space(space), radius, actions, secrets))

    def tries(self, labels: Labels, k: int) -> G:
        """Guess the secret in k tries: an action is a set of k secrets, worth 1 when it holds x.

        Parameters
        ----------
        labels
            The secrets, or their space.
        k
            How many different guesses; there are C(n, k) actions.

        Examples
        --------
        >>> from dprivacy.flow import gain
        >>> two = gain.tries(["a", "b", "c"], 2)
        >>> len(two.actions), str(sum(two[w, "a"] for w in two.actions))
        (3, '2')
        """
        return self._of(subset_table(labels_of(labels, "secrets"), k))

    def matrix(
        self, actions: Iterable[Label], secrets: Iterable[Label], table: TableLike | Mat
    ) -> G:
        """A gain or loss from its table.

        Parameters
        ----------
        actions, secrets
            Labels of the rows and of the columns.
        table
            One row an action, one column a secret.

        Examples
        --------
        >>> from dprivacy.flow import gain
        >>> print(gain.matrix(["stay", "go"], ["rain", "sun"], [[1, 0], [0, "1/2"]])["go", "sun"])
        1/2
        """
        return finite(self.kind(actions, secrets, table))

    def function(
        self,
        actions: Iterable[Label],
        secrets: Labels,
        f: Callable[[Any, Any], NumberLike],
    ) -> G:
        """A gain or loss from a function of action and secret.

        Parameters
        ----------
        actions, secrets
            Labels.
        f
            ``f(action, secret)``, a number.

        Examples
        --------
        >>> from dprivacy.flow import loss
        >>> print(loss.function([0, 10], [0, 5, 10], lambda guess, truth: (guess - truth) ** 2)[10, 5])
        25
        """
        return finite(self.kind(*function_table(actions, labels_of(secrets, "secrets"), f)))


class NamedLosses(NamedGains[Loss]):
    """The losses by name, and the one that is not a gain's mirror image.

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> print(loss.tries(["a", "b", "c"], 2)[frozenset("ab"), "c"])
    1
    """

    __slots__ = ()

    def guesses(self, labels: Labels) -> Loss:
        """How many guesses it takes: an action is an order of all secrets, its loss the place of x.

        The uncertainty of this loss is the guessing entropy; `guessing_entropy` finds it by sorting.

        Parameters
        ----------
        labels
            The secrets: at most 8, since there are n! orders.

        Examples
        --------
        >>> from dprivacy.flow import loss
        >>> print(loss.guesses(["a", "b", "c"])[("b", "c", "a"), "a"])
        3
        """
        names = labels_of(labels, "secrets")
        if len(names) > _MOST_GUESSED:
            raise TooLarge(
                f"{len(names)} secrets have too many orders (at most {_MOST_GUESSED} secrets are "
                "listed); `guessing_entropy` needs no table of them"
            )
        orders = list(permutations(names))
        table = [[order.index(x) + 1 for x in names] for order in orders]
        return Loss(orders, names, Mat.over(1, table))


gain: NamedGains[Gain] = NamedGains(Gain)
loss = NamedLosses(Loss)
