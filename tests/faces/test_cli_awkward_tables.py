"""Tables as people send them, through every verb that reads one: no traceback, no cell is quoted."""

import random
import tomllib

import pytest

from support.awkward_tables import CANARY, awkward_tables, people
from support.command_runs import command
from support.mutations import mutants

CORPUS = {one.name: one for one in awkward_tables()}
PLAN = """
drop = ["town", "age", "income", "born"]
[columns.sex]
type = "categories"
values = ["Qx7f", "Qx7m"]
epsilon = "ln 3"
"""
VERBS = {
    "inspect": ["inspect", "in.csv", "-o", "first.toml"],
    "sanitise": ["sanitise", "in.csv", "-p", "plan.toml", "-o", "out.csv"],
    "geo": ["geo", "in.csv", "--region", "47,8,50 km", "-o", "out.csv"],
    "curves": ["curves", "in.csv", "--epsilon", "1", "--grid", "1", "-o", "out.csv"],
    "match": ["match", "in.csv", "--epsilon", "1"],
}


def run(folder, verb, data, *more):
    (folder / "in.csv").write_bytes(data)
    (folder / "plan.toml").write_text(PLAN)
    for left in ("first.toml", "out.csv", "out.csv.card.json"):
        (folder / left).unlink(missing_ok=True)
    return command(*VERBS[verb], *more, folder=folder)


def undeclared(done):
    """What was said, without the values that the plan declares."""
    return (done.err + done.out).replace("Qx7f", "").replace("Qx7m", "")


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", CORPUS)
def test_no_cell_is_in_any_message(tmp_path, verb, name):
    true = CORPUS[name]
    done = run(tmp_path, verb, true.data)
    assert done.code in (0, 1), done
    assert CANARY not in undeclared(done)
    assert "unexpected" not in done.err
    if done.code:
        assert done.err.count("\n") == 1


@pytest.mark.parametrize("verb", ["inspect", "sanitise"])
@pytest.mark.parametrize("name", ["comma", "semicolon", "no header", "quoted commas and line ends"])
def test_mutated_copies(tmp_path, verb, name):
    copies = mutants([CORPUS[name].data], random.Random(2))
    for _ in range(8):
        done = run(tmp_path, verb, next(copies))
        assert done.code in (0, 1), done
        assert "unexpected" not in done.err
        assert CANARY not in undeclared(done)


@pytest.mark.parametrize("name", CORPUS)
def test_no_record_becomes_the_names_of_a_plan(tmp_path, name):
    """Names of columns in a plan are those of a header, or numbers; values are short and repeat."""
    if run(tmp_path, "inspect", CORPUS[name].data).code:
        return
    plan = tomllib.loads((tmp_path / "first.toml").read_text(encoding="utf-8"))
    named = [*plan["drop"], *plan.get("columns", {})]
    assert not [column for column in named if CANARY in column]
    for column in plan.get("columns", {}).values():
        assert all(len(str(value)) <= 40 for value in column.get("values", ()))


@pytest.mark.parametrize(
    "name", ["comma", "semicolon", "tab", "bar", "utf-16 with a mark", "latin-1"]
)
def test_the_release_is_the_same_however_the_table_is_written(tmp_path, name):
    done = run(tmp_path, "sanitise", CORPUS[name].data)
    assert done.code == 0, done.err
    head, *rows = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert head == '"sex"'
    assert len(rows) == 60


def test_options_settle_what_is_unclear(tmp_path):
    bare = people(3, words=True, header=False).replace(",", "~").encode("cp1250")
    assert (
        "--delimiter" in run(tmp_path, "inspect", bare).err
        or "--header" in run(tmp_path, "inspect", bare).err
    )
    done = run(tmp_path, "inspect", bare, "--delimiter", "~", "--no-header", "--encoding", "cp1250")
    assert done.code == 0, done.err
    plan = tomllib.loads((tmp_path / "first.toml").read_text(encoding="utf-8"))
    assert plan["table"] == {"delimiter": "~", "encoding": "cp1250", "header": False}
    assert {*plan["drop"], *plan.get("columns", {})} == {"column 1", "column 2", "column 3"}
