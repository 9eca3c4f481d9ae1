"""The book of a collection: what is asked, counters, and the ids of today and yesterday; no reports.

Nothing in it says who sent what or when: no address, no name of a browser, no time but the day. Ids are
kept for that day and the next, so that a report that is sent again counts once.
"""

import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import Any

from dprivacy.collecting.report_wire import Tally, Wire
from dprivacy.collecting.wire_choice import read_wire
from dprivacy.errors import BadFile, NotApplicable, NotStored
from dprivacy.model import shown

FORMAT = "dprivacy collection 1"
REPORTS = -1  # the counter of all reports, among those of the slots
_MARK = 16  # bytes
_CLOSED = ("", "yes")


@dataclass(frozen=True)
class Collection:
    """What is asked, and by which mechanism the answers are protected.

    Parameters
    ----------
    mechanism
        The text of the mechanism's file, which devices are given as it is.
    question
        What people are asked.
    name
        What the answers are called: the column of the release.
    mark
        Drawn for this collection; a ledger knows it by this.
    ledger
        The account of a ledger that was charged; empty without one.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> from dprivacy.store import stored_text
    >>> text = stored_text(randomised_response(["yes", "no"], eps="ln 3"))
    >>> asked = Collection.of(text, question="Do you smoke?", name="smokes")
    >>> asked.wire.labels
    ('yes', 'no')
    >>> asked.charged("survey").ledger
    ('survey',)
    """

    mechanism: str = field(repr=False)
    question: str
    name: str = "answer"
    mark: str = field(default="", compare=False)
    ledger: tuple[str, ...] = ()

    @classmethod
    def of(cls, mechanism: str, *, question: str, name: str = "answer") -> "Collection":
        """A new collection, with a mark of its own."""
        made = cls(mechanism, question.strip(), name.strip(), secrets.token_hex(_MARK))
        if not made.question or not made.name:
            raise NotApplicable(
                "a collection needs a question and a name for its answers, such as "
                f'"Which drink?" and "drink"; this one has {question!r} and {name!r}'
            )
        for text in (made.question, made.name):
            if shown(text) != text or any("\ud800" <= letter <= "\udfff" for letter in text):
                raise NotApplicable(
                    "a question and a name should be text without control characters or halves of "
                    f"characters, not {text!r}"
                )
        return replace(made, mechanism=made.wire.text)  # proved now, not at the first report

    def charged(self, account: str) -> "Collection":
        """The same, charged to an account of a ledger."""
        return replace(self, ledger=(account,))

    @cached_property
    def wire(self) -> Wire:
        """How reports travel."""
        return read_wire(self.mechanism, name="the mechanism of the collection")


_FIELDS = tuple(item.name for item in fields(Collection))


class Book(ABC):
    """The counters of one collection, on a disk or in a database.

    One thread uses it at a time.

    Examples
    --------
    >>> issubclass(Book, ABC)  # made by `new_book` and `open_book`
    True
    >>> import tempfile
    >>> from dprivacy.collecting import new_book
    >>> from dprivacy.mechanisms import randomised_response
    >>> from dprivacy.store import stored_text
    >>> coin = stored_text(randomised_response(["yes", "no"], eps="ln 3"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     book = new_book(f"{folder}/smokes.db", Collection.of(coin, question="Do you smoke?"))
    ...     new = book.add([b"a" * 16, b"a" * 16], [0, 0], day=20_000)  # the same report twice
    ...     counted = book.counted(), book.tally().observed()
    ...     book.close_collection()
    ...     closed = book.is_closed()
    ...     book.release()
    >>> new, counted, closed
    ([True, False], ({-1: 1, 0: 1}, {'yes': 1, 'no': 0}), True)
    """

    name: str  # for messages: never with a password
    collection: Collection

    @abstractmethod
    def add(self, ids: Sequence[bytes], reports: Sequence[Any], day: int) -> list[bool]:
        """Count new reports and remember their ids; for each whether it was new.

        When it returns, all of it is on the disk. When it raises, nothing of it is counted, or nobody
        can know; the same reports may be sent again in both cases, and count once.

        Raises
        ------
        NotStored
            The disk or the database refuses, or another collector has the book; later it may not be so.
        NotApplicable
            The collection is closed.
        """

    @abstractmethod
    def counted(self) -> dict[int, int]:
        """All counters."""

    @abstractmethod
    def is_closed(self) -> bool:
        """Whether the collection takes no more reports."""

    @abstractmethod
    def close_collection(self) -> None:
        """Take no more reports, and forget the ids."""

    @abstractmethod
    def release(self) -> None:
        """Close the file or the connection."""

    def tally(self) -> Tally:
        """What was counted so far."""
        counters = self.counted()
        found = Tally(self.collection.wire, counters.pop(REPORTS, 0), counters)
        if not found.possible:
            raise BadFile(
                f"{self.name}: was changed or damaged; its counters are none that reports can leave"
            )
        return found

    def _added(self, reports: Sequence[Any]) -> list[tuple[int, int]]:
        """What reports add to the counters, in the order of these."""
        return [(REPORTS, len(reports)), *sorted(self.collection.wire.added(reports))]


def facts_of(collection: Collection) -> dict[str, str]:
    """A collection as the rows of a book's table `about`."""
    told = asdict(collection)
    return {"format": FORMAT, "collection": json.dumps(told, ensure_ascii=False), "closed": ""}


def collection_in(facts: dict[str, str], name: str) -> Collection:
    """The collection of a book; its mechanism is proved again."""
    if facts.get("format") != FORMAT:
        raise BadFile(f"{name}: is not the book of a collection that this release knows")
    try:
        told = json.loads(facts["collection"])
        if set(told) != set(_FIELDS) or type(told["ledger"]) is not list:
            raise ValueError
        found = Collection(**{**told, "ledger": tuple(told["ledger"])})
        texts = (found.mechanism, found.question, found.name, found.mark, *found.ledger)
        known = all(type(text) is str for text in texts) and facts["closed"] in _CLOSED
        known = known and len(bytes.fromhex(found.mark)) == _MARK
    except (ValueError, TypeError, KeyError, RecursionError):
        known = False
    if not known:
        raise BadFile(f"{name}: was changed or damaged; it does not say what is asked")
    assert found.wire is not None
    return found


def refuse_closed(name: str, closed: str, holder: str, own: str) -> None:
    """Refuse to count for a collection that is closed, or for who has lost the book to another.

    The other one may take what is sent again, so that the second is not for good.
    """
    if closed:
        raise NotApplicable(f"{name}: the collection is closed and takes no more reports")
    if holder != own:
        raise NotStored(
            f"{name}: another collector has opened this book since; this one has stopped counting"
        )
