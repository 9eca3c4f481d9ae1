"""Gains and losses as people give them: by name, as a table, as a function, or as the noun."""

import inspect
from collections.abc import Callable
from typing import Any, TypeGuard

from dprivacy.errors import NotApplicable, UnknownName, WrongKind
from dprivacy.flow.gains.gain_algebra import mirror
from dprivacy.flow.gains.loss_table import Loss
from dprivacy.flow.gains.named_gains import G, NamedGains, gain, loss
from dprivacy.model import Dist, Gain, space_for
from dprivacy.numbers import Level
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import ChannelLike, GainLike, Label, LossLike, Number, SpaceLike

Worth = Level | Number
Measure = Callable[[Dist], Worth]  # of a distribution: any convex or quasi-convex function
Secrets = tuple[Label, ...]
Where = SpaceLike | ChannelLike | None


def as_gain(given: GainLike | LossLike | Measure, secrets: Secrets, space: Where = None) -> Gain:
    """A gain: a Gain (or Loss) as it is, "bayes", "metric", a table, a function of action and secret.

    Parameters
    ----------
    given
        What the person wrote.
    secrets
        The secrets, which are the actions too.
    space
        Their distances, for "metric": a space, or the mechanism that has one.

    Examples
    --------
    >>> print(as_gain("bayes", ("a", "b"))["a", "a"], as_gain(lambda w, x: w * x, (2, 3))[2, 3])
    1 6
    """
    return given if isinstance(given, Gain) else _read(gain, given, secrets, space)


def as_loss(given: LossLike | Measure, secrets: Secrets, space: Where = None) -> Loss:
    """A loss: a Loss as it is, the mirror image of a Gain, or what `as_gain` reads.

    "metric" is the distance itself, "bayes" 1 for a wrong guess; tables and functions are costs.

    Examples
    --------
    >>> print(as_loss("bayes", ("a", "b"))["a", "a"], as_loss([[0, 5], [2, 0]], ("a", "b"))["b", "a"])
    0 2
    """
    if isinstance(given, Loss):
        return given
    if isinstance(given, Gain):
        turned = mirror(given)
        return Loss(turned.rows, turned.columns, turned.matrix)
    return _read(loss, given, secrets, space)


def is_measure(given: object) -> TypeGuard[Measure]:
    """Whether it is a function of one argument: of a distribution, not of an action and a secret."""
    if not callable(given):
        return False
    try:
        parameters = inspect.signature(given).parameters.values()
    except ValueError:  # some built-in functions do not say
        return True
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return len([p for p in parameters if p.default is p.empty and p.kind in plain]) < 2


def _read(names: NamedGains[G], given: Any, secrets: Secrets, space: Where) -> G:
    what = "loss" if names.kind is Loss else "gain"
    if isinstance(given, str):
        if given == "metric":
            return names.metric(_distances(space, what))
        if given != "bayes":
            raise UnknownName.among(f"a {what} given by name", given, ("bayes", "metric"))
        return names.identity(secrets)
    if is_measure(given) or not (callable(given) or hasattr(given, "__len__")):
        raise WrongKind(
            f"a {what} with a table of actions is needed, such as {what}.identity(labels), not "
            f"{given!r}"
        )
    if callable(given):
        return names.function(secrets, secrets, given)
    actions = secrets if len(given) == len(secrets) else tuple(range(len(given)))
    return names.matrix(actions, secrets, given)


def _distances(space: Where, what: str) -> FiniteSpace:
    if space is None:
        raise NotApplicable(
            f'say which space: the {what} "metric" needs distances; give {what}.metric(space), or a '
            "mechanism, which brings its own"
        )
    return space if isinstance(space, FiniteSpace) else space_for(space)
