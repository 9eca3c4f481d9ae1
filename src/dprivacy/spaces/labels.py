"""Labels: hashable, distinct (also after Unicode normalisation), and named in every error."""

import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from dprivacy.errors import (
    BadNumber,
    DuplicateLabel,
    SpaceMismatch,
    UnknownCategory,
    WrongKind,
    WrongShape,
)
from dprivacy.typing import Label


def python_value(label: Any) -> Any:
    """A numpy scalar as the Python value it stands for."""
    scalar = hasattr(label, "dtype") and not getattr(label, "ndim", 0)
    return label.item() if scalar else label


def normal(label: Any) -> Any:
    """The label with its texts in Unicode's composed form, also inside tuples and frozensets."""
    if isinstance(label, str):
        return unicodedata.normalize("NFC", label)
    if isinstance(label, tuple | frozenset):
        return (tuple if isinstance(label, tuple) else frozenset)(map(normal, label))
    return label


def require_list(given: Iterable[Any], what: str, of: str = "labels") -> Iterable[Any]:
    """The same; WrongKind for what cannot be listed, and for a text: it is one label, not several."""
    if isinstance(given, str | bytes):
        raise WrongKind(f"{what}: a list of {of} is needed, not the single text {given!r}")
    if not isinstance(given, Iterable):
        raise WrongKind(f"{what}: a list of {of} is needed, not {given!r}")
    return given


def read_labels(labels: Iterable[Label], what: str = "labels") -> tuple[Label, ...]:
    """A tuple of distinct labels; numpy scalars become plain Python values.

    Raises
    ------
    WrongShape, WrongKind
        No labels, or one that cannot be a dictionary key.
    DuplicateLabel
        The same label twice, or two strings equal after Unicode normalisation.
    """
    plain = tuple(require_list(labels, what))
    if _are_plain(plain) and len(set(plain)) == len(plain):
        return plain
    plain = tuple(map(python_value, plain))
    if not plain:
        raise WrongShape(f"{what}: at least one is needed, and there is none")
    seen: dict[Any, Label] = {}
    for label in plain:
        try:
            key = normal(label)
            if key in seen:
                same = seen[key] == label and type(seen[key]) is type(label)
                fault = "appears twice" if same else f"is the same label as {seen[key]!r}"
                raise DuplicateLabel(f"{what}: {label!r} {fault}; labels must be distinct")
            seen[key] = label
            if isinstance(label, float) and math.isnan(label):
                raise BadNumber(f"{what}: NaN is not equal to itself, so it cannot be a label")
        except TypeError:
            raise WrongKind(
                f"{what}: {label!r} cannot be a label (it is not hashable); use text, numbers or tuples"
            ) from None
    return plain


def positions(known: Sequence[Label]) -> dict[Label, int]:
    """Where each label stands, by its normalised form."""
    if _are_plain(known):
        return dict(zip(known, range(len(known)), strict=True))
    return {normal(label): i for i, label in enumerate(known)}


def _are_plain(labels: Sequence[Any]) -> bool:
    """Whether all are whole numbers, or all ASCII texts: each is then its own normalised form."""
    kinds = set(map(type, labels))
    return kinds == {int} or (kinds == {str} and all(map(str.isascii, labels)))


def locate(index: dict[Label, int], label: Label, what: str) -> int:
    """The position of one label among `what`; UnknownCategory names it and the nearest choices."""
    try:
        return index[normal(label)]
    except (KeyError, TypeError):
        from difflib import get_close_matches

        close = get_close_matches(str(label), [str(known) for known in index], n=3)
        hint = f"did you mean {', '.join(close)}?" if close else f"they are {_listed(list(index))}"
        raise UnknownCategory(f"{label!r} is not among {what}; {hint}") from None


def require_same_labels(first: Sequence[Label], second: Sequence[Label], what: str) -> list[int]:
    """The positions in `second` of the labels of `first`; SpaceMismatch unless the sets agree."""
    if first == second:
        return list(range(len(first)))
    index, wanted = positions(second), positions(first)
    missing = [label for label in first if normal(label) not in index]
    extra = [label for label in second if normal(label) not in wanted]
    if missing or extra:
        parts = [f"{_listed(missing)} only in the first"] if missing else []
        parts += [f"{_listed(extra)} only in the second"] if extra else []
        raise SpaceMismatch(f"{what}: the labels differ ({'; '.join(parts)})")
    return [index[normal(label)] for label in first]


def _listed(labels: Sequence[Any], most: int = 6) -> str:
    shown = ", ".join(repr(label) for label in labels[:most])
    return shown + (f" and {len(labels) - most} more" if len(labels) > most else "")
