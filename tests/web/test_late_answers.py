"""Answers that come late, as on a busy machine: what a person did meanwhile stays."""

import re

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

from support.held_server import FAIL, HeldServer
from support.page_clicks import choose, headline

HELD = (
    "dprivacy.web.pages.explore_page:family",
    "dprivacy.web.pages.explore_page:tastes",
    "dprivacy.web.pages.receive_page:demo_release",
    "dprivacy.web.pages.receive_page:opened",
    "dprivacy.web.pages.receive_page:mean_words",
    "dprivacy.web.pages.receive_page:corrected",
    "dprivacy.web.pages.protect_page:declared_by",
    "dprivacy.web.pages.table_job:proposed",
    "dprivacy.web.places.places_page:_city",
    "dprivacy.web.places.places_page:attacked",
    "dprivacy.web.shell.open_room:OpenRoom._begin",
    "dprivacy.web.texts.text_trial:columns_of",
    "dprivacy.web.texts.texts_page:protect_table",
    "dprivacy.web.texts.text_trial:compared",
    "dprivacy.web.texts.text_trial:read_back",
)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    server = HeldServer(tmp_path_factory.mktemp("page"), *HELD)
    yield server
    server.stop()
    assert server.desks() == []
    assert server.errors() == ""


def answered(window):
    """The page answers whoever asks it now, so that all that it had to show is shown."""
    window.get_by_role("button", name="Copy a link to this").click()
    expect(window.get_by_text("The link is copied.").last).to_be_visible()


# ----------------------------------------------------------------------- what is found more, later


def test_what_is_found_more_belongs_to_the_texts_that_are_shown(served, window):
    served.hold("read_back")
    before = served.calls("compared")
    window.goto(served.base + "/texts")
    expect(headline(window)).to_have_text(re.compile("^Any two texts of up to 12 words"))
    assert served.holds("read_back")
    window.get_by_label("Number of words of every text").fill("9")
    expect(headline(window)).to_have_text(re.compile("^Any two texts of up to 9 words"))
    expect(window.get_by_role("heading", name="A topic instead of words")).to_be_visible()
    served.finish("read_back")
    window.get_by_label("Number of words of every text").fill("8")
    expect(headline(window)).to_have_text(re.compile("^Any two texts of up to 8 words"))
    expect(window.get_by_role("heading", name="A topic instead of words")).to_have_count(1)
    assert served.calls("compared") == before + 2


def test_a_mean_stands_above_its_own_column(served, window):
    window.goto(served.base + "/receive")
    window.get_by_role("button", name="Try an invented survey").click()
    caption = window.locator("p", has_text="rows truly have each value")
    expect(caption).to_have_text(re.compile("^hobby"))
    before = served.calls("mean_words")
    served.hold("corrected")
    window.get_by_label("Column", exact=True).select_option("health")
    assert served.holds("corrected")
    window.get_by_label("Or SQL, on the table called data").fill("SELECT 1 AS one")
    window.get_by_role("button", name="Ask in SQL").click()
    expect(window).to_have_url(re.compile("sql=SELECT\\+1"))
    served.finish("corrected")
    expect(window.get_by_role("columnheader", name="one")).to_be_visible()
    answered(window)
    assert served.calls("mean_words") == before


def test_what_goes_wrong_with_what_is_found_more_is_said(served, window):
    served.hold("attacked")
    window.goto(served.base + "/places")
    expect(headline(window)).to_have_text(re.compile("^Reports of this place lie"))
    served.let_go("attacked", FAIL)
    expect(window.get_by_role("alert")).to_have_text("There is not enough memory for this.")
    expect(headline(window)).to_be_visible()


# ------------------------------------------------------------------ what stands instead of an answer


def test_a_file_is_asked_for_though_the_town_is_still_attacked(served, window):
    served.hold("attacked")
    window.goto(served.base + "/places")
    expect(headline(window)).to_have_text(re.compile("^Reports of this place lie"))
    assert served.holds("attacked")
    window.get_by_label("What does everyone know?").select_option("file")
    expect(window.get_by_text("Choose a file of public places.")).to_be_visible()
    served.finish("attacked")
    answered(window)
    expect(window.get_by_text("Choose a file of public places.")).to_be_visible()
    expect(window.get_by_role("heading", name="People who report from home")).to_have_count(0)


def test_a_card_is_asked_for_though_the_survey_is_still_made(served, window, tmp_path):
    table = tmp_path / "released.csv"
    table.write_text("age\n1\n")
    served.hold("demo_release")
    window.goto(served.base + "/receive")
    window.get_by_role("button", name="Try an invented survey").click()
    assert served.holds("demo_release")
    choose(window, "Choose the table", table)
    expect(window.get_by_text("Now choose its card")).to_be_visible()
    served.finish("demo_release")
    served.hold("demo_release")
    window.get_by_role("button", name="Try an invented survey").click()
    assert served.holds("demo_release")
    expect(window.get_by_text("Now choose its card")).to_be_visible()
    served.finish("demo_release")
    expect(window.get_by_text("Now choose its card")).to_have_count(0)


def test_a_table_that_is_refused_leaves_no_answer_of_the_one_before(served, window, tmp_path):
    table, card = tmp_path / "released.csv", tmp_path / "released.csv.card.json"
    table.write_text("age\n1\n")
    card.write_text("{}")
    window.goto(served.base + "/receive")
    window.get_by_role("button", name="Try an invented survey").click()
    caption = window.locator("p", has_text="rows truly have each value")
    expect(caption).to_have_text(re.compile("^hobby"))
    served.hold("corrected")
    window.get_by_label("Column", exact=True).select_option("health")
    assert served.holds("corrected")
    choose(window, "Choose the table", table)
    expect(window.get_by_text("Now choose its card")).to_be_visible()
    choose(window, "Choose its card", card)
    expect(window.get_by_role("alert")).to_be_visible()
    expect(caption).to_have_count(0)
    served.finish("corrected")
    expect(window.get_by_role("alert")).to_be_visible()
    expect(caption).to_have_count(0)


def test_of_a_space_that_is_none_no_kernel_is_shown(served, window):
    served.hold("tastes")
    window.goto(served.base + "/explore")
    assert served.holds("tastes")
    window.get_by_label("Its size").fill("none")
    expect(window.get_by_role("alert")).to_contain_text("The size, in numbers, should be")
    served.finish("tastes")
    answered(window)
    expect(headline(window)).to_have_count(0)


def test_a_kernel_is_chosen_while_others_are_still_listed(served, window):
    window.goto(served.base + "/explore")
    expect(headline(window)).to_have_text(re.compile("^Kernel 1 of 2"))
    served.hold("family")
    window.get_by_label("Its size").fill("4")
    assert served.holds("family")
    window.get_by_role("button", name="kernel 2 of 2", exact=False).click()
    expect(window).to_have_url(re.compile("kernel=2"))
    served.finish("family")
    expect(headline(window)).to_have_text(re.compile("^Kernel 2 of 11"))
    assert served.errors() == ""


# ------------------------------------------------------------------------ a room that is slow to open

REFUSED = {
    "verify": "The matrix: choose a file",
    "compare": "Matrix B: choose a file",
    "texts": "Choose a table of texts",
    "places": "Choose public places",
}


@pytest.mark.parametrize("room", REFUSED)
def test_a_refusal_stays_when_a_room_is_slow_to_open(served, window, tmp_path, room):
    (tmp_path / "programme.exe").write_bytes(b"MZ")
    served.hold("_begin")
    window.goto(f"{served.base}/{room}")
    assert served.holds("_begin")
    if room == "places":
        window.get_by_label("What does everyone know?").select_option("file")
        expect(window.get_by_text("Choose a file of public places.")).to_be_visible()
    choose(window, REFUSED[room], tmp_path / "programme.exe")
    expect(window.get_by_role("alert")).to_contain_text("This file is not taken")
    served.finish("_begin")
    answered(window)
    expect(window.locator(".dp-error")).to_contain_text("This file is not taken")


def test_a_table_that_is_chosen_while_the_room_opens_is_the_one_that_is_meant(
    served, window, tmp_path
):
    window.goto(served.base + "/receive")
    served.hold("mean_words")
    window.get_by_role("button", name="Try an invented survey").click()
    served.finish("mean_words")
    answered(window)  # and remembers what it has
    served.hold("_begin")
    window.reload()
    assert served.holds("_begin")
    (tmp_path / "other.csv").write_text("age\n1\n")
    choose(window, "Choose the table", tmp_path / "other.csv")
    expect(window.get_by_text("Now choose its card")).to_be_visible()
    served.finish("_begin")
    served.hold("demo_release")
    window.get_by_role("button", name="Try an invented survey").click()
    assert served.holds("demo_release")
    expect(window.get_by_text("Now choose its card")).to_be_visible()
    served.finish("demo_release")


# ----------------------------------------------------------------------- two files, one after another


def shops(folder, lat):
    path = folder / f"shops-{lat}.gpx"
    points = "".join(f'<wpt lat="{lat}.85{k}" lon="2.35{k}"/>' for k in range(9))
    path.write_text(f"<gpx>{points}</gpx>")
    return path


def test_of_two_files_of_places_the_second_counts(served, window, tmp_path):
    window.goto(served.base + "/places?known=region")
    expect(headline(window)).to_be_visible()
    window.get_by_label("What does everyone know?").select_option("file")
    home = window.get_by_label("A place: latitude, longitude")
    served.hold("_city")
    choose(window, "Choose public places", shops(tmp_path, 48))
    assert served.holds("_city")
    choose(window, "Choose public places", shops(tmp_path, 41))
    expect(home).to_have_value(re.compile(r"^41\.85"))
    served.finish("_city")
    answered(window)
    expect(home).to_have_value(re.compile(r"^41\.85"))


def test_a_place_that_is_typed_while_a_file_is_read_stays(served, window, tmp_path):
    window.goto(served.base + "/places?known=region")
    expect(headline(window)).to_be_visible()
    window.get_by_label("What does everyone know?").select_option("file")
    home = window.get_by_label("A place: latitude, longitude")
    served.hold("_city")
    choose(window, "Choose public places", shops(tmp_path, 48))
    assert served.holds("_city")
    home.fill("48.853, 2.351")
    window.get_by_label("Radius", exact=True).fill("300 m")
    expect(window).to_have_url(re.compile("radius=300"))
    served.finish("_city")
    expect(headline(window)).to_have_text(re.compile("^Reports of this place lie"))
    expect(window.get_by_text("Within 300 m, the odds")).to_be_visible()
    expect(home).to_have_value("48.853, 2.351")


def messages(folder, name, column):
    path = folder / name
    path.write_text(f"who,{column}\nann,the bank wants money\nben,a letter in the box\n")
    return path


def read_with_names(window):
    expect(window.get_by_role("alert")).to_contain_text("it may be a person's record")
    window.get_by_label("The first line holds").select_option("names")
    window.get_by_role("button", name="Read the table so").click()


def test_of_two_tables_of_texts_the_second_counts(served, window, tmp_path):
    window.goto(served.base + "/texts")
    expect(headline(window)).to_be_visible()
    column = window.get_by_label("Which column holds the texts?")
    served.hold("columns_of")
    choose(window, "Choose a table of texts", messages(tmp_path, "old.csv", "complaint"))
    assert served.holds("columns_of")
    choose(window, "Choose a table of texts", messages(tmp_path, "new.csv", "message"))
    read_with_names(window)
    expect(column).to_have_value("message")
    served.finish("columns_of")  # whose table is not there any more
    answered(window)
    expect(column).to_have_value("message")
    expect(window.locator(".dp-error")).to_have_count(0)


def test_a_table_of_texts_is_chosen_again_under_its_name(served, window, tmp_path):
    window.goto(served.base + "/texts")
    for column in ("complaint", "message"):
        choose(window, "Choose a table of texts", messages(tmp_path, "same.csv", column))
        read_with_names(window)
        expect(window.get_by_label("Which column holds the texts?")).to_have_value(column)
        expect(window.get_by_role("alert")).to_have_count(0)  # the next one is not this one


def test_of_two_tables_to_protect_the_second_counts(served, window, tmp_path):
    for name, column in (("old.csv", "hobby"), ("new.csv", "smokes")):
        (tmp_path / name).write_text(f"id,{column}\n" + "1,yes\n2,no\n" * 30)
    window.goto(served.base + "/protect")
    expect(headline(window)).to_be_visible()
    served.hold("proposed")
    choose(window, "Choose a table", tmp_path / "old.csv")
    assert served.holds("proposed")
    choose(window, "Choose a table", tmp_path / "new.csv")
    expect(window.get_by_text("columns are described from the table")).to_be_visible()
    served.finish("proposed")  # whose table is not there any more
    answered(window)
    expect(window.get_by_text("columns are described from the table")).to_be_visible()
    expect(window.locator(".dp-error")).to_have_count(0)


def test_of_two_codebooks_the_second_counts(served, window, tmp_path):
    for name in ("sex", "mood"):
        (tmp_path / f"{name}.csv").write_text(
            f"variable,code,meaning\n{name},1,one\n{name},2,two\n"
        )
    window.goto(served.base + "/protect")
    expect(headline(window)).to_be_visible()
    served.hold("declared_by")
    choose(window, "Open a codebook", tmp_path / "sex.csv")
    assert served.holds("declared_by")
    choose(window, "Open a codebook", tmp_path / "mood.csv")
    mood = window.get_by_text("mood: categories, 2 values", exact=True)
    expect(mood).to_be_visible()
    served.finish("declared_by")
    answered(window)
    expect(mood).to_be_visible()
    expect(window.get_by_text("sex: categories, 2 values", exact=True)).to_have_count(0)


def test_texts_that_are_protected_are_handed_over_though_more_is_asked(served, window):
    window.goto(served.base + "/texts")
    expect(window.get_by_role("button", name="Protect these texts")).to_be_visible()
    served.hold("protect_table")
    window.get_by_role("button", name="Protect these texts").click()
    assert served.holds("protect_table")
    window.get_by_label("Number of words of every text").fill("9")
    expect(headline(window)).to_have_text(re.compile("^Any two texts of up to 9 words"))
    served.finish("protect_table")
    expect(window.get_by_text("Done: 12 texts are protected.")).to_be_visible()


# ------------------------------------------------------------------------------ what goes wrong is said


def test_a_file_that_cannot_be_kept_is_said(served, window, tmp_path):
    (tmp_path / "matrix.csv").write_text("1,0\n0,1\n")
    before = set(served.folder.rglob("*"))
    window.goto(served.base + "/verify")
    expect(headline(window)).to_be_visible()
    for drawer in set(served.folder.glob("dprivacy-page-*/*/")) - before:
        (drawer / "matrix.csv").mkdir()  # where the file would go, as a full disk has no room
    choose(window, "The matrix: choose a file", tmp_path / "matrix.csv")
    expect(window.get_by_role("alert")).to_contain_text("Something unexpected went wrong")
    assert served.errors() == ""
