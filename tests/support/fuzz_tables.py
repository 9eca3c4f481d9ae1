"""Hostile tables: text, Parquet and spreadsheets, and what reads them."""

import base64
import csv
import io
import json
import random
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from dprivacy.release import Plan
from dprivacy.release.columns.noise_streams import ChunkStreams
from dprivacy.release.columns.sanitiser import Sanitiser
from dprivacy.release.files.table_files import batches_of
from dprivacy.release.intake.table_settings import Intake, TableSettings
from dprivacy.sampling import best_stream
from support.made_spreadsheets import ods, xlsx
from support.mutations import json_mutant, lines, mutants
from support.spreadsheet_bombs import repacked, with_shared

PLAN = b"""title = "a survey"
unit = "row"
rows_per_person = 1
drop = ["name"]
pass_through = ["x"]

[columns.hobby]
type = "categories"
values = ["sports", "cars", "reading"]
epsilon = "ln 3"
nulls = "category"

[columns.health]
type = "ordered"
values = [1, 2, 3, 4]
epsilon = "ln 2"
nulls = { replace = 1 }

[columns.hours]
type = "numbers"
low = 0
high = 10
grid = "2"
epsilon = "0.1"

[columns.place]
type = "tree"
tree = { Europe = ["FR", "DE"], Asia = ["JP", "KR"] }
epsilon = "ln 2"

[columns.where]
type = "place"
columns = ["lon", "lat"]
grid = "0.01"
epsilon = "3"

[columns.answers]
type = "bits"
bits = 8
epsilon = 1

[columns.state]
type = "categories"
values = ["child", "single", "married"]
blocks = [["child"], ["single", "married"]]
epsilon = "ln 3"

[columns.wage]
type = "numbers"
low = 0
high = 40
grid = 10
codes = ["N", "99"]
anchor = 10
code_distance = "15/2"
epsilon = "1/9"
nulls = "category"

[columns.visit]
type = "dates"
low = 2020-01-01
high = "2020-01-29"
grid = "7 days"
codes = ["?"]
format = "%d.%m.%Y"
epsilon = "1/9"

[columns.job]
type = "tree"
hierarchy = { 2211 = "22", 2221 = "22", 8111 = "" }
epsilon = "ln 2"
"""
TABLE = {
    "name": ["ann", "bob", "cleo", "dan"],
    "x": [1, 2, 3, 4],
    "hobby": ["sports", "cars", None, "reading"],
    "health": [1, 2, 3, 4],
    "hours": [0.5, 2, 10, 3],
    "place": ["FR", "JP", "KR", "DE"],
    "lon": [2.35, 13.4, 139.7, 127.0],
    "lat": [48.9, 52.5, 35.7, 37.6],
    "answers": ["01010101", "11111111", "00000000", "00110011"],
    "state": ["child", "single", "married", "single"],
    "wage": ["12.5", "N", "99", None],
    "visit": ["9.1.2020", "?", "31.12.2019", "01.02.2020"],
    "job": ["2211", "2221", "8111", "8111"],
}
CELLS = [[value[k] for value in TABLE.values()] for k in range(4)]
CSV = "\n".join(
    [",".join(TABLE), *(",".join("" if v is None else str(v) for v in row) for row in CELLS), ""]
)
SHARED = b"<sst><si><t>a town</t></si><si><r><t>by</t></r><r><t>the sea</t></r></si></sst>"
SHARED_CELLS = b'<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c></row>'

Files = Iterator[bytes]


def read_tables(ending: str) -> Callable[[Path], None]:
    plan = Plan.parse(PLAN.decode())

    def read(path: Path) -> None:
        sanitiser = Sanitiser(plan, ChunkStreams(bytes(32), best_stream()), texts=ending == "csv")
        with batches_of(path, plan.intake) as (batches, _):
            for batch in batches:
                sanitiser.batch(batch)
        sanitiser.finish()

    return read


TICKETS = [
    {"id": 1, "message": "Maria Oliveira wants her money back, call +44 20 7946 0958", "ok": True},
    {"id": 2, "message": None, "ok": False},
    {
        "id": 3,
        "message": "שלום the letter \u202e came 12 March 2024; see https://example.org/a?b=1",
    },
    {"id": 4, "message": "card 4111 1111 1111 1111 " * 30, "ok": True},
]
TEXTS = Plan.read({
    "columns": {"message": {"type": "text", "epsilon": 2, "length": 5, "nulls": "empty"}},
    "pass_through": ["id"],
    "drop": ["ok"],
})  # fmt: skip


def read_texts(path: Path) -> None:
    texts = path.suffix == ".csv"
    sanitiser = Sanitiser(TEXTS, ChunkStreams(bytes(32), best_stream()), texts=texts)
    with batches_of(path, TEXTS.intake) as (batches, _):
        for batch in batches:
            sanitiser.batch(batch)
    sanitiser.finish()


def ticket_lines(rng: random.Random) -> Files:
    """Lines of JSON, by their bytes or with one object that is another one."""
    seed = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in TICKETS).encode()
    plain = mutants([seed], rng)
    while True:
        if rng.random() < 0.4:
            yield next(plain)
            continue
        rows = json_mutant(TICKETS, rng)
        ends = rng.choice(("\n", "\r\n", "\n\n"))
        told = [json.dumps(row, ensure_ascii=rng.random() < 0.5) for row in rows]
        yield ends.join(told).encode("utf-8", "surrogatepass")


def ticket_table() -> bytes:
    sink = io.StringIO()
    rows = [[row.get(name, "") for name in TICKETS[0]] for row in TICKETS]
    csv.writer(sink).writerows([list(TICKETS[0]), *rows])
    return sink.getvalue().encode()


def read_rows(path: Path) -> None:
    """A table whose header is said: of a sheet, most of what is done comes before."""
    with batches_of(path, Intake(TableSettings(header=True))) as (batches, _):
        for batch in batches:
            batch.validate(full=True)


def parquet_bytes(**options: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(TABLE), sink, **options)
    return sink.getvalue()


def parquets(rng: random.Random) -> Files:
    seeds = [
        parquet_bytes(),
        parquet_bytes(compression="none", use_dictionary=False, write_statistics=False),
        parquet_bytes(compression="gzip", data_page_version="2.0", row_group_size=2),
    ]
    plain = mutants(seeds, rng)
    footers = [seed[-int.from_bytes(seed[-8:-4], "little") - 8 :] for seed in seeds]
    while True:
        if rng.random() < 0.5:
            yield next(plain)
            continue
        k = rng.randrange(len(seeds))  # only the footer, with its length set right
        inner = bytearray(footers[k][:-8])
        for _ in range(rng.choice((1, 1, 2, 3))):
            inner[rng.randrange(len(inner))] = rng.randrange(256)
        if rng.random() < 0.3:  # the Arrow schema inside, too
            at = inner.find(b"/////")
            if at >= 0:
                end = at + len(base64.b64encode(b"")) + 400
                spot = rng.randrange(at, min(end, len(inner)))
                inner[spot] = rng.choice(b"ABCDabcd0123/+=")
        body = seeds[k][: len(seeds[k]) - len(footers[k])]
        yield body + bytes(inner) + len(inner).to_bytes(4, "little") + b"PAR1"


def spreadsheets(rng: random.Random) -> Files:
    """Bytes of the archive changed, or the text of one of its parts, in an archive that is in order."""
    rows = [list(TABLE), *CELLS]
    seeds = [xlsx({"one": rows}), with_shared(SHARED, SHARED_CELLS), ods(rows)]
    plain = mutants(seeds, rng)
    while True:
        if rng.random() < 0.3:
            yield next(plain)
            continue
        seed = rng.choice(seeds)
        with zipfile.ZipFile(io.BytesIO(seed)) as archive:
            chosen = rng.choice(archive.namelist())
            changed = next(mutants([archive.read(chosen)], rng))
        yield repacked(seed, {chosen: changed}.get)


def tables(rng: random.Random) -> dict[str, tuple[str, Files, Callable[[Path], object]]]:
    """For each format: a file's name, hostile files, and what reads them."""
    plain = [CSV.encode(), CSV.replace("\n", "\r\n").encode()]
    return {
        "csv": ("in.csv", lines(plain, rng), read_tables("csv")),
        "texts-csv": ("in.csv", lines([ticket_table()], rng), read_texts),
        "texts-jsonl": ("in.jsonl", ticket_lines(rng), read_texts),
        "parquet": ("in.parquet", parquets(rng), read_tables("parquet")),
        "xlsx": ("in.xlsx", spreadsheets(rng), read_rows),
    }
