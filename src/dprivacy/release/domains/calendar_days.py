"""Dates of a plan and of cells: days that are counted, written as 2020-01-31."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from functools import cached_property
from typing import Any

from dprivacy.errors import BadPlan

_ISO = re.compile(r"\d{4}-\d{2}-\d{2}")
_DAYS = re.compile(r"\s*(\d{1,7})\s*(day|week)s?\s*")
_FIRST = date(1970, 1, 1).toordinal()
_PARTS = {"%Y": r"(?P<year>\d{4})", "%m": r"(?P<month>\d{1,2})", "%d": r"(?P<day>\d{1,2})"}
_LONGEST = 40  # characters of a format


def iso_date(day: int) -> str:
    """A day, counted from 1970-01-01, as it is written.

    Examples
    --------
    >>> iso_date(0), iso_date(18292)
    ('1970-01-01', '2020-01-31')
    """
    return date.fromordinal(int(day) + _FIRST).isoformat()


def read_day(value: Any, what: str) -> int:
    """The day, counted from 1970-01-01, of a date in a plan; BadPlan for anything else.

    Examples
    --------
    >>> read_day("1970-01-08", "low")
    7
    """
    if isinstance(value, datetime):
        raise BadPlan(f"{what} should be a date without a time of day, as 2020-01-31")
    if isinstance(value, date):
        return value.toordinal() - _FIRST
    found = _day_of(_ISO, value) if isinstance(value, str) else None
    if found is None:
        raise BadPlan(f"{what} should be a date, as 2020-01-31, not {str(value)[:40]!r}")
    return found


def read_days(value: Any, what: str) -> int:
    """A number of days, such as "7 days"; BadPlan for anything else.

    Examples
    --------
    >>> read_days("7 days", "grid"), read_days("2 weeks", "grid"), read_days(30, "grid")
    (7, 14, 30)
    """
    if type(value) is int and value > 0:
        return value
    found = _DAYS.fullmatch(value) if isinstance(value, str) else None
    if found is not None and int(found[1]) > 0:
        return int(found[1]) * (7 if found[2] == "week" else 1)
    if isinstance(value, str) and re.search("month|quarter|year", value):
        raise BadPlan(
            f"{what} should be a number of days: months and years are not equally long. For them, cut "
            'the dates to months or years, and list these: type = "ordered", values = ["2020-01", …]'
        )
    if isinstance(value, str) and re.search("hour|minute|second", value):
        raise BadPlan(f"{what} should be a number of days; a time of day is not protected here")
    raise BadPlan(f'{what} should be a number of days, such as "7 days", not {str(value)[:40]!r}')


def with_written_dates(spec: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a column of dates, those that TOML knows as dates written as texts."""
    return {key: value.isoformat() if type(value) is date else value for key, value in spec.items()}


@dataclass(frozen=True)
class DateLayout:
    """How the dates of a column are written: as 2020-01-31, or in a declared order of their parts.

    Parameters
    ----------
    format
        Such as "%d.%m.%Y": each of %d, %m and %Y once, and what stands between them.

    Examples
    --------
    >>> DateLayout().day("1970-01-08"), DateLayout("%d.%m.%Y").day("8.1.1970")
    (7, 7)
    >>> DateLayout().day("08/01/1970"), DateLayout("%d.%m.%Y").day("31.02.1970")
    (None, None)
    """

    format: str | None = None

    def __post_init__(self) -> None:
        given: object = self.format
        if given is None:
            return
        if not isinstance(given, str) or len(given) > _LONGEST:
            raise BadPlan(f'format should be a text such as "%d.%m.%Y", not {str(given)[:40]!r}')
        marks = re.findall("%.?", given)
        if any(mark in ("%H", "%I", "%M", "%S", "%f", "%p", "%T", "%X") for mark in marks):
            raise BadPlan(
                "format has a time of day, which is not protected here; cut it off the cells first"
            )
        if sorted(marks) != sorted(_PARTS):
            raise BadPlan(
                "format should have each of %d, %m and %Y once, as in %d.%m.%Y, and nothing else that "
                f"begins with %; it is {given!r}"
            )

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        if self.format is None:
            return _ISO
        pieces = re.split("(%.)", self.format)
        return re.compile("".join(_PARTS.get(piece, re.escape(piece)) for piece in pieces))

    @property
    def words(self) -> str:
        """How a date should be written, for messages."""
        return "as 2020-01-31" if self.format is None else f"as {self.format} says"

    def day(self, text: str) -> int | None:
        """The day that a text names, counted from 1970-01-01; None where it names none."""
        return _day_of(self._pattern, text)


def _day_of(pattern: re.Pattern[str], text: str) -> int | None:
    found = pattern.fullmatch(text) if text.isascii() else None
    if found is None:
        return None
    parts = found.groupdict() or dict(zip(("year", "month", "day"), text.split("-"), strict=True))
    try:
        return date(*(int(parts[part]) for part in ("year", "month", "day"))).toordinal() - _FIRST
    except ValueError:
        return None
