"""Rounds as stored data: they go on where they stopped, and hold nothing that no round has."""

import pytest

from dprivacy.errors import BadFile, DPrivacyError
from dprivacy.mechanisms import prefix_rounds, rounds_body, rounds_from
from dprivacy.sampling import KeyedSource
from dprivacy.store import load, save

NOISE = b"rounds in a file, 32 bytes of key"
ASKED = prefix_rounds("abc", length=3, eps=3, keep=4, most=60)


def test_rounds_go_on_where_they_stopped(tmp_path):
    people = ["abc"] * 400 + ["b"] * 300 + ["cab"] * 200
    rounds, source = ASKED, KeyedSource(NOISE)
    while len(rounds.closed) < len(rounds.depths):
        save(rounds, tmp_path / "rounds.json", replace=True)
        again = load(tmp_path / "rounds.json")
        assert again == rounds
        assert again.mechanism == rounds.mechanism
        assert len(again.answers) == again.offered
        rounds = again.after(again.randomise(people, source=source))
    assert rounds_from(rounds_body(rounds)) == rounds
    assert {"abc", "b", "cab"} <= {word.text for word in rounds.found}


CLOSED = ASKED.after(ASKED.randomise(["abc", "b"] * 50, source=KeyedSource(NOISE)))
KEPT = [[word.text, word.held] for word in CLOSED.closed[0].kept]
BODY = rounds_body(CLOSED)


@pytest.mark.parametrize(
    "change",
    [
        {"letters": ["a", "a", "b"]},
        {"letters": ["a", "bc", "b"]},
        {"depths": []},
        {"depths": [2, 1]},
        {"depths": [True, 3]},
        {"depths": [1, 10**9]},
        {"depths": [2, 30]},
        {"keep": 10**12},
        {"keep": 0},
        {"keep": True},
        {"alarm": "0x1p-1000000"},
        {"alarm": "nan"},
        {"alarm": "0.5"},
        {"eps": "-1"},
        {"closed": [{"n": 0, "kept": KEPT}]},
        {"closed": [{"n": 1 << 60, "kept": KEPT}]},
        {"closed": [{"n": 1, "kept": KEPT}]},
        {"closed": [{"n": 100, "kept": KEPT[:-1]}]},
        {"closed": [{"n": 100, "kept": KEPT[::-1]}]},
        {"closed": [{"n": 100, "kept": [*KEPT[:-1], ["abc", 0]]}]},
        {"closed": [{"n": 100, "kept": [*KEPT[:-1], ["x", 0]]}]},
        {"closed": [{"n": 100, "kept": [*KEPT[:-1], ["…", 0]]}]},
        {"closed": [{"n": 100, "kept": [*KEPT[:-1], KEPT[0]]}]},
        {"closed": [{"n": 100, "kept": [*KEPT[:-1], [KEPT[-1][0], -1]]}]},
        {"closed": [{"n": 100, "kept": [*KEPT[:-1], [KEPT[-1][0], 0.0]]}]},
        {"closed": [{"n": 100, "kept": [*KEPT[:-1], KEPT[-1][0]]}]},
        {"closed": [KEPT]},
        {"closed": [*BODY["closed"] * 4]},
    ],
)
def test_what_no_rounds_have_is_refused(change):
    assert rounds_from(BODY) == CLOSED
    with pytest.raises((DPrivacyError, ValueError)):
        rounds_from({**BODY, **change})


def test_kept_beginnings_continue_the_ones_before():
    later = CLOSED.after(CLOSED.randomise(["abc", "b"] * 50, source=KeyedSource(NOISE)))
    body = rounds_body(later)
    strange = {"n": 100, "kept": [["aaa" if "aa…" not in CLOSED.known else "ccc", 7]]}
    with pytest.raises(BadFile, match="no round could have kept"):
        rounds_from({**body, "closed": [body["closed"][0], strange]})
