"""Without a ledger: the same file to the same place is noticed, by nothing of its content."""

import json
import os

import pytest

from dprivacy.errors import AlreadyReleased
from dprivacy.release.jobs.source_marks import origin_mark, require_not_released_here


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
    require_not_released_here(source, tmp_path)
    put(tmp_path, origin_mark(source))
    with pytest.raises(AlreadyReleased, match=r"out\.csv\.card\.json is its card.*--again"):
        require_not_released_here(source, tmp_path)
    (tmp_path / "elsewhere").mkdir()
    require_not_released_here(source, tmp_path / "elsewhere")


def test_a_file_that_changed_is_another(source, tmp_path):
    put(tmp_path, origin_mark(source))
    told = source.stat()
    os.utime(source, ns=(told.st_atime_ns, told.st_mtime_ns + 1))
    require_not_released_here(source, tmp_path)


def test_the_mark_is_not_made_of_the_content(source):
    told = source.stat()
    mark = origin_mark(source)
    source.write_text("h\nb\n")
    os.utime(source, ns=(told.st_atime_ns, told.st_mtime_ns))
    assert origin_mark(source, salt=mark["salt"]) == mark
    assert origin_mark(source) != mark  # another salt


@pytest.mark.parametrize(
    "text", ["", "[", "[]", "{}", '{"output": 3}', '{"output": {"source": {"salt": 1, "mark": 2}}}']
)
def test_other_files_say_nothing(source, tmp_path, text):
    (tmp_path / "x.card.json").write_text(text)
    require_not_released_here(source, tmp_path)
