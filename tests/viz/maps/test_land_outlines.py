"""Coasts drawn by hand: cities are on land, the middle of seas is not."""

import numpy as np
import pytest
import shapely

from dprivacy.viz.maps.land_outlines import lands, waters

INLAND = {
    "Madrid": (-3.7, 40.4), "Paris": (2.35, 48.86), "Berlin": (13.4, 52.5), "Kyiv": (30.5, 50.45),
    "Moscow": (37.6, 55.75), "Novosibirsk": (82.9, 55), "Delhi": (77.2, 28.6), "Wuhan": (114.3, 30.6),
    "Ulaanbaatar": (106.9, 47.9), "Riyadh": (46.7, 24.7), "Tehran": (51.4, 35.7),
    "Ankara": (32.9, 39.9),
    "Cairo": (31.2, 30), "Nairobi": (36.8, -1.3), "Kinshasa": (15.3, -4.3), "Kano": (8.5, 12),
    "Johannesburg": (28, -26.2), "Chicago suburbs": (-88.5, 41.8), "Denver": (-105, 39.7),
    "Winnipeg": (-97.1, 49.9), "Atlanta": (-84.4, 33.7), "Mexico City": (-99.1, 19.4),
    "Bogota": (-74.1, 4.7), "Brasilia": (-47.9, -15.8), "Cordoba": (-64.2, -31.4),
    "La Paz": (-68, -16.5),
    "Alice Springs": (133.9, -23.7), "Canberra": (149.1, -35.3), "Birmingham": (-1.9, 52.5),
    "Kyoto": (135.8, 35), "Stockholm": (17.6, 59.4), "Oslo": (10.75, 60), "Rome": (12.6, 41.9),
    "Bangkok": (100.5, 14), "Fairbanks": (-147.7, 64.8), "Antananarivo": (47.5, -18.9),
}  # fmt: skip
AT_SEA = {
    "Atlantic": (-40, 30), "Pacific": (-150, 10), "Indian Ocean": (75, -15), "Mediterranean": (18, 35),
    "Black Sea": (34, 43.3), "Baltic": (19.5, 58), "North Sea": (3, 56), "Biscay": (-5, 45.5),
    "Red Sea": (38, 20.5), "Gulf of Mexico": (-90, 25), "Caribbean": (-75, 15), "Hudson Bay": (-86, 60),
    "Caspian": (51, 41), "Arabian Sea": (64, 15), "Bay of Bengal": (88, 14),
    "South China Sea": (114, 14),
    "Sea of Japan": (134, 40), "Tasman Sea": (160, -38), "Lake Superior": (-88, 47.6),
    "Gulf of Guinea": (3, 2), "Southern Ocean": (0, -60), "Persian Gulf": (50.5, 28),
    "Okhotsk": (149, 55),
}  # fmt: skip


def on_land(place):
    ground = [shapely.Polygon(ring).contains(shapely.Point(place)) for ring in lands()]
    return any(ground) and not any(
        shapely.Polygon(ring).contains(shapely.Point(place)) for ring in waters()
    )


@pytest.mark.parametrize("name", INLAND)
def test_cities_are_on_land(name):
    assert on_land(INLAND[name])


@pytest.mark.parametrize("name", AT_SEA)
def test_the_middle_of_seas_is_not(name):
    assert not on_land(AT_SEA[name])


def test_rings_do_not_cross_themselves_and_stay_on_the_earth():
    for ring in (*lands(), *waters()):
        assert shapely.Polygon(ring).is_valid
        assert (np.abs(ring) <= [190, 90]).all()
