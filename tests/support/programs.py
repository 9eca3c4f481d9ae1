"""Programs in a process of their own, so that what kills them leaves the tests alone."""

import os
import re
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]


def printed(program):
    """What a fresh interpreter prints that runs this text."""
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout


def run_program(name, *arguments, seconds=None):
    """What `python -m support.NAME ARGUMENTS` printed, and how it ended."""
    path = os.pathsep.join([str(TESTS), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", f"support.{name}", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds,
        env={**os.environ, "PYTHONPATH": path},
    )


def of_this_process(what):
    """A line of /proc/self/status, such as VmHWM, in bytes."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(rf"^{what}:\s+(\d+) kB", status, re.MULTILINE)[1]) << 10
