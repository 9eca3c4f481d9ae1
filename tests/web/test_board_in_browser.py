"""What a person does who decides: compare lists, come back to a page, get the sheet."""

import json
import re
import tomllib

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

from dprivacy.release import Plan
from support.page_clicks import choose, downloaded, headline

SECRET = "a value that only the table knows"
DRAFT = "localStorage.getItem('dprivacy-draft-protect')"


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    path.write_text("mood,wave\n" + f"{SECRET},1\ngood,2\nbad,2\n" * 20)
    return path


def test_a_list_is_compared_value_by_value(served, window, table, tmp_path):
    window.goto(served.base + "/protect")
    expect(headline(window)).to_be_visible()
    choose(window, "Choose a table", table)
    window.get_by_text("mood: categories, 3 values, to be confirmed").click()
    window.get_by_role("button", name="Protect it").click()
    expect(window.get_by_role("alert")).to_contain_text("press “I compared all lists")
    told = window.locator(".dp-list [role=status]").first
    expect(told).to_have_text("3 answers, 3 still to be compared with the questionnaire")
    window.get_by_role("checkbox", name="good is in the questionnaire").check()
    expect(told).to_have_text("3 answers, 2 still to be compared with the questionnaire")
    expect(window.get_by_role("alert")).to_have_count(0)
    window.get_by_role("button", name=f"Remove {SECRET}").click()
    expect(told).to_have_text("2 answers, 1 still to be compared with the questionnaire")
    window.get_by_role("textbox", name="Another possible answer").first.fill("fair")
    window.keyboard.press("Enter")
    expect(told).to_have_text("3 answers, 1 still to be compared with the questionnaire")
    window.get_by_role("checkbox", name="bad is in the questionnaire").check()
    expect(told).to_have_text("3 answers, all compared")
    expect(window.get_by_text("mood: categories, 3 values, to be confirmed")).to_have_count(0)
    window.get_by_label("It holds").first.select_option("ordered")
    window.get_by_role("button", name="Move fair up").click()
    field = window.get_by_role("textbox", name="answer 3").first
    expect(field).to_have_value("good")
    field.fill("very good")
    field.blur()
    expect(field).to_have_value("very good")
    expect(window.get_by_text("1 list of possible answers to be confirmed")).to_be_visible()  # wave
    plan = Plan.read(downloaded(window, "Save the plan", tmp_path))
    assert list(plan.column("mood").values) == ["bad", "fair", "very good"]
    assert plan.unconfirmed() == ["wave"]


def test_what_is_typed_is_kept_while_the_list_is_drawn(served, window):
    window.goto(served.base + "/protect")
    expect(headline(window)).to_be_visible()
    window.get_by_role("button", name="Add a column").click()
    name = window.get_by_label("Name", exact=True).last
    expect(name).to_have_value(re.compile("^question"))
    lists = window.locator(".dp-list").last
    for answer in ("bad", "good", "fair"):
        lists.get_by_role("textbox", name="Another possible answer").fill(answer)
        window.keyboard.press("Enter")
        expect(lists.get_by_role("button", name=f"Remove {answer}")).to_be_visible()
    window.get_by_label("It holds").last.select_option("ordered")
    field = lists.get_by_role("textbox", name="answer 4")
    expect(field).to_have_value("good")
    field.click()
    window.keyboard.press("End")
    window.keyboard.type(" en")
    # a script's click leaves the focus where it is, like an answer that comes late
    lists.get_by_role("button", name="Move fair up").evaluate("(up) => up.click()")
    expect(lists.get_by_role("button", name="Move good up")).to_be_visible()
    expect(lists.get_by_role("textbox", name="answer 5")).to_have_value("good en")
    lists.get_by_role("button", name="Remove yes").evaluate("(away) => away.click()")
    expect(lists.get_by_role("button", name="Remove yes")).to_have_count(0)
    window.keyboard.type("ough")
    window.keyboard.press("Tab")
    expect(lists.get_by_role("button", name="Remove good enough")).to_be_visible()
    expect(lists.get_by_role("textbox", name="answer 4")).to_have_value("good enough")
    expect(window).to_have_url(re.compile("good%20enough|good\\+enough"))


def test_a_table_survives_reload_and_back_in_its_own_tab_alone(served, window, table):
    table = table.rename(table.with_name("kept.csv"))
    window.goto(served.base + "/protect")
    expect(headline(window)).to_be_visible()
    choose(window, "Choose a table", table)
    window.get_by_role("button", name="I compared all lists").click()
    expect(window.get_by_text("to be confirmed")).to_have_count(0)
    window.get_by_role("button", name="Protect it").click()
    expect(window.get_by_text("Done: 60 rows are protected.")).to_be_visible()
    for again in (window.reload, lambda: (window.goto(served.base + "/verify"), window.go_back())):
        again()
        expect(window.get_by_text("kept.csv, 1.0 KiB, is ready on this machine")).to_be_visible()
        expect(window.get_by_text("mood: categories, 3 values")).to_be_visible()
        expect(window.get_by_role("button", name="Download the table")).to_be_visible()
    other = window.context.new_page()
    other.goto(served.base + "/protect")
    expect(headline(other)).to_be_visible()
    expect(other.get_by_text("hobby: categories")).to_be_visible()
    expect(other.get_by_text("is ready on this machine")).to_have_count(0)
    assert SECRET not in (window.evaluate("JSON.stringify(localStorage)") or "")
    window.get_by_role("button", name="Forget it").click()
    expect(window.get_by_text("The table is removed.")).to_be_visible()
    (desk,) = served.desks()
    assert list(desk.rglob("kept*")) == []
    window.reload()
    expect(headline(window)).to_be_visible()
    expect(window.get_by_text("is ready on this machine")).to_have_count(0)


def test_what_was_declared_is_kept_as_a_draft_until_it_is_forgotten(served, window):
    window.goto(served.base + "/protect")
    expect(headline(window)).to_be_visible()
    assert window.evaluate(DRAFT) is None
    window.get_by_role("button", name="Add a column").click()
    expect(window.get_by_text("question 1: categories, 2 values")).to_be_visible()
    window.get_by_label("Name", exact=True).last.fill("smokes")
    expect(window.get_by_text("smokes: categories, 2 values")).to_be_visible()
    expect(window).to_have_url(re.compile("plan=.*smokes"))
    window.wait_for_function(f"{DRAFT}.includes('smokes')")  # which is written after the address
    kept = json.loads(window.evaluate(DRAFT))
    assert '[columns."smokes"]' in kept["plan"]
    other = window.context.new_page()
    other.goto(served.base + "/protect")
    expect(other.get_by_text("smokes: categories, 2 values")).to_be_visible()
    window.get_by_role("button", name="Forget my draft").click()
    expect(window.get_by_role("button", name="Forget my draft")).to_be_hidden()
    window.wait_for_function(f"{DRAFT} === null")


def test_receive_survives_a_reload(served, window):
    window.goto(served.base + "/receive")
    window.get_by_role("button", name="Try an invented survey").click()
    expect(headline(window)).to_have_text(re.compile("^PARTLY PUBLISHED. Region can be read off"))
    expect(window.get_by_role("row", name=re.compile("^sports"))).to_be_visible()
    window.reload()
    expect(window.get_by_role("row", name=re.compile("^sports"))).to_be_visible()


def test_the_sheet_of_a_plan_can_be_seen_and_saved(served, window, tmp_path):
    window.goto(served.base + "/protect")
    expect(headline(window)).to_have_text(re.compile("^LIMITED"))
    with window.expect_popup() as opened:
        window.get_by_role("button", name="Look at the sheet for the board").click()
    expect(opened.value.locator(".band .word")).to_have_text("LIMITED.")
    page = downloaded(window, "Save the sheet", tmp_path).read_text(encoding="utf-8")
    assert "planned for 1,000 rows" in page
    more = downloaded(window, "Save the archive sheet", tmp_path).read_text(encoding="utf-8")
    assert "archive sheet" in more


def test_a_table_is_compared_with_its_codebook_and_counted(served, window, tmp_path):
    book = tmp_path / "codes.csv"
    book.write_text(
        "variable,description,code,meaning\nsex,Sex at birth,1,male\nsex,,2,female\n"
        "mood,Mood,1,<i>bad</i>\nmood,,2,good\n"
    )
    table = tmp_path / "asked.csv"
    table.write_text("sex,mood,sampling_weight\n" + "1,2,8.5\n2,1,9\n" * 35)
    window.goto(served.base + "/protect")
    expect(headline(window)).to_be_visible()
    choose(window, "Open a codebook", book)
    window.get_by_text("mood: categories, 2 values", exact=True).click()
    expect(window.get_by_text("Mood", exact=True)).to_be_visible()
    expect(window.get_by_text("<i>bad</i>", exact=True)).to_be_visible()  # words, and no markup
    choose(window, "Choose a table", table)
    missing = "sampling_weight: the codebook does not describe it"
    expect(window.get_by_text(missing)).to_be_visible()
    expect(window.get_by_label("Rows you expect")).to_have_value("70")
    window.get_by_label("Title, as it stands on the sheet").fill("Moods of 2026")
    page = downloaded(window, "Save the sheet", tmp_path).read_text(encoding="utf-8")
    assert "Moods of 2026 · planned for 70 rows" in page
    window.get_by_text("mood: categories, 2 values", exact=True).click()
    expect(window.get_by_text("Mood", exact=True)).to_be_visible()
    window.get_by_role("button", name="Describe the columns from it").click()
    expect(window.get_by_text("Mood", exact=True)).to_be_hidden()  # the cards are new, and closed
    window.get_by_text("sex: categories, 2 values", exact=True).click()
    window.get_by_label("It holds").first.select_option("drop")
    expect(window.get_by_text("sex: leave out", exact=True)).to_be_visible()


def test_a_codebook_is_enough_to_plan_for_the_whole_row(served, window, tmp_path):
    book = tmp_path / "codes.csv"
    book.write_text(
        "variable,code,meaning\nsex,1,male\nsex,2,female\nhealth,1,bad\nhealth,2,good\nhealth,9,missing\n"
    )
    window.goto(served.base + "/protect")
    expect(headline(window)).to_have_text(re.compile("^LIMITED"))
    choose(window, "Open a codebook", book)
    expect(window.get_by_text("2 columns are described by the codebook")).to_be_visible()
    expect(window.get_by_text("sex: categories, 2 values", exact=True)).to_be_visible()
    window.get_by_label("The slider is for").select_option("row")
    expect(window.get_by_text("Odds between any two sets of answers can change by")).to_be_visible()
    # the product of the columns' exact factors, at most 8
    expect(window.get_by_text(re.compile(r"by at most (8|7\.9\d), whatever"))).to_be_visible()
    expect(window).to_have_url(re.compile("of=row"))
    saved = downloaded(window, "Save the plan", tmp_path)
    assert Plan.read(saved).unconfirmed() == []
    assert 'row = "ln 8"' in saved.read_text(encoding="utf-8")
    window.reload()
    expect(window.get_by_text(re.compile(r"by at most (8|7\.9\d), whatever"))).to_be_visible()
    expect(window.get_by_text("sex: categories, 2 values", exact=True)).to_be_visible()


def test_what_is_printed_in_the_dark_is_dark_on_white(served, window):
    window.emulate_media(color_scheme="dark", media="print")
    window.goto(served.base + "/protect")
    expect(headline(window)).to_be_visible()
    window.get_by_text("hobby: categories, 5 values").click()
    seen = ".dp-headline, .q-field__native, .dp-select, .dp-list [type=text], .dp-table td, .q-item"
    brightest = window.evaluate(
        """(seen) => Math.max(...[...document.querySelectorAll(seen)].flatMap(
            (part) => getComputedStyle(part).color.match(/[0-9]+/g).slice(0, 3).map(Number)))""",
        seen,
    )
    assert brightest < 110  # of 255
    expect(window.get_by_role("button", name="Remove sports")).to_be_hidden()
    expect(window.get_by_role("textbox", name="Another possible answer").first).to_be_hidden()


def test_columns_are_crossed_and_weighed_by_a_tick_and_a_number(served, window, tmp_path):
    window.goto(served.base + "/protect?of=row&eps=ln+9")
    expect(headline(window)).to_be_visible()
    window.get_by_role("button", name="Add a column").click()
    expect(window.get_by_text("question 1: categories, 2 values")).to_be_visible()
    weight = window.get_by_label("Its importance (empty: 1)").last
    weight.fill("4")
    for name in ("hobby: categories, 5 values", "health: classes in order, 4 values"):
        window.get_by_text(name, exact=True).click()
    ticks = window.get_by_role("checkbox", name="It will be crossed with others")
    expect(ticks).to_have_count(3)
    ticks.nth(0).click()
    alone = "hobby will be crossed with another column: open that, and tick it as well."
    expect(window.get_by_text(alone)).to_be_visible()
    ticks.nth(1).click()
    expect(window.get_by_text("Drawn together, for the table of hobby and health")).to_be_visible()
    expect(window.get_by_text("health: classes in order, 4 values, to be crossed")).to_be_visible()
    expect(window).to_have_url(re.compile("joint.*importance|importance.*joint"))
    saved = downloaded(window, "Save the plan", tmp_path)
    asked = tomllib.loads(saved.read_text(encoding="utf-8"))
    assert asked["joint"] == {"hobby and health": {"columns": ["hobby", "health"]}}
    assert asked["columns"]["question 1"]["importance"] == 4
    assert Plan.read(saved).unconfirmed() == []
    window.reload()
    expect(window.get_by_text("health: classes in order, 4 values, to be crossed")).to_be_visible()
    expect(weight).to_have_value("4")
    # where the slider is for one answer, it is for one table as well
    window.get_by_label("The slider is for").select_option("")
    expect(weight).to_be_hidden()
    expect(window.get_by_text("Odds between two answers")).to_be_visible()
    asked = tomllib.loads(downloaded(window, "Save the plan", tmp_path).read_text(encoding="utf-8"))
    assert asked["joint"]["hobby and health"]["epsilon"] == "ln(3/2)"
    assert "importance" not in asked["columns"]["question 1"]
