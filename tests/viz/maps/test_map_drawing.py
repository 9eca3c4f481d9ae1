"""Maps that fetch nothing and show true places only when asked; pictures of cities and attacks."""

import json
import re

import numpy as np
import pytest

from dprivacy.errors import Malformed
from dprivacy.geo import apart, averaging_attack, city, frontier, place_list, protect_places
from dprivacy.viz import place_map, plot_averaging, save_map
from dprivacy.viz.maps.map_view import view_of
from support.viz_checks import check_words, texts

RNG = np.random.default_rng(3)
LAT, LON = 40.7 + RNG.normal(0, 0.01, 60), -74.0 + RNG.normal(0, 0.01, 60)


def spots(page):
    """What the page's script draws: by kind, rows of x, y and how many."""
    given = json.loads(re.search(r"const given = (.*);\n", page)[1])
    return {kind: np.array(found) for kind, found in given["spots"].items()}


@pytest.fixture(scope="module")
def town():
    return city("40.7, -74.0, 4 km", cell="2 km", places=(LAT, LON))


@pytest.fixture(scope="module")
def reported(town):
    return protect_places(LAT, LON, region="40.7, -74.0, 20 km")


def test_a_map_fetches_nothing(reported, town):
    page = place_map(reported, true=(LAT, LON), city=town, title="<Home> & away")
    assert "default-src 'none'" in page
    assert not re.search(r"https?://|src=|@import|url\((?!#frame)", page)
    assert "&lt;Home&gt; &amp; away" in page
    assert "<Home>" not in page


def test_true_places_are_drawn_only_when_asked(reported, town, tmp_path):
    plain, secret = place_map(reported, city=town), place_map(reported, true=(LAT, LON), city=town)
    assert list(spots(plain)) == ["said"]
    assert {kind: found[:, 2].sum() for kind, found in spots(secret).items()} == {
        "true": 60,
        "said": 60,
    }
    assert '<g class="true"' not in plain
    assert "TRUE" not in plain
    assert "This map shows TRUE places" in secret
    target = tmp_path / "map.html"
    target.write_text("")
    target.chmod(0o644)
    save_map(target, reported, true=(LAT, LON))
    assert not target.stat().st_mode & 0o077
    assert save_map(tmp_path / "open.html", reported).exists()


def test_dots_stand_where_places_are(reported):
    """Distances on paper are distances on the ground, up to one scale."""
    page = place_map(reported)
    lat, lon = reported.data.lat, reported.data.lon
    drawn = view_of([(lat, lon)]).at(lat, lon)
    assert {tuple(spot) for spot in np.round(drawn, 1)} == {
        tuple(spot) for spot in spots(page)["said"][:, :2]
    }
    truth = apart(lat[0], lon[0], lat[1:], lon[1:])
    paper = np.hypot(*(drawn[1:] - drawn[0]).T)
    far = truth > 500
    scale = paper[far] / truth[far]
    assert scale.max() / scale.min() < 1.02
    assert drawn[lat.argmax(), 1] == drawn[:, 1].min()  # north is up


@pytest.mark.parametrize("where", [(-17.7, 180.0), (90.0, 0.0), (0.0, 0.0), (-89.99, 10.0)])
def test_maps_at_the_date_line_and_the_poles(where):
    found = protect_places(np.full(30, where[0]), np.full(30, where[1]), radius="1 km")
    page = place_map(found)
    found = spots(page)["said"]
    assert found[:, 2].sum() == 30
    assert (found[:, :2] > 0).all()
    assert (found[:, :2] < 1000).all()


def test_the_whole_earth_and_many_places():
    world = protect_places(RNG.uniform(-80, 80, 5000), RNG.uniform(-180, 180, 5000))
    page = place_map(world)
    assert spots(page)["said"][:, 2].sum() == 5000
    drawn = re.search(r'<g class="said">.*?</g>', page)[0]
    counts = re.findall(r">(\d+)</text>", drawn)
    assert sum(map(int, counts)) + drawn.count('r="3"') == 5000
    assert len(counts) <= 150
    assert "dashed" not in page
    assert '<path class="land"' in page


def test_listed_places_and_a_layer_of_ones_own_lie_below_the_dots(tmp_path):
    venues = place_list([40.7, 40.701, 40.703], [-74.0, -74.002, -74.001])
    found = protect_places([40.7], [-74.0], among=venues)
    ring = [[-74.001, 40.7], [-74.0, 40.7], [-74.0, 40.701], [-74.001, 40.7]]
    layer = tmp_path / "streets.geojson"
    shapes = [
        {"type": "Polygon", "coordinates": [ring]},
        {"type": "LineString", "coordinates": [[-74.003, 40.699], [-74.0, 40.704]]},
        {"type": "LineString", "coordinates": [[10.0, 50.0], [11.0, 51.0]]},  # elsewhere
        {"type": "Point", "coordinates": [-74.0, 40.7]},
    ]
    layer.write_text(json.dumps({"type": "GeometryCollection", "geometries": shapes}))
    page = place_map(found, city=venues, base=layer)
    assert page.count('<path class="listed"') == 1
    assert re.search(r'class="listed" d="([^"]*)"', page)[1].count("z") == 3
    assert re.search(r'class="land" d="([^"]*)"', page)[1].count("Z") == 1
    assert re.search(r'class="way" d="([^"]*)"', page)[1].count("M") == 1
    assert (
        page.index('class="land"') < page.index('class="listed"') < page.index('<g class="said">')
    )
    assert "▫ 3 listed places" in page


def test_maps_that_are_refused(reported, tmp_path):
    with pytest.raises(Malformed, match=r"'\.html', '\.htm', not '\.png'"):
        save_map(tmp_path / "map.png", reported)
    with pytest.raises(Malformed, match="give at least one place"):
        place_map(protect_places([], []))


def test_a_seeded_map_says_that_there_is_no_guarantee():
    with pytest.warns(UserWarning, match="noise from insecure_seed"):
        seeded = protect_places(LAT, LON, insecure_seed=1)
    assert "nothing is guaranteed" in place_map(seeded)


def test_pictures_of_a_frontier_and_of_an_attack(town):
    figure = frontier(town, radius="1 km", eps=["ln 2", "ln 3", "ln 4"]).plot()
    check_words(figure)
    assert "optimal" in texts(figure)
    for axes in figure.axes:
        top = max(max(line.get_ydata()) for line in axes.lines)
        assert axes.get_ylim()[0] == 0 < top < axes.get_ylim()[1]
    figure = plot_averaging(averaging_attack(reports=(1, 7, 30), people=5), title="At home")
    check_words(figure)
    assert "30" in texts(figure)
