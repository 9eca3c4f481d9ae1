"""A collector that is killed under load again and again, while its senders send until they are heard.

python -m support.collector_storm PLACE SCHEMA KILLS    a book that is there; prints what it found
"""

import http.client
import json
import random
import secrets
import signal
import sys
import threading
from collections import Counter
from contextlib import closing

from dprivacy.collecting import open_book
from support.collector_process import CollectorProcess, body
from support.patience import PATIENCE, wait_until

_SENDERS = 8
_MOST = 40  # acknowledgements before the next kill


class Sender(threading.Thread):
    """Sends reports until it is stopped; one that is not acknowledged is sent again, the same bytes."""

    def __init__(self, storm):
        super().__init__(daemon=True)
        self.storm = storm

    def run(self):
        while not self.storm.over.is_set():
            reports = [
                [secrets.token_hex(16), secrets.randbelow(self.storm.wire.slots)]
                for _ in range(random.choice((1, 1, 1, 5)))
            ]
            if random.random() < 0.2 and self.storm.heard:
                reports.append(random.choice(self.storm.heard))  # somebody sends again what arrived
            self.storm.sent.extend(reports)
            self.send(body(self.storm.wire, reports), reports)

    def send(self, told, reports):
        while True:
            host = self.storm.host
            try:
                with closing(http.client.HTTPConnection(host, timeout=PATIENCE)) as line:
                    line.request("POST", "/v1/reports", told)
                    with line.getresponse() as answer:
                        answer.read()
            except (OSError, http.client.HTTPException):
                self.storm.moved.wait(PATIENCE)
                continue
            if answer.status == 200:
                self.storm.heard.append(reports[0])
                self.storm.acknowledged.release()
                return
            self.storm.refused.append(answer.status)
            wait_until(self.storm.moved.is_set, seconds=1)


class Storm:
    """Kills a collector so many times; `lost` and `doubled` should be empty."""

    def __init__(self, place, schema="", kills=3):
        self.place, self.schema = str(place), schema
        self.sent, self.heard, self.refused = [], [], []
        self.acknowledged, self.over = threading.Semaphore(0), threading.Event()
        self.moved = threading.Event()  # a new collector listens
        self.wire, before = self._read()
        server = self._started()
        senders = [Sender(self) for _ in range(_SENDERS)]
        for sender in senders:
            sender.start()
        for _ in range(kills):
            for _ in range(random.randrange(1, _MOST)):
                assert self.acknowledged.acquire(timeout=PATIENCE)
            self.moved.clear()
            server.stop(signal.SIGKILL)
            server = self._started()
        self.over.set()
        for sender in senders:
            sender.join(PATIENCE)
            assert not sender.is_alive()
        server.stop()
        true = Counter(y for _, y in {ident: y for ident, y in self.sent}.items())
        found = Counter(self._read()[1]) - Counter(before)
        self.lost, self.doubled = true - found, found - true

    def _started(self):
        server = CollectorProcess(self.place, schema=self.schema)
        self.host = server.host
        self.moved.set()
        return server

    def _read(self):
        """The book's wire and counters."""
        more = {"schema": self.schema} if self.schema else {"reading": True}
        book = open_book(self.place, **more)
        try:
            return book.collection.wire, book.tally().counters
        finally:
            book.release()


if __name__ == "__main__":
    found = Storm(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    print(
        json.dumps(
            {
                "requests": len(found.heard),
                "reports": len({ident for ident, _ in found.sent}),
                "lost": sum(found.lost.values()),
                "doubled": sum(found.doubled.values()),
                "refused": len(found.refused),
            }
        )
    )
