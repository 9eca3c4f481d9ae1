"""Gains and losses as people give them: by name, as a table, as a function, or as the noun."""

import inspect
from collections.abc import Callable
from typing import Any, Literal

from dprivacy.errors import NotApplicable, UnknownName, WrongKind
from dprivacy.flow.gains.gain_algebra import mirror
from dprivacy.flow.gains.gain_shapes import distance_table, function_table, identity_table, opposite
from dprivacy.flow.gains.loss_table import Loss, finite
from dprivacy.model import Dist, Gain, space_for
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import ChannelLike, GainLike, LossLike, SpaceLike

Named = Literal["bayes", "metric"]
Measure = Callable[[Dist], Any]  # of a distribution: any convex or quasi-convex function


def as_gain(
    given: GainLike | Measure,
    secrets: tuple[Any, ...] | None,
    space: SpaceLike | ChannelLike | None = None,
) -> Any:
    """A gain: a Gain as it is, "bayes", "metric", a table or a function of action and secret.

    A function of one argument is a measure of a distribution and comes back as it is.

    Parameters
    ----------
    given
        What the person wrote.
    secrets
        The secrets, which are the actions too; None where nobody has named them.
    space
        Their distances, for "metric": a space, or the mechanism that has one.
    """
    if isinstance(given, Gain) or _is_measure(given):
        return given
    if isinstance(given, str):
        _require_name(given, "gain")
        if given == "metric":
            rows, columns, table = _distances(space, "gain", normalised=True)
            return Gain(rows, columns, opposite(table))
    names = _named(secrets)
    if isinstance(given, str):
        return Gain(names, names, identity_table(len(names)))
    return finite(Gain(*_table(given, names)))


def as_loss(
    given: LossLike | Measure,
    secrets: tuple[Any, ...] | None,
    space: SpaceLike | ChannelLike | None = None,
) -> Any:
    """A loss: a Loss as it is, the mirror image of a Gain, or what `as_gain` reads.

    "metric" is the distance itself, "bayes" 1 for a wrong guess; tables and functions are costs.
    """
    if isinstance(given, Loss) or _is_measure(given):
        return given
    if isinstance(given, Gain):
        return mirror(given)
    if isinstance(given, str):
        _require_name(given, "loss")
        if given == "metric":
            return Loss(*_distances(space, "loss", normalised=False))
    names = _named(secrets)
    if isinstance(given, str):
        return Loss(names, names, opposite(identity_table(len(names))))
    return finite(Loss(*_table(given, names)))


def _is_measure(given: Any) -> bool:
    """Whether it is a function of one argument: of a distribution, not of an action and a secret."""
    if not callable(given):
        return False
    try:
        parameters = inspect.signature(given).parameters.values()
    except ValueError:  # some built-in functions do not say
        return True
    plain = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return len([p for p in parameters if p.default is p.empty and p.kind in plain]) < 2


def _require_name(given: str, what: str) -> None:
    if given not in ("bayes", "metric"):
        raise UnknownName.among(f"a {what} given by name", given, ("bayes", "metric"))


def _distances(space: Any, what: str, *, normalised: bool) -> Any:
    if space is None:
        raise NotApplicable(
            f'say which space: the {what} "metric" needs distances; give {what}.metric(space), or a '
            "mechanism, which brings its own"
        )
    found = space if isinstance(space, FiniteSpace) else space_for(space)
    return distance_table(found, None, None, normalised=normalised)


def _named(secrets: tuple[Any, ...] | None) -> tuple[Any, ...]:
    if secrets is None:
        raise NotApplicable("weights alone have no labels; give the prior as a Dist or a mapping")
    return secrets


def _table(given: Any, secrets: tuple[Any, ...]) -> Any:
    """Actions, secrets and the entries; the actions are the secrets where their numbers agree."""
    if callable(given):
        return function_table(secrets, secrets, given)
    if not hasattr(given, "__len__"):
        raise WrongKind(
            f"a gain or loss is needed, such as gain.identity(labels), not {type(given).__name__}"
        )
    actions = secrets if len(given) == len(secrets) else tuple(range(len(given)))
    return actions, secrets, given
