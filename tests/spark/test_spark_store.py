"""Stores: nothing is half there, and a name is given once, on a disk, HDFS and in object stores."""

import stat
import threading

import pyarrow.fs
import pytest

from dprivacy.errors import Malformed
from dprivacy.release.spark.spark_store import Cluster, Disk, Objects, local_path, store_at
from support.services import require


class NamesOnce(pyarrow.fs.FileSystemHandler):
    """A file system that renames as HDFS does: not onto a name that is taken."""

    def __init__(self):
        self.files = pyarrow.fs.LocalFileSystem()
        self.lock = threading.Lock()

    def move(self, src, dest):
        with self.lock:
            if self.files.get_file_info(dest).type != pyarrow.fs.FileType.NotFound:
                raise OSError(f"{dest} is taken")
            self.files.move(src, dest)

    def get_file_info(self, paths):
        return self.files.get_file_info(paths)

    def get_file_info_selector(self, selector):
        return self.files.get_file_info(selector)

    def create_dir(self, path, recursive):
        self.files.create_dir(path, recursive=recursive)

    def delete_dir(self, path):
        self.files.delete_dir(path)

    def delete_file(self, path):
        self.files.delete_file(path)

    def open_input_file(self, path):
        return self.files.open_input_file(path)

    def open_output_stream(self, path, metadata):
        return self.files.open_output_stream(path, metadata=metadata)

    def get_type_name(self):
        return "names once"

    def normalize_path(self, path):
        return path

    def _unused(self, *_):
        raise NotImplementedError

    delete_dir_contents = delete_root_dir_contents = copy_file = _unused
    open_input_stream = open_append_stream = _unused


def on_disk(folder):
    return Disk(str(folder / "out"))


def on_a_cluster(folder):
    return Cluster(pyarrow.fs.PyFileSystem(NamesOnce()), str(folder / "out"))


def in_memory(folder):
    require("objects")
    from obstore.store import MemoryStore

    return Objects(MemoryStore())


def under_a_prefix(folder):
    require("objects")
    from obstore.store import from_url

    (folder / "out").mkdir()
    return Objects(from_url(f"file://{folder}/out"))


@pytest.fixture(params=[on_disk, on_a_cluster, in_memory, under_a_prefix], ids=lambda f: f.__name__)
def store(request, tmp_path):
    return request.param(tmp_path)


def test_what_is_put_is_read_whole_and_in_parts(store):
    assert store.prepare("room")
    store.put("room/a", b"0123456789")
    store.put("b", b"x", lasting=False)
    assert store.read("room/a") == b"0123456789"
    assert store.read("room/a", 3, 6) == b"345"
    assert store.read("room/a", 3, 3) == b""
    assert store.sizes() == {"room/a": 10, "b": 1}
    store.put("b", b"yz")
    assert (store.read("b"), store.sizes()["b"]) == (b"yz", 2)
    with pytest.raises(FileNotFoundError):
        store.read("c")


def test_a_name_is_given_once(store):
    store.prepare("room")
    store.create("card", b"one")
    with pytest.raises(FileExistsError):
        store.create("card", b"two")
    assert store.read("card") == b"one"
    assert list(store.sizes()) == ["card"]


def test_of_many_at_once_one_has_the_name(store):
    store.prepare("room")
    ready, won = threading.Barrier(8), []

    def work(k):
        ready.wait()
        try:
            store.create("card", f"{k}".encode())
        except FileExistsError:
            return
        won.append(f"{k}".encode())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert won == [store.read("card")]


def test_what_is_removed_is_gone_and_may_be_gone_before(store):
    store.prepare("room")
    store.put("room/a", b"1")
    store.put("b", b"2")
    store.remove(["room/a", "room/never"])
    store.drop("room")
    store.drop("")  # not while something of others is in it
    assert store.sizes() == {"b": 1}
    assert not store.prepare("room")


def test_a_new_folder_is_its_owners_alone_until_it_is_opened(tmp_path):
    store = on_disk(tmp_path)
    store.prepare("room")
    mode = stat.S_IMODE((tmp_path / "out").stat().st_mode)
    assert mode == 0o700 == stat.S_IMODE((tmp_path / "out" / "room").stat().st_mode)
    store.open()
    (tmp_path / "usual").mkdir()
    assert (tmp_path / "out").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_addresses():
    assert local_path("file:///a%20b/c") == "/a b/c"
    assert local_path("/a%20b") == "/a%20b"
    with pytest.raises(Malformed, match="not on ftp:"):
        store_at("ftp://nowhere/out")


def test_an_object_store_needs_its_library(monkeypatch):
    import sys

    from dprivacy.errors import MissingExtra

    for name in ("obstore", "obstore.store"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingExtra, match=r"pip install 'dprivacy\[objects\]'"):
        store_at("s3://bucket/out")
