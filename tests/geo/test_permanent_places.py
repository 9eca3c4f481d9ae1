"""Permanent noise of places: no two questions, mechanisms, people or cells share it."""

import itertools

import numpy as np
import pandas as pd
import pytest

from dprivacy.geo import PermanentNoise, place_mechanism, protect_place_file, protect_places

NYC = "40.7,-74,50 km"
KEY = b"k" * 32
CHOICES = {
    "eps": ["ln 4", "ln 5"],
    "radius": ["200 m", "201 m"],
    "region": [NYC, "40.7,-74.01,50 km", None],
    "cell": ["50 m", "25 m"],
    "step": ["1 m", "5 m"],
}


def test_everything_that_makes_a_question_is_in_its_key():
    """48 mechanisms, three questions each and two keys: no two of them have one derived key."""
    found = []
    for chosen in itertools.product(*CHOICES.values()):
        mechanism = place_mechanism(**dict(zip(CHOICES, chosen, strict=True)))
        for context, key in itertools.product(["", "home", "home, 1"], [KEY, KEY[::-1] + b"x"]):
            found.append(PermanentNoise(mechanism, key, context)._key)
    assert len(found) == 48 * 6
    assert len(set(found)) == len(found)


def test_what_is_only_known_of_the_places_changes_nothing():
    """A larger region on the same plane has the same cells and the same noise."""
    wide = place_mechanism(region="40.7,-74,60 km")
    assert PermanentNoise(wide, KEY)._key == PermanentNoise(place_mechanism(region=NYC), KEY)._key


def test_two_questions_do_not_show_whether_their_places_are_the_same(tmp_path):
    """Home and work in one cell have different reports; the same question has the same report."""
    people = [f"p{k}" for k in range(30)]
    table = {
        "who": people,
        "home_lat": 40.7,
        "home_lon": -74.0,
        "work_lat": 40.7,
        "work_lon": -74.0,
    }
    pd.DataFrame(table).to_csv(tmp_path / "in.csv", index=False)
    made = []
    for k, side in enumerate(["home", "work", "home"]):
        options = {"lat": f"{side}_lat", "lon": f"{side}_lon", "person": "who", "region": NYC}
        released = protect_place_file(
            tmp_path / "in.csv", tmp_path / f"{k}.csv", permanent_key=KEY, **options
        )
        made.append(np.asarray(released.data.lat))
    assert (made[0] == made[2]).all()
    assert (made[0] != made[1]).all()
    assert (made[0] != _in_hand(people, "home")).all()


@pytest.mark.parametrize("names", [("lat", "lon"), ("Latitude", "lng")])
def test_the_usual_names_ask_what_is_asked_in_hand(names, tmp_path):
    people = [f"p{k}" for k in range(5)]
    table = pd.DataFrame({"who": people, names[0]: 40.7, names[1]: -74.0})
    table.to_csv(tmp_path / "in.csv", index=False)
    released = protect_place_file(
        tmp_path / "in.csv", tmp_path / "out.csv", permanent_key=KEY, person="who", region=NYC
    )
    assert (np.asarray(released.data.lat) == _in_hand(people, "")).all()


def _in_hand(people, question):
    places = [40.7] * len(people), [-74.0] * len(people)
    options = {"people": people, "permanent_key": KEY, "question": question, "region": NYC}
    return np.asarray(protect_places(*places, **options).data.lat)
