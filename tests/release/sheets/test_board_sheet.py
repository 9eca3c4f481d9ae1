"""The sheet as a board gets it: from a plan or a card, told apart at a glance, nothing from data."""

import html
import json
import re

import pyarrow as pa
import pytest

import dprivacy as dp
from dprivacy.errors import BadFile, BadNumber, InsecureSeedWarning, NotApplicable, OutputExists
from dprivacy.release import Plan, StatedGuarantee, card_path, row_figures, sanitise, sanitise_file
from dprivacy.release.columns.demo_survey import write_demo
from dprivacy.release.sheets.board_sheet import report
from support.board_plans import BLOCKS, MEANINGLESS, SOUND, column, wide

GREEK = re.compile("[\u0370-\u03ff]")


def text_of(page):
    return html.unescape(re.sub(r"<[^>]+>", " ", page.partition("<body>")[2]))


def test_three_plans_are_told_apart_by_their_first_lines():
    sound, meaningless, blocks = (report(plan, rows=4580) for plan in (SOUND, MEANINGLESS, BLOCKS))
    assert sound.explain().startswith("LIMITED. One person's row tells something")
    assert "by at most 8.98, whatever they know already" in sound.explain()
    assert "67 times in 100 with the person's row" in sound.explain()
    assert meaningless.explain().startswith("NEXT TO NONE. The whole row is not protected")
    assert "58.4 thousand million" in meaningless.explain()
    assert "it rules out nothing." in meaningless.explain()
    assert blocks.explain().startswith("PARTLY PUBLISHED. Urbrur")
    assert "The rest: limited." in blocks.explain()
    assert [s.contents.band.tone for s in (sound, meaningless, blocks)] == ["good", "bad", "warn"]


@pytest.mark.parametrize("plan", [SOUND, MEANINGLESS, BLOCKS, wide(30)])
def test_the_first_page_has_no_greek_no_script_and_asks_nobody(plan):
    page = report(plan, rows=4580).html
    assert not GREEK.search(page)
    assert "<script" not in page
    assert not re.search(r"(?:src|href)=|url\(|@import", page)


def test_the_archive_sheet_has_everything():
    text = text_of(report(BLOCKS, rows=4580, archive=True).html)
    for words in ("ε = ln(2) per unit of distance", "Σ_y max_x π(x)·C[x, y]", "true → released"):
        assert words in text
    assert '"relat"' in text
    many = text_of(report(wide(30), rows=4580, archive=True).html)
    for k in range(30):
        assert f"number {k}" in many


def test_ten_answers_are_on_the_page_and_the_weakest_of_them():
    plan = wide(30)
    plan["columns"]["the weakest"] = column("sex", "7")
    told = report(plan).contents
    assert len(told.guesses) == 11  # and the whole row
    assert told.guesses[0].answer == "the weakest (2 values)"
    assert "The 10 least protected of 31 answers" in told.basis
    assert len(told.learned) == 5


def test_figures_are_those_of_the_plan():
    told = report(SOUND, rows=4580).contents
    row = {guess.answer: guess for guess in told.guesses}
    sex = row["sex (2 values)"]  # 1.44/2.44 is 59.02 %; 1.44·b/(1 + 0.44·b), rounded up
    assert (sex.blind, sex.with_row, sex.limits) == ("50", "60", ("60", "82", "97"))
    assert row["any, reading the whole row"].limits == ("90", "97", "99.5")
    assert told.right == pytest.approx(float(row_figures(SOUND).right))


def test_names_are_text_and_never_markup():
    odd = '<img src=x onerror="alert(1)">&amp;'
    plan = {
        "title": odd,
        "columns": {odd: column("sex", "2")},
        "pass_through": [f"{odd}2"],
        "drop": [f"{odd}3"],
    }
    for archive in (False, True):
        page = report(plan, archive=archive).html
        assert "<img" not in page
        assert html.escape(odd)[:20] in page


def test_a_void_card_gets_no_figures(tmp_path):
    values = {**SOUND["columns"]["sex"], "source": "data, acknowledged"}
    plan = {**SOUND, "columns": {**SOUND["columns"], "sex": values}}
    for source in (plan, _seeded(tmp_path)):
        told = report(source).contents
        assert told.band.word == "NO PROTECTION"
        assert told.band.tone == "bad"
        assert told.guesses == ()
        assert told.right == 1
    assert "the noise came from a seed and can be guessed" in report(source).explain()
    assert "was taken from the data" in report(plan).explain()


def _seeded(folder):
    table, plan = write_demo(folder)
    output = folder / "out.csv"
    with pytest.warns(InsecureSeedWarning):
        sanitise_file(table, Plan.read(plan), output, insecure_seed=1)
    return card_path(output)


def test_a_card_and_its_plan_say_the_same(tmp_path):
    table, plan = write_demo(tmp_path)
    output = tmp_path / "out.csv"
    card = sanitise_file(table, Plan.read(plan), output).card
    ahead, after = report(plan, rows=1200).contents, report(card_path(output)).contents
    assert report(card).contents == after
    assert (ahead.band, ahead.guesses, ahead.learned) == (after.band, after.guesses, after.learned)
    assert "1,200 rows, released" in after.about
    assert card.output["sha256"] in after.foot
    with pytest.raises(NotApplicable, match="a card knows its rows: 1,200"):
        report(card, rows=5)


def test_no_figure_comes_from_the_table(tmp_path):
    """Two tables without an answer in common have the same sheet, but for the hash of the release."""
    plan = {"columns": {"sex": column("sex", "2")}}
    pages = []
    for value in ("1", "2"):
        source = tmp_path / f"{value}.csv"
        source.write_text("sex\n" + f"{value}\n" * 50)
        card = sanitise_file(source, plan, tmp_path / f"{value}-out.csv").card
        pages.append(report(card).html.replace(card.output["sha256"], ""))
    assert pages[0] == pages[1]


def test_lists_that_wait_to_be_confirmed_are_a_condition():
    plan = {"columns": {"sex": column("sex", "2", source="data")}}
    (words,) = (line for line in report(plan).contents.conditions if "questionnaire" in line)
    assert words.startswith("somebody first compares the possible answers to sex")


def test_the_order_of_rows_is_a_condition_unless_they_were_put_in_another(tmp_path):
    (words,) = (line for line in report(SOUND).contents.conditions if "place of a row" in line)
    assert words == "the place of a row says nothing: the table is not sorted by an answer"
    tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    plan = Plan.read({"columns": {"tea": tea}})
    rows = pa.table({"tea": ["yes", "no"] * 40})
    for shuffled in (False, True):
        more = {"shuffle": True, "delta": "1e-6"} if shuffled else {}
        card = sanitise(rows, plan, **more).card
        told = [line for line in report(card).contents.conditions if "place of a row" in line]
        assert bool(told) != shuffled


def test_blind_guesses_are_rounded_down_and_others_up():
    walls = {"type": "categories", "values": ["2", "3", "9"], "epsilon": "ln(3/2)"}
    first = report({"columns": {"walls": walls}}).contents.guesses[0]
    assert (first.blind, first.with_row) == ("33", "43")  # of 33.3 and 42.9


def test_it_is_saved_once_and_as_html(tmp_path):
    sheet = report(SOUND)
    path = sheet.save(tmp_path / "sheet.html")
    assert path.read_text(encoding="utf-8") == sheet.html
    with pytest.raises(OutputExists):
        sheet.save(path)
    assert sheet.save(path, replace=True) == path
    with pytest.raises(BadFile, match=r"ends in \.html"):
        sheet.save(tmp_path / "sheet.pdf")
    with pytest.raises(BadFile, match="cannot be written"):
        sheet.save(tmp_path / "nowhere" / "sheet.html")
    with pytest.raises(BadNumber, match="at least one row"):
        report(SOUND, rows=0)
    json.dumps(sheet.to_dict())
    assert sheet._repr_html_().startswith("<iframe")
    assert dp.report is report


def test_a_card_without_columns_is_refused():
    card = dp.Card.of("text", StatedGuarantee("ln(2)"), count=3, secure=True)
    with pytest.raises(NotApplicable, match="not for a card of text"):
        report(card)
