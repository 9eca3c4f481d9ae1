"""Data sets: known by their hashes, fetched on request, offline here."""

import io
import tarfile
import zipfile

import pytest

from dprivacy.errors import Malformed
from dprivacy.reproduce import datasets, fetch
from dprivacy.reproduce.items import data_sets as room
from dprivacy.reproduce.items.newsgroups import read_post, read_posts
from dprivacy.reproduce.running_items import reproduce


def archive(**members):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name, content in members.items():
            file.writestr(f"ml-100k/{name.replace('_', '.')}", content)
    return packed.getvalue()


def served(content, seen=None):
    def opened(address):
        if seen is not None:
            seen.append(address)
        return io.BytesIO(content)

    return opened


def with_hashes(monkeypatch, name, **changes):
    one = datasets()[name]
    values = {field: getattr(one, field) for field in one.__dataclass_fields__} | changes
    monkeypatch.setitem(room._ALL, name, type(one)(**values))


def test_a_data_set_is_fetched_and_checked(tmp_path, monkeypatch):
    content = archive(u_data=b"1\t2\t3\t4\n", u_item=b"film")
    with pytest.raises(Malformed, match="another SHA-256; nothing is kept"):
        fetch("movielens100k", tmp_path, opened=served(content))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
    hashes = {
        "u.data": room.hashlib.sha256(b"1\t2\t3\t4\n").hexdigest(),
        "u.item": room.hashlib.sha256(b"film").hexdigest(),
    }
    with_hashes(monkeypatch, "movielens100k", ways=(hashes,))
    seen = []
    places = fetch("movielens100k", tmp_path, opened=served(content, seen))
    assert seen == ["https://files.grouplens.org/datasets/movielens/ml-100k.zip"]
    assert [path.name for path in places] == ["u.data", "u.item"]
    assert room.missing(["movielens100k"], tmp_path) == ""
    (tmp_path / "movielens100k" / "u.item").write_bytes(b"changed")
    with pytest.raises(Malformed, match=r"u\.item should have the SHA-256"):
        room.missing(["movielens100k"], tmp_path)


def test_what_is_no_archive_is_refused(tmp_path):
    with pytest.raises(Malformed, match="did not give the archive of MovieLens"):
        fetch("movielens100k", tmp_path, opened=served(b"<html>"))
    with pytest.raises(Malformed, match=r"should be one of 'movielens100k', .*, not 'x'"):
        fetch("x", tmp_path)

    def broken(_):
        raise OSError(111, "Connection refused")

    with pytest.raises(Malformed, match=r"cannot be read: Connection refused; put u\.data"):
        fetch("movielens100k", tmp_path, opened=broken)
    with pytest.raises(Malformed, match="another SHA-256"):
        fetch("glove", tmp_path, opened=served(b"x"))


def test_an_archive_is_kept_as_it_is(tmp_path, monkeypatch):
    way = {"glove.6B.zip": room.hashlib.sha256(b"vectors").hexdigest()}
    with_hashes(monkeypatch, "glove", ways=(way,))
    assert fetch("glove", tmp_path, opened=served(b"vectors")) == [
        tmp_path / "glove" / "glove.6B.zip"
    ]


def test_nothing_is_fetched_unasked(monkeypatch):
    monkeypatch.setattr(room, "_over_the_network", lambda _: pytest.fail("a request"))
    assert reproduce(["T:figure-10.2"])["T:figure-10.2"].skipped


def test_posts_out_of_the_archive(tmp_path, monkeypatch):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as file:

        def add(name, text):
            raw = text.encode("latin-1")
            entry = tarfile.TarInfo(name)
            entry.size = len(raw)
            file.addfile(entry, io.BytesIO(raw))

        for k in range(6):
            words = " ".join(f"word{k}" for _ in range(120))
            add(f"20news/sci.space/{k}", f"From: a@b.org (A)\nSubject: x\n\n{words}")
        add("20news/sci.space/90", "From: a@b.org\n\ntoo short")
        add("20news/sci.space/91", "From: c@d.org\n\n" + "once " * 150)
        add("20news/rec.autos/1", "From: a@b.org\n\n" + "car " * 150)
    content = packed.getvalue()
    way = {"20news-bydate.tar.gz": room.hashlib.sha256(content).hexdigest()}
    monkeypatch.setattr("dprivacy.reproduce.items.newsgroups.NEWSGROUPS", _changed(way))
    (tmp_path / "text_20news").mkdir()
    (tmp_path / "text_20news" / "20news-bydate.tar.gz").write_bytes(content)
    posts = read_posts(tmp_path, ("sci.space",))
    assert len(posts) == 6
    assert len({author for author, _, _ in posts}) == 1
    assert all("@" not in part for post in posts for part in post)


def _changed(way):
    one = datasets()["text_20news"]
    return type(one)(one.name, one.title, (way,), one.page, one.address, one.steps, one.terms)


def test_a_post_loses_what_others_wrote():
    raw = "From: Ann <ann@x.org>\nX: y\n\nIn a, bob@x.org writes:\n> no\nYes, ann@x.org\n--\nAnn"
    author, text = read_post(raw)
    assert text == "Yes, [address]"
    assert len(author) == 12
    assert read_post("no header\n\nbody")[0] == ""
