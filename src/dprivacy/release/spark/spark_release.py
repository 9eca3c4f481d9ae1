"""Tables that outgrow one machine: Spark frames, sanitised once and read back."""

import atexit
import secrets
import shutil
import tempfile
from fractions import Fraction
from typing import Any
from urllib.parse import unquote, urlsplit

from dprivacy.errors import BadFile, NotApplicable, OutputExists
from dprivacy.extras import spark as pyspark_sql
from dprivacy.release.columns.person_identifiers import same_person
from dprivacy.release.columns.sanitiser import Sanitiser
from dprivacy.release.counted.row_numbers import shapes_of
from dprivacy.release.counted.spark_counts import count, files_of
from dprivacy.release.ledger.release_spending import Terms, spending_on
from dprivacy.release.plans.listed_files import ListedFile, listing_hash
from dprivacy.release.plans.plan_warnings import warn_about
from dprivacy.release.plans.release_card import Card, card_text
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.spark.spark_drawing import draw, sort, spread
from dprivacy.release.spark.spark_files import run_word
from dprivacy.release.spark.spark_folder import address_of, claimed_folder
from dprivacy.release.spark.spark_schema import bare_schema
from dprivacy.release.spark.spark_session import is_connect, session_of, set_for_tasks, spark_errors
from dprivacy.release.spark.spark_sorting import frame_groups
from dprivacy.release.spark.spark_spending import FrameSpending
from dprivacy.release.spark.spark_task import Run
from dprivacy.release.texts.texts_in_columns import require_no_texts
from dprivacy.release.unordered.shuffle_terms import warn_of_delta
from dprivacy.release.unordered.shuffled_block import ShuffledTable, shuffled_table
from dprivacy.sampling import choose_source
from dprivacy.typing import PathArg

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
    2. Every task draws from the key's own stream for its partition, 65,536 rows at a time, and writes
       the noisy rows down, under a name of its own and unreadable without the key. A task that is
       retried, or run twice at once, gives the same rows as long as it is given the same rows.
    3. Spark hands the driver what one attempt of each task said, whatever it was given. From then on
       only what these attempts wrote exists; the rest is never read. People are counted in this job.
    4. Tasks read this, and write files of about a million rows, in the order of random numbers that
       were drawn beside the noise. How many rows and bytes a partition had, which came first and how it
       was sorted follow from the source's cells, and do not show. A shuffled release is sorted over all
       files instead, by its released values, each of a million rows. A task that is repeated here
       writes the same bytes under the same name.
    5. Where all columns that come out are drawn, by channels and with at most 65,536 combinations, 2 to
       4 are shorter: tasks count the rows of each kind, and write down the counts, unreadable without
       the key. Each file has its share of every kind, as if each row had drawn its file; a task draws
       the noise of this share, from the stream of the file, and puts the rows in random order. No
       row is in more than one file, and a task that is repeated writes the same bytes.
    6. What was on its way is deleted, and the card is put down last. It lists the files with their
       sizes and hashes, and what it lists is the release. The frame that is returned reads these
       files, so that every action sees the same rows.
    7. The key is forgotten. It was never written to a file and is in no plan, log or page of Spark's;
       it was in the memory of the driver and the workers, and went to them inside the tasks, over the
       network as Spark sends everything: encrypted with ``spark.network.crypto.enabled``, and with TLS
       for Spark Connect.
    """
    session = session_of(frame)
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
        where = address_of(session, str(output)) if output is not None else _resting_place(session)
        _refuse_source(frame, where)
        _refuse_people(frame, plan)
        with (
            set_for_tasks(session),
            claimed_folder(session, where, run_word(key), replace=replace) as folder,
        ):
            alone = None if terms.delta is None else _alone(frame, plan, terms.delta)
            if spending is not None:
                spending.shuffled = None if alone is None else lambda: alone
                spending(frame)
            charged = None if spending is None else spending.charged
            counts = ""
            if alone is None and permanent_key is None and shapes_of(plan) is not None:
                work, counts, rows = count(frame, run, plan, folder)
            else:
                work, rows = draw(frame, run, plan, folder, charged)
            block = None if alone is None else _of_all(alone.to_dict(), rows)
            if spending is not None:
                spending.keep()
            if counts:
                files = files_of(work, counts, rows, folder)
            elif block is None:
                files = spread(work, rows, folder)
            else:
                files = sort(work, rows, plan, schema, folder)
            _require_all(files, rows)
            given = None if spending is None else spending.given.to_dict()
            made = sanitiser.card(given, rows=rows, shuffled=block).saved_as(
                folder.name, listing_hash(files), files=[file.to_dict() for file in files]
            )
            if spending is not None:
                spending.settle(made.output["sha256"] if output is not None else "")
            folder.commit(card_text(made), files, replace=replace)
        clean = session.read.schema(schema).parquet(*folder.addresses(files))
    return clean, made


def run_spark_job(
    source: PathArg, terms: Terms, output: PathArg, *, master: str | None, replace: bool
) -> Card:
    """The card of a protected copy of Parquet files, a folder; see `sanitise_file`.

    A session that is already there is used as it is. One that is made here has this Python for workers
    on this machine, unless the variable PYSPARK_PYTHON names another.
    """
    if str(source).lower().endswith((".csv", ".csv.gz", ".txt", ".json")):
        raise BadFile(f"{source}: the Spark engine reads Parquet; convert the table first")
    sql = pyspark_sql()
    running = sql.SparkSession.getActiveSession()
    builder = sql.SparkSession.builder.appName("dprivacy sanitise")
    if master is not None:
        builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
    with spark_errors("Spark"):
        session = running or builder.getOrCreate()
    try:
        with spark_errors(str(source)):
            named = urlsplit(str(source)).scheme  # whatever Spark can read
            frame = session.read.parquet(str(source) if named else address_of(session, str(source)))
            return sanitised_by_spark(frame, terms, output=output, replace=replace)[1]
    finally:
        if running is None:
            session.stop()


def _alone(frame: Any, plan: Plan, delta: Fraction) -> ShuffledTable:
    """What a frame guarantees without its order; refused where some row is alone."""
    groups = frame_groups(frame, plan)
    warn_of_delta(delta, groups.smallest, above=3)
    return shuffled_table(plan, groups.rows, delta=delta, smallest=groups.smallest)


def _of_all(block: dict[str, Any], rows: int) -> dict[str, Any]:
    """What a card says of a shuffled frame; refused where its rows were not those that were drawn."""
    if block["n"] != rows:
        raise NotApplicable(
            "the frame had another number of rows when its noise was drawn than when they were "
            "grouped; write it down first"
        )
    return block


def _require_all(files: list[ListedFile], rows: int) -> None:
    written = sum(file.rows for file in files)
    if written != rows:
        raise BadFile(f"{rows:,} rows were drawn and {written:,} written; run this once more")


def _refuse_people(frame: Any, plan: Plan) -> None:
    """Refuse a column that cannot say whose a row is."""
    if plan.unit != "row" and frame.schema[plan.unit].dataType.typeName() == "boolean":
        same_person(True)  # which it refuses


def _resting_place(session: Any) -> str:
    """Where a copy lies that nobody gave a place."""
    if is_connect(session):
        raise NotApplicable(
            "with Spark Connect the copy needs a folder that all machines see: give an output=…"
        )
    context = session.sparkContext
    given = context.getCheckpointDir()
    if given:
        return address_of(session, f"{given}/released-{secrets.token_hex(8)}")
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
