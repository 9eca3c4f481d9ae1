"""Files: streamed, written whole or not at all, and every bad input one sentence."""

import gzip
import json
import os
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import AlreadyReleased, DPrivacyError, Malformed, UnknownCategory
from dprivacy.release import Plan, card_path, received, sanitise_file
from dprivacy.release.files import row_chunks, table_files as files
from dprivacy.release.plans.release_card import read_card
from support.release_tables import (
    CODES,
    LETTERS,
    NUMBERS,
    left_over,
    plan_of,
    seed_is_noticed,
    seeded_file,
)

CANARY = "CANARY-7f3a"
BOM = b"\xef\xbb\xbf"


def csv_out(folder, content, spec=LETTERS, name="in.csv", **top):
    source = folder / name
    source.write_bytes(content if isinstance(content, bytes) else content.encode())
    seeded_file(source, plan_of(spec, **top), folder / "out.csv")
    return (folder / "out.csv").read_bytes()


def refused(folder, content, spec=LETTERS, name="in.csv", **top):
    """The sentence; nothing is left behind."""
    with pytest.raises(DPrivacyError) as refusal:
        csv_out(folder, content, spec, name, **top)
    text = str(refusal.value)
    assert sorted(path.name for path in folder.iterdir()) == [name]
    assert CANARY not in text
    assert "\n" not in text
    return text


class TestCsv:
    @pytest.mark.parametrize(
        "content",
        [
            "h\na\nb\nc\n",
            "h\na\nb\nc",
            BOM + b"h\na\nb\nc\n",
            "h\r\na\r\nb\r\nc\r\n",
            "h\ra\rb\rc\r",
            '"h"\n"a"\n"b"\n"c"\n',
        ],
    )
    def test_dialects(self, tmp_path, content):
        rows = csv_out(tmp_path, content).decode().splitlines()
        assert rows[0] == '"h"'
        assert len(rows) == 4
        assert set(rows[1:]) <= {'"a"', '"b"', '"c"'}

    def test_gzip(self, tmp_path):
        csv_out(tmp_path, gzip.compress(b"h\na\nb\n"), name="in.csv.gz")
        assert read_card(tmp_path / "out.csv.card.json").count == 2

    def test_endings_in_capitals(self, tmp_path):
        (tmp_path / "IN.CSV").write_text("h\na\n")
        seeded_file(tmp_path / "IN.CSV", plan_of(), tmp_path / "OUT.PARQUET")
        assert pq.read_table(tmp_path / "OUT.PARQUET").num_rows == 1
        assert received(tmp_path / "OUT.PARQUET").estimate("h").n == 1

    def test_quoted_cells_with_line_breaks_and_quotes(self, tmp_path):
        text = 'h,note\n"a","two\nlines"\nb,"say ""hi"""\n'
        assert b'"two\nlines"' in csv_out(tmp_path, text, pass_through=["note"])
        assert pacsv.read_csv(
            tmp_path / "out.csv", parse_options=pacsv.ParseOptions(newlines_in_values=True)
        )["note"].to_pylist() == ["two\nlines", 'say "hi"']

    def test_line_breaks_at_the_edge_of_a_block(self, tmp_path, monkeypatch):
        monkeypatch.setattr(files, "_BLOCK", 1 << 10)
        monkeypatch.setattr(row_chunks, "CHUNK", 100)
        rows = "".join(f'a,"x{k}\n\n{"y" * (k % 50)}"\n' for k in range(2000))
        csv_out(tmp_path, "h,note\n" + rows, pass_through=["note"])
        assert read_card(tmp_path / "out.csv.card.json").count == 2000

    def test_what_passes_through_is_not_touched(self, tmp_path):
        text = 'h,x\na,NA\nb,\nc,""\na,007\nb, 1 \n'
        rows = csv_out(tmp_path, text, pass_through=["x"]).decode().splitlines()
        cells = [row.split(",", 1)[1] for row in rows[1:]]
        assert cells == ['"NA"', "", '""', '"007"', '" 1 "']

    def test_words_that_are_declared_are_no_missing_values(self, tmp_path):
        spec = {**LETTERS, "values": ["None", "NA", "a"]}
        csv_out(tmp_path, "h\n" + "None\nNA\na\n" * 50, spec)
        found = received(tmp_path / "out.csv").estimate("h")
        assert found.n == 150

    def test_an_empty_text_may_be_declared(self, tmp_path):
        spec = {**LETTERS, "values": ["", "a"]}
        csv_out(tmp_path, "h,x\n" + '"",1\na,2\n' * 50, spec, drop=["x"])
        release = received(tmp_path / "out.csv")
        assert sum(release.counts(["h"]).values()) == 100
        assert release.estimate("h").n == 100

    def test_a_single_column_with_missing_values_keeps_its_rows(self, tmp_path):
        csv_out(tmp_path, "h\n" + "a\n\nb\n" * 50, {**LETTERS, "nulls": "category"})
        assert read_card(tmp_path / "out.csv.card.json").count == 150
        assert received(tmp_path / "out.csv").estimate("h").n == 150

    def test_blank_lines_of_a_wider_table_are_no_rows(self, tmp_path):
        assert csv_out(tmp_path, "h,x\na,1\n\nb,2\n\n", drop=["x"]).count(b"\n") == 3

    def test_numbers_and_codes_in_text(self, tmp_path):
        assert set(csv_out(tmp_path, "h\n1\n2\n3\n", CODES).split()[1:]) <= {
            b"1",
            b"2",
            b"3",
        }
        (tmp_path / "out.csv").unlink()
        (tmp_path / "out.csv.card.json").unlink()
        rows = csv_out(tmp_path, "h\n1\n2.5\n1e1\n", NUMBERS).decode().split()[1:]
        assert {int(row) for row in rows} <= set(range(11))

    @pytest.mark.parametrize(
        ("spec", "value"), [(LETTERS, "a"), (CODES, 1), (NUMBERS, 2), (NUMBERS, 2.5)]
    )
    def test_missing_values_are_replaced(self, tmp_path, spec, value):
        cells = "h,x\n,1\nNA,2\n"
        assert csv_out(tmp_path, cells, {**spec, "nulls": {"replace": value}}, drop=["x"])


class TestRefusals:
    """Each bad input: one sentence, no value, nothing half-written."""

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            ("", "holds nothing"),
            ("h", "holds nothing"),
            ("\n\n", "holds nothing"),
            ("h\n", "holds no rows"),
            (f"h\na\n{CANARY}\n", "column 'h', row 1: holds a value outside the declared values"),
            ("h\na\n\n", "row 1: is missing"),
            ("h\na\nNA\n", "row 1: is missing"),
            ("x\na\n", "may be a person's record; pass --header"),
            ("x,y\n1,2\n3,4\n", "the table has no column 'h'"),
            ("h;x\na;1\n", "says nothing of the column 'x'"),
            ("h,x\na,1\n", "says nothing of the column 'x'"),
            ("h,h\na,b\n", "two columns have the same name"),
            (f"h,x\na,1\nb,{CANARY},3\n", "ragged rows at line 3"),
            ("h,x\na,1\nb\n", "ragged rows at line 3"),
            (f"h\na\n{CANARY}é\n".encode("latin-1"), "row 1: holds a value outside"),
            (f"h\na\n{CANARY}\x81\n".encode("latin-1"), "pass its encoding as --encoding"),
            ("h\nb\nx\n".encode("utf-16"), "row 1: holds a value outside"),
            (b"h\na\x00\n", "it holds empty bytes, as text does not"),
            ("h\n" + "a" * (10 << 20) + "\n", "longer than 1 MiB"),
            (b"\x00" * 1000, "it holds empty bytes, as text does not"),
        ],
    )
    def test_csv(self, tmp_path, content, text):
        found = refused(tmp_path, content)
        assert text in found

    @pytest.mark.parametrize(
        ("spec", "cell", "text"),
        [
            (CODES, CANARY, "row 1: holds a value outside"),
            (CODES, "9", "row 1: holds a value outside"),
            (CODES, " 1", "row 1: holds a value outside"),
            (NUMBERS, CANARY, "row 1: is not a number"),
            (NUMBERS, "nan", "row 1: is not a finite number"),
            (NUMBERS, "-inf", "row 1: is not a finite number"),
            (NUMBERS, "NaN", "row 1: is missing"),
            (NUMBERS, '"1,5"', "row 1: is not a number"),
        ],
    )
    def test_cells(self, tmp_path, spec, cell, text):
        assert text in refused(tmp_path, f"h\n1\n{cell}\n", spec)

    def test_a_dropped_column_in_another_encoding(self, tmp_path):
        content = "h,x\n" + "a,1\n" * 100_000 + f"a,{CANARY}"
        text = refused(tmp_path, content.encode() + b"\xe9\nb,2\n", drop=["x"])
        assert "line 100002 cannot be read as utf-8" in text

    def test_row_numbers_over_many_blocks(self, tmp_path, monkeypatch):
        monkeypatch.setattr(files, "_BLOCK", 1 << 12)
        text = refused(tmp_path, "h\n" + "a\n" * 50_000 + f"{CANARY}\n")
        assert "row 50000: " in text

    def test_ragged_rows_far_down(self, tmp_path, monkeypatch):
        monkeypatch.setattr(files, "_BLOCK", 1 << 12)
        content = "h,x\n" + "a,1\n" * 20_000 + f"b,{CANARY},3\n"
        assert "ragged rows at line 20002" in refused(tmp_path, content, drop=["x"])

    def test_damaged_gzip(self, tmp_path):
        whole = gzip.compress(b"h\n" + b"a\n" * 1000)
        assert "cannot be read" in refused(tmp_path, whole[:-20], name="in.csv.gz")

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"h\na\n", os.urandom(4096)])
    def test_damaged_parquet(self, tmp_path, content):
        assert "cannot be read" in refused(tmp_path, content, name="in.parquet")

    def test_parquet_cut_short_inside(self, tmp_path):
        rows = np.random.default_rng(0).integers(0, 2**60, 50_000)
        table = pa.table({"h": ["a", "b"] * 25_000, "x": rows})
        pq.write_table(table, tmp_path / "in.parquet", row_group_size=5000)
        raw = bytearray((tmp_path / "in.parquet").read_bytes())
        raw[20_000:90_000] = bytes(70_000)
        assert "cannot be read" in refused(tmp_path, bytes(raw), name="in.parquet", drop=["x"])

    @pytest.mark.parametrize("name", ["in.sas7bdat", "in", "in.gz", "in.json"])
    def test_other_kinds_of_files(self, tmp_path, name):
        assert "only .csv, .tsv, .tab, .txt, .jsonl, .ndjson (also" in refused(
            tmp_path, "h\na\n", name=name
        )

    def test_no_such_file(self, tmp_path):
        with pytest.raises(Malformed, match="does not exist"):
            sanitise_file(tmp_path / "nothing.csv", plan_of(), tmp_path / "out.csv")

    def test_a_folder_is_no_table(self, tmp_path):
        for name in ("in.csv", "in.parquet"):
            (tmp_path / name).mkdir()
            with pytest.raises(Malformed, match="cannot be read"):
                sanitise_file(tmp_path / name, plan_of(), tmp_path / "out.csv")

    def test_an_empty_parquet_table(self, tmp_path):
        pq.write_table(pa.table({"h": pa.array([], pa.string())}), tmp_path / "in.parquet")
        with pytest.raises(Malformed, match="holds no rows"):
            sanitise_file(tmp_path / "in.parquet", plan_of(), tmp_path / "out.parquet")
        assert not (tmp_path / "out.parquet").exists()

    def test_a_person_with_too_many_rows(self, tmp_path):
        text = refused(tmp_path, "h,who\na,ann\nb,bob\nc,ann\n", unit="who")
        assert "more rows than rows_per_person" in text
        assert csv_out(tmp_path, "h,who\na,ann\nb,bob\nc,ann\n", unit="who", rows_per_person=2)


class TestOutputs:
    @pytest.fixture
    def source(self, tmp_path):
        file = tmp_path / "in.csv"
        file.write_text("h\n" + "a\nb\nc\n" * 100)
        return file

    def test_what_exists_is_kept(self, source, tmp_path):
        for taken in ("out.csv", "out.csv.card.json"):
            (tmp_path / taken).write_text("old")
            with pytest.raises(
                Malformed, match="already exists; choose another name, or pass --replace"
            ):
                sanitise_file(source, plan_of(), tmp_path / "out.csv")
            assert (tmp_path / taken).read_text() == "old"
            (tmp_path / taken).unlink()

    def test_replace(self, source, tmp_path):
        sanitise_file(source, plan_of(), tmp_path / "out.csv")
        before = (tmp_path / "out.csv").read_bytes()
        with pytest.raises(
            AlreadyReleased, match=r"in\.csv was released before.*say why with again="
        ):
            sanitise_file(source, plan_of(), tmp_path / "out.csv", replace=True)
        with pytest.raises(Malformed, match="again is a text that says why"):
            sanitise_file(source, plan_of(), tmp_path / "out.csv", replace=True, again=" ")
        assert (tmp_path / "out.csv").read_bytes() == before
        sanitise_file(source, plan_of(), tmp_path / "out.csv", replace=True, again="a test")
        assert (tmp_path / "out.csv").read_bytes() != before
        assert received(tmp_path / "out.csv").card.count == 300

    def test_a_failed_replacement_leaves_the_old_release(self, source, tmp_path):
        sanitise_file(source, plan_of(), tmp_path / "out.csv")
        before = [(tmp_path / n).read_bytes() for n in ("out.csv", "out.csv.card.json")]
        source.write_text("h\n" + "a\n" * 1000 + CANARY + "\n")
        with pytest.raises(UnknownCategory):
            sanitise_file(source, plan_of(), tmp_path / "out.csv", replace=True)
        assert [(tmp_path / n).read_bytes() for n in ("out.csv", "out.csv.card.json")] == before
        assert left_over(tmp_path) == []

    @pytest.mark.parametrize("link", [None, os.symlink, os.link])
    def test_the_source_is_never_replaced(self, source, tmp_path, link):
        target = source
        if link is not None:
            target = tmp_path / "other.csv"
            link(source, target)
        before = source.read_bytes()
        with pytest.raises(Malformed, match="would replace the source"):
            sanitise_file(source, plan_of(), target, replace=True)
        assert source.read_bytes() == before

    @pytest.mark.parametrize("name", ["out.tsv", "out", "out.csv.gz", "out.json"])
    def test_other_endings(self, source, tmp_path, name):
        with pytest.raises(Malformed, match=r"must end in \.csv, \.parquet or \.jsonl"):
            sanitise_file(source, plan_of(), tmp_path / name)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["in.csv"]

    def test_a_folder_that_is_not_there(self, source, tmp_path):
        with pytest.raises(Malformed, match="cannot be written to"):
            sanitise_file(source, plan_of(), tmp_path / "none" / "out.csv")

    def test_a_target_that_is_a_folder(self, source, tmp_path):
        (tmp_path / "out.csv").mkdir()
        with pytest.raises(Malformed, match="cannot be written"):
            sanitise_file(source, plan_of(), tmp_path / "out.csv", replace=True)
        assert left_over(tmp_path) == []
        assert not (tmp_path / "out.csv.card.json").exists()

    def test_only_the_owner_may_read_while_it_is_written(self, source, tmp_path):
        seen = set()

        def look(_done, _total):
            seen.update((p.name, stat.S_IMODE(p.stat().st_mode)) for p in tmp_path.glob(".*"))

        sanitise_file(source, plan_of(), tmp_path / "out.csv", progress=look)
        kinds = ("journal", "lock", "part")
        assert seen == {(f".out.csv.dprivacy-{kind}", 0o600) for kind in kinds}
        assert left_over(tmp_path) == []
        assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o600

    def test_a_source_that_changes_while_it_is_read(self, source, tmp_path):
        def change(_done, _total):
            with source.open("a") as file:
                file.write("a\n")

        with pytest.raises(Malformed, match="changed while it was read"):
            sanitise_file(source, plan_of(), tmp_path / "out.csv", progress=change)
        assert sorted(p.name for p in tmp_path.iterdir()) == ["in.csv"]

    def test_a_pipe_is_no_table(self, tmp_path):
        os.mkfifo(tmp_path / "pipe.csv")
        with pytest.raises(Malformed, match="is not a file"):
            sanitise_file(tmp_path / "pipe.csv", plan_of(), tmp_path / "out.csv")
        assert left_over(tmp_path) == []


class TestParquet:
    def test_types_are_those_of_the_plan_and_of_what_passes_through(self, tmp_path):
        table = pa.table({
            "h": pa.array(["a", "b"]).dictionary_encode(),
            "n": pa.array([1, 2], pa.int16()),
            "l": [[1], [2, 3]],
            "d": pa.array([1, 2], pa.date32()),
        })  # fmt: skip
        pq.write_table(table, tmp_path / "in.parquet")
        numbers = {**NUMBERS, "epsilon": "1/2"}
        plan = Plan.read({"columns": {"h": LETTERS, "n": numbers}, "pass_through": ["l", "d"]})
        seeded_file(tmp_path / "in.parquet", plan, tmp_path / "out.parquet")
        clean = pq.read_table(tmp_path / "out.parquet")
        assert clean.schema.field("h").type == pa.string()
        assert clean.schema.field("n").type == pa.int64()
        assert clean["l"].to_pylist() == [[1], [2, 3]]
        assert clean["d"].to_pylist() == table["d"].to_pylist()

    @pytest.mark.parametrize(
        "column", [pa.array([[1]]), pa.array([{"x": 1}]), pa.array([b"\xff"])], ids=str
    )
    def test_what_csv_cannot_hold(self, tmp_path, column):
        pq.write_table(pa.table({"h": ["a"], "x": column}), tmp_path / "in.parquet")
        words = (
            rf"cannot hold a column .*\('x', of type {str(column.type)[:4]}.*or write a .parquet"
        )
        with pytest.raises(Malformed, match=words):
            sanitise_file(
                tmp_path / "in.parquet", plan_of(pass_through=["x"]), tmp_path / "out.csv"
            )
        assert left_over(tmp_path) == []
        assert not (tmp_path / "out.csv").exists()

    def test_progress_knows_the_total(self, tmp_path):
        rows = 3 * row_chunks.CHUNK // 2
        pq.write_table(pa.table({"h": ["a"] * rows}), tmp_path / "in.parquet")
        seen = []
        seeded_file(
            tmp_path / "in.parquet",
            plan_of(),
            tmp_path / "out.parquet",
            progress=lambda *at: seen.append(at),
        )
        assert seen == [(row_chunks.CHUNK, rows), (rows, rows)]

    def test_a_screen_is_told_how_much_is_done(self, tmp_path, monkeypatch):
        class Screen(list):
            def __call__(self, rows, total):
                self.append((rows, total))

            def share(self, part):
                self.append(part)

        monkeypatch.setattr(row_chunks, "CHUNK", 100)
        monkeypatch.setattr(files, "_BLOCK", 1 << 9)
        table, rows = pa.table({"h": ["a", "b"] * 1000}), 2000
        pq.write_table(table, tmp_path / "in.parquet")
        pacsv.write_csv(table, tmp_path / "in.csv")
        (tmp_path / "in.csv.gz").write_bytes(gzip.compress((tmp_path / "in.csv").read_bytes()))
        told = {}
        for ending in ("parquet", "csv", "csv.gz"):
            told[ending] = Screen()
            output = tmp_path / f"out-{ending}.csv"
            seeded_file(tmp_path / f"in.{ending}", plan_of(), output, progress=told[ending])
        assert told["parquet"] == [x for k in range(1, 21) for x in ((100 * k, rows), k / 20)]
        assert told["csv"][-2:] == [(rows, None), 1.0]
        shares = told["csv"][1::2]
        assert shares == sorted(shares)
        assert shares[0] < 1  # few chunks are read ahead
        assert told["csv.gz"][1::2] == [None] * 20

    def test_no_statistics_or_dictionary_of_the_source(self, tmp_path):
        column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 0]), ["a", "b", CANARY])
        kept = pa.DictionaryArray.from_arrays(pa.array([0, 0, 0]), ["x", CANARY])
        schema = pa.schema(
            [
                pa.field("h", column.type, metadata={"k": CANARY}),
                pa.field("p", kept.type, metadata={"k": CANARY}),
            ],
            metadata={"pandas": json.dumps({"c": CANARY}), "m": CANARY},
        )
        table = pa.Table.from_arrays([column, kept], schema=schema)
        pq.write_table(table, tmp_path / "in.parquet")
        assert CANARY.encode() in (tmp_path / "in.parquet").read_bytes()
        seeded_file(tmp_path / "in.parquet", plan_of(pass_through=["p"]), tmp_path / "out.parquet")
        raw = (tmp_path / "out.parquet").read_bytes()
        assert CANARY.encode() not in raw
        meta = pq.read_metadata(tmp_path / "out.parquet")
        assert set(meta.metadata or {}) <= {b"ARROW:schema"}
        assert [meta.row_group(0).column(k).statistics for k in range(2)] == [None, None]


def test_the_card_lies_beside(tmp_path):
    assert card_path("x/out.parquet") == Path("x/out.parquet.card.json")
    assert card_path(tmp_path / "a.b.csv") == tmp_path / "a.b.csv.card.json"
    assert card_path(tmp_path) == tmp_path / "_card.json"


def test_the_seed_is_warned_of_and_written_down(tmp_path):
    (tmp_path / "in.csv").write_text("h\na\n")
    with seed_is_noticed():
        card = sanitise_file(
            tmp_path / "in.csv", plan_of(), tmp_path / "out.csv", insecure_seed=3
        ).card
    assert not card.secure
    assert not read_card(tmp_path / "out.csv.card.json").holds


def memory_of(code, folder):
    """Peak resident memory of a fresh process that runs some code, in MiB."""
    program = textwrap.dedent(code) + textwrap.dedent("""
        import resource
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
    """)
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True
    )
    return int(done.stdout.split()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_memory_does_not_grow_with_the_table(tmp_path, ending):
    rng = np.random.default_rng(0)

    def write(rows):
        file = tmp_path / f"in{rows}.{ending}"
        table = pa.table({
            "h": np.array(["a", "b", "c"])[rng.integers(0, 3, rows)],
            "n": rng.integers(0, 11, rows),
            "x": [f"text {k % 997} of some length to make the file large" for k in range(rows)],
        })  # fmt: skip
        if ending == "csv":
            pacsv.write_csv(table, file)
        else:
            pq.write_table(table, file)
        return file.name

    peaks = []
    for rows in (100_000, 1_000_000):
        name = write(rows)
        peaks.append(memory_of(
            f"""
            from dprivacy.release import Plan, sanitise_file
            plan = Plan.read({{"columns": {{"h": {LETTERS!r}, "n": {NUMBERS!r}}},
                               "pass_through": ["x"]}})
            card = sanitise_file("{name}", plan, "out{rows}.{ending}")
            assert card.count == {rows}
            """,
            tmp_path,
        ))  # fmt: skip
    assert received(tmp_path / f"out1000000.{ending}").estimate("h").n == 1_000_000
    assert peaks[1] < 1024
    assert peaks[1] - peaks[0] < 200, peaks


def test_a_rarer_type_beside_listed_values_in_csv(tmp_path):
    days = pa.array([1, 2, None], pa.date32())
    pq.write_table(pa.table({"h": ["a", "b", "c"], "d": days}), tmp_path / "in.parquet")
    seeded_file(tmp_path / "in.parquet", plan_of(pass_through=["d"]), tmp_path / "out.csv")
    first, *rows = (tmp_path / "out.csv").read_text().splitlines()
    assert first == '"h","d"'
    assert [row.split(",")[1] for row in rows] == ["1970-01-02", "1970-01-03", ""]
    assert {row.split(",")[0] for row in rows} <= {'"a"', '"b"', '"c"'}
