"""Non-interference: given the same released cells, all else that leaves is the same for neighbours.

An `Exit` is a way out, by name: a function of a source and a folder that gives everything that left, as
named bytes, texts and plain values. `differences` runs it on two neighbouring sources under the same
transcript of noise, and names what is not identical.
"""

import contextlib
import io
import os
import secrets
import shutil
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dprivacy.cli import progress_line
from dprivacy.curves.coefficient_noise import CurveMechanism
from dprivacy.geo.permanent_places import PermanentNoise
from dprivacy.geo.place_noise import PlaceMechanism
from dprivacy.mechanisms.families.laplace_grid import GridNoise
from dprivacy.mechanisms.families.planar_grid import PlanarMechanism
from dprivacy.mechanisms.local.geometry_reports import HyperplaneReports
from dprivacy.mechanisms.local.set_reports import SubsetReports, UnaryReports
from dprivacy.release.columns.permanent_answers import PermanentAnswers
from dprivacy.release.columns.permanent_reports import PermanentReports
from dprivacy.release.files import row_chunks, table_files
from dprivacy.release.jobs import job_start, output_writer
from dprivacy.release.ledger import ledger_pages
from dprivacy.release.ledger.stores.hash_chain import LedgerKey
from dprivacy.sampling import CategoricalSampler, KeyedSource, ShortSampler, SystemSource
from dprivacy.text.documents.word_noise import ExponentialWords

# Told to the operator alone, and excepted by name: rows sorted by a secret column are warned of.
DECLARED = "the rows are sorted or grouped by"
IDEAL = ("source", "run")  # of a ledger's keyed hashes: of the truth, or of what is drawn
KEY = bytes(range(32))
CLOCKS = ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns")
_NOON = datetime(2026, 1, 2, 12)


@dataclass(frozen=True)
class Exit:
    """A way out: what it is called, and what leaves for a source."""

    name: str
    leave: Callable[[Any, Path], Mapping[str, Any]]

    def __str__(self) -> str:
        return self.name


class _Clock(datetime):
    @classmethod
    def now(cls, tz=None):
        return _NOON.replace(tzinfo=tz)


@contextlib.contextmanager
def same_cells(key: bytes = KEY, *, late: bool = False):
    """The same noise transcript whatever the truth is; fixed keys, and small chunks.

    A ledger has a fixed day, and lines of progress a fixed pace. Every other clock is left as it is, or
    `late`, goes wrong by a day and some, and too fast.

    Just before a draw the truth is replaced by the first value, or the origin, so that what is drawn
    depends on nothing but the random words, and these are the same each time. A keyed hash under a
    secret key counts as what it is made to look like, random: it is replaced by a number in a row.
    """
    stream, ticks, names = KeyedSource(key, "transcript"), iter(range(10**9)), iter(range(10**9))

    def ignoring(kind, name, *truths):
        """Call a method with some of its arguments replaced by zeros."""
        real = getattr(kind, name)

        def method(self, *given, **options):
            blank = [np.zeros_like(v) if k in truths else v for k, v in enumerate(given)]
            return real(self, *blank, **options)

        patch.setattr(kind, name, method)

    def constant(kind, name):
        """Call a method, and replace what it gives by zeros."""
        real = getattr(kind, name)
        patch.setattr(kind, name, lambda self, *given: np.zeros_like(real(self, *given)))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SystemSource, "words", lambda self, n: stream.words(n))
        patch.setattr(SystemSource, "below", lambda self, bound: stream.below(bound))
        ignoring(CategoricalSampler, "draw", 0)
        ignoring(CategoricalSampler, "from_words", 0)
        ignoring(ShortSampler, "draw", 0)
        ignoring(PlanarMechanism, "randomise", 0)
        ignoring(PlaceMechanism, "noisy", 0)
        constant(GridNoise, "_snapped")
        constant(CurveMechanism, "coefficients")
        for sets in (SubsetReports, UnaryReports, HyperplaneReports):
            ignoring(sets, "draw", 0)
        ignoring(PermanentAnswers, "draw", 0)
        ignoring(PermanentReports, "draw", 0)
        ignoring(PermanentNoise, "noisy", 0)
        ignoring(ExponentialWords, "draw", 0)
        keyed = LedgerKey.tag
        patch.setattr(
            LedgerKey,
            "tag",
            lambda self, purpose, *parts: keyed(
                self, purpose, *([bytes([next(names)])] if purpose in IDEAL else parts)
            ),
        )
        begun = job_start.run_of
        patch.setattr(
            job_start, "run_of", lambda *given, source, **how: begun(*given, source=b"", **how)
        )
        patch.setattr(secrets, "token_bytes", lambda n=32: key[:n])
        patch.setattr(secrets, "token_hex", lambda n=32: key[:n].hex())
        patch.setattr(ledger_pages, "datetime", _Clock)
        patch.setattr(progress_line, "monotonic", lambda: next(ticks))
        patch.setattr(row_chunks, "CHUNK", 8)
        patch.setattr(row_chunks, "GROUP", 16)
        patch.setattr(table_files, "_BLOCK", 1 << 9)
        patch.setattr(output_writer, "CHECKPOINT", 1 << 8)
        patch.setattr(os, "fsync", lambda handle: None)  # nobody pulls the plug here
        for clock in CLOCKS if late else ():
            true = getattr(time, clock)
            patch.setattr(time, clock, lambda true=true: type(true())(1.37 * true() + 1e5))
        yield


def what_leaves(
    way: Exit, source: Any, folder: Path, key: bytes = KEY, *, late: bool = False
) -> dict[str, Any]:
    """All that leaves, with warnings and what is printed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    out, err = io.StringIO(), io.StringIO()
    with (
        same_cells(key, late=late),
        warnings.catch_warnings(record=True) as heard,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        warnings.simplefilter("always")
        left = dict(way.leave(source, folder))
    told = [f"{one.category.__name__}: {one.message}" for one in heard]
    return left | {
        "warnings": [text for text in told if DECLARED not in text],
        "printed": (out.getvalue(), err.getvalue()),
    }


def differences(way: Exit, first: Any, second: Any, folder: Path) -> list[str]:
    """What leaves differently for two neighbouring sources, at two times."""
    one, other = what_leaves(way, first, folder), what_leaves(way, second, folder, late=True)
    return [
        f"{way}: {name}: {_shown(one.get(name))} or {_shown(other.get(name))}"
        for name in sorted({*one, *other})
        if name not in one or name not in other or one[name] != other[name]
    ]


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 400 else f"{text[:200]} … {text[-200:]} ({len(text)})"


def files_of(folder: Path, *but: str) -> dict[str, Any]:
    """Names, modes and bytes of all files in a folder, but for the source's own."""
    return {
        f"file {path.name}": (oct(path.stat().st_mode), path.read_bytes())
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in but
    }


def aged(path: Path) -> Path:
    """The file with a fixed time of its last change."""
    os.utime(path, ns=(10**18, 10**18))
    return path
