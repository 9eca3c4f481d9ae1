"""Hostile files of places, curves, words and ratings, and of matrices that R wrote."""

import io
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from dprivacy.curves.curve_files import read_days
from dprivacy.geo.earth.polygons import read_json, read_polygon
from dprivacy.geo.files.place_files import read_place_file
from dprivacy.hashing import read_ratings
from dprivacy.release import read_pram
from dprivacy.text.embeddings.vector_files import read_embedding
from support.mutations import json_mutant, lines, mutants

WALK = {
    "type": "FeatureCollection",
    "bbox": [-74.0123, 40.7, -74.0, 40.71],
    "features": [
        {
            "type": "Feature",
            "id": 7,
            "properties": {"who": "ann", "address": "somewhere"},
            "geometry": {"type": "Point", "coordinates": [-74.0123456, 40.7, 12.5]},
        },
        {
            "type": "Feature",
            "properties": {"who": "bob", "address": None},
            "geometry": {"type": "LineString", "coordinates": [[-74.0, 40.7], [-74.01, 40.71]]},
        },
    ],
}
RING = [[2.2, 48.8], [2.4, 48.8], [2.4, 48.9], [2.2, 48.9], [2.2, 48.8]]
REGION = {
    "type": "Polygon",
    "coordinates": [RING, [[2.25, 48.85], [2.3, 48.85], [2.3, 48.87], [2.25, 48.85]]],
}
TRACK = b"""<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
<wpt lat="40.7123" lon="-74.0123"><time>2026-05-01</time><name>home</name></wpt>
<trk><name>walk</name><trkseg><trkpt lat="40.7" lon="-74"><time>2026-05-01</time></trkpt>
<trkpt lat="40.71" lon="-74.01"><extensions><a><b/></a></extensions></trkpt></trkseg></trk></gpx>"""
PLACES = b"id,lat,lon\n1,40.7123,-74.0123\n2,40.72,-74.0\n1,40.73,-73.99\n"
WIDE = b"house,date,h0,h1,h2\na,2020-01-01,0.5,0.25,1\nb,2020-01-01,0,2.5,0.125\n"
LONG = b"""house,time,kwh
a,2020-01-01T00:00,0.5
a,2020-01-01T12:00,1
b,2020-01-01T00:00,0
b,2020-01-01T12:00,2
"""
PRAM = [
    b'"","north","south"\n"north",0.8,0.2\n"south",0.25,0.75\n',
    b'"";"north";"south"\n"north";0,8;0,2\n"south";0,25;0,75\n',
    b"         north    south\nnorth 0.800000 0.200000\nsouth 0.250000 0.750000\n",
]
WORDS = [b"3 2\ncat 0.5 1\ndog 0.25 -1\nthe end 1e-3 0\n", b"cat 0.5 1 2\ndog 0.25 -1 3\n"]
RATINGS = b"user,item,rating\nann,m1,5\nann,m2,3.5\nbob,m1,1\nbob,m3,4\n"

Files = Iterator[bytes]


def trees(document: object, rng: random.Random) -> Files:
    plain = mutants([json.dumps(document).encode()], rng)
    while True:
        if rng.random() < 0.4:
            yield next(plain)
        else:
            yield json.dumps(json_mutant(document, rng)).encode("utf-8", "surrogatepass")


def word2vec() -> bytes:
    rows = {b"cat": [0.5, 1], b"dog": [0.25, -1], b"end": [1e-3, 0]}
    parts = [word + b" " + np.array(row, "<f4").tobytes() + b"\n" for word, row in rows.items()]
    return b"3 2\n" + b"".join(parts)


def npz(*, packed: bool) -> bytes:
    held = io.BytesIO()
    (np.savez_compressed if packed else np.savez)(
        held, words=np.array(["cat", "dog"]), vectors=np.array([[0.5, 1], [0.25, -1]])
    )
    return held.getvalue()


def read_long(path: Path) -> None:
    read_days(path, long=("house", "time", "kwh"), per_day=2, keep=["household", "date"])


def rooms(rng: random.Random) -> dict[str, tuple[str, Files, Callable[[Path], object]]]:
    """For each format: a file's name, hostile files, and what reads them."""
    return {
        "geojson": (
            "walk.geojson",
            trees(WALK, rng),
            lambda path: read_place_file(path, person="who", keep=["address"]),
        ),
        "gpx": (
            "walk.gpx",
            mutants([TRACK], rng),
            lambda path: read_place_file(path, person="name", keep=["time"]),
        ),
        "region": (
            "region.json",
            trees(REGION, rng),
            lambda path: read_polygon(read_json(path)).plane,
        ),
        "places": ("p.csv", lines([PLACES], rng), lambda path: read_place_file(path, person="id")),
        "days": (
            "days.csv",
            lines([WIDE], rng),
            lambda path: read_days(path, keep=["house", "date"]),
        ),
        "readings": ("readings.csv", lines([LONG], rng), read_long),
        "pram": ("pram.csv", lines(PRAM, rng), read_pram),
        "words": ("words.vec", lines(WORDS, rng), read_embedding),
        "words-binary": ("words.bin", mutants([word2vec()], rng), read_embedding),
        "words-npz": (
            "words.npz",
            mutants([npz(packed=True), npz(packed=False)], rng),
            read_embedding,
        ),
        "ratings": ("ratings.csv", lines([RATINGS], rng), read_ratings),
    }
