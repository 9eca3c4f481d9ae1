"""Invented days of electricity use, so that a first run needs no file."""

import numpy as np

from dprivacy.curves.curve_readings import Floats
from dprivacy.mechanisms import whole


def example_days(n: int = 400, readings: int = 48) -> Floats:
    """n invented days, in kWh per reading: a base load, a morning, an evening, and habits.

    They follow formulas, not people: day i has its own hours and sizes, from multiples of irrational
    numbers, which spread evenly.
    """
    days, times = np.arange(whole(n, "n"))[:, None], whole(readings, "readings")
    hours = np.arange(times)[None, :] * 24 / times

    def spread(irrational: float) -> Floats:
        return np.asarray((days * irrational) % 1.0)

    base = 0.08 + 0.15 * spread(2**0.5)
    morning = 0.5 * spread(3**0.5) * _hump(hours, 6.5 + 2 * spread(5**0.5), 1.0)
    evening = (0.3 + 0.9 * spread(7**0.5)) * _hump(hours, 18 + 3 * spread(11**0.5), 2.0)
    heater = 0.8 * (spread(13**0.5) > 0.7) * _hump(hours, 1 + 22 * spread(17**0.5), 0.7)
    return np.asarray(np.round((base + morning + evening + heater) * 24 / times * 2, 3))


def _hump(hours: Floats, middle: Floats, width: float) -> Floats:
    apart = np.abs(hours - middle)
    apart = np.minimum(apart, 24 - apart)
    return np.asarray(np.exp(-((apart / width) ** 2)))
