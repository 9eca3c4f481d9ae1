"""Files of other programs, read by a process of its own that may fail in any way."""

import json
import os
import subprocess
import sys
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, TooLarge
from dprivacy.model import open_regular

_LARGEST = 256 << 20  # bytes of text
_PART = 1 << 20
_FIRST = 64 << 20  # bytes of the first line, which may hold all labels of a survey


def read_apart(path: Path, *arguments: str) -> tuple[dict[str, Any], bytearray]:
    """What `sheet_process.py` says of a file, and the text that it became.

    Raises
    ------
    TooLarge
        Before so much is held.
    BadFile
        For whatever cannot be read.
    """
    content = bytearray()
    source = files("dprivacy.release.intake").joinpath("sheet_process.py")
    with open_regular(path) as file, as_file(source) as program, subprocess.Popen(
        [sys.executable, "-P", str(program), *arguments],
        stdin=file,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},  # each thread asks for memory of its own
    ) as reader:  # fmt: skip
        assert reader.stdout is not None
        first = reader.stdout.readline(_FIRST)
        while part := reader.stdout.read(_PART):
            content += part
            if len(content) > _LARGEST:
                reader.kill()
                raise TooLarge(
                    f"{path}: a table of more than {_LARGEST >> 20} MiB of text; save it as CSV"
                )
    if reader.returncode or not first.endswith(b"\n"):  # the limits ended it, or the library did
        raise BadFile(
            f"{path}: cannot be read; it is damaged, or takes too much memory or time: save it as CSV"
        )
    said: dict[str, Any] = json.loads(first)
    if "large" in said:
        raise TooLarge(f"{path}: {said['large']}")
    if "refused" in said:
        raise BadFile(f"{path}: {said['refused']}")
    return said, content
