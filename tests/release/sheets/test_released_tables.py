"""The archive sheet of a released table has what the table says; a board's page what the plan says."""

import html
import math
import re
from types import SimpleNamespace

import pandas as pd
import pytest

from dprivacy.errors import BadFile
from dprivacy.release import Plan, card_path, received, report, sanitise, sanitise_file
from dprivacy.release.sheets.released_tables import released_tables

TEA = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 99"}
CUPS = {"type": "ordered", "values": ["few", "many"], "codes": ["N"], "epsilon": "ln 9"}
AGE = {"type": "numbers", "low": 0, "high": 100, "grid": 10, "epsilon": "1/50"}
WEAK = {"type": "categories", "values": ["x", "<b>", "z"], "epsilon": "1/50"}
PLAN = {"columns": {"tea": TEA, "cups": CUPS, "age": AGE, "weak": WEAK}}
TRUE = pd.DataFrame(
    {
        "tea": ["yes", "yes", "no", "yes"] * 500,
        "cups": ["few", "N", "many", "few"] * 500,
        "age": [20, 40, 60, 80] * 500,
        "weak": ["x", "<b>", "z", "x"] * 500,
    }
)


def tables_of(page):
    """Headings, and the rows of the table below each, as text."""
    found = {}
    for title, body in re.findall(r"<h3>(.*?)</h3>(.*?)(?=<h[23]>)", page, re.DOTALL):
        rows = re.findall(r"<tr>(.*?)</tr>", body, re.DOTALL)
        cells = [[html.unescape(c) for c in re.findall(r">([^<>]*)</t[hd]>", row)] for row in rows]
        words = html.unescape(re.sub("<[^>]+>", "", body))
        found.setdefault(html.unescape(title), (cells[1:], words))
    return found


@pytest.fixture(scope="module")
def release():
    return sanitise(TRUE, PLAN)


@pytest.fixture(scope="module")
def archive(release):
    return report(release, archive=True).html


def test_shares_are_those_that_a_receiver_estimates(release, archive):
    table = received(release)
    for names in (["tea"], ["cups"], ["weak"], ["tea", "cups"]):
        found = table.cross_table(names)
        low, high = found.ranges(of="population", scale="proportions")
        rows, _ = tables_of(archive)[" by ".join(names)]
        assert len(rows) == found.shares.size
        for (_, share, ends), true, first, last in zip(
            rows, found.shares.flat, low.flat, high.flat, strict=True
        ):
            assert float(share) == pytest.approx(100 * true, abs=0.051)
            one, other = map(float, ends.split(" to "))
            assert one == pytest.approx(100 * min(max(first, 0), true), abs=0.051)
            assert other == pytest.approx(100 * max(min(last, 1), true), abs=0.051)
    (yes, *_), _ = tables_of(archive)["tea"]
    assert 70 < float(yes[1]) < 80
    assert 35 < float(re.search(r"Mean ([\d.]+)", tables_of(archive)["age"][1])[1]) < 65


def test_what_is_too_noisy_is_said_and_not_printed(archive):
    assert "tea by weak" not in tables_of(archive)
    noisy = "This release is too noisy to say how its answers go together. Not printed: "
    (named,) = re.findall(f"<p>{noisy}(.*?)</p>", archive)
    assert set(named.removesuffix(".").split(", ")) == {"tea by weak", "cups by weak"}


def test_labels_are_text(archive):
    assert "<b>" not in archive.partition("What this release says")[2]


def test_the_page_of_the_board_stays_that_of_the_card(release, tmp_path):
    path = tmp_path / "in.csv"
    TRUE.to_csv(path, index=False)
    output = tmp_path / "out.csv"
    sanitise_file(path, PLAN, output)
    of_table, of_card = report(output).contents, report(card_path(output)).contents
    assert (of_table.band, of_table.guesses, of_table.learned) == (
        of_card.band, of_card.guesses, of_card.learned,
    )  # fmt: skip
    assert "what this release says" in of_table.learned_note
    archive = report(output, archive=True).html
    assert "What this release says" in archive
    assert "every figure here follows from the plan" not in archive
    assert "every figure here follows from the plan" in report(output).html
    assert "What this release says" not in report(card_path(output), archive=True).html
    with output.open("a") as file:
        file.write("yes,few,20,x\n")
    with pytest.raises(BadFile, match="is not the file that"):
        report(output, archive=True)


class Told:
    """A received table that gives a mean as it is told to."""

    def __init__(self, *ends):
        self.value, self.low, self.high = ends

    def mean(self, column, *, of):
        assert (column, of) == ("pay", "population")
        return SimpleNamespace(only=self)


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((-2000.0, -9000.0, 1234.5), "Mean 0, between 0 and 1,234, of those who have a number"),
        ((41234.4, -math.inf, math.inf), "Mean 41,234, between 0 and 90,000, of those who have"),
        ((math.nan, math.nan, math.nan), "This release is too noisy to say what its mean is."),
    ],
)
def test_a_mean_stays_in_the_range_and_is_written_out(ends, words):
    pay = {"type": "numbers", "low": 0, "high": 90000, "grid": 9000, "epsilon": "1/9000"}
    plan = Plan.read({"columns": {"pay": {**pay, "codes": ["N"]}}})
    assert words in released_tables(Told(*ends), plan)
