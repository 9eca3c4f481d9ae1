"""The report: one page that asks nobody for anything, and the same as data."""

import json
import re
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.reproduce import reproduce as command
from dprivacy.errors import Malformed
from dprivacy.reproduce import Item, Line, Outcome, Reproduction, reproduce, write_report
from dprivacy.reproduce.items.compared_lines import Drawing, Found
from dprivacy.reproduce.report_page import page

SOME = ["C:example-2", "T:figure-6.2", "P:section-5", "erratum:E1", "T:figure-10.2"]


@pytest.fixture(scope="module")
def run():
    return reproduce(SOME)


@pytest.fixture(scope="module")
def html(run):
    return page(run)


VOID = {"meta", "path", "use", "br", "link", "image", "rect"}


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links = [], [], []

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [v for k, v in attrs if k in ("href", "src", "xlink:href")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag


def test_the_page_is_whole_and_asks_for_nothing(html):
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert len(tags.ids) == len(set(tags.ids))
    for link in tags.links:
        assert link.startswith(("#", "data:image/png"))
        if link.startswith("#") and not link.startswith("#erratum-"):
            assert link[1:] in tags.ids
    assert "<script" not in html
    assert "default-src 'none'" in html
    assert not re.search(r"(?:src|href)=\"https?:", html)


def test_printed_values_stand_beside_ours(html):
    assert html.count("<svg") == 2
    assert "1092" in html
    assert "924" in html
    assert 'differs: see erratum <a href="#erratum-E1">E1</a>' in html
    assert "Skipped: it needs MovieLens 100k" in html


def test_text_is_escaped_and_missing_pictures_are_said():
    from dprivacy.errors import MissingExtra

    def no_picture():
        raise MissingExtra("pictures need matplotlib; install it")

    item = Item("T:x", "<b>", "a & b", lambda _: Found())
    lines = (Line("<i>", "<1", ">2", "extended"),)
    odd = Outcome(item, Found(lines, (Drawing("<cap>", no_picture),)))
    text = page(Reproduction((odd,)))
    assert "<b>" not in text
    assert "&lt;i&gt;" in text
    assert "pictures need matplotlib" in text
    assert "pictures need" not in page(Reproduction((odd,)), pictures=False)


def test_the_same_as_data(run, tmp_path):
    html, data = write_report(run, tmp_path / "deep" / "er", pictures=False)
    assert html.read_text(encoding="utf-8").startswith("<!doctype html>")
    read = json.loads(data.read_text(encoding="utf-8"))
    assert read["holds"] is True
    assert [one["item"] for one in read["outcomes"]] == [one.item.key for one in run.outcomes]
    assert sum(read["values"].values()) == sum(len(one["lines"]) for one in read["outcomes"])
    (first,) = [one for one in read["outcomes"] if one["item"] == "C:example-2"]
    assert {"what", "printed", "ours", "mark", "erratum"} == set(first["lines"][0])


def test_the_command_prints_one_item_as_json():
    found = CliRunner().invoke(command, ["C:example-2", "--json", "--progress"])
    assert found.exit_code == 0
    read = json.loads(found.stdout)
    assert (read["item"], read["status"]) == ("C:example-2", "differs: see erratum E1")
    assert "1/1 C:example-2" in found.stderr


def test_the_command_writes_a_report(tmp_path):
    out = tmp_path / "report"
    words = ["C:example-*", "-o", str(out), "--no-pictures"]
    found = CliRunner().invoke(command, words)
    assert found.exit_code == 0
    assert "2 items: 1 differs, 1 as printed" in found.stdout
    assert sorted(path.name for path in out.iterdir()) == ["report.html", "report.json"]


def test_the_command_lists():
    found = CliRunner().invoke(command, ["--list"])
    assert "T:table-9.1" in found.stdout
    assert "takes minutes, needs text_20news, needs glove" in found.stdout
    assert len(json.loads(CliRunner().invoke(command, ["--list", "--json"]).stdout)) > 90


def test_a_value_that_is_not_as_printed_exits_3(monkeypatch, tmp_path):
    monkeypatch.setattr(
        "dprivacy.reproduce.chapters.articles.response_eps", lambda *_, **__: "ln 7"
    )
    found = CliRunner().invoke(command, ["C:example-3", "-o", str(tmp_path), "--no-pictures"])
    assert found.exit_code == 3
    assert "unexplained" in found.stdout


def test_the_command_refuses(tmp_path):
    assert CliRunner().invoke(command, ["--fetch", "glove"]).exit_code == 2
    wrong = CliRunner().invoke(command, ["T:nothing"])
    assert isinstance(wrong.exception, Malformed)
    (tmp_path / "file").write_text("x")
    blocked = CliRunner().invoke(command, ["C:example-3", "-o", str(tmp_path / "file" / "x")])
    assert isinstance(blocked.exception, Malformed)
    assert "another folder with -o" in str(blocked.exception)
