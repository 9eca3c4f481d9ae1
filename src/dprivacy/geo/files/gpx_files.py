"""Places in GPX: waypoints, routes and tracks in, waypoints and tracks out."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax.saxutils import escape

import numpy as np

from dprivacy.errors import BadFile, DPrivacyError, NotApplicable
from dprivacy.geo.files.place_shapes import Shape, file_of_shapes
from dprivacy.geo.files.places_read import PlaceFile
from dprivacy.model import open_regular

_LARGEST = 1 << 29  # bytes of a file
_PIECE = 1 << 20  # bytes that are parsed at a time
_DEEPEST = 40  # elements within each other; GPX has five, and extensions some more
_LONGEST = 1 << 22  # bytes of one tag or comment
_WORDS = 10_000  # characters of a text that is kept
_NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", re.ASCII)
_UNPRINTABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SHAPES = {"/gpx/wpt": "Point", "/gpx/rte": "LineString", "/gpx/trk": "MultiLineString"}
_PLACES = {"/gpx/wpt", "/gpx/rte/rtept", "/gpx/trk/trkseg/trkpt"}
_POINTS = {way.rpartition("/")[2] for way in _PLACES}
# What may stand beside coordinates, in the order in which the format asks for it.
_OF_PLACE = ("ele", "time", "name", "cmt", "desc", "src", "sym", "type")
_OF_TRACK = ("name", "cmt", "desc", "src", "number", "type")


def is_gpx(path: Path) -> bool:
    """Whether a file's name says that it is GPX."""
    return path.suffix.lower() == ".gpx"


def read_gpx(path: Path, person: str | None, keep: Sequence[str]) -> PlaceFile:
    """The waypoints, routes and tracks of a GPX file, one person's unless something else is said.

    Parameters
    ----------
    path
        The file.
    person
        The element, such as name, that says whose a waypoint, a route or a track is, or "row".
    keep
        Elements to pass on.

    Raises
    ------
    BadFile
        For what is not GPX, and for a file that declares a document type: entities are never expanded.
    """
    reader = _Reader({*keep, *([] if person is None else [person])}, path)
    with open_regular(path) as file:
        reader.read(file)
    return file_of_shapes(reader.shapes, person, keep, one=True)


class _Reader:
    """Elements as they open and close; whatever is not asked for is passed over."""

    def __init__(self, wanted: set[str], path: Path) -> None:
        self.path = path
        self.told = {f"{way}/{name}" for way in (*_PLACES, *_SHAPES) for name in wanted}
        self.ways = [""]  # of the elements that are open, such as /gpx/trk/trkseg
        self.shapes: list[Shape] = []
        self.parts: list[list[tuple[float, float]]] = []
        self.said: dict[str, Any] = {}
        self.places = 0  # of the shape, so far
        self.beside: dict[str, list[Any]] = {}  # of each of them
        self.text: list[str] = []
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartDoctypeDeclHandler = self._declared
        self.parser.StartElementHandler = self._opened
        self.parser.EndElementHandler = self._closed

    def read(self, file: Any) -> None:
        """Read a file to its end."""
        read = 0
        try:
            while piece := file.read(_PIECE):
                read += len(piece)
                if read > _LARGEST:
                    raise self._refusal(f"it is larger than {_LARGEST >> 20} MiB")
                self.parser.Parse(piece)
                if read - self.parser.CurrentByteIndex > _LONGEST:
                    raise self._refusal(f"a tag or a remark is longer than {_LONGEST >> 20} MiB")
            self.parser.Parse(b"", True)
        except expat.ExpatError as reason:
            line = self.parser.CurrentLineNumber
            raise self._refusal(f"line {line}: {expat.ErrorString(reason.code)}") from None
        except DPrivacyError:
            raise
        except (LookupError, ValueError):
            raise self._refusal("its encoding is not known; save it as UTF-8") from None

    def _refusal(self, words: str) -> BadFile:
        return BadFile(f"{self.path}: is not GPX that can be read: {words}")

    def _declared(self, *_: Any) -> None:
        raise self._refusal("it declares a document type, which GPX does not have; remove it")

    def _opened(self, name: str, given: Mapping[str, str]) -> None:
        way = f"{self.ways[-1]}/{name.rpartition(' ')[2]}"
        self.ways.append(way)
        if way in _PLACES:
            if way in _SHAPES:
                self._begun(way)
            self.places += 1
            self.parts[-1].append((_degrees(given.get("lon")), _degrees(given.get("lat"))))
        elif way in self.told:
            self.text = []
            self.parser.CharacterDataHandler = self._texted
        elif way == "/gpx/trk/trkseg":
            self.parts.append([])
        elif way in _SHAPES:
            self._begun(way)
        elif way.rpartition("/")[2] in _POINTS and "/extensions/" not in way:
            line = self.parser.CurrentLineNumber
            raise self._refusal(
                f"line {line}: a place stands where GPX has none; move it, or remove it"
            )
        elif len(self.ways) == 2 and way != "/gpx":
            raise self._refusal("its first element is not gpx")
        elif len(self.ways) > _DEEPEST:
            raise self._refusal(f"more than {_DEEPEST} elements lie within each other")

    def _begun(self, way: str) -> None:
        self.parts, self.said = [] if way == "/gpx/trk" else [[]], {}
        self.places, self.beside = 0, {}

    def _texted(self, text: str) -> None:
        self.text.append(text)
        if sum(map(len, self.text)) > _WORDS:
            raise self._refusal(f"a text that is kept is longer than {_WORDS:,} characters")

    def _closed(self, _: str) -> None:
        way = self.ways.pop()
        if way in self.told:
            self.parser.CharacterDataHandler = None
            self._heard(way, "".join(self.text).strip())
        elif way in _SHAPES:
            for name, texts in self.beside.items():
                self.said.setdefault(name, texts + [None] * (self.places - len(texts)))
            self.shapes.append(Shape(_SHAPES[way], self.parts, self.said))

    def _heard(self, way: str, words: str) -> None:
        """A text of the waypoint, route or track, or of one of its places."""
        within, _, name = way.rpartition("/")
        if within in _SHAPES:
            self.said[name] = words
        else:
            beside = self.beside.setdefault(name, [])
            beside += [None] * (self.places - len(beside))
            beside[-1] = words


def _degrees(text: str | None) -> float:
    written = text is not None and len(text) < 100 and _NUMBER.fullmatch(text)
    return float(text) if text is not None and written else np.nan


def require_elements(names: Iterable[str], path: Path) -> None:
    """Refuse to keep what GPX has no element for."""
    for name in names:
        if name not in (*_OF_PLACE, *_OF_TRACK):
            raise _no_element(name, _OF_PLACE, path)


def _no_element(name: str, names: Sequence[str], path: Path) -> NotApplicable:
    return NotApplicable(
        f"{path}: GPX cannot keep {name!r} here, only {', '.join(names)}; write .geojson instead"
    )


def gpx_pieces(shapes: Sequence[Shape], path: Path) -> Iterator[str]:
    """A GPX file: a waypoint for every point, a track for every line.

    Parameters
    ----------
    shapes
        What it holds.
    path
        The file's name, for a refusal.
    """
    yield (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<gpx version="1.1" creator="dprivacy" xmlns="http://www.topografix.com/GPX/1/1">\n'
    )
    for shape in shapes:  # waypoints come before tracks
        if shape.kind.endswith("Point"):
            yield from _places("wpt", shape.parts[0], _beside(shape, shape.said, path))
    for shape in shapes:
        if not shape.kind.endswith("Point"):
            each = {name: said for name, said in shape.said.items() if isinstance(said, list)}
            whole = {name: said for name, said in shape.said.items() if name not in each}
            yield f"<trk>{_elements(whole, _OF_TRACK, path)}\n"
            words = _beside(shape, each, path)
            for part in shape.parts:
                yield "<trkseg>\n"
                yield from _places("trkpt", part, words)
                yield "</trkseg>\n"
            yield "</trk>\n"
    yield "</gpx>\n"


def _places(
    name: str, places: Sequence[tuple[float, float]], words: Iterator[str]
) -> Iterator[str]:
    for lon, lat in places:
        start, said = f'<{name} lat="{lat:.7f}" lon="{lon:.7f}"', next(words)
        yield f"{start}>{said}</{name}>\n" if said else f"{start}/>\n"


def _beside(shape: Shape, said: Mapping[str, Any], path: Path) -> Iterator[str]:
    """What is written beside each place of a shape: its own entry of a list, or what all share."""
    places = sum(map(len, shape.parts))
    for name, value in said.items():
        if isinstance(value, list) and len(value) != places:
            raise NotApplicable(f"{path}: {name!r} should have one entry for each place")
    for k in range(places):
        own = {name: v[k] if isinstance(v, list) else v for name, v in said.items()}
        yield _elements(own, _OF_PLACE, path)


def _elements(said: Mapping[str, Any], names: Sequence[str], path: Path) -> str:
    for name, value in said.items():
        if value is not None and name not in names:
            raise _no_element(name, names, path)
    written = []
    for name in names:
        if said.get(name) is not None:
            words = str(said[name])
            if _UNPRINTABLE.search(words):
                raise BadFile(f"{path}: a kept {name} has characters that GPX cannot hold")
            written.append(f"<{name}>{escape(words)}</{name}>")
    return "".join(written)
