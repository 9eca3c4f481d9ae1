"""Sessions of Spark, classic or by Spark Connect: what differs between them, and errors in words."""

import gc
import json
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from dprivacy.errors import BadFile, DPrivacyError, NotApplicable, WrongKind
from dprivacy.extras import arrow, spark as pyspark_sql
from dprivacy.release.files.row_chunks import CHUNK

MARK = "[dprivacy]"  # begins an error whose text may be shown as it is
UNSEEN = (
    "what another machine wrote is not there; does every machine see the folder under the "
    "same name?"
)
# A line of its own, as Python ends with: a cell that Spark quotes may hold the mark as well.
_TOLD = re.compile(rf"^[\w.]*\b(\w+): {re.escape(MARK)} \1: (.+)", re.MULTILINE)
_CONDITION = re.compile(r"\[([A-Z][A-Z0-9_.]+)\]")  # Spark's name for what went wrong
_LACKING = re.compile(r"No module named '(dprivacy|pyarrow|pandas|numpy|cryptography|obstore)")
_BATCH = "spark.sql.execution.arrow.maxRecordsPerBatch"
_PYTHON = "PYSPARK_PYTHON"


def session_of(frame: Any) -> Any:
    """The session of a frame that can be sanitised."""
    pyspark_sql()
    if not type(frame).__module__.startswith("pyspark.sql.") or not hasattr(frame, "mapInArrow"):
        raise WrongKind(f"a Spark data frame is needed, not {type(frame).__name__}")
    if frame.isStreaming:
        raise NotApplicable(
            "a stream repeats batches after a failure, and each would be randomised again; write the "
            "stream down, and sanitise what was written"
        )
    return frame.sparkSession


def is_connect(thing: Any) -> bool:
    """Whether a session, or a frame, belongs to a client of Spark Connect."""
    return ".connect." in type(thing).__module__


def functions_for(thing: Any) -> ModuleType:
    """Spark's functions for a session or a frame; a client's differ from those of a driver."""
    return import_module(
        "pyspark.sql.connect.functions" if is_connect(thing) else "pyspark.sql.functions"
    )


def column_of(frame: Any, name: str) -> Any:
    """A column by its whole name, also one with dots in it."""
    return functions_for(frame).col("`" + name.replace("`", "``") + "`")


def in_tasks(session: Any, work: Callable[[int], Any], number: int) -> list[Any]:
    """What a function gives for 0, 1, 2, …, each in a task of its own; answers that JSON can hold.

    A task may be tried again, or run twice at once; one answer to each number comes back.
    """

    def answered(batches: Iterator[Any]) -> Iterator[Any]:
        pa = arrow()
        for batch in batches:
            for which in batch.column(0).to_pylist():
                with told_errors():
                    said = json.dumps([which, work(which)])
                yield pa.record_batch([pa.array([said])], ["told"])

    rows = session.range(0, number, 1, number).mapInArrow(answered, "told string").collect()
    found = dict(json.loads(row[0]) for row in rows)
    return [found[which] for which in range(number)]


def at_the_store(session: Any, work: Callable[[], Any]) -> Any:
    """Do something at the store: here, or in a task where this is only a client.

    What a task does must come to the same when it is done twice.
    """
    return in_tasks(session, lambda _: work(), 1)[0] if is_connect(session) else work()


@contextmanager
def set_for_tasks(session: Any) -> Iterator[None]:
    """Batches as large as a chunk, this Python for workers on this machine, and no tasks left behind.

    Where a master is on this machine and nobody has named a Python, Spark would take the first one that
    the shell finds, which need not have dprivacy.
    """
    before = session.conf.get(_BATCH)
    session.conf.set(_BATCH, str(CHUNK))
    try:
        if is_connect(session):
            yield
            return
        context, cancel = session.sparkContext, "spark.job.interruptOnCancel"
        python, cancelled = context.pythonExec, context.getLocalProperty(cancel)
        if context.master.startswith("local") and _PYTHON not in os.environ:
            context.pythonExec = sys.executable
        context.setLocalProperty(cancel, "true")
        try:
            yield
        finally:
            context.pythonExec = python
            context.setLocalProperty(cancel, cancelled)
    finally:
        session.conf.set(_BATCH, before)


@contextmanager
def told_errors(partition: int | None = None) -> Iterator[None]:
    """Errors of a task that can be shown.

    What Spark prints of an error is the whole text of the exception, on every machine; so it must
    quote nothing, whatever went wrong.
    """
    where = "" if partition is None else f"partition {partition}, "
    try:
        yield
    except DPrivacyError as reason:
        name = type(reason).__name__
        raise type(reason)(f"{MARK} {name}: {where}{reason}") from None
    except FileNotFoundError:
        raise BadFile(f"{MARK} BadFile: {where}{UNSEEN}") from None
    except Exception as reason:
        what = "a step" if partition is None else f"partition {partition}"
        raise NotApplicable(
            f"{MARK} NotApplicable: {what} cannot be done; a {type(reason).__name__} was raised"
        ) from None
    finally:
        _set_aside(len(sys.modules))


@lru_cache(maxsize=1)
def _set_aside(modules: int) -> None:
    """Keep libraries out of the search for garbage, which Spark's workers make after every task.

    They have so many objects that a search takes longer than a small task. Done once, and again where
    more libraries were loaded.
    """
    gc.collect()
    gc.freeze()


@contextmanager
def spark_errors(what: str) -> Iterator[None]:
    """What goes wrong in Spark, in words that quote nothing of the table."""
    pyspark_sql()
    java = import_module("py4j.protocol").Py4JError
    python = import_module("pyspark.errors").PySparkException
    talkers = _talkers()
    before = [talker.disabled for talker in talkers]
    for talker in talkers:
        talker.disabled = True
    try:
        yield
    except (java, python) as reason:
        raise _in_words(str(reason), type(reason).__name__, what) from None
    finally:
        for talker, was in zip(talkers, before, strict=True):
            talker.disabled = was


def _talkers() -> list[logging.Logger]:
    """The loggers by which PySpark prints what it raises, for SQL and for columns of frames.

    PySpark itself must make them: it gives them more than others take. Before Spark 4 there are none.
    """
    if find_spec("pyspark.logger") is None:
        return []
    made = import_module("pyspark.logger").PySparkLogger.getLogger
    return [made(f"{kind}QueryContextLogger") for kind in ("SQL", "DataFrame")]


def _in_words(text: str, kind: str, what: str) -> DPrivacyError:
    """Our own words where a task spoke them; Spark's may quote a value, and are left out."""
    from dprivacy import errors

    told = _TOLD.search(text)
    if told:
        return getattr(errors, told[1], BadFile)(told[2])
    lacking = _LACKING.search(text)
    if lacking:
        return BadFile(
            f"{what}: the Python of a worker has no {lacking[1]}; install dprivacy[table,spark] for "
            f"it, or name one that has it in the variable {_PYTHON} (here {sys.executable}) before "
            "Spark, or its Connect server, starts"
        )
    if "PYTHON_VERSION_MISMATCH" in text:
        return BadFile(
            f"{what}: the workers run another Python than this one; name one of the same version in "
            f"the variable {_PYTHON} before Spark starts"
        )
    if "PATH_NOT_FOUND" in text:
        return BadFile(f"{what}: does not exist")
    named = _CONDITION.search(text)
    return BadFile(
        f"{what}: Spark gave up ({named[1] if named else kind}); its message may quote the table "
        "and is left out here, see the log of the driver"
    )
