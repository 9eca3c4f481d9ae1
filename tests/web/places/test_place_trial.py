"""What the room Places finds, without a browser: the same numbers as the library's."""

import re

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.errors import BadNumber, DPrivacyError, InsecureSeedWarning
from dprivacy.geo import (
    apart,
    as_region,
    city,
    example_town,
    in_words,
    place_mechanism,
    protect_places,
)
from dprivacy.geo.prior.least_distance import moved_by
from dprivacy.web.places import place_trial as trial
from dprivacy.web.places.places_page import USUAL


@pytest.fixture(scope="module")
def found():
    return trial.tried(USUAL)


def test_distances_are_those_that_a_frontier_has(found):
    rows, town = found.rows(), example_town()
    told = moved_by(place_mechanism(eps="ln 4", radius="200 m", region=town.region), town.public)
    for row, name in zip(rows, ("planar Laplace", "remapped"), strict=True):
        point = told[name]
        assert [cell.replace("\u00a0", " ") for cell in row[1:]] == [
            in_words(side) for side in (point.mean, point.within_95, point.worst)
        ]
    assert [row[0] for row in rows] == ["noise alone", "the best guess from it (used)"]


@pytest.mark.parametrize("home", [USUAL["home"], "52.006, 5.02"])
def test_the_headline_is_of_the_place_that_is_tried(home):
    """Reports of a place at the edge of the town lie farther off than those of its shops."""
    lat, lon = (float(side) for side in home.split(","))
    given = {"eps": "ln 4", "radius": "200 m", "city": example_town(), "insecure_seed": 1}
    with pytest.warns(InsecureSeedWarning):
        many = protect_places([lat] * 20_000, [lon] * 20_000, **given).data
    mean = float(apart(many.lat, many.lon, lat, lon).mean())
    said = re.fullmatch(
        r"Reports of this place lie (\d+) m from it on average",
        trial.tried({**USUAL, "home": home}).headline,
    )
    assert int(said[1]) == pytest.approx(mean, rel=0.03)


def test_the_promise_is_said_in_words(found):
    assert found.promise.startswith(
        "Within 200 m, the odds between two true places change by at most a factor of 4.\nAt a greater"
    )
    assert "moving them to a lattice of 0.2 m" in found.steps


def test_a_click_finds_the_place_that_is_drawn_there(found):
    """The middle of the map is the place that is tried, and north is up."""
    assert found.drawn.place(0.5, 0.5) == pytest.approx((52.0035, 5.004), abs=2e-5)
    high, low = found.drawn.place(0.5, 0.0), found.drawn.place(0.5, 1.0)
    far = found.reported.choice.distances["remapped"].within_95
    assert high[0] > low[0]
    assert float(apart(*high, *low)) == pytest.approx(4 * far * 1.06, rel=0.03)
    assert found.drawn.svg.count("<svg") == 1


def test_many_reports_give_home_away_unless_the_noise_is_permanent():
    attack = trial.attacked(USUAL)
    rows = trial.attack_rows(attack, "ln 4")
    assert attack.fresh[-1] < 30 < attack.permanent[-1]
    assert attack.permanent[0] == pytest.approx(attack.permanent[-1], rel=0.05)
    assert [row[0] for row in rows] == ["1", "10", "100", "1,000"]
    told = [[cell.replace("\u00a0", " ").split(", ", 1) for cell in row[1:]] for row in rows]
    assert [fresh[1] for fresh, _ in told[:2]] == ["× 4", "× 1,048,576"]
    assert told[0][1][1] == "× 4"
    assert attack.fresh[0] == pytest.approx(
        attack.permanent[0], rel=0.25
    )  # one report is one report


@pytest.mark.parametrize("text", ["", "52", "52, 5, 3", "nan, 5", "91, 5", "52, east", "inf, 0"])
def test_places_that_are_none(text):
    with pytest.raises(BadNumber, match="a latitude and a longitude in degrees"):
        trial.read_home(text)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"home": "48, 2"}, "should lie in the region that everyone knows: within 3 km of"),
        ({"radius": "far"}, "the radius should be a length"),
        ({"eps": "x"}, "ε|level"),
    ],
)
def test_settings_that_are_refused(given, words):
    with pytest.raises(DPrivacyError, match=words):
        trial.tried({**USUAL, **given})


def test_ones_own_places_and_the_region_alone():
    own = city(places=([40.7, 40.71, 40.7], [-74.0, -74.01, -74.01]))
    found = trial.tried({**USUAL, "home": "40.705, -74.005"}, own)
    assert "3 public places" in found.drawn.svg
    told = trial.command({**USUAL, "known": "file"}, own)
    assert '--region "40.7033, -74.0067, ' in told
    assert "--prior shops.csv" in told
    alone = {**USUAL, "known": "region"}
    assert "--prior" not in trial.command(alone, trial.known_town(alone, None))


def test_the_command_has_the_region_to_its_last_digit():
    bay = city(places=([37.77493, 37.77512], [-122.41941, -122.41977]))
    told = trial.command({"radius": "200 m", "eps": "ln 4", "known": "file"}, bay)
    where = told.partition('--region "')[2].partition('"')[0]
    assert as_region(where) == bay.region
