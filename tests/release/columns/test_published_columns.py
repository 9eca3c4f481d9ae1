"""Columns that are published as they are need somebody who says whose the rows are."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.curves import curves
from dprivacy.cli.verbs.geo import geo
from dprivacy.cli.verbs.match import match
from dprivacy.curves import protect_curves, read_days
from dprivacy.errors import NotApplicable
from dprivacy.geo import protect_place_file
from dprivacy.release.columns.published_columns import require_person

PLACES = "user,lat,lon\nann,40.7,-74.0\nann,40.71,-74.0\nbob,40.7,-74.0\n"
DAYS = "home,h0,h1\n7,0.5,0.25\n7,1,0\n8,1,0\n"
SAID = "Published as they are, hence not protected: {}."


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("places.csv").write_text(PLACES)
    Path("days.csv").write_text(DAYS)


def run(verb, *arguments):
    return CliRunner().invoke(verb, [*arguments, "-o", "out.csv"])


VERBS = {
    "user": (geo, ["places.csv", "--keep", "user"]),
    "home": (curves, ["days.csv", "--epsilon", "1", "--grid", "1/4", "--keep", "home"]),
}


@pytest.mark.parametrize("column", VERBS)
def test_keeping_needs_a_person(column):
    verb, arguments = VERBS[column]
    refused = run(verb, *arguments).exception
    assert isinstance(refused, NotApplicable)
    assert f"columns to keep ({column}) are published as they are" in str(refused)
    assert "--person" in str(refused)
    assert "'row' when every row is a person of its own" in str(refused)
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("column", VERBS)
@pytest.mark.parametrize("person", ["column", "row"])
def test_screen_and_card_say_what_is_published(column, person):
    verb, arguments = VERBS[column]
    done = run(verb, *arguments, "--person", column if person == "column" else "row")
    assert done.exit_code == 0, done.exception
    assert SAID.format(column) in done.stdout
    assert column in Path("out.csv").read_text().splitlines()[0]
    card = json.loads(Path("out.csv.card.json").read_text())["body"]
    assert card["pass_through"] == [column]


def test_nothing_is_said_where_nothing_is_kept():
    done = run(geo, "places.csv")
    assert "hence not protected" not in done.stdout


def test_the_name_of_a_kept_column_steers_no_terminal():
    Path("odd.csv").write_text("us\x1b[2Jer,lat,lon\nann,40.7,-74.0\n")
    made = protect_place_file("odd.csv", "odd.geojson", keep="us\x1b[2Jer", person="row")
    assert made.card.pass_through == ("us\x1b[2Jer",)
    assert "\x1b" not in made.explain()


def test_in_python():
    with pytest.raises(NotApplicable, match="columns to keep"):
        protect_place_file("places.csv", "out.csv", keep="user")
    days = read_days("days.csv", keep="home")  # to read is not to publish
    with pytest.raises(NotApplicable, match="columns to keep"):
        protect_curves(days, eps=1, grid="1/4")
    require_person(None, [])
    require_person("row", ["user"])


def test_curves_of_a_person_are_counted():
    how = {"eps": 1, "grid": "1/4"}
    days = read_days("days.csv", person="home")
    assert days.columns == ("h0", "h1")  # whose they are is no reading
    assert days.kept == {}
    told = protect_curves(days, **how).explain()
    assert "A person has up to 2 curves, which was counted in the data and is now public" in told
    assert "together the factor is at most 7.39." in told
    alone = read_days("days.csv", person="row", columns="h0:h1")
    assert "up to" not in protect_curves(alone, **how).explain()
    loud = protect_curves(days, eps=6, grid="1/4").explain()
    assert "Together, 2 curves of a person are not protected in any sense that matters" in loud


def test_readings_in_long_form_belong_to_their_household():
    rows = [
        f"{home},2026-03-0{day} 0{hour}:00:00,0.5"
        for home in "ab"
        for day in (1, 2)
        for hour in (1, 2)
    ]
    Path("long.csv").write_text("\n".join(["home,time,kwh", *rows]) + "\n")
    days = read_days("long.csv", long=["home", "time", "kwh"], per_day=2, keep=["date"])
    assert days.people == ("a", "a", "b", "b")
    assert days.kept.keys() == {"date"}
    assert "up to 2 curves" in protect_curves(days, eps=1, grid="1/2").explain()


def test_matches_name_people():
    Path("r.csv").write_text("user,item,rating\na,x,1\nb,x,2\nc,y,3\n")
    done = run(match, "r.csv", "--epsilon", "1/4", "-k", "1")
    assert SAID.format("person, match") in done.stdout
