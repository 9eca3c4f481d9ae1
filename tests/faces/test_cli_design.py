"""``dprivacy design`` as somebody who asks people uses it."""

import json

import pytest

from support.command_runs import command


def test_how_many_people_and_the_sheet(tmp_path):
    sheet = tmp_path / "sheet.svg"
    asked = ["design", "--question", "Have you?", "--epsilon", "1", "--precision", "3"]
    done = command(*asked, "--device", "two dice", "-o", str(sheet))
    assert done.code == 0
    assert "Ask 1,407 people for a standard error of 3 percentage points" in done.out + done.err
    assert "would take 1,301; asked directly, without any protection, 278" in done.out + done.err
    assert sheet.read_text(encoding="utf-8").startswith("<svg")
    again = command(*asked, "-o", str(sheet))
    assert again.code == 1
    assert "already exists" in again.out + again.err


def test_json_and_html(tmp_path):
    page = tmp_path / "sheet.html"
    asked = ["design", "--question", "Have you?", "--epsilon", "ln 5", "--precision", "2%"]
    done = command(*asked, "--share", "10", "--json", "-o", str(page))
    answer = json.loads(done.out)
    assert answer["respondents"] == 1007
    assert answer["forced_yes"] == [1]
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (["--epsilon", "0.1", "--precision", "3"], "too few parts"),
        (["--epsilon", "1", "--precision", "0"], "between 0 and 100 per cent"),
        (["--epsilon", "1", "--precision", "3", "--share", "100"], "between 0 and 100 per cent"),
        (["--epsilon", "1", "--precision", "3", "-o", "sheet.png"], ".svg or .html"),
    ],
)
def test_what_is_refused(more, words):
    done = command("design", "--question", "Have you?", *more)
    assert done.code == 1
    assert words in done.out + done.err
