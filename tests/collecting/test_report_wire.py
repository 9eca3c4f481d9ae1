"""Requests: what a device can have sent is read, and anything else is refused whole."""

import json
import secrets

import pytest

from dprivacy.errors import UnknownCategory
from support.collections_asked import MECHANISMS, asked, on_the_wire, wires

WIRE = asked("projective").wire
ID = "00112233445566778899aabbccddeeff"
GOOD = {"mechanism": WIRE.hash, "reports": [[ID, 0]]}


def refused(body):
    with pytest.raises(UnknownCategory) as caught:
        WIRE.request(body if isinstance(body, bytes) else json.dumps(body).encode())
    return str(caught.value)


def test_a_request_is_read():
    sent = WIRE.request(json.dumps(GOOD).encode())
    assert sent.ids == [bytes.fromhex(ID)]
    assert sent.reports == [0]


@pytest.mark.parametrize("kind", MECHANISMS)
def test_whatever_a_device_draws_is_read(kind):
    wire = wires()[kind]
    told = on_the_wire(wire.mechanism, [label for label in wire.labels for _ in range(40)])
    assert len(wire.read(told)) == len(told)
    assert sum(n for _, n in wire.added(wire.read(told))) >= len(told) * (
        not kind.startswith("wide")
    )


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"null",
        b"[]",
        b'"text"',
        b"{}",
        json.dumps(GOOD).encode("utf-16"),
        b"\xef\xbb\xbf" + json.dumps(GOOD).encode(),
        json.dumps(GOOD).encode()[:-1],
        json.dumps(GOOD).encode() + b"x",
        b"[" * 50_000,
        b'{"mechanism":' * 20_000,
        json.dumps(GOOD).replace('"reports"', '"mechanism": 1, "reports"').encode(),
        {**GOOD, "more": 1},
        {"mechanism": WIRE.hash},
        {"reports": [[ID, 0]]},
        {**GOOD, "reports": {"0": [ID, 0]}},
        {**GOOD, "reports": "[]"},
    ],
)
def test_what_is_not_the_form(body):
    assert "a request should be JSON with two keys" in refused(body)


def test_another_mechanism():
    assert "another mechanism" in refused({**GOOD, "mechanism": "0" * 64})
    assert "another mechanism" in refused({**GOOD, "mechanism": None})


def test_none_and_too_many():
    assert "between 1 and 1,000 reports, not 0" in refused({**GOOD, "reports": []})
    many = [[secrets.token_hex(16), 0] for _ in range(1001)]
    assert "not 1,001" in refused({**GOOD, "reports": many})


@pytest.mark.parametrize("pair", [[], [ID], [ID, 0, 0], {"id": ID}, ID, None, 7])
def test_what_is_not_a_pair(pair):
    assert "its id and what was drawn" in refused({**GOOD, "reports": [[ID, 0], pair]})


@pytest.mark.parametrize(
    "ident",
    [
        "",
        "ab",
        ID[:-1],
        ID + "0",
        ID[:-2] + " 1",
        " " + ID[1:],
        "g" * 32,
        "٣" * 32,
        7,
        None,
        [ID],
        True,
    ],
)
def test_what_is_not_an_id(ident):
    assert "32 hexadecimal digits" in refused({**GOOD, "reports": [[ID, 0], [ident, 0]]})


@pytest.mark.parametrize(
    "y", [-1, 7, 2**64, 0.0, 1e400, float("nan"), True, False, None, "0", [0], {"y": 0}]
)
def test_what_is_not_a_report(y):
    said = refused({**GOOD, "reports": [[ID, 0], [ID, y]]})
    assert said.startswith("at least one of 2 reports is none that this mechanism draws")


def test_a_number_of_many_digits_is_refused_quickly():
    digits = b"9" * 60_000
    assert refused(json.dumps(GOOD).encode().replace(b" 0]", b" " + digits + b"]"))


@pytest.mark.parametrize("kind", ["response", "geometric"])
def test_positions_of_outputs(kind):
    wire = wires()[kind]
    assert wire.read([0, 4]) == [0, 4]
    assert wire.read([5]) is None


def test_the_largest_odds_are_those_of_the_channel():
    assert wires()["response"].largest_odds == 3
    assert wires()["geometric"].largest_odds == 2**4
    assert wires()["unary"].largest_odds == 3
