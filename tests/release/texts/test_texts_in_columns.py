"""Awkward texts in files: kept with as many words as all others, or refused in words by their row."""

import csv
import json

import pandas
import pytest

from dprivacy.errors import BadFile, DPrivacyError
from dprivacy.release import sanitise, sanitise_file, sanitise_folder
from dprivacy.text import Embedding, text_cells

pytestmark = pytest.mark.filterwarnings("ignore::dprivacy.errors.PrivacyLeakWarning")
SPEC = {"type": "text", "epsilon": 2, "length": 3, "nulls": "empty"}
CANARY = "CANARY-5d1e"
NAMES = ("maria", "oliveira", "john", "garcia", "jennifer", "kowalski")
KEPT = {
    "nothing": "",
    "spaces alone": " \t ",
    "marks alone": "?! … — 🙂",
    "Hebrew": "שלום עולם, מה שלומך",
    "Arabic with its marks": "\u202bمرحبا بالعالم\u202c \u200f\u061c",
    "Chinese without spaces": "我想要退款" * 20,
    "marks of no width": "re\u200bfund\u2060 \ufeff now",
    "a stack of accents": "e" + "\u0301" * 150 + " tea",
    "an end of a line": "the king\r\nand the queen",
    "half of an emoji's family": "👩\u200d👩\u200d👧 says hello",
}


def lines_of(folder, texts):
    path = folder / "in.jsonl"
    path.write_text("".join(f"{json.dumps({'text': text})}\n" for text in texts))
    return path


def table_of(folder, texts):
    path = folder / "in.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows([["text"], *([text] for text in texts)])
    return path


def noisy(path, folder):
    output = folder / "out.jsonl"
    sanitise_file(path, {"columns": {"text": SPEC}}, output, header=True)
    return [json.loads(line)["text"] for line in output.read_text().splitlines()]


@pytest.mark.parametrize("made", [lines_of, table_of])
def test_awkward_texts_are_kept_and_look_like_all_others(tmp_path, made):
    found = noisy(made(tmp_path, KEPT.values()), tmp_path)
    assert [len(text.split()) for text in found] == [3] * len(KEPT)
    assert all(text.isascii() for text in found)  # nothing was copied


def test_awkward_texts_in_a_folder(tmp_path):
    (tmp_path / "in").mkdir()
    for k, text in enumerate(KEPT.values()):
        (tmp_path / "in" / f"{k}.txt").write_text(text, encoding="utf-8")
    plan = {"columns": {"text": SPEC}, "pass_through": ["file"]}
    sanitise_folder(tmp_path / "in", plan, tmp_path / "out")
    found = [(tmp_path / "out" / f"{k}.txt").read_text() for k in range(len(KEPT))]
    assert [len(text.split()) for text in found] == [3] * len(KEPT)


def test_a_line_of_ten_megabytes_is_cut(tmp_path):
    assert len(noisy(lines_of(tmp_path, ["tea", "word " * 2_000_000]), tmp_path)) == 2


def test_a_cell_of_ten_megabytes_is_refused_in_a_table(tmp_path):
    path = table_of(tmp_path, ["tea"] * 20_000 + ["word " * 2_000_000])
    with pytest.raises(BadFile, match=r"longer than \d MiB, or a quote is never closed"):
        noisy(path, tmp_path)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (f"{CANARY}\x01\x02\x03\x04\x05", "row 1: the text is full of control characters"),
        (CANARY + "x" * 300, "row 1: the text has a word of more than 200 characters"),
    ],
)
@pytest.mark.parametrize("made", [lines_of, table_of])
def test_what_is_no_text_is_refused_by_its_row(tmp_path, made, text, part):
    with pytest.raises(DPrivacyError, match=part) as refusal:
        noisy(made(tmp_path, ["tea", text]), tmp_path)
    assert CANARY not in str(refusal.value)
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("topics", [{}, {"topics": {"a": ["tea"], "b": ["king"]}}])
def test_refusals_name_the_row_of_words_and_of_topics(topics):
    spec = {"type": "text", "epsilon": 2, **(topics or {"length": 3})}
    for text in (f"{CANARY}\0", "x " * 11_000_000):
        table = pandas.DataFrame({"text": ["tea", "tea", text]})
        with pytest.raises(DPrivacyError, match="column 'text', row 2: ") as refusal:
            sanitise(table, {"columns": {"text": spec}})
        assert CANARY not in str(refusal.value)


@pytest.mark.parametrize(
    ("ending", "part"), [("jsonl", "NUL|UTF-8|not JSON"), ("csv", "empty bytes")]
)
def test_binary_files(tmp_path, ending, part):
    path = tmp_path / f"in.{ending}"
    path.write_bytes(b"\x7fELF\x02\x01\x01\0\0\0\0\xff\xfe" + bytes(range(256)) * 20)
    with pytest.raises(DPrivacyError, match=part):
        noisy(path, tmp_path)


def test_mixed_encodings_are_refused_by_their_line(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_bytes('{"text": "é"}\n'.encode() + '{"text": "é"}\n'.encode("latin-1"))
    with pytest.raises(BadFile, match="line 2: byte 10 is not UTF-8"):
        noisy(path, tmp_path)
    table = tmp_path / "in.csv"
    table.write_bytes(b"text\n" + "é\n".encode() * 200_000 + "é\n".encode("latin-1"))
    with pytest.raises(BadFile, match="line 200002 cannot be read as utf-8"):
        noisy(table, tmp_path)


@pytest.mark.parametrize("eps", ["1/10", 1, 3, 10, 100])
@pytest.mark.parametrize("keep", ["bag", "text"])
def test_names_come_out_at_no_level(eps, keep):
    """Whether they are found or not, and although the vocabulary has them (a smith is a word, too)."""
    words = ["the", "ticket", "of", *NAMES, "is", "open"]
    vocabulary = Embedding(words, [[k % 4, k // 4] for k in range(len(words))])
    texts = [
        "Maria Oliveira and John Garcia",
        "the ticket of jennifer kowalski is open",
        "MARIA, GARCIA; oliveira's",
    ]
    for find in (("name",), ("name", "email")):
        cells = text_cells(vocabulary, eps=eps, length=6, keep=keep, find=find)
        found = " ".join(cells.randomise(texts * 50)).split()
        assert not set(found) & set(NAMES)
        assert not set(cells.words.embedding.words) & set(NAMES)
