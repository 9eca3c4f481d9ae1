"""Mechanism files: what is changed by hand is refused, whatever was changed, quickly and in words."""

import contextlib
import json
from fractions import Fraction as Q

import pytest

from dprivacy.errors import InsecureSeedWarning, Malformed, NotPrivate
from dprivacy.mechanisms import any_metric, exponential, geometric, load, randomised_response, save
from dprivacy.mechanisms.groundwork.mechanism_file import _digest, dumps, loads
from dprivacy.numbers import ln
from dprivacy.sampling import InsecureSource
from dprivacy.spaces import discrete, from_table, grid, line
from support.patience import brisk

SMALL = randomised_response(["ab", "c"], eps="ln 2")
TEXT = dumps(SMALL)
DATA = json.loads(TEXT)
GEOMETRIC = json.loads(dumps(geometric(3, eps="ln 2")))


def pairs(text):
    """The contents, with repeated keys if there are any; the order of keys says nothing."""
    return json.loads(text, object_pairs_hook=lambda found: sorted(found, key=str))


def refused_or_the_same(text):
    """A changed file is refused with a documented error, unless it still says the same."""
    with brisk():
        try:
            again = loads(text)
        except (Malformed, NotPrivate):
            assert pairs_or_none(text) != pairs(TEXT)
        else:
            assert pairs(text) == pairs(TEXT)
            assert again == SMALL


def pairs_or_none(text):
    try:
        return pairs(text)
    except ValueError:
        return None


def repaired(data=GEOMETRIC, **changes):
    """The same file with other contents and a hash that fits them."""
    body = {**data, **changes}
    body.pop("sha256")
    return json.dumps({**body, "sha256": _digest(body)})


def test_a_file_says_what_it_is(tmp_path):
    save(SMALL, tmp_path / "m.json")
    assert (tmp_path / "m.json").read_text(encoding="utf-8") == TEXT
    assert load(tmp_path / "m.json") == SMALL == loads(TEXT)
    assert DATA["format"] == "dprivacy mechanism"
    assert DATA["eps"] == "ln(2)"
    assert DATA["weights"] == [["0x2", "0x1"], ["0x1", "0x2"]]
    assert DATA["denominator"] == "0x3"
    assert loads(TEXT).secure


def swapped(char):
    if char.isdigit():
        return "0" if char == "9" else chr(ord(char) + 1)
    return {"f": "e", "z": "y"}.get(char, chr(ord(char) + 1))


@pytest.mark.parametrize("part", range(8))
def test_every_single_character_matters(part):
    for at in range(part, len(TEXT), 8):
        char = TEXT[at]
        refused_or_the_same(TEXT[:at] + swapped(char) + TEXT[at + 1 :])
        refused_or_the_same(TEXT[:at] + TEXT[at + 1 :])
        if char.isalnum():
            refused_or_the_same(TEXT[:at] + char + TEXT[at:])
            refused_or_the_same(TEXT[:at] + char.swapcase() + TEXT[at + 1 :])


@pytest.mark.parametrize("replacement", "0123456789abcdef")
def test_every_digit_by_every_other(replacement):
    for at, char in enumerate(TEXT):
        if char in "0123456789abcdef" and char != replacement:
            with pytest.raises((Malformed, NotPrivate)):
                loads(TEXT[:at] + replacement + TEXT[at + 1 :])


def test_every_line_matters():
    lines = TEXT.splitlines()
    for at in range(len(lines)):
        for changed in (
            lines[:at] + lines[at + 1 :],
            lines[: at + 1] + lines[at:],
            lines[:at],
            [*lines[:at], *reversed(lines[at : at + 2]), *lines[at + 2 :]],
        ):
            refused_or_the_same("\n".join(changed))


def test_every_prefix_is_refused():
    for end in range(len(TEXT)):
        with pytest.raises(Malformed):
            loads(TEXT[:end])


@pytest.mark.parametrize(
    "changes",
    [
        {"eps": "ln(3/2)"},
        {"eps": "0.6931"},
        {"eps": "1/1000"},
        {"weights": [["0x4", "0x1", "0x1"], ["0x2", "0x2", "0x2"], ["0x1", "0x0", "0x5"]]},
        {"weights": [["0x6", "0x0", "0x0"], ["0x0", "0x6", "0x0"], ["0x0", "0x0", "0x6"]]},
        {"distances": ["0", "1/2", "1"]},
        {"distances": ["0", "1", "3/2"], "tight": False, "eps": "ln(2)"},
    ],
)
def test_a_weaker_claim_is_found_out_behind_a_repaired_hash(changes):
    with pytest.raises(NotPrivate, match="break the stored guarantee"):
        loads(repaired(**changes))


def test_a_smaller_slack_is_found_out():
    stored = json.loads(dumps(randomised_response(["a", "b", "c"], eps="ln 2", delta="1/10")))
    assert loads(repaired(stored)).guarantee.delta == Q(1, 10)
    with pytest.raises(NotPrivate):
        loads(repaired(stored, delta="1/11"))
    with pytest.raises(NotPrivate):
        loads(repaired(stored, delta="0"))


@pytest.mark.parametrize(
    "changes",
    [
        {"tight": False},
        {"tight": 1},
        {"secure": 1},
        {"secure": "true"},
        {"achieved": ["0.1", "0.2"]},
        {"achieved": []},
        {"achieved": None},
        {"version": True},
        {"version": "1"},
        {"version": 2},
        {"version": None},
        {"format": "dprivacy release"},
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
        {"parameters": [["eps", "ln(2)"]]},
        {"parameters": None},
        {"inputs": "012"},
        {"inputs": {"0": 1, "1": 2, "2": 3}},
        {"inputs": []},
        {"inputs": [0, 1]},
        {"inputs": [0, 0, 1]},
        {"inputs": [True, 0, 2]},
        {"inputs": [None, 0, 2]},
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
        {"distances": ["0", "inf", "2"]},
        {"distances": ["0", "nan", "2"]},
        {"distances": ["0", "-1", "2"]},
        {"distances": ["0", "1", "9"]},
        {"distances": ["0", "1e400", "2e400"]},
        {"distances": ["0", "1e999999999", "2"]},
        {"distances": ["0", "ln(2^9999999)", "2"]},
        {"distances": ["0", "sqrt(" * 300 + "2", "2"]},
        {"distance_codes": None},
        {"distance_codes": []},
        {"distance_codes": [[0, 1, 2]]},
        {"distance_codes": [[0, 1, -1], [1, 0, 1], [-1, 1, 0]]},
        {"distance_codes": [[0, 1, 9], [1, 0, 1], [9, 1, 0]]},
        {"distance_codes": [[0, 1, True], [1, 0, 1], [True, 1, 0]]},
        {"distance_codes": [[0, 1, 1], [1, 0, 0], [2, 0, 0]]},
        {"distance_codes": [[1, 1, 2], [1, 0, 1], [2, 1, 0]]},
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
        loads(repaired(**changes))


@pytest.mark.parametrize("depth", [50, 200, 300, 500, 900, 5000, 100_000])
@pytest.mark.parametrize("kind", ["tuple", "set"])
def test_deep_labels(depth, kind):
    nested = f'{{"{kind}": [' * depth + "1" + "]}" * depth
    body = dict(GEOMETRIC)
    text = json.dumps(body).replace('"inputs": [0', f'"inputs": [{nested}')
    assert nested in text
    with pytest.raises(Malformed):
        loads(text)
    label = {kind: [1]}
    for _ in range(min(depth, 300)):
        label = {kind: [label]}
    try:
        with_hash = repaired(inputs=[label, 1, 2])
    except RecursionError:
        return
    with contextlib.suppress(Malformed):
        assert len(loads(with_hash).channel.rows) == 3


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "5",
        "[]",
        "{}",
        '"dprivacy mechanism"',
        "[" * 100_000,
        '{"a":' * 50_000,
        "\ufeff" + TEXT,
        TEXT + TEXT,
        TEXT + "x",
        TEXT.replace('"version": 1', '"version": 1.0'),
        TEXT.replace('"version": 1', '"version": NaN'),
        TEXT.replace('"version": 1', '"version": Infinity'),
        TEXT.replace('"version": 1', '"version": 1e0'),
        TEXT.replace('"version": 1', '"version": ' + "1" * 5000),
        TEXT.replace('"version": 1', '"version": 1, "version": 1'),
        TEXT.replace('"version": 1', '"version": 1, "seed": 1'),
        TEXT.replace('"delta": "0",', ""),
        TEXT.replace('"ab"', '"\\ud800"'),
        TEXT.replace('"ab"', '"a\nb"'),
        TEXT.replace("sha256", "sha512"),
    ],
    ids=lambda text: text[:20] or "empty",
)
def test_what_is_no_mechanism(text):
    with brisk(), pytest.raises(Malformed):
        loads(text)


@pytest.mark.parametrize("thing", [None, 5, ["x"]])
def test_what_is_no_text(thing):
    with pytest.raises(Malformed):
        loads(thing)


def test_files_that_cannot_be_read(tmp_path):
    for path in (tmp_path, tmp_path / "absent.json", "a\0b"):
        with pytest.raises(Malformed):
            load(path)
    (tmp_path / "latin.json").write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(Malformed, match="UTF-8"):
        load(tmp_path / "latin.json")


def test_a_huge_file_is_not_even_read(tmp_path):
    big = tmp_path / "big.json"
    with big.open("wb") as file:
        file.truncate((256 << 20) + 1)  # sparse: nothing is written
    with pytest.raises(Malformed, match="larger than"):
        load(big)


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
]


@pytest.mark.parametrize("label", LABELS)
def test_labels_come_back_as_they_were(label):
    mechanism = randomised_response([label, "other"], eps="ln 2")
    again = loads(dumps(mechanism))
    assert again == mechanism
    assert again.channel.rows == (label, "other")
    assert type(again.channel.rows[0]) is type(label)


@pytest.mark.parametrize("label", [True, None, b"x", "\ud800", range(3)], ids=repr)
def test_labels_that_have_no_place_in_a_file(label):
    with pytest.raises(Malformed):
        dumps(randomised_response([label, "other"], eps="ln 2"))


def test_only_exact_and_finite_distances_are_stored():
    apart = from_table(
        ["a", "b", "c"], [[0, 1, "inf"], [1, 0, "inf"], ["inf", "inf", 0]], extended=True
    )
    with pytest.raises(Malformed, match="finite"):
        dumps(randomised_response(apart, eps="ln 2"))


def test_a_level_that_cannot_be_written_is_refused_when_saving():
    long = Q(3**700, 2**1109)
    with pytest.raises(Malformed, match="too long"):
        dumps(randomised_response(["a", "b"], eps=long))
    with pytest.raises(Malformed, match="too long"):
        dumps(randomised_response(["a", "b"], eps=ln(Q(3**600, 2**900))))


def test_distances_with_roots_and_logarithms():
    for mechanism in (
        any_metric(grid(2, 3), eps="ln 2"),
        any_metric(from_table(["a", "b"], [[0, "ln 3"], ["ln 3", 0]]), eps=1),
        exponential(grid(2, 2), eps=1),
        geometric(line(["0", "1e-40", "1"]), eps=1),
        randomised_response(discrete(range(40)), eps=1),
    ):
        assert loads(dumps(mechanism)) == mechanism


def test_where_the_noise_came_from_is_written_down():
    with pytest.warns(InsecureSeedWarning):
        tainted = SMALL.using(InsecureSource(1))
    stored = json.loads(dumps(tainted))
    assert stored["secure"] is False
    assert DATA["secure"] is True
    assert loads(json.dumps(stored)).secure  # drawn from the system's randomness from now on
