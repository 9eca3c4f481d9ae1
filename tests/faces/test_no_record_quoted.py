"""No message quotes a record, whatever is wrong with the file."""

from pathlib import Path

import pytest

from support.command_runs import CANARY, command, prepare

BAD = {
    "sanitise": ("t.csv", f"name,region,hobby,smokes,health\nx,n,{CANARY},yes,bad\n",
                 ["sanitise", "t.csv", "-p", "plan.toml", "-o", "o.csv"]),
    "inspect": ("t.csv", f"a,b\n{CANARY}\n", ["inspect", "t.csv"]),
    "plan": ("p.toml", f"x = = '{CANARY}'", ["plan", "p.toml"]),
    "estimate": ("released.csv", f"region,hobby,smokes,health\nn,{CANARY},yes,bad\n",
                 ["estimate", "released.csv", "--card", "released.csv.card.json"]),
    "query": ("released.csv", f"region,hobby,smokes,health\nn,{CANARY},yes,bad\n",
              ["query", "released.csv", "SELECT nothing FROM data", "--card",
               "released.csv.card.json"]),
    "attack": ("released.csv", f"region,hobby,smokes,health\nn,{CANARY},yes,bad\n",
               ["attack", "released.csv", "--secret", "hobby", "--card", "released.csv.card.json"]),
    "geo": ("t.csv", f"lat,lon\n40.7,{CANARY}\n", ["geo", "t.csv", "-o", "o.csv"]),
    "curves": ("t.csv", f"a,b\n1,{CANARY}\n",
               ["curves", "t.csv", "--epsilon", "1", "--grid", "1", "-o", "o.csv"]),
    "match": ("t.csv", f"user,item,rating\nu,i,{CANARY}\n", ["match", "t.csv", "--epsilon", "1"]),
    "text": ("t.txt", f"{CANARY} \udcff", ["text", "t.txt", "--epsilon", "1"]),
    "text refuses": ("t.txt", f"{CANARY}", ["text", "t.txt", "--epsilon", "1", "--unknown", "refuse"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return prepare(tmp_path_factory.mktemp("canary"))


@pytest.mark.parametrize("verb", BAD)
@pytest.mark.parametrize("way", ["words", "json", "stdin"])
def test_no_record_is_quoted(verb: str, way: str, prepared: Path, tmp_path: Path) -> None:
    """A value of a record is in no message, whatever is wrong with the file."""
    name, content, words = BAD[verb]
    for needed in ("plan.toml", "released.csv.card.json"):
        (tmp_path / needed).write_bytes((prepared / needed).read_bytes())
    (tmp_path / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    words = list(words)
    stdin = ""
    if way == "json":
        words.append("--json")
    elif way == "stdin" and verb not in ("estimate", "query", "attack"):
        words[words.index(name)], stdin = "-", content.replace("\udcff", "")
    done = command(*words, stdin=stdin, folder=tmp_path)
    assert CANARY not in done.err
    assert CANARY not in done.out
    if not verb.startswith("text"):
        assert done.code == 1, done
        assert done.out == ""
        assert done.err.count("\n") == 1
