"""``dprivacy collect``: plan, begin, serve, look at and close a collection of noisy answers."""

import sys
from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.collecting import (
    SCHEMA,
    USUAL_PORT,
    Book,
    Collection,
    charge,
    close_book,
    findings,
    has_book,
    new_book,
    open_book,
    require_room,
    serve_collection,
    why_no_release,
)
from dprivacy.errors import BadFile, NotApplicable
from dprivacy.mechanisms import LocalPlan, local_plan, randomised_response
from dprivacy.model import file_text, shown
from dprivacy.release import Ledger, write_released
from dprivacy.store import save

_MOST_ANSWERS = 64  # whose matrix is written out
_LABELS = click.argument("labels")
_SCHEMA = click.option("--schema", default=SCHEMA, help="Schema of the book in PostgreSQL.")
_BOOK = click.argument("book")
_PEOPLE = click.option("--n", "people", type=int, required=True, help="Number of people expected.")
_MOST_BITS = click.option(
    "--most-bits", default=64, help="Longest report that is acceptable, in bits."
)
_LEDGER = shared.together(
    click.option(
        "--ledger",
        "place",
        envvar="DPRIVACY_LEDGER",
        show_envvar=True,
        help="Ledger to charge before anybody is asked: a file, or postgresql://user@host/database.",
    ),
    click.option("--account", default="everyone", help="Account to charge, which has a budget."),
)


@click.group(epilog=shared.examples("dprivacy collect plan tea,coffee,milk --epsilon 1 --n 1000"))
def collect() -> None:
    """Collect answers that are noisy before they leave people's devices."""


@collect.command(epilog=shared.examples("dprivacy collect plan tea,milk --epsilon 1 --n 1000"))
@_LABELS
@shared.epsilon(required=True)
@_PEOPLE
@_MOST_BITS
@shared.JSON
def plan(labels: str, epsilon: str, people: int, most_bits: int, as_json: bool) -> None:
    """Compare mechanisms for LABELS: error, length of a report, counters.

    LABELS are separated by commas, or stand in a file, one a line.
    """
    shared.show(local_plan(_labels(labels), eps=epsilon, n=people, most_bits=most_bits), as_json)


@collect.command(
    epilog=shared.examples("dprivacy collect new tea,coffee,milk --epsilon 1 --n 1000 -o tea.json")
)
@_LABELS
@shared.epsilon(required=True)
@_PEOPLE
@_MOST_BITS
@shared.output("Mechanism, a .json file", required=True)
@shared.REPLACE
@shared.JSON
def new(
    labels: str,
    epsilon: str,
    people: int,
    most_bits: int,
    output: Path,
    replace: bool,
    as_json: bool,
) -> None:
    """Write the recommended mechanism for LABELS, which devices will be given.

    What `dprivacy optimal -o` writes, or `save` in Python, can be served as well.
    """
    shared.refuse_existing(output, replace=replace)
    found = local_plan(_labels(labels), eps=epsilon, n=people, most_bits=most_bits)
    save(_recommended(found), output, replace=replace)
    answer = {**found.to_dict(), "output": str(output)}
    first = found.explain().splitlines()[0]
    shared.say(answer, as_json, f"{first}\n{shared.wrote(output)}")


def _recommended(found: LocalPlan) -> Any:
    """The best mechanism; randomised response as a channel, whose reports are answers."""
    if found.best.name == "randomised response" and len(found.labels) <= _MOST_ANSWERS:
        return randomised_response(found.labels, eps=found.eps)
    return found.mechanism


@collect.command(
    epilog=shared.examples(
        'dprivacy collect serve drinks.json --book drinks.db --question "Which drink?"',
        "dprivacy collect serve --book drinks.db",
    )
)
@click.argument("file", type=shared.PATH, required=False)
@click.option(
    "--book", required=True, help="Where to count: a file, or postgresql://user@host/database."
)
@click.option("--question", help="What people are asked; for a new book.")
@click.option("--name", default="answer", help="Name of the answers: the column of the release.")
@_SCHEMA
@click.option("--port", default=USUAL_PORT, help="Port; 0 for any that is free.")
@click.option(
    "--behind-proxy",
    is_flag=True,
    help="Listen on every address: a proxy in front speaks https and keeps no log of addresses.",
)
@click.option(
    "--hide-estimates", is_flag=True, help="Show estimates to nobody but `collect estimate`."
)
@_LEDGER
def serve(
    file: Path | None,
    book: str,
    question: str | None,
    name: str,
    schema: str,
    port: int,
    behind_proxy: bool,
    hide_estimates: bool,
    place: str | None,
    account: str,
) -> None:
    """Ask the question on a page, and count what people's devices send.

    FILE is a mechanism; with it and --question a book is begun, without them one is continued. A report
    is acknowledged when it is on disk, and counts once, also when it is sent again on that day or the
    next. Stop with Ctrl-C.
    """
    found = _begun(file, book, question, name, schema, place, account)
    kept = "" if hide_estimates else "estimates"
    serve_collection(
        found,
        port=port,
        behind_proxy=behind_proxy,
        estimates=not hide_estimates,
        ready=lambda address: click.echo(_ready(found, address, kept)),
    )


def _ready(book: Book, address: str, estimates: str) -> str:
    lines = [shown(book.collection.question), f"The page is at {address}"]
    lines += [f"Estimates are at {address}{estimates}"] if estimates else []
    kept = why_no_release(book.collection)
    lines += [f"Note: estimates are all that this collection can give. {kept}"] if kept else []
    return "\n".join([*lines, "Stop with Ctrl-C; the same command goes on later."])


def _begun(
    file: Path | None,
    book: str,
    question: str | None,
    name: str,
    schema: str,
    place: str | None,
    account: str,
) -> Book:
    """A new book, charged before anybody is asked; or the one that is there."""
    if has_book(book, schema=schema):
        return _continued(file, book, question, schema)
    if file is None or question is None:
        raise click.UsageError(
            "no book is there yet: a new collection needs the FILE of a mechanism and a --question"
        )
    require_room(book)
    asked = Collection.of(file_text(file), question=question, name=name)
    if place is not None:
        asked = asked.charged(account)
        with Ledger(place, create=False) as ledger:
            charge(asked, ledger, account)
    return new_book(book, asked, schema=schema)


def _continued(file: Path | None, book: str, question: str | None, schema: str) -> Book:
    """The book that is there, if it asks what the command says."""
    looked = open_book(book, schema=schema, reading=True)
    asked = looked.collection
    looked.release()
    if file is not None and file_text(file) != asked.mechanism:
        raise NotApplicable(
            f"{looked.name}: was begun with another mechanism than that of {file}; leave FILE out to "
            "go on with it, or begin another book"
        )
    if question is not None and question.strip() != asked.question:
        raise NotApplicable(
            f"{looked.name}: asks {shown(asked.question)!r}; leave --question out to go on with it, or "
            "begin another book"
        )
    return open_book(book, schema=schema)


@collect.command(epilog=shared.examples("dprivacy collect estimate drinks.db"))
@_BOOK
@_SCHEMA
@shared.JSON
def estimate(book: str, schema: str, as_json: bool) -> None:
    """Estimate from what is in a BOOK so far, and say what fake reports could have done.

    Exit code 3: the counters prove that reports were invented.
    """
    opened = open_book(book, schema=schema, reading=True)
    try:
        found = findings(opened.tally())
    finally:
        opened.release()
    shared.show(found, as_json)
    sys.exit(0 if found.honest else GUARANTEE_FAILED)


@collect.command(epilog=shared.examples("dprivacy collect close drinks.db -o drinks.csv"))
@_BOOK
@_SCHEMA
@click.option(
    "--ledger",
    "place",
    envvar="DPRIVACY_LEDGER",
    show_envvar=True,
    help="Ledger that was charged when the collection began.",
)
@shared.output("Table of the noisy answers, .csv or .parquet", required=True)
@shared.REPLACE
@shared.JSON
def close(
    book: str, schema: str, place: str | None, output: Path, replace: bool, as_json: bool
) -> None:
    """Take no more reports for a BOOK, and release what it holds with a card.

    `estimate`, `query`, `verify` and the page read the release.
    """
    shared.refuse_existing(output, replace=replace)
    opened = open_book(book, schema=schema, reading=True)
    try:
        if place is None or not opened.collection.ledger:
            card = _written(opened, None, output, replace)
        else:
            with Ledger(place, create=False) as ledger:
                card = _written(opened, ledger, output, replace)
    finally:
        opened.release()
    words = f"{card.explain()}\n{shared.wrote(output, f'{output}.card.json')}"
    shared.say({**card.to_dict(), "output": str(output)}, as_json, words)


def _written(book: Book, ledger: Ledger | None, output: Path, replace: bool) -> Any:
    return write_released(close_book(book, ledger=ledger), output, replace=replace)


def _labels(text: str) -> list[str]:
    """Labels between commas, or the lines of a file."""
    path = Path(text)
    listed = file_text(path).splitlines() if "," not in text else text.split(",")
    found = [label.strip() for label in listed if label.strip()]
    if not found:
        raise BadFile(f"{text}: holds no labels; write one a line, or name them between commas")
    return found
