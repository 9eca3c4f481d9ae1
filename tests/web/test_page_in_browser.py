"""The page as people use it: each room driven from end to end in a headless Chromium."""

import csv
import io
import re
from pathlib import Path

import pytest

from dprivacy.release import Plan, card_path, received, sanitise_file
from dprivacy.release.columns.demo_survey import survey, write_demo
from dprivacy.spaces import discrete
from dprivacy.store import load
from dprivacy.verify import privacy

pytest.importorskip("nicegui", reason="the page needs the extra [web]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

from dprivacy.web.pages.pasted_matrices import read_matrix_text
from dprivacy.web.shell.page_frame import ROOMS
from support.page_clicks import choose, downloaded, headline

CANARY = "person 4711 canary"


@pytest.fixture(scope="session")
def people(tmp_path_factory):
    """The invented survey with a canary among the names."""
    folder = tmp_path_factory.mktemp("people")
    table, plan = write_demo(folder)
    table.write_text(table.read_text().replace("person 7,", f"{CANARY},"))
    return table, plan


# ------------------------------------------------------------------------------------------- protect


def test_protect_by_slider_then_a_table_from_start_to_download(served, window, people, tmp_path):
    table, _ = people
    window.goto(served.base + "/protect")
    expect(headline(window)).to_have_text(re.compile("^LIMITED. One person's row tells something"))
    slider = window.get_by_role("slider", name="How much may one answer tell?")
    slider.focus()
    window.keyboard.press("ArrowRight")
    expect(headline(window)).to_have_text("WEAK. One person's row tells much.")
    expect(window.get_by_label("Level ε", exact=True)).to_have_value("ln 2")
    assert slider.get_attribute("aria-valuetext") == "odds at most × 2"
    window.get_by_label("Level ε", exact=True).fill("ln 3")
    expect(headline(window)).to_have_text(re.compile("^NEXT TO NONE. The whole row"))
    assert slider.input_value() == "5"

    choose(window, "Choose a table", table)
    expect(window.get_by_text("5 columns are described from the table")).to_be_visible()
    expect(window.get_by_text("lists of possible answers to be confirmed")).to_be_visible()
    window.get_by_role("button", name="Protect it").click()
    expect(window.get_by_role("alert")).to_contain_text("were taken from the data")
    expect(window.get_by_role("alert")).to_contain_text("press “I compared all lists")
    window.get_by_role("button", name="I compared all lists: take them as declared").click()
    expect(window.get_by_text("lists of possible answers to be confirmed")).to_have_count(0)
    expect(window.get_by_role("alert")).to_have_count(0)  # what it was about has changed
    window.get_by_role("button", name="Protect it").click()
    expect(window.get_by_text("Done: 1,200 rows are protected.")).to_be_visible()
    clean = downloaded(window, "Download the table", tmp_path)
    card = downloaded(window, "Download its card", tmp_path)

    release = received(clean)
    assert card == card_path(clean)
    assert release.card.secure
    assert not release.card.void
    assert set(release.card.mechanisms) == {"region", "hobby", "smokes", "health"}
    rows = list(csv.DictReader(io.StringIO(clean.read_text())))
    assert len(rows) == 1200
    assert "name" not in rows[0]
    assert {row["hobby"] for row in rows} == set(survey()["hobby"])
    truth = survey()["hobby"]
    kept = sum(row["hobby"] == true for row, true in zip(rows, truth, strict=True))
    assert 400 < kept < 630  # 3/7 of 1200 are 514, and 100 is nearly six standard deviations
    for text in (clean.read_text(), card.read_text(), window.content()):
        assert CANARY not in text

    window.get_by_role("button", name="Protect it").click()
    expect(window.get_by_role("alert")).to_contain_text("Two noisy copies reveal more than one")
    window.get_by_label("Why is it protected once more?").fill("a test")
    window.get_by_role("button", name="Protect it").click()
    expect(window.get_by_text("Done: 1,200 rows are protected.")).to_be_visible()
    slider.focus()
    window.keyboard.press("ArrowLeft")  # which took it away, as if it were still the refusal
    expect(window.get_by_label("Level ε", exact=True)).to_have_value("ln(5/2)")
    window.get_by_role("button", name="Copy a link to this").click()
    expect(window.get_by_text("The link is copied.")).to_be_visible()
    expect(window.get_by_text("Done: 1,200 rows are protected.")).to_be_visible()
    assert "plan=" not in window.url
    window.get_by_role("button", name="Forget it").click()
    expect(window.get_by_text("The table is removed.")).to_be_visible()
    (desk,) = served.desks()
    left = [path for path in desk.rglob("*") if path.is_file() and path.name != ".lock"]
    assert left == []


def test_protect_keeps_what_was_described_in_its_link_and_in_a_plan(served, window, tmp_path):
    window.goto(served.base + "/protect?eps=ln+2&rows=500")
    expect(headline(window)).to_be_visible()
    window.get_by_role("button", name="Add a column").click()
    expect(window.get_by_text("question 1: categories, 2 values")).to_be_visible()
    window.get_by_label("Name", exact=True).last.fill("smokes")
    expect(window.get_by_text("smokes: categories, 2 values")).to_be_visible()
    expect(window).to_have_url(re.compile(r"plan=.*smokes"))
    plan = downloaded(window, "Save the plan", tmp_path)
    assert [column.name for column in Plan.read(plan).columns] == ["hobby", "health", "smokes"]
    window.reload()
    expect(window.get_by_text("smokes: categories, 2 values")).to_be_visible()
    window.goto(served.base + "/protect")
    expect(headline(window)).to_be_visible()
    choose(window, "Open a plan", plan)
    expect(window.get_by_text("smokes: categories, 2 values")).to_be_visible()
    expect(window.get_by_label("Level ε", exact=True)).to_have_value("ln 2")


# ------------------------------------------------------------------------------------------- receive


def test_receive_a_table_and_its_card(served, window, people, tmp_path):
    table, plan = people
    clean = tmp_path / "released.csv"
    sanitise_file(table, Plan.read(plan), clean)
    release = received(clean)
    window.goto(served.base + "/receive")
    choose(window, "Choose the table", clean)
    expect(window.get_by_text("Now choose its card")).to_be_visible()
    choose(window, "Choose its card", card_path(clean))
    found = release.estimate("hobby")
    row = window.get_by_role("row", name=re.compile("^sports"))
    expect(row).to_contain_text(f"{float(found.counts['sports']):,.0f}")
    expect(row).to_contain_text(f"± {found.standard_errors['sports']:,.0f}")
    window.get_by_label("By another column").select_option("region")
    expect(window.locator("p", has_text="hobby by region, corrected")).to_be_visible()
    window.get_by_label("Or SQL, on the table called data").fill(
        "SELECT smokes, count(*) AS people FROM data GROUP BY smokes ORDER BY smokes"
    )
    window.get_by_role("button", name="Ask in SQL").click()
    expect(window.get_by_role("columnheader", name="95 % interval")).to_be_visible()
    window.get_by_label("Or SQL, on the table called data").fill("DROP TABLE data")
    window.get_by_role("button", name="Ask in SQL").click()
    expect(window.get_by_role("alert")).to_contain_text("nly one SELECT is answered")
    assert "smokes" in window.url or "DROP" in window.url
    assert not re.search(r"sports=|\d{3,}", window.url.partition("?")[2])


def test_receive_refuses_a_card_of_another_table(served, window, people, tmp_path):
    table, plan = people
    clean = tmp_path / "released.csv"
    sanitise_file(table, Plan.read(plan), clean)
    card = tmp_path / "released.csv.card.json"
    clean.write_text(clean.read_text().replace("sports", "cars", 1))
    window.goto(served.base + "/receive")
    choose(window, "Choose the table", clean)
    choose(window, "Choose its card", card)
    expect(window.get_by_role("alert")).to_contain_text("is not the file that")
    window.get_by_role("button", name="Try an invented survey").click()
    expect(window.get_by_role("row", name=re.compile("^sports"))).to_be_visible()


# -------------------------------------------------------------------------------- verify and compare


def test_verify_a_matrix_and_repair_it(served, window, tmp_path):
    window.goto(served.base + "/verify")
    expect(headline(window)).to_have_text("This matrix has ε = ln(14) ≈ 2.639 per unit of distance")
    expect(window.get_by_text(re.compile("^Deciding case: .*14 times")).first).to_be_visible()
    window.get_by_label("Repair it to this ε").fill("ln 7")
    expect(window.get_by_role("heading", name="A repair")).to_be_visible()
    mended = read_matrix_text(downloaded(window, "Save the repaired matrix", tmp_path).read_text())
    assert privacy(mended, discrete(mended.rows), eps="ln 7")
    matrix = tmp_path / "pram.csv"
    matrix.write_text(",yes,no\nyes,0.8,0.2\nno,0.3,0.7\n")
    choose(window, "The matrix: choose a file", matrix)
    expect(headline(window)).to_have_text(re.compile(r"ε = ln\(7/2\)"))
    window.get_by_label("Does this ε hold?").fill("ln 3")
    expect(headline(window)).to_have_text(re.compile("^No: that level does not hold"))
    window.reload()
    expect(headline(window)).to_have_text(re.compile("^No: that level does not hold"))
    window.get_by_label("The matrix: true values down").fill(",a,b\na,0.9,0.9\nb,0,1")
    expect(window.get_by_role("alert")).to_contain_text("its probabilities sum to 9/5")


def test_compare_two_matrices(served, window):
    window.goto(served.base + "/compare")
    expect(headline(window)).to_have_text("Neither is safer than the other against every guesser")
    expect(
        window.get_by_role("row", name="on average, against every guesser neither")
    ).to_be_visible()
    expect(window.get_by_text("an attacker who may take a bet").first).to_be_visible()
    expect(window.locator(".dp-plot .scatterlayer, .dp-plot .ternarylayer").first).to_be_attached()
    window.get_by_label("Matrix B: true values down").fill("1/3 1/3 1/3\n1/3 1/3 1/3\n1/3 1/3 1/3")
    expect(window.get_by_role("alert")).to_be_visible()  # its labels are 1, 2, 3, not 0, 1, 2
    window.get_by_label("Matrix B: true values down").fill(
        ",0,1,2\n0,1/3,1/3,1/3\n1,1/3,1/3,1/3\n2,1/3,1/3,1/3"
    )
    expect(headline(window)).to_have_text("B is the safer, against every guesser")


# -------------------------------------------------------------------------------- explore and design


def test_explore_kernels_by_clicking(served, window):
    window.goto(served.base + "/explore?space=line:4")
    expect(window.locator("p", has_text="11 kernels on 4 points")).to_be_visible()
    window.get_by_role("button", name="kernel 3 of 11", exact=False).click()
    expect(headline(window)).to_have_text(re.compile("^Kernel 3 of 11"))
    expect(window).to_have_url(re.compile("kernel=3"))
    window.goto(served.base + "/explore?space=line:3&kernel=2")
    expect(headline(window)).to_have_text("Kernel 2 of 2, with 3 answers")
    expect(window.get_by_text("It is the best choice for 6 of the 6 people below.")).to_be_visible()
    mark = window.locator(".ternarylayer path.point").first
    mark.wait_for()
    box = mark.bounding_box()
    window.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    window.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(window.get_by_text(re.compile("^After the answer y1"))).to_be_visible()


def test_design_watches_an_optimum_close(served, window, tmp_path):
    window.goto(served.base + "/design?space=grid:9x9&eps=ln+2&seconds=30")
    expect(headline(window)).to_have_text(
        re.compile(r"^Expected cost \d\.\d+: within \S+ % of the best")
    )
    picture = window.get_by_role("img", name="The cost of the best mechanism found")
    expect(picture.get_by_text("proved: nothing is below")).to_be_visible()
    mechanism = load(downloaded(window, "Save the mechanism", tmp_path))
    assert len(mechanism.channel.rows) == 81
    window.get_by_label("How likely is each value?").fill("1 2 3")
    window.get_by_role("button", name="Find the best mechanism").click()
    expect(window.get_by_role("alert")).to_contain_text("has 3 weights, and the space 81 values")


# ------------------------------------------------------------------------------------ hostile and all


def test_hostile_uploads_are_refused_in_words_and_the_page_lives_on(served, window, tmp_path):
    secret = "4711-secret-value"
    files = {
        "ragged.csv": ("sex,age\n" + "f,31\nm,42\n" * 20 + "m\n", "ragged rows"),
        "bytes.csv": (b"sex\n\x81\x8d\n" * 50, "Encoding"),
        "empty.csv": ("", "holds nothing"),
        "false.parquet": ("not parquet at all", "damaged, or not what its name says"),
        "bomb.csv.gz": (b"\x1f\x8b" + b"\x00" * 50, "cannot be read"),
        "programme.exe": (b"MZ" + b"\x00" * 20, "is not taken"),
        "huge.csv": ("x\n" * (1 << 20), "is not taken"),
    }
    window.goto(served.base + "/protect")
    expect(headline(window)).to_be_visible()
    for name, (content, words) in files.items():
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        choose(window, "Choose a table", path)
        expect(window.get_by_role("alert")).to_contain_text(words)
        expect(window.get_by_role("alert")).not_to_contain_text("dprivacy-page")
    table = tmp_path / "strange.csv"
    table.write_text("hobby,health\n" + "sports,good\n" * 3 + f"{secret},good\n")
    window.get_by_role(
        "button", name="Add a column"
    ).click()  # so that columns are not described anew
    window.get_by_role("button", name="Remove").last.click()
    choose(window, "Choose a table", table)
    expect(window.get_by_text("strange.csv, 0.1 KiB, is ready")).to_be_visible()
    window.get_by_role("button", name="Protect it").click()
    expect(window.get_by_role("alert")).to_contain_text("row 3")  # counted from 0
    assert secret not in window.content()
    choose(
        window, "Open a plan", _written(tmp_path / "bad.toml", "[columns.a]\nfile = '/etc/passwd'")
    )
    expect(window.get_by_role("alert").first).to_contain_text("names a file")
    window.get_by_role("slider", name="How much may one answer tell?").press("ArrowLeft")
    expect(window.locator(".dp-headline").first).to_be_visible()


def _written(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_every_room_fits_and_has_names_for_who_hears_it(served, window):
    for room in ("", *ROOMS):
        window.set_viewport_size({"width": 390, "height": 844})
        window.goto(f"{served.base}/{room}")
        window.locator("h1").wait_for()
        if room not in ("", "receive", "collect"):
            headline(window).wait_for()
        for width in (390, 1280):
            window.set_viewport_size({"width": width, "height": 844})
            assert window.evaluate(_FITS), (room, width)
            nameless = window.evaluate(_NAMELESS)
            assert nameless == [], (room, width, nameless)
        assert window.evaluate("document.documentElement.lang") == "en-GB"
        assert window.locator("main").count() == window.locator("h1").count() == 1
    window.keyboard.press("Tab")
    assert window.evaluate("document.activeElement.textContent") == "Skip to the content"


_FITS = "document.documentElement.scrollWidth <= window.innerWidth"
# What a screen reader would find without a name, among what can be acted on.
_NAMELESS = """() => [...document.querySelectorAll('button, a, input, textarea, [role=button]')]
    .filter(e => e.offsetParent && !e.closest('[aria-hidden=true]') && e.tabIndex >= 0)
    .filter(e => !(e.getAttribute('aria-label') || e.textContent.trim() || e.labels?.length))
    .map(e => e.outerHTML.slice(0, 200))"""
