"""Files of vectors from strangers: what they would take is known before it is taken."""

import gzip
import io
import os
import zipfile

import numpy as np
import pytest

from dprivacy.errors import BadFile, TooLarge
from dprivacy.text import read_embedding


def packed(place, **arrays):
    """An .npz file of the bytes of arrays."""
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as members:
        for name, content in arrays.items():
            members.writestr(f"{name}.npy", content)
    return place


def array_bytes(array):
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def test_shapes_that_the_bytes_do_not_fill(tmp_path):
    said = array_bytes(np.zeros((2, 3), np.float32)).replace(b"(2, 3)", b"(2, 3000000000)")
    words = array_bytes(np.array(["a", "b"]))
    with pytest.raises(BadFile, match="says that it holds more than it does"):
        read_embedding(packed(tmp_path / "e.npz", words=words, vectors=said))


def test_zeros_that_unpack_to_gigabytes(tmp_path, monkeypatch):
    monkeypatch.setattr("dprivacy.text.embeddings.vector_files._MOST_NUMBERS", 1 << 20)
    words = array_bytes(np.array(["a", "b"]))
    vectors = array_bytes(np.zeros((2, 1 << 20)))
    with pytest.raises(TooLarge, match=r"e\.npz: unpacks to more than"):
        read_embedding(packed(tmp_path / "e.npz", words=words, vectors=vectors))


def test_one_word_for_ever(tmp_path):
    (tmp_path / "e.txt.gz").write_bytes(gzip.compress(b"tea 1 2\n" * 200))
    with pytest.raises(BadFile, match="the same words again and again"):
        read_embedding(tmp_path / "e.txt.gz", most_words=10)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="pipes have no names here")
@pytest.mark.parametrize("name", ["e.txt", "e.bin", "e.npz", "e.txt.gz"])
def test_pipes_and_devices_are_not_waited_for(tmp_path, name):
    os.mkfifo(tmp_path / name)
    (tmp_path / f"zero-{name}").symlink_to("/dev/zero")
    for place in (tmp_path / name, tmp_path / f"zero-{name}"):
        with pytest.raises(BadFile, match="a pipe or a device"):
            read_embedding(place)
