"""Books, in a file and in PostgreSQL alike: every report once, days, closing."""

import random
import secrets
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from dprivacy.collecting import Collection, has_book, new_book, open_book
from dprivacy.errors import BadFile, NotApplicable, OutputExists
from dprivacy.mechanisms import randomised_response
from dprivacy.store import stored_text
from support.collections_asked import asked

DAY = 20_000


@pytest.fixture(scope="module")
def server():
    from support.postgres_server import postgres_server

    with postgres_server() as url:
        yield url


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.service("postgres"))])
def place(request, tmp_path):
    """Where a book may lie, and its schema."""
    if request.param == "file":
        return {"place": str(tmp_path / "book.db")}
    return {
        "place": request.getfixturevalue("server"),
        "schema": f"c{uuid.uuid4().hex}",
    }


@pytest.fixture
def book(place):
    made = new_book(collection=asked("projective"), **place)
    yield made
    made.release()


def ids(n):
    return [secrets.token_bytes(16) for _ in range(n)]


def test_reports_are_counted_and_repeats_are_not(book):
    some = ids(3)
    assert book.add(some, [0, 1, 1], DAY) == [True] * 3
    assert book.add([some[1], *ids(1), some[0]], [5, 6, 5], DAY) == [False, True, False]
    tally = book.tally()
    assert (tally.n, tally.counters) == (4, {0: 1, 1: 2, 6: 1})


def test_one_id_twice_in_a_commit_counts_once(book):
    (one,) = ids(1)
    assert book.add([one, one], [2, 3], DAY) == [True, False]
    assert book.tally().counters == {2: 1}


def test_a_book_goes_on_after_it_was_opened_again(book, place):
    some = ids(2)
    book.add(some, [0, 0], DAY)
    again = open_book(**place)
    assert again.collection == book.collection
    assert again.add(some, [0, 0], DAY) == [False, False]
    assert again.tally().n == 2
    again.release()


def test_ids_are_known_today_and_tomorrow_and_then_forgotten(book):
    some = ids(1)
    book.add(some, [0], DAY)
    assert book.add(some, [0], DAY + 1) == [False]
    assert book.add(some, [0], DAY + 2) == [True]


def test_a_closed_collection_takes_nothing(book, place):
    book.add(ids(2), [0, 1], DAY)
    looking = open_book(**place, **({"reading": True} if "schema" not in place else {}))
    looking.close_collection()
    with pytest.raises(NotApplicable, match="the collection is closed"):
        book.add(ids(1), [0], DAY)
    assert looking.is_closed()
    assert looking.tally().n == 2
    looking.release()


@pytest.fixture(scope="module")
def guest(server):
    """The address for somebody who may log in, and nothing else."""
    import psycopg

    with psycopg.connect(server, autocommit=True) as root:
        root.execute("CREATE ROLE guest LOGIN")
    return server.replace("ledger@", "guest@")


@pytest.mark.service("postgres")
def test_a_user_without_rights_is_told_so(server, guest):
    schema = f"c{uuid.uuid4().hex}"
    with pytest.raises(BadFile, match="this user may not use it"):
        new_book(guest, asked("unary"), schema=schema)
    new_book(server, asked("unary"), schema=schema).release()
    with pytest.raises(BadFile, match=r"no book|may not use it"):
        open_book(guest, schema=schema)


@pytest.mark.service("postgres")
@pytest.mark.parametrize("table", ["about (a int)", "about (name text, value int)"])
def test_a_schema_that_somebody_else_made(server, table):
    import psycopg

    schema = f"c{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as root:
        root.execute(f"CREATE SCHEMA {schema}")
        root.execute(f"CREATE TABLE {schema}.{table}")
    with pytest.raises(BadFile, match=r"no book of a collection|is not the book"):
        open_book(server, schema=schema)


@pytest.mark.service("postgres")
def test_several_collectors_count_in_one_database_at_once(server):
    """Four that send the same reports, each in an order of its own; one of them counts each report."""
    place = {"place": server, "schema": f"c{uuid.uuid4().hex}"}
    new_book(collection=asked("projective"), **place).release()
    sent = [(ident, at % 7) for at, ident in enumerate(ids(400))]

    def collect(seed):
        book = open_book(**place)
        order = random.Random(seed).sample(sent, len(sent))
        try:
            return [
                book.add(*zip(*order[at : at + 40], strict=True), DAY + seed % 2)
                for at in range(0, len(order), 40)
            ]
        finally:
            book.release()

    with ThreadPoolExecutor(4) as collectors:
        found = list(collectors.map(collect, range(4)))
    assert sum(sum(new) for commits in found for new in commits) == len(sent)
    book = open_book(**place)
    assert book.tally().counters == Counter(y for _, y in sent)
    book.release()


def test_a_second_collection_does_not_write_over_the_first(book, place):
    with pytest.raises(OutputExists, match="already exists"):
        new_book(collection=asked("unary"), **place)
    assert book.collection.wire.mechanism.family == "projective_response"


def test_whether_a_book_is_there(place):
    assert not has_book(**place)
    new_book(collection=asked("unary"), **place).release()
    assert has_book(**place)


def test_no_book_is_there(place):
    with pytest.raises(BadFile, match="no book is"):
        open_book(**place)


def test_a_collection_needs_a_question_and_a_name():
    text = stored_text(randomised_response(["a", "b"], eps=1))
    with pytest.raises(NotApplicable, match="a question and a name"):
        Collection.of(text, question="  ")


@pytest.mark.parametrize("text", ["a\x1b[31m", "a\0b", "\ud800"])
def test_a_question_and_a_name_are_text_that_can_be_shown_and_stored(text):
    """What a plan refuses as its title would be found out when the collection is closed."""
    stored = stored_text(randomised_response(["a", "b"], eps=1))
    for told in ({"question": text}, {"question": "?", "name": text}):
        with pytest.raises(NotApplicable, match="text without control characters"):
            Collection.of(stored, **told)


def test_two_collections_have_different_marks():
    assert asked("unary").mark != asked("unary").mark
