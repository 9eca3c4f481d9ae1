"""Permanent noise: who stays at a place reports the same noisy place again and again."""

import hmac
import json
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import WrongKind
from dprivacy.geo.place_noise import PlaceMechanism
from dprivacy.numbers import Frozen
from dprivacy.release import TaggedPeople, require_key, tagged
from dprivacy.sampling import CONSTRUCTION, lanes_of


class PermanentNoise(Frozen):
    """Noise that is a function of a secret key, the person and the cell.

    However often a person reports from a cell, all reports are one, and say what the first one said:
    averaging gains nothing. Another cell, another person, another question or another mechanism has
    independent noise.
    What is not hidden is the pattern: that somebody is back in a cell, and that they have left it.

    Parameters
    ----------
    mechanism
        Its cells decide what counts as the same place.
    key
        At least 16 secret bytes, such as ``secrets.token_bytes(32)``; it can undo the noise.
    context
        What is asked, such as "home"; another question has other noise. Of two that shared it, such as
        home and work, the true place of one would give away whether the other is the same.

    Examples
    --------
    >>> from dprivacy.geo import place_mechanism
    >>> mechanism = place_mechanism(region="40.7, -74, 50 km", cell="50 m")
    >>> fixed = PermanentNoise(mechanism, b"sixteen bytes or more")
    >>> cells = mechanism.cells(np.array([40.7, 40.7]), np.array([-74.0, -74.0]))
    >>> first, again = fixed.noisy(cells, ["ann", "ann"]).tolist()
    >>> first == again
    True
    >>> len(fixed.people(["ann", "bob"])), fixed.derived("checks") != fixed.derived("order")
    (2, True)
    """

    mechanism: PlaceMechanism
    _curator: bytes
    _key: bytes

    def __init__(self, mechanism: PlaceMechanism, key: Any, context: str = "") -> None:
        require_key(key)
        if not isinstance(context, str):
            raise WrongKind(f"the question is a text, such as 'home', not {context!r}")
        plane = None if mechanism.region is None else mechanism.region.plane
        where = "earth" if plane is None else f"{plane.lat!r} {plane.lon!r}"
        claim = mechanism.guarantee
        law = [str(claim.eps), str(mechanism.cell), str(mechanism.step), where]
        told = json.dumps([f"dprivacy {CONSTRUCTION} places", context, *law])
        self._set(mechanism=mechanism, _curator=key, _key=hmac.digest(key, told.encode(), "sha256"))

    def people(self, people: Iterable[Any]) -> TaggedPeople:
        """Whose rows they are, under the key."""
        return TaggedPeople(people, self._curator)

    def derived(self, purpose: str) -> bytes:
        """Another key of the same question, for something else than noise."""
        return hmac.digest(self._key, f"dprivacy places {purpose}".encode(), "sha256")

    def noisy(
        self, cells: NDArray[np.int64], people: Iterable[Any] | TaggedPeople
    ) -> NDArray[np.int64]:
        """Cells with the noise of their people, in steps.

        Parameters
        ----------
        cells
            What `PlaceMechanism.cells` gave.
        people
            Whose each row is.
        """
        tags = tagged(people, self._curator, len(cells), "place").tags
        drawn = self.mechanism.noise.draw_each(lanes_of(self._key, tags, *cells.T))
        return drawn + cells * int(self.mechanism.cell / self.mechanism.step)
