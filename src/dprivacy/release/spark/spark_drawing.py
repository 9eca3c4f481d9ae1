"""The jobs of a release of Spark: noise drawn once and written down, files made from that."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dprivacy.errors import WrongShape
from dprivacy.extras import arrow
from dprivacy.release.files.row_chunks import recut
from dprivacy.release.plans.listed_files import ListedFile
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.spark import spark_files
from dprivacy.release.spark.spark_drafts import BLOCKS, SPILL, Drafts, Spill, in_order
from dprivacy.release.spark.spark_folder import Folder
from dprivacy.release.spark.spark_people import (
    require_people,
    require_same_people,
    require_same_rows,
    sum_of_tags,
)
from dprivacy.release.spark.spark_scan import Piece, bare_pieces, rows_of
from dprivacy.release.spark.spark_session import column_of, functions_for, in_tasks, told_errors
from dprivacy.release.spark.spark_sorting import in_their_order
from dprivacy.release.spark.spark_store import store_at
from dprivacy.release.spark.spark_task import DRAWN, Run, drawn, people_key, place_name

_PLAN, _PIECES, _SPILLS = "plan.json", "pieces.json", "spills.json"
_TASK = 3 << 18  # rows of a file that a task draws, at most by about


@dataclass(frozen=True)
class Work:
    """What a task needs to know: where the store is, and the run, whose plan lies in the store."""

    address: str
    room: str
    run: Run

    def drafts(self) -> Drafts:
        """What is on its way."""
        return Drafts(store_at(self.address), self.room, self.run.key, self.run.stream)

    def whole_run(self) -> Run:
        """The run with its plan."""
        return replace(self.run, plan=self.read(_PLAN))

    def read(self, name: str) -> Any:
        """What the driver wrote for the tasks."""
        return json.loads(store_at(self.address).read(f"{self.room}/{name}"))


def began(run: Run, folder: Folder) -> Work:
    """What tasks need to know, once the plan lies in the store."""
    folder.put(_PLAN, json.dumps(run.plan))
    return Work(folder.address, folder.room, replace(run, plan=""))


def chosen_columns(frame: Any, run: Run) -> Any:
    """The columns of a frame that a run needs.

    They have plain names: mapInArrow cannot find a column with a dot in its name.
    """
    return frame.select(*[column_of(frame, c).alias(f"c{k}") for k, c in enumerate(run.columns)])


def require_rows(rows: int) -> None:
    """Refuse a table without any."""
    if not rows:
        raise WrongShape("the table holds no rows, so there is nothing to protect")


def draw(
    frame: Any, run: Run, plan: Plan, folder: Folder, charged: Sequence[Any] | None
) -> tuple[Work, int]:
    """Draw the noise of every row once, and write it down; how many rows there are.

    Spark may try tasks again, and run them twice at once. It hands over what exactly one attempt of
    each has said, and what that one wrote is what counts. People are counted in the same job: a shuffle
    by their tags brings the rows of each person together. They must be those who were `charged`, if
    anybody was.
    """
    session, work = frame.sparkSession, began(run, folder)
    pieces = bare_pieces(frame, run.columns, _TASK)
    if pieces is not None:
        folder.put(_PIECES, json.dumps(pieces))
        told = session.range(0, len(pieces), 1, len(pieces)).mapInArrow(_scanner(work), DRAWN)
    else:
        told = chosen_columns(frame, run).mapInArrow(_drawer(work), DRAWN)
    said, most, counted, people = _counted(told) if run.unit else (told.collect(), 0, 0, 0)
    lines = [json.loads(row["told"]) for row in sorted(said, key=lambda row: row["part"])]
    rows = sum(line["rows"] for line in lines)
    require_rows(rows)
    if run.unit:
        require_same_rows(counted, sum(line["mark"] * line["rows"] for line in lines))
        require_people(run.unit, plan.rows_per_person, most)
        if charged is not None:
            require_same_people(sum_of_tags(charged, people_key(run)), people)
    folder.put(_SPILLS, json.dumps([spill for line in lines for spill in line["spills"]]))
    return work, rows


def _drawer(work: Work) -> Any:
    def protect(batches: Iterator[Any]) -> Iterator[Any]:
        partition = partition_here()
        with told_errors(partition):
            yield from drawn(batches, work.whole_run(), partition, work.drafts())

    return protect


def _scanner(work: Work) -> Any:
    def scan(batches: Iterator[Any]) -> Iterator[Any]:
        for number in numbers_in(batches):
            with told_errors(number):
                piece: Piece = work.read(_PIECES)[number]
                run = work.whole_run()
                coded = [column.name for column in run.read_plan().columns if column.listed]
                yield from drawn(rows_of(piece, run.columns, coded), run, number, work.drafts())

    return scan


def _counted(told: Any) -> tuple[list[Any], int, int, int]:
    """What tasks said, the most rows that somebody has, and sums: marks of all rows, tags of people."""
    functions = functions_for(told)
    col, big = functions.col, "decimal(19,0)"
    marks = functions.sum(col("mark").cast(big) * col("rows").cast("decimal(10,0)"))
    each = told.groupBy("part", "tag").agg(
        functions.max("told").alias("told"),
        functions.sum("rows").alias("rows"),
        marks.alias("marks"),
    )
    found = (
        each.groupBy("part")
        .agg(
            functions.max("told").alias("told"),
            functions.max("rows").alias("rows"),
            functions.sum("marks").alias("marks"),
            functions.sum(col("tag").cast(big)).alias("tags"),
        )
        .collect()
    )
    people = [row for row in found if row["part"] is None]
    lines = [row for row in found if row["part"] is not None]
    most = max((int(row["rows"]) for row in people), default=0)
    marked, tagged = (sum(int(row[name]) for row in people) for name in ("marks", "tags"))
    return lines, most, marked, tagged


def spread(work: Work, rows: int, folder: Folder) -> list[ListedFile]:
    """The files of a release in random order."""
    files = spark_files.number_of_files(rows)

    def one(number: int) -> dict[str, Any]:
        spills = work.read(_SPILLS)
        return spark_files.spread_file(work.drafts(), spills, number, files).to_dict()

    return [ListedFile(**said) for said in in_tasks(folder.session, one, files)]


def sort(work: Work, rows: int, plan: Plan, schema: Any, folder: Folder) -> list[ListedFile]:
    """The files of a release whose rows are sorted, each with this many rows but for the last one.

    Spark sorts over all partitions, whose borders it finds by looking at some rows. What it sorted is
    written down, since another look would give other borders; where a file begins follows from the
    number of rows in each partition.
    """
    session, size = folder.session, spark_files.ROWS
    spills = folder.do(lambda: work.read(_SPILLS))
    drafted = session.range(0, len(spills), 1, len(spills)).mapInArrow(_reader(work), schema)
    ordered = in_their_order(drafted, plan, schema.names)
    names = [f"c{k}" for k in range(len(schema.names))]
    said = (
        ordered.toDF(*names)
        .mapInArrow(_writer(work, schema.names), "part int, told string")
        .collect()
    )
    lines = [json.loads(row["told"]) for row in sorted(said, key=lambda row: row["part"])]
    found: list[Spill] = [spill for line in lines for spill in line]
    if sum(spill[1] for spill in found) != rows:
        raise WrongShape("Spark sorted another number of rows than were drawn; run this once more")
    folder.put(_SPILLS, json.dumps(found))

    def one(number: int) -> dict[str, Any]:
        return spark_files.sorted_file(work.drafts(), work.read(_SPILLS), number, size).to_dict()

    return [ListedFile(**said) for said in in_tasks(session, one, -(-rows // size))]


def _reader(work: Work) -> Any:
    def read(batches: Iterator[Any]) -> Iterator[Any]:
        for number in numbers_in(batches):
            with told_errors(number):
                rows = work.drafts().read(work.read(_SPILLS)[number], 0, BLOCKS)
                place = place_name(rows.column_names[:-1])
                rows = rows.drop_columns(place)  # and Spark takes no dictionaries
                yield from spark_files.without_dictionaries(rows).to_batches()

    return read


def _writer(work: Work, names: list[str]) -> Any:
    def write(batches: Iterator[Any]) -> Iterator[Any]:
        pa, partition = arrow(), partition_here()
        with told_errors(partition):
            drafts = work.drafts()
            like = drafts.without_rows(work.read(_SPILLS)[0])
            spills = []
            for table in recut(batches, SPILL):
                rows = spark_files.with_dictionaries(table.rename_columns(names), like)
                spills.append(drafts.write(f"sorted-{partition:05d}", in_order(rows)))
            part = pa.array([partition], pa.int32())
            yield pa.record_batch({"part": part, "told": [json.dumps(spills)]})

    return write


def partition_here() -> int:
    """The number of the partition that this task has."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())


def numbers_in(batches: Iterator[Any]) -> Iterator[int]:
    """The numbers that a task was given."""
    for batch in batches:
        yield from batch.column(0).to_pylist()
