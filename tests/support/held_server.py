"""The page as a process whose work a test holds back, as a busy machine would, and lets go on."""

import os
from contextlib import suppress
from functools import wraps
from importlib import import_module
from inspect import iscoroutinefunction
from pathlib import Path

from support.patience import wait_until
from support.web_server import Served

FAIL = b"fail"
_FIRST = """
import sys
sys.path.insert(0, {tests!r})
from support.held_server import may_be_held
may_be_held({named!r}, {folder!r})
"""


class HeldServer(Served):
    """A server in which what is named, as "module:function" or "module:Class.method", can be held.

    A pipe in its folder is what a call waits for, so that neither side looks at a clock.
    """

    def __init__(self, folder: Path, *named: str) -> None:
        tests = str(Path(__file__).parents[1])
        super().__init__(
            folder, first=_FIRST.format(tests=tests, named=named, folder=str(folder.resolve()))
        )

    def calls(self, name: str) -> int:
        """How many calls there were so far."""
        called = self.folder / f"{name} is called"
        return called.stat().st_size if called.exists() else 0

    def hold(self, name: str) -> None:
        """Let the next call wait; those after it do not."""
        (self.folder / f"{name} is over").unlink(missing_ok=True)
        os.mkfifo(self.folder / name)

    def holds(self, name: str) -> bool:
        """Whether a call waits now; one that will wait is waited for."""
        return bool(wait_until((self.folder / f"{name} waits").exists))

    def let_go(self, name: str, how: bytes = b"") -> None:
        """Let the call go on that waits; with `FAIL` to no good end."""
        assert self.holds(name), f"{name} was not called"
        (self.folder / f"{name} waits").write_bytes(how)

    def finish(self, name: str) -> None:
        """Let the call go on that waits, and wait until it is over."""
        self.let_go(name)
        assert wait_until((self.folder / f"{name} is over").exists)

    def stop(self, *how: int) -> None:
        for waiting in self.folder.glob("* waits"):
            waiting.write_bytes(b"")
        super().stop(*how)


def may_be_held(named: list[str], folder: str) -> None:
    """In the server: replace what is named by the same that waits where the folder says so."""
    for each in named:
        module, _, path = each.partition(":")
        *owners, name = path.split(".")
        owner = import_module(module)
        for part in owners:
            owner = getattr(owner, part)
        setattr(owner, name, _held(getattr(owner, name), Path(folder) / name))


def _held(before, gate):
    if not iscoroutinefunction(before):

        @wraps(before)
        def late(*given, **more):
            _wait(gate)
            try:
                return before(*given, **more)
            finally:
                gate.with_name(f"{gate.name} is over").touch()

        return late

    @wraps(before)
    async def late_too(*given, **more):
        from nicegui import run

        await run.io_bound(_wait, gate)
        try:
            return await before(*given, **more)
        finally:
            gate.with_name(f"{gate.name} is over").touch()

    return late_too


def _wait(gate):
    with gate.with_name(f"{gate.name} is called").open("ab") as called:
        called.write(b".")
    waiting = gate.with_name(f"{gate.name} waits")
    with suppress(FileNotFoundError):  # nothing is held
        gate.rename(waiting)
        said = waiting.read_bytes()  # until the test has written
        waiting.unlink()
        if said == FAIL:
            raise MemoryError
