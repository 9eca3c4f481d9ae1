"""What a promise for places comes to: tried on one place, and on people who report again and again."""

from collections.abc import Mapping
from dataclasses import dataclass

from dprivacy.errors import BadNumber
from dprivacy.geo import (
    AveragingAttack,
    City,
    Disc,
    ProtectedPlaces,
    averaging_attack,
    city,
    example_town,
    in_words,
    metres,
    moved_by,
    place_mechanism,
    protect_places,
    read_places,
)
from dprivacy.numbers import Level, as_eps
from dprivacy.viz import TrialMap, trial_map
from dprivacy.web.shell.number_words import factor_in_words

REPORTS = (1, 10, 100, 1000)
TRIED = 60  # invented people at the place
_PEOPLE = 200  # … and of each number of reports
_NAMES = {"planar Laplace": "noise alone", "remapped": "the best guess from it"}


@dataclass(frozen=True, eq=False)
class Trial:
    """Reports of one place, the promise that they keep, a map of them, and their mean distance."""

    city: City
    reported: ProtectedPlaces
    drawn: TrialMap
    here: float

    @property
    def headline(self) -> str:
        """How far reports lie from the truth, in one line."""
        return f"Reports of this place lie {in_words(self.here)} from it on average"

    @property
    def promise(self) -> str:
        """The promise in words."""
        return "\n".join(self.reported.guarantee.explain().splitlines()[:2])

    @property
    def steps(self) -> str:
        """What was counted in."""
        return self.reported.guarantee.explain().splitlines()[2]

    def rows(self) -> list[list[str]]:
        """For each mechanism the mean, what 95 % stay within, and the mean at the worst place."""
        choice = self.reported.choice
        assert choice is not None
        return [
            [
                _NAMES[name] + (" (used)" if name == choice.used else ""),
                *(_whole(in_words(side)) for side in (far.mean, far.within_95, far.worst)),
            ]
            for name, far in choice.distances.items()
        ]


def read_home(text: str) -> tuple[float, float]:
    """Latitude and longitude as a person writes them.

    Examples
    --------
    >>> read_home("52.0035, 5.004")
    (52.0035, 5.004)
    """
    try:
        lat, lon = (float(part) for part in text.split(","))
    except ValueError:
        lat = lon = float("nan")
    if not (abs(lat) <= 90 and abs(lon) <= 180):
        raise BadNumber(
            "a place should be a latitude and a longitude in degrees, such as 52.0035, 5.004"
        )
    return lat, lon


def known_town(state: Mapping[str, str], own: City | None) -> City:
    """What everyone knows: a file of one's own, the invented town, or its region alone."""
    if own is not None:
        return own
    return city("52.0, 5.0, 3 km") if state["known"] == "region" else example_town()


def tried(state: Mapping[str, str], own: City | None = None) -> Trial:
    """Report one place, again and again for different people.

    Parameters
    ----------
    state
        The settings of the room.
    own
        Public places that a person brought.
    """
    known, home = known_town(state, own), read_home(state["home"])
    if not known.region.holds(*read_places([home[0]], [home[1]])).all():
        raise BadNumber(
            f"the place should lie in the region that everyone knows: {known.region.words()}"
        )
    reported = protect_places(
        [home[0]] * TRIED,
        [home[1]] * TRIED,
        radius=state["radius"],
        eps=state["eps"].strip(),
        city=known,
    ).data
    words = (
        f"Map: a place, {TRIED} reports of it, a circle of {in_words(reported.guarantee.radius)} "
        f"around it, and {len(known.public):,} public places."
    )
    assert reported.choice is not None
    reach = 2 * reported.choice.distances[reported.choice.used].within_95
    noise = place_mechanism(radius=state["radius"], eps=state["eps"].strip(), region=known.region)
    here = moved_by(noise, known.public, home)[reported.choice.used].mean
    return Trial(known, reported, trial_map(home, reported, known, reach=reach, words=words), here)


def attacked(state: Mapping[str, str], own: City | None = None) -> AveragingAttack:
    """The averaging attack on invented people in the same region."""
    return averaging_attack(
        eps=state["eps"].strip(),
        radius=state["radius"],
        region=known_town(state, own).region,
        reports=REPORTS,
        people=_PEOPLE,
    )


def attack_rows(found: AveragingAttack, eps: str) -> list[list[str]]:
    """For each number of reports what the attacker finds, and what was guaranteed."""
    level = as_eps(eps)
    return [
        [
            f"{n:,}",
            f"{_whole(in_words(fresh))}, {odds(level * n)}",
            f"{_whole(in_words(fixed))}, {odds(level * times)}",
        ]
        for n, fresh, fixed, times in zip(
            found.reports, found.fresh, found.permanent, found.charged["permanent"], strict=True
        )
    ]


def _whole(words: str) -> str:
    """Words that stay on one line."""
    return words.replace(" ", "\u00a0")


def odds(level: Level) -> str:
    """The factor that a level allows, short enough for a table."""
    return _whole(factor_in_words(str(level)).removeprefix("at most "))


def command(state: Mapping[str, str], known: City) -> str:
    """The command that does the same to a file.

    Examples
    --------
    >>> from dprivacy.geo import city
    >>> settings = {"radius": "200 m", "eps": "ln 4", "known": "region"}
    >>> command(settings, city("52, 5, 3 km")).split(" --epsilon")[0]
    'dprivacy geo places.csv --radius "200 m"'
    """
    radius, eps = metres(state["radius"], what="the radius"), as_eps(state["eps"].strip())
    region = known.region
    assert isinstance(region, Disc)
    prior = "" if state["known"] == "region" else "--prior shops.csv "
    where = f"{region.lat:.10g}, {region.lon:.10g}, {in_words(region.reach)}"
    return (
        f'dprivacy geo places.csv --radius "{in_words(radius)}" --epsilon "{eps}" --region "{where}" '
        f"{prior}-o reported.csv --map map.html"
    )
