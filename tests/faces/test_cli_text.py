"""``dprivacy text``: a document in, a noisy one out; a corpus attacked before and after."""

import json

import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.worded.text import text
from dprivacy.errors import BadLevel, DPrivacyError, Malformed, UnknownCategory
from dprivacy.release import prove_card
from dprivacy.text import small_embedding
from support.text_corpora import invented

SECRET = "The old king drank zyxsecret tea with his lawyer by the river, on 998877 mornings."


def run(*arguments, stdin=None):
    return CliRunner().invoke(text, [str(a) for a in arguments], input=stdin)


@pytest.fixture
def notes(tmp_path):
    place = tmp_path / "notes.txt"
    place.write_text(SECRET, encoding="utf-8")
    return place


def test_a_document(notes):
    done = run(notes, "--epsilon", 10)
    assert done.exit_code == 0
    words = done.stdout.split()
    assert len(words) == 15
    assert words == sorted(words)
    assert set(words) <= set(small_embedding().words)
    assert "ε = 10 per word" in done.stderr
    assert "unchanged" not in done.stderr


def test_nothing_unprotected_comes_out(notes):
    for options in ((), ("--layout", "text"), ("--unknown", "drop"), ("--json",)):
        done = run(notes, "--epsilon", "1/2", *options)
        assert done.exit_code == 0
        assert "zyxsecret" not in done.output + done.stderr
        assert "998877" not in done.output + done.stderr


def test_json_has_what_may_be_published(notes):
    done = run(notes, "--epsilon", "ln 2", "--json")
    answer = json.loads(done.stdout)
    assert answer["guarantee"]["eps"] == "ln(2)"
    assert answer["words"] == 15
    assert answer["policy"]["layout"] == "bag"
    assert "unchanged" not in done.stdout


def test_standard_input():
    done = run("-", "--epsilon", 8, stdin="tea and coffee")
    assert done.exit_code == 0
    assert len(done.stdout.split()) == 3


def test_options_reach_the_policy(notes):
    done = run(
        notes,
        "--epsilon",
        10,
        "--layout=text",
        "--unprotected=punctuation",
        "--unprotected=numbers",
        "--stop-words=drop",
    )
    assert done.exit_code == 0
    assert "998877" in done.stdout  # asked for by name
    assert done.stdout.strip().endswith(".")
    assert "NOT PROTECTED" in done.stderr
    padded = run(notes, "--epsilon", 10, "--length", 40)
    assert len(padded.stdout.split()) == 40
    laplace = run(notes, "--epsilon", 10, "--noise", "laplace")
    assert "idealised" in laplace.stderr


def test_an_output_file(notes, tmp_path):
    out = tmp_path / "noisy.txt"
    assert run(notes, "--epsilon", 10, "-o", out).stdout == ""
    first = out.read_text()
    assert len(first.split()) == 15
    refused = run(notes, "--epsilon", 10, "-o", out)
    assert isinstance(refused.exception, Malformed)
    assert out.read_text() == first
    more = ["--replace", "--again", "a test"]
    assert run(notes, "--epsilon", 10, "-o", out, *more).exit_code == 0
    nowhere = run(notes, "--epsilon", 10, "-o", tmp_path / "no" / "where.txt")
    assert isinstance(nowhere.exception, Malformed)


def test_an_embedding_of_ones_own(notes, tmp_path):
    place = tmp_path / "v.txt"
    place.write_text("tea 0 1\nriver 5 5\nking 9 0\n")
    done = run(notes, "--epsilon", 3, "--embedding", place, "--unknown", "drop")
    assert set(done.stdout.split()) <= {"tea", "river", "king"}
    assert len(done.stdout.split()) == 3
    two = run(notes, "--epsilon", 3, "--embedding", place, "--most-words", 2)
    assert set(two.stdout.split()) <= {"tea", "river"}
    wrong = run(notes, "--epsilon", 3, "--embedding", place, "--sha256", "00")
    assert isinstance(wrong.exception, Malformed)


@pytest.mark.parametrize(
    ("content", "options", "error"),
    [
        (b"", (), Malformed),
        (b"\x89PNG\0\0", (), Malformed),
        (b"caf\xe9", (), Malformed),
        (b"x" * 5000, (), Malformed),
        (b"zyxsecret", ("--unknown", "refuse"), UnknownCategory),
        (b"tea", ("--unprotected", "numbers"), Malformed),
        (b"tea tea", ("--length", "1"), Malformed),
    ],
)
def test_documents_that_are_refused(tmp_path, content, options, error):
    place = tmp_path / "notes.txt"
    place.write_bytes(content)
    done = run(place, "--epsilon", 10, *options)
    assert isinstance(done.exception, error)
    assert "zyxsecret" not in str(done.exception)
    assert done.stdout == ""


@pytest.mark.parametrize("eps", ["0", "-1", "nan", "inf", "ten"])
def test_levels_that_are_refused(notes, eps):
    assert isinstance(run(notes, f"--epsilon={eps}").exception, BadLevel)


def test_wrong_usage(notes, tmp_path):
    for arguments in (
        (notes,),
        ("--epsilon", 1),
        (notes, "--epsilon", 1, "--attack", tmp_path),
        (notes, "--epsilon", 1, "--epsilon", 2),
        (notes, "--epsilon", 1, "--sha256", "00"),
        (notes, "--epsilon", 1, "--layout", "lines"),
    ):
        assert run(*arguments).exit_code == 2


def corpus(folder, topics=True):
    for k, (author, topic, words) in enumerate(invented(texts=3, length=12)):
        place = folder / topic / author if topics else folder / author
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{k}.txt").write_text(words)
    return folder


def test_an_attacked_corpus(tmp_path):
    folder = corpus(tmp_path)
    levels = ("--epsilon", 14, "--epsilon", 2)
    done = run("--attack", folder, *levels, "--repetitions", 2)
    assert done.exit_code == 0
    assert "4 authors, 2 topics" in done.stdout
    for word in ("none", "14", "chance", "author, n-grams", "topic, linear"):
        assert word in done.stdout
    answer = json.loads(run("--attack", folder, *levels, "--repetitions", 1, "--json").stdout)
    assert [row["epsilon"] for row in answer["rows"]] == [None, "14", "2"]
    assert answer["rows"][0]["right"]["author, n-grams"]["mean"] == 1


def test_a_corpus_without_topics(tmp_path):
    done = run("--attack", corpus(tmp_path, topics=False), "--epsilon", 9, "--repetitions", 1)
    assert done.exit_code == 0
    assert "topic, linear" not in done.stdout


def test_corpora_that_are_refused(tmp_path):
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "none", tmp_path / "empty"):
        assert isinstance(run("--attack", folder, "--epsilon", 9).exception, DPrivacyError)
    one = tmp_path / "one" / "ann"
    one.mkdir(parents=True)
    (one / "a.txt").write_text("tea")
    done = run("--attack", tmp_path / "one", "--epsilon", 9)
    assert isinstance(done.exception, Malformed)


@pytest.fixture
def tickets(tmp_path):
    place = tmp_path / "tickets.csv"
    lines = [
        "id,who,message",
        "1,ann,Maria Oliveira wants her money back",
        "2,bob,the river is old",
    ]
    place.write_text("\n".join([*lines, '3,cat,""', "4,dan,"]) + "\n", encoding="utf-8")
    return place


TABLE = ("--length", 5, "--epsilon", "1/2", "--pass-through", "id", "--drop", "who")


def test_a_column_of_a_table_keeps_its_rows_and_gets_a_card(tickets, tmp_path):
    out = tmp_path / "out.csv"
    done = run(tickets, "--column", "message", *TABLE, "-o", out)
    assert done.exit_code == 0, done.output
    rows = [line.split(",") for line in out.read_text().replace('"', "").splitlines()]
    assert [row[0] for row in rows] == ["id", "1", "2", "3", "4"]
    assert [len(row[1].split()) for row in rows[1:]] == [5, 5, 5, 5]
    assert "Any two texts of up to 5 words" in done.output
    assert (tmp_path / "out.csv.card.json").exists()
    assert "Oliveira" not in done.output


def test_other_columns_must_be_named(tickets, tmp_path):
    arguments = ("--column", "message", "--length", 5, "--epsilon", 1, "-o", tmp_path / "out.csv")
    done = run(tickets, *arguments)
    assert isinstance(done.exception, Malformed)
    assert "says nothing of the column 'id', 'who'" in str(done.exception)


def test_a_table_without_a_column_is_refused(tickets):
    done = run(tickets, "--epsilon", 1)
    assert done.exit_code == 2
    assert "--column NAME" in done.output


def test_the_plan_that_is_printed_is_the_plan(tickets):
    from dprivacy.release import Plan

    done = run(tickets, "--column", "message", *TABLE, "--print-plan")
    plan = Plan.parse(done.stdout)
    assert (plan.protected, plan.pass_through, plan.drop) == (("message",), ("id",), ("who",))


def test_topics_of_a_column(tickets, tmp_path):
    (tmp_path / "topics.toml").write_text('pay = ["money"]\nwater = ["river", "lake"]\n')
    out = tmp_path / "out.csv"
    arguments = ("--column", "message", "--topics", tmp_path / "topics.toml", "--epsilon", 60)
    tickets.write_text("message\nthe old river\nmy money\n", encoding="utf-8")
    done = run(tickets, *arguments, "-o", out)
    assert done.exit_code == 0, done.output
    assert out.read_text().replace('"', "").split() == ["message", "water", "pay"]


def test_lines_of_json_and_folders_keep_their_shape(tmp_path):
    lines = tmp_path / "in.jsonl"
    lines.write_text('{"id": 1, "message": "tea"}\n{"id": 2}\n', encoding="utf-8")
    arguments = ("--length", 3, "--epsilon", 1)
    out = tmp_path / "out.jsonl"
    done = run(lines, "--column", "message", *arguments, "--pass-through", "id", "-o", out)
    assert done.exit_code == 0, done.output
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["id"], len(row["message"].split())) for row in rows] == [(1, 3), (2, 3)]
    again = run(lines, "--column", "message", *arguments, "-o", tmp_path / "again.jsonl")
    assert "released there before" in str(again.exception) or again.exit_code
    (tmp_path / "notes/a").mkdir(parents=True)
    (tmp_path / "notes/a/one.txt").write_text("the king drank tea")
    (tmp_path / "notes/two.txt").write_text("")
    done = run(tmp_path / "notes", *arguments, "-o", tmp_path / "noisy")
    assert done.exit_code == 0, done.output
    found = {
        p.relative_to(tmp_path / "noisy").as_posix() for p in (tmp_path / "noisy").rglob("*.*")
    }
    assert found == {"a/one.txt", "two.txt", "_card.json"}
    assert len((tmp_path / "noisy/two.txt").read_text().split()) == 3
    assert prove_card(tmp_path / "noisy/_card.json", file=tmp_path / "noisy")
    (tmp_path / "noisy/two.txt").unlink()
    assert not prove_card(tmp_path / "noisy/_card.json", file=tmp_path / "noisy")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (b"[1]", "should be an object"),
        (b'{"a": [1]}', "values of its own"),
        (b'{"a": "\xff"}', "not UTF-8"),
        (b"zyxsecret", "not JSON"),
    ],
)
def test_lines_that_are_refused(tmp_path, line, words):
    place = tmp_path / "in.jsonl"
    place.write_bytes(b'{"a": "tea"}\n' + line + b"\n")
    done = run(place, "--column", "a", "--length", 3, "--epsilon", 1, "-o", tmp_path / "o.jsonl")
    assert words in str(done.exception)
    assert "line 2" in str(done.exception)
    assert "zyxsecret" not in str(done.exception)


def test_a_preview_is_for_a_terminal_alone(tickets):
    done = run(tickets, "--column", "message", *TABLE, "--preview")
    assert "for a terminal alone" in str(done.exception)
    assert "Oliveira" not in done.output


def test_reading_back(tickets):
    done = run("--attack", tickets, "--column", "message", "--length", 5, "--epsilon", 60)
    assert done.exit_code == 0, done.output
    assert "gets 100.0 % right" in done.stdout
    assert "Any two texts of up to 5 words" in done.stdout
