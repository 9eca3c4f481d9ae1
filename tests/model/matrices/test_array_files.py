"""Matrices that NumPy stored: read, and refused before they cost anything."""

import io
import zipfile

import numpy as np
import pytest

from dprivacy.errors import BadFile
from dprivacy.model import as_channel

COIN = np.array([[0.75, 0.25], [0.125, 0.875]])


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["f8", "f4", ">f8"])
def test_an_array_is_read(tmp_path, order, kind):
    np.save(tmp_path / "m.npy", np.array(COIN, dtype=kind, order=order))
    channel = as_channel(tmp_path / "m.npy")
    assert not channel.exact
    assert channel.rows == (0, 1)
    assert channel[1, 0] == 0.125


def test_an_archive_may_name_rows_and_columns(tmp_path):
    np.savez_compressed(
        tmp_path / "m.npz", matrix=COIN, rows=np.array(["a", "b"]), columns=np.array([3, 4])
    )
    channel = as_channel(tmp_path / "m.npz")
    assert channel.rows == ("a", "b")
    assert channel["b", 3] == 0.125
    np.savez(tmp_path / "one.npz", C=COIN)
    assert as_channel(tmp_path / "one.npz").columns == (0, 1)


def npy(header: str) -> bytes:
    body = header.encode().ljust(117) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(body).to_bytes(2, "little") + body


def archive(**parts: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as file:
        for name, part in parts.items():
            file.writestr(f"{name}.npy", part)
    return out.getvalue()


HUGE = "{'descr': '<f8', 'fortran_order': False, 'shape': (1000000, 1000000), }"
OBJECTS = "{'descr': '|O', 'fortran_order': False, 'shape': (1, 1), }"
BAD = {
    "a shape without its numbers": npy(HUGE),
    "objects": npy(OBJECTS) + b"c__builtin__\nprint\n",
    "no header": npy("import os"),
    "an unknown version": b"\x93NUMPY\x09\x00" + bytes(99),
    "a cut file": b"\x93NUMPY",
    "a cut archive": archive(matrix=b"x")[:40],
    "a bomb": archive(matrix=bytes(65 << 20)),
    "other parts": archive(matrix=npy(HUGE), code=b""),
    "many parts": archive(**{f"p{k}": b"" for k in range(9)}),
    "nothing": archive(),
}


@pytest.mark.parametrize("kind", BAD)
def test_other_files_are_refused(tmp_path, kind):
    (tmp_path / "m.npz").write_bytes(BAD[kind])
    with pytest.raises(BadFile):
        as_channel(tmp_path / "m.npz")


@pytest.mark.parametrize("array", [np.ones(3), np.ones((2, 2, 2)), np.array([["a"]])])
def test_what_is_no_matrix_is_refused(tmp_path, array):
    np.save(tmp_path / "m.npy", array)
    with pytest.raises(BadFile, match="two dimensions"):
        as_channel(tmp_path / "m.npy")
