"""The ways out of a table: files, frames of every library, a crash, a ledger and the command line."""

import csv
import gzip
import io
import json
import pickle
import sqlite3
from contextlib import closing, contextmanager, redirect_stderr, redirect_stdout, suppress
from fractions import Fraction

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.numbers import Level
from dprivacy.release import Ledger, sanitise, sanitise_file, sanitise_stream
from dprivacy.release.jobs import job_resume, output_writer
from dprivacy.release.jobs.job_journal import Journal
from dprivacy.release.plans.release_card import card_text
from dprivacy.release.unordered import shuffled_block
from dprivacy.store import save
from dprivacy.verify import Shuffled
from support.command_runs import command
from support.noninterference import Exit, aged, files_of
from support.release_tables import Stopped


def write_csv(survey, folder):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(survey.columns)
    for row in zip(*survey.columns.values(), strict=True):
        writer.writerow("" if cell is None else cell for cell in row)
    path = folder / "in.csv"
    path.write_text(text.getvalue(), encoding="utf-8")
    return aged(path)


def write_gzip(survey, folder):
    path = folder / "in.csv.gz"
    path.write_bytes(gzip.compress(write_csv(survey, folder).read_bytes()))
    (folder / "in.csv").unlink()
    return aged(path)


def pieces(survey, size=200):
    """Arrow tables of so many bytes of text, as writers that look at bytes cut them."""
    table, start, held = arrow_table(survey), 0, 0
    for row, cells in enumerate(zip(*survey.columns.values(), strict=True)):
        held += sum(len(str(cell)) for cell in cells)
        if held >= size or row == survey.rows - 1:
            yield table.slice(start, row + 1 - start)
            start, held = row + 1, 0


def write_parquet(survey, folder):
    path = folder / "in.parquet"
    with pq.ParquetWriter(path, arrow_table(survey).schema) as writer:
        for piece in pieces(survey):
            writer.write_table(piece)
    return aged(path)


def arrow_table(survey):
    """Types as Arrow finds them in the values."""
    return pa.table({name: pa.array(values) for name, values in survey.columns.items()})


def write_lines(survey, folder):
    path = folder / "in.jsonl"
    rows = arrow_table(survey).to_pylist()
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return aged(path)


WRITERS = {"JSONL": write_lines, "CSV": write_csv, "CSV.gz": write_gzip, "Parquet": write_parquet}


def file_exit(source, target):
    def leave(survey, folder):
        told = []
        released = sanitise_file(
            WRITERS[source](survey, folder),
            survey.plan,
            folder / f"out.{target.lower()}",
            progress=lambda *far: told.append(far),
        )
        told.append(card_text(released.card))
        return {"told": told, **files_of(folder, "in.csv", "in.csv.gz", "in.parquet", "in.jsonl")}

    return Exit(f"{source} to {target}", leave)


def ipc(table):
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue().to_pybytes()


def arrow_parts(table):
    """A table, its IPC bytes, and all that its buffers hold."""
    buffers = [
        None if buffer is None else buffer.to_pybytes()
        for column in table.columns
        for chunk in column.chunks
        for buffer in chunk.buffers()
    ]
    schema = table.schema.to_string(show_schema_metadata=True, show_field_metadata=True)
    return {"schema": schema, "IPC": ipc(table), "buffers": buffers}


def frame_exit(name, made, parts, saved=".parquet"):
    """A table in hand, and the file that it is saved as."""

    def leave(survey, folder):
        frame = made(survey)
        released = sanitise(frame, survey.plan)
        released.save(folder / f"out{saved}")
        return {"card": card_text(released.card), **parts(released.data), **files_of(folder)}

    return Exit(name, leave)


def chunked(survey):
    return pa.concat_tables(pieces(survey))


def dictionaries(survey):
    table = chunked(survey)
    for name in texts(survey):
        column = table.column(name).cast(pa.string()).dictionary_encode()
        table = table.set_column(table.schema.get_field_index(name), name, column)
    return table


def texts(survey):
    """The columns that a careful person would read as categories, whoever answered."""
    return [name for name in survey.columns if name in ("word", "rank", "land", "town")]


def pandas_frame(survey):
    return pd.DataFrame(survey.columns)


def pandas_shuffled(survey):
    """Rows that were sorted by a secret column and then shuffled; the index is where they came from."""
    places = pd.Series(survey.columns[survey.protected[0]]).astype(str).argsort(kind="stable")
    return pandas_frame(survey).set_axis(places + 1000)


def pandas_categories(survey):
    return pandas_frame(survey).astype(dict.fromkeys(texts(survey), "category"))


def pandas_parts(frame):
    return {
        "types": [repr(kind) for kind in frame.dtypes],
        "index": repr(frame.index),
        "attributes": repr(frame.attrs),
        "pickle": pickle.dumps(frame),
        "blocks": [repr(block) for block in frame._mgr.blocks],
    }


def polars_frame(survey):
    return pl.DataFrame(survey.columns, strict=False)


def polars_categories(survey):
    return polars_frame(survey).with_columns(pl.col(texts(survey)).cast(pl.Categorical))


def polars_parts(frame):
    file = io.BytesIO()
    frame.write_ipc(file)
    newest = frame.to_arrow(compat_level=pl.CompatLevel.newest())
    return {
        "types": repr(frame.schema),
        "IPC": file.getvalue(),
        "arrow": newest.schema.to_string(),
        "pickle": pickle.dumps(frame),
    }


def duckdb_relation(survey):
    return duckdb.from_arrow(arrow_table(survey))


def duckdb_parts(relation):
    return {
        "types": [str(kind) for kind in relation.types],
        **arrow_parts(relation.to_arrow_table()),
    }


LISTED = ("word", "code", "rank", "land")
# Where a crash may come: what is called there.
POINTS = {
    "journal written": (Journal, "create"),
    "a checkpoint written": (Journal, "append"),
    "output complete": (output_writer.Writing, "finish"),
    "card written": (job_resume, "write_card"),
}


def stream_exit(survey, folder):
    """A stream that comes in pieces, as a whole table that was read from what came out."""
    told = {key: value for key, value in survey.told.items() if key != "unit"}
    released = sanitise_stream(chunked(survey).to_reader(), told)
    table = released.data.read_all()
    return {"card": card_text(released.card), **arrow_parts(table)}


def crash_exit(point, target):
    """What lies there when a job is killed, its journal with it."""

    def leave(survey, folder):
        source = write_csv(survey, folder)
        owner, name = POINTS[point]
        real, died = getattr(owner, name), []

        def last(*given, **options):
            made = real(*given, **options)
            if isinstance(made, Journal):  # what dies has its files closed
                made.close()
            died.append(1)
            raise Stopped

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(owner, name, last)
            with suppress(Stopped):
                sanitise_file(source, survey.plan, folder / f"out.{target}")
        return {"died": died, **files_of(folder, "in.csv")}

    return Exit(f"a crash: {point}, {target}", leave)


def ledger_exit(survey, folder):
    """Every row of a ledger, and the receipt on the card."""
    source = write_csv(survey, folder)
    with Ledger(folder / "ledger.db", open=True) as ledger:
        account = ledger.account("survey")
        released = sanitise_file(source, survey.plan, folder / "out.csv", ledger=account)
        sanitise(pandas_frame(survey), survey.plan, ledger=account, again="once more, as a frame")
        report, verdict = ledger.report().explain(), ledger.verify().explain()
    with closing(sqlite3.connect(folder / "ledger.db")) as database:
        rows = list(database.iterdump())
    return {"rows": rows, "receipt": released.card.receipt, "report": report, "verdict": verdict}


def permanent_exit(survey, folder):
    """The listed columns alone: other ones have no permanent answers."""
    told = survey.told
    listed = {name: spec for name, spec in told["columns"].items() if name in LISTED}
    if not listed:
        return {}
    others = [name for name in survey.protected if name not in listed]
    plan = {**told, "columns": listed, "drop": [*told["drop"], *others]}
    source = write_csv(survey, folder)
    sanitise_file(source, plan, folder / "out.parquet", permanent_key=b"k" * 32)
    return files_of(folder, "in.csv")


PROOF = Shuffled(Level("1/2"), Fraction(1, 10**9), 2, Level(1), Fraction(1, 2), "blanket")


@contextmanager
def quickly_proved():
    """Shuffled releases without their bound: it takes seconds, and sees the plan and n alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffled_block, "_proved", lambda asked: PROOF)
        yield {"shuffle": True, "delta": "1e-9"}


def one_by_one(told):
    """The plan whose columns are each drawn alone: sorted rows of joints are refused."""
    columns = {name: {"epsilon": "ln 2", **spec} for name, spec in told["columns"].items()}
    return {**{key: value for key, value in told.items() if key != "joint"}, "columns": columns}


def without_untouched(survey):
    """The plan with what it publishes left out: rows may be alone there, which is refused."""
    told = one_by_one(survey.told)
    through = told.get("pass_through", [])
    return {**told, "pass_through": [], "drop": [*told["drop"], *through]}


def shuffled_file_exit(source, target):
    def leave(survey, folder):
        if survey.rows < 2:  # which is refused
            return {}
        path, output = WRITERS[source](survey, folder), folder / f"out.{target.lower()}"
        with quickly_proved() as how:
            card = sanitise_file(path, without_untouched(survey), output, **how).card
        return {"card": card_text(card), **files_of(folder, "in.csv", "in.parquet")}

    return Exit(f"{source} to {target}, shuffled", leave)


def shuffled_frame_exit(name, made, parts):
    def leave(survey, folder):
        if survey.rows < 2:
            return {}
        with quickly_proved() as how:
            released = sanitise(made(survey), without_untouched(survey), **how)
        released.save(folder / "out.parquet")
        return {"card": card_text(released.card), **parts(released.data), **files_of(folder)}

    return Exit(f"{name}, shuffled", leave)


def command_exit(*options):
    """What the command line says: both streams and the exit code."""

    def leave(survey, folder):
        write_csv(survey, folder)
        save(survey.plan, folder / "plan.json")
        words = ("sanitise", "in.csv", "-p", "plan.json", "-o", "out.csv", *options)
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            done = command(*words, folder=folder)
        warned = [
            line for line in done.err.splitlines() if "rows are sorted or grouped" not in line
        ]
        return {"code": done.code, "out": done.out, "err": warned, **files_of(folder, "in.csv")}

    return Exit(" ".join(["dprivacy sanitise", *options]), leave)


TABLE_EXITS = (
    file_exit("CSV", "CSV"),
    file_exit("CSV", "Parquet"),
    file_exit("CSV.gz", "CSV"),
    file_exit("JSONL", "JSONL"),
    file_exit("Parquet", "CSV"),
    file_exit("Parquet", "Parquet"),
    frame_exit("Arrow", chunked, arrow_parts),
    frame_exit("Arrow dictionaries", dictionaries, arrow_parts),
    frame_exit("pandas", pandas_frame, pandas_parts),
    frame_exit("pandas with an index", pandas_shuffled, pandas_parts),
    frame_exit("pandas categories", pandas_categories, pandas_parts, ".csv"),
    frame_exit("Polars", polars_frame, polars_parts),
    frame_exit("Polars categories", polars_categories, polars_parts, ".csv"),
    frame_exit("DuckDB", duckdb_relation, duckdb_parts),
    Exit("a stream", stream_exit),
    crash_exit("journal written", "csv"),
    crash_exit("a checkpoint written", "csv"),
    crash_exit("output complete", "parquet"),
    crash_exit("card written", "csv"),
    shuffled_file_exit("CSV", "CSV"),
    shuffled_file_exit("Parquet", "Parquet"),
    shuffled_frame_exit("Arrow dictionaries", dictionaries, arrow_parts),
    shuffled_frame_exit("pandas with an index", pandas_shuffled, pandas_parts),
    shuffled_frame_exit("Polars categories", polars_categories, polars_parts),
    Exit("permanent answers", permanent_exit),
    Exit("ledger", ledger_exit),
    command_exit("--progress"),
    command_exit("--json"),
)
