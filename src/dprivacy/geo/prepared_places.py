"""True places that were read and checked, and how their reports are drawn."""

import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dprivacy.errors import BudgetExceeded, PrivacyLeakWarning
from dprivacy.geo.earth.coordinates import like
from dprivacy.geo.files.places_read import PlaceFile
from dprivacy.geo.permanent_visits import Visits
from dprivacy.geo.place_noise import PlaceMechanism
from dprivacy.geo.prior.best_guess import BestGuess
from dprivacy.geo.prior.least_distance import Choice
from dprivacy.geo.prior.optimal_channels import (
    Known,
    OptimalPlaces,
)
from dprivacy.geo.prior.place_lists import PlaceList
from dprivacy.geo.released_places import ProtectedPlaces, released
from dprivacy.model import counted
from dprivacy.numbers import Floats
from dprivacy.release import (
    Receipt,
    Released,
    person_name,
)
from dprivacy.sampling import Source, choose_source

_CHUNK = 1 << 14


@dataclass(frozen=True, eq=False)
class Prepared:
    """Places that were read and checked, and how their reports will be drawn."""

    mechanism: PlaceMechanism | OptimalPlaces
    lat: Floats
    lon: Floats
    given: tuple[Any, Any]  # what the places came in, and the reports go out in
    owners: Sequence[Any] | None
    permanent: Visits | None
    known: Known | None
    choice: Choice | None
    clamp: bool
    reports: int | None  # as many as were declared
    seed: int | None

    @property
    def charged(self) -> list[Any] | None:
        """Whose each report is; with permanent noise each person once, since places are what counts."""
        if self.owners is None or self.permanent is None:
            return None if self.owners is None else list(self.owners)
        return self.permanent.charged_people(self.owners)

    @property
    def charged_times(self) -> int:
        """How many reports of one person are charged, at least one."""
        guarantee, visits = self.mechanism.guarantee, self.permanent
        if visits is None or (self.reports is not None and not visits.kept):
            return guarantee.reports
        return max(1, visits.charged_times)

    @property
    def paid(self) -> bool:
        """Whether everything that is reported was paid for before."""
        return self.permanent is not None and not self.permanent.charged_times

    @property
    def published(self) -> list[str]:
        """What no level protects, in words."""
        return [] if self.permanent is None else [self.permanent.published]

    def drawn(
        self, *, receipt: Receipt | None = None, found: PlaceFile | None = None
    ) -> Released[ProtectedPlaces]:
        """The reports."""
        guarantee, source = self.mechanism.guarantee, choose_source(self.seed)
        if guarantee.warning:
            warnings.warn(guarantee.warning, PrivacyLeakWarning, stacklevel=3)
        if isinstance(self.mechanism, OptimalPlaces):
            drawing = self.mechanism.using(source)
            reports, law = drawing.randomise(np.stack([self.lat, self.lon], axis=1)).T, None
        else:
            reports, law = self._noisy(self.mechanism, source), self.mechanism.law
        places = ProtectedPlaces(
            like(reports[0], self.given[0]),
            like(reports[1], self.given[1]),
            guarantee,
            tuple(self._notes()),
            law,
            self.choice,
        )
        permanent = self.permanent is not None
        return released(
            places,
            self.mechanism,
            secure=permanent or source.secure,
            permanent=permanent,
            receipt=receipt,
            found=found,
        )

    def _noisy(self, mechanism: PlaceMechanism, source: Source) -> Floats:
        """Degrees of noisy points; best guesses and clamping are post-processing."""
        guess = None
        if self.known is not None and self.choice is not None and self.choice.used == "remapped":
            claim = mechanism.guarantee
            guess = BestGuess(self.known.public, float(claim.rate), float(claim.radius))
        out, noisy = np.empty((2, len(self.lat))), np.empty((len(self.lat), mechanism.axes))
        for start in range(0, len(self.lat), _CHUNK):
            here = slice(start, start + _CHUNK)
            if self.permanent is not None:
                steps = self.permanent.noisy(here)
            else:
                steps = mechanism.noisy(mechanism.cells(self.lat[here], self.lon[here]), source)
            noisy[here] = mechanism.points(steps)
        if guess is not None:
            noisy = guess.guesses(noisy)
        for start in range(0, len(self.lat), _CHUNK):
            here = slice(start, start + _CHUNK)
            found, region = mechanism.places(noisy[here]), mechanism.region
            out[:, here] = region.nearest(*found) if self.clamp and region is not None else found
        return out

    def _notes(self) -> list[str]:
        notes = []
        region = None if self.known is None else self.known.region
        region = self.mechanism.region if isinstance(self.mechanism, PlaceMechanism) else region
        if region is None:
            notes.append(
                "No region was declared, so the noise is spatial; with a region it moves less."
            )
        elif isinstance(self.known, PlaceList):
            notes.append(f"Everyone may know the list: {self.known.explain()}")
        else:
            notes.append(f"Everyone may know that the places lie {region.words()}.")
        if self.owners is None:
            notes.append("Each row is treated as another person; levels of a person's rows add up.")
        elif self.reports is None:
            notes.append(
                "The largest number of reports of one person was counted in the data; it is now public."
            )
        if self.reports is not None:
            notes.append(
                f"A person has at most {counted(self.reports, 'report')}, which may use the level up."
            )
        if self.permanent is not None:
            notes += self.permanent.notes()
        if self.choice is not None:
            notes.append(self.choice.explain())
        if isinstance(self.mechanism, OptimalPlaces):
            notes += self.mechanism.bound_in_words
        elif self.clamp:
            notes.append("Reports outside the region are moved to its border.")
        return notes


def first_of_each(owners: Sequence[Any] | None) -> slice | list[int]:
    """Where another person's rows begin: the places of one may well lie together."""
    if owners is None:
        return slice(None)
    return [k for k, who in enumerate(owners) if not k or who != owners[k - 1]]


def most_reports(owners: Sequence[Any] | None, limit: int | None) -> int:
    """The most reports of one person."""
    seen: Counter[bytes] = Counter()
    for row, person in enumerate(owners or ()):
        name = person_name(person, row)
        seen[name] += 1
        if limit is not None and seen[name] > limit:
            raise BudgetExceeded(
                f"row {row}: its person has more than {counted(limit, 'report')}, and the level was "
                f"divided by {limit}; leave rows out, or declare more reports"
            )
    return max(seen.values(), default=1)
