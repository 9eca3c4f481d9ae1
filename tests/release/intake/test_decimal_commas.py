"""Decimal commas: decimals where somebody has said so, and refused with the way out elsewhere."""

import tomllib

import pyarrow as pa
import pytest

from dprivacy.curves import read_days
from dprivacy.errors import BadFile, BadNumber, BadPlan
from dprivacy.geo import protect_place_file, read_place_file
from dprivacy.hashing import read_ratings
from dprivacy.release import Plan, propose, sanitise_file
from dprivacy.release.files.table_files import whole_table
from dprivacy.release.intake.decimal_commas import with_points
from dprivacy.release.intake.table_settings import TableSettings

CELLS = {
    "12,5": "12.5",
    "-0,25": "-0.25",
    ",5": ".5",
    " 3,14 ": " 3.14 ",
    "1,5e3": "1.5e3",
    "7": "7",
    "1.5": "1.5",
    "Ulm, Donau": "Ulm, Donau",
    "1,2,3": "1,2,3",
    "31.12.1999": "31.12.1999",
    "": "",
}
HOURS = {"type": "numbers", "low": 0, "high": 40, "grid": "1/2", "epsilon": "1/40"}
INCOME = "".join(f"a;{k},5\nb;{k},25\n" for k in range(30))


def written(folder, text, name="in.csv"):
    (folder / name).write_text(text)
    return folder / name


def test_cells(tmp_path):
    batch = pa.record_batch({"x": pa.array([*CELLS, None])})
    (found,) = with_points([batch], tmp_path)
    assert found.column("x").to_pylist() == [*CELLS.values(), None]
    assert found.schema == batch.schema


@pytest.mark.parametrize("cell", ["1.234", "-12.345,6", "1.234.567", " 1.234,"])
def test_what_may_be_a_thousand_is_refused_by_its_row(tmp_path, cell):
    first, second = (pa.record_batch({"x": ["1"], "y": [y]}) for y in ("2,5", cell))
    with pytest.raises(BadFile, match=r"column 'y', row 1: a point between groups") as refusal:
        list(with_points([first, second], tmp_path))
    assert cell.strip() not in str(refusal.value).replace(str(tmp_path), "")


def test_a_release_of_numbers_with_commas(tmp_path):
    path = written(tmp_path, "hours;note\n12,5;a\n3,0;b\n")
    plan = {"columns": {"hours": HOURS}, "drop": ["note"]}
    with pytest.raises(BadNumber, match=r"not a number .*decimal commas are read with --decimal ,"):
        sanitise_file(path, plan, tmp_path / "out.csv")
    assert sanitise_file(path, plan, tmp_path / "out.csv", decimal=",").card.count == 2
    again = Plan.read({**plan, "table": {"decimal": ","}})
    assert sanitise_file(path, again, tmp_path / "more.csv", again="a test").card.count == 2


def test_a_proposal_says_it_again(tmp_path):
    path = written(tmp_path, f"group;income\n{INCOME}")
    assert (
        "# income is dropped: its numbers are not written as 1234.5 is; for decimal commas"
        in propose(path)
    )
    plan = tomllib.loads(propose(path, decimal=","))
    assert plan["table"] == {"delimiter": ";", "decimal": ","}
    assert plan["columns"]["income"]["type"] == "numbers"


def test_places_days_and_ratings(tmp_path):
    said = {"delimiter": ";", "decimal": ","}
    places = written(tmp_path, "lat;lon\n47,1;8,25\n46,9;7,5\n")
    assert read_place_file(places, **said).lat.tolist() == [47.1, 46.9]
    with pytest.raises(BadFile, match=r"not a number.*decimal commas are read with"):
        read_place_file(places)
    made = protect_place_file(places, tmp_path / "out.csv", region="47,8,200 km", **said)
    assert len(made.data.lat) == 2
    days = written(tmp_path, "home;h0;h1\na;0,5;1\nb;1,25;0\n")
    assert read_days(days, keep="home", **said).values.tolist() == [[0.5, 1], [1.25, 0]]
    ratings = written(tmp_path, "user;item;rating\nann;tea;4,5\n")
    assert read_ratings(ratings, **said).vectors == ({"tea": 4.5},)
    with pytest.raises(BadFile, match=r"not a number; decimal commas are read with"):
        read_ratings(ratings)


def test_quoted_cells_between_commas(tmp_path):
    path = written(tmp_path, 'x,y\n"1,5",a\n"2,5",b\n')
    assert whole_table(path, decimal=",", header=True).column("x").to_pylist() == ["1.5", "2.5"]


@pytest.mark.parametrize("wrong", ["", ";", "comma", 3])
def test_what_no_decimals_have(wrong):
    with pytest.raises(BadPlan, match=r"decimal should be \. or ,"):
        TableSettings(decimal=wrong)
