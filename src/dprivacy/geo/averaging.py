"""The averaging attack: many reports from home give home away, unless the noise is permanent."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dprivacy.errors import BadNumber, PrivacyLeakWarning
from dprivacy.geo.earth.coordinates import read_places
from dprivacy.geo.earth.ellipsoid import Degrees, apart, to_space, to_surface
from dprivacy.geo.earth.lengths import LengthLike, in_words, metres
from dprivacy.geo.earth.regions import RegionLike, as_region
from dprivacy.geo.earth.tangent_plane import Plane
from dprivacy.geo.protecting_places import protect_places
from dprivacy.model import Answer, Pictured
from dprivacy.numbers import Floats
from dprivacy.release import person_name, read_people
from dprivacy.typing import Label, LevelLike

_ROUNDS = 60
_STILL = 1e-4  # metres: an estimate that moves by less stays
WAYS = ("fresh", "cells", "permanent")


@dataclass(frozen=True)
class AveragingAttack(Answer, Pictured):
    """How far off the attacker's estimate of home is, and what was charged, by the number of reports.

    Attributes
    ----------
    reports
        Numbers of reports.
    fresh, cells, permanent
        The median error in metres, of the better of two attackers, with new noise in every report,
        with permanent noise in cells, and with permanent noise by leaders.
    charged
        For each of these: how many reports of one person were charged, each with the level.
    people
        How many invented people it was tried on.
    radius, jitter
        The radius of the guarantee, and the error of the receiver along each axis, in metres.

    Examples
    --------
    >>> charged = {"fresh": (1, 100), "cells": (1, 4), "permanent": (1, 2)}
    >>> found = AveragingAttack(
    ...     (1, 100), (180.0, 20.0), (190.0, 120.0), (185.0, 180.0), charged, people=50, radius=200.0
    ... )
    >>> print(found.explain().splitlines()[3])
          100      20 m      100     120 m        4     180 m        2
    """

    reports: tuple[int, ...]
    fresh: tuple[float, ...]
    cells: tuple[float, ...]
    permanent: tuple[float, ...]
    charged: Mapping[str, tuple[int, ...]]
    people: int
    radius: float
    jitter: float = 0.0
    exact: bool = field(default=False, init=False)

    def explain(self) -> str:
        """The attack in words."""
        lines = [
            f"{self.people:,} invented people report from home, where their receivers err by "
            f"{in_words(self.jitter)} along each axis; the attacker takes the middle of each one's "
            "reports, or of those that differ, whichever comes nearer. Median error of the estimate, "
            "and how many reports of a person were charged:",
            f"{'reports':>9s}"
            + "".join(f"{name:>10s}  charged" for name in ("fresh", "cells", "leaders")),
        ]
        for k, n in enumerate(self.reports):
            row = "".join(
                f"{in_words(getattr(self, way)[k]):>10s}{self.charged[way][k]:9,d}" for way in WAYS
            )
            lines.append(f"{n:9,d}{row}")
        lines.append(
            "With fresh noise the levels of all reports add up. Permanent noise counts once for every "
            "place that is told apart: a cell, or a leader with what is near it."
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
        before, middle = middle, np.asarray(weights @ points / weights.sum())
        if np.abs(middle - before).max() < _STILL:
            break
    return middle


def _homes(plane: Plane, people: int) -> Floats:
    """Invented homes: a spiral around the centre, some metres apart, so that none is special."""
    turn = np.arange(people) * 2.399963
    length = 7.3 * np.sqrt(np.arange(people) + 0.5)
    return np.stack([length * np.cos(turn), length * np.sin(turn)], axis=1)


def _errors(n: int) -> Floats:
    """Normal errors along two axes, spread evenly: no random source is spent on an example."""
    from scipy.special import ndtri

    shares = (np.arange(1, n + 1)[:, None] * np.array([0.7548776662466927, 0.5698402909980532])) % 1
    return np.asarray(ndtri(np.clip(shares, 1e-9, 1 - 1e-9)))


def _missed(reports: Floats, homes: tuple[Floats, Floats]) -> float:
    """The median error of the estimates from some reports: people from 0 on, latitudes, longitudes."""
    order = np.argsort(reports[0], kind="stable")
    points = to_space(reports[1], reports[2])[order]
    ends = np.cumsum(np.bincount(reports[0].astype(np.intp)))
    lat, lon = to_surface(np.array([_median(mine) for mine in np.split(points, ends[:-1])]))
    return float(np.median(apart(lat, lon, *homes)))


def averaging_attack(
    *,
    eps: LevelLike = "ln 4",
    radius: LengthLike = "200 m",
    region: RegionLike = "40.7, -74.0, 50 km",
    reports: Sequence[int] = (1, 10, 100, 1000),
    people: int = 100,
    jitter: LengthLike = "10 m",
    key: bytes = b"an example's key, not for a release",
    insecure_seed: int | None = None,
) -> AveragingAttack:
    """Try the averaging attack on invented people, with fresh noise and with permanent noise.

    Parameters
    ----------
    eps, radius, region
        As for `protect_places`.
    reports
        How often each person reports from home.
    people
        How many are invented; they live around the centre of the region.
    jitter
        The standard deviation of what a receiver errs by, along each axis.
    key
        For the permanent noise.
    insecure_seed
        For tests and examples; it warns.

    Returns
    -------
    AveragingAttack
        Errors in metres, and what was charged.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     found = averaging_attack(reports=(1, 50), people=9, insecure_seed=1)
    >>> found.fresh[1] < 100 < found.permanent[1]  # many reports with fresh noise give home away
    True
    >>> found.charged["fresh"][1], found.charged["permanent"][1] <= 2
    (50, True)
    """
    counts = tuple(sorted(set(reports)))
    if not counts or not all(type(n) is int and n >= 1 for n in counts) or people < 1:
        raise BadNumber(
            f"reports and people should be whole numbers of at least 1, not {list(counts)} and {people}"
        )
    declared, spread = as_region(region), float(metres(jitter, what="the jitter"))
    most = counts[-1]
    who = np.tile(np.arange(people), most)
    points = _homes(declared.plane, people)
    homes = declared.plane.places(points)
    at = declared.plane.places(points[who] + spread * _errors(len(who)))
    fixed = {"people": who, "permanent_key": key}
    given: dict[str, dict[str, Any]] = {"fresh": {}, "cells": fixed}
    given["permanent"] = {**fixed, "whole_history": True}
    errors: dict[str, list[float]] = {way: [] for way in WAYS}
    charged: dict[str, list[int]] = {way: [] for way in WAYS}
    for way in WAYS:
        with warnings.catch_warnings():  # that so many reports protect little is what is shown
            warnings.filterwarnings("ignore", "Together,", PrivacyLeakWarning)
            found = protect_places(
                *at,
                radius=radius,
                eps=eps,
                region=declared,
                insecure_seed=insecure_seed,
                **given[way],
            ).data
        for n in counts:
            kept = slice(0, n * people)
            every = np.stack([who[kept], found.lat[kept], found.lon[kept]])
            drawn = np.unique(every, axis=1)
            errors[way].append(min(_missed(every, homes), _missed(drawn, homes)))
            counted = np.bincount(drawn[0].astype(np.intp))
            charged[way].append(n if way == "fresh" else int(counted.max()))
    fresh, cells, permanent = (tuple(errors[way]) for way in WAYS)
    return AveragingAttack(
        counts,
        fresh,
        cells,
        permanent,
        {way: tuple(charged[way]) for way in WAYS},
        people,
        float(metres(radius, what="the radius")),
        spread,
    )
