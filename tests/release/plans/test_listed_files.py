"""Files on a card: each once, in the folder of the card, with its size and hash."""

import pytest

from dprivacy.errors import BadFile
from dprivacy.release.plans.listed_files import (
    ListedFile,
    listed,
    listing_hash,
    require_listing,
)

ONE = ListedFile("part-00000-ab.parquet", 3, 700, "ab" * 32)


def test_a_listing_is_read_as_it_was_written():
    assert listed({"files": [ONE.to_dict()]}) == [ONE]
    assert listed({"name": "a.csv"}) == []
    require_listing([ONE.to_dict()], "the card")


@pytest.mark.parametrize("field", ["name", "bytes", "sha256"])
def test_the_hash_depends_on_all_that_tells_a_file(field):
    other = {**ONE.to_dict(), field: {"name": "x", "bytes": 701, "sha256": "cd" * 32}[field]}
    assert listing_hash([ONE]) != listing_hash([ListedFile(**other)])


@pytest.mark.parametrize(
    "change",
    [
        {"name": "../part-0.parquet"},
        {"name": "/etc/passwd"},
        {"name": ".hidden"},
        {"name": "_card.json"},
        {"name": ""},
        {"name": "a/../b"},
        {"name": "a/.hidden"},
        {"name": "a//b"},
        {"rows": -1},
        {"bytes": -1},
        {"rows": "3"},
        {"sha256": "ab"},
        {"more": 1},
    ],
)
def test_what_is_no_file_of_the_folder_is_refused(change):
    with pytest.raises(BadFile):
        require_listing([{**ONE.to_dict(), **change}], "the card")


def test_files_in_folders_of_the_folder_may_be_listed():
    require_listing([{**ONE.to_dict(), "name": "2024/May 3/a note.txt"}], "the card")


def test_what_is_listed_twice_or_is_no_entry_is_refused():
    for entries in ([ONE.to_dict()] * 2, ["part-0.parquet"]):
        with pytest.raises(BadFile):
            require_listing(entries, "the card")
