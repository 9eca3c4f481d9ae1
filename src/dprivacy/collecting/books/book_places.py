"""Books by where they are: a file, or the address of a database."""

import os
from pathlib import Path

from dprivacy.collecting.books.collection_book import Book, Collection
from dprivacy.collecting.books.postgres_book import PostgresBook
from dprivacy.collecting.books.sqlite_book import SQLiteBook
from dprivacy.errors import BadFile

SCHEMA = "dprivacy_collection"


def new_book(place: str, collection: Collection, *, schema: str = SCHEMA) -> Book:
    """Begin a book.

    Parameters
    ----------
    place
        A file, or ``postgresql://user@host/database``.
    collection
        What is asked.
    schema
        In PostgreSQL: the schema of this collection.

    Examples
    --------
    >>> import tempfile
    >>> from dprivacy.mechanisms import randomised_response
    >>> from dprivacy.store import stored_text
    >>> coin = randomised_response(["yes", "no"], eps="ln 3")
    >>> asked = Collection.of(stored_text(coin), question="Do you smoke?")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book = new_book(f"{folder}/smoking.db", asked)
    ...     _ = book.add([bytes(16), bytes(16)], [0, 0], day=20_000)
    ...     book.tally().n
    1
    >>> book.release()
    """
    if _is_address(place):
        return PostgresBook(place, schema=schema, collection=collection)
    return SQLiteBook(Path(place), collection)


def open_book(place: str, *, schema: str = SCHEMA, reading: bool = False) -> Book:
    """Open a book that is there.

    Parameters
    ----------
    place, schema
        As for `new_book`.
    reading
        Whether only to look: whoever counts in the book goes on with it.

    Examples
    --------
    >>> open_book("nowhere.db")
    Traceback (most recent call last):
    dprivacy.errors.BadFile: nowhere.db: no book is here; `dprivacy collect serve` begins one
    """
    if _is_address(place):
        return PostgresBook(place, schema=schema)
    return SQLiteBook(Path(place), reading=reading)


def has_book(place: str, *, schema: str = SCHEMA) -> bool:
    """Whether something is there already."""
    if _is_address(place):
        return PostgresBook.is_there(place, schema)
    return Path(place).exists()


def require_room(place: str) -> None:
    """Refuse a file that cannot be made, before anything is charged for it."""
    folder = Path(place).absolute().parent
    if not _is_address(place) and not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise BadFile(f"{place}: cannot be made; its folder is missing, or cannot be written to")


def _is_address(place: str) -> bool:
    return place.startswith(("postgresql://", "postgres://"))
