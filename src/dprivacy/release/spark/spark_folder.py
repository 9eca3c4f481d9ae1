"""A folder on a file system of Hadoop's: written whole or not at all, and committed once."""

import logging
import os
import re
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any
from urllib.parse import urlsplit

from dprivacy.errors import BadFile, DPrivacyError, NotApplicable, OutputExists
from dprivacy.extras import spark as pyspark_sql
from dprivacy.release.spark.spark_task import MARK

_PATIENCE = 10  # seconds
RENAMES = ("file", "hdfs", "viewfs")  # a folder is renamed at once, or not at all
_TOLD = re.compile(rf"{re.escape(MARK)} (\w+): (.+)")
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")  # Spark's name for what went wrong


@dataclass(frozen=True)
class Folder:
    """A folder that is being written: where it is, where it will be, and where drafts of it may lie."""

    files: "Files"
    part: str
    target: str
    draft: str

    def listing(self) -> list[tuple[str, int]]:
        """Names and sizes of the files written so far."""
        return self.files.listing(self.part)

    def write(self, name: str, text: str) -> None:
        """One small text beside the data."""
        stream = self.files.system.create(self.files.path(f"{self.part}/{name}"))
        stream.write(bytearray(text.encode()))
        stream.close()


class Files:
    """The file system that a path lies on, as Spark's driver sees it."""

    def __init__(self, session: Any, place: str) -> None:
        self._gateway = session.sparkContext._gateway
        self._jvm, self._conf = session._jvm, session._jsc.hadoopConfiguration()
        self.path = self._jvm.org.apache.hadoop.fs.Path
        self.system = self.path(place).getFileSystem(self._conf)
        self.scheme = str(self.system.getUri().getScheme())

    def absolute(self, place: str) -> str:
        """A path with its file system's name; on this machine, relative to the current folder."""
        if self.scheme == "file" and not place.startswith("file:"):
            place = os.path.abspath(place)
        return str(self.system.makeQualified(self.path(place)).toString())

    def read(self, place: str) -> str:
        """A small text file."""
        stream = self.system.open(self.path(place))
        try:
            return str(self._jvm.org.apache.commons.io.IOUtils.toString(stream, "UTF-8"))
        finally:
            stream.close()

    def listing(self, place: str) -> list[tuple[str, int]]:
        """Names and sizes of the files in a folder."""
        found = self.system.listStatus(self.path(place))
        return [(entry.getPath().getName(), entry.getLen()) for entry in found if entry.isFile()]

    def private_folder(self, place: str) -> None:
        """Make a folder that its owner alone may enter."""
        owner = self._jvm.org.apache.hadoop.fs.permission.FsPermission("700")
        self.system.mkdirs(self.path(place), owner)

    def rename(self, before: str, after: str) -> None:
        """Rename at once; an error where the new name is taken."""
        fs = self._jvm.org.apache.hadoop.fs
        where = fs.FileContext.getFileContext(self.system.getUri(), self._conf)
        none = self._gateway.new_array(fs.Options.Rename, 0)
        where.rename(self.path(before), self.path(after), none)

    def remove(self, place: str) -> None:
        """Remove a folder and all that is in it."""
        self.system.delete(self.path(place), True)


@contextmanager
def placed_folder(session: Any, output: str, *, replace: bool = False) -> Iterator[Folder]:
    """A folder to write into that takes its place in one rename if all goes well.

    Parameters
    ----------
    session
        The Spark session.
    output
        Where the folder goes: a path on a file system with an atomic rename.
    replace
        Whether an existing folder may be replaced. For a moment there is then neither.

    Notes
    -----
    1. The data go into a folder beside the target that its owner alone may enter.
    2. At the end it is renamed. After an error it is removed, and an older output is untouched. What a
       driver that was killed leaves behind is never under the target's name; delete ``.dprivacy-*``.
    """
    scheme = urlsplit(output).scheme or Files(session, output).scheme
    if scheme not in RENAMES:
        raise NotApplicable(
            f"{output}: on {scheme} a folder cannot be renamed at once, so a crash could leave "
            "half of a release; write to HDFS or to a shared folder, and copy it from there"
        )
    files = Files(session, output)
    target = files.absolute(output)
    parent = target.rsplit("/", 1)[0]
    if files.system.exists(files.path(target)) and not replace:
        raise OutputExists(
            f"{output} already exists; choose another name, or pass --replace to overwrite it"
        )
    room = f"{parent}/.dprivacy-{secrets.token_hex(8)}"
    files.private_folder(room)
    try:
        folder = Folder(files, f"{room}/new", target, f"{room}/draft")
        yield folder
        if replace and files.system.exists(files.path(target)):
            files.rename(target, f"{room}/old")
            try:
                files.rename(folder.part, target)
            except Exception:
                files.rename(f"{room}/old", target)
                raise
        else:
            files.rename(folder.part, target)
    finally:
        _let_tasks_end(session)
        files.remove(room)


def _let_tasks_end(session: Any) -> None:
    """Wait a little for tasks that were called off: one that still writes makes its folder again."""
    tracker = session._jsc.sc().statusTracker()
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        if not any(executor.numRunningTasks() for executor in tracker.getExecutorInfos()):
            return
        time.sleep(0.05)


@contextmanager
def called_off_at_once(session: Any) -> Iterator[None]:
    """Let Spark interrupt the tasks of a job that failed, instead of letting them run to their end."""
    name, context = "spark.job.interruptOnCancel", session.sparkContext
    before = context.getLocalProperty(name)
    context.setLocalProperty(name, "true")
    try:
        yield
    finally:
        context.setLocalProperty(name, before)


@contextmanager
def spark_errors(what: str) -> Iterator[None]:
    """What goes wrong in Spark, in words that quote nothing of the table."""
    pyspark_sql()
    java = import_module("py4j.protocol").Py4JError
    python = import_module("pyspark.errors").PySparkException
    talker = logging.getLogger("SQLQueryContextLogger")  # PySpark's own; prints what it raises
    before, talker.disabled = talker.disabled, True
    try:
        yield
    except (java, python) as reason:
        raise _in_words(str(reason), type(reason).__name__, what) from None
    finally:
        talker.disabled = before


def _in_words(text: str, kind: str, what: str) -> DPrivacyError:
    """Our own words where a task spoke them; Spark's may quote a value, and are left out."""
    from dprivacy import errors

    told = _TOLD.search(text)
    if told:
        return getattr(errors, told[1], BadFile)(told[2])
    if "No module named 'dprivacy'" in text:
        return BadFile(
            f"{what}: a worker has no dprivacy; install dprivacy[spark] for the Python of every worker"
        )
    if "PATH_NOT_FOUND" in text:
        return BadFile(f"{what}: does not exist")
    named = _CONDITION.search(text)
    return BadFile(
        f"{what}: Spark gave up ({named[1] if named else kind}); its message may quote the table "
        "and is left out here, see the log of the driver"
    )
