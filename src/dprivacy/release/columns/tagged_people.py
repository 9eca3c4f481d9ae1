"""Whose rows they are, as keyed tags: one rule for numbers, texts and every container."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, WrongKind, WrongShape
from dprivacy.extras import arrow, compute
from dprivacy.model import counted
from dprivacy.numbers import Frozen
from dprivacy.release.columns.person_identifiers import person_name
from dprivacy.sampling import PersonTags

_SHORTEST_KEY = 16
_WHOLE = re.compile(rb"0|-?[1-9][0-9]{0,18}")
_WHOLE_CELL = r"^(0|-?[1-9][0-9]{0,17})$"  # which 64 bits always hold
_SPACES = b" \t\n\v\f\r\x1c\x1d\x1e\x1f"
_ORDINARY, _DIGIT, _CARE = 0, 1, 2  # what a byte at either end of a text asks for
_ENDS = np.array(
    [_DIGIT if b in b"0123456789-" else _CARE if b in _SPACES or b > 127 else _ORDINARY
     for b in range(256)], np.uint8
)  # fmt: skip
_MOST_EXACT = 2.0**53


class TaggedPeople(Frozen):
    """Whose each row is, ready for permanent answers to several questions under one key.

    Parameters
    ----------
    people
        An identifier a row: a list, an array, a column of a pandas or Polars frame, an Arrow array. See
        `sanitise` for when two identifiers are those of one person.
    key
        At least 16 secret bytes.

    Examples
    --------
    >>> people = TaggedPeople(["7", 7.0, "ann"], b"k" * 32)
    >>> len(people), bool((people.tags[0] == people.tags[1]).all())
    (3, True)
    """

    tags: NDArray[np.uint64]
    _mark: bytes

    def __init__(self, people: Iterable[Any], key: bytes) -> None:
        require_key(key)
        maker = PersonTags(key)
        if isinstance(people, str | bytes) or not isinstance(people, Iterable):
            raise _no_list(people, "value")
        tags = _tags(maker, people)
        tags.flags.writeable = False
        self._set(tags=tags, _mark=maker.mark)

    def __len__(self) -> int:
        return len(self.tags)

    def __getitem__(self, rows: slice) -> "TaggedPeople":
        """Those of some rows."""
        some = object.__new__(TaggedPeople)
        some._set(tags=self.tags[rows], _mark=self._mark)
        return some

    def __repr__(self) -> str:
        return f"TaggedPeople({counted(len(self), 'row')})"


def tagged(people: Iterable[Any] | TaggedPeople, key: bytes, count: int, of: str) -> TaggedPeople:
    """Whose each of some values, places or sets is, under a key."""
    if isinstance(people, TaggedPeople):
        if people._mark != PersonTags(key).mark:
            raise NotApplicable("the people were tagged with another key; tag them with this one")
        found = people
    elif isinstance(people, str | bytes) or not isinstance(people, Iterable):
        raise _no_list(people, of)
    else:
        found = TaggedPeople(people, key)
    _require_length(len(found), count, of)
    return found


def read_people(people: Iterable[Any], count: int, of: str) -> list[Any]:
    """Whose each of some values, places or sets is."""
    if isinstance(people, str | bytes) or not isinstance(people, Iterable):
        raise _no_list(people, of)
    owners = list(people)
    _require_length(len(owners), count, of)
    return owners


def require_key(key: Any) -> None:
    """Refuse a key that is too short."""
    if not isinstance(key, bytes) or len(key) < _SHORTEST_KEY:
        told = counted(len(key), "byte") if isinstance(key, bytes) else f"a {type(key).__name__}"
        raise WrongKind(
            f"the key must be at least {_SHORTEST_KEY} secret bytes, such as "
            f"secrets.token_bytes(32), not {told}"
        )


def _no_list(people: Any, of: str) -> WrongKind:
    return WrongKind(
        f"people should be a list with the person of each {of}, not one value of type "
        f"{type(people).__name__}"
    )


def _require_length(found: int, count: int, of: str) -> None:
    if found != count:
        raise WrongShape(f"people should name one person for each {of}: {count}, not {found}")


def _tags(maker: PersonTags, people: Iterable[Any]) -> NDArray[np.uint64]:
    """Numbers and texts by the array; whatever else there is one by one."""
    held = _held(people)
    if isinstance(held, np.ndarray):
        return maker.of_whole(held)
    if isinstance(held, list):
        return _one_by_one(maker, held, range(len(held)))
    return _text_tags(maker, held)


def _held(people: Any) -> Any:
    """Whole numbers of 64 bits in an array, texts in an Arrow array, or a list."""
    pa = arrow()
    if isinstance(people, pa.ChunkedArray):
        people = people.combine_chunks()
    if isinstance(people, pa.Array):
        if pa.types.is_dictionary(people.type):
            people = people.dictionary_decode()
        if people.null_count == 0:
            if pa.types.is_string(people.type) or pa.types.is_large_string(people.type):
                return people
            if pa.types.is_integer(people.type):
                numbers = people.to_numpy(zero_copy_only=False)
                if _fits(numbers):
                    return numbers.astype(np.int64, copy=False)
        return people.to_pylist()
    kind = getattr(getattr(people, "dtype", None), "kind", "")  # of NumPy and pandas
    flat = getattr(people, "ndim", 1) == 1 and not isinstance(people, np.ma.MaskedArray)
    if kind in ("i", "u", "f") and flat:
        numbers = np.asarray(people)
        if numbers.dtype.kind in "iu" and _fits(numbers):
            return numbers.astype(np.int64, copy=False)
        if numbers.dtype.kind == "f" and _whole_floats(numbers):
            return numbers.astype(np.int64)
    rows = people.tolist() if isinstance(people, np.ndarray) and kind == "U" else list(people)
    kinds = set(map(type, rows))
    try:
        if kinds and bool not in kinds and all(issubclass(k, int | np.integer) for k in kinds):
            return np.array(rows, dtype=np.int64)
        if kinds == {str}:
            return pa.array(rows, type=pa.large_string())
    except (OverflowError, UnicodeEncodeError):
        pass  # beyond 64 bits, or no Unicode
    return rows


def _fits(numbers: NDArray[Any]) -> bool:
    """Whether whole numbers lie in a signed 64-bit integer."""
    return numbers.dtype != np.uint64 or not numbers.size or int(numbers.max()) < 1 << 63


def _whole_floats(numbers: NDArray[Any]) -> bool:
    return bool((np.abs(numbers) < _MOST_EXACT).all() and (np.rint(numbers) == numbers).all())


def _text_tags(maker: PersonTags, texts: Any) -> NDArray[np.uint64]:
    """Of Arrow texts: as they are, unless they may be written in another way."""
    pa = arrow()
    kind = np.int64 if pa.types.is_large_string(texts.type) else np.int32
    _, places, held = texts.buffers()
    ends = np.frombuffer(places or bytes(8), kind)[texts.offset : texts.offset + len(texts) + 1]
    data = np.frombuffer(held or b"", np.uint8)[ends[0] : ends[-1]]
    ends = ends - ends[0]
    tags = maker.of_texts(data, ends)
    care = np.flatnonzero(_needs_care(data, ends))
    if care.size:
        some = texts.take(pa.array(care))
        whole = np.asarray(compute().match_substring_regex(some, _WHOLE_CELL))
        if whole.any():
            numbers = some.filter(pa.array(whole)).cast(pa.int64())
            tags[care[whole]] = maker.of_whole(np.asarray(numbers))
        others = care[~whole]
        rows = texts.take(pa.array(others)).to_pylist()
        tags[others] = _one_by_one(maker, rows, others.tolist())
    return tags


def _needs_care(data: NDArray[np.uint8], ends: NDArray[np.integer]) -> NDArray[np.bool_]:
    """Which texts may be a number, have spaces around them, be empty, or are not plain ASCII.

    All others are the person's name byte for byte: ASCII is in the form NFC.
    """
    if not data.size:
        return np.ones(len(ends) - 1, np.bool_)
    first = _ENDS.take(data.take(ends[:-1], mode="clip"))
    last = _ENDS.take(data.take(ends[1:] - 1, mode="clip"))
    care: NDArray[np.bool_] = (first & last) == _DIGIT
    care |= (first | last) >= _CARE
    if int(np.diff(ends).min()) == 0:
        care |= np.diff(ends) == 0
    if int(data.max()) > 127:
        before = np.concatenate([[0], np.cumsum(data > 127)])
        care |= before[ends[1:]] > before[ends[:-1]]
    return care


def _one_by_one(
    maker: PersonTags, people: Sequence[Any], numbers: Iterable[int]
) -> NDArray[np.uint64]:
    """By the rule itself; `numbers` are those of the rows, for a refusal."""
    names = [person_name(who, row) for who, row in zip(people, numbers, strict=True)]
    values = [int(name) if _WHOLE.fullmatch(name) else None for name in names]
    whole = np.array([v is not None and -(1 << 63) <= v < 1 << 63 for v in values], np.bool_)
    tags = np.zeros((len(names), 2), "<u8")
    tags[whole] = maker.of_whole(
        np.array([v for v, mine in zip(values, whole, strict=True) if mine], np.int64)
    )
    texts = [name for name, mine in zip(names, whole, strict=True) if not mine]
    ends = np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)])
    tags[~whole] = maker.of_texts(np.frombuffer(b"".join(texts), np.uint8), ends)
    return tags
