"""Where releases of Spark lie: a disk that all machines share, HDFS, or an object store.

Every machine opens the store by its address and with what it is allowed to there: no credential
travels with a task. Nothing is ever half written under its name, and one call puts a text there only if
the name is free.
"""

import os
import secrets
import shutil
from collections.abc import Iterable
from contextlib import suppress
from typing import Any, Protocol
from urllib.parse import unquote, urlsplit

from dprivacy.errors import NotApplicable
from dprivacy.extras import arrow_files, object_stores

OBJECTS = ("s3", "s3a", "gs", "az", "azure", "adl", "abfs", "abfss")
CLUSTERS = ("hdfs", "viewfs")
_TRIES = 100


class Store(Protocol):
    """A folder: names, which may have a folder of their own before a slash, and bytes."""

    def prepare(self, under: str) -> bool:
        """Make the folder and one in it, its owner's alone till `open`; whether it was not there."""
        ...

    def open(self) -> None:
        """Let others read it, as far as a new folder allows."""
        ...

    def put(self, name: str, data: bytes, *, lasting: bool = True) -> None:
        """Write, over what was there; whole or not at all, and to outlast a power cut or not."""
        ...

    def create(self, name: str, data: bytes) -> None:
        """Write if the name is free; FileExistsError otherwise."""
        ...

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        """Some bytes, or all; FileNotFoundError."""
        ...

    def sizes(self) -> dict[str, int]:
        """What lies in the folder, with folders of its own, and how large it is."""
        ...

    def remove(self, names: Iterable[str]) -> None:
        """Remove what is still there of these names."""
        ...

    def drop(self, under: str) -> None:
        """Remove a folder in it; "" for itself, if nothing is in it."""
        ...


def store_at(address: str) -> Store:
    """The store behind an address: a path, file:, hdfs:, s3:, gs:, az: and their like."""
    scheme = urlsplit(address).scheme
    if scheme in ("", "file"):
        return Disk(local_path(address))
    if scheme in OBJECTS:
        return Objects(object_stores("store").from_url(address))
    if scheme in CLUSTERS:
        try:
            return Cluster(*arrow_files().FileSystem.from_uri(address))
        except OSError:
            raise NotApplicable(
                f"{address}: cannot be reached through Arrow; HDFS needs Hadoop's own library "
                "(libhdfs) and CLASSPATH=$(hadoop classpath --glob) on every machine"
            ) from None
    raise NotApplicable(
        f"{address}: a release of Spark lies on a disk that all machines share, on HDFS (hdfs:), or in "
        f"an object store ({', '.join(f'{name}:' for name in OBJECTS)}), not on {scheme}:"
    )


def local_path(address: str) -> str:
    """The path of a file: address, which may be a plain path already."""
    return unquote(urlsplit(address).path) if address.startswith("file:") else address


class Disk:
    """A folder of a disk that all machines see under one name."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def prepare(self, under: str) -> bool:
        """Make the folder and one in it, its owner's alone till `open`; whether it was not there."""
        made = not os.path.isdir(self._folder)
        if made:
            os.makedirs(os.path.dirname(self._folder) or ".", exist_ok=True)
            os.mkdir(self._folder, 0o700)
        os.makedirs(self._path(under), 0o700, exist_ok=True)
        return made

    def open(self) -> None:
        """Let others read it, as far as a new folder allows."""
        mask = os.umask(0o077)
        os.umask(mask)
        os.chmod(self._folder, 0o777 & ~mask)

    def put(self, name: str, data: bytes, *, lasting: bool = True) -> None:
        """Write, over what was there; whole or not at all, and to outlast a power cut or not."""
        os.replace(self._written(name, data, lasting=lasting), self._path(name))

    def create(self, name: str, data: bytes) -> None:
        """Write if the name is free; FileExistsError otherwise."""
        draft = self._written(name, data)
        try:
            os.link(draft, self._path(name))
        finally:
            os.unlink(draft)

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        """Some bytes, or all; FileNotFoundError."""
        with open(self._path(name), "rb") as file:
            file.seek(start)
            return file.read(-1 if end is None else end - start)

    def sizes(self) -> dict[str, int]:
        """What lies in the folder, with folders of its own, and how large it is."""
        found = {}
        for place, _, names in os.walk(self._folder):
            for name in names:
                path = os.path.join(place, name)
                with suppress(FileNotFoundError):
                    found[os.path.relpath(path, self._folder)] = os.path.getsize(path)
        return found

    def remove(self, names: Iterable[str]) -> None:
        """Remove what is still there of these names."""
        for name in names:
            with suppress(FileNotFoundError):
                os.unlink(self._path(name))

    def drop(self, under: str) -> None:
        """Remove a folder in it with all that a late task may put there; "" for itself, if empty."""
        for _ in range(_TRIES if under else 0):
            shutil.rmtree(self._path(under), ignore_errors=True)
            if not os.path.exists(self._path(under)):
                return
        with suppress(OSError):
            os.rmdir(self._path(under))

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name).rstrip("/")

    def _written(self, name: str, data: bytes, *, lasting: bool = True) -> str:
        """A hidden file beside the name."""
        folder, last = os.path.split(self._path(name))
        draft = os.path.join(folder, f".{last}-{secrets.token_hex(8)}")
        with open(draft, "xb") as file:
            file.write(data)
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        return draft


class Objects:
    """A prefix of an object store, through obstore: one request puts an object, whole or not at all."""

    def __init__(self, store: Any) -> None:
        self._store, self._library = store, object_stores()

    def prepare(self, under: str) -> bool:
        """Prefixes need not be made; whether nothing lies under this one."""
        return not self.sizes()

    def open(self) -> None:
        """Who may read is the store's business."""

    def put(self, name: str, data: bytes, *, lasting: bool = True) -> None:
        """Write, over what was there; whole or not at all."""
        self._library.put(self._store, name, data)

    def create(self, name: str, data: bytes) -> None:
        """Write if the name is free; FileExistsError otherwise."""
        try:
            self._library.put(self._store, name, data, mode="create", use_multipart=False)
        except object_stores("exceptions").AlreadyExistsError:
            raise FileExistsError(name) from None

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        """Some bytes, or all; FileNotFoundError."""
        if end == start:
            return b""
        if end is None:
            return bytes(self._library.get(self._store, name).bytes())[start:]
        return bytes(self._library.get_range(self._store, name, start=start, end=end))

    def sizes(self) -> dict[str, int]:
        """What lies under the prefix, and how large it is."""
        pages = self._library.list(self._store)
        return {str(one["path"]): int(one["size"]) for page in pages for one in page}

    def remove(self, names: Iterable[str]) -> None:
        """Remove what is still there of these names."""
        for name in names:
            with suppress(FileNotFoundError):
                self._library.delete(self._store, name)

    def drop(self, under: str) -> None:
        """A prefix goes with what lies under it."""


class Cluster:
    """A folder of HDFS, through Arrow and Hadoop's own library, which every machine must have.

    A new name is given by a rename, which HDFS refuses where the name is taken.
    """

    def __init__(self, files: Any, folder: str) -> None:
        self._files, self._folder = files, folder.rstrip("/")

    def prepare(self, under: str) -> bool:
        """Make the folder, and one in it; whether it was not there."""
        made = not self._there("")
        self._files.create_dir(self._path(under), recursive=True)
        return bool(made)

    def open(self) -> None:
        """Who may read follows from the folder above."""

    def put(self, name: str, data: bytes, *, lasting: bool = True) -> None:
        """Write, over what was there; whole, since only a rename gives it its name."""
        draft = self._written(name, data)
        if self._there(name):
            self._files.delete_file(self._path(name))
        self._files.move(draft, self._path(name))

    def create(self, name: str, data: bytes) -> None:
        """Write if the name is free; FileExistsError otherwise."""
        draft = self._written(name, data)
        try:
            self._files.move(draft, self._path(name))
        except OSError:
            self._files.delete_file(draft)
            if self._there(name):
                raise FileExistsError(name) from None
            raise

    def read(self, name: str, start: int = 0, end: int | None = None) -> bytes:
        """Some bytes, or all; FileNotFoundError."""
        with self._files.open_input_file(self._path(name)) as file:
            file.seek(start)
            return bytes(file.read(None if end is None else end - start))

    def sizes(self) -> dict[str, int]:
        """What lies in the folder, with folders of its own, and how large it is."""
        library = arrow_files()
        found = self._files.get_file_info(
            library.FileSelector(self._folder, recursive=True, allow_not_found=True)
        )
        skip = len(self._folder) + 1
        return {one.path[skip:]: int(one.size) for one in found if one.is_file}

    def remove(self, names: Iterable[str]) -> None:
        """Remove what is still there of these names."""
        for name in names:
            with suppress(FileNotFoundError):
                self._files.delete_file(self._path(name))

    def drop(self, under: str) -> None:
        """Remove a folder in it, and "" for itself, unless others have put something there."""
        if not any(name.startswith(under) for name in self.sizes()):
            with suppress(OSError):
                self._files.delete_dir(self._path(under))

    def _path(self, name: str) -> str:
        return f"{self._folder}/{name}".rstrip("/")

    def _there(self, name: str) -> bool:
        return bool(
            self._files.get_file_info(self._path(name)).type != arrow_files().FileType.NotFound
        )

    def _written(self, name: str, data: bytes) -> str:
        folder, _, last = self._path(name).rpartition("/")
        draft = f"{folder}/.{last}-{secrets.token_hex(8)}"
        with self._files.open_output_stream(draft) as out:
            out.write(data)
        return draft
