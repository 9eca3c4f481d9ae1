"""Bytes in front of Arrow: unpacked within bounds, decoded piece by piece, refused by line number."""

import gzip
import os
from threading import Event, Thread

import pytest

from dprivacy.errors import BadFile, TooLarge
from dprivacy.release import sanitise_file
from dprivacy.release.files.table_files import batches_of
from dprivacy.release.intake import byte_streams
from dprivacy.release.intake.byte_streams import beginning_of, opened_utf8, refuse_bad_bytes
from dprivacy.release.intake.table_settings import Intake, TableSettings
from support.awkward_tables import awkward_tables
from support.patience import PATIENCE

READABLE = [one for one in awkward_tables() if one.name not in ("noise", "polish cp1250")]


def file_of(folder, data, name="in.csv"):
    (folder / name).write_bytes(data)
    return folder / name


@pytest.mark.parametrize(
    "encoding", ["utf-16", "utf-16-le", "utf-32", "cp1252", "shift_jis", "utf-7"]
)
@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_pieces_of_any_size_make_the_same_text(tmp_path, monkeypatch, encoding, chunk):
    text = "a,b\r\nZ,1\n" * 300 + ("é" if encoding == "cp1252" else "語" if chunk > 1 else "x")
    path = file_of(tmp_path, text.encode(encoding))
    monkeypatch.setattr(byte_streams, "_CHUNK", chunk)
    with opened_utf8(path, encoding) as stream:
        parts = []
        while part := stream.read(5):
            assert len(part) <= 5
            parts.append(part)
    assert b"".join(parts).decode() == text


@pytest.mark.parametrize(
    ("encoding", "line", "bad"),
    [("utf-8", 40_002, b"\xff"), ("utf-16-le", 40_002, b"\x00\xd8"), ("cp1252", 40_002, b"\x81"),
     ("ascii", 40_002, "é".encode())],
)  # fmt: skip
@pytest.mark.parametrize("packed", [False, True])
def test_a_bad_byte_far_down_is_refused_by_its_line(tmp_path, encoding, line, bad, packed):
    """The sample shows nothing of it."""
    good = ("a,number\n" + "xxxxxxxxx,1\n" * 40_000).encode(encoding)
    rest = ",2\nlast,3\n".encode(encoding)
    data = good + bad + rest
    path = file_of(tmp_path, gzip.compress(data) if packed else data)
    with pytest.raises(BadFile, match=f"line {line:} cannot be read as {encoding}"):
        refuse_bad_bytes(path, encoding)
    said = TableSettings(encoding=encoding)
    with (
        pytest.raises(BadFile, match=f"line {line} cannot be read as {encoding}"),
        batches_of(path, Intake(said)) as (batches, _),
    ):
        list(batches)


def test_what_unpacks_to_far_more_than_a_table_does_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(byte_streams, "_ALWAYS", 1 << 20)
    path = file_of(tmp_path, gzip.compress(b"a\n" + b"x\n" * (4 << 20)), "in.csv.gz")
    plan = {"columns": {"a": {"type": "categories", "values": ["x", "y"], "epsilon": 1}}}
    with pytest.raises(TooLarge, match="unpacks to more than 200 times its size"):
        sanitise_file(path, plan, tmp_path / "out.csv")
    assert [one.name for one in tmp_path.iterdir()] == ["in.csv.gz"]


def test_the_beginning_costs_no_more_than_itself(tmp_path):
    path = file_of(tmp_path, gzip.compress(b"x" * (8 << 20)))
    assert beginning_of(path, 100) == b"x" * 100


class Slow:
    """A file whose read does not come back before it is let go."""

    def __init__(self):
        self.times, self.inside, self.go = 0, Event(), Event()

    def read(self, size):
        self.times += 1
        self.inside.set()
        assert self.go.wait(PATIENCE)
        return b"x" * size


def test_what_arrow_reads_ahead_is_waited_for_and_nothing_is_read_later():
    """The number of a file that was closed is soon another's, and a late read would take its rows."""
    slow, found = Slow(), []
    stream = byte_streams._Stream(slow)
    ahead = Thread(target=lambda: found.append(stream.read(3)))
    closing = Thread(target=stream.close)
    ahead.start()
    assert slow.inside.wait(PATIENCE)
    closing.start()
    assert not stream.closed
    slow.go.set()
    ahead.join()
    closing.join()
    assert (found, stream.closed, slow.times) == ([b"xxx"], True, 1)
    assert stream.read(3) == b""
    assert slow.times == 1


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("packed", [False, True])
def test_a_late_read_takes_nothing_from_the_file_that_is_opened_next(tmp_path, encoding, packed):
    data = ("a,number\n" * 1000).encode(encoding)
    path = file_of(tmp_path, gzip.compress(data) if packed else data)
    with opened_utf8(path, encoding) as stream:
        assert stream.read(9) == b"a,number\n"
    with path.open("rb") as following:
        assert stream.read(100) == b""
        assert following.tell() == 0


def test_only_files_are_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    for name in ("pipe.csv", "."):
        with pytest.raises(BadFile, match="cannot be read"):
            beginning_of(tmp_path / name, 10)


@pytest.mark.parametrize("true", READABLE, ids=lambda one: one.name)
def test_rows_come_out_as_they_were_written(tmp_path, true):
    """All cells of every awkward table, against Python's own reader."""
    import csv
    import io

    mark = true.delimiter or "~"
    text = true.data.decode(true.encoding)
    rows = [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=mark) if row]
    said = TableSettings(mark, true.encoding, header=True)
    if len(set(rows[0])) < len(rows[0]):
        rows = [[f"column {k}" for k in range(1, len(rows[0]) + 1)], *rows]
        said = TableSettings(mark, true.encoding, header=False)
    with batches_of(file_of(tmp_path, true.data), Intake(said)) as (batches, _):
        found = [row for batch in batches for row in zip(*batch.to_pydict().values(), strict=True)]
    assert found == [tuple(cell or None for cell in row) for row in rows[1:]]
