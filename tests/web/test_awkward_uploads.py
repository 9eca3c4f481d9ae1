"""Tables that are chosen on the page as people have them: read, or a sentence with the way out."""

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")
pytest.importorskip("playwright", reason="playwright is not installed")
from playwright.sync_api import expect

from support.awkward_tables import CANARY, people
from support.made_spreadsheets import xlsx
from support.page_clicks import headline

READ = {
    "semicolons.csv": people(sep=";", decimal=",").encode("cp1252"),
    "utf16.txt": people(sep="\t").encode("utf-16"),
    "people.xlsx": xlsx({"one": [["town", "age"], *([f"{CANARY}x", k % 50] for k in range(60))]}),
}


def choose(page, file):
    with page.expect_file_chooser() as chosen:
        page.get_by_role("button", name="Choose a table", exact=True).click()
    chosen.value.set_files(file)


@pytest.mark.parametrize("name", READ)
def test_tables_that_show_how_they_are_written(served, window, tmp_path, name):
    (tmp_path / name).write_bytes(READ[name])
    window.goto(served.base + "/protect")
    choose(window, tmp_path / name)
    columns = 2 if name == "people.xlsx" else 5
    expect(window.get_by_text(f"{columns} columns are described from the table")).to_be_visible()


def test_a_first_line_that_may_be_a_record_is_asked_about(served, window, tmp_path):
    rows = "".join(f"{k % 6},{7 + k % 9},{20 + k % 2}\n" for k in range(50))
    (tmp_path / "codes.csv").write_text(rows)
    window.goto(served.base + "/protect")
    choose(window, tmp_path / "codes.csv")
    expect(window.get_by_role("alert")).to_have_text(
        "This table cannot be read yet: its first line holds whole numbers alone, so that it may be "
        "a person's record. Choose “The first line holds” under “How the table is written”, and try "
        "again."
    )
    window.get_by_label("The first line holds").select_option("a row like the others")
    window.get_by_role("button", name="Describe the columns from it").click()
    expect(window.get_by_text("3 columns are described from the table")).to_be_visible()
    expect(window.get_by_role("alert")).to_have_count(0)
    assert "column 1" in window.content()
    expect(window.get_by_label("The first line holds")).to_be_visible()


SLOW_DRAFT = """
const read = Storage.prototype.getItem;
Storage.prototype.getItem = function (key) {
  if (!key.startsWith("dprivacy-draft")) return read.call(this, key);
  return new Promise((give) => { window.giveDraft = () => give(read.call(this, key)); });
};
"""


def test_a_refusal_stays_when_the_room_is_slow_to_open(served, window, tmp_path):
    """The room says what its example means once it has the browser's draft: nothing has changed."""
    (tmp_path / "codes.csv").write_text("".join(f"{k % 6},{20 + k % 2}\n" for k in range(50)))
    window.add_init_script(SLOW_DRAFT)
    window.goto(served.base + "/protect")
    choose(window, tmp_path / "codes.csv")
    expect(window.get_by_role("alert")).to_contain_text("This table cannot be read yet")
    expect(headline(window)).to_have_count(0)
    window.evaluate("giveDraft()")
    expect(headline(window)).to_be_visible()
    expect(window.get_by_role("alert")).to_contain_text("This table cannot be read yet")


def test_several_sheets_are_asked_for(served, window, tmp_path):
    sheet = [["town", "age"], *([f"{CANARY}x", k % 50] for k in range(60))]
    (tmp_path / "book.xlsx").write_bytes(xlsx({"first": sheet, "second": sheet}))
    window.goto(served.base + "/protect")
    choose(window, tmp_path / "book.xlsx")
    expect(window.get_by_role("alert")).to_contain_text("more than one sheet: 'first', 'second'")
    window.get_by_label("Sheet", exact=True).fill("second")
    window.get_by_role("button", name="Describe the columns from it").click()
    expect(window.get_by_text("2 columns are described from the table")).to_be_visible()
