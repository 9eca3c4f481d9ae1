"""Ledgers in a file and in PostgreSQL, where the system has a server to start."""

import itertools

import pytest

from dprivacy.release import Ledger
from support.postgres_server import postgres_server


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
    """An open ledger, in a file or in PostgreSQL."""
    with Ledger(**where) as ledger:
        yield ledger
