"""Ledgers in a file and in PostgreSQL, where the system has a server; releases in either format."""

import itertools

import pytest

from dprivacy.release import Ledger, received
from support.postgres_server import postgres_server
from support.release_tables import seeded_file


@pytest.fixture(scope="session")
def postgres():
    """The URL of a database in a server that only this session uses."""
    with postgres_server() as url:
        yield url


_schemas = itertools.count()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.service("postgres"))])
def where(request, tmp_path):
    """What opens the same ledger again and again, in a file or in PostgreSQL: Ledger(**where)."""
    if request.param == "sqlite":
        return {"place": tmp_path / "ledger.db"}
    url = request.getfixturevalue("postgres")
    return {"place": url, "key": tmp_path / "team.key", "schema": f"ledger_{next(_schemas)}"}


@pytest.fixture
def book(where):
    """A ledger in a file or in PostgreSQL, which also counts what has no budget."""
    with Ledger(**where, open=True) as ledger:
        yield ledger


@pytest.fixture(scope="module", params=["parquet", "csv"])
def release(request, tmp_path_factory):
    """The module's own people(), released by its PLAN in either format."""
    import pyarrow.parquet as pq

    folder = tmp_path_factory.mktemp("release")
    source, output = folder / "in.parquet", folder / f"out.{request.param}"
    pq.write_table(request.module.people(), source)
    seeded_file(source, request.module.PLAN, output)
    return received(output)


@pytest.fixture(scope="module")
def truth(request):
    """What release does not show."""
    return request.module.people().to_pandas()
