"""From what people have (lists, arrays, frames, mechanisms, texts, files) to channels and spaces."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable, UnknownName, WrongKind, WrongShape
from dprivacy.model.channels import Channel
from dprivacy.model.matrices.matrix_files import exact_channel, matrix_in_file, space_in_file
from dprivacy.model.matrices.printed_channel import PrintedChannel, must_be_a_print, print_of
from dprivacy.model.matrices.table_texts import Cells
from dprivacy.numbers import read_rows
from dprivacy.spaces import GRAMMAR, FiniteSpace, names_space, read_labels, space_from_text
from dprivacy.typing import ChannelLike, Label, PathArg, SpaceLike, TableLike


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
        column of text), or the path of a file: a labelled table (CSV, tabs, R's write.table, print
        and dput, LaTeX), JSON with rows, columns and matrix, NumPy's .npy or .npz, or a stored
        channel or mechanism. Written decimals are read exactly; see `printed` for rounded ones.
    rows, columns
        Labels of inputs and outputs; 0 … n−1 where nothing else names them.

    Examples
    --------
    >>> as_channel([["3/4", "1/4"], ["1/4", "3/4"]])[0, 1]
    Fraction(1, 4)
    """
    if rows is columns is None and isinstance(given, Channel):
        return given
    source: Any = given
    if isinstance(source, str | PathLike):
        source = exact_channel(matrix_in_file(source))
    elif isinstance(getattr(source, "channel", None), Channel):
        source = source.channel
    elif isinstance(source, PrintedChannel):
        raise NotApplicable(
            "a print stands for every channel that is rounded so, and only `privacy` and "
            "`smallest_eps` answer for all of them; give one channel here: printed(…).normalised()"
        )
    elif hasattr(source, "randomise"):
        raise NotApplicable(
            f"{source!r} has inputs or outputs that cannot be listed, and so no channel; give a "
            "mechanism on listed values"
        )
    matrix: Any
    found: tuple[Any, Any]
    if isinstance(source, Channel):
        if rows is columns is None:
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


def printed(
    given: TableLike | PathArg,
    *,
    rows: Iterable[Label] | None = None,
    columns: Iterable[Label] | None = None,
    decimals: int | None = None,
) -> PrintedChannel:
    """Read a matrix that was rounded for print: 0.123 stands for anything from 0.1225 to 0.1235.

    Parameters
    ----------
    given
        Nested lists of decimals, best as texts ("0.120" shows that three decimals are known), or the
        path of a file that `as_channel` reads and in which numbers are written.
    rows, columns
        Labels of inputs and outputs, where the file does not name them.
    decimals
        To how many decimals entries were rounded; by default as many as the longest entry of the same
        column shows, at most 15, and no more significant digits than any entry shows.

    Returns
    -------
    PrintedChannel
        For `privacy` and `smallest_eps`; `normalised()` is one channel near it.

    Raises
    ------
    NotStochastic
        A row that misses 1 by more than rounding explains.

    Examples
    --------
    >>> printed([["0.67", "0.33"], ["0.33", "0.67"]])
    PrintedChannel(2×2, entries known to ±0.005)
    """
    if isinstance(given, str | PathLike):
        found = matrix_in_file(given)
        if isinstance(found, Channel):
            raise NotApplicable(
                f"{given}: holds stored numbers, not a print; read it by as_channel"
            )
    else:
        table = [[str(value) for value in line] for line in read_rows(given)]
        found = Cells(range(len(table)), range(len(table[0]) if table else 0), table, "the print")
    inputs = found.rows if rows is None else tuple(rows)
    outputs = found.columns if columns is None else tuple(columns)
    return print_of(Cells(inputs, outputs, found.entries, found.name), decimals=decimals)


def channel_or_print(given: ChannelLike | PrintedChannel) -> Channel | PrintedChannel:
    """A channel; a print where one was given, or where a file can be nothing else."""
    if isinstance(given, PrintedChannel):
        return given
    if isinstance(given, str | PathLike):
        found = matrix_in_file(given)
        if isinstance(found, Cells) and must_be_a_print(found):
            return print_of(found)
        return exact_channel(found)
    return as_channel(given)


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


def space_for(C: ChannelLike | PrintedChannel, space: SpaceLike | None = None) -> FiniteSpace:
    """The space that a question about a channel is asked on: the one named, or the mechanism's own.

    A text without a size takes the channel's inputs as labels.

    Examples
    --------
    >>> coin = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> space_for(coin, "discrete").labels
    (0, 1)
    """
    if space is not None:
        return as_space(space, labels=channel_or_print(C).rows if isinstance(space, str) else None)
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
