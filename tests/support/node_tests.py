"""The JavaScript client's own tests, run by Node.js."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

CLIENT = Path(__file__).parents[2] / "clients" / "javascript"
OLDEST = 20


@cache
def missing() -> str:
    """Why Node.js cannot be used, or nothing."""
    node = shutil.which("node")
    if node is None:
        return "Node.js is not installed"
    told = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    major = int(told.removeprefix("v").partition(".")[0])
    return "" if major >= OLDEST else f"Node.js {told.strip()} is older than {OLDEST}"


def run_node(name: str, **environment: Any) -> str:
    """Run one file of tests; what it says, where it fails, is the failure."""
    told = {name: str(value) for name, value in environment.items()}
    command = ["node", "--test", "--test-reporter=spec", f"test/{name}"]
    found = subprocess.run(
        command, cwd=CLIENT, env=os.environ | told, capture_output=True, text=True, check=False
    )
    if found.returncode:
        pytest.fail(found.stdout[-8000:] + found.stderr[-2000:], pytrace=False)
    return found.stdout
