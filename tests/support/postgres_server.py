"""A PostgreSQL server of the tests' own, reached by a socket in its folder."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

from support.patience import PATIENCE, wait_until
from support.services import lacks, postgres_programs, require


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
    lacks("postgres", "there is no unprivileged user to run it as")


@contextmanager
def postgres_server():
    """The URL of a database in a server that runs as long as the context."""
    require("postgres")
    programs, who = postgres_programs(), _unprivileged()
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
        lacks("postgres", "initdb does not run here")
    settings = ["listen_addresses=", f"unix_socket_directories={folder}", "max_connections=100"]
    command = [programs / "postgres", "-D", folder / "data"]
    server = subprocess.Popen(
        [*command, *(part for setting in settings for part in ("-c", setting))], **quiet
    )
    url = f"postgresql://ledger@/postgres?host={folder}"
    try:
        if not wait_until(lambda: server.poll() is not None or _answers(url)) or server.poll():
            lacks("postgres", "the server does not start here")
        yield url
    finally:
        server.send_signal(signal.SIGINT)  # at once, without waiting for clients
        server.wait(PATIENCE)
        shutil.rmtree(folder, ignore_errors=True)


def _answers(url):
    import psycopg

    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
