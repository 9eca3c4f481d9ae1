"""Tables as lines of JSON: read and written row by row, and refused by the line."""

import gzip
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import BadFile, DPrivacyError, TooLarge
from dprivacy.release import propose, query, received, sanitise_file
from dprivacy.release.files import json_lines, row_chunks
from dprivacy.release.files.table_files import batches_of, whole_table
from support.patience import brisk

CANARY = "CANARY-19c2"
TEA = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 99"}


def written(folder, *rows, name="in.jsonl", encoding="utf-8"):
    path = folder / name
    path.write_bytes("".join(f"{json.dumps(row)}\n" for row in rows).encode(encoding))
    return path


def read(path, **settings):
    return whole_table(path, **settings).to_pylist()


ROWS = (
    {"id": 1, "tea": "yes", "ok": True, "share": 2, "big": 2**60},
    {"tea": None, "id": -(2**63), "share": 0.5, "note": "čaj\u2028 \"a\""},
)  # fmt: skip


class TestReading:
    def test_fields_keep_their_types_and_missing_ones_are_missing(self, tmp_path):
        names = ("id", "tea", "ok", "share", "big", "note")
        wanted = [{name: row.get(name) for name in names} for row in ROWS]
        table = whole_table(written(tmp_path, *ROWS))
        assert table.to_pylist() == wanted
        types = (pa.int64(), pa.string(), pa.bool_(), pa.float64(), pa.int64(), pa.string())
        assert tuple(table.schema.types) == types

    @pytest.mark.parametrize(
        "content",
        [
            b'{"a": 1}\n{"a": 2}',
            b'\n{"a": 1}\r\n\n{"a": 2}\r\n',
            b'\xef\xbb\xbf{"a": 1}\n{"a":2}\n',
        ],
    )
    def test_ends_of_lines_and_marks(self, tmp_path, content):
        path = tmp_path / "in.jsonl"
        path.write_bytes(content)
        assert read(path) == [{"a": 1}, {"a": 2}]

    def test_packed_and_in_another_encoding(self, tmp_path):
        packed = tmp_path / "in.ndjson.gz"
        packed.write_bytes(gzip.compress(b'{"a": "\xc3\xa9t\xc3\xa9"}\n'))
        assert read(packed) == [{"a": "été"}]
        plain = tmp_path / "in.jsonl"
        for encoding in ("latin-1", "utf-16"):
            plain.write_bytes('{"a": "été"}\n'.encode(encoding))
            assert read(plain, encoding=encoding) == [{"a": "été"}]

    def test_lines_across_pieces_and_batches(self, tmp_path, monkeypatch):
        rows = [{"k": k, "text": "word " * (k % 7)} for k in range(300)]
        path = written(tmp_path, *rows)
        monkeypatch.setattr(json_lines, "_PIECE", 17)
        monkeypatch.setattr(json_lines, "_BYTES", 400)
        with batches_of(path) as (batches, _):
            found = list(batches)
        assert max(batch.num_rows for batch in found) < 30
        assert [row for batch in found for row in batch.to_pylist()] == rows

    @pytest.mark.parametrize(
        ("line", "part"),
        [
            (f'{{"a": "{CANARY}", "b": 1, "a": "x"}}', "the field 'a' stands twice"),
            (f'{{"a": {{"{CANARY}": 1, "{CANARY}": 2}}}}', "the field 'a' holds values of its own"),
            (f'{{"a": "{CANARY}"', "is not JSON"),
            (f'["{CANARY}"]', "should be an object"),
            (f'{{"a": ["{CANARY}"]}}', "holds values of its own"),
            (f'{{"a": {{"b": "{CANARY}"}}}}', "holds values of its own"),
            ('{"a": NaN}', "is not JSON"),
            ('{"a": 1e999}', "too large"),
            (f'{{"a": {2**63}}}', "too large"),
            ('{"a": ' + "9" * 5000 + "}", "is not JSON"),
            ('{"a": "\\ud800"}', "half of a character"),
            ('{"\\udfff": "x"}', "half of a character"),
            ('{"a": "x\0"}', "binary"),
            ("[" * 100_000, "is not JSON"),
        ],
    )
    def test_what_is_no_row_is_refused_by_its_line(self, tmp_path, line, part):
        path = tmp_path / "in.jsonl"
        path.write_text(f'{{"a": "x"}}\n{line}\n')
        with pytest.raises(BadFile, match=part) as refusal:
            read(path)
        assert "line 2" in str(refusal.value)
        assert CANARY not in str(refusal.value)

    def test_a_field_that_stands_twice_among_many_is_found_at_once(self, tmp_path):
        path = tmp_path / "in.jsonl"
        path.write_text("{" + "".join(f'"{k}": 1, ' for k in range(50_000)) + '"49999": 2}\n')
        with brisk(), pytest.raises(BadFile, match="the field '49999' stands twice"):
            read(path)

    def test_bytes_that_are_not_utf8_are_refused_by_line_and_byte(self, tmp_path):
        path = tmp_path / "in.jsonl"
        path.write_bytes(b'{"a": "x"}\n{"a": "caf\xe9"}\n')
        with pytest.raises(BadFile, match=r"line 2: byte 10 is not UTF-8.*--encoding"):
            read(path)

    @pytest.mark.parametrize("pair", [(1, "1"), (True, 1), (2**60, 0.5), ("x", 0.5)], ids=str)
    def test_a_field_of_two_types_is_refused(self, tmp_path, pair):
        with pytest.raises(BadFile, match="of one type in some lines"):
            read(written(tmp_path, *({"a": value} for value in pair)))

    def test_too_much(self, tmp_path, monkeypatch):
        many = written(tmp_path, {f"f{k}": 1 for k in range(1001)})
        with pytest.raises(TooLarge, match="1,000 different fields"):
            read(many)
        monkeypatch.setattr(json_lines, "_LONGEST", 50)
        monkeypatch.setattr(json_lines, "_PIECE", 16)
        with pytest.raises(TooLarge, match="line 2: is longer than 50 bytes"):
            read(written(tmp_path, {"a": 1}, {"a": "x" * 99}))
        (tmp_path / "in.jsonl").write_text("\n \n")
        with pytest.raises(BadFile, match="no rows"):
            read(tmp_path / "in.jsonl")


class TestReleasing:
    def test_rows_keep_their_places_and_the_rest_is_as_planned(self, tmp_path, monkeypatch):
        monkeypatch.setattr(row_chunks, "CHUNK", 30)
        rows = [{"id": k, "who": f"p{k}", "tea": "yes"} for k in range(100)]
        plan = {"columns": {"tea": TEA}, "pass_through": ["id"], "drop": ["who"]}
        sanitise_file(written(tmp_path, *rows), plan, tmp_path / "out.jsonl")
        lines = (tmp_path / "out.jsonl").read_text().splitlines()
        found = [json.loads(line) for line in lines]
        assert [row["id"] for row in found] == list(range(100))
        assert all(set(row) == {"id", "tea"} for row in found)

    def test_whoever_receives_it_estimates_and_queries(self, tmp_path):
        rows = [{"tea": ("yes", "yes", "no")[k % 3], "n": k % 2} for k in range(600)]
        plan = {"columns": {"tea": TEA}, "pass_through": ["n"]}
        output = tmp_path / "out.jsonl"
        sanitise_file(written(tmp_path, *rows), plan, output)
        estimate = received(output).estimate("tea")
        assert abs(estimate.counts["yes"] - 400) < 40
        answer = query(output, "SELECT n, count(*) FROM data GROUP BY n ORDER BY n")
        assert [row[1] for row in answer.rows] == [300, 300]
        assert 'type = "categories"' in propose(tmp_path / "in.jsonl", eps="ln 3")

    def test_a_value_that_json_lacks_is_refused(self, tmp_path):
        table = pa.table({"tea": ["yes", "no"], "x": [1.5, float("nan")]})
        pq.write_table(table, tmp_path / "in.parquet")
        plan = {"columns": {"tea": TEA}, "pass_through": ["x"]}
        with pytest.raises(DPrivacyError, match=r"cannot hold a column .*\('x', of type double\)"):
            sanitise_file(tmp_path / "in.parquet", plan, tmp_path / "out.jsonl")
        assert not (tmp_path / "out.jsonl").exists()
