"""Dots that lie on each other become one, which says how many they are."""

from dataclasses import dataclass

import numpy as np

from dprivacy.numbers import Floats

MOST_SPOTS = 30_000  # that a map holds apart from each other
MOST_COUNTS = 150  # that are read at a glance
# Pixels within which dots become one: the first with few enough counts.
SIZES = (11, 16, 24, 36, 54, 80)


@dataclass(frozen=True, eq=False)
class Spots:
    """Where dots are on the paper, and how many at each spot: nothing is left out."""

    x: Floats
    y: Floats
    n: Floats

    @classmethod
    def of(cls, paper: Floats) -> "Spots":
        """Dots of one spot as one; spots are as small as their number allows."""
        width = 0.1
        while True:
            spots, counts = np.unique(np.rint(paper / width), axis=0, return_counts=True)
            if len(spots) <= MOST_SPOTS:
                x, y = (spots * width).T
                return cls(x, y, counts.astype(np.float64))
            width *= 2

    def clusters(self) -> "Spots":
        """What a map shows at first; the page does the same when it is zoomed."""
        found = self
        for size in SIZES:
            found = self._within(size)
            if int((found.n > 1).sum()) <= MOST_COUNTS:
                break
        return found

    def _within(self, size: float) -> "Spots":
        cells = np.floor(self.x / size) + 1j * np.floor(self.y / size)
        _, where = np.unique(cells, return_inverse=True)
        n = np.bincount(where, weights=self.n).astype(np.float64)
        x, y = (np.bincount(where, weights=self.n * side) / n for side in (self.x, self.y))
        return Spots(x, y, n)

    def triples(self) -> list[list[float]]:
        """For the page's script: x, y and how many."""
        return [
            [round(x, 1), round(y, 1), int(n)]
            for x, y, n in zip(self.x.tolist(), self.y.tolist(), self.n.tolist(), strict=True)
        ]


def dots(spots: Spots, kind: str) -> str:
    """Dots and counted dots as SVG.

    Parameters
    ----------
    spots
        What is drawn.
    kind
        "said" or "true".
    """
    shown = spots.clusters()
    marks = "".join(
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>'
        if n == 1
        else f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{5 + 2.5 * np.log10(n):.1f}" class="many"/>'
        f'<text x="{x:.1f}" y="{y:.1f}">{_short(int(n))}</text>'
        for x, y, n in zip(shown.x, shown.y, shown.n, strict=True)
    )
    return f'<g class="{kind}">{marks}</g>'


def _short(n: int) -> str:
    return str(n) if n < 1000 else f"{n / 1000:.1f}k" if n < 10_000 else f"{n // 1000}k"
