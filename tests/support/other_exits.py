"""The ways out of places, curves, texts and ratings: what their verbs write and say."""

import io
import shlex
from contextlib import redirect_stderr, redirect_stdout

from hypothesis import strategies as st

from dprivacy.release import write_permanent_key
from support.command_runs import command
from support.noninterference import Exit, aged, files_of

WORDS = ["the", "doctor", "wrote", "a", "letter", "to", "patient", "qwxyz"]


SECRETS = ("key", "state")  # beside the source: what nobody else may read


def verb_exit(name, line, source="in.csv"):
    """A verb run on a file."""
    words = shlex.split(line)

    def leave(text, folder):
        path = folder / source
        path.write_text(text)
        aged(path)
        write_permanent_key(folder / "key")
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            done = command(*words, folder=folder)
        left = files_of(folder, source, *SECRETS)
        return {"code": done.code, "out": done.out, "err": done.err, **left}

    return Exit(name, leave)


def folder_exit(name, line):
    """A verb run on a folder of one text; what it writes lies in another folder."""
    words = shlex.split(line)

    def leave(text, folder):
        path = folder / "in" / "a.txt"
        path.parent.mkdir()
        path.write_text(text)
        aged(path)
        aged(path.parent)
        done = command(*words, folder=folder)
        return {"code": done.code, "out": done.out, "err": done.err, **files_of(folder / "out")}

    return Exit(name, leave)


@st.composite
def places(draw):
    """One person is elsewhere, and addresses, which are not kept, are others."""
    rows = draw(st.integers(1, 8))
    degrees = st.tuples(st.integers(-3000, 3000), st.integers(-3000, 3000))
    true = draw(st.lists(degrees, min_size=rows, max_size=rows))
    other, at = list(true), draw(st.integers(0, rows - 1))
    other[at] = draw(degrees)
    return [
        "who,lat,lon,town,address\n"
        + "".join(
            f"{k},{40.7 + x / 10**4},{-74 + y / 10**4},t{k % 3},{'street' * length}\n"
            for k, (x, y) in enumerate(cells)
        )
        for cells, length in ((true, draw(st.integers(0, 9))), (other, draw(st.integers(0, 9))))
    ]


@st.composite
def tracks(draw):
    """Somebody walked elsewhere, and what is not kept, the heights and the remarks, is other."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    degrees = st.tuples(st.integers(-3000, 3000), st.integers(-3000, 3000))
    ways = st.tuples(*(st.lists(degrees, min_size=n, max_size=n) for n in sizes))

    def gpx(way, k):
        points = "".join(
            f'<trkpt lat="{40.7 + x / 10**4}" lon="{-74 + y / 10**4}"><ele>{x}</ele></trkpt>'
            for x, y in way
        )
        return (
            f"<trk><name>t{k}</name><cmt>{'so ' * way[0][0]}</cmt><trkseg>{points}</trkseg></trk>"
        )

    return [
        f"<gpx>{''.join(gpx(way, k) for k, way in enumerate(draw(ways)))}</gpx>" for _ in range(2)
    ]


@st.composite
def days(draw):
    """One home uses its power otherwise."""
    rows, readings = draw(st.integers(1, 6)), st.integers(0, 3000).map(lambda k: k / 1000)
    day = st.lists(readings, min_size=4, max_size=4)
    true = draw(st.lists(day, min_size=rows, max_size=rows))
    other, at = list(true), draw(st.integers(0, rows - 1))
    other[at] = draw(day)
    return [
        "home,h0,h1,h2,h3\n"
        + "".join(f"{k},{','.join(map(str, d))}\n" for k, d in enumerate(table))
        for table in (true, other)
    ]


@st.composite
def letters(draw):
    """One word is another one."""
    words = draw(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12))
    other = list(words)
    other[draw(st.integers(0, len(words) - 1))] = draw(st.sampled_from(WORDS))
    return " ".join(words) + "\n", " ".join(other) + "\n"


@st.composite
def tickets(draw):
    """One text is another one, longer or shorter, with names and without."""
    words = st.sampled_from([*WORDS, "Maria", "+44 20 7946 0958", "a@example.org", "Smith"])
    texts = st.lists(words, max_size=9).map(" ".join)
    true = draw(st.lists(texts, min_size=1, max_size=6))
    other = list(true)
    other[draw(st.integers(0, len(true) - 1))] = draw(texts)
    return [
        "id,message\n" + "".join(f'{k},"{text}"\n' for k, text in enumerate(table))
        for table in (true, other)
    ]


@st.composite
def ratings(draw):
    """One person likes something more, or less; so that the lines may come in another order."""
    people, items = draw(st.integers(3, 6)), 4
    marks = st.lists(st.integers(1, 5), min_size=people * items, max_size=people * items)
    true = draw(marks)
    other = list(true)
    other[draw(st.integers(0, len(true) - 1))] = draw(st.integers(1, 5))
    orders = draw(st.sampled_from([lambda line: 0, lambda line: line[-2], lambda line: line[::-1]]))
    return [
        "user,item,rating\n"
        + "".join(
            sorted((f"p{k // items},i{k % items},{m}\n" for k, m in enumerate(table)), key=orders)
        )
        for table in (true, other)
    ]


_GEO = 'geo in.csv --region "40.7,-74.0,50 km" --person who --keep town'
_KEY = "--permanent-key key"
_TRACKS = 'geo in.gpx --region "40.7,-74.0,50 km" --reports 4 --person row --keep name'
_CURVES = "curves in.csv --epsilon 1 --grid 0.01 --columns h0:h3"
_TEXT = "text in.txt --epsilon 10 -o out.txt"
_TICKETS = "text in.csv --column message --length 4 --epsilon 3 --pass-through id"
_NOTES = "text in --length 4 --epsilon 3 -o out"
_MATCH = 'match in.csv --bits 8 --epsilon "ln 3" -k 2 -o out.csv'
OTHER_EXITS = [
    (verb_exit("GeoJSON and a map", f"{_GEO} -o out.geojson --map map.html"), places()),
    (verb_exit("places to Parquet", f"{_GEO} -o out.parquet"), places()),
    (verb_exit("places, in JSON", f"{_GEO} -o out.csv --json"), places()),
    (verb_exit("permanent places", f"{_GEO} {_KEY} -o out.csv"), places()),
    (verb_exit("leaders", f"{_GEO} {_KEY} --state state -o out.csv --json"), places()),
    (verb_exit("leaders of a history", f"{_GEO} {_KEY} --whole-history -o o.parquet"), places()),
    (verb_exit("tracks", f"{_TRACKS} -o out.gpx --map map.html", "in.gpx"), tracks()),
    (verb_exit("tracks to GeoJSON", f"{_TRACKS} -o out.geojson", "in.gpx"), tracks()),
    (verb_exit("curves", f"{_CURVES} -o out.csv"), days()),
    (verb_exit("curves to Parquet", f"{_CURVES} -o out.parquet --json"), days()),
    (verb_exit("a text", _TEXT, "in.txt"), letters()),
    (verb_exit("a text, in its order", f"{_TEXT} --layout text", "in.txt"), letters()),
    (verb_exit("a column of texts", f"{_TICKETS} -o out.csv"), tickets()),
    (verb_exit("texts in their order", f"{_TICKETS} --layout text -o out.parquet"), tickets()),
    (verb_exit("texts in lines of JSON", f"{_TICKETS} -o out.jsonl"), tickets()),
    (folder_exit("a folder of texts", _NOTES), letters()),
    (verb_exit("matches", _MATCH), ratings()),
]
