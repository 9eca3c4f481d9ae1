"""What is read and secret is not shown: a notebook, a log and a debugger print what they are given."""

import pickle
import struct

import pytest

from dprivacy.curves import protect_curves, read_days
from dprivacy.geo import protect_place_file, read_place_file
from dprivacy.hashing import read_ratings

ROWS = "".join(f"Bob-Q7{k},40.{k}47,2.{k}47\n" for k in range(5))


@pytest.mark.parametrize(
    ("read", "names"),
    [
        (lambda path: read_days(path, person="who", keep=["who"]), "who,h0,h1"),
        (lambda path: read_place_file(path, person="who", keep=["who"]), "who,lat,lon"),
        (read_ratings, "user,item,rating"),
    ],
)
def test_no_cell_is_shown(read, names, tmp_path):
    (tmp_path / "in.csv").write_text(f"{names}\n{ROWS}")
    found = read(tmp_path / "in.csv")
    assert not [mark for mark in ("Q7", "47") if mark in repr(found).replace(str(tmp_path), "")]


def of_places(folder):
    made = protect_place_file(
        folder / "in.csv", folder / "out.csv", region="40.5,2.5,99 km", person="who", keep="town"
    )
    made.save(folder / "once-more.csv")
    return made


def of_days(folder):
    days = read_days(folder / "in.csv", columns="lat:lon", person="who", keep="town")
    made = protect_curves(days, eps=1, grid="0.001")
    made.save(folder / "once-more.csv")
    return made


@pytest.mark.parametrize("release", [of_places, of_days])
def test_a_release_that_is_pickled_holds_nothing_of_the_truth(release, tmp_path):
    """Neither what was measured nor whose it is: only what is written, which can be written again."""
    truth = [40.5 + k * k % 7 / 64 for k in range(9)]
    rows = [f"Bob-Q7{k},{x},2.5,town {k}\n" for k, x in enumerate(truth)]
    (tmp_path / "in.csv").write_text("who,lat,lon,town\n" + "".join(rows))
    made = pickle.loads(pickle.dumps(release(tmp_path)))
    held = pickle.dumps(made)
    assert b"Bob-Q7" not in held  # two letters alone may be in noise by chance
    assert not [x for x in truth if struct.pack("<d", x) in held or struct.pack(">d", x) in held]
    made.save(tmp_path / "again.csv")
    first, again = ((tmp_path / name).read_bytes() for name in ("once-more.csv", "again.csv"))
    assert first == again
    assert b"town 3" in again
