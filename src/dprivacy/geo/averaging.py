"""The averaging attack: many reports from home give home away, unless the noise is permanent."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber
from dprivacy.geo.earth.coordinates import read_places
from dprivacy.geo.earth.ellipsoid import Degrees, apart, to_space, to_surface
from dprivacy.geo.earth.lengths import LengthLike, in_words
from dprivacy.geo.earth.regions import RegionLike, as_region
from dprivacy.geo.earth.tangent_plane import Plane
from dprivacy.geo.protecting_places import protect_places
from dprivacy.geo.released_places import ProtectedPlaces
from dprivacy.model import Answer, Pictured
from dprivacy.numbers import Floats
from dprivacy.release import person_name, read_people
from dprivacy.typing import Label, LevelLike

_ROUNDS = 60


@dataclass(frozen=True)
class AveragingAttack(Answer, Pictured):
    """How far off the attacker's estimate of home is, by the number of reports from there.

    Attributes
    ----------
    reports
        Numbers of reports.
    fresh, permanent
        The median error in metres with new noise in every report, and with permanent noise.
    people
        How many invented people it was tried on.
    radius
        The radius of the guarantee, in metres.

    Examples
    --------
    >>> found = AveragingAttack((1, 100), (180.0, 20.0), (190.0, 190.0), people=50, radius=200.0)
    >>> print(found.explain().splitlines()[3])
          100          20 m         190 m
    """

    reports: tuple[int, ...]
    fresh: tuple[float, ...]
    permanent: tuple[float, ...]
    people: int
    radius: float
    exact: bool = field(default=False, init=False)

    def explain(self) -> str:
        """The attack in words."""
        lines = [
            f"{self.people:,} invented people report from home; the attacker takes the middle of each "
            "one's reports. Median error of the estimate:",
            f"{'reports':>9s}  {'fresh noise':>12s}  {'permanent':>12s}",
        ]
        for n, fresh, fixed in zip(self.reports, self.fresh, self.permanent, strict=True):
            lines.append(f"{n:9,d}  {in_words(fresh):>12s}  {in_words(fixed):>12s}")
        lines.append(
            "With fresh noise the levels of all reports add up; permanent noise counts once per place."
        )
        return "\n".join(lines)


def averaged(
    lat: Degrees, lon: Degrees, people: Sequence[Label]
) -> dict[Label, tuple[float, float]]:
    """The attacker's estimate of where each person stays: the geometric median of their reports.

    Parameters
    ----------
    lat, lon
        Reported places in degrees.
    people
        Whose each is.

    Returns
    -------
    dict
        Person to (latitude, longitude).

    Notes
    -----
    For Laplace noise around one place the geometric median is the likeliest place. Found in space by
    Weiszfeld's iteration, so that neither poles nor the date line are special.

    Examples
    --------
    >>> averaged([10.0, 10.0, 10.002], [20.0, 20.0, 20.0], ["ann"] * 3)["ann"]
    (10.0, 20.0)
    """
    latitudes, longitudes = read_places(lat, lon)
    owners = read_people(people, len(latitudes), "place")
    points = to_space(latitudes, longitudes)
    rows: dict[bytes, list[int]] = {}
    for row, person in enumerate(owners):
        rows.setdefault(person_name(person, row), []).append(row)
    estimates = {}
    for mine in rows.values():
        sides = to_surface(_median(points[mine]))
        estimates[owners[mine[0]]] = (round(float(sides[0]), 7), round(float(sides[1]), 7))
    return estimates


def _median(points: Floats) -> Floats:
    middle = np.asarray(points.mean(axis=0))
    for _ in range(_ROUNDS):
        weights = 1 / np.maximum(np.sqrt(((points - middle) ** 2).sum(axis=1)), 1e-6)
        middle = np.asarray((weights[:, None] * points).sum(axis=0) / weights.sum())
    return middle


def _homes(plane: Plane, people: int) -> tuple[Floats, Floats]:
    """Invented homes: a spiral around the centre, some metres apart, so that none is special."""
    turn = np.arange(people) * 2.399963
    length = 7.3 * np.sqrt(np.arange(people) + 0.5)
    return plane.places(np.stack([length * np.cos(turn), length * np.sin(turn)], axis=1))


def averaging_attack(
    *,
    eps: LevelLike = "ln 4",
    radius: LengthLike = "200 m",
    region: RegionLike = "40.7, -74.0, 50 km",
    reports: Sequence[int] = (1, 7, 30, 100),
    people: int = 50,
    key: bytes = b"an example's key, not for a release",
    insecure_seed: int | None = None,
) -> AveragingAttack:
    """Try the averaging attack on invented people, with fresh and with permanent noise.

    Parameters
    ----------
    eps, radius, region
        As for `protect_places`.
    reports
        How often each person reports from home.
    people
        How many are invented; they live around the centre of the region.
    key
        For the permanent noise.
    insecure_seed
        For tests and examples; it warns.

    Returns
    -------
    AveragingAttack
        Errors in metres.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     found = averaging_attack(reports=(1, 50), people=9, insecure_seed=1)
    >>> found.fresh[1] < 100 < found.permanent[1]  # many reports with fresh noise give home away
    True
    """
    counts = tuple(sorted(set(reports)))
    if not counts or not all(type(n) is int and n >= 1 for n in counts) or people < 1:
        raise BadNumber(
            f"reports and people should be whole numbers of at least 1, not {list(counts)} and {people}"
        )
    declared = as_region(region)
    most = counts[-1]
    who = np.tile(np.arange(people), most)
    homes = _homes(declared.plane, people)
    at = [side[who] for side in homes]

    def reported(**given: Any) -> ProtectedPlaces:
        return protect_places(
            *at, radius=radius, eps=eps, region=declared, insecure_seed=insecure_seed, **given
        ).data

    fresh = reported()
    fixed = reported(people=who, permanent_key=key)
    errors: dict[str, list[float]] = {"fresh": [], "fixed": []}
    for n in counts:
        kept = np.arange(n * people)
        for name, found in (("fresh", fresh), ("fixed", fixed)):
            guesses = averaged(found.lat[kept], found.lon[kept], who[kept].tolist())
            lat, lon = np.array(list(guesses.values())).T
            errors[name].append(float(np.median(apart(lat, lon, *homes))))
    return AveragingAttack(
        counts,
        tuple(errors["fresh"]),
        tuple(errors["fixed"]),
        people,
        float(fresh.guarantee.radius),
    )
