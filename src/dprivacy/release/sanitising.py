"""Protecting tables: one function for tables in hand, one for files, whichever engine does the work."""

from dataclasses import replace as changed
from typing import Literal, TypeVar, Unpack

from dprivacy.errors import NotApplicable, UnknownName
from dprivacy.model import as_path
from dprivacy.release.files.own_files import Workplace
from dprivacy.release.files.released_data import (
    Released,
    require_free,
    write_released,
    write_table,
)
from dprivacy.release.frames.frames_in_hand import sanitised_frame
from dprivacy.release.intake.table_settings import NOTHING_SAID, Written
from dprivacy.release.jobs.file_job import Progress, run_file_job
from dprivacy.release.ledger.release_spending import Terms
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.unordered.shuffle_terms import shuffle_delta
from dprivacy.typing import LedgerLike, NumberLike, PathArg, PlanLike

Table = TypeVar("Table")
Engine = Literal["arrow", "spark"]


def sanitise(
    table: Table,
    plan: PlanLike,
    *,
    output: PathArg | None = None,
    replace: bool = False,
    ledger: LedgerLike = None,
    again: str | None = None,
    permanent_key: bytes | None = None,
    shuffle: bool = False,
    delta: NumberLike | None = None,
    insecure_seed: int | None = None,
) -> Released[Table]:
    """A protected copy of a table, with the card that those who receive it need.

    Parameters
    ----------
    table, plan
        A pandas or Polars data frame, an Arrow table, a DuckDB relation, or a Spark data frame (also
        one of Spark Connect, but not a stream); and a Plan, the path of a plan file, or the mapping
        such a file gives. What is lazy is computed once: of a lazy frame of Polars a data frame comes
        out, and of a stream of Arrow batches (a RecordBatchReader, or what has
        ``__arrow_c_stream__``) an Arrow table. `sanitise_stream` gives a stream for a stream.
    output
        Where to write the copy, as `Released.save` does: a .csv, .parquet or .jsonl file. For Spark it
        is a folder that all machines share, on HDFS or in an object store (``s3a://…``); without it the
        copy lies in Spark's checkpoint folder, or with a local master in a temporary folder that goes
        when Python ends.
    replace
        Whether an existing output may be replaced.
    ledger
        What the release is charged to before anything is sampled: a `Ledger`, one of its accounts
        (`Ledger.account`), or the path or URL of one that exists.
    again
        With a ledger: why a table that was released before is sanitised once more.
    permanent_key
        For permanent answers (see `PermanentAnswers`): the same person's same value gets the same
        noisy answer in every release with this key.
    shuffle
        Whether order is to be gone: the rows come out sorted by their released values. Whoever sees
        nothing but the table then learns far less of one person than the levels of the plan allow, and
        the card says how much, beside what holds anyway. Who a row belongs to may not be in the table.
    delta
        With `shuffle`: the δ of that guarantee; for n rows at most 1/n².
    insecure_seed
        For tests only: makes the noise repeatable, and so guessable. It warns and marks the card.

    Returns
    -------
    Released
        `data` is of the same kind, with the rows in the same order (Spark keeps none); dropped columns
        are gone, and so is an index of pandas. The plan decides the types of protected columns: texts
        are strings, whole numbers 64-bit integers, other numbers doubles. `card` says what was done.

    Raises
    ------
    UnknownCategory, Malformed
        With the column and the row number, never the value. The ledger takes its entry back then.
    BudgetExceeded, AlreadyReleased
        When the ledger refuses; nothing is sampled.

    Examples
    --------
    >>> import pandas
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> released = sanitise(pandas.DataFrame({"tea": ["yes", "no", "no"]}), plan)
    >>> set(released.data["tea"]) <= {"yes", "no"}
    True
    >>> released.card.guarantee.eps
    'ln(3)'
    """
    wanted = Plan.read(plan)
    slack = shuffle_delta(wanted, shuffle=shuffle, delta=delta, permanent=permanent_key is not None)
    terms = Terms(wanted, ledger, again, permanent_key, insecure_seed, slack)
    if type(table).__module__.startswith("pyspark."):
        from dprivacy.release.spark.spark_release import sanitised_by_spark

        return Released(*sanitised_by_spark(table, terms, output=output, replace=replace))
    if output is not None:  # refused before anything is spent
        require_free(Workplace(as_path(output, "the output")), replace=replace)
    clean, card, receipt = sanitised_frame(table, terms)
    released = Released(clean, card, write_table, receipt=receipt)
    if output is None:
        return released
    return changed(released, card=write_released(released, output, replace=replace))


def sanitise_file(
    source: PathArg,
    plan: PlanLike,
    output: PathArg,
    *,
    engine: Engine = "arrow",
    master: str | None = None,
    replace: bool = False,
    resume: bool = False,
    discard: bool = False,
    ledger: LedgerLike = None,
    again: str | None = None,
    permanent_key: bytes | None = None,
    shuffle: bool = False,
    delta: NumberLike | None = None,
    insecure_seed: int | None = None,
    progress: Progress | None = None,
    **written: Unpack[Written],
) -> Released[PathArg]:
    r"""A protected copy of a file, with its card beside it: out.csv has out.csv.card.json.

    Parameters
    ----------
    source
        The table: .csv, .tsv, .txt or .jsonl, lines of JSON in UTF-8 (also packed by gzip), .parquet,
        .xlsx, .xls or .ods; with Spark a Parquet file, a folder of them, or a pattern, wherever Spark
        can read.
    plan, replace, ledger, permanent_key, shuffle, delta, insecure_seed
        As for `sanitise`. A table of any size is sorted in the same memory.
    output
        Where the copy goes: .csv, .parquet or .jsonl, with Spark a folder. It appears only when it is
        complete. A .csv file is UTF-8 with commas and a header, however the source is written.
    engine
        "arrow" on this machine, or "spark".
    master
        Where Spark runs, such as ``spark://host:7077`` or ``sc://host:15002``; by default what Spark
        itself is set to, and otherwise this machine.
    resume
        Whether to go on with a job that stopped, if one did. Its rows keep the noise they have, and
        nothing is spent again.
    discard
        Whether to throw away a job that stopped, and to draw new noise.
    again
        Why a table that was released before is sanitised once more.
    progress
        Called with the rows done and the rows in all (None when that is not known); not with Spark. If
        it has a method `share`, that is called with how much is done, from 0 to 1 (or None). Of a text
        table this follows how long its cells are, so it is for a screen and not for a log.
    **written
        How the table is written, where its file does not show it: `delimiter`, what stands between
        cells, such as ";" or "tab"; `encoding`, one of Python's, such as "cp1250"; `header`, whether
        the first line holds names, without which the columns are called "column 1", "column 2" and so
        on; `sheet` of a spreadsheet; and `decimal`, "," where numbers are written as 12,5. They go
        before what the plan says in its [table].

    Returns
    -------
    Released
        `data` is the path of the copy.

    Raises
    ------
    UnknownCategory, Malformed
        For a table that does not fit the plan, with the column and the row number, never the value;
        nothing is left behind, and a ledger takes its entry back.
    UnclearTable
        When it cannot be seen how the table is written; above all, when its first line may be a
        person's record.
    Unfinished
        When the job stopped and can go on, when it cannot go on because something changed, and when
        another process is writing the same output.
    BudgetExceeded, AlreadyReleased
        When the ledger refuses or, without one, when a card in the output's folder says that this
        file was released there before; nothing is sampled.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     table = Path(folder, "in.csv")
    ...     _ = table.write_text("tea\nyes\nno\nno\n")
    ...     released = sanitise_file(table, plan, Path(folder, "out.csv"))
    >>> print(released.card.explain().splitlines()[0])
    A release: 3 rows, 1 protected column.
    """
    wanted = Plan.read(plan).read_with(**written)
    slack = shuffle_delta(wanted, shuffle=shuffle, delta=delta, permanent=permanent_key is not None)
    terms = Terms(wanted, ledger, again, permanent_key, insecure_seed, slack)
    if engine == "arrow":
        how = {"replace": replace, "resume": resume, "discard": discard}
        return Released(output, run_file_job(source, terms, output, progress=progress, **how))
    if engine != "spark":
        raise UnknownName(f"the engine is 'arrow' or 'spark', not {engine!r}")
    if wanted.table != NOTHING_SAID:
        raise NotApplicable("Spark reads Parquet alone, which has no delimiter, encoding or header")
    if resume or discard:
        raise NotApplicable(
            f"resume={resume}, discard={discard}: only the engine 'arrow' leaves anything to go on "
            "with; Spark itself repeats what was lost"
        )
    from dprivacy.release.spark.spark_release import run_spark_job

    card = run_spark_job(source, terms, output, master=master, replace=replace)
    return Released(output, card)
