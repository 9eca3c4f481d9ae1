"""What families ask of the space they are given."""

import math
from collections.abc import Callable, Iterable
from typing import Any

from dprivacy.errors import NotApplicable
from dprivacy.model import as_space
from dprivacy.spaces import FiniteSpace
from dprivacy.typing import SpaceLike


def space_or(
    given: SpaceLike | Iterable[Any] | int, of_labels: Callable[[Any], FiniteSpace]
) -> FiniteSpace:
    """A space as it is; labels become the one that the family's theory is about."""
    if isinstance(given, str | FiniteSpace) or hasattr(given, "guarantee"):
        return as_space(given)  # type: ignore[arg-type]  # what has a guarantee is a mechanism
    return of_labels(given)


def require_exact(space: FiniteSpace, family: str) -> None:
    """NotApplicable unless a space's distances are exact and some are finite."""
    if not space.exact:
        raise NotApplicable(
            f"{family} needs exact distances, but {space!r} has doubles; build the space from whole "
            "numbers, Fractions or text such as '0.1'"
        )
    if len(space) > 1 and space.separation == math.inf:
        raise NotApplicable(
            f"every two points of {space!r} are infinitely far apart, so that {family} has nothing to "
            "protect"
        )


def require_finite_distances(space: FiniteSpace, family: str) -> None:
    """NotApplicable unless all distances are exact and finite."""
    require_exact(space, family)
    if space.diameter == math.inf:
        raise NotApplicable(
            f"{family} needs finite distances, but {space!r} has points that are infinitely far apart; "
            "build a mechanism for each connected part"
        )
