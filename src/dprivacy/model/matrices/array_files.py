"""Matrices that NumPy stored: .npy and .npz, read without unpickling and within stated limits."""

import io
import math
import zipfile
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadFile
from dprivacy.typing import Label

_LARGEST = 64 << 20  # bytes of all arrays
_MOST_PARTS = 3
_NPY, _NPZ = b"\x93NUMPY", b"PK\x03\x04"
_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}

Labelled = tuple[Sequence[Label], Sequence[Label], NDArray[Any]]


def is_array(data: bytes) -> bool:
    """Whether bytes begin as NumPy's files do."""
    return data.startswith((_NPY, _NPZ))


def matrix_of_array(data: bytes, name: str) -> Labelled:
    """Labels and numbers of an array file.

    An .npz holds one array, or `matrix` with `rows` and `columns` beside it; otherwise labels are
    0 … n−1.
    """
    if data.startswith(_NPY):
        parts = {"matrix": _array(data, name)}
    else:
        parts = {key: _array(part, name) for key, part in _members(data, name).items()}
    if len(parts) == 1:
        parts = {"matrix": next(iter(parts.values()))}
    matrix = parts.pop("matrix", None)
    if matrix is None or matrix.ndim != 2 or matrix.dtype.kind not in "fiu" or not matrix.size:
        raise BadFile(f"{name}: a matrix of numbers with two dimensions is needed, called 'matrix'")
    if set(parts) - {"rows", "columns"}:
        raise BadFile(f"{name}: holds other arrays than 'matrix', 'rows' and 'columns'")
    n, m = matrix.shape
    return _labels(parts.get("rows"), n), _labels(parts.get("columns"), m), matrix


def _labels(found: NDArray[Any] | None, n: int) -> Sequence[Label]:
    return range(n) if found is None else list(found.ravel().tolist())


def _members(data: bytes, name: str) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
            if len(infos) > _MOST_PARTS or any(not i.filename.endswith(".npy") for i in infos):
                raise BadFile(f"{name}: is not an .npz file with one matrix and its labels")
            if sum(info.file_size for info in infos) > _LARGEST:
                raise BadFile(f"{name}: unpacks to more than {_LARGEST >> 20} MiB")
            return {info.filename.removesuffix(".npy"): archive.read(info) for info in infos}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError) as reason:
        if isinstance(reason, BadFile):
            raise
        raise BadFile(f"{name}: is not an .npz file that can be read") from None


def _array(data: bytes, name: str) -> NDArray[Any]:
    stream = io.BytesIO(data)
    try:
        shape, fortran, dtype = _HEADERS[np.lib.format.read_magic(stream)](stream)
    except (KeyError, ValueError):
        raise BadFile(f"{name}: is not an .npy file that can be read") from None
    size = math.prod(shape) * dtype.itemsize
    if dtype.kind not in "fiuU" or len(data) - stream.tell() != size:
        raise BadFile(f"{name}: an array of numbers is needed, as long as its header says")
    found = np.frombuffer(data, dtype, offset=stream.tell())
    return found.reshape(shape, order="F" if fortran else "C")
