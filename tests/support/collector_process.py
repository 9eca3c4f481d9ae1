"""A collector as a process of its own, for tests and benches: started, killed, started again."""

import http.client
import json
import os
import secrets
import signal
import subprocess
import sys

from support.patience import PATIENCE

_PROGRAM = """
import resource, sys
from dprivacy.collecting import SCHEMA, bounded_protocol, open_book, serve_collection
place, most, schema, slowest = sys.argv[1:]
if slowest:
    bounded_protocol.SLOWEST = float(slowest)
if int(most):
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(most), int(most)))
book = open_book(place, schema=schema or SCHEMA)
serve_collection(book, port=0, ready=lambda address: print(address, flush=True))
"""


class CollectorProcess:
    """Serves a book that is there; `largest` bounds its files, as a full disk would.

    `slowest` is how long a request may take to arrive, in seconds.
    """

    def __init__(self, place, largest=0, schema="", slowest=""):
        self.process = subprocess.Popen(
            [sys.executable, "-c", _PROGRAM, str(place), str(largest), schema, str(slowest)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ,
        )
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), self.process.stderr.read()
        self.host = self.address.removeprefix("http://").rstrip("/")

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        self.process.wait(timeout=PATIENCE)
        errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return errors


def new_id():
    return secrets.token_hex(16)


def body(wire, reports):
    """A request of reports with their ids."""
    return json.dumps({"mechanism": wire.hash, "reports": reports}).encode()


def posted(host, sent, headers=None):
    """Status and answer of a request."""
    line = http.client.HTTPConnection(host, timeout=PATIENCE)
    try:
        line.request("POST", "/v1/reports", sent, headers or {})
        answer = line.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        line.close()


def asked(host, path):
    """Status and bytes of what is read."""
    line = http.client.HTTPConnection(host, timeout=PATIENCE)
    try:
        line.request("GET", path)
        answer = line.getresponse()
        return answer.status, answer.read()
    finally:
        line.close()
