"""What a Spark task does: rows of one partition in, noisy rows written down, alike at every attempt."""

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from dprivacy.errors import BadPlan
from dprivacy.extras import arrow
from dprivacy.model import plain
from dprivacy.release.columns.noise_streams import ChunkStreams
from dprivacy.release.columns.sanitiser import Sanitiser
from dprivacy.release.files.row_chunks import recut
from dprivacy.release.plans.release_card import LIBRARY
from dprivacy.release.plans.table_card import mechanism_entry
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.spark.spark_drafts import SPILL, Drafts, by_place, derived
from dprivacy.release.spark.spark_people import PeopleTags
from dprivacy.sampling import best_stream, chunk_stream


@dataclass(frozen=True)
class Run:
    """What every task of a run is told: plan, what it must come to, columns, keys and their stream.

    The keys travel inside the tasks. The plan, which is public and may be long, lies in the store:
    Spark writes long tasks to temporary files on every machine, where a key does not belong.
    """

    plan: str
    fingerprint: str
    columns: tuple[str, ...]
    unit: str
    key: bytes = field(repr=False)
    permanent_key: bytes | None = field(default=None, repr=False)
    stream: str = field(default_factory=best_stream)  # the driver's, wherever a task runs

    @classmethod
    def of(
        cls, plan: Plan, columns: Sequence[str], key: bytes, permanent_key: bytes | None = None
    ) -> "Run":
        """The run of a plan on a table with these columns, of which it takes what it needs.

        Columns to drop stay behind.
        """
        if not plan.raw:
            raise BadPlan(
                f"the plan {plan.title!r} was put together by hand; one for Spark must come from a "
                "file or a mapping, by Plan.read"
            )
        row = {} if permanent_key is not None else {"unit": "row", "rows_per_person": 1}
        unit = "" if plan.unit == "row" else plan.unit
        needed = {*plan.protected, *plan.pass_through, unit}
        text = json.dumps({**plain(plan.raw), "drop": [], **row})
        taken = tuple(name for name in columns if name in needed)
        told = cls(text, fingerprint(plan), taken, unit, key, permanent_key)
        told.read_plan()
        return told

    def read_plan(self) -> Plan:
        """The plan, once it is certain that it gives the channels that were certified."""
        return _read(self.plan, self.fingerprint)


def fingerprint(plan: Plan) -> str:
    """A hash of this library's version and of every mechanism of a plan, channels included."""
    columns = {column.name: mechanism_entry(column) for column in plan.columns}
    text = json.dumps([LIBRARY, plain(columns)], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


@lru_cache(maxsize=8)  # a worker process serves many tasks; what is kept between them holds no key
def _read(text: str, wanted: str) -> Plan:
    plan = Plan.read(json.loads(text))
    if fingerprint(plan) != wanted:
        raise BadPlan(
            f"the plan gives another mechanism here than it did on the driver; {LIBRARY} is installed "
            "here, and every machine must have the driver's version"
        )
    return plan


def protected(
    batches: Iterable[Any], run: Run, partition: int, see: Callable[[Any], None] | None = None
) -> Iterator[Any]:
    """Noisy tables, of 65,536 rows but for the last, for the record batches of one partition.

    Parameters
    ----------
    batches
        Arrow record batches with the columns of the run, under any names.
    run
        What the driver tells every task.
    partition
        The number of the partition.
    see
        Called with whose the rows are, if the plan says so.

    Notes
    -----
    A function of its arguments alone: a task that is retried, or run twice at once, gives the same
    rows.
    """
    source = ChunkStreams(derived(run.key, f"spark partition {partition}"), run.stream)
    plan = run.read_plan()
    sanitiser = Sanitiser(plan, source, permanent_key=run.permanent_key, dictionaries=True)
    sanitiser.people = None  # people are counted over all partitions
    behind = run.unit and run.permanent_key is None and run.unit not in plan.pass_through
    for number, table in enumerate(recut(batches)):
        table = table.rename_columns(run.columns)
        if run.unit and see is not None:
            see(table.column(run.unit).combine_chunks())
        source.start(number)
        yield sanitiser.batch(table.drop_columns(run.unit) if behind else table)


def people_key(run: Run) -> bytes:
    """The key of the tags of people."""
    return derived(run.key, "spark people")


def place_name(names: Iterable[str]) -> str:
    """A name for the places of rows that no column has."""
    return "_" * (1 + max(map(len, names)))


def drawn(batches: Iterable[Any], run: Run, partition: int, drafts: Drafts) -> Iterator[Any]:
    """Draw the noise of a partition, and write it down; what Spark is told of it.

    Beside its noise every row has a place, a random number of 64 bits. The rows of the whole table are
    spread over files and ordered by these numbers, so that nothing is left of the partitions and the
    order in which they came. A row's place follows, like its noise, from the run key, the partition and
    the row's position in it.

    Yields
    ------
    RecordBatch
        One row says what was written, in its column `told`; the others count people by tags.
    """
    pa = arrow()
    people = PeopleTags(run.unit, people_key(run)) if run.unit else None
    places, spills = derived(run.key, f"spark places {partition}"), []
    noisy = protected(batches, run, partition, None if people is None else people.see)
    for number, table in enumerate(recut(noisy, SPILL)):
        words = chunk_stream(run.stream, places, number).words(table.num_rows)
        blocks = by_place(table, words, place_name(table.column_names))
        spills.append(drafts.write(f"{partition:05d}", blocks))
    mark = 0
    if people is not None:
        tags, rows, mark = people.found()
        yield pa.record_batch({
            "part": pa.nulls(len(tags), pa.int32()),
            "tag": tags,
            "rows": rows,
            "mark": pa.repeat(pa.scalar(mark, pa.int64()), len(tags)),
            "told": pa.nulls(len(tags), pa.string()),
        })  # fmt: skip
    told = json.dumps({"spills": spills, "rows": sum(spill[1] for spill in spills), "mark": mark})
    yield pa.record_batch({
        "part": pa.array([partition], pa.int32()),
        "tag": pa.nulls(1, pa.int64()),
        "rows": pa.nulls(1, pa.int64()),
        "mark": pa.nulls(1, pa.int64()),
        "told": [told],
    })  # fmt: skip


DRAWN = "part int, tag long, rows long, mark long, told string"
