"""What is read and secret is not shown: a notebook, a log and a debugger print what they are given."""

import pytest

from dprivacy.curves import read_days
from dprivacy.geo import read_place_file
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
