"""Files of places: what is read, what is written, what never is, and hostile GeoJSON."""

import json
import os
import random
import sys

import pandas as pd
import pytest

from dprivacy.errors import (
    AlreadyReleased,
    BadFile,
    BadNumber,
    DPrivacyError,
    Malformed,
    NotApplicable,
    OutputExists,
)
from dprivacy.geo import protect_place_file, protect_places, read_place_file
from dprivacy.release import Ledger, card_path
from support.mutations import json_mutant, mutants
from support.patience import brisk

NYC = "40.7, -74.0, 50 km"
CSV = "id,lat,lon,name\n1,40.7,-74.0,CANARY ONE\n2,40.71,-74.01,CANARY TWO\n1,40.7,-74.0,CANARY THREE\n"
WALK = {
    "type": "FeatureCollection",
    "bbox": [-74.0123, 40.7, -74.0, 40.71],
    "features": [
        {
            "type": "Feature",
            "id": "CANARY",
            "properties": {"who": "ann", "address": "CANARY"},
            "geometry": {"type": "Point", "coordinates": [-74.0123456, 40.7, 12.5]},
        },
        {
            "type": "Feature",
            "properties": {"who": "bob", "address": "CANARY"},
            "geometry": {"type": "LineString", "coordinates": [[-74.0, 40.7], [-74.01, 40.71]]},
        },
    ],
}


@pytest.fixture
def places(tmp_path):
    path = tmp_path / "places.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


@pytest.fixture
def walk(tmp_path):
    path = tmp_path / "walk.geojson"
    path.write_text(json.dumps(WALK), encoding="utf-8")
    return path


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".geojson"])
def test_only_coordinates_and_kept_columns_are_written(places, tmp_path, ending):
    output = tmp_path / f"out{ending}"
    kept = [] if ending == ".geojson" else ["id"]
    protect_place_file(places, output, region=NYC, keep=kept, person="row")
    data = output.read_bytes() + card_path(output).read_bytes()
    assert b"CANARY" not in data
    assert b"40.71," not in data
    if ending == ".csv":
        table = pd.read_csv(output)
        assert list(table.columns) == ["lat", "lon", "id"]
        assert table["id"].tolist() == [1, 2, 1]
        assert ((table["lat"] - 40.7).abs() < 0.2).all()
    card = json.loads(card_path(output).read_text())["body"]
    assert card["guarantee"]["unit"] == "metre"
    assert "at most a factor of 4." in card["guarantee"]["sentence"]
    assert card["output"]["name"] == output.name
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(
        ["places.csv", output.name, card_path(output).name]
    )


def test_geojson_keeps_its_shapes_and_loses_everything_else(walk, tmp_path):
    output = tmp_path / "out.geojson"
    found = protect_place_file(walk, output, region=NYC, keep=["who"], person="row")
    text = output.read_text()
    assert "CANARY" not in text
    assert "bbox" not in text
    assert "12.5" not in text
    assert "74.0123456" not in text  # the noise may well fall within some metres of it
    made = json.loads(text)
    assert [f["geometry"]["type"] for f in made["features"]] == ["Point", "LineString"]
    assert [f["properties"] for f in made["features"]] == [{"who": "ann"}, {"who": "bob"}]
    assert len(made["features"][1]["geometry"]["coordinates"]) == 2
    assert found.data.guarantee.reports == 2  # the line is one person's way
    flat = tmp_path / "out.csv"
    protect_place_file(walk, flat, region=NYC, again="a test")
    assert len(pd.read_csv(flat)) == 3
    with pytest.raises(NotApplicable, match="goes to GeoJSON or GPX only"):
        protect_place_file(
            walk, tmp_path / "other.csv", region=NYC, keep=["who"], person="who", again="a test"
        )


def test_a_person_of_several_rows_is_counted(places, tmp_path):
    found = protect_place_file(places, tmp_path / "out.csv", region=NYC, person="id")
    assert found.data.guarantee.reports == 2
    fixed = protect_place_file(
        places, tmp_path / "b.csv", region=NYC, person="id", permanent_key=b"k" * 32
    )
    assert fixed.data.lat[0] == fixed.data.lat[2]


def test_outputs_are_the_owners_and_never_replaced_unasked(places, tmp_path):
    output = tmp_path / "out.csv"
    protect_place_file(places, output, region=NYC)
    before = output.read_bytes()
    with pytest.raises(OutputExists, match="exists"):
        protect_place_file(places, output, region=NYC)
    assert output.read_bytes() == before
    with pytest.raises(AlreadyReleased, match=r"out\.csv\.card\.json is its card"):
        protect_place_file(places, output, region=NYC, replace=True)
    assert output.read_bytes() == before
    protect_place_file(places, output, region=NYC, replace=True, again="a test")
    assert output.read_bytes() != before
    if sys.platform != "win32":
        assert not os.stat(output).st_mode & 0o077
    with pytest.raises(BadFile, match=r"should end in \.csv"):
        protect_place_file(places, tmp_path / "out.xlsx", region=NYC)


@pytest.mark.parametrize(
    ("text", "given", "words"),
    [
        ("a,b\n1,2\n", {}, "which column is the latitude.*a, b"),
        ("lat,latitude,lon\n1,2,3\n", {}, "which column is the latitude"),
        ("lat,lon\n40.7,-74\n", {"lat": "x"}, "which column is the latitude"),
        ("lat,lon\n40.7,-74\nhome,-74\n", {}, "column 'lat', row 1: not a number"),
        ("lat,lon\n40.7,-74\n,-74\n", {}, "row 1 has no finite latitude"),
        ("lat,lon\n40.7,-74\n1e999,-74\n", {}, "row 1 has no finite latitude"),
        ("lat,lon\n40.7,-74\n", {"keep": ["who"], "person": "row"}, "not 'who'"),
        ("lat,lon\n40.7,-74\n", {"person": "who"}, "not 'who'"),
        ("lat,lon\n40.7\n", {}, "ragged"),
        ("", {}, "holds nothing"),
    ],
)
def test_tables_that_are_refused(tmp_path, text, given, words):
    path = tmp_path / "bad.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(Malformed, match=words) as refusal:
        protect_place_file(path, tmp_path / "out.csv", **given)
    assert "home" not in str(refusal.value)
    assert [p.name for p in tmp_path.iterdir()] == ["bad.csv"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ([], "is not GeoJSON with features"),
        ({"type": "FeatureCollection", "features": 5}, "is not GeoJSON with features"),
        ({"type": "FeatureCollection", "features": [5]}, "should be one of Point"),
        ({"type": "Polygon", "coordinates": []}, "is not GeoJSON with features"),
        ({"type": "LineString", "coordinates": 5}, "not a list of positions"),
        ({"type": "Point", "coordinates": [1]}, "row 0 has no finite latitude"),
        ({"type": "Point", "coordinates": ["1", "2"]}, "row 0 has no finite latitude"),
        ({"type": "Point", "coordinates": [True, False]}, "row 0 has no finite latitude"),
        ({"type": "Point", "coordinates": [-74.0, 10**400]}, "a coordinate is too large"),
        ({"type": "Point", "coordinates": [40.7123, -174.0123]}, "swapped"),
    ],
)
def test_geojson_that_is_refused(tmp_path, data, words):
    path = tmp_path / "bad.geojson"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises((BadFile, BadNumber), match=words) as refusal:
        protect_place_file(path, tmp_path / "out.geojson")
    assert "174.01" not in str(refusal.value)


def test_text_that_is_no_json(tmp_path):
    path = tmp_path / "bad.geojson"
    for text in ("", "{", "[" * 100_000, '{"a": ' * 5000, "NaN", "9" * 6000, "\x00", '"\\ud800"'):
        path.write_text(text, encoding="utf-8", errors="surrogatepass")
        with pytest.raises(BadFile):
            protect_place_file(path, tmp_path / "out.geojson")
    path.write_bytes(b"\xff\xfe{}")
    with pytest.raises(BadFile, match="is not UTF-8"):
        protect_place_file(path, tmp_path / "out.geojson")


def fuzz(tmp_path, seed, rounds):
    rng = random.Random(seed)
    path, output = tmp_path / "fuzz.geojson", tmp_path / "out.geojson"
    raw = mutants([json.dumps(WALK).encode()], rng)
    good, said = 0, []
    for k in range(rounds):
        data = next(raw) if k % 2 else json.dumps(json_mutant(WALK, rng)).encode()
        path.write_bytes(data)
        with brisk():
            try:
                found = read_place_file(path, person=rng.choice([None, "who"]), keep=["address"])
                assert len(found.lat) == len(found.lon)
                if k % 10 == 0:
                    how = {"replace": True, "region": NYC, "keep": ["who"], "person": "row"}
                    protect_place_file(path, output, **how)
                    json.loads(output.read_text())
                good += 1
            except DPrivacyError as refusal:
                said.append(str(refusal))
    assert not any("\n" in text or "74.0123456" in text for text in said)
    return good


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_hostile_geojson_ends_in_a_documented_error(tmp_path):
    assert 30 < fuzz(tmp_path, 1, 600) < 600


@pytest.mark.slow
def test_much_hostile_geojson(tmp_path):
    fuzz(tmp_path, 2, 100_000)


def test_what_was_read_is_protected_as_it_is_and_charged_once(places, tmp_path):
    found = read_place_file(places, person="id", keep="name")
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.budget("everyone", "99 ln 4", column="places", unit="person")
        made = protect_places(found, region=NYC, ledger=ledger)
        assert made.data.guarantee.reports == 2
        made.save(tmp_path / "out.csv")
        assert list(pd.read_csv(tmp_path / "out.csv").columns) == ["lat", "lon", "name"]
        with pytest.raises(AlreadyReleased):  # the file is known by its bytes, however it is given
            protect_place_file(places, tmp_path / "two.csv", region=NYC, person="id", ledger=ledger)
    for given in ({"lon": [1.0]}, {"people": [1, 2, 1]}):
        with pytest.raises(NotApplicable, match="leave out lon and people"):
            protect_places(found, **given)
    with pytest.raises(NotApplicable, match="whose"):
        protect_places(read_place_file(places, keep="name"), region=NYC)
    with pytest.raises(Malformed, match="or what read_place_file gave"):
        protect_places([40.7])


def test_a_folder_that_is_not_there_costs_nothing(places, tmp_path):
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.budget("everyone", "99 ln 4", column="places")
        with pytest.raises(BadFile, match="is not a folder"):
            protect_place_file(places, tmp_path / "nowhere" / "out.csv", region=NYC, ledger=ledger)
        assert ledger.spent(column="places").is_zero
