"""Every file that is read, hostile: a documented refusal in bounded time, never a traceback."""

import re

import pytest

from support.programs import run_program

FORMATS = [
    "plan", "plan-json", "mechanism", "card", "channel", "space", "receipt", "local", "rounds",
    "journal", "csv", "texts-csv", "texts-jsonl", "parquet", "xlsx", "release", "prior", "matrix",
    "matrix-json", "distances", "geojson", "gpx", "region", "places", "days", "readings", "pram",
    "words", "words-binary", "words-npz", "ratings", "codebook-json", "codebook-csv",
    "codebook-ddi", "codes-sdmx", "codes-csv",
]  # fmt: skip


def fuzzed(what: str, seed: int, many: int) -> dict[str, tuple[int, int]]:
    """By format, how many files were read and how many refused; anything else fails.

    The table that is printed also has the growth of the memory in MiB and the slowest file in seconds.
    """
    done = run_program("fuzz_files", what, seed, many)
    found, complaints = {}, []
    for line in done.stdout.splitlines():
        if told := re.fullmatch(r"([a-z-]+): (\d+) (\d+) (\d+) ([\d.]+)", line):
            name, good, refused, peak, slowest = told.groups()
            found[name] = int(good), int(refused)
            print(f"{name:14}{good:>8}{refused:>8}{peak:>6} MiB{slowest:>7} s")
        else:
            complaints.append(line)
    assert not complaints, "\n".join(complaints[:10])
    assert done.returncode == 0, f"exit code {done.returncode}: {done.stderr[-2000:]}"
    return found


def test_a_few_of_every_format():
    found = fuzzed("all", 20261115, 50)
    assert list(found) == FORMATS
    for good, refused in found.values():
        assert good + refused == 50
        assert good  # some changes do no harm: what is read is reached
        assert refused


@pytest.mark.slow
@pytest.mark.parametrize("what", FORMATS)
def test_ten_thousand(what):
    ((good, refused),) = fuzzed(what, 1, 10_000).values()
    assert good + refused == 10_000
    assert min(good, refused) > 100
