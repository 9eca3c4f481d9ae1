"""Every file that is read, hostile: a documented refusal in bounded time, never a traceback."""

import pytest

from support.programs import run_program

FORMATS = [
    "plan", "mechanism", "card", "journal", "csv", "parquet", "release", "prior", "matrix",
    "matrix-json", "distances", "geojson", "region", "places", "days", "readings", "pram", "words",
    "words-binary", "words-npz", "ratings",
]  # fmt: skip


def fuzzed(what: str, seed: int, many: int) -> dict[str, tuple[int, int]]:
    """By format, how many files were read and how many refused; anything else fails."""
    done = run_program("fuzz_files", what, seed, many)
    found, complaints = {}, []
    for line in done.stdout.splitlines():
        name, _, rest = line.partition(": read ")
        if rest:
            good, _, refused = rest.partition(" refused ")
            found[name] = int(good), int(refused)
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
def test_a_hundred_thousand(what):
    ((good, refused),) = fuzzed(what, 1, 100_000).values()
    assert good + refused == 100_000
    assert min(good, refused) > 1000
