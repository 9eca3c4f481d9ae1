"""From what people have (a space, a mechanism, a text, a file) to a finite space."""

from collections.abc import Sequence
from os import PathLike

from dprivacy.errors import NotApplicable, UnknownName, WrongKind
from dprivacy.model.channel_input import as_channel
from dprivacy.model.matrix_files import space_in_file
from dprivacy.spaces import GRAMMAR, FiniteSpace, names_space, space_from_text
from dprivacy.typing import ChannelLike, Label, PathArg, SpaceLike


def as_space(given: SpaceLike | PathArg, *, labels: Sequence[Label] | None = None) -> FiniteSpace:
    """Read a space.

    Parameters
    ----------
    given
        A FiniteSpace, a mechanism (its own space), a text of the grammar (``"discrete"``,
        ``"line:5"``, ``"order"``, ``"grid:3x4:manhattan"``, ``"cube:3"``, ``"hamming"``), or the path
        of a file: a CSV table of distances, or a stored space or mechanism.
    labels
        What the points of a space given by a text are called.

    Raises
    ------
    WrongKind
        A list of values, among others: it could be categories or points of a line.

    Examples
    --------
    >>> as_space("grid:2x2:manhattan").distance((0, 0), (1, 1))
    Fraction(2, 1)
    >>> as_space("order", labels=["low", "middle", "high"]).distance("low", "high")
    Fraction(2, 1)
    """
    if isinstance(given, FiniteSpace):
        return given
    if hasattr(given, "guarantee"):
        return _own(given.guarantee.space, given)
    if isinstance(given, str) and names_space(given):
        return space_from_text(given, labels=labels)
    if isinstance(given, str) and not given.lower().endswith((".csv", ".json")):
        raise UnknownName(f"{given!r} does not name a space; write {GRAMMAR}")
    if isinstance(given, str | PathLike):
        return space_in_file(given)
    raise WrongKind(  # what a caller without a type checker may give
        f"a space is a FiniteSpace, a mechanism, a text such as 'line:5' or a file, not "
        f"{_shown(given)}; for values without order write discrete(values), for numbers line(values)"
    )


def space_for(C: ChannelLike, space: SpaceLike | None = None) -> FiniteSpace:
    """The space that a question about a channel is asked on: the one named, or the mechanism's own.

    A text without a size takes the channel's inputs as labels.

    Examples
    --------
    >>> coin = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> space_for(coin, "discrete").labels
    (0, 1)
    """
    if space is not None:
        return as_space(space, labels=as_channel(C).rows if isinstance(space, str) else None)
    if hasattr(C, "guarantee"):
        return _own(C.guarantee.space, C)
    if isinstance(C, str | PathLike) and str(C).lower().endswith(".json"):
        return space_in_file(C)
    raise NotApplicable(
        f"a channel alone ({type(C).__name__}) has no distances between its secrets; say which space: "
        "'discrete', 'line', 'order', 'grid:3x4', or a FiniteSpace"
    )


def _own(space: object, mechanism: object) -> FiniteSpace:
    if not isinstance(space, FiniteSpace):
        raise NotApplicable(
            f"the secrets of {type(mechanism).__name__} cannot be listed, so that it has no finite "
            f"space ({space}); give one"
        )
    return space


def _shown(given: object) -> str:
    text = repr(given)
    return f"the {type(given).__name__} {text if len(text) <= 60 else text[:57] + '…'}"
