"""Permanent noise: who stays at a place reports the same noisy place again and again."""

import hmac
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber
from dprivacy.geo.place_noise import PlaceMechanism
from dprivacy.numbers import Frozen
from dprivacy.release import person_name
from dprivacy.sampling import KeyedSource
from dprivacy.typing import Label

_SHORTEST_KEY = 16


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
    """

    mechanism: PlaceMechanism
    _key: bytes

    def __init__(self, mechanism: PlaceMechanism, key: Any, context: str = "") -> None:
        if not isinstance(key, bytes) or len(key) < _SHORTEST_KEY:
            raise BadNumber(
                f"the permanent key should be at least {_SHORTEST_KEY} secret bytes, such as "
                "secrets.token_bytes(32)"
            )
        plane = None if mechanism.region is None else mechanism.region.plane
        where = "earth" if plane is None else f"{plane.lat!r} {plane.lon!r}"
        claim = mechanism.guarantee
        law = [str(claim.eps), str(mechanism.cell), str(mechanism.step), where]
        told = json.dumps(["dprivacy permanent places 2", context, *law])
        self._set(mechanism=mechanism, _key=hmac.digest(key, told.encode(), "sha256"))

    def noisy(self, cells: NDArray[np.int64], people: Sequence[Label]) -> NDArray[np.int64]:
        """Cells with the noise of their people, in steps.

        Parameters
        ----------
        cells
            What `PlaceMechanism.cells` gave.
        people
            Whose each row is.
        """
        drawn: dict[bytes, NDArray[np.int64]] = {}
        out = np.empty_like(cells)
        for k, (cell, person) in enumerate(zip(cells.astype("<i8"), people, strict=True)):
            tag = hmac.digest(self._key, cell.tobytes() + person_name(person, k), "sha256")
            if tag not in drawn:
                drawn[tag] = self.mechanism.noise.draw(1, KeyedSource(tag, "place"))[0]
            out[k] = drawn[tag]
        return out + cells * int(self.mechanism.cell / self.mechanism.step)
