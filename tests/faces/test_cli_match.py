"""``dprivacy match`` on small tables."""

import csv
import json

import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.match import match
from dprivacy.errors import BadLevel, Malformed

# Two tastes: people a* like one kind of film, people b* the other.
LINES = [
    f"{taste}{k},{film} {j},{5 - (j + k) % 3}"
    for taste, film in (("a", "war"), ("b", "love"))
    for k in range(8)
    for j in range(6)
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "ratings.csv"
    path.write_text("\n".join(["user,item,rating", *LINES]) + "\n", encoding="utf-8")
    return path


def run(*arguments):
    return CliRunner().invoke(match, [str(argument) for argument in arguments])


def test_matches_in_words_and_as_a_file(table, tmp_path):
    target = tmp_path / "matches.csv"
    done = run(table, "--bits", 64, "--epsilon", "ln 99", "-k", 3, "-o", target)
    assert done.exit_code == 0, done.output
    assert "16 people, the 3 nearest of each by 64 noisy bits" in done.output
    assert "worst case: whatever the hash" in done.output
    assert "angular distance 0.1" in done.output
    with target.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 48
    assert {row["rank"] for row in rows} == {"1", "2", "3"}
    # Hardly any noise: people with the same taste find each other.
    assert all(row["person"][0] == row["match"][0] for row in rows)
    refused = run(table, "--epsilon", "1", "-o", target)
    assert isinstance(refused.exception, Malformed)
    assert "exists" in str(refused.exception)
    more = ["--replace", "--again", "a test"]
    assert run(table, "--epsilon", "1", "-o", target, *more).exit_code == 0


def test_matches_as_json_with_their_cost(table):
    done = run(table, "--epsilon", "ln 3", "--bits", 12, "-k", 2, "--evaluate", "--json")
    assert done.exit_code == 0, done.output
    answer = json.loads(done.output)
    assert answer["people"] == 16
    assert len(answer["matches"][0]["matches"]) == 2
    assert [g["name"] for g in answer["guarantees"]] == [
        "worst case", "on average", "Hoeffding", "Chernoff", "counted",
    ]  # fmt: skip
    assert answer["guarantees"][0]["level"] == "ln(531441)"
    cost = answer["evaluation"]
    assert cost["true"] <= cost["found"]
    assert 0 <= cost["plain_hash"] < cost["random_others"]


def test_a_picture(table, tmp_path):
    target = tmp_path / "cost.svg"
    done = run(table, "--epsilon", 1, "-k", 2, "--picture", target, "--repetitions", 2)
    assert done.exit_code == 0, done.output
    assert target.read_text(encoding="utf-8").lstrip().startswith("<?xml")
    assert "NOT PROTECTED" in done.output
    wrong = run(table, "--epsilon", 1, "--picture", tmp_path / "cost.gif")
    assert "not '.gif'" in str(wrong.exception)


def test_visits_are_counted(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("who,place\na,park\na,park\nb,park\nb,bar\nc,bar\n", encoding="utf-8")
    done = run(path, "--user", "who", "--item", "place", "--count", "--epsilon", 1, "-k", 1)
    assert done.exit_code == 0, done.output
    assert "3 people" in done.output


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (["--epsilon", "0"], BadLevel, "greater than 0"),
        (["--epsilon", "canary"], BadLevel, ""),
        (["--epsilon", "1", "--bits", "0"], Malformed, "bits"),
        (["--epsilon", "1", "-k", "16"], Malformed, "k should be at most 15"),
        (["--epsilon", "1", "--rating", "stars"], Malformed, "not 'stars'"),
        (["--epsilon", "1", "--distance", "2"], BadLevel, "distance"),
        (["--epsilon", "1", "--delta", "0"], BadLevel, "δ"),
        (["--epsilon", "1", "--key", ""], Malformed, "everybody knows"),
    ],
)
def test_what_is_refused(table, arguments, error, words):
    done = run(table, *arguments)
    assert isinstance(done.exception, error)
    assert words in str(done.exception)


def test_usage(table):
    assert run(table).exit_code == 2  # ε has no default: it is the person's decision
    assert run().exit_code == 2
    assert "--epsilon" in run("--help").output
