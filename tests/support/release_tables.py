"""Plans and tables that the tests of releases share."""

import warnings
from contextlib import contextmanager
from pathlib import Path

import pytest

from dprivacy.errors import InsecureSeedWarning
from dprivacy.release import Plan, sanitise, sanitise_file

LETTERS = {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 2"}
CODES = {"type": "categories", "values": [1, 2, 3], "epsilon": "ln 2"}
NUMBERS = {"type": "numbers", "low": 0, "high": 10, "grid": 1, "epsilon": "1"}
TREE = {"type": "tree", "tree": {"Europe": ["FR", "DE"], "Asia": ["JP", "KR"]}, "epsilon": "ln 2"}
GRAPH = {"type": "graph", "edges": [["a", "b"], ["b", "c", "2"]], "epsilon": "ln 2"}
TABLE = {
    "type": "distances",
    "values": ["a", "b", "c"],
    "distances": [[0, 1, 2], [1, 0, 1], [2, 1, 0]],
    "epsilon": "ln 2",
}
BITS = {"type": "bits", "bits": 4, "epsilon": "ln 2"}
PLACE = {"type": "place", "columns": ["x", "y"], "epsilon": "1", "grid": "0.5"}
BLOCKS = {
    "type": "categories",
    "values": ["child", "single", "married", "widowed"],
    "blocks": [["child"], ["single", "married", "widowed"]],
    "epsilon": "ln 3",
}


# For tables whose rows have a level above 10 as a whole, which is warned of.
weak_rows = pytest.mark.filterwarnings(
    "ignore:.*not protected in any sense:dprivacy.errors.PrivacyLeakWarning"
)


def plan_of(spec=LETTERS, **top):
    """A plan that protects one column, h."""
    return Plan.read({"columns": {"h": spec}, **top})


@contextmanager
def seed_is_noticed():
    """Expect the warning of an insecure seed, and let others through as they are."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        yield
    kinds = [entry for entry in heard if issubclass(entry.category, InsecureSeedWarning)]
    assert kinds, "an insecure seed must be warned of"
    for entry in heard:
        if entry not in kinds:
            warnings.warn_explicit(entry.message, entry.category, entry.filename, entry.lineno)


def with_card(table, plan, **options):
    """A protected copy of a table, and its card."""
    released = sanitise(table, plan, **options)
    return released.data, released.card


def seeded(table, plan, seed=1, **options):
    with seed_is_noticed():
        return sanitise(table, plan, insecure_seed=seed, **options).data


def seeded_file(source, plan, output, seed=1, **options):
    with seed_is_noticed():
        return sanitise_file(source, plan, output, insecure_seed=seed, **options).card


class Stopped(BaseException):
    """Stands for a crash, or for Ctrl-C."""


def stopped_after(rows, run, **options):
    """Run a job, and stop it after some rows."""

    def interrupt(done, _total):
        if done >= rows:
            raise Stopped

    with pytest.raises(Stopped):
        run(progress=interrupt, **options)


def left_over(folder):
    """Temporary files that a run left behind."""
    return sorted(path.name for path in Path(folder).iterdir() if path.name.startswith("."))
