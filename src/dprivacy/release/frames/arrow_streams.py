"""Sanitising streams of Arrow batches: a stream comes out, in memory that does not grow with it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from dprivacy.errors import DPrivacyError, NotApplicable, WrongKind, WrongShape
from dprivacy.extras import arrow
from dprivacy.model import Explained, counted
from dprivacy.release.columns.sanitiser import Sanitiser
from dprivacy.release.files.row_chunks import recut
from dprivacy.release.ledger.release_spending import (
    TableSpending,
    Terms,
    spend_release,
    spending_on,
)
from dprivacy.release.plans.plan_warnings import warn_about
from dprivacy.release.plans.release_card import Card
from dprivacy.release.plans.table_plan import Plan
from dprivacy.sampling import choose_source
from dprivacy.typing import LedgerLike, PlanLike


def sanitise_stream(
    stream: Any,  # whatever speaks Arrow's PyCapsule interface
    plan: PlanLike,
    *,
    ledger: LedgerLike = None,
    again: str | None = None,
    insecure_seed: int | None = None,
) -> "ReleasedStream":
    """A protected copy of a stream of Arrow batches, as a stream that is drawn while it is read.

    Rows leave before the stream is known to its end. What needs all rows first is therefore refused: a
    plan with a `unit`, whose rows per person could only be counted at the end. For the same reason a
    ledger cannot tell that the same rows were released before, and what it was charged stays charged
    once the first batch is there, also when a later one is refused.

    Parameters
    ----------
    stream
        A RecordBatchReader, or whatever has ``__arrow_c_stream__``: a table of Arrow, a frame of
        Polars, a relation of DuckDB. It is read once, 65,536 rows at a time.
    plan
        A Plan, the path of a plan file, or the mapping such a file gives.
    ledger
        What the release is charged to before the first row is drawn; see `sanitise`.
    again
        With a ledger: a remark that this repeats a release.
    insecure_seed
        For tests only: makes the noise repeatable, and so guessable. It warns and marks the card.

    Returns
    -------
    ReleasedStream
        `data` is a RecordBatchReader, which can be read once; `card` is there when it was.

    Raises
    ------
    UnknownCategory, Malformed
        With the column and the row number, never the value, when the first batch does not fit the
        plan; a later one raises it where the stream is read.
    BudgetExceeded
        When the ledger refuses; nothing is sampled.

    Examples
    --------
    >>> import pyarrow
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> batches = pyarrow.table({"tea": ["yes", "no", "no"]}).to_reader()
    >>> released = sanitise_stream(batches, plan)
    >>> sum(batch.num_rows for batch in released.data)
    3
    >>> released.card.count
    3
    """
    wanted = Plan.read(plan)
    if wanted.unit != "row":
        raise NotApplicable(
            f"the plan has unit = {wanted.unit!r}, and how many rows a person has is known at the end "
            "of a stream alone, when they have left; read it into a table for `sanitise`, or into a "
            "file for `sanitise_file`"
        )
    terms = Terms(wanted, ledger, again, insecure_seed=insecure_seed)
    source, reader = choose_source(insecure_seed), _reader(stream)
    with spending_on(terms, _StreamSpending) as spending:
        sanitiser = Sanitiser(wanted, source, before=spending)
        warn_about(wanted, above=2)
        chunks = recut(_batches(reader))
        first = next(chunks, None)
        if first is None:
            raise WrongShape("the stream holds no rows, so there is nothing to protect")
        begun = sanitiser.batch(first)
    given = None if spending is None else spending.given
    return ReleasedStream(begun, chunks, sanitiser, None if given is None else given.to_dict())


class ReleasedStream(Explained):
    """A protected stream that is drawn while it is read, and the card that is there afterwards.

    Attributes
    ----------
    data
        A RecordBatchReader of pyarrow: DuckDB, Polars, pandas and writers of files take it as it is.
        Each row is drawn once, and the reader cannot be read again.

    Examples
    --------
    >>> import pyarrow
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> released = sanitise_stream(pyarrow.table({"tea": ["yes", "no", "no"]}), plan)
    >>> print(released.explain())
    A stream that was not read to its end; so far it has drawn 3 rows.
    >>> released.data.read_all().num_rows
    3
    >>> print(released.explain().splitlines()[0])
    A release: 3 rows, 1 protected column.
    >>> released.card.count
    3
    """

    def __init__(
        self, begun: Any, chunks: Iterator[Any], sanitiser: Sanitiser, receipt: Any
    ) -> None:
        self._sanitiser, self._receipt = sanitiser, receipt
        self._card: Card | None = None
        self.data = arrow().RecordBatchReader.from_batches(begun.schema, self._drawn(begun, chunks))

    @property
    def card(self) -> Card:
        """What was done; NotApplicable until the stream was read to its end."""
        if self._card is None:
            raise NotApplicable(
                "the card counts the rows of the stream, and it was not read to its end; read `data` "
                "first"
            )
        return self._card

    def explain(self) -> str:
        """What was released, and what is guaranteed, in words."""
        if self._card is not None:
            return self._card.explain()
        rows = counted(self._sanitiser.rows, "row")
        return f"A stream that was not read to its end; so far it has drawn {rows}."

    def _drawn(self, begun: Any, chunks: Iterator[Any]) -> Iterator[Any]:
        yield from begun.to_batches()
        for chunk in chunks:
            yield from self._sanitiser.batch(chunk).cast(begun.schema).to_batches()
        self._sanitiser.finish()
        self._card = self._sanitiser.card(self._receipt)


class _StreamSpending(TableSpending):
    """Spends before the first rows are drawn, and not again."""

    def __call__(self, arrays: Mapping[str, Any]) -> None:
        """Spend when called for the first time."""
        if self.given is None:
            self.given = spend_release(self._account, self._terms, {}, people=lambda: ())


def _reader(stream: Any) -> Any:
    if not hasattr(stream, "__arrow_c_stream__"):
        raise WrongKind(
            "a stream is a RecordBatchReader or has __arrow_c_stream__, as tables of Arrow, frames of "
            f"Polars and relations of DuckDB do, not {type(stream).__name__}"
        )
    with _without_cells():
        return arrow().RecordBatchReader.from_stream(stream)


def _batches(reader: Any) -> Iterator[Any]:
    with _without_cells():
        yield from reader


@contextmanager
def _without_cells() -> Iterator[None]:
    """Refuse a stream that breaks; the words of what made it may quote a cell."""
    try:
        yield
    except DPrivacyError:
        raise
    except Exception as reason:
        raise WrongKind(
            f"the stream cannot be read ({type(reason).__name__}); read it yourself to see why"
        ) from None
