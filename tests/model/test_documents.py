"""Reading files: only files, within their limits."""

import os

import pytest

from dprivacy.errors import BadFile
from dprivacy.model import documents, file_bytes, open_regular, parsed_json, read_document


def test_only_files_are_opened(tmp_path):
    (tmp_path / "file").write_bytes(b"content")
    with open_regular(tmp_path / "file") as file:
        assert file.read() == b"content"
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", "/dev/zero", "/dev/null"):
        with pytest.raises(BadFile, match="a pipe or a device"):
            open_regular(path)
    for path in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(BadFile, match="cannot be read"):
            open_regular(path)


def test_no_more_than_the_most_is_read(tmp_path):
    (tmp_path / "file").write_bytes(bytes(100))
    assert file_bytes(tmp_path / "file", largest=100) == bytes(100)
    with pytest.raises(BadFile, match="larger than"):
        file_bytes(tmp_path / "file", largest=99)


@pytest.mark.parametrize("text", ["[" * 200_000, "[" * 150 + "]" * 150, '{"a":' * 3000, "[[],"])
def test_deep_or_broken_json(text):
    with pytest.raises(BadFile, match=r"not JSON|nested more than 100 deep"):
        parsed_json(text, "it")


def test_parts_are_counted_before_they_are_made(monkeypatch):
    made = []
    monkeypatch.setattr(documents.json, "loads", lambda *_, **__: made.append(1))
    monkeypatch.setattr(documents, "_MOST_PARTS", 10)
    monkeypatch.setattr(documents, "_MOST_ITEMS", 20)
    for text in ("[" + "[]," * 10 + "[]]", "[" + "1," * 21 + "1]", "{" * 11):
        with pytest.raises(BadFile, match="more than 20 items, or 10 lists"):
            parsed_json(text, "it")
    assert made == []


def test_a_repeated_key_among_very_many_is_named():
    keys = ", ".join(f'"k{k}": 0' for k in range(100_000))
    with pytest.raises(BadFile, match="the key 'k99999' appears twice"):
        read_document(f'{{{keys}, "k99999": 1}}')
