"""Without a ledger: the same file to the same place is noticed, by nothing of its content."""

import json
import os

import numpy as np
import pytest

from dprivacy.curves import Days, protect_curves, read_days
from dprivacy.errors import AlreadyReleased
from dprivacy.release.jobs.source_marks import Origin, origin_of


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("h\na\n")
    return path


def put(folder, mark, name="out.csv.card.json"):
    (folder / name).write_text(
        json.dumps({"body": {"output": {"name": "out.csv", "source": mark}}})
    )


def test_the_same_file_to_the_same_place(source, tmp_path):
    Origin.of(source).require_new(tmp_path)
    put(tmp_path, Origin.of(source).mark)
    with pytest.raises(AlreadyReleased, match=r"out\.csv\.card\.json is its card.*--again"):
        Origin.of(source).require_new(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    Origin.of(source).require_new(tmp_path / "elsewhere")


def test_who_has_an_excuse(source, tmp_path):
    put(tmp_path, Origin.of(source).mark)
    for excuse in ({"again": "a test"}, {"ledger": "l.db"}, {"permanent": True}):
        origin_of(source, **excuse).require_new(tmp_path)
    with pytest.raises(AlreadyReleased):
        origin_of(source).require_new(tmp_path)


def test_a_file_that_changed_is_another(source, tmp_path):
    put(tmp_path, Origin.of(source).mark)
    told = source.stat()
    os.utime(source, ns=(told.st_atime_ns, told.st_mtime_ns + 1))
    Origin.of(source).require_new(tmp_path)


def test_the_mark_is_not_made_of_the_content(source):
    told = source.stat()
    mark = Origin.of(source).mark
    source.write_text("h\nb\n")
    os.utime(source, ns=(told.st_atime_ns, told.st_mtime_ns))
    assert Origin.of(source, salt=mark["salt"]).mark == mark
    assert Origin.of(source).mark != mark  # another salt


@pytest.mark.parametrize(
    "text", ["", "[", "[]", "{}", '{"output": 3}', '{"output": {"source": {"salt": 1, "mark": 2}}}']
)
def test_other_files_say_nothing(source, tmp_path, text):
    (tmp_path / "x.card.json").write_text(text)
    Origin.of(source).require_new(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
def test_a_pipe_that_is_named_like_a_card_is_not_waited_for(source, tmp_path):
    os.mkfifo(tmp_path / "x.card.json")
    Origin.of(source).require_new(tmp_path)


def test_one_release_may_be_saved_in_two_forms(tmp_path):
    """It is the same noise, whatever it is written into; another draw is refused."""
    path = tmp_path / "days.csv"
    path.write_text("h0,h1\n0.5,0.25\n1,0\n")
    how = {"eps": 1, "grid": "1/4"}
    released = protect_curves(read_days(path), **how)
    path.rename(tmp_path / "moved.csv")  # what was read is remembered, wherever it is by now
    released.save(tmp_path / "out.csv")
    released.save(tmp_path / "out.parquet")
    released.save(tmp_path / "out.csv", replace=True)
    (tmp_path / "moved.csv").rename(path)
    with pytest.raises(AlreadyReleased):
        protect_curves(read_days(path), **how).save(tmp_path / "two.csv")
    protect_curves(read_days(path), again="a test", **how).save(tmp_path / "two.csv")


def test_days_that_name_no_file_that_is_there(tmp_path):
    days = Days(np.ones((2, 2)), ("a", "b"), {}, tmp_path / "nowhere.csv")
    protect_curves(days, eps=1, grid=1).save(tmp_path / "out.csv")
