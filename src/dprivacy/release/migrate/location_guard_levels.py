"""The levels of Location Guard, the browser extension, as a radius and an ε."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.errors import BadNumber, WrongKind
from dprivacy.model import Answer, about, plain
from dprivacy.numbers import Level, as_eps, as_level

_SHIPPED: dict[str, Any] = {
    "epsilon": 2,
    "levels": {
        "low": {"radius": 200, "cacheTime": 10},
        "medium": {"radius": 500, "cacheTime": 30},
        "high": {"radius": 2000, "cacheTime": 60},
    },
}
_DAY = 24 * 60  # minutes


@dataclass(frozen=True)
class PlaceLevel(Answer):
    """Planar Laplace noise with `eps` within `radius` metres, drawn anew every `minutes`.

    Attributes
    ----------
    name
        "low", "medium", "high", or as the settings call it.
    eps, radius
        The level that is promised between places at most `radius` metres apart.
    minutes
        For how long a noisy place is given again; 0 for fresh noise each time.

    Examples
    --------
    >>> low = PlaceLevel("low", as_eps(2), Fraction(200))
    >>> print(low)
    Level low: 2 within 200 m, which is ε = 0.01 a metre; places are moved by 200 m on average.
    >>> print(low.rate, low.mean, low.settings)
    1/100 200.0 {'radius': '200 m', 'eps': '2'}
    """

    name: str
    eps: Level
    radius: Fraction
    minutes: Fraction = Fraction(0)

    exact = True

    @property
    def rate(self) -> Level:
        """ε per metre: what `planar_laplace` takes."""
        return self.eps / self.radius

    @property
    def mean(self) -> float:
        """How far places are moved on average, in metres: 2/rate."""
        return 2 / float(self.rate)

    @property
    def settings(self) -> dict[str, str]:
        """The same for `dprivacy.protect_places(lat, lon, **settings)`."""
        return {"radius": f"{self.radius} m", "eps": str(self.eps)}

    def explain(self) -> str:
        """The level in words."""
        text = (
            f"Level {self.name}: {about(self.eps)} within {self.radius} m, which is "
            f"ε = {float(self.rate):.4g} a metre; places are moved by {self.mean:.0f} m on average."
        )
        if self.minutes:
            text += (
                f" A noisy place is given again for {self.minutes} minutes; who asks all day has "
                f"{-(-_DAY // self.minutes)} of them, and their levels add up. Permanent noise "
                "(`protect_places` with a permanent key) reports the same from the same cell for good."
            )
        return text

    def to_dict(self) -> dict[str, Any]:
        """The level as plain data."""
        return {
            "name": self.name,
            "eps": plain(self.eps),
            "radius_m": plain(self.radius),
            "rate_per_m": float(self.rate),
            "mean_m": self.mean,
            "minutes": plain(self.minutes),
        }


def location_guard(settings: Mapping[str, Any] | None = None) -> dict[str, PlaceLevel]:
    """Location Guard's levels: noise of ε/radius a metre.

    Parameters
    ----------
    settings
        What the extension has stored: ``{"epsilon": 2, "levels": {"low": {"radius": 200, "cacheTime":
        10}, …}}``. As it is shipped when omitted.

    Returns
    -------
    dict
        A `PlaceLevel` for each name.

    Raises
    ------
    WrongKind, BadNumber
        Settings that are not of this form.

    Examples
    --------
    >>> level = location_guard()["medium"]
    >>> print(level.rate, level.mean, level.settings)
    1/250 500.0 {'radius': '500 m', 'eps': '2'}
    """
    given = _SHIPPED if settings is None else settings
    levels = given.get("levels")
    if not isinstance(levels, Mapping) or not levels:
        raise WrongKind(
            'Location Guard\'s settings read {"epsilon": 2, "levels": {"low": {"radius": 200}}}; these '
            f"are {str(given)[:60]}"
        )
    eps = as_eps(given.get("epsilon", 2))
    return {str(name): _level(str(name), eps, level) for name, level in levels.items()}


def _level(name: str, eps: Level, level: Any) -> PlaceLevel:
    if not isinstance(level, Mapping) or "radius" not in level:
        raise WrongKind(f'level {name!r} needs a radius in metres: {{"radius": 200}}')
    radius, minutes = (_number(name, key, level.get(key, 0)) for key in ("radius", "cacheTime"))
    if radius <= 0:
        raise BadNumber(f"level {name!r}: the radius is a positive number of metres, not {radius}")
    return PlaceLevel(name, eps, radius, minutes)


def _number(name: str, key: str, value: Any) -> Fraction:
    try:
        found = as_level(value).rational
    except (TypeError, ValueError):
        found = None
    if found is None or found < 0 or isinstance(value, bool):
        raise BadNumber(f"level {name!r}: {key} is a number that is not negative, not {value!r}")
    return Fraction(found)
