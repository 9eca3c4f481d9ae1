"""A collection that the page looks at: its book, an invented one, and what is said of them."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprivacy.collecting import (
    Book,
    Collection,
    close_book,
    findings,
    new_book,
    open_book,
    why_no_release,
)
from dprivacy.errors import BadFile
from dprivacy.mechanisms import randomised_response
from dprivacy.model import about, counted, shown
from dprivacy.release import Card, Ledger, write_released
from dprivacy.store import stored_text
from dprivacy.viz import bars_spec
from dprivacy.web.shell.desk import Drawer
from dprivacy.web.shell.number_words import count

_INVENTED = {"never": 1300, "sometimes": 500, "often": 200}
_DAY = 20_000


def opened(place: str, schema: str) -> Book:
    """The book at a place, to look at it: whoever counts in it goes on."""
    if not place.strip():
        raise BadFile("name the book first: its file, or postgresql://user@host/database")
    return open_book(place.strip(), schema=schema.strip(), reading=True)


def invented(drawer: Drawer) -> Book:
    """A collection of 2,000 invented people; their noisy answers are all that is in its book."""
    drawer.clear()
    mechanism = randomised_response(list(_INVENTED), eps=1)
    asked = Collection.of(
        stored_text(mechanism), question="How often do you text at the wheel?", name="texting"
    )
    book = new_book(str(drawer.place("driving.db")), asked)
    truth = [label for label, people in _INVENTED.items() for _ in range(people)]
    sent = [mechanism.channel.columns.index(label) for label in mechanism.randomise(truth)]
    book.add([secrets.token_bytes(16) for _ in sent], sent, _DAY)
    return book


@dataclass(frozen=True)
class Look:
    """What a book says at one moment; `told` is what a collector tells its own page of estimates."""

    n: int
    closed: bool
    told: dict[str, Any]

    @classmethod
    def at(cls, book: Book) -> "Look":
        """Look now."""
        closed, tally = book.is_closed(), book.tally()
        return cls(tally.n, closed, findings(tally).to_dict())

    def since(self, book: Book) -> "Look":
        """Look again; estimates are made anew only where there is something new."""
        same = (book.tally().n, book.is_closed()) == (self.n, self.closed)
        return self if same else Look.at(book)

    def headline(self) -> str:
        """How many reports there are."""
        if not self.n:
            return "There are no reports yet"
        return (
            f"{counted(self.n, 'report')}; the collection is {'closed' if self.closed else 'open'}"
        )

    def rows(self) -> list[list[str]]:
        """The largest estimates as texts."""
        return [
            [
                row["label"],
                count(row["count"]),
                count(row["standard_error"]),
                f"{count(row['interval'][0])} to {count(row['interval'][1])}",
            ]
            for row in self.told["rows"]
        ]

    def leads(self) -> list[str]:
        """For the largest counts, each beside the next, how few fakes could have made the lead."""
        return [
            f"“{each['first']}” is ahead of “{each['second']}” by {count(each['ahead'])}: "
            f"as few as {counted(each['fewest_fakes'], 'fake report')} could have done that."
            for each in self.told["comparisons"]
        ]

    def bars(self) -> dict[str, Any]:
        """The estimates as bars with their intervals."""
        rows = self.told["rows"]
        spec = bars_spec(
            {"estimated": dict(enumerate(row["count"] for row in rows))}, y="people, estimated"
        )
        spec["layout"]["xaxis"]["ticktext"] = [row["label"][:24] for row in rows]
        spec["data"][0]["error_y"] = {
            "type": "data",
            "symmetric": False,
            "array": [row["interval"][1] - row["count"] for row in rows],
            "arrayminus": [row["count"] - row["interval"][0] for row in rows],
        }
        return spec


def promised(book: Book) -> str:
    """What is asked of people and at which level, in words."""
    asked, wire = book.collection, book.collection.wire
    kept = why_no_release(asked)
    table = f"The table will have one column, “{shown(asked.name)}”."
    charged = f" It was charged to account “{shown(asked.ledger[0])}”." if asked.ledger else ""
    return (
        f"{len(wire.labels):,} answers, each reported with ε = {about(wire.mechanism.guarantee.eps)}. "
        f"{f'Estimates are all that it can give: {kept}.' if kept else table}{charged}"
    )


def snippet(book: Book) -> str:
    """What a page of one's own says to add noise and to send."""
    return f"""import {{ Outbox, load }} from "@dprivacy/client";

const at = "https://…/"; // where the collector is served
const text = await (await fetch(at + "v1/mechanism")).text();
const sha256 = "{book.collection.wire.hash}";
const mechanism = await load(text, {{ sha256 }});
const outbox = new Outbox(mechanism, at + "v1/reports");
await outbox.add("my question", () => mechanism.randomise(answer));
await outbox.send();"""


def released(book: Book, drawer: Drawer, ledger: str) -> tuple[Card, Path]:
    """Close a collection; the card of what it collected, and where the table lies."""
    output = drawer.place(f"{book.collection.name}.csv")
    named = ledger.strip() or os.environ.get("DPRIVACY_LEDGER", "")
    if not book.collection.ledger or not named:
        return write_released(close_book(book), output, replace=True), output
    with Ledger(named, create=False) as opened_ledger:
        return write_released(close_book(book, ledger=opened_ledger), output, replace=True), output
