"""The desk: a folder of one's own that is gone afterwards, and errors that say nothing secret."""

import logging
import os
import stat
import sys
import tempfile
import warnings

import pytest

from dprivacy.errors import (
    AlreadyReleased,
    BadFile,
    BadLevel,
    BudgetExceeded,
    PrivacyLeakWarning,
    TooLarge,
)
from dprivacy.release import Ledger
from dprivacy.web.shell import desk as desks
from dprivacy.web.shell.desk import Desk, require_small, warnings_heard
from dprivacy.web.shell.request_guard import keep_data_out_of_logs

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="modes and locks are POSIX's")


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_the_folder_is_its_owner_s_alone_and_is_removed(place):
    desk = Desk()
    drawer = desk.drawer()
    drawer.place("table.csv").write_text("secret")
    assert stat.S_IMODE(desk.folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(drawer.folder.stat().st_mode) == 0o700
    assert tempfile.gettempdir() == str(desk.folder)
    desk.close()
    assert list(place.iterdir()) == []
    assert tempfile.gettempdir() == str(place)


def test_a_folder_that_a_killed_run_left_is_swept_and_one_in_use_is_not(place):
    left = place / "dprivacy-page-left"
    left.mkdir()
    (left / ".lock").touch()
    (left / "table.csv").write_text("secret")
    running = Desk()
    tempfile.tempdir = str(place)
    second = Desk()
    assert not left.exists()
    assert running.folder.exists()
    second.close()
    running.close()


def test_links_to_other_folders_are_not_followed(place):
    elsewhere = place / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "kept.txt").touch()
    (place / "dprivacy-page-link").symlink_to(elsewhere)
    Desk().close()
    assert (elsewhere / "kept.txt").exists()


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "..",
        "",
        "a/b\\c.csv",
        "\x00x.csv",
        "x" * 500 + ".csv",
        ".hidden",
        "é☃.csv",
    ],
)
def test_no_name_leads_out_of_the_drawer(place, name):
    desk = Desk()
    drawer = desk.drawer()
    path = drawer.place(name)
    assert path.parent == drawer.folder
    assert path.name not in ("", ".", "..")
    assert len(path.name) <= 120
    path.write_text("x")
    desk.close()


def test_errors_show_no_folder_and_unexpected_ones_no_text(place):
    desk = Desk()
    drawer = desk.drawer()
    told = drawer.told(BadFile(f"{drawer.folder / 'table.csv'}: ragged rows"))
    assert told == "table.csv: ragged rows."
    assert drawer.told(BadLevel("ε should be less")) == "ε should be less."
    told = drawer.told(KeyError("the secret value 4711"))
    assert "4711" not in told
    assert "KeyError" in told
    desk.close()


def test_the_same_bytes_are_not_protected_twice(place):
    desk = Desk()
    drawer = desk.drawer()
    first, second = drawer.place("a.csv"), drawer.place("b.csv")
    first.write_text("x\n1\n")
    second.write_text("x\n1\n")
    desk.require_new(first)
    desk.released(first)
    with pytest.raises(AlreadyReleased, match="Two noisy copies reveal more than one"):
        desk.require_new(second)
    second.write_text("x\n2\n")
    desk.require_new(second)
    desk.close()


def test_the_ledger_of_the_environment_is_charged(place, monkeypatch):
    pytest.importorskip("nicegui")
    from dprivacy.web.pages.table_job import protect_table

    with Ledger(place / "l.db") as ledger:
        ledger.budget("everyone", "ln 4")
    monkeypatch.setenv("DPRIVACY_LEDGER", str(place / "l.db"))
    raw = {"columns": {"x": {"type": "categories", "values": ["a", "b"], "epsilon": "ln 3"}}}
    desk = Desk()
    drawer = desk.drawer()
    for number, text in enumerate(("x\na\nb\n", "x\nb\nb\na\n")):
        source = drawer.place(f"{number}.csv")
        source.write_text(text)
        if number:
            with pytest.raises(BudgetExceeded):
                protect_table(source, raw, drawer, again=None, progress=lambda *_: None)
        else:
            card, _, _ = protect_table(source, raw, drawer, again=None, progress=lambda *_: None)
            assert card.receipt["sequence"] == 3
    desk.close()


def test_warnings_about_leaks_are_heard_in_their_thread(monkeypatch):
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    with warnings.catch_warnings():
        desks._install_ear()
        with warnings_heard() as heard:
            warnings.warn("rows are sorted", PrivacyLeakWarning, stacklevel=1)
        assert heard == ["rows are sorted"]


def test_a_file_that_is_too_large_is_refused_in_words():
    require_small(5 << 20, 5 << 20, "This file")
    with pytest.raises(TooLarge, match="This file is larger than 5 MiB"):
        require_small((5 << 20) + 1, 5 << 20, "This file")


def test_logs_hold_no_text_of_errors(caplog):
    keep_data_out_of_logs()
    keep_data_out_of_logs()
    log, secret = logging.getLogger("nicegui"), 4700 + 11  # no line of code says it
    assert len(log.filters) == 1
    try:
        raise KeyError(f"the value {secret}")
    except KeyError as error:
        log.exception(error)
        logging.getLogger("uvicorn.error").error("in the application", exc_info=error)
    assert "4711" not in caplog.text
    assert caplog.text.count("KeyError (its text is left out") == 2
    assert "test_desk.py" in caplog.text
    log.error("%s of %s", 1, 2)
    log.warning("%s of %s", 3, 4)  # NiceGUI's quote addresses
    assert "1 of 2" in caplog.text
    assert "3 of 4" not in caplog.text


def test_umask_does_not_matter(place):
    before = os.umask(0)
    try:
        desk = Desk()
        assert stat.S_IMODE(desk.folder.stat().st_mode) == 0o700
        desk.close()
    finally:
        os.umask(before)
