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


# Tables of people, where matrices, distances, priors, gains and losses are asked for. Every cell of a
# record and every cell of a first line that is one carries a mark.
PEOPLE = {
    "names and words": "name,answer\nBob-Q7,yes-Q7\nAnn-Q7,no-Q7\n",
    "names and numbers": "name,age,income\nBob-Q7,347,2007\nAnn-Q7,444,3007\n",
    "names and flags": "name,a,b\nBob-Q7,1,1\nAnn-Q7,0,1\n",
    "names twice": "name,a,b\nBob-Q7,1,0\nBob-Q7,0,1\n",
    "no header": "Bob-Q7,yes-Q7,1\nAnn-Q7,no-Q7,0\n",
    "numbers, no header": "347Q7,2007Q7\n444Q7,3007Q7\n",
    "semicolons": "name;age\nBob-Q7;347\nAnn-Q7;444\n",
    "tabs": "name\tage\nBob-Q7\t347\nAnn-Q7\t444\n",
    "ragged": "name,age\nBob-Q7,347,Q7\nAnn-Q7\n",
    "one column": "name\nBob-Q7\nAnn-Q7\n",
    "a quote that is never closed": 'name,age\n"Bob-Q7,347\nAnn-Q7,444\n',
    "json": '[["Bob-Q7", 347], ["Ann-Q7", 444]]',
    "json of records": '[{"name": "Bob-Q7"}, {"name": "Ann-Q7"}]',
    "json with rows": '{"rows": {"Bob-Q7": 1}, "matrix": [[1]]}',
    "json of flags": '{"rows": ["Bob-Q7", "Ann-Q7"], "matrix": [[1, 1], [0, 1]]}',
}
MARKS = ("Q7", "347", "2007", "444", "3007")
READERS = {
    "verify": ["verify", "{}"],
    "verify, distances": ["verify", "good.csv", "--space", "{}"],
    "leakage": ["leakage", "{}"],
    "leakage, prior": ["leakage", "good.csv", "--prior", "{}"],
    "leakage, gain": ["leakage", "good.csv", "--gain", "{}"],
    "compare": ["compare", "good.csv", "{}"],
    "optimal, distances": ["optimal", "--space", "{}", "--epsilon", "1"],
    "optimal, prior": ["optimal", "--space", "line:2", "--epsilon", "1", "--prior", "{}"],
    "optimal, loss": ["optimal", "--space", "line:2", "--epsilon", "1", "--loss", "{}"],
    "kernels": ["kernels", "--space", "{}"],
    "plan": ["plan", "{}"],
    "sanitise, plan": ["sanitise", "people.csv", "-p", "{}", "-o", "out.csv"],
    "estimate": ["estimate", "people.csv", "--card", "{}"],
    "geo": ["geo", "{}", "-o", "out.csv"],
    "match": ["match", "{}", "--epsilon", "1"],
    "curves": ["curves", "{}", "--epsilon", "1", "--grid", "1", "-o", "out.csv"],
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", PEOPLE)
def test_a_table_of_people_is_not_quoted_where_something_else_is_read(
    reader: str, kind: str, tmp_path: Path
) -> None:
    name = "people.json" if kind.startswith("json") else "people.csv"
    (tmp_path / "people.csv").write_text("a,b\n")
    (tmp_path / name).write_text(PEOPLE[kind])
    (tmp_path / "good.csv").write_text("x,0,1\n0,1/2,1/2\n1,1/4,3/4\n")
    done = command(*(word.format(name) for word in READERS[reader]), folder=tmp_path)
    assert done.code in (1, 2), done
    assert done.err.count("\n") == 1
    assert not [mark for mark in MARKS if mark in done.err + done.out], done
