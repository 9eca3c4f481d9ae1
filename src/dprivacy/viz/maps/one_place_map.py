"""One place and its reports, among public places: what a promise looks like."""

from dataclasses import dataclass

import numpy as np

from dprivacy.geo import City, ProtectedPlaces, in_words
from dprivacy.viz.maps.clustered_dots import Spots, dots
from dprivacy.viz.maps.map_view import EDGE, View, view_of

_STEPS = (1, 2, 5, 10)


@dataclass(frozen=True, eq=False)
class TrialMap:
    """A map as SVG, and what lies where on it."""

    svg: str
    view: View

    def place(self, across: float, down: float) -> tuple[float, float]:
        """Latitude and longitude of a spot of the picture.

        Parameters
        ----------
        across, down
            Shares of its width and height, from the left and from the top.
        """
        view = self.view
        x, y = across * (view.wide + 2 * EDGE) - EDGE, down * (view.high + 2 * EDGE) - EDGE
        flat = np.array([[view.left + x / view.scale, view.top - y / view.scale]])
        assert view.plane is not None
        lat, lon = view.plane.places(flat)
        return round(float(lat[0]), 5), round(float(lon[0]), 5)


def trial_map(
    home: tuple[float, float],
    reported: ProtectedPlaces,
    city: City,
    *,
    reach: float,
    words: str,
) -> TrialMap:
    """Reports of one place.

    Parameters
    ----------
    home
        Latitude and longitude of the true place.
    reported
        Its reports.
    city
        What everyone knows.
    reach
        How far the map reaches from the place, in metres.
    words
        What the picture shows, for those who cannot see it.
    """
    plane, (lat, lon) = city.region.plane, (np.array([side]) for side in home)
    sides = plane.shadow(lat, lon) + reach * np.array([[-1.4, -1], [1.4, 1]])
    view = view_of([plane.places(sides)])
    x, y = view.at(lat, lon)[0]
    public = "".join(
        f"M{a - 1.5:.1f} {b - 1.5:.1f}h3v3h-3z"
        for a, b in view.at(*plane.places(city.public.points))
    )
    said = np.asarray(reported.lat), np.asarray(reported.lon)
    radius = float(reported.guarantee.radius) * view.scale
    frame = f'x="{EDGE}" y="{EDGE}" width="{view.wide:.1f}" height="{view.high:.1f}"'
    svg = (
        f'<svg class="map" viewBox="0 0 {view.wide + 2 * EDGE:.1f} {view.high + 2 * EDGE:.1f}" '
        f'role="img" aria-label="{words}">'
        f'<rect class="sea" {frame}/><clipPath id="trial"><rect {frame}/></clipPath>'
        f'<g clip-path="url(#trial)"><path class="listed" d="{public}"/>'
        f'<circle class="radius" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"/>'
        f"{dots(Spots.of(view.at(*said)), 'said')}"
        f'<path class="home" d="M{x - 9:.1f} {y:.1f}h18M{x:.1f} {y - 9:.1f}v18"/></g>'
        f'<rect class="frame" {frame}/>{_bar(view)}</svg>'
    )
    return TrialMap(svg, view)


def _bar(view: View) -> str:
    """A bar of a round length, of a fifth of the width at most."""
    power = 10.0 ** np.floor(np.log10(view.width / 5))
    length = max(step * power for step in _STEPS if step * power <= view.width / 5)
    size, end, low = length * view.scale, EDGE + view.wide - 14, EDGE + view.high - 14
    return (
        f'<path class="bar" d="M{end - size:.1f} {low - 6:.1f}v6h{size:.1f}v-6"/>'
        f'<text class="length" x="{end:.1f}" y="{low - 10:.1f}">{in_words(float(length))}</text>'
    )
