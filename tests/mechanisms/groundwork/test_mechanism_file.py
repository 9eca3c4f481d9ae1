"""Mechanism files: what is changed by hand is refused, whatever was changed, quickly and in words."""

import contextlib
import copy
import json
from dataclasses import replace
from fractions import Fraction as Q

import pytest

from dprivacy.errors import BadFile, InsecureSeedWarning, Malformed, NotApplicable, NotPrivate
from dprivacy.mechanisms import (
    any_metric,
    exponential,
    geometric,
    mechanism_text,
    randomised_response,
    read_mechanism,
)
from dprivacy.model import digest
from dprivacy.numbers import ln
from dprivacy.sampling import InsecureSource
from dprivacy.spaces import discrete, from_table, grid, line, points
from support.patience import brisk

SMALL = randomised_response(["ab", "c"], eps="ln 2")
TEXT = mechanism_text(SMALL)
BODY = json.loads(TEXT)["body"]
GEOMETRIC = json.loads(mechanism_text(geometric(3, eps="ln 2")))
PLACES = {
    "inputs": [("channel", "inputs"), ("space", "labels")],
    "outputs": [("channel", "outputs")],
    "matrix": [("channel", "matrix")],
    "denominator": [("channel", "matrix", "denominator")],
    "weights": [("channel", "matrix", "weights")],
    "distances": [("space", "distances")],
    "codes": [("space", "codes")],
    **{key: [("guarantee", key)] for key in ("eps", "delta", "because", "unit")},
}


def repaired(data=GEOMETRIC, **changes):
    """The same file with other contents and a hash that fits them."""
    changed = copy.deepcopy({key: value for key, value in data.items() if key != "sha256"})
    for key, value in changes.items():
        for *way, last in PLACES.get(key, [(key,)]):
            part = changed["body"]
            for step in way:
                part = part[step]
            part[last] = value
    return json.dumps({**changed, "sha256": digest(changed)})


def test_a_file_says_what_it_is():
    assert read_mechanism(TEXT) == SMALL
    assert json.loads(TEXT)["format"] == "dprivacy.mechanism"
    assert BODY["guarantee"]["eps"] == "ln(2)"
    assert BODY["channel"]["matrix"] == {
        "denominator": "0x3",
        "weights": [["0x2", "0x1"], ["0x1", "0x2"]],
    }
    assert read_mechanism(TEXT).secure


@pytest.mark.parametrize(
    "changes",
    [
        {"eps": "ln(3/2)"},
        {"eps": "0.6931"},
        {"eps": "1/1000"},
        {"weights": [["0x4", "0x1", "0x1"], ["0x2", "0x2", "0x2"], ["0x1", "0x0", "0x5"]]},
        {"weights": [["0x6", "0x0", "0x0"], ["0x0", "0x6", "0x0"], ["0x0", "0x0", "0x6"]]},
        {"distances": ["0", "1/2", "1"]},
        {"distances": ["0", "1", "3/2"], "eps": "ln(2)"},
    ],
)
def test_a_weaker_claim_is_found_out_behind_a_repaired_hash(changes):
    with pytest.raises(NotPrivate, match="break the stored guarantee"):
        read_mechanism(repaired(**changes))


def test_a_smaller_slack_is_found_out():
    stored = json.loads(
        mechanism_text(randomised_response(["a", "b", "c"], eps="ln 2", delta="1/10"))
    )
    assert read_mechanism(repaired(stored)).guarantee.delta == Q(1, 10)
    with pytest.raises(NotPrivate):
        read_mechanism(repaired(stored, delta="1/11"))
    with pytest.raises(NotPrivate):
        read_mechanism(repaired(stored, delta="0"))


@pytest.mark.parametrize(
    "changes",
    [
        {"eps": "inf"},
        {"eps": "nan"},
        {"eps": "0"},
        {"eps": "-1"},
        {"eps": "1/0"},
        {"eps": "1e4000"},
        {"eps": "1e999999999"},
        {"eps": None},
        {"eps": 1},
        {"eps": ["ln(2)"]},
        {"eps": "9" * 5000},
        {"delta": "-1"},
        {"delta": "2"},
        {"delta": 0},
        {"delta": "ln 2"},
        {"family": None},
        {"family": {"a": 1}},
        {"because": ["x"]},
        {"unit": 1},
        {"parameters": {"eps": ["ln(2)"]}},
        {"matrix": {"doubles": [[(1 / 3).hex()] * 3] * 3}},
        {"parameters": [["eps", "ln(2)"]]},
        {"parameters": None},
        {"inputs": "012"},
        {"inputs": {"0": 1, "1": 2, "2": 3}},
        {"inputs": []},
        {"inputs": [0, 1]},
        {"inputs": [0, 0, 1]},
        {"inputs": [True, 1, 2]},
        {"inputs": ["\u00e9", "e\u0301", 2]},
        {"inputs": [[0], 1, 2]},
        {"inputs": [{"fraction": "1/0"}, 1, 2]},
        {"inputs": [{"fraction": "2/4"}, 1, 2]},
        {"inputs": [{"fraction": "1e3000000"}, 1, 2]},
        {"inputs": [{"fraction": " 1_0/7"}, 1, 2]},
        {"inputs": [{"fraction": 1}, 1, 2]},
        {"inputs": [{"float": "nan"}, 1, 2]},
        {"inputs": [{"float": "zz"}, 1, 2]},
        {"inputs": [{"float": "0x1p99999"}, 1, 2]},
        {"inputs": [{"float": "0.5"}, 1, 2]},
        {"inputs": [{"set": [1, 1]}, 1, 2]},
        {"inputs": [{"set": [2, 1]}, 1, 2]},
        {"inputs": [{"tuple": 1}, 1, 2]},
        {"inputs": [{"tuple": [1], "set": [1]}, 1, 2]},
        {"inputs": [{"bytes": "00"}, 1, 2]},
        {"outputs": [0, 1]},
        {"outputs": [0, 1, 1]},
        {"outputs": None},
        {"distances": None},
        {"distances": "012"},
        {"distances": [0, 1, 2]},
        {"distances": {"0": "0"}},
        {"distances": ["0", "1/0", "2"]},
        {"distances": ["0", "nan", "2"]},
        {"distances": ["0", "-1", "2"]},
        {"distances": ["0", "1", "9"]},
        {"distances": ["0", "1e400", "2e400"]},
        {"distances": ["0", "1e999999999", "2"]},
        {"distances": ["0", "ln(2^9999999)", "2"]},
        {"distances": ["0", "sqrt(" * 300 + "2", "2"]},
        {"codes": None},
        {"codes": []},
        {"codes": [[0, 1, 2]]},
        {"codes": [[0, 1, -1], [1, 0, 1], [-1, 1, 0]]},
        {"codes": [[0, 1, 9], [1, 0, 1], [9, 1, 0]]},
        {"codes": [[0, 1, True], [1, 0, 1], [True, 1, 0]]},
        {"codes": [[0, 1, 1], [1, 0, 0], [2, 0, 0]]},
        {"codes": [[1, 1, 2], [1, 0, 1], [2, 1, 0]]},
        {"denominator": "0x0"},
        {"denominator": 6},
        {"denominator": "6"},
        {"denominator": "-0x6"},
        {"denominator": "0x" + "f" * 20001},
        {"denominator": "0xc"},
        {"weights": None},
        {"weights": []},
        {"weights": [[], [], []]},
        {"weights": [["0x2", "0x2", "0x2"]]},
        {"weights": [["0x2", "0x2", "0x2"], ["0x2", "0x2", "0x2"], ["0x3", "0x3"]]},
        {"weights": [["0x2", "0x2", "0x2"], ["0x2", "0x2", "0x2"], ["0x3", "0x3", "0x3"]]},
        {"weights": [["-0x2", "0x2", "0x6"], ["0x2", "0x2", "0x2"], ["0x2", "0x2", "0x2"]]},
        {"weights": [["0x2", 2, "0x2"], ["0x2", "0x2", "0x2"], ["0x2", "0x2", "0x2"]]},
        {"weights": [["0x2", "0X2", "0x2"], ["0x2", "0x2", "0x2"], ["0x2", "0x2", "0x2"]]},
        {"weights": {"0": 1}},
    ],
    ids=lambda change: str(change)[:60],
)
def test_nonsense_behind_a_repaired_hash(changes):
    with brisk(), pytest.raises(Malformed):
        read_mechanism(repaired(**changes))


@pytest.mark.parametrize("depth", [50, 200, 300, 500, 900, 5000, 100_000])
@pytest.mark.parametrize("kind", ["tuple", "set"])
def test_deep_labels(depth, kind):
    nested = f'{{"{kind}": [' * depth + "1" + "]}" * depth
    text = json.dumps(GEOMETRIC).replace('"inputs": [0', f'"inputs": [{nested}')
    assert nested in text
    with pytest.raises(Malformed):
        read_mechanism(text)
    label = {kind: [1]}
    for _ in range(min(depth, 300)):
        label = {kind: [label]}
    try:
        with_hash = repaired(inputs=[label, 1, 2])
    except RecursionError:
        return
    with contextlib.suppress(Malformed):
        assert len(read_mechanism(with_hash).channel.rows) == 3


@pytest.mark.parametrize("thing", [None, 5, ["x"], "", "[]", TEXT + "x", TEXT[:-9]])
def test_what_is_not_a_mechanism(thing):
    with brisk(), pytest.raises(BadFile):
        read_mechanism(thing)


def test_another_noun_is_refused_by_name():
    changed = {"format": "dprivacy.space", "version": 1, "body": BODY["space"]}
    with pytest.raises(
        BadFile, match=r"holds dprivacy\.space.* a mechanism of version 1 is needed"
    ):
        read_mechanism(json.dumps({**changed, "sha256": digest(changed)}))


LABELS = [
    1.5,
    -0.1,
    "x\0",
    "\u00e9",
    "⊥",
    "",
    ("a", frozenset({1, 2}), (Q(1, 3), 2.5)),
    frozenset(),
    frozenset({("b", 1), ("a", 2)}),
    Q(-7, 3),
    -3,
    2**80,
    (),
    None,
    True,
]


@pytest.mark.parametrize("label", LABELS)
def test_labels_come_back_as_they_were(label):
    mechanism = randomised_response([label, "other"], eps="ln 2")
    again = read_mechanism(mechanism_text(mechanism))
    assert again == mechanism
    assert again.channel.rows == (label, "other")
    assert type(again.channel.rows[0]) is type(label)


@pytest.mark.parametrize("label", [b"x", "\ud800", range(3)], ids=repr)
def test_labels_that_have_no_place_in_a_file(label):
    with pytest.raises(Malformed):
        mechanism_text(randomised_response([label, "other"], eps="ln 2"))


def test_only_exact_distances_are_stored():
    apart = from_table(
        ["a", "b", "c"], [[0, 1, "inf"], [1, 0, "inf"], ["inf", "inf", 0]], extended=True
    )
    blocks = randomised_response(apart, eps="ln 2")
    assert read_mechanism(mechanism_text(blocks)) == blocks
    inexact = points([(0.1, 0.2), (0.3, 0.7)])
    loose = replace(SMALL, guarantee=replace(SMALL.guarantee, space=inexact))
    with pytest.raises(NotApplicable, match="distances in doubles"):
        mechanism_text(loose)


def test_a_level_that_cannot_be_written_is_refused_when_saving():
    long = Q(3**700, 2**1109)
    with pytest.raises(Malformed, match="too long"):
        mechanism_text(randomised_response(["a", "b"], eps=long))
    with pytest.raises(Malformed, match="too long"):
        mechanism_text(randomised_response(["a", "b"], eps=ln(Q(3**600, 2**900))))


def test_distances_with_roots_and_logarithms():
    for mechanism in (
        any_metric(grid(2, 3), eps="ln 2"),
        any_metric(from_table(["a", "b"], [[0, "ln 3"], ["ln 3", 0]]), eps=1),
        exponential(grid(2, 2), eps=1),
        geometric(line(["0", "1e-40", "1"]), eps=1),
        randomised_response(discrete(range(40)), eps=1),
    ):
        assert read_mechanism(mechanism_text(mechanism)) == mechanism


def test_a_stored_mechanism_draws_from_the_system():
    with pytest.warns(InsecureSeedWarning):
        tainted = SMALL.using(InsecureSource(1))
    assert mechanism_text(tainted) == TEXT
    assert read_mechanism(TEXT).secure
