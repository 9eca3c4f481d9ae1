"""Texts that Polars hands over as views, in the types of which Arrow can do everything."""

from typing import Any

from dprivacy.extras import arrow


def without_view_entries(column: Any) -> Any:
    """A column whose dictionary, if it has one, holds no views: Arrow cannot decode such a one.

    Examples
    --------
    >>> import pyarrow as pa
    >>> words = pa.array(["yes", "no"], pa.string_view())
    >>> answers = pa.DictionaryArray.from_arrays([1, 0, 1], words)
    >>> without_view_entries(answers).to_pylist()
    ['no', 'yes', 'no']
    """
    pa = arrow()
    if not pa.types.is_dictionary(column.type):
        return column
    if not pa.types.is_string_view(column.type.value_type):
        return column
    if isinstance(column, pa.ChunkedArray):
        kind = pa.dictionary(column.type.index_type, pa.large_string(), column.type.ordered)
        return pa.chunked_array([without_view_entries(each) for each in column.chunks], kind)
    entries = column.dictionary.cast(pa.large_string())
    return pa.DictionaryArray.from_arrays(column.indices, entries, ordered=column.type.ordered)


def without_views(column: Any) -> Any:
    """A column of texts, of views or of a dictionary of them, as one that is not."""
    pa = arrow()
    if pa.types.is_string_view(column.type):
        return column.cast(pa.large_string())
    return without_view_entries(column)
