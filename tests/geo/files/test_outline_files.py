"""Outlines of a base layer: lines and polygons are read, points passed over, the rest refused."""

import json
import random

import pytest

from dprivacy.errors import BadFile, DPrivacyError, NotApplicable
from dprivacy.geo.files.outline_files import read_outlines
from support.mutations import json_mutant
from support.patience import brisk

RING = [[2.2, 48.8], [2.4, 48.8, 35.0], [2.4, 48.9], [2.2, 48.8]]
SHAPES = [
    {"type": "MultiPolygon", "coordinates": [[RING, RING], [RING]]},
    {"type": "MultiLineString", "coordinates": [RING, RING[:2]]},
    {"type": "Point", "coordinates": [2.2, 48.8]},
    None,
]
MAP = {
    "type": "FeatureCollection",
    "features": [{"type": "Feature", "geometry": shape} for shape in SHAPES],
}


def read(tmp_path, data):
    path = tmp_path / "base.geojson"
    path.write_text(json.dumps(data))
    return read_outlines(path)


def test_lines_and_polygons_are_read(tmp_path):
    found = read(tmp_path, MAP)
    assert [(o.closed, [len(line) for line in o.lines]) for o in found] == [
        (True, [4, 4]),
        (True, [4]),
        (False, [4, 2]),
    ]
    assert found[0].lines[0].tolist() == [place[:2] for place in RING]


@pytest.mark.parametrize(
    ("data", "error", "words"),
    [
        ([], BadFile, "is not GeoJSON"),
        ({"type": "Point", "coordinates": [1, 2]}, NotApplicable, "neither lines nor polygons"),
        ({"type": "LineString", "coordinates": [[1, 95], [1, 2]]}, BadFile, "pairs of longitude"),
        ({"type": "LineString", "coordinates": [[1], [1, 2]]}, BadFile, "pairs of longitude"),
        ({"type": "Polygon", "coordinates": 7}, BadFile, "pairs of longitude"),
        ({"type": "Polygon", "coordinates": [RING], "crs": "EPSG:3857"}, NotApplicable, "WGS 84"),
    ],
)
def test_layers_that_are_refused(tmp_path, data, error, words):
    with pytest.raises(error, match=words):
        read(tmp_path, data)


def test_hostile_layers(tmp_path):
    rng, good, said = random.Random(3), 0, []
    for _ in range(400):
        with brisk():
            try:
                read(tmp_path, json_mutant(MAP, rng))
                good += 1
            except DPrivacyError as refusal:
                said.append(str(refusal))
    assert 30 < good < 400
    assert all(text.isprintable() for text in said)
