"""Matrices and data frames as R's dput writes them: structure(c(0.8, 0.2, …), dim = c(2L, 2L))."""

import re
from collections.abc import Sequence
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.typing import Label

_TOKEN = re.compile(
    r'\s*(?:("(?:[^"\\]|\\.)*")'  # a text
    r"|([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?L?(?:\s*:\s*[0-9]+L?)?)"  # number, 1:3
    r"|([A-Za-z.][A-Za-z0-9._]*|`[^`]*`)"  # a name
    r"|([(),=]))"
)
_DEEPEST = 8  # calls within calls

Table = tuple[Sequence[Label], Sequence[Label], list[list[str]]]
Call = tuple[str, list[Any], dict[str, Any]]  # what is called, its arguments, those with names


def is_dput(text: str) -> bool:
    """Whether a text is what dput wrote of an object with attributes."""
    return text.lstrip().startswith("structure(")


def matrix_of_dput(text: str, name: str) -> Table:
    """Row labels, column labels and cells of a matrix or of a data frame.

    Examples
    --------
    >>> text = 'structure(c(0.8, 0.3, 0.2, 0.7), dim = c(2L, 2L), dimnames = list(NULL, c("a", "b")))'
    >>> matrix_of_dput(text, "it")
    ([1, 2], ['a', 'b'], [['0.8', '0.2'], ['0.3', '0.7']])
    """
    reader = _Reader(text, name)
    found = reader.value(0)
    if not (isinstance(found, tuple) and found[0] == "structure" and len(found[1]) == 1):
        raise reader.refusal("is not the structure of a matrix")
    inside, about = found[1][0], {key.lstrip(".").lower(): v for key, v in found[2].items()}
    if isinstance(inside, tuple) and inside[0] == "list":
        columns = [_listed(column) for column in inside[2].values()]
        labels: list[Any] = list(inside[2])
        rows = _listed(about.get("row.names"))
        if not columns or any(len(column) != len(columns[0]) for column in columns):
            raise reader.refusal("is not a data frame of numbers")
    else:
        values, size = _listed(inside), [_whole(v) for v in _listed(about.get("dim"))]
        if len(size) != 2 or min(size) < 1 or size[0] * size[1] != len(values):
            raise reader.refusal("should have two dimensions and as many numbers as they say")
        n, m = size
        columns = [values[j * n : (j + 1) * n] for j in range(m)]
        names = about.get("dimnames")
        sides = [*names[1], *names[2].values()] if isinstance(names, tuple) else []
        rows, labels = (_listed(side) for side in (sides if len(sides) == 2 else (None, None)))
    n = len(columns[0])
    if len(rows) != n or "NA" in rows:  # R counts from 1
        rows = list(range(1, n + 1))
    if len(labels) != len(columns):
        labels = list(range(1, len(columns) + 1))
    return rows, labels, [[column[i] for column in columns] for i in range(n)]


class _Reader:
    """R's literals and calls, as nested tuples; numbers stay as they were written."""

    def __init__(self, text: str, name: str) -> None:
        self.text, self.name, self.at = text, name, 0

    def refusal(self, why: str) -> BadFile:
        return BadFile(f"{self.name}: what dput wrote {why}")

    def _next(self) -> re.Match[str]:
        found = _TOKEN.match(self.text, self.at)
        if found is None:
            raise self.refusal("cannot be read; write the matrix with write.csv")
        self.at = found.end()
        return found

    def value(self, depth: int) -> Any:
        found = self._next()
        if found[1]:
            return re.sub(r"\\(.)", r"\1", found[1][1:-1])
        if found[2]:
            return _number(found[2].replace("L", ""))
        if not found[3] or depth > _DEEPEST:
            raise self.refusal("cannot be read; write the matrix with write.csv")
        if self.text[self.at : self.at + 1] != "(":
            return None if found[3] == "NULL" else found[3]
        return self._call(found[3], depth)

    def _call(self, called: str, depth: int) -> Call:
        unnamed: list[Any] = []
        named: dict[str, Any] = {}
        self.at += 1
        while True:
            before = self.at
            key = self._next()
            if key[4] == ")" and not unnamed and not named:
                break
            if (key[1] or key[3]) and self._sign() == "=":
                self._next()
                named[(key[3] or key[1]).strip('`"')] = self.value(depth + 1)
            else:
                self.at = before
                unnamed.append(self.value(depth + 1))
            mark = self._next()[4]
            if mark == ")":
                break
            if mark != ",":
                raise self.refusal("cannot be read; write the matrix with write.csv")
        return called, unnamed, named

    def _sign(self) -> str | None:
        found = _TOKEN.match(self.text, self.at)
        return found[4] if found else None


def _listed(value: Any) -> list[Any]:
    """The items of c(…), or of a single value."""
    if value is None:
        return []
    if isinstance(value, tuple):
        flat = [_listed(item) for item in (*value[1], *value[2].values())]
        return [item for items in flat for item in items]
    return [value]


def _number(text: str) -> Any:
    """A number as it was written; 1:3 is c(1, 2, 3)."""
    first, colon, last = (part.strip() for part in text.partition(":"))
    if not colon:
        return text
    start, end = (int(part) if part.isdigit() and len(part) < 6 else 0 for part in (first, last))
    return "c", [str(k) for k in range(start, end + 1)], {}


def _whole(value: Any) -> int:
    return int(value) if str(value).isdigit() and len(str(value)) < 9 else -1
