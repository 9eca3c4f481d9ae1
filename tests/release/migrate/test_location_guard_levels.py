"""Location Guard's levels, as a radius and an ε."""

import pytest

from dprivacy.errors import DPrivacyError
from dprivacy.mechanisms import planar_laplace
from dprivacy.numbers.levels import Level, as_level, ln
from dprivacy.release import location_guard


def test_the_levels_of_location_guard():
    levels = location_guard()
    assert {name: level.radius for name, level in levels.items()} == {
        "low": 200, "medium": 500, "high": 2000,
    }  # fmt: skip
    assert [str(level.rate) for level in levels.values()] == ["1/100", "1/250", "1/1000"]
    assert all(level.mean == level.radius for level in levels.values())  # 2/ε with ε = 2/radius
    medium = levels["medium"]
    assert medium.settings == {"radius": "500 m", "eps": "2"}
    assert "48 of them" in medium.explain()
    assert medium.to_dict()["rate_per_m"] == 0.004
    assert planar_laplace(eps=medium.rate).guarantee.eps == as_level("1/250")


def test_settings_of_ones_own():
    own = location_guard({"epsilon": "ln 4", "levels": {"mine": {"radius": "0.5"}}})["mine"]
    assert own.rate == 2 * ln(4)
    assert isinstance(own.rate, Level)
    assert "again for" not in own.explain()
    for broken in (
        {},
        {"levels": {}},
        {"levels": {"x": 3}},
        {"levels": {"x": {"radius": 0}}},
        {"levels": {"x": {"radius": True}}},
        {"levels": {"x": {"radius": "wide"}}},
        {"levels": {"x": {"radius": 10, "cacheTime": -1}}},
        {"epsilon": 0, "levels": {"x": {"radius": 10}}},
    ):
        with pytest.raises(DPrivacyError):
            location_guard(broken)


def test_the_settings_go_into_the_places_room():
    geo = pytest.importorskip("dprivacy.geo")
    level = location_guard()["low"]
    claim = geo.place_mechanism(**level.settings, step="0.2 m", region="0, 0, 9 km").guarantee
    assert claim.radius == level.radius
    assert claim.eps < level.rate  # the cell is counted in
