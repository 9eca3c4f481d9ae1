"""A job of the page that is stopped leaves nothing behind, and can be begun again."""

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.errors import DPrivacyError
from dprivacy.web.pages.table_job import _Watch, protect_table
from dprivacy.web.shell.desk import Desk

PLAN = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 2"}}}


@pytest.fixture
def drawer():
    desk = Desk()
    yield desk.drawer()
    desk.close()


def test_a_job_that_is_stopped_leaves_nothing_and_may_begin_again(drawer):
    table = drawer.place("tea.csv")
    table.write_text("tea\n" + "yes\nno\n" * 50)
    watch = _Watch()
    watch.stop()
    with pytest.raises(DPrivacyError, match=r"Stopped\. Nothing was written"):
        protect_table(table, PLAN, drawer, again=None, progress=watch)
    assert {path.name for path in drawer.folder.iterdir() if "lock" not in path.name} == {"tea.csv"}
    card, _, output = protect_table(table, PLAN, drawer, again=None, progress=_Watch())
    assert card.count == 100
    assert output.exists()
