"""Files of SPSS and Stata: their records as text, and what they say of their variables."""

from pathlib import Path
from typing import Any

from dprivacy.extras import pyreadstat
from dprivacy.release.intake.contained_reading import read_apart

LABELLED = (".sav", ".zsav", ".por", ".dta")


def is_labelled(path: Path) -> bool:
    """Whether a file's name says that SPSS or Stata wrote it."""
    return path.suffix.lower() in LABELLED


def labelled_text(path: Path) -> bytearray:
    """The records as CSV in UTF-8, below the names of the variables; codes, not their labels."""
    pyreadstat()
    return read_apart(path, _format(path))[1]


def labels_in(path: Path) -> list[dict[str, Any]]:
    """For each variable name, label, measure, labelled values and ranges of missing ones."""
    pyreadstat()
    found: list[dict[str, Any]] = read_apart(path, _format(path), "labels")[0]["variables"]
    return found


def _format(path: Path) -> str:
    return path.suffix.lower().removeprefix(".").replace("zsav", "sav")
