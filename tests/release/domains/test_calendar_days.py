"""Dates: what is a date and what is not, by the calendar of the standard library."""

from datetime import date, datetime, timedelta

import pytest

from dprivacy.errors import BadPlan
from dprivacy.release.domains.calendar_days import (
    DateLayout,
    iso_date,
    read_day,
    read_days,
    with_written_dates,
)

DAYS = [
    date(1, 1, 1),
    date(1969, 12, 31),
    date(2000, 2, 29),
    date(2024, 12, 31),
    date(9999, 12, 31),
]


@pytest.mark.parametrize("day", DAYS)
def test_days_are_counted_from_the_first_of_1970(day):
    number = (day - date(1970, 1, 1)) // timedelta(days=1)
    assert read_day(day, "low") == read_day(day.isoformat(), "low") == number
    assert iso_date(number) == day.isoformat()
    assert DateLayout().day(day.isoformat()) == number
    assert DateLayout("%d/%m/%Y").day(f"{day.day}/{day.month:02}/{day.year:04}") == number
    assert DateLayout("%Y%m%d").day(f"{day.year:04}{day.month:02}{day.day:02}") == number


@pytest.mark.parametrize(
    "text",
    ["", "2020-1-5", "2020-02-30", "01/02/2020", "20200105", "2020-01-05T00:00", " 2020-01-05",
     "2020-01-05\n", "٢٠٢٠-٠١-٠٥", "0000-01-01", "yesterday"],
)  # fmt: skip
def test_what_is_no_date_is_none(text):
    assert DateLayout().day(text) is None
    with pytest.raises(BadPlan, match="low should be a date, as 2020-01-31"):
        read_day(text, "low")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("1 month", 'type = "ordered"'),
        ("2 years", "not equally long"),
        ("12 hours", "a time of day is not protected"),
        ("0 days", "should be a number of days"),
        (0, "should be a number of days"),
        (True, "should be a number of days"),
        (1.5, "should be a number of days"),
        ("seven days", "should be a number of days"),
    ],
)
def test_grids_of_other_than_days_are_refused_in_words(given, words):
    with pytest.raises(BadPlan, match=words):
        read_days(given, "grid")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("%d.%m.%Y %H:%M", "time of day"),
        ("%d.%m.%y", "each of %d, %m and %Y once"),
        ("%d.%d.%Y", "each of %d, %m and %Y once"),
        ("ISO", "each of %d, %m and %Y once"),
        ("%d.%m.%Y%", "each of %d, %m and %Y once"),
        (5, "should be a text"),
        ("%d.%m.%Y" + "." * 40, "should be a text"),
    ],
)
def test_formats_that_leave_a_doubt_are_refused(given, words):
    with pytest.raises(BadPlan, match=words):
        DateLayout(given)


def test_dates_of_toml_are_written_out_and_times_of_day_refused():
    spec = {"low": date(2020, 1, 1), "high": datetime(2020, 2, 1, 12), "grid": "1 day"}
    written = with_written_dates(spec)
    assert written == {**spec, "low": "2020-01-01"}
    with pytest.raises(BadPlan, match="without a time of day"):
        read_day(written["high"], "high")
