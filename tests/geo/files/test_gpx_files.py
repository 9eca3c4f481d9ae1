"""GPX in and out: tracks of one person, what is kept, and hostile files."""

import random
import re
import xml.etree.ElementTree as ET

import pytest

from dprivacy.errors import BadFile, BadNumber, DPrivacyError, NotApplicable
from dprivacy.geo import protect_place_file, protect_places, read_place_file
from dprivacy.release import Ledger, card_path
from support.mutations import mutants
from support.patience import brisk

NYC = "40.7, -74.0, 50 km"
SPACE = "{http://www.topografix.com/GPX/1/1}"
GPX = """<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="CANARY" xmlns="http://www.topografix.com/GPX/1/1" xmlns:h="urn:heart">
 <metadata><name>CANARY</name><bounds minlat="40.7" minlon="-74.1" maxlat="40.8" maxlon="-73.9"/>
 </metadata>
 <wpt lat="40.71" lon="-74.01"><ele>12.5</ele><time>2026-05-01T07:00:00Z</time>
  <name>home &amp; CANARY</name></wpt>
 <rte><name>to work</name><rtept lat="40.72" lon="-74.02"/><rtept lat="40.73" lon="-74.03"/></rte>
 <trk><name>a walk</name><cmt>CANARY</cmt>
  <trkseg><trkpt lat="40.74" lon="-74.04"><time>2026-05-01T08:00:00Z</time>
    <extensions><h:hr>CANARY</h:hr><wpt lat="1" lon="2"/><time>CANARY</time></extensions></trkpt>
   <trkpt lat="40.75" lon="-74.05"/></trkseg>
  <trkseg><trkpt lat="40.76" lon="-74.06"><time>2026-05-01T09:00:00Z</time></trkpt></trkseg>
 </trk>
</gpx>
"""


@pytest.fixture
def walk(tmp_path):
    path = tmp_path / "walk.gpx"
    path.write_text(GPX, encoding="utf-8")
    return path


def test_every_place_is_read_in_order_and_a_file_is_one_person(walk):
    found = read_place_file(walk)
    assert found.lat.tolist() == [40.71, 40.72, 40.73, 40.74, 40.75, 40.76]
    assert found.lon.tolist() == [-74.01, -74.02, -74.03, -74.04, -74.05, -74.06]
    assert found.people == [0] * 6
    assert found.shapes == (("Point", (1,)), ("LineString", (2,)), ("MultiLineString", (2, 1)))
    assert read_place_file(walk, person="row").people == [0, 1, 1, 2, 2, 2]
    assert read_place_file(walk, person="name").people == [
        "home & CANARY", "to work", "to work", "a walk", "a walk", "a walk",
    ]  # fmt: skip


@pytest.mark.parametrize("person", [None, "row"])
def test_people_whom_a_file_only_numbers_are_not_remembered(walk, tmp_path, person):
    """Person 0 of another file is somebody else, whose noise must not be the same."""
    line = tmp_path / "line.geojson"
    line.write_text('{"type": "LineString", "coordinates": [[-74.0, 40.7], [-74.0, 40.7]]}')
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.budget("everyone", 100, column="places", per="person")
    with ledger:
        for file in (walk, line):
            found = read_place_file(file, person=person)
            for given in ({"permanent_key": b"k" * 32}, {"ledger": ledger}):
                with pytest.raises(NotApplicable, match="to people by name"):
                    protect_places(found, region=NYC, **given)
        named = read_place_file(walk, person="name")
        protect_places(named, region=NYC, permanent_key=b"k" * 32, ledger=ledger)


def test_the_total_of_a_track_comes_first(walk, tmp_path):
    with pytest.warns(UserWarning, match="Together, 6 reports"):
        made = protect_place_file(walk, tmp_path / "out.gpx", region=NYC, eps="ln 8")
    assert made.data.guarantee.reports == 6
    assert made.data.explain().startswith(
        "Between two tracks of 6 reports that stay within 200 m of each other, the odds change by at "
        "most a factor of 262,144."
    )
    shared = protect_places(read_place_file(walk), region=NYC, eps="ln 8", reports=6).data
    assert shared.guarantee.brief().startswith(
        "Between two tracks of 6 reports that stay within 200 m of each other, the odds change by at "
        "most a factor of 8."
    )


@pytest.mark.filterwarnings("ignore:Together")
def test_gpx_keeps_its_shapes_and_loses_everything_else(walk, tmp_path):
    output = tmp_path / "out.gpx"
    how = {"region": NYC, "keep": ["name", "time"], "person": "row"}
    walk.write_text(GPX.replace("home &amp; CANARY", "home &amp; back"))
    protect_place_file(walk, output, **how)
    text = output.read_text()
    assert "CANARY" not in text + card_path(output).read_text()
    assert not re.search(r"12\.5|bounds|40\.7[1-6]0*\"", text)
    root = ET.parse(output).getroot()
    assert root.get("creator") == "dprivacy"
    (point,) = root.findall(f"{SPACE}wpt")
    assert point.find(f"{SPACE}name").text == "home & back"
    assert point.find(f"{SPACE}time").text == "2026-05-01T07:00:00Z"
    route, track = root.findall(f"{SPACE}trk")
    assert [t.find(f"{SPACE}name").text for t in (route, track)] == ["to work", "a walk"]
    segments = [s.findall(f"{SPACE}trkpt") for s in track.findall(f"{SPACE}trkseg")]
    assert list(map(len, segments)) == [2, 1]
    times = [p.find(f"{SPACE}time") for segment in segments for p in segment]
    assert [None if t is None else t.text for t in times] == [
        "2026-05-01T08:00:00Z", None, "2026-05-01T09:00:00Z",
    ]  # fmt: skip
    for trkpt in track.iter(f"{SPACE}trkpt"):
        assert abs(float(trkpt.get("lat")) - 40.75) < 0.1
    again = read_place_file(output, person="row", keep=["name", "time"])
    assert again.shapes == (("Point", (1,)), ("MultiLineString", (2,)), ("MultiLineString", (2, 1)))
    assert again.kept["time"][2] == ["2026-05-01T08:00:00Z", None, "2026-05-01T09:00:00Z"]


@pytest.mark.filterwarnings("ignore:Together")
def test_shapes_go_from_gpx_to_geojson_and_back(walk, tmp_path):
    how = {"region": NYC, "keep": ["name"], "person": "row", "again": "a test"}
    protect_place_file(walk, tmp_path / "a.geojson", **how)
    protect_place_file(tmp_path / "a.geojson", tmp_path / "b.gpx", **{**how, "region": None})
    found = read_place_file(tmp_path / "b.gpx", person="row", keep="name")
    assert found.kept["name"] == ["home & CANARY", "to work", "a walk"]
    assert [sizes for _, sizes in found.shapes] == [(1,), (2,), (2, 1)]
    (tmp_path / "c.geojson").write_text(
        '{"type": "Feature", "properties": {"who": "ann"}, "geometry": {"type": "Point", '
        '"coordinates": [-74, 40.7]}}'
    )
    with pytest.raises(NotApplicable, match="cannot keep 'who' here, only ele, time, name"):
        protect_place_file(
            tmp_path / "c.geojson", tmp_path / "c.gpx", keep="who", person="row", region=NYC
        )


def test_what_gpx_cannot_keep_is_refused_before_it_costs_anything(tmp_path):
    (tmp_path / "p.csv").write_text("lat,lon,who\n40.7,-74,ann\n")
    how = {"keep": "who", "person": "row", "region": NYC}
    with Ledger(tmp_path / "ledger.db") as ledger:
        ledger.budget("everyone", "99 ln 4", column="places")
        with pytest.raises(NotApplicable, match="GPX cannot keep 'who' here"):
            protect_place_file(tmp_path / "p.csv", tmp_path / "p.gpx", ledger=ledger, **how)
        assert ledger.spent(column="places").is_zero


BOMB = '<!DOCTYPE gpx [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><gpx>&b;</gpx>'
FETCH = '<!DOCTYPE gpx [<!ENTITY a SYSTEM "file:///etc/passwd">]><gpx><wpt>&a;</wpt></gpx>'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: no element found"),
        ("<gpx>", "line 1: no element found"),
        ("hello", "line 1: syntax error"),
        ("<kml/>", "its first element is not gpx"),
        (BOMB, "declares a document type"),
        (FETCH, "declares a document type"),
        ("<gpx>&home;</gpx>", "undefined entity"),
        ("<gpx>" + "<a>" * 100_000, "more than 40 elements lie within each other"),
        ("<gpx a='" + "x" * (6 << 20) + "'/>", "longer than 4 MiB"),
        ("<gpx><!--" + "x" * (6 << 20) + "--></gpx>", "longer than 4 MiB"),
        ("<?xml version='1.0' encoding='rot13'?><gpx/>", "encoding"),
        ("<gpx><trk><trkpt lat='40.7' lon='-74'/></trk></gpx>", "line 1: a place stands where"),
        ("<gpx><wpt lat='40.7'/></gpx>", "row 0 has no finite longitude"),
        ("<gpx><wpt lat='nan' lon='1'/></gpx>", "row 0 has no finite latitude"),
        ("<gpx><wpt lat='1e999' lon='1'/></gpx>", "row 0 has no finite latitude"),
        ("<gpx><wpt lat='4_0' lon='1'/></gpx>", "row 0 has no finite latitude"),
        ("<gpx><wpt lat='-174.0123' lon='40.7'/></gpx>", "swapped"),
        ("<gpx><wpt lat='-74.0123' lon='40.7'/></gpx>", "row 0 lies outside.*swapped"),
    ],
    ids=range(18),
)
def test_gpx_that_is_refused(tmp_path, text, words):
    path = tmp_path / "bad.gpx"
    path.write_text(text, encoding="utf-8")
    with brisk(), pytest.raises((BadFile, BadNumber), match=words) as refusal:
        protect_place_file(path, tmp_path / "out.gpx", region=NYC)
    assert "4.0123" not in str(refusal.value)
    assert [p.name for p in tmp_path.iterdir()] == ["bad.gpx"]


def test_an_empty_file_of_places_and_other_encodings(tmp_path):
    path = tmp_path / "walk.gpx"
    path.write_text("<gpx/>")
    assert len(read_place_file(path).lat) == 0
    for encoding in ("utf-16", "iso-8859-1"):
        path.write_bytes(
            f"<?xml version='1.0' encoding='{encoding}'?><gpx><wpt lat='1' lon='2'><name>é</name></wpt>"
            "</gpx>".encode(encoding)
        )
        assert read_place_file(path, person="name").people == ["é"]


def test_what_is_kept_is_bounded_and_escaped(walk, tmp_path):
    walk.write_text(GPX.replace("to work", "a]]&gt;&lt;b&quot;").replace("a walk", "é" * 10))
    protect_place_file(walk, tmp_path / "out.gpx", region=NYC, keep="name", person="row")
    again = read_place_file(tmp_path / "out.gpx", keep="name", person="row")
    assert again.kept["name"][1:] == ['a]]><b"', "é" * 10]
    walk.write_text(GPX.replace("a walk", "w" * 10_001))
    with pytest.raises(BadFile, match="longer than 10,000 characters"):
        read_place_file(walk, keep="name", person="row")
    walk.write_text(GPX.replace("<ele>", "<sym>s</sym><ele>"))
    with pytest.raises(BadFile, match="feature 1: nothing in it is called 'sym'"):
        read_place_file(walk, person="sym")


@pytest.mark.slow
def test_a_million_places(tmp_path):
    path = tmp_path / "many.gpx"
    line = '<trkpt lat="40.7123" lon="-74.0123"><time>2026-05-01T08:00:00Z</time></trkpt>\n'
    path.write_text(f"<gpx><trk><trkseg>\n{line * 1_000_000}</trkseg></trk></gpx>")
    found = read_place_file(path)
    assert found.shapes == (("MultiLineString", (1_000_000,)),)
    assert len(set(found.lat.tolist())) == 1


def test_hostile_gpx_ends_in_a_documented_error(tmp_path):
    raw = mutants([GPX.encode()], random.Random(1))
    path, good, said = tmp_path / "fuzz.gpx", 0, []
    for _ in range(600):
        path.write_bytes(next(raw))
        with brisk():
            try:
                found = read_place_file(path, person="row", keep=["name", "time"])
                assert len(found.lat) == len(found.lon) == len(found.people)
                good += 1
            except DPrivacyError as refusal:
                said.append(str(refusal))
    assert 30 < good < 600
    assert all(text.isprintable() for text in said)
