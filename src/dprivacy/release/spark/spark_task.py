"""What a Spark task does: batches of one partition in, noisy batches out, alike at every attempt."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from dprivacy.errors import BadPlan, DPrivacyError, NotApplicable
from dprivacy.extras import arrow
from dprivacy.model import plain
from dprivacy.release.columns.noise_streams import ChunkStreams
from dprivacy.release.columns.sanitiser import Sanitiser
from dprivacy.release.files.row_chunks import recut
from dprivacy.release.plans.release_card import LIBRARY
from dprivacy.release.plans.table_card import mechanism_entry
from dprivacy.release.plans.table_plan import Plan
from dprivacy.sampling import KeyedSource, best_stream

MARK = "[dprivacy]"  # begins an error whose text may be shown as it is


@dataclass(frozen=True)
class Run:
    """What every task of a run is told: plan, what it must come to, columns, keys and their stream.

    The keys travel inside the tasks. The plan, which is public and may be long, travels as a broadcast
    variable, and that lies in temporary files on every machine: no place for a key.
    """

    plan: str
    fingerprint: str
    columns: tuple[str, ...]
    key: bytes = field(repr=False)
    permanent_key: bytes | None = field(default=None, repr=False)
    stream: str = field(default_factory=best_stream)  # the driver's, wherever a task runs

    @classmethod
    def of(
        cls, plan: Plan, columns: Sequence[str], key: bytes, permanent_key: bytes | None = None
    ) -> "Run":
        """The run of a plan on a table with these columns, of which it takes what it needs.

        Columns to drop stay behind, and so does who a row belongs to unless answers are permanent.
        """
        if not plan.raw:
            raise BadPlan(
                f"the plan {plan.title!r} was put together by hand; one for Spark must come from a "
                "file or a mapping, by Plan.read"
            )
        row = {} if permanent_key is not None else {"unit": "row", "rows_per_person": 1}
        unit = () if permanent_key is None else (plan.unit,)
        needed = {*plan.protected, *plan.pass_through, *unit}
        text = json.dumps({**plain(plan.raw), "drop": [], **row})
        taken = tuple(name for name in columns if name in needed)
        told = cls(text, fingerprint(plan), taken, key, permanent_key)
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


def protected(batches: Iterable[Any], run: Run, partition: int) -> Iterator[Any]:
    """Noisy record batches for those of one partition.

    Parameters
    ----------
    batches
        Arrow record batches with the columns of the run, under any names.
    run
        What the driver tells every task.
    partition
        The number of the partition.

    Notes
    -----
    A function of its arguments alone: a task that is retried, or run twice at once, gives the same
    rows.
    """
    source = ChunkStreams(_key_of(run.key, partition), run.stream)
    sanitiser = Sanitiser(run.read_plan(), source, permanent_key=run.permanent_key)
    sanitiser.people = None  # people are counted over all partitions, on the driver
    for number, table in enumerate(recut(batches)):
        source.start(number)
        yield from sanitiser.batch(table.rename_columns(run.columns)).to_batches()


def placed(batches: Iterable[Any], run: Run, partition: int, name: str) -> Iterator[Any]:
    """Noisy record batches with a last column more, a random number of 64 bits for each row.

    The rows of the whole table are spread over files and ordered by these numbers, so that nothing is
    left of the partitions and the order in which they came. A row's number follows, like its noise,
    from the run key, the partition and the row's position in it.
    """
    pa, places = arrow(), KeyedSource(run.key, f"spark places {partition}")
    for batch in batches:
        words = pa.array(places.words(batch.num_rows).view("<i8"))
        yield pa.record_batch([*batch.columns, words], names=[*batch.schema.names, name])


def _key_of(key: bytes, partition: int) -> bytes:
    """The key of one partition, from which each of its chunks has a stream of its own."""
    return KeyedSource(key, f"spark partition {partition}").words(4).astype("<u8").tobytes()


def task(batches: Iterable[Any], run: Run, name: str) -> Iterator[Any]:
    """`protected` and `placed` for the partition of the current Spark task; errors can be shown.

    What Spark prints of an error is the whole text of the exception, on every machine; so it must
    quote nothing, whatever went wrong.
    """
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None
    partition = context.partitionId()
    try:
        yield from placed(protected(batches, run, partition), run, partition, name)
    except DPrivacyError as reason:
        name = type(reason).__name__
        raise type(reason)(f"{MARK} {name}: partition {partition}, {reason}") from None
    except Exception as reason:
        raise NotApplicable(
            f"{MARK} NotApplicable: partition {partition} cannot be sanitised; a "
            f"{type(reason).__name__} was raised"
        ) from None
