"""`protect_places`: kinds of input, regions, clamping, refusals that show no value, permanence."""

import json
import math
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

from dprivacy.errors import (
    BadNumber,
    BudgetExceeded,
    InsecureSeedWarning,
    Malformed,
    NotApplicable,
    PrivacyLeakWarning,
    TooLarge,
    WrongShape,
)
from dprivacy.geo import (
    as_region,
    averaged,
    averaging_attack,
    city,
    displacement,
    frontier,
    optimal_places,
    place_mechanism,
    protect_places,
)
from dprivacy.numbers import ln
from support.geo_truth import geodesic

NYC = "40.7, -74.0, 50 km"
KEY = b"k" * 32
BOW_TIE = [[0, 0], [1, 1], [0, 1], [1, 0], [0, 0]]
SQUARE = {
    "type": "Polygon",
    "coordinates": [[[-74.1, 40.6], [-73.9, 40.6], [-73.9, 40.8], [-74.1, 40.8], [-74.1, 40.6]]],
}


def reported(*places, **options):
    return protect_places(*places, **options).data


def test_reports_come_back_as_what_places_came_in():
    lat, lon = [40.7, 40.71, 40.72], [-74.0, -74.01, -74.02]
    for given in (lat, np.array(lat), tuple(lat)):
        found = reported(given, lon, region=NYC)
        assert isinstance(found.lat, np.ndarray)
        assert len(found) == 3
    frame = pd.DataFrame({"lat": lat, "lon": lon}, index=["a", "b", "c"])
    found = reported(frame["lat"], frame["lon"], region=NYC)
    assert isinstance(found.lat, pd.Series)
    assert list(found.lon.index) == ["a", "b", "c"]
    assert found.lon.name == "lon"
    table = pl.DataFrame({"lat": lat, "lon": lon})
    found = reported(table["lat"], table["lon"], region=NYC)
    assert isinstance(found.lat, pl.Series)
    assert found.lat.name == "lat"
    assert len(reported([], [], region=NYC)) == 0
    assert (np.round(np.asarray(found.lat), 7) == np.asarray(found.lat)).all()


def test_noise_is_fresh_unless_a_seed_is_forced_and_then_it_says_so():
    first, second = (protect_places([40.7], [-74.0], region=NYC) for _ in range(2))
    assert first.data.lat[0] != second.data.lat[0]
    assert first.card.secure
    with pytest.warns(InsecureSeedWarning):
        seeded = protect_places([40.7], [-74.0], region=NYC, insecure_seed=1)
    assert not seeded.card.holds
    assert "NO GUARANTEE" in seeded.explain()
    assert seeded.to_dict()["secure"] is False


CANARY = 40.712345678901


@pytest.mark.parametrize(
    ("lat", "lon", "words"),
    [
        ([CANARY, math.nan], [-74.0, -74.0], "row 1 has no finite latitude"),
        ([CANARY, CANARY], [-74.0, math.inf], "row 1 has no finite longitude"),
        ([CANARY, None], [-74.0, -74.0], "row 1 has no finite latitude"),
        ([-73.9, -173.123456], [40.7, 40.8], "row 1 has a latitude beyond ±90; .* swapped"),
        ([CANARY, 95.123456], [-74.0, 120.0], r"row 1 has a latitude beyond ±90$"),
        ([CANARY, CANARY], [-74.0, 361.25], "row 1 has a longitude outside −180 … 360"),
        ([CANARY, 41.98765], [-74.0, -74.0], "row 1 lies outside the declared region; leave"),
        ([-74.0, -74.0], [CANARY, CANARY], r"row 0 lies outside .* \(and 1 more\); the two seem"),
        ([CANARY], [-74.0, -74.0], "not 2 longitudes for 1 latitude"),
        (["40.712345678901"], [-74.0], "latitudes should be numbers, not texts"),
        ([True], [-74.0], "latitudes should be numbers, not texts or truth"),
        ("40.712345678901", [-74.0], "not a single text"),
        ([[CANARY]], [-74.0], "one number per row"),
        ([[CANARY], [1, 2]], [-74.0], "one number per row"),
        ([CANARY + 1j], [-74.0], "numbers"),
        ([object()], [-74.0], "latitudes .* numbers"),
        (None, None, "finite latitude|numbers"),
    ],
)
def test_what_is_wrong_is_named_by_its_row_and_never_by_its_value(lat, lon, words):
    with pytest.raises(Malformed, match=words) as refusal:
        reported(lat, lon, region=NYC)
    said = str(refusal.value)
    for secret in ("40.71", "173", "95.1", "361", "41.98", "73.9"):
        assert secret not in said


def test_longitudes_may_run_to_360():
    found = reported([-17.7], [182.0], region="-17.7, -178, 10 km", insecure_seed=None)
    assert geodesic(-17.7, -178.0, found.lat[0], found.lon[0]) < 20_000


def test_the_object_and_its_words_hold_nothing_of_the_truth():
    found = reported([40.712345678], [-74.0123456], region=NYC)
    text = found.explain() + repr(found) + json.dumps(found.to_dict())
    assert "40.712345" not in text
    assert "74.012345" not in text


@pytest.mark.parametrize(
    "region", [NYC, "40.6, -74.1, 40.8, -73.9", SQUARE, {"type": "Feature", "geometry": SQUARE}]
)
def test_clamping_keeps_reports_inside_and_moves_no_others(region):
    lat, lon = np.full(3000, 40.7), np.full(3000, -74.0)
    given = {"radius": "20 km", "region": region, "insecure_seed": 6}
    with pytest.warns(InsecureSeedWarning):
        free = reported(lat, lon, **given)
    with pytest.warns(InsecureSeedWarning):
        held = reported(lat, lon, clamp=True, **given)
    declared = as_region(region)
    inside = declared.holds(free.lat, free.lon)
    assert 0 < inside.sum() < 3000
    assert (held.lat[inside] == free.lat[inside]).all()
    shrunk = declared.nearest(held.lat, held.lon)
    assert geodesic(held.lat, held.lon, *shrunk).max() < 1e-3
    assert (held.lat[~inside] != free.lat[~inside]).any()


def test_a_box_across_the_date_line_and_one_that_ends_at_it():
    fiji = as_region("-19, 177, -16, -178")
    assert fiji.plane.lon == pytest.approx(179.5)
    lat = np.array([-17.0, -17.0, -17.0, -17.0, -15.0])
    lon = np.array([179.9, -179.9, 177.0, 0.0, 180.0])
    assert fiji.holds(lat, lon).tolist() == [True, True, True, False, False]
    assert fiji.holds(np.array([-17.0]), np.array([181.0])).all()
    moved = fiji.nearest(np.array([-17.0, -10.0]), np.array([-177.0, 179.0]))
    assert moved[1][0] == pytest.approx(-178)
    assert moved[0][1] == pytest.approx(-16)
    found = reported(lat[:3], lon[:3], region="-19, 177, -16, -178", clamp=True)
    assert fiji.holds(found.lat, found.lon).all()
    polygon = as_region(
        {
            "type": "Polygon",
            "coordinates": [[[179, -18], [-179, -18], [-179, -17], [179, -17], [179, -18]]],
        }
    )
    assert polygon.holds(np.array([-17.5, -17.5]), np.array([179.99, -179.99])).all()


@pytest.mark.parametrize(
    ("region", "words"),
    [
        ("40.7", "a region should be"),
        ("a, b, c", "a region should be"),
        (5, "a region should be"),
        ("100, 0, 5 km", "latitudes should lie between"),
        ("nan, 0, 5 km", "latitudes should lie between"),
        ("40, 0, 5000 km", "at most 3,000 km"),
        ("-80, -170, 80, 170", "at most 3,000 km"),
        ("41, 0, 40, 1", "south below north"),
        ("40, 1, 41, 1", "south below north"),
        ({"type": "Point", "coordinates": [0, 0]}, "one Polygon"),
        ({"type": "Polygon", "coordinates": [[[0, 0], [1, 1]]]}, "at least four"),
        ({"type": "Polygon", "coordinates": [BOW_TIE]}, "cross themselves"),
        ({"type": "Polygon"}, "at least four"),
        ("nowhere.geojson", "cannot be read"),
    ],
)  # fmt: skip
def test_regions_that_are_refused(region, words):
    with pytest.raises(Malformed, match=words):
        reported([0.5], [0.5], region=region)


def test_permanent_noise_repeats_for_a_person_and_a_cell_and_nothing_else():
    lat, lon = np.array([40.7] * 4 + [40.75]), np.array([-74.0] * 5)
    people = ["ann", "ann", "bob", 7, "ann"]
    released = protect_places(lat, lon, region=NYC, people=people, permanent_key=KEY)
    found = released.data
    places = list(zip(found.lat, found.lon, strict=True))
    assert places[0] == places[1]
    assert len(set(places)) == 4
    again = reported(lat, lon, region=NYC, people=people, permanent_key=KEY)
    assert (again.lat == found.lat).all()
    # a decimetre: the same cell
    near = reported(lat + 1e-6, lon, region=NYC, people=people, permanent_key=KEY)
    assert (near.lat[:4] == found.lat[:4]).sum() >= 3
    for changed in (
        {"permanent_key": b"l" * 32},
        {"radius": "201 m"},
        {"eps": "ln 5"},
        {"region": "40.7,-74.01,50 km"},
    ):
        other = reported(
            lat, lon, **{"region": NYC, "people": people, "permanent_key": KEY, **changed}
        )
        assert (other.lat != found.lat).all()
    assert released.card.secure
    assert released.card.permanent
    assert "permanent" in found.explain()
    assert "moving them to cells of 50 m" in found.explain()
    assert found.guarantee.reports == 2  # ann was in two cells
    world = reported(lat, lon, people=people, permanent_key=KEY)
    assert world.lat[0] == world.lat[1] != world.lat[2]


@pytest.mark.parametrize("n", [1500, pytest.param(50_000, marks=pytest.mark.slow)])
def test_permanent_noise_has_the_law_of_fresh_noise(n):
    mechanism = place_mechanism(cell="50 m", region=NYC)
    found = reported(
        np.full(n, 40.7), np.full(n, -74.0), region=NYC, people=range(n), permanent_key=KEY
    )
    away = geodesic(40.7, -74.0, found.lat, found.lon)
    assert (
        stats.kstest(np.asarray(away) * float(mechanism.guarantee.eps), stats.gamma(2).cdf).pvalue
        > 1e-3
    )


def test_levels_of_several_reports_add_up_and_can_be_shared_out():
    lat, lon = np.full(5, 40.7), np.full(5, -74.0)
    people = ["ann", "ann", "ann", "bob", "bob"]
    found = reported(lat, lon, region=NYC, people=people)
    assert found.guarantee.reports == 3
    assert found.guarantee.total == 3 * ln(4)
    shared = reported(lat, lon, region=NYC, people=people, reports=3)
    assert shared.guarantee.level == ln(4) / 3
    assert shared.guarantee.total == ln(4)
    assert shared.law.mean == pytest.approx(3 * found.law.mean)
    with pytest.raises(BudgetExceeded, match="row 2: its person has more than 2 reports"):
        reported(lat, lon, region=NYC, people=people, reports=2)
    assert (
        reported(
            lat, lon, region=NYC, people=people, reports=1, permanent_key=KEY
        ).guarantee.reports
        == 1
    )
    with pytest.raises(BudgetExceeded, match="more than 1 different place,"):
        reported(
            lat + np.arange(5) / 100, lon, region=NYC, people=people, reports=1, permanent_key=KEY
        )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"permanent_key": KEY}, "need to know whose"),
        ({"reports": 2}, "need to know whose"),
        ({"permanent_key": b"short", "people": ["a"]}, "at least 16 secret bytes"),
        ({"permanent_key": "x" * 32, "people": ["a"]}, "at least 16 secret bytes"),
        ({"people": ["a", "b"]}, "one person for each place: 1, not 2"),
        ({"people": "a"}, "a list with the person of each place, not one value of type str"),
        ({"people": 7}, "not one value of type int"),
        ({"city": "paris"}, "a city should be what city"),
        ({"people": [None]}, "row 0 belongs to nobody"),
        ({"people": [math.nan], "permanent_key": KEY}, "row 0 belongs to nobody"),
        ({"reports": 0, "people": ["a"]}, "at least 1"),
        ({"reports": True, "people": ["a"]}, "at least 1"),
        ({"clamp": True, "region": None}, "needs a region"),
    ],
)
def test_what_permanence_and_reports_need(given, words):
    with pytest.raises(Malformed, match=words):
        reported([40.7], [-74.0], **{"region": NYC, **given})


def test_many_reports_are_warned_of():
    words = "Together, 10 reports of a person are not protected .* a factor of 1,048,576"
    with pytest.warns(PrivacyLeakWarning, match=words):
        reported(np.full(10, 40.7), np.full(10, -74.0), region=NYC, people=["ann"] * 10)


def test_averaging_finds_home_through_fresh_noise_and_not_through_permanent_noise():
    """Receivers that err by 10 m: cells are told apart, leaders hardly ever."""
    with pytest.warns(InsecureSeedWarning):
        found = averaging_attack(reports=(1, 10, 100), people=40, insecure_seed=3)
    assert found.fresh[2] < found.fresh[0] / 5
    assert found.permanent[2] > 0.8 * found.permanent[0]
    assert found.permanent[2] > 4 * found.fresh[2]
    # Cells that a home lies in have noise each; the most frequent one would outvote the others.
    assert found.fresh[2] < found.cells[2] < 0.8 * found.cells[0]
    assert found.charged["fresh"] == (1, 10, 100)
    assert found.charged["cells"][2] >= 3
    assert found.charged["permanent"][0] == 1
    assert found.charged["permanent"][2] <= 2
    assert "invented people" in str(found)
    assert found.to_dict()["reports"] == [1, 10, 100]
    with pytest.raises(BadNumber):
        averaging_attack(reports=())
    with pytest.raises(WrongShape, match="people"):
        averaged([1.0], [2.0], ["a", "b"])


def test_the_middle_of_reports_is_found_across_the_date_line():
    middle = averaged([0.0, 0.0, 0.0], [179.999, -179.999, 180.0], ["ann"] * 3)["ann"]
    assert middle == (0.0, 180.0)


@pytest.mark.parametrize("ask", [optimal_places, frontier])
def test_a_city_is_no_text(ask):
    with pytest.raises(Malformed, match="a city should be what city"):
        ask("paris")


@pytest.mark.parametrize("radius", ["0.001 m", "0.3 m", "20000 km"])
def test_every_radius_that_is_read_has_a_mechanism(radius):
    found = protect_places([40.7], [-74.0], radius=radius, region="40.7, -74, 1 km").data.guarantee
    assert found.rate * found.radius + found.overhead == found.level


def test_one_is_not_called_several():
    alone = displacement([40.0], [-74.0], [40.001], [-74.0])
    assert "1 report from" in alone.explain()
    town = city("40.7, -74, 1 km", cell="1 km", places=([40.7005], [-74.001]))
    assert "1 public place." in town.explain()
    shared = reported([40.7], [-74.0], region=NYC, people=["ann"], reports=1)
    assert "at most 1 report," in shared.explain()


def test_a_city_counts_public_places():
    lat, lon = np.array([40.7, 40.7, 40.71, 0.0]), np.array([-74.0, -74.0, -74.0, 0.0])
    found = city("40.7, -74.0, 2 km", cell="1 km", places=(lat, lon))
    assert (found.rows, found.columns) == (4, 4)
    assert found.public.weights.tolist() == pytest.approx([2 / 3, 1 / 3])
    assert sorted(found.weights)[-2:] == pytest.approx([1 / 3, 2 / 3])
    assert float(sum(found.prior.weights)) == 1
    assert found.nearest(*found.places).tolist() == list(range(16))
    assert found.space.distance((0, 0), (3, 3)) == found.space.distance((3, 0), (0, 3))
    assert float(found.space.distance((0, 0), (0, 1))) == 1000
    assert np.allclose(found.metres, found.space.distances.floats)
    with pytest.raises(TooLarge, match="larger cells"):
        city("40.7, -74.0, 50 km", cell="100 m")
    with pytest.raises(NotApplicable, match="lies in the region"):
        city("40.7, -74.0, 2 km", places=([0.0], [0.0]))
    with pytest.raises(WrongShape, match="latitudes, longitudes"):
        city("40.7, -74.0, 2 km", places=5)
    assert len(city("40.7, -74.0, 2 km", places=(lat, lon))) == 225
    narrow = city("40.69, -74.2, 40.71, -73.8", places=(lat, lon))
    assert 150 < len(narrow) <= 225
    assert narrow.rows < narrow.columns
    assert re.search("4×4 cells of 1 km", found.explain())


def test_rows_in_the_order_of_a_coordinate_are_warned_of():
    rng = np.random.default_rng(5)
    lat, lon = rng.uniform(40.6, 40.8, 60), rng.uniform(-74.1, -73.9, 60)
    protect_places(lat, lon, region=NYC)  # in no order
    for order, what in ((np.argsort(lat), "latitude"), (np.argsort(-lon), "longitude")):
        with pytest.warns(PrivacyLeakWarning, match=f"sorted or grouped by {what}") as heard:
            protect_places(lat[order], lon[order], region=NYC)
        assert heard[0].filename == __file__


def test_the_places_of_one_person_may_lie_together_and_people_may_not():
    rng = np.random.default_rng(5)
    homes = rng.uniform(40.6, 40.8, 30)
    people, lon = np.repeat(np.arange(30), 10).tolist(), rng.uniform(-74.1, -73.9, 300)
    how = {"region": NYC, "people": people, "reports": 10}
    protect_places(np.repeat(homes, 10), lon, **how)
    with pytest.warns(PrivacyLeakWarning, match="sorted or grouped by latitude"):
        protect_places(np.repeat(np.sort(homes), 10), lon, **how)
