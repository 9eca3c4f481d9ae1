"""`verify CARD FILE` of a shuffled release: what is broken is found, and what is whole passes."""

import dataclasses
import hashlib
import importlib.util
from fractions import Fraction
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from dprivacy.numbers import Level, ln
from dprivacy.release import Plan, prove_card, read_card, sanitise, sanitise_file
from dprivacy.release.files.own_files import file_hash
from dprivacy.release.files.table_files import writer_of
from dprivacy.release.plans.listed_files import ListedFile, listing_hash
from dprivacy.release.plans.release_card import card_text
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


@pytest.fixture(scope="module")
def checker():
    """The program of the documentation, which knows nothing of this package."""
    path = Path(__file__).parents[3] / "docs" / "checker" / "check_card.py"
    spec = importlib.util.spec_from_file_location("check_card", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


class TestChecker:
    """check_card.py, which shares no code with the package."""

    def told(self, checker, capsys, card, path=None):
        code = checker.main(*(str(p) for p in (card, path) if p is not None))
        return code, capsys.readouterr().out

    def test_a_release_passes(self, released, checker, capsys):
        path, card = released
        code, words = self.told(checker, capsys, f"{path}.card.json", path)
        assert code == 0, words
        assert card.shuffled["sentence"] in words
        looked = "Its rows are sorted" in words
        assert looked == (path.suffix == ".csv")
        assert looked or "The order of its rows was not looked at" in words
        assert "was not computed again here: it is of several columns" in words

    @pytest.mark.parametrize(("values", "rows"), [("ab", 9), ("abc", 8), ("abcd", 6)])
    def test_small_bounds_are_computed_again(self, checker, tmp_path, capsys, values, rows):
        plan = {"columns": {"h": {**LETTERS, "values": list(values)}}}
        table = pa.table({"h": (list(values) * rows)[:rows]})
        sanitise(table, plan, shuffle=True, delta="1/20", output=tmp_path / "out.csv")
        card = tmp_path / "out.csv.card.json"
        code, words = self.told(checker, capsys, card, tmp_path / "out.csv")
        assert (code, "Its ε was computed again in fractions." in words) == (0, True), words
        held = read_card(card)
        low = Level(held.shuffled["eps"]).exp() - Fraction(1, 20)
        forged = {**held.shuffled, "eps": f"ln({low})"}
        forged["sentence"] = held.shuffled["sentence"].replace(
            f"a factor {checker.near_one(low + Fraction(1, 20))}, except",
            f"a factor {checker.near_one(low)}, except",
        )
        forged.pop("lower_bound", None)
        card.write_text(card_text(dataclasses.replace(held, shuffled=forged)))
        code, words = self.told(checker, capsys, card)
        assert code == 3
        assert "at this level delta is larger than stated" in words

    def test_its_words_are_those_of_the_package(self, checker):
        rng = np.random.default_rng(6)
        known = shuffled_table(Plan.read({"columns": {"h": LETTERS}}), 100, delta=Fraction(1, 100))
        for size in 10 ** rng.uniform(-6, 3, 300):
            a = 1 + Fraction(int(size * 10**9) + 1, 10**9)
            proof = dataclasses.replace(known.proof, eps=ln(a))
            assert checker.near_one(a) == dataclasses.replace(known, proof=proof).factor

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            (lambda t: t.take(pa.array(np.arange(ROWS)[::-1])), "should come before the one above"),
            (lambda t: t.append_column("who", pa.array(np.arange(ROWS))), "shuffled, columns"),
            (lambda t: t.slice(1), "count: the card says 600"),
        ],
    )
    def test_broken_twins(self, released, checker, capsys, change, words):
        path, card = released
        if path.suffix != ".csv":
            return
        output = {**card.output, "sha256": rewritten(path, change)}
        held = Path(f"{path}.card.json")
        held.write_text(card_text(dataclasses.replace(card, output=output)))
        code, told = self.told(checker, capsys, held, path)
        assert (code, words in told) == (3, True), told

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("n", 599),
            ("smallest_group", 1),
            ("delta", "2"),
            ("sentence", "All is well."),
            ("eps", "9"),
        ],
    )
    def test_forged_blocks(self, released, checker, tmp_path, capsys, field, value):
        _, card = released
        forged = dataclasses.replace(card, shuffled={**card.shuffled, field: value})
        (tmp_path / "card.json").write_text(card_text(forged))
        assert self.told(checker, capsys, tmp_path / "card.json")[0] == 3


def as_folder(card, folder):
    """The card of a release that is a folder of Parquet files."""
    files = [
        ListedFile(
            path.name,
            pq.read_metadata(path).num_rows,
            path.stat().st_size,
            hashlib.sha256(path.read_bytes()).hexdigest(),
        )
        for path in folder.iterdir()
    ]
    listed = {"name": "folder", "sha256": listing_hash(files)}
    return dataclasses.replace(card, output={**listed, "files": [f.to_dict() for f in files]})


def test_a_folder_is_read_in_the_order_of_its_files(tmp_path, released):
    path, card = released
    if path.suffix == ".csv":
        return
    folder = tmp_path / "folder"
    folder.mkdir()
    rows = pq.read_table(path)
    for name, part in (("part-0.parquet", rows.slice(0, 250)), ("part-1.parquet", rows.slice(250))):
        pq.write_table(part, folder / name)
    assert prove_card(as_folder(card, folder), file=folder)
    Path(folder / "part-1.parquet").rename(folder / "part--1.parquet")
    (found,) = prove_card(as_folder(card, folder), file=folder).findings
    assert "are not sorted" in found


def test_a_file_of_words_alone_has_names_in_its_first_line(tmp_path):
    words = pa.table({"town": ["Ulm", "Bonn"] * 50, "h": ["a", "b", "b", "c"] * 25})
    plan = {"columns": {"h": LETTERS}, "pass_through": ["town"]}
    path = tmp_path / "out.csv"
    card = sanitise(words, plan, output=path, shuffle=True, delta="1e-6").card
    assert prove_card(card, file=path).findings == ()
