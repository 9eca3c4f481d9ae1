"""Folders of files: a release is what its card lists, and what else lies there is named."""

import hashlib

import pytest

from dprivacy.errors import BadFile
from dprivacy.release.files.released_folders import (
    data_files,
    folder_findings,
    require_listed,
    sizes_in,
)
from dprivacy.release.plans.listed_files import ListedFile, listing_hash


@pytest.fixture
def folder(tmp_path):
    for name, data in (("b.parquet", b"bb"), ("a.parquet", b"a"), ("_card.json", b"{}")):
        (tmp_path / name).write_bytes(data)
    return tmp_path


@pytest.fixture
def output(folder):
    files = [
        ListedFile(name, 1, len(data), hashlib.sha256(data).hexdigest())
        for name, data in (("b.parquet", b"bb"), ("a.parquet", b"a"))
    ]
    return {"sha256": listing_hash(files), "files": [file.to_dict() for file in files]}


def test_listed_files_are_read_by_name_and_no_others(folder, output):
    (folder / "c.parquet").write_bytes(b"late")
    assert [path.name for path in data_files(folder, output)] == ["a.parquet", "b.parquet"]


def test_a_copy_under_other_names_is_read_whole(folder):
    gone = {"files": [ListedFile("x", 1, 1, "0" * 64).to_dict()]}
    for output in ({}, gone):
        names = [path.name for path in data_files(folder, output)]
        assert names == ["a.parquet", "b.parquet"]
    for name in ("a.parquet", "b.parquet"):
        (folder / name).unlink()
    with pytest.raises(BadFile, match="holds no files of data"):
        data_files(folder, {})


def test_a_listed_file_must_be_there_in_its_size(folder, output):
    require_listed(sizes_in(folder), output, "out")
    (folder / "late.parquet").write_bytes(b"late")
    require_listed(sizes_in(folder), output, "out")
    (folder / "a.parquet").write_bytes(b"longer")
    with pytest.raises(BadFile, match="taken out of this folder or changed"):
        require_listed(sizes_in(folder), output, "out")
    with pytest.raises(BadFile, match="taken out of this folder or changed"):
        require_listed(sizes_in(folder), {"sha256": "0" * 64}, "out")


def test_findings_name_every_difference(folder, output):
    assert list(folder_findings(folder, output)) == []
    (folder / "late.parquet").write_bytes(b"late")
    (folder / "a.parquet").write_bytes(b"z")  # as long as before
    (folder / "b.parquet").unlink()
    found = list(folder_findings(folder, output))
    assert [what.split(" ")[1] for what in found] == ["b.parquet", "a.parquet", "late.parquet"]
    forged = {**output, "sha256": "0" * 64}
    assert next(folder_findings(folder, forged)).startswith("output.sha256")
