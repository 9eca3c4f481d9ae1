"""Released data with their card, and the one writer that puts both into files."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, TypeVar

from dprivacy.errors import BadFile, NotApplicable, OutputExists
from dprivacy.extras import arrow
from dprivacy.model import Explained, as_path
from dprivacy.release.files.own_files import Workplace, file_hash, open_own
from dprivacy.release.files.table_files import write_errors, writer_of
from dprivacy.release.jobs.source_marks import Origin
from dprivacy.release.ledger.receipts import Receipt
from dprivacy.release.plans.release_card import Card, card_text
from dprivacy.typing import PathArg

Data = TypeVar("Data")
Writer = Callable[[Any, Any, Path], None]  # the data, a binary file, and the name it will have


@dataclass(frozen=True, eq=False)
class Released(Explained, Generic[Data]):
    """Protected data and the card that says what protects them.

    Parameters
    ----------
    data
        A table, places, curves, a text, matches; or the path of a file that is written already.
    card
        What was done, and what it guarantees.
    writer
        Writes the data into a binary file, for `save`: called with the data, the file, and the path
        it will have, whose ending says the format.
    origin
        The file that it was made from; what was made of it before is not saved beside this.
    receipt
        What a ledger gave for it; the ledger notes the hash of what is saved, which is one file.

    Examples
    --------
    >>> import tempfile
    >>> from dprivacy.release.plans.release_card import StatedGuarantee
    >>> promise = StatedGuarantee("ln(2)", sentence="The odds change by at most 2.")
    >>> card = Card.of("text", promise, count=2, secure=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Released("good morning", card, write_text).save(f"{folder}/letter.txt")
    ...     sorted(path.name for path in Path(folder).iterdir())
    ['letter.txt', 'letter.txt.card.json']
    >>> print(Released("good morning", card, write_text).explain())
    A release: 2 words.
    The odds change by at most 2.
    >>> Released("good morning", card, write_text).to_dict()["what"]
    'text'
    """

    data: Data
    card: Card
    writer: Writer | None = field(default=None, repr=False)
    origin: Origin | None = field(default=None, repr=False)
    receipt: Receipt | None = field(default=None, repr=False)

    def save(self, path: PathArg, *, replace: bool = False) -> None:
        """Write the data, and beside them their card: out.csv has out.csv.card.json.

        A ledger's receipt is for one output: the same bytes may be saved again, another format may not.

        Parameters
        ----------
        path
            The file; its ending says the format.
        replace
            Whether an existing file may be replaced.
        """
        write_released(self, path, replace=replace)

    def explain(self) -> str:
        """What was released and what is guaranteed, in words."""
        return self.card.explain()

    def to_dict(self) -> dict[str, Any]:
        """The card as plain data."""
        return self.card.to_dict()


def write_released(released: Released[Any], path: PathArg, *, replace: bool = False) -> Card:
    """Write data and card; the card as it was written, with the name and hash of the data.

    Notes
    -----
    1. When a card in the folder says that another release of the same file is there: AlreadyReleased.
    2. The data go to a temporary file that the owner alone may read, and are synced.
    3. So does the card, with the hash of the data.
    4. The ledger that was charged notes the hash, and refuses a second one.
    5. The card is renamed into place, then the data: no data lie there without a card.
    """
    if released.writer is None:
        raise NotApplicable(
            f"a release of {type(released.data).__name__} cannot be saved from here; give its output "
            "a place when it is made"
        )
    if released.card.receipt and released.receipt is None:
        raise NotApplicable(
            f"the card holds the receipt of entry {released.card.receipt['sequence']} of a ledger, and "
            "this release does not know the ledger; save what `sanitise` gave"
        )
    place = Workplace(as_path(path, "the output"))
    require_free(place, replace=replace)
    marked: dict[str, Any] = {}
    if released.origin is not None:
        released.origin.require_new(place.output.parent)
        marked["source"] = released.origin.mark
    with place.held(), place.errors():
        try:
            handle = open_own(place.output_part, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
            with os.fdopen(handle, "wb") as file:
                released.writer(released.data, file, place.output)
                file.flush()
                os.fsync(file.fileno())
            card = released.card.saved_as(place.output.name, file_hash(place.output_part), **marked)
            write_card(place, card)
            if released.receipt is not None:
                released.receipt.settle(card.output["sha256"])
            os.replace(place.card_part, place.card)
            os.replace(place.output_part, place.output)
            place.sync()
        finally:
            place.clear()
    return card


def require_free(place: Workplace, *, replace: bool) -> None:
    """Refuse to write over a folder, or without leave over anything."""
    for path in (place.output, place.card):
        if path.is_dir():
            raise BadFile(f"{path}: cannot be written, as it is a folder; choose another name")
        if path.exists() and not replace:
            raise OutputExists(
                f"{path} already exists; choose another name, or pass replace=True (--replace) to "
                "overwrite it"
            )


def write_card(place: Workplace, card: Card) -> None:
    """Write the card beside the output, under a temporary name, so that it lasts."""
    handle = open_own(place.card_part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    with os.fdopen(handle, "wb") as file:
        file.write(card_text(card).encode())
        file.flush()
        os.fsync(file.fileno())


def write_table(table: Any, file: Any, path: Path) -> None:
    """A writer of tables from pandas, Polars, Arrow or DuckDB, as .csv, .parquet or .jsonl."""
    with write_errors(path):
        found = as_arrow(table).replace_schema_metadata(None)
    with write_errors(path, found):
        writer = writer_of(file, path, found.schema)
        writer.write_table(found)
        writer.close()


def write_text(text: str, file: Any, path: Path) -> None:
    """A writer of text."""
    file.write(text.encode())


def as_arrow(table: Any) -> Any:
    """A table from pandas, Polars, Arrow or DuckDB as an Arrow table."""
    from narwhals import dependencies as kinds

    pa = arrow()
    if kinds.is_pandas_dataframe(table):
        try:
            return pa.Table.from_pandas(table, preserve_index=False)
        except TypeError:  # sparse columns
            raise pa.ArrowTypeError("a column of pandas that Arrow does not know") from None
    if hasattr(table, "to_arrow_table"):  # DuckDB's relations
        return table.to_arrow_table()
    if hasattr(table, "to_arrow"):
        return table.to_arrow()
    return pa.Table.from_batches([table]) if isinstance(table, pa.RecordBatch) else table
