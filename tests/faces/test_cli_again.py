"""Every verb that releases a file notices that it has released this file before."""

import json
import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.curves import curves
from dprivacy.cli.verbs.geo import geo
from dprivacy.cli.verbs.match import match
from dprivacy.cli.verbs.tables import sanitise
from dprivacy.cli.verbs.worded.text import text
from dprivacy.errors import AlreadyReleased, NotApplicable
from dprivacy.release import Ledger, card_path, write_permanent_key

PLAN = '[columns.tea]\ntype = "categories"\nvalues = ["yes", "no"]\nepsilon = "ln 3"\n'
VERBS = {
    "sanitise": (sanitise, "in.csv", "tea\nyes\nno\n", ["-p", "plan.toml"]),
    "geo": (geo, "in.csv", "who,lat,lon\nann,40.7,-74.0\nbob,40.71,-74.0\n", []),
    "curves": (curves, "in.csv", "h0,h1\n0.5,0.25\n1,0\n", ["--epsilon", "1", "--grid", "1/4"]),
    "text": (text, "in.txt", "the king drank tea", ["--epsilon", "5"]),
    "match": (
        match,
        "in.csv",
        "user,item,rating\na,x,1\nb,x,2\nc,y,3\n",
        ["--epsilon", "1/4", "-k", "1"],
    ),
}


class Verb:
    """One verb with a source of its own, in the folder it runs in."""

    def __init__(self, name):
        self.command, source, content, self.options = VERBS[name]
        self.source, self.ending = Path(source), "txt" if name == "text" else "csv"
        self.source.write_text(content)
        Path("plan.toml").write_text(PLAN)

    def output(self, name):
        return Path(f"{name}.{self.ending}")

    def run(self, *options, output="out"):
        to = ["-o", str(self.output(output))] if output else []
        return CliRunner().invoke(self.command, [str(self.source), *self.options, *to, *options])

    def well(self, *options, **how):
        done = self.run(*options, **how)
        assert done.exit_code == 0, done.exception
        return done


@pytest.fixture(params=VERBS)
def verb(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return Verb(request.param)


def test_a_second_release_of_a_file_is_refused_until_somebody_says_why(verb):
    verb.well()
    first = verb.output("out").read_bytes()
    for name, options in (("two", ()), ("out", ("--replace",))):
        refused = verb.run(*options, output=name).exception
        assert isinstance(refused, AlreadyReleased)
        assert f"{verb.source} was released before" in str(refused)
        assert f"{verb.output('out')}.card.json is its card" in str(refused)
        assert "--again" in str(refused)
    assert not verb.output("two").exists()
    assert verb.output("out").read_bytes() == first
    verb.well("--again", "the panel asked for it", output="two")
    assert verb.output("two").exists()


def test_a_file_that_changed_is_another_source(verb):
    verb.well()
    told = verb.source.stat()
    os.utime(verb.source, ns=(told.st_atime_ns, told.st_mtime_ns + 1))
    verb.well(output="two")


def test_a_ledger_remembers_instead(verb):
    Ledger("l.db", open=True).close()
    verb.well()
    verb.well("--ledger", "l.db", output="two")
    assert isinstance(verb.run("--ledger", "l.db", output="three").exception, AlreadyReleased)
    verb.well("--ledger", "l.db", "--again", "a test", output="three")


def test_the_mark_tells_nothing_of_the_source(verb):
    verb.well()
    mark = json.loads(card_path(verb.output("out")).read_text())["body"]["output"]["source"]
    verb.well("--again", "a test", output="two")
    other = json.loads(card_path(verb.output("two")).read_text())["body"]["output"]["source"]
    assert mark.keys() == {"salt", "mark"}
    assert not set(mark.values()) & set(other.values())


@pytest.mark.parametrize("name", ["text", "match"])
def test_what_is_printed_is_checked_and_leaves_no_card(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    verb = Verb(name)
    told = verb.well(output="").output
    assert "no card remembers" in told
    verb.well()
    assert isinstance(verb.run(output="").exception, AlreadyReleased)
    verb.well("--again", "a test", output="")


def test_permanent_noise_is_no_second_release(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    verb = Verb("geo")
    write_permanent_key("key")
    permanent = ["--permanent-key", "key", "--person", "who"]
    verb.well(*permanent)
    verb.well(*permanent, output="two")
    assert verb.output("out").read_bytes() == verb.output("two").read_bytes()


def test_a_reason_is_a_text(verb):
    refused = verb.run("--again", " ").exception
    assert "again is a text that says why" in str(refused)


def test_what_came_by_a_pipe_has_no_file_to_remember(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    typed = ["-", "--epsilon", "5", "-o", "out.txt", "--again", "why not"]
    done = CliRunner().invoke(text, typed, input="the king drank tea")
    assert isinstance(done.exception, NotApplicable)
    assert "remark in a ledger" in str(done.exception)
