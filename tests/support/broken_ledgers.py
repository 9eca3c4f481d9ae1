"""Ledgers whose connection fails before or after a chosen statement, once or from there on."""

import contextlib
import selectors
import socket
import sqlite3
import tempfile
import threading
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from support.patience import wait_until

_STATEMENT_ENDS = b"SQ"  # Sync and Query, as the protocol of PostgreSQL calls them
_LATER = 8  # statements with which a client comes back: settings, BEGIN, the tables, the lock


class Faults:
    """Which statement fails: the `at`-th from now on, "before" it runs, or "after" it.

    "midway" it is sent to a server and nobody waits for the answer; in SQLite that is "after". "late"
    it reaches the server only when the client has come back and asked _LATER statements more. With
    `lasting`, every later one fails as well until `heal`.
    """

    def __init__(self):
        self._lock = threading.Lock()
        self.heal()

    def arm(self, at, when, *, lasting):
        self.at, self.when, self.lasting, self.count, self.fired = at, when, lasting, 0, False

    def heal(self):
        self.at, self.when, self.lasting, self.count, self.fired = 0, "", False, 0, False

    @property
    def is_down(self):
        return self.fired and self.lasting

    def next(self):
        """How the next statement fails; "" when it does not."""
        with self._lock:
            self.count += 1
            if self.is_down:
                return "before"
            if self.count != self.at:
                return ""
            self.fired = True
            return self.when


class WoundedConnection:
    """A connection of SQLite that fails when its faults say so."""

    def __init__(self, real, faults):
        self._real, self._faults = real, faults

    def execute(self, sql, values=()):
        failing = self._faults.next()
        if failing == "before":
            raise sqlite3.OperationalError("disk I/O error")
        answer = self._real.execute(sql, values)
        if failing:
            answer.close()
            raise sqlite3.OperationalError("disk I/O error")
        return answer

    def __getattr__(self, name):
        return getattr(self._real, name)


@contextlib.contextmanager
def cutting_proxy(url, faults):
    """The URL of a PostgreSQL server behind a proxy that cuts connections when its faults say so."""
    (server,) = parse_qs(urlsplit(url).query)["host"]
    with (
        tempfile.TemporaryDirectory(prefix="dprivacy-proxy-") as folder,
        socket.socket(socket.AF_UNIX) as listening,
    ):
        listening.bind(f"{folder}/.s.PGSQL.5432")
        listening.listen()
        thread = threading.Thread(target=_accept, args=(listening, server, faults), daemon=True)
        thread.start()
        yield url.replace(server, folder)
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def _accept(listening, server, faults):
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return
        if faults.is_down:
            client.close()
            continue
        behind = socket.socket(socket.AF_UNIX)
        behind.connect(str(Path(server, ".s.PGSQL.5432")))
        threading.Thread(target=_carry, args=(client, behind, faults), daemon=True).start()


def _carry(client, server, faults):
    """Pass on what both sides say, until one of them goes or a statement is to fail."""
    with client, server, selectors.DefaultSelector() as ready, contextlib.suppress(OSError):
        length = client.recv(4, socket.MSG_WAITALL)
        server.sendall(length + client.recv(int.from_bytes(length) - 4, socket.MSG_WAITALL))
        ready.register(client, selectors.EVENT_READ)
        ready.register(server, selectors.EVENT_READ)
        said = b""
        while True:
            sides = [key.fileobj for key, _ in ready.select()]
            if server in sides:
                data = server.recv(1 << 16)
                if not data:
                    return
                client.sendall(data)
            elif client in sides:
                data = client.recv(1 << 16)
                if not data:
                    return
                said += data
                while (end := _statement(said)) > 0:
                    statement, said = said[:end], said[end:]
                    failing = faults.next()
                    if failing == "late":
                        client.close()
                        wait_until(lambda: faults.count >= faults.at + _LATER or not faults.at)
                    if failing != "before":
                        server.sendall(statement)
                    if failing in ("after", "late"):
                        _wait_until_ready(server)
                    if failing:
                        return
                if said[:1] == b"X":  # farewell
                    server.sendall(said)


def _statement(data):
    """Where the first statement ends in what a client said; 0 where it does not yet."""
    at = 0
    while len(data) >= at + 5:
        kind, end = data[at : at + 1], at + 1 + int.from_bytes(data[at + 1 : at + 5])
        if end > len(data):
            return 0
        if kind in _STATEMENT_ENDS:
            return end
        at = end
    return 0


def _wait_until_ready(server):
    """Swallow the answers of a server until it is ready for the next question."""
    kind = b""
    while kind != b"Z":
        head = server.recv(5, socket.MSG_WAITALL)
        kind, rest = head[:1], int.from_bytes(head[1:]) - 4
        if rest:
            server.recv(rest, socket.MSG_WAITALL)
