"""The state of leaders: the owner's alone, of one question, whole or refused, held by one release."""

import os
import stat

import numpy as np
import pytest

from dprivacy.errors import (
    BadFile,
    BudgetExceeded,
    Malformed,
    NotApplicable,
    Unfinished,
    WrongKind,
)
from dprivacy.geo import place_mechanism, protect_place_file, protect_places
from dprivacy.geo.leader_state import StateFile
from dprivacy.geo.permanent_places import PermanentNoise

NYC = "40.7, -74.0, 50 km"
KEY = b"k" * 32
HOME, WORK = (40.7, -74.0), (40.75, -73.99)


def report(places, state, **given):
    lat, lon = zip(*places, strict=True)
    told = {"people": ["ann"] * len(lat), "permanent_key": KEY, "region": NYC, **given}
    return protect_places(lat, lon, state=state, **told).data


def spots(found):
    return list(zip(found.lat, found.lon, strict=True))


def test_what_was_reported_before_is_reported_again(tmp_path):
    state = tmp_path / "leaders"
    first = report([HOME, WORK], state)
    assert "kept from this release on" in first.explain()
    jittered = [(HOME[0] + 3e-4, HOME[1] - 3e-4), (WORK[0] - 4e-4, WORK[1]), HOME]
    again = report(jittered, state)
    assert spots(again) == [spots(first)[0], spots(first)[1], spots(first)[0]]
    assert again.guarantee.reports == 2
    assert "kept from this release on" not in again.explain()
    elsewhere = report([(40.6, -74.0)], state)
    assert spots(elsewhere)[0] not in spots(first)
    assert elsewhere.guarantee.reports == 3  # over all time


@pytest.mark.filterwarnings("ignore::dprivacy.errors.PrivacyLeakWarning")
def test_a_state_goes_on_as_the_whole_history_would(tmp_path):
    rng = np.random.default_rng(3)
    n = 400
    places = [
        (40.7 + a, -74.0 + b) for a, b in rng.uniform(-0.004, 0.004, (n, 2)).round(5).tolist()
    ]
    people = rng.integers(0, 5, n).tolist()
    lat, lon = zip(*places, strict=True)
    whole = protect_places(
        lat, lon, people=people, permanent_key=KEY, region=NYC, whole_history=True, near="150 m"
    ).data
    pieces = []
    for at in range(0, n, 90):
        here = slice(at, at + 90)
        pieces += spots(report(places[here], tmp_path / "s", people=people[here], near="150 m"))
    assert pieces == spots(whole)
    assert 5 * 10 < len(set(pieces)) < n / 2


def test_it_is_the_owners_alone_and_names_nobody(tmp_path):
    state = tmp_path / "leaders"
    report([HOME], state, people=["somebody"])
    assert stat.S_IMODE(state.stat().st_mode) == 0o600
    assert b"somebody" not in state.read_bytes()
    assert KEY.hex().encode() not in state.read_bytes()
    assert os.listdir(tmp_path) == ["leaders"]
    state.chmod(0o644)
    with pytest.raises(BadFile, match=r"nobody else may read.*chmod 600"):
        report([HOME], state)


@pytest.mark.parametrize(
    "other",
    [
        {"permanent_key": b"l" * 32},
        {"question": "work"},
        {"eps": "ln 5"},
        {"radius": "300 m"},
        {"region": "40.71, -74.0, 50 km"},
        {"region": None},
        {"reports": 4},
    ],
)
def test_a_state_is_of_one_key_and_question(other, tmp_path):
    report([HOME], tmp_path / "leaders")
    before = (tmp_path / "leaders").read_bytes()
    with pytest.raises(BadFile, match="is not the state of this key, question, level and region"):
        report([HOME], tmp_path / "leaders", **other)
    assert (tmp_path / "leaders").read_bytes() == before


def test_a_state_that_was_cut_or_changed_is_refused(tmp_path):
    state = tmp_path / "leaders"
    report([HOME, WORK], state)
    good = state.read_bytes()
    cut = [good[:at] for at in (0, 10, 64, 65, len(good) - 1)]
    changed = [
        good.replace(b'"75"', b'"76"'),
        good[:-2] + b" }",
        good + b" ",
        b"0" * 64 + good[64:],
    ]
    for content in (*cut, *changed):
        state.write_bytes(content)
        with pytest.raises(BadFile, match="or was changed"):
            report([HOME], state)
        assert state.read_bytes() == content


def test_a_release_that_is_refused_leaves_it_as_it_was(tmp_path):
    state = tmp_path / "leaders"
    given = {"reports": 2, "people": ["ann"] * 3}
    with pytest.raises(BudgetExceeded, match="more than 2 different places"):
        report([HOME, WORK, (40.6, -74.0)], state, **given)
    assert not state.exists()
    report([HOME, WORK], state, reports=2)
    before = state.read_bytes()
    with pytest.raises(BudgetExceeded, match="row 0: its person has more than 2 different places"):
        report([(40.6, -74.0)], state, reports=2)
    assert state.read_bytes() == before


def test_only_one_release_has_it_at_a_time(tmp_path):
    noise = PermanentNoise(place_mechanism(region=NYC), KEY)
    with (
        StateFile(tmp_path / "leaders", noise).held(),
        pytest.raises(Unfinished, match="another job"),
    ):
        report([HOME], tmp_path / "leaders")


def test_the_width_of_leaders_stays(tmp_path):
    state = tmp_path / "leaders"
    report([HOME], state, near="100 m")
    assert report([HOME], state).guarantee.reports == 1
    with pytest.raises(NotApplicable, match="its leaders are 100 m wide; leave out near"):
        report([HOME], state, near="75 m")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"permanent_key": None}, "are for permanent noise: give a key"),
        ({"whole_history": True}, "give one of the two"),
        ({"cell": "50 m"}, "leave out cell"),
        ({"state": None, "near": "50 m"}, "near is for leaders"),
        ({"state": None, "near": "50 m", "permanent_key": None}, "near is for leaders"),
        ({"near": "-1 m"}, "near"),
        ({"state": "nowhere/at/all"}, "cannot be written to"),
        ({"state": "."}, "is a folder"),
        ({"state": ""}, "cannot be the name of a state"),
    ],
)
def test_what_does_not_go_together(given, words, tmp_path):
    with pytest.raises(Malformed, match=words):
        report([HOME], **{"state": tmp_path / "leaders", **given})
    assert not (tmp_path / "leaders").exists()


def test_a_link_is_no_state(tmp_path):
    report([HOME], tmp_path / "real")
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(BadFile, match="not a file that this user made"):
        report([HOME], tmp_path / "link")


def test_the_secret_state_has_no_name_of_the_output(tmp_path):
    (tmp_path / "in.csv").write_text("who,lat,lon\nann,40.7,-74.0\n")
    given = {"person": "who", "permanent_key": KEY, "region": NYC, "replace": True}
    (tmp_path / "sub").mkdir()
    (tmp_path / "link").symlink_to(tmp_path)
    for name in ("out.csv", "out.csv.card.json", "in.csv", "sub/../out.csv", "link/out.csv"):
        with pytest.raises(NotApplicable, match="a file of its own"):
            protect_place_file(
                tmp_path / "in.csv", tmp_path / "out.csv", state=tmp_path / name, **given
            )
    assert sorted(os.listdir(tmp_path)) == ["in.csv", "link", "sub"]
    with pytest.raises(WrongKind, match="a state is named by its path"):
        protect_place_file(tmp_path / "in.csv", tmp_path / "out.csv", state=5, **given)
