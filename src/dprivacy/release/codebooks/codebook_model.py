"""The codebook: which variables a table has, and which answers each may hold, as somebody declared."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal, InvalidOperation
from typing import Literal

from dprivacy.errors import BadFile, TooLarge, UnknownName
from dprivacy.model import CONTROL

_MOST_VARIABLES, _MOST_VALUES = 20_000, 200_000
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_LONGEST_NAME, _LONGEST_NUMBER, _LARGEST_EXPONENT = 200, 60, 300

End = Decimal | date  # of a range
Measure = Literal["", "nominal", "ordinal", "scale"]


@dataclass(frozen=True)
class Value:
    """A code that a cell may hold.

    `missing` says that it stands for no answer, such as a refusal; `parent` is the code of the level
    above in a hierarchy.

    Examples
    --------
    >>> Value("9", "refused", missing=True)
    Value(code='9', label='refused', missing=True, parent='')
    """

    code: str
    label: str = ""
    missing: bool = False
    parent: str = ""


@dataclass(frozen=True)
class Variable:
    """What a codebook says of one variable.

    Parameters
    ----------
    name, label
        The name of its column, and the question or a description.
    values
        The codes that it lists.
    groups
        Levels above the codes, which no cell holds.
    low, high
        The range of its numbers, or of its dates.
    unit
        In which these are counted.
    measure
        "nominal", "ordinal" or "scale", where the codebook says so.
    role
        What the codebook says that it is for, such as "weight".
    note
        Where this is declared.

    Examples
    --------
    >>> age = Variable("age", "Age in years", low=Decimal(0), high=Decimal(110))
    >>> print(age.label, age.high)
    Age in years 110
    """

    name: str
    label: str = ""
    values: tuple[Value, ...] = ()
    groups: tuple[Value, ...] = ()
    low: End | None = None
    high: End | None = None
    unit: str = ""
    measure: Measure = ""
    role: str = ""
    note: str = ""


@dataclass(frozen=True)
class Codebook:
    """The variables of a codebook, in its order, and the hash of its file.

    Examples
    --------
    >>> book = Codebook("codes.csv", "ab12", (Variable("sex", values=(Value("1"), Value("2"))),))
    >>> print(book)
    codes.csv describes 1 variable: sex.
    >>> len(book.variable("sex").values)
    2
    >>> book.names, book.with_values("age", [Value("42")], "from a list").names
    (('sex',), ('sex', 'age'))
    """

    file: str
    sha256: str
    variables: tuple[Variable, ...]

    def __str__(self) -> str:
        """What it describes, in a sentence."""
        count = len(self.variables)
        return (
            f"{self.file} describes {count:,} variable{'s' if count != 1 else ''}: "
            f"{', '.join(self.names)}."
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the variables."""
        return tuple(variable.name for variable in self.variables)

    def variable(self, name: str) -> Variable:
        """The variable of a name."""
        for variable in self.variables:
            if variable.name == name:
                return variable
        raise UnknownName.among(f"{self.file}: the variable", name, self.names)

    def with_values(self, name: str, values: Sequence[Value], note: str) -> "Codebook":
        """The same codebook, with codes from a list for one variable, which it may lack."""
        found = {variable.name: variable for variable in self.variables}
        old = found.get(name, Variable(name))
        told = f"{old.note}; {note}" if old.note else note
        found[name] = replace(old, values=tuple(values), note=told)
        return replace(self, variables=tuple(found.values()))


def words_of(given: object) -> str:
    """Somebody's words on one line; half characters and what steers a terminal become spaces."""
    text = str(given).encode("utf-8", "replace").decode()
    return " ".join(CONTROL.sub(" ", text).split())


def decimal_of(given: object) -> Decimal | None:
    """A number that was written in decimals; None for anything else, also for monstrous ones.

    Examples
    --------
    >>> decimal_of("-9000"), decimal_of(16.3), decimal_of("1e999"), decimal_of("many")
    (Decimal('-9000'), Decimal('16.3'), None, None)
    """
    text = str(given).strip()
    if isinstance(given, bool) or not text.isascii() or len(text) > _LONGEST_NUMBER:
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    if "_" in text or not number.is_finite() or abs(number.adjusted()) > _LARGEST_EXPONENT:
        return None
    return number


def end_of(given: object) -> End | None:
    """A number, or a date that is written as 2020-01-31; None for anything else.

    Examples
    --------
    >>> end_of("7"), end_of("2020-01-31"), end_of("31.1.2020"), end_of("2020-02-31")
    (Decimal('7'), datetime.date(2020, 1, 31), None, None)
    """
    text = str(given).strip()
    if not _DATE.fullmatch(text):
        return decimal_of(given)
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None


def whole_of(code: str) -> int | None:
    """A code that is a whole number as one would write it; None for 01, which is a text.

    Examples
    --------
    >>> whole_of("-7"), whole_of("01"), whole_of("N")
    (-7, None, None)
    """
    digits = code.removeprefix("-")
    if not (digits.isascii() and digits.isdecimal() and len(digits) <= 18):
        return None
    return int(code) if str(int(code)) == code else None


def require_sound(variables: Sequence[Variable], where: str) -> None:
    """Refuse repeated or empty names and codes; the place is said, and nothing quoted."""
    if not variables:
        raise BadFile(f"{where}: a codebook should describe variables, and this file has none")
    if len(variables) > _MOST_VARIABLES:
        raise TooLarge(f"{where}: describes more than {_MOST_VARIABLES:,} variables")
    if sum(len(v.values) + len(v.groups) for v in variables) > _MOST_VALUES:
        raise TooLarge(f"{where}: lists more than {_MOST_VALUES:,} codes")
    first: dict[str, int] = {}
    for at, variable in enumerate(variables, 1):
        if not 0 < len(variable.name) <= _LONGEST_NAME or CONTROL.search(variable.name):
            raise BadFile(
                f"{where}: variable {at} should have a name of 1 to {_LONGEST_NAME} characters"
            )
        if variable.name in first:
            raise BadFile(
                f"{where}: variables {first[variable.name]} and {at} have the same name; keep those of "
                "one table"
            )
        first[variable.name] = at
        require_codes(variable.values, f"{where}: variable {at}")
        if not _runs_on(variable.low, variable.high):
            raise BadFile(
                f"{where}: variable {at} has a range that ends before it begins, or that leads from a "
                "date to a number"
            )


def _runs_on(low: End | None, high: End | None) -> bool:
    """Whether a range, if it is one, ends after it begins, and both ends are of one kind."""
    if isinstance(low, Decimal) and isinstance(high, Decimal):
        return low <= high
    if isinstance(low, date) and isinstance(high, date):
        return low <= high
    return low is None or high is None


def require_codes(values: Sequence[Value], where: str) -> None:
    """Refuse codes that are empty or come twice."""
    seen: set[str] = set()
    for at, value in enumerate(values, 1):
        if not value.code or CONTROL.search(value.code):
            raise BadFile(f"{where}, code {at}: is empty, or holds a control character")
        if value.code in seen:
            raise BadFile(f"{where}, code {at}: comes twice")
        seen.add(value.code)
