"""The page as a process of its own, for tests."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from support.patience import PATIENCE

_PROGRAM = """
import sys
from dprivacy.web import serve
serve(port=0, browser=False, largest=int(sys.argv[1]), ready=lambda address: print(address, flush=True))
"""


class Served:
    """A server on a free port, whose temporary files go into a folder of the test's.

    `first` is what its process does before it serves.
    """

    def __init__(self, folder: Path, largest: int = 1 << 20, first: str = "") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        with (folder / "errors.txt").open("w") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-c", first + _PROGRAM, str(largest)],
                stdout=subprocess.PIPE,
                stderr=errors,
                env={**os.environ, "TMPDIR": str(folder)},
                cwd=folder,
                text=True,
            )
        self.address = self.process.stdout.readline().strip()
        assert self.address.startswith("http://127.0.0.1:"), (folder / "errors.txt").read_text()
        self.base = self.address.removesuffix("/")
        self.origin, _, self.key = self.base.rpartition("/")
        self.port = int(self.origin.rpartition(":")[2])

    def stop(self, number: int = signal.SIGTERM) -> None:
        self.process.send_signal(number)
        self.process.wait(timeout=PATIENCE)
        self.process.stdout.close()

    def desks(self) -> list[Path]:
        return sorted(self.folder.glob("dprivacy-page-*"))

    def errors(self) -> str:
        return (self.folder / "errors.txt").read_text()
