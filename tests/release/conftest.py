"""A PostgreSQL server of the tests' own, where the system has one, and ledgers of both kinds."""

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from dprivacy.release.ledger import Ledger

PATIENCE = 60  # seconds for the server to start


def _programs():
    """The folder of PostgreSQL's programs, or a reason why there is none."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    there = shutil.which("initdb")
    if there is None:
        pytest.skip("PostgreSQL's server programs are not installed (initdb)")
    return Path(there).parent


def _unprivileged():
    """Whom the server runs as: PostgreSQL refuses to run as root."""
    if os.getuid():
        return {}
    for name in ("postgres", "nobody"):
        try:
            who = pwd.getpwnam(name)
        except KeyError:
            continue
        return {"user": who.pw_uid, "group": who.pw_gid, "extra_groups": []}
    pytest.skip("there is no unprivileged user to run PostgreSQL as")


@pytest.fixture(scope="session")
def postgres():
    """The URL of a database in a server that only this session uses, by a socket in its folder."""
    pytest.importorskip("psycopg", reason="psycopg is not installed (extra postgres)")
    programs, who = _programs(), _unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="dprivacy-pg-"))
    if who:
        os.chown(folder, who["user"], who["group"])
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **who}
    made = subprocess.run(
        [programs / "initdb", "-D", folder / "data", "-A", "trust", "-U", "ledger", "-E", "UTF8"],
        check=False,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
        **quiet,
    )
    if made.returncode:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip("PostgreSQL's initdb does not run here")
    settings = ["listen_addresses=", f"unix_socket_directories={folder}", "max_connections=100"]
    command = [programs / "postgres", "-D", folder / "data"]
    server = subprocess.Popen(
        [*command, *(part for setting in settings for part in ("-c", setting))], **quiet
    )
    url = f"postgresql://ledger@/postgres?host={folder}"
    try:
        _wait(url, server)
        yield url
    finally:
        server.send_signal(signal.SIGINT)  # at once, without waiting for clients
        server.wait(PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)


def _wait(url, server):
    import psycopg

    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.poll() is None:
        try:
            psycopg.connect(url).close()
            return
        except psycopg.OperationalError:
            time.sleep(0.1)
    pytest.skip("PostgreSQL's server does not start here")


_schemas = itertools.count()


@pytest.fixture(params=["sqlite", "postgres"])
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
