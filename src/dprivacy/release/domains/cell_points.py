"""The cells of a batch as positions of points and codes; anything else is refused."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.extras import arrow, compute
from dprivacy.mechanisms import nearest_on
from dprivacy.release.domains.calendar_days import DateLayout
from dprivacy.release.domains.point_columns import Points

_PER_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}
_TIME = "has a time of day, and only dates are protected; cut it off first"
_OTHER = 'is not a date written {}; where dates are written otherwise, say so: format = "%d.%m.%Y"'


def placed(
    points: Points,
    array: Any,
    missing: int | None,
    read: Callable[[Any], NDArray[np.float64]],
) -> NDArray[np.intp]:
    """The position of every cell among the points and codes.

    Parameters
    ----------
    points
        The points and codes.
    array
        An Arrow array of cells.
    missing
        The position that a missing cell stands for; None where none is missing.
    read
        Gives the numbers, or days, of an array whose missing cells do not matter.

    Notes
    -----
    A cell is a code if it is written like one, or if both are written as the same number: 999, 999.0.
    """
    pa, pc = arrow(), compute()
    at = np.full(len(array), -1, dtype=np.intp)
    if array.null_count:
        assert missing is not None
        at[np.asarray(array.is_null())] = missing
    words = [code for code in points.codes if code is not None]
    if words and (pa.types.is_string(array.type) or pa.types.is_large_string(array.type)):
        found = pc.index_in(array, value_set=pa.array(words, type=array.type))
        coded = np.asarray(found.is_valid())
        at[coded] = points.count + np.asarray(found.drop_null())
        if coded.any():
            array = pc.if_else(pa.array(coded), pa.scalar(None, array.type), array)
    if pa.types.is_null(array.type):
        return at
    numbers = read(array)
    for position, number in points.sized:
        at[(at < 0) & (numbers == number)] = position
    return np.where(at < 0, nearest_on(points.line, numbers), at)


def days_in(array: Any, layout: DateLayout) -> tuple[NDArray[np.float64] | None, int | None, str]:
    """Dates as days from 1970-01-01, 0 where one is missing.

    In place of them, None with the first cell that is not a date, and why; or no cell, where the whole
    array has nothing to do with dates.
    """
    pa = arrow()
    kind = array.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _written_days(array, layout)
    if pa.types.is_date32(kind):
        return _filled(array.cast(pa.int32())), None, ""
    whole = pa.types.is_date64(kind) or (pa.types.is_timestamp(kind) and kind.tz is None)
    if not whole:
        return None, None, ""
    unit = "ms" if pa.types.is_date64(kind) else kind.unit
    counted = array.cast(pa.int64())
    ticks = np.asarray(counted.fill_null(0) if counted.null_count else counted)
    days, rest = np.divmod(ticks, _PER_DAY[unit])
    if rest.any():
        return None, int(np.flatnonzero(rest)[0]), _TIME
    return days.astype(np.float64), None, ""


def _filled(array: Any) -> NDArray[np.float64]:
    whole = array.fill_null(0) if array.null_count else array
    return np.asarray(whole).astype(np.float64)


def _written_days(
    array: Any, layout: DateLayout
) -> tuple[NDArray[np.float64] | None, int | None, str]:
    known = array.dictionary_encode()
    texts = known.dictionary.to_pylist()
    days = [layout.day(text) for text in texts]
    codes = np.asarray(known.indices.fill_null(-1)).astype(np.intp)
    good = np.array([day is not None for day in (*days, 0)])  # the last for what is missing
    if not good.all():
        bad = int(np.flatnonzero(~good[codes])[0])
        text = texts[codes[bad]]
        timed = layout.format is None and layout.day(text[:10]) is not None and text[10:11] in "T "
        return None, bad, _TIME if timed else _OTHER.format(layout.words)
    return np.array([*days, 0], dtype=np.float64)[codes], None, ""
