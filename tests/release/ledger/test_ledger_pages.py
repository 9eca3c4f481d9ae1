"""Addresses of ledgers: a password is never shown, and whatever is no address is refused in words."""

import random
import sys
import traceback

import pytest

from dprivacy.errors import DPrivacyError, Malformed, MissingExtra
from dprivacy.release import Ledger
from dprivacy.release.ledger.stores.postgres_store import safe_name
from support.patience import brisk

PASSWORD = "hunter2canary"
ADDRESSES = [
    f"postgresql://ann:{PASSWORD}@127.0.0.1:1/db",
    f"postgres://ann:{PASSWORD}@localhost:1/db?connect_timeout=1",
    f"postgresql://ann:{PASSWORD}@/db?host=/nowhere",
    f"postgresql://127.0.0.1:1/db?user=ann&password={PASSWORD}",
    f"postgresql://ann:1/{PASSWORD}@127.0.0.1:1/db",
    f"postgresql://ann:1#{PASSWORD}@127.0.0.1:1/db",
    f"postgresql://ann:{PASSWORD}",
    f"postgresql://ann:{PASSWORD}@127.0.0.1:port/db",
    f"postgresql://[{PASSWORD}/db",
    f"postgresql://127.0.0.1:1/db?{PASSWORD}=1",
    f"postgresql://127.0.0.1:1/%zz{PASSWORD}",
    f"postgresql://ann:{PASSWORD}\0@127.0.0.1:1/db",
    f"postgresql://ann:{PASSWORD}\ud800@127.0.0.1:1/db",
    f"mysql://ann:{PASSWORD}@127.0.0.1/db",
    f"POSTGRESQL://ann:{PASSWORD}@127.0.0.1/db",
    f"postgresql+psycopg://ann:{PASSWORD}@127.0.0.1/db",
]


def refused(address, tmp_path):
    """The refusal of an address, in which nothing of the password stands."""
    with pytest.raises(DPrivacyError) as caught:
        Ledger(address, key=tmp_path / "key")
    shown = [str(caught.value), *traceback.format_exception(caught.value)]
    told = [line for text in shown for line in text.splitlines() if "File " not in line]
    assert not [line for line in told if "canary" in line or "hunter2" in line]
    assert caught.value.__cause__ is None
    assert not list(tmp_path.iterdir())
    return str(caught.value)


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_password_is_never_shown(address, tmp_path):
    pytest.importorskip("psycopg")
    refused(address, tmp_path)


def test_the_refusal_says_where_and_what_to_do(tmp_path):
    pytest.importorskip("psycopg")
    text = refused(ADDRESSES[0], tmp_path)
    assert text.startswith("postgresql://127.0.0.1:1/db: the ledger's server does not answer")
    assert "psql" in text


def mutated(rng):
    text = list(rng.choice(ADDRESSES))
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(3)
        if kind == 0 and text:
            del text[at : at + rng.randrange(4)]
        elif kind == 1:
            text.insert(at, rng.choice("/@:?#%&=[] \t\n\0é\U0001f600'\"\\"))
        else:
            text[at:at] = text[: rng.randrange(8)]
    return "".join(text)


@pytest.mark.parametrize("count", [300, pytest.param(100_000, marks=pytest.mark.slow)])
def test_mutated_addresses(tmp_path, monkeypatch, count):
    """Parsed by libpq itself; the connection is replaced by an error that quotes everything."""
    psycopg = pytest.importorskip("psycopg")

    def connect(url, **options):
        found = psycopg.conninfo.make_conninfo(url, **options)
        raise psycopg.OperationalError(f"{url} {found}")

    monkeypatch.setattr(psycopg, "connect", connect)
    rng = random.Random(3)
    for _ in range(count):
        address = mutated(rng)
        if "://" not in address:
            continue
        with brisk(), pytest.raises(DPrivacyError) as caught:
            Ledger(address, key=tmp_path / "key")
        shown = f"{caught.value} {caught.value.__cause__}"
        # Where a mutation made the password the host or the database, it is none any more.
        name = safe_name(address)
        assert "hunter2" not in shown.replace(name, "")
        if "hunter2" in name:
            assert "@" not in address.split("hunter2")[1]


def test_a_ledger_in_postgresql_needs_the_file_of_its_key(monkeypatch):
    monkeypatch.delenv("DPRIVACY_LEDGER_KEY", raising=False)
    with pytest.raises(Malformed, match="DPRIVACY_LEDGER_KEY"):
        Ledger("postgresql://127.0.0.1:1/db")


def test_without_the_driver(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(MissingExtra, match=r"pip install 'dprivacy\[postgres\]'"):
        Ledger("postgresql://127.0.0.1:1/db", key=tmp_path / "key")


@pytest.mark.parametrize("schema", ["", "A", "a b", "a;drop", "x" * 64, "1a"])
def test_what_is_no_schema(schema, tmp_path):
    pytest.importorskip("psycopg")
    with pytest.raises(Malformed, match="schema"):
        Ledger("postgresql://127.0.0.1:1/db", key=tmp_path / "key", schema=schema)


def test_ledgers_share_a_database(postgres, tmp_path):
    first = {"place": postgres, "key": tmp_path / "a.key", "schema": "first"}
    with Ledger(**first) as a, Ledger(postgres, key=tmp_path / "b.key", schema="second") as b:
        assert a.id != b.id
    with pytest.raises(DPrivacyError, match="another key"):
        Ledger(**{**first, "key": tmp_path / "b.key"})
    with pytest.raises(Malformed, match="the ledger does not exist in schema 'third'"):
        Ledger(postgres, key=tmp_path / "a.key", schema="third", create=False)
    with pytest.raises(DPrivacyError, match="is not a ledger"):
        Ledger(postgres, key=tmp_path / "a.key", schema="pg_catalog", create=False)
