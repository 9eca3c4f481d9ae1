"""A column that is published as it is: its values, and nothing that travels along with them."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable, WrongKind
from dprivacy.extras import arrow

EVERY_ROW = "row"  # what says that every row is a person of its own, as in a plan


def require_person(person: str | None, kept: Iterable[str]) -> None:
    """Refuse to publish columns as they are until somebody has said whose the rows are.

    An identifier that is published shows which rows are of one person, whose levels add up; nothing
    here guesses which columns are identifiers.
    """
    names = ", ".join(kept)
    if names and person is None:
        raise NotApplicable(
            f"columns to keep ({names}) are published as they are, and may show which rows are of one "
            "person; say whose a row is with person= (--person): a column, or 'row' when every row is "
            "a person of its own"
        )


def bare(array: Any, name: str) -> Any:
    """The values of an Arrow array without the rest of what it carries.

    Entries of a dictionary that no row has, bytes that lie under missing values, rows before and after
    a slice, what else is in the buffers that views point into, and metadata of nested fields stay
    behind; extension types are refused.
    """
    plain = _plain_type(array.type, name)
    try:
        return _copied(array, plain)
    except arrow().ArrowException:
        raise WrongKind(
            f"column {name!r} has the type {array.type}; cast it to a plainer one"
        ) from None


def _copied(array: Any, plain: Any) -> Any:
    """The values in buffers of their own."""
    pa = arrow()
    if pa.types.is_dictionary(plain):
        return array.dictionary_decode().dictionary_encode().cast(plain)
    if pa.types.is_string_view(plain) or pa.types.is_binary_view(plain):
        whole = pa.large_string() if pa.types.is_string_view(plain) else pa.large_binary()
        return array.cast(whole).cast(plain)
    if plain != array.type or _has_metadata(array.type):
        array = array.cast(plain)
    return array.take(pa.array(np.arange(len(array))))


def _plain_type(kind: Any, name: str) -> Any:
    """The type with its nested fields named and typed as before, and no metadata on them."""
    pa = arrow()
    if isinstance(kind, pa.BaseExtensionType):
        raise WrongKind(f"column {name!r} has an extension type, which may carry anything; cast it")
    if not pa.types.is_nested(kind):
        return kind
    fields = [_plain_field(kind.field(k), name) for k in range(kind.num_fields)]
    if pa.types.is_struct(kind):
        return pa.struct(fields)
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(fields[0], kind.list_size)
    if pa.types.is_list(kind):
        return pa.list_(fields[0])
    if pa.types.is_large_list(kind):
        return pa.large_list(fields[0])
    raise WrongKind(f"column {name!r} has the nested type {kind}; cast it to lists or structures")


def _plain_field(field: Any, name: str) -> Any:
    pa = arrow()
    if pa.types.is_dictionary(field.type):
        raise WrongKind(f"column {name!r} has a dictionary inside a nested type; cast it")
    return pa.field(field.name, _plain_type(field.type, name), field.nullable)


def _has_metadata(kind: Any) -> bool:
    if not arrow().types.is_nested(kind):
        return False
    fields = [kind.field(k) for k in range(kind.num_fields)]
    return any(field.metadata or _has_metadata(field.type) for field in fields)
