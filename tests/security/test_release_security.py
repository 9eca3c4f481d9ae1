"""No original value reaches an output, a card, a message or a file that is left behind."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import DPrivacyError, InsecureSeedWarning, PrivacyLeakWarning
from dprivacy.release import (
    PermanentAnswers,
    Plan,
    forecast,
    query,
    received,
    sanitise,
    sanitise_file,
)
from dprivacy.release.plans.release_card import card_text, read_card
from dprivacy.release.plans.table_card import table_card

TOKENS = 10_000
MARK = "CANARY"
LETTERS = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 2"}
CODES = {"type": "ordered", "values": [1, 2, 3], "epsilon": "ln 2"}
NUMBERS = {"type": "numbers", "low": 0, "high": 10, "grid": 1, "epsilon": "1/4"}
BITS = {"type": "bits", "bits": 4, "epsilon": "ln 2"}


def tokens(n: int, kind: str) -> list[str]:
    """Unique texts that occur nowhere else."""
    return [f"{MARK}-{kind}-{k:06d}-{(k * 2654435761) % 2**32:08x}" for k in range(n)]


def everything_in(folder: Path) -> bytes:
    """The bytes of all files of a folder, with Parquet files also decoded."""
    parts = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            parts.append(path.name.encode() + path.read_bytes())
            if path.suffix == ".parquet":
                table = pq.read_table(path)
                parts.append(str(table.to_pydict()).encode())
                parts.append(str(table.schema.to_string(show_field_metadata=True)).encode())
                parts.append(str(pq.read_metadata(path).to_dict()).encode())
    return b"".join(parts)


PLAN = Plan.read({
    "columns": {"h": LETTERS, "k": CODES, "n": NUMBERS, "b": BITS},
    "drop": ["name", "note", "id"],
    "pass_through": ["region"],
})  # fmt: skip


def planted(n: int = TOKENS) -> pa.Table:
    """10,000 tokens in dropped columns, in dictionaries, in metadata, under missing values."""
    quarter = n // 4
    unused = pa.DictionaryArray.from_arrays(
        pa.array(np.arange(n) % 3, pa.int32()), ["a", "b", "c", *tokens(quarter, "dictionary")]
    )
    region = pa.DictionaryArray.from_arrays(
        pa.array(np.arange(n) % 2, pa.int32()), ["north", "south", *tokens(quarter, "through")]
    )
    known = {"columns": [], "index_columns": [], "column_indexes": [], "who": tokens(50, "pandas")}
    notes = {"pandas": json.dumps(known), "free": tokens(1, "table")[0]}
    marked = {"note": tokens(1, "field")[0]}
    arrays = {
        "name": pa.array(tokens(n, "name")),
        "h": unused,
        "k": pa.array(1 + np.arange(n) % 3),
        "n": pa.array((np.arange(n) % 11).astype(float)),
        "b": pa.array(["0101", "1100"] * (n // 2)),
        "note": pa.array([[t] for t in tokens(n, "nested")]),
        "id": pa.array([{"who": t} for t in tokens(n, "struct")]),
        "region": region,
    }
    fields = [pa.field(name, array.type, metadata=marked) for name, array in arrays.items()]
    return pa.Table.from_arrays(list(arrays.values()), schema=pa.schema(fields, metadata=notes))


@pytest.fixture
def source(tmp_path: Path) -> Path:
    (tmp_path / "private").mkdir()
    pq.write_table(planted(), tmp_path / "private" / "in.parquet")
    assert MARK.encode() in (tmp_path / "private" / "in.parquet").read_bytes()
    return tmp_path / "private" / "in.parquet"


def test_ten_thousand_canaries_stay_in_the_source(source: Path, tmp_path: Path) -> None:
    """Outputs, cards, what is printed, and the folder of temporary files."""
    public, scratch = tmp_path / "public", tmp_path / "scratch"
    public.mkdir()
    scratch.mkdir()
    said = io.StringIO()
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(tempfile, "tempdir", str(scratch))
        for ending in ("parquet", "csv"):
            card = sanitise_file(source, PLAN, public / f"{ending}.{ending}", again="a test").card
            release = received(public / f"{ending}.{ending}")
            print(card.explain(), card, forecast(PLAN, rows=10).explain(), repr(PLAN))
            print(
                release.estimate("h"), release.estimate("k"), release.cross_table(["h", "region"])
            )
            print(query(release, "SELECT region, h, count(*) FROM data GROUP BY ALL").explain())
            print(query(release, "SELECT * FROM data LIMIT 5", raw=True).to_dict())
    assert MARK not in said.getvalue()
    assert MARK.encode() not in everything_in(public)
    assert list(scratch.iterdir()) == []
    assert sorted(p.name for p in public.iterdir()) == [
        "csv.csv", "csv.csv.card.json", "parquet.parquet", "parquet.parquet.card.json",
    ]  # fmt: skip
    assert sorted(p.name for p in source.parent.iterdir()) == ["in.parquet"]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_canaries_stay_out_of_frames(kind: str, tmp_path: Path) -> None:
    table = planted(2000)
    if kind == "polars":
        frame = pl.from_arrow(table)
    elif kind == "pandas":
        frame = table.to_pandas()
        frame.attrs["who"] = tokens(1, "attrs")[0]
    else:
        frame = table
    clean = sanitise(frame, PLAN).data
    if kind == "polars":
        clean.write_parquet(tmp_path / "out.parquet")
        clean.write_ipc(tmp_path / "out.arrow")
    elif kind == "pandas":
        clean.to_parquet(tmp_path / "out.parquet")
        clean.to_pickle(tmp_path / "out.pkl")
    else:
        pq.write_table(clean, tmp_path / "out.parquet")
    assert MARK.encode() not in everything_in(tmp_path)


def spoiled(column: str, token: str, n: int = 400) -> pa.Table:
    """A table with one bad value in the middle of a protected column."""
    table = planted(n)
    good: list[object] = [str(v) for v in table[column].to_pylist()]
    good[n // 2] = token
    at = table.schema.get_field_index(column)
    return table.set_column(at, column, pa.array(good))


@pytest.mark.parametrize("column", ["h", "k", "n", "b"])
@pytest.mark.parametrize("ending", ["parquet", "csv"])
def test_a_value_that_does_not_belong_is_shown_nowhere(
    column: str, ending: str, tmp_path: Path
) -> None:
    """Not in the message, its causes, its traceback, nor in any file."""
    token = tokens(1, "invalid")[0]
    table = spoiled(column, token).drop(["note", "id"])
    plan = Plan.read({**PLAN.raw, "drop": ["name"]})
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    source = tmp_path / "in" / f"in.{ending}"
    if ending == "csv":
        table.to_pandas().to_csv(source, index=False)
    else:
        pq.write_table(table, source)
    with pytest.raises(DPrivacyError) as refusal:
        sanitise_file(source, plan, tmp_path / "out" / f"out.{ending}")
    assert f"column '{column}', row 200: " in str(refusal.value)
    shown = "".join(traceback.format_exception(refusal.value))
    assert MARK not in shown
    assert list((tmp_path / "out").iterdir()) == []
    frame = table.to_pandas()
    for thing in (table, frame, pl.from_arrow(table)):
        with pytest.raises(DPrivacyError) as refusal:
            sanitise(thing, plan)
        assert MARK not in "".join(traceback.format_exception(refusal.value))


def test_mixtures_in_a_frame_are_not_shown() -> None:
    frame = pd.DataFrame({"h": pd.Series(["a", 5, tokens(1, "mixed")[0]], dtype=object)})
    with pytest.raises(DPrivacyError) as refusal:
        sanitise(frame, {"columns": {"h": LETTERS}})
    assert MARK not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize("kind", ["unknown", "ragged", "quote", "encoding"])
def test_a_process_that_fails_shows_nothing(tmp_path: Path, kind: str) -> None:
    """The command line, with a bad row, a ragged row and another encoding: stdout, stderr, files."""
    (tmp_path / "plan.toml").write_text(
        'drop = ["name"]\n[columns.h]\ntype = "categories"\nvalues = ["a", "b"]\nepsilon = 1\n'
    )
    names = tokens(300, "name")
    bad = tokens(4, "bad")
    tables = {
        "unknown": "name,h\n" + "".join(f"{t},a\n" for t in names) + f"x,{bad[0]}\n",
        "ragged": "name,h\n" + "".join(f"{t},a\n" for t in names) + f"{bad[1]},a,{bad[1]}\n",
        "quote": "name,h\n" + f'"{bad[2]},a\n' * 21,
        "encoding": f"name,h\n{bad[3]}\x81,a\n",
    }
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, "-m", "dprivacy", "sanitise"]
    encoding = "latin-1" if kind == "encoding" else "utf-8"
    (tmp_path / "in.csv").write_text(tables[kind], encoding=encoding)
    done = subprocess.run(
        [*command, "in.csv", "-p", "plan.toml", "-o", "out.csv"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(scratch)},
    )
    assert done.returncode == 1
    assert MARK not in done.stdout + done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert list(scratch.iterdir()) == []
    assert {path.name for path in tmp_path.iterdir()} == {"plan.toml", "scratch", "in.csv"}


def test_warnings_show_nothing() -> None:
    table = pa.table({"h": ["a", "b"], "name": tokens(2, "name")})
    spec = {**LETTERS, "epsilon": "20", "blocks": [["a", "b"], ["c"]]}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        sanitise(table, {"columns": {"h": spec}, "drop": ["name"]}, insecure_seed=1)
    assert {entry.category for entry in heard} == {PrivacyLeakWarning, InsecureSeedWarning}
    assert len(heard) == 4
    assert all(MARK not in str(entry.message) for entry in heard)


def test_a_killed_run_leaves_no_original_value(tmp_path: Path) -> None:
    """kill −9 in the middle: what is left is a part only the owner can read, of sanitised rows."""
    rows = "".join(f"{t},a\n" for t in tokens(3000, "name"))
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "in.csv").write_text("name,h\n" + rows)
    code = """
import os, signal
from dprivacy.release import Plan, sanitise_file
plan = Plan.read({"columns": {"h": {"type": "categories", "values": ["a", "b"], "epsilon": 1}},
                  "drop": ["name"]})
sanitise_file("in/in.csv", plan, "out/out.csv",
              progress=lambda *_: os.kill(os.getpid(), signal.SIGKILL))
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=False)
    assert done.returncode == -9
    left = list((tmp_path / "out").iterdir())
    assert not (tmp_path / "out" / "out.csv").exists()
    assert not (tmp_path / "out" / "out.csv.card.json").exists()
    for path in left:
        assert path.stat().st_mode & 0o077 == 0
        assert MARK.encode() not in path.read_bytes()
    again = code.replace("progress=lambda *_: os.kill(os.getpid(), signal.SIGKILL)", "resume=True")
    assert subprocess.run([sys.executable, "-c", again], cwd=tmp_path, check=False).returncode == 0


def test_the_card_holds_nothing_of_the_data(source: Path, tmp_path: Path) -> None:
    """Two tables of the same length under the same plan have the same card, but for the hash."""
    other = planted().set_column(1, "h", pa.array(["c"] * TOKENS))
    pq.write_table(other, tmp_path / "other.parquet")
    cards = []
    for k, path in enumerate((source, tmp_path / "other.parquet")):
        sanitise_file(path, PLAN, tmp_path / f"out{k}.parquet")
        data = json.loads((tmp_path / f"out{k}.parquet.card.json").read_text())["body"]
        data.pop("output")
        cards.append(data)
    assert cards[0] == cards[1]


def test_categories_of_outputs_do_not_depend_on_the_data() -> None:
    few = pa.table({"h": pa.array(["a"] * 10).dictionary_encode()})
    all_of_them = pa.table({"h": pa.array(["c", "b", "a"]).dictionary_encode()})
    plan = {"columns": {"h": LETTERS}}
    dictionaries = [
        sanitise(table, plan).data["h"].chunk(0).dictionary.to_pylist()
        for table in (few, all_of_them)
    ]
    assert dictionaries == [["a", "b", "c"]] * 2
    frames = [sanitise(t.to_pandas(), plan).data["h"].dtype for t in (few, all_of_them)]
    assert frames[0] == frames[1]


def test_no_seed_no_repetition() -> None:
    table = pa.table({"h": ["a", "b", "c"] * 100})
    runs = [
        tuple(sanitise(table, {"columns": {"h": LETTERS}}).data["h"].to_pylist()) for _ in range(4)
    ]
    assert len(set(runs)) == 4


def test_forked_processes_draw_different_noise(tmp_path: Path) -> None:
    code = """
import os, pyarrow as pa
from dprivacy.release import Plan, sanitise
plan = Plan.read({"columns": {"h": {"type": "categories", "values": ["a", "b"], "epsilon": 1}}})
table = pa.table({"h": ["a"] * 300})
sanitise(table, plan)
for k in range(2):
    if os.fork() == 0:
        open(f"{k}.txt", "w").write("".join(sanitise(table, plan).data["h"].to_pylist()))
        os._exit(0)
for _ in range(2):
    os.wait()
"""
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, check=True)
    assert (tmp_path / "0.txt").read_text() != (tmp_path / "1.txt").read_text()
    assert len((tmp_path / "0.txt").read_text()) == 300


class TestHostileFiles:
    """Whatever the bytes: one documented error, or a release."""

    @pytest.mark.parametrize("seed", range(60))
    def test_bytes_of_tables(self, seed: int, tmp_path: Path) -> None:
        rng = np.random.default_rng(seed)
        base = {
            "csv": b"h,x\n" + b'a,"1"\nb,2\n,3\n' * 20,
            "parquet": _parquet_bytes(),
        }
        for ending, whole in base.items():
            raw = bytearray(whole)
            for _ in range(int(rng.integers(1, 12))):
                at = int(rng.integers(0, len(raw)))
                match rng.integers(0, 3):
                    case 0:
                        raw[at] = int(rng.integers(0, 256))
                    case 1:
                        del raw[at : at + int(rng.integers(1, 9))]
                    case _:
                        raw[at:at] = rng.bytes(int(rng.integers(1, 9)))
            path = tmp_path / f"in.{ending}"
            path.write_bytes(bytes(raw))
            plan = Plan.read({"columns": {"h": LETTERS}, "drop": ["x"]})
            with contextlib.suppress(DPrivacyError):
                sanitise_file(path, plan, tmp_path / f"out_{ending}.csv")
            assert not [p for p in tmp_path.iterdir() if p.name.startswith(".")]

    @pytest.mark.parametrize("seed", range(60))
    def test_bytes_of_cards_and_plans(self, seed: int, tmp_path: Path) -> None:
        rng = np.random.default_rng(1000 + seed)
        card = card_text(table_card(PLAN, rows=5, secure=True)).encode()
        plan = b'unit = "row"\ndrop = ["x"]\n[columns.h]\ntype = "tree"\nepsilon = "ln 2"\n'
        plan += b'tree = { a = ["x", "y"], b = ["z"] }\n'
        for raw, read in ((card, self._card), (plan, self._plan)):
            changed = bytearray(raw)
            for _ in range(int(rng.integers(1, 6))):
                at = int(rng.integers(0, len(changed)))
                changed[at : at + int(rng.integers(0, 4))] = rng.bytes(int(rng.integers(0, 4)))
            path = tmp_path / "file"
            path.write_bytes(bytes(changed))
            with contextlib.suppress(DPrivacyError):
                read(path)

    @staticmethod
    def _card(path: Path) -> None:
        card = read_card(path)
        card.explain()
        for name in card.mechanisms:
            with contextlib.suppress(DPrivacyError):
                card.channel(name)

    @staticmethod
    def _plan(path: Path) -> None:
        Plan.read(path)


def _parquet_bytes() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"h": ["a", "b", "c"] * 30, "x": list(range(90))}), sink)
    return sink.getvalue()


def test_permanent_answers_do_not_share_noise_between_mechanisms() -> None:
    """Two levels under one key and context: their joint law is that of independent draws."""
    from dprivacy.mechanisms import randomised_response

    n, key = 8000, bytes(range(32))
    people = list(range(n))
    first, second = (
        np.array(
            PermanentAnswers(randomised_response(["y", "n"], eps=eps), key, "q").randomise(
                ["y"] * n, people=people
            )
        )
        == "y"
        for eps in ("ln 2", "ln 3")
    )
    assert abs(np.corrcoef(first, second)[0, 1]) < 0.06
