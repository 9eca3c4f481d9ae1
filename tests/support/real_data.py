"""Real data sets, which lie beside the project where they are there at all."""

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"


def real(*parts):
    """A file or folder of the real data; where it is not here, the test is skipped."""
    there = DATA.joinpath(*parts)
    if not there.exists():
        pytest.skip(f"{'/'.join(parts)} is not here (../shared/data)")
    return there
