"""The jobs of a release of Spark whose rows are of few kinds: rows counted, files drawn from counts."""

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadFile, DPrivacyError
from dprivacy.extras import arrow
from dprivacy.release.columns.noise_streams import ChunkStreams
from dprivacy.release.counted.file_shares import drawn_file, share
from dprivacy.release.counted.frame_codes import FrameCodes
from dprivacy.release.counted.row_numbers import RowNumbers
from dprivacy.release.plans.listed_files import ListedFile
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.spark import spark_files
from dprivacy.release.spark.spark_drawing import (
    Work,
    began,
    chosen_columns,
    numbers_in,
    partition_here,
    require_rows,
)
from dprivacy.release.spark.spark_folder import Folder
from dprivacy.release.spark.spark_scan import bare_pieces, rows_of
from dprivacy.release.spark.spark_session import UNSEEN, in_tasks, told_errors
from dprivacy.release.spark.spark_task import Run

_PIECES = "pieces.json"
_TASK = 1 << 21  # rows of a file that a task counts, at most by about


def count(frame: Any, run: Run, plan: Plan, folder: Folder) -> tuple[Work, str, int]:
    """Count the rows of each kind; the hidden file that has the counts, and how many rows there are.

    Spark may try tasks again. It hands over what exactly one attempt of each has said, and the counts
    that this one wrote down are those that count.
    """
    work, session = began(run, folder), frame.sparkSession
    pieces, codes = bare_pieces(frame, run.columns, _TASK), FrameCodes(plan)
    lines: list[Any] = [None]
    if pieces is not None:
        folder.put(_PIECES, json.dumps(pieces))
        told = session.range(0, len(pieces), 1, len(pieces))
        lines = _said(told, _scanner(work))
    elif codes.can_tell(frame):
        lines = _said(codes.of(frame), _decoder(work))
    if None in lines:
        lines = _said(chosen_columns(frame, run), _counter(work))
    rows = sum(line["rows"] for line in lines)
    require_rows(rows)
    names = [line["name"] for line in lines]
    return work, folder.do(lambda: _added_up(work, names)), rows


def files_of(work: Work, counts: str, rows: int, folder: Folder) -> list[ListedFile]:
    """The files of a release, drawn from counts, in random order.

    The noise of a row follows from the run key, its file and its place among the rows of that; a task
    that is tried again writes the same bytes.
    """
    files = spark_files.number_of_files(rows)

    def one(number: int) -> dict[str, Any]:
        run, drafts = work.whole_run(), work.drafts()
        mine = share(_shown(drafts.show(counts)), run.key, run.stream, number, files)
        table = drawn_file(run.read_plan(), run.columns, mine, run.key, run.stream, number)
        return spark_files.put_file(drafts, number, table).to_dict()

    return [ListedFile(**said) for said in in_tasks(folder.session, one, files)]


def _said(frame: Any, task: Any) -> list[Any]:
    """What the tasks over a frame said; None for one that could not tell its rows."""
    return [json.loads(row[0]) for row in frame.mapInArrow(task, "told string").collect()]


def _line(said: Any) -> Any:
    return arrow().record_batch({"told": [json.dumps(said)]})


def _scanner(work: Work) -> Any:
    def scan(batches: Iterator[Any]) -> Iterator[Any]:
        for number in numbers_in(batches):
            with told_errors(number):
                run, piece = work.whole_run(), work.read(_PIECES)[number]
                rows = rows_of(piece, run.columns, run.columns)
                yield _line(_written(work, run, number, rows))

    return scan


def _counter(work: Work) -> Any:
    def counter(batches: Iterator[Any]) -> Iterator[Any]:
        partition = partition_here()
        with told_errors(partition):
            yield _line(_written(work, work.whole_run(), partition, batches))

    return counter


def _decoder(work: Work) -> Any:
    def decode(batches: Iterator[Any]) -> Iterator[Any]:
        partition = partition_here()
        with told_errors(partition):
            run = work.whole_run()
            codes = FrameCodes(run.read_plan())
            found = np.zeros(codes.size, np.int64)
            for batch in batches:
                found += np.bincount(np.asarray(batch.column(0)), minlength=codes.size)
            there = np.flatnonzero(found)
            table, said = codes.table(there), None
            with suppress(DPrivacyError):  # which is told where rows come one by one
                if table is not None:
                    rows = table.select(run.columns).to_batches()
                    said = _written(work, run, partition, rows, found[there])
            yield _line(said)

    return decode


def _written(
    work: Work, run: Run, part: int, batches: Iterable[Any], times: NDArray[np.int64] | None = None
) -> dict[str, Any]:
    """Count rows, each once or so many times, and write down how many there are of each kind."""
    numbers = RowNumbers(run.read_plan(), ChunkStreams(run.key, run.stream))  # draws nothing here
    found, seen = np.zeros(numbers.kinds, np.int64), 0
    for batch in batches:
        table = arrow().Table.from_batches([batch]).rename_columns(run.columns)
        rows = numbers.of(table)
        if times is None:
            found += np.bincount(rows, minlength=len(found))
        else:
            np.add.at(found, rows, times[seen : seen + len(rows)])
        seen += len(rows)
    hidden = work.drafts().hide(f"{part:05d}", found.astype("<i8").tobytes())
    return {"name": hidden, "rows": int(found.sum())}


def _shown(data: bytes) -> NDArray[np.int64]:
    return np.frombuffer(data, "<i8").astype(np.int64, copy=False)


def _added_up(work: Work, names: list[str]) -> str:
    """Counts of all tasks added up, hidden again."""
    if len(names) == 1:
        return names[0]
    drafts = work.drafts()
    try:
        found = sum(_shown(drafts.show(name)) for name in names)
    except FileNotFoundError:  # the driver's machine may be the one that does not see them
        raise BadFile(UNSEEN) from None
    return drafts.hide("counts", np.asarray(found).astype("<i8").tobytes())
