"""Hostile codebooks and lists of codes; what is read of them must come to a plan in TOML."""

import json
import random
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

from dprivacy.release import propose, read_codebook
from support.made_codebooks import (
    A_ROW_A_VARIABLE,
    CODES_CSV,
    CSV,
    DDI,
    GROUPED,
    NIST,
    SDMX_21,
    SDMX_30,
)
from support.mutations import json_mutant, lines, mutants


def read_book(path: Path) -> None:
    """A plan from a codebook alone."""
    tomllib.loads(propose(None, codebook=path))


def read_codes(path: Path) -> None:
    """A plan from a list of codes alone."""
    tomllib.loads(propose(None, codebook=read_codebook(None, codes={"region": path})))


def _dictionaries(rng: random.Random) -> Iterator[bytes]:
    good, plain = json.loads(NIST), mutants([NIST.encode()], rng)
    while True:
        changed = json.dumps(json_mutant(good, rng)).encode()
        yield changed if rng.random() < 0.7 else next(plain)


def codebooks(
    rng: random.Random,
) -> dict[str, tuple[str, Iterator[bytes], Callable[[Path], object]]]:
    """For each format: a file's name, hostile files, and what reads them."""
    tables = [CSV.encode(), A_ROW_A_VARIABLE.encode()]
    return {
        "codebook-json": ("book.json", _dictionaries(rng), read_book),
        "codebook-csv": ("book.csv", lines(tables, rng), read_book),
        "codebook-ddi": ("book.xml", mutants([DDI.encode(), GROUPED.encode()], rng), read_book),
        "codes-sdmx": ("cl.xml", mutants([SDMX_21.encode(), SDMX_30.encode()], rng), read_codes),
        "codes-csv": ("cl.csv", lines([CODES_CSV.encode()], rng), read_codes),
    }
