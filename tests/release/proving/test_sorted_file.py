"""`verify CARD FILE` of a shuffled release: what is broken is found, and what is whole passes."""

import dataclasses
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from dprivacy.release import Plan, prove_card, sanitise, sanitise_file
from dprivacy.release.files.own_files import file_hash
from dprivacy.release.files.released_folders import files_in, listing_hash
from dprivacy.release.files.table_files import writer_of
from dprivacy.release.unordered.shuffled_block import shuffled_table
from support.release_tables import LETTERS

NUMBERS = {"type": "numbers", "low": 0, "high": 1, "grid": "1/2", "epsilon": "1/4"}
BITS = {"type": "bits", "bits": 3, "epsilon": "ln 2"}
RANK = {"type": "ordered", "values": ["low", "mid", "high"], "epsilon": "ln 2"}
MAYBE = {**LETTERS, "nulls": "category"}
PLAN = Plan.read({
    "columns": {"h": MAYBE, "n": NUMBERS, "b": BITS, "r": RANK},
    "pass_through": ["town", "year"],
    "drop": ["who"],
    "unit": "who",
})  # fmt: skip
ROWS = 600


def table():
    rng = np.random.default_rng(4)
    return pa.table({
        "year": pa.array(rng.choice([9, 10, 2000], ROWS)),
        "h": [["a", "b", "c", None][k] for k in rng.integers(0, 4, ROWS)],
        "who": np.arange(ROWS),
        "n": rng.integers(0, 2, ROWS),
        "town": [["Ulm", "Bonn", "", None][k] for k in rng.integers(0, 4, ROWS)],
        "b": [f"{k:03b}" for k in rng.integers(0, 8, ROWS)],
        "r": np.array(["low", "mid", "high"])[rng.integers(0, 3, ROWS)],
    })  # fmt: skip


@pytest.fixture(params=["csv", "parquet"])
def released(request, tmp_path):
    """The path of a shuffled release, and its card."""
    source, output = tmp_path / "in.parquet", tmp_path / f"out.{request.param}"
    pq.write_table(table(), source)
    return output, sanitise_file(source, PLAN, output, shuffle=True, delta="1e-6").card


def rewritten(path, change):
    """The file with its rows changed, and the hash of that."""
    read = pacsv.read_csv if path.suffix == ".csv" else pq.read_table
    how = (
        {"convert_options": pacsv.ConvertOptions(
            column_types=dict.fromkeys(["b", "year"], pa.string()),
            strings_can_be_null=True, quoted_strings_can_be_null=False, null_values=[""],
        )}
        if path.suffix == ".csv" else {}
    )  # fmt: skip
    found = change(read(path, **how))
    with path.open("wb") as file:
        writer = writer_of(file, path, found.schema)
        writer.write_table(found)
        writer.close()
    return file_hash(path)


def findings(card, path, change):
    """What is found when a file was made otherwise, and its card belongs to it."""
    forged = dataclasses.replace(card, output={**card.output, "sha256": rewritten(path, change)})
    verdict = prove_card(forged, file=path)
    return verdict.findings


def test_a_release_is_proved(released):
    path, card = released
    verdict = prove_card(card, file=path)
    assert verdict, verdict.explain()
    assert verdict.checked[-1].startswith("that its rows are sorted, without names")
    assert findings(card, path, lambda table: table) == ()


class TestBrokenTwins:
    def test_unsorted_output(self, released):
        path, card = released

        def unsorted(table):
            order = np.random.default_rng(1).permutation(ROWS)
            return table.take(pa.array(order))

        (found,) = findings(card, path, unsorted)
        assert "are not sorted" in found

    def test_two_neighbouring_rows_exchanged(self, released):
        path, card = released

        def exchanged(table):
            rows = table.to_pylist()
            at = next(k for k in range(ROWS - 1) if rows[k] != rows[k + 1])
            order = np.arange(ROWS)
            order[[at, at + 1]] = at + 1, at
            return table.take(pa.array(order))

        (found,) = findings(card, path, exchanged)
        assert "are not sorted" in found

    def test_sorted_in_chunks(self, released):
        path, card = released

        def chunkwise(table):
            order = np.arange(ROWS).reshape(-1, 2).T.ravel()  # each half is sorted
            return table.take(pa.array(order))

        (found,) = findings(card, path, chunkwise)
        assert "are not sorted" in found

    def test_kept_identifier(self, released):
        path, card = released

        def named(table):
            return table.append_column("who", pa.array(np.arange(ROWS)))

        (found,) = findings(card, path, named)
        assert "other columns than the plan releases: who" in found

    def test_n_of_the_table_where_groups_are_smaller(self, released):
        path, card = released
        plan = Plan.read(card.plan)
        whole = shuffled_table(plan, ROWS, delta=Fraction(1, 10**6))
        forged = dataclasses.replace(card, shuffled=whole.to_dict())
        (found,) = prove_card(forged, file=path).findings
        assert "shuffled.smallest_group: the card says 600, and the smallest group in" in found

    def test_a_smaller_level(self, released):
        path, card = released
        forged = dataclasses.replace(card, shuffled={**card.shuffled, "eps": "ln(1001/1000)"})
        (found,) = prove_card(forged, file=path).findings
        assert found.startswith("shuffled.eps: the card says 'ln(1001/1000)', and its plan gives")

    def test_other_words(self, released):
        path, card = released
        forged = dataclasses.replace(card, shuffled={**card.shuffled, "sentence": "All is well."})
        (found,) = prove_card(forged, file=path).findings
        assert found.startswith("shuffled.sentence")

    def test_rows_too_few(self, released):
        path, card = released
        found = findings(card, path, lambda table: table.slice(1))
        assert any("count: the card says 600" in what for what in found)

    def test_a_value_that_nobody_declared(self, released):
        path, card = released

        def strange(table):
            at = table.schema.get_field_index("h")
            return table.set_column(at, "h", pa.array(["z"] * ROWS))

        (found,) = findings(card, path, strange)
        assert "not among those that the plan declares" in found


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"permanent": True}, "leave out the permanent key"),
        ({"shuffled_delta": "2"}, "δ should be a rational number"),
        ({"smallest": 1}, "no row hides in a group of 1 of 600 rows"),
        ({"smallest": 601}, "no row hides in a group of 601 of 600 rows"),
    ],
)
def test_cards_that_contradict_themselves(change, words):
    plan = {"columns": {"h": LETTERS}, "pass_through": ["town"]}
    rows = pa.table({"h": ["a", "b"] * 300, "town": ["Ulm"] * 600})
    card = sanitise(rows, plan, shuffle=True, delta="1e-6").card
    block = dict(card.shuffled)
    block["delta"] = change.get("shuffled_delta", block["delta"])
    block["smallest_group"] = change.get("smallest", block["smallest_group"])
    forged = dataclasses.replace(card, shuffled=block, permanent=change.get("permanent", False))
    assert any(words in found for found in prove_card(forged).findings)


def test_a_folder_is_read_in_the_order_of_its_files(tmp_path, released):
    path, card = released
    if path.suffix == ".csv":
        return
    folder = tmp_path / "folder"
    folder.mkdir()
    rows = pq.read_table(path)
    for name, part in (("part-0.parquet", rows.slice(0, 250)), ("part-1.parquet", rows.slice(250))):
        pq.write_table(part, folder / name)
    held = dataclasses.replace(
        card, output={"name": "folder", "sha256": listing_hash(files_in(folder))}
    )
    assert prove_card(held, file=folder)
    Path(folder / "part-1.parquet").rename(folder / "part--1.parquet")
    held = dataclasses.replace(
        card, output={"name": "folder", "sha256": listing_hash(files_in(folder))}
    )
    (found,) = prove_card(held, file=folder).findings
    assert "are not sorted" in found
