"""Tables that outgrow one machine: Spark frames, sanitised once and read back."""

import atexit
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace as changed
from fractions import Fraction
from typing import Any
from urllib.parse import unquote, urlsplit

from dprivacy.errors import (
    BadFile,
    BadPlan,
    NotApplicable,
    OutputExists,
    WrongKind,
    WrongShape,
)
from dprivacy.extras import spark as pyspark_sql
from dprivacy.release.columns.person_identifiers import same_person
from dprivacy.release.columns.sanitiser import Sanitiser
from dprivacy.release.files.own_files import CARD_NAME
from dprivacy.release.files.released_folders import listing_hash
from dprivacy.release.ledger.release_spending import Terms, spending_on
from dprivacy.release.plans.plan_warnings import warn_about
from dprivacy.release.plans.release_card import Card, card_text
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.spark.spark_folder import (
    Files,
    Folder,
    called_off_at_once,
    placed_folder,
    spark_errors,
)
from dprivacy.release.spark.spark_schema import bare_schema, column_of
from dprivacy.release.spark.spark_sorting import frame_groups, sorted_rows
from dprivacy.release.spark.spark_spending import FrameSpending
from dprivacy.release.spark.spark_task import Run, task
from dprivacy.release.texts.texts_in_columns import require_no_texts
from dprivacy.release.unordered.shuffle_terms import warn_of_delta
from dprivacy.release.unordered.shuffled_block import ShuffledTable, shuffled_table
from dprivacy.sampling import choose_source
from dprivacy.typing import PathArg

ROWS = 1 << 20  # of a file, about
_KEY_WORDS = 4  # 256 bits


def sanitised_by_spark(
    frame: Any, terms: Terms, *, output: PathArg | None, replace: bool
) -> tuple[Any, Card]:
    """A frame over the protected copy of a Spark frame, and its card; see `sanitise`.

    The copy has the rows of the original in random order, with the types of the plan. Without `output`
    it lies in Spark's checkpoint folder, or with a local master in a temporary folder that goes when
    Python ends. A ledger is charged before any task draws, after two more jobs over the
    frame: one that takes its digest and, for an account per person, one that lists the people.

    Notes
    -----
    Spark evaluates a frame again for every action, and computes lost or slow parts twice. Fresh noise
    each time would be a second release of the same rows. Noise that depends on the partition and the
    position alone would not be enough either: after a shuffle the rows of a partition may come in
    another order, and then one row has two noisy versions. Noise that depends on the row's value would
    give equal rows equal noise. So the noise is drawn once:

    1. The driver draws a run key from the operating system.
    2. Every task draws from the key's own stream for its partition, 65,536 rows at a time. A task that
       is retried, or run twice at once, gives the same bytes as long as it is given the same rows.
    3. Spark's committer lets one attempt of each partition through, whatever it was given; the rest is
       deleted. This draft lies in a folder that its owner alone may enter.
    4. The draft is read, and its rows are spread over files of about a million and put in order by
       random numbers, which tasks drew beside the noise. How many rows and bytes a partition had, which
       came first and how it was sorted follow from the source's cells, and do not show. A shuffled
       release is sorted over all files instead, by its released values, each of a million rows.
    5. The rows that were drawn are counted and compared with those that can be read. The folder is
       renamed into place, with the card in it. The frame that is returned reads these files, so that
       every action sees the same rows.
    6. The key is forgotten. It was never written to a file and is in no plan, log or page of Spark's;
       it was in the memory of the driver and the workers, and went to them inside the tasks, over the
       network as Spark sends everything: encrypted with ``spark.network.crypto.enabled``.

    When the plan names who a row belongs to, the people are counted first, in a job of its own.
    """
    session = _session_of(frame)
    plan, permanent_key = terms.plan, terms.permanent_key
    require_no_texts(plan)
    randomness = choose_source(terms.insecure_seed)
    sanitiser = Sanitiser(plan, randomness, permanent_key=permanent_key)
    warn_about(plan, above=2)
    names = sanitiser.output_names(frame.columns)
    key = randomness.words(_KEY_WORDS).astype("<u8").tobytes()
    run = Run.of(plan, frame.columns, key, permanent_key)
    with spending_on(terms, FrameSpending) as spending, spark_errors("the table"):
        schema = bare_schema(frame, names, plan)
        where = str(output) if output is not None else _resting_place(session)
        with placed_folder(session, where, replace=replace) as folder:
            _refuse_source(frame, folder.target)
            _check_people(frame, plan)
            alone = None if terms.delta is None else _alone(frame, plan, terms.delta)
            if spending is not None:
                spending.shuffled = None if alone is None else lambda: alone
                spending(frame)
            rows = _write(frame, schema, run, folder, None if alone is None else plan)
            block = None if alone is None else alone.to_dict()
            given = None if spending is None else spending.given.to_dict()
            made = sanitiser.card(given, rows=rows, shuffled=block)
            if output is not None:
                name = folder.target.rsplit("/", 1)[1]
                made = made.saved_as(name, listing_hash(folder.listing()))
            folder.write(CARD_NAME, card_text(made))
            if spending is not None:
                spending.settle(made.output.get("sha256", ""))
        clean = session.read.schema(schema).parquet(folder.target)
    return clean, made


def run_spark_job(
    source: PathArg, terms: Terms, output: PathArg, *, master: str | None, replace: bool
) -> Card:
    """The card of a protected copy of Parquet files, a folder; see `sanitise_file`.

    A session that is already there is used as it is.
    """
    if str(source).lower().endswith((".csv", ".csv.gz", ".txt", ".json")):
        raise BadFile(f"{source}: the Spark engine reads Parquet; convert the table first")
    sql = pyspark_sql()
    running = sql.SparkSession.getActiveSession()
    builder = sql.SparkSession.builder.appName("dprivacy sanitise")
    with spark_errors("Spark"):
        session = running or (builder.master(master) if master else builder).getOrCreate()
    try:
        with spark_errors(str(source)):
            frame = session.read.parquet(Files(session, str(source)).absolute(str(source)))
        return sanitised_by_spark(frame, terms, output=output, replace=replace)[1]
    finally:
        if running is None:
            session.stop()


def _session_of(frame: Any) -> Any:
    pyspark_sql()
    if ".connect." in type(frame).__module__:
        raise NotApplicable(
            f"{type(frame).__module__}: a frame of Spark Connect cannot be sanitised from here, as the "
            "client cannot commit the output; run this in the driver"
        )
    if not type(frame).__module__.startswith("pyspark.sql.") or not hasattr(frame, "mapInArrow"):
        raise WrongKind(f"a Spark data frame is needed, not {type(frame).__name__}")
    if frame.isStreaming:
        raise NotApplicable(
            "a stream repeats batches after a failure, and each would be randomised again; write the "
            "stream down, and sanitise what was written"
        )
    return frame.sparkSession


def _alone(frame: Any, plan: Plan, delta: Fraction) -> ShuffledTable:
    """What a frame guarantees without its order; refused where some row is alone."""
    groups = frame_groups(frame, plan)
    warn_of_delta(delta, groups.smallest, above=3)
    return shuffled_table(plan, groups.rows, delta=delta, smallest=groups.smallest)


def _write(frame: Any, schema: Any, run: Run, folder: Folder, unordered: Plan | None) -> int:
    """Sanitise every row once, and write all in random order, or sorted; the number of rows."""
    from pyspark.sql.types import LongType, StructField, StructType

    session = frame.sparkSession
    place = "_" * (1 + max(map(len, schema.names)))  # no other column has this name
    drafted = StructType([*schema.fields, StructField(place, LongType())])
    with called_off_at_once(session):
        rows = _draft(frame, drafted, run, folder)
        if not rows:
            raise WrongShape("the table holds no rows, so there is nothing to protect")
        draft = session.read.schema(drafted).parquet(folder.draft)
        if unordered is None:
            spread = draft.repartition(-(-rows // ROWS), place).sortWithinPartitions(place)
            _committed(spread.drop(place), folder.part)
        else:
            between = f"{folder.draft}-sorted"
            done = sorted_rows(draft, unordered, schema.names, between, ROWS, _committed)
            _committed(done, folder.part)
    if session.read.schema(schema).parquet(folder.part).count() != rows:
        raise BadFile(
            f"{rows:,} rows were written and not all can be read back; does every machine see the "
            "folder under the same name?"
        )
    return rows


def _draft(frame: Any, schema: Any, run: Run, folder: Folder) -> int:
    """Write the noisy rows as they come, each with its random place; their number."""
    from pyspark.sql import Observation, functions

    context = frame.sparkSession.sparkContext
    text, keys, place = context.broadcast(run.plan), changed(run, plan=""), schema.names[-1]

    def protect(batches: Iterator[Any]) -> Iterator[Any]:
        return task(batches, changed(keys, plan=text.value), place)

    seen = Observation()
    # Plain names in between: mapInArrow cannot find a column with a dot in its name.
    chosen = frame.select(*[column_of(c).alias(f"c{k}") for k, c in enumerate(run.columns)])
    noisy = chosen.mapInArrow(protect, schema)
    _committed(noisy.observe(seen, functions.count(functions.lit(1)).alias("rows")), folder.draft)
    text.destroy()
    return int(seen.get["rows"])


def _committed(frame: Any, place: str) -> None:
    """Write a frame so that one attempt of each task counts, and none before the job is done."""
    # With version 2 of the committer a task's output is in place at once.
    frame.write.option("mapreduce.fileoutputcommitter.algorithm.version", "1").parquet(place)


def _check_people(frame: Any, plan: Plan) -> None:
    """Refuse a table in which somebody has too many rows; only hashes of people are compared."""
    from pyspark.sql import functions

    if plan.unit == "row":
        return
    if not frame._jdf.queryExecution().analyzed().deterministic():
        raise NotApplicable(
            f"the frame may have other rows at every evaluation, so that people (column {plan.unit!r}) "
            "cannot be counted beforehand; write it down first"
        )
    if frame.schema[plan.unit].dataType.typeName() == "boolean":
        same_person(True)  # which it refuses
    # Through a lambda: Spark would take the annotations of a function for those of a vectorised one.
    named = functions.udf(lambda person: same_person(person), "string")  # noqa: PLW0108
    who, most = named(column_of(plan.unit)), plan.rows_per_person
    rows = frame.groupBy(
        who.isNull().alias("nobody"), functions.xxhash64(who).alias("person")
    ).count()
    found = (
        rows.filter(functions.col("nobody") | (functions.col("count") > most)).limit(1).collect()
    )
    if found and found[0]["nobody"]:
        raise NotApplicable(
            f"column {plan.unit!r}: is missing in some row, and it should say whose row it is"
        )
    if found:
        raise BadPlan(
            f"somebody has more rows than rows_per_person = {most} (by column {plan.unit!r}); raise it "
            "in the plan, or leave out the rows beyond it"
        )


def _resting_place(session: Any) -> str:
    """Where a copy lies that nobody gave a place."""
    context = session.sparkContext
    given = context.getCheckpointDir()
    if given:
        return f"{given}/released-{secrets.token_hex(8)}"
    if not context.master.startswith("local"):
        raise NotApplicable(
            f"on the cluster {context.master} the copy needs a folder that all machines see: set one "
            "with spark.sparkContext.setCheckpointDir(…), or give sanitise an output=…"
        )
    folder = tempfile.mkdtemp(prefix="dprivacy-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return f"{folder}/released"


def _refuse_source(frame: Any, target: str) -> None:
    """The output may not take the place of what is being read."""
    target = urlsplit(target).path
    for name in (unquote(urlsplit(file).path) for file in frame.inputFiles()):
        if f"{name}/".startswith(f"{target}/") or target.startswith(f"{name}/"):
            raise OutputExists(f"{target}: the output would replace the source; choose another")
