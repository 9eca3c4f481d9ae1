"""From what people have (lists, arrays, frames, mechanisms, texts, files) to channels and spaces."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable, UnknownName, WrongKind, WrongShape
from dprivacy.model.channels import Channel
from dprivacy.model.matrix_files import channel_in_file, space_in_file
from dprivacy.numbers import read_rows
from dprivacy.spaces import GRAMMAR, FiniteSpace, names_space, read_labels, space_from_text
from dprivacy.typing import ChannelLike, Label, PathArg, SpaceLike


def as_channel(
    given: ChannelLike,
    *,
    rows: Iterable[Label] | None = None,
    columns: Iterable[Label] | None = None,
) -> Channel:
    """Read a channel.

    Parameters
    ----------
    given
        A Channel, a mechanism with one, nested lists, an array, ``{input: {output: probability}}``,
        a data frame (labels from its index and columns; where there is no index, from a first
        column of text), or the path of a file: a labelled CSV table, a stored channel or mechanism,
        or JSON with rows, columns and matrix.
    rows, columns
        Labels of inputs and outputs; 0 … n−1 where nothing else names them.

    Examples
    --------
    >>> as_channel([["3/4", "1/4"], ["1/4", "3/4"]])[0, 1]
    Fraction(1, 4)
    """
    source: Any = given
    if isinstance(source, str | PathLike):
        source = channel_in_file(source)
    elif isinstance(getattr(source, "channel", None), Channel):
        source = source.channel
    elif hasattr(source, "randomise"):
        raise NotApplicable(
            f"{source!r} has inputs or outputs that cannot be listed, and so no channel; give a "
            "mechanism on listed values"
        )
    matrix: Any
    found: tuple[Any, Any]
    if isinstance(source, Channel):
        if rows is None and columns is None:
            return source
        matrix, found = source.matrix, (source.rows, source.columns)
    elif isinstance(source, Mapping):
        matrix, found = _from_mapping(source)
    elif hasattr(source, "columns") and hasattr(source, "to_numpy"):
        matrix, found = _from_frame(source)
    else:
        if not isinstance(source, Iterable):
            raise WrongKind(
                "a channel is read from nested lists, an array, a mapping, a data frame or a file, not "
                f"from {type(source).__name__}"
            )
        if isinstance(source, np.ndarray) and source.ndim != 2:
            raise WrongShape(f"a channel is a matrix with two dimensions, not {source.ndim}")
        matrix = source if isinstance(source, np.ndarray) else read_rows(source)
        found = (range(len(matrix)), range(len(matrix[0]) if len(matrix) else 0))
    return Channel(
        found[0] if rows is None else rows, found[1] if columns is None else columns, matrix
    )


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


def labels_of(over: SpaceLike | Iterable[Label], what: str = "labels") -> tuple[Label, ...]:
    """The points of a space, of a text that names one or of a mechanism; or labels as they are."""
    if isinstance(over, FiniteSpace | str) or hasattr(over, "guarantee"):
        return as_space(over).labels  # type: ignore[arg-type]  # what else has a guarantee
    return read_labels(over, what)


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


def _from_mapping(source: Mapping[Any, Any]) -> tuple[Any, tuple[Any, Any]]:
    if not source or not all(isinstance(row, Mapping) for row in source.values()):
        raise WrongKind(
            f"a channel as a mapping reads {{input: {{output: probability}}}}, not {str(source)[:40]}"
        )
    columns = list(dict.fromkeys(y for row in source.values() for y in row))
    return [[row.get(y, 0) for y in columns] for row in source.values()], (list(source), columns)


def _from_frame(frame: Any) -> tuple[Any, tuple[Any, Any]]:
    columns = list(frame.columns)
    table = [list(row) for row in frame.to_numpy()]
    if hasattr(frame, "index"):
        return table, (list(frame.index), columns)
    if table and all(isinstance(row[0], str) for row in table) and len(table[0]) > 1:
        return [row[1:] for row in table], ([row[0] for row in table], columns[1:])
    return table, (range(len(table)), columns)


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
