"""Spaces as people give them."""

import pytest

from dprivacy.errors import BadFile, Malformed, NotApplicable, UnknownName, WrongKind
from dprivacy.mechanisms import planar_laplace, randomised_response
from dprivacy.model import (
    Channel,
    as_channel,
    as_space,
    channel_body,
    space_body,
    space_for,
    write_document,
)
from dprivacy.spaces import discrete, grid, line

COIN = Channel(["yes", "no"], ["yes", "no"], [["3/4", "1/4"], ["1/4", "3/4"]])


def test_spaces_and_mechanisms_are_taken_as_they_are():
    space = discrete(["a", "b"])
    assert as_space(space) is space
    assert as_space(randomised_response(space, eps="ln 2")) == space
    with pytest.raises(NotApplicable, match="cannot be listed"):
        as_space(planar_laplace(eps="ln 2"))


def test_texts_and_files(tmp_path):
    assert as_space("grid:2x2") == grid(2, 2)
    assert as_space("line", labels=["1", "5"]) == line(["1", "5"])
    table = tmp_path / "far.csv"
    table.write_text(",a,b\na,0,2\nb,2,0\n")
    assert as_space(table).distance("a", "b") == as_space(str(table)).distance("a", "b") == 2
    with pytest.raises(BadFile, match="cannot be read"):
        as_space("nowhere.csv")
    with pytest.raises(UnknownName, match="'torus:4' does not name a space; write discrete"):
        as_space("torus:4")


@pytest.mark.parametrize("given", [["a", "b"], 3, None, {"a": 1}, list(range(1000))])
def test_a_list_is_not_a_space(given):
    with pytest.raises(
        WrongKind, match=r"discrete\(values\), for numbers line\(values\)"
    ) as refused:
        as_space(given)
    assert len(str(refused.value)) < 300


def test_stored_nouns_are_read(tmp_path):
    parts = {"channel": channel_body(COIN), "space": space_body(discrete(COIN.rows))}
    for noun, body in [*parts.items(), ("mechanism", parts)]:
        (tmp_path / f"{noun}.json").write_text(write_document(noun, 1, body), encoding="utf-8")
    assert as_channel(tmp_path / "channel.json") == as_channel(tmp_path / "mechanism.json") == COIN
    space = as_space(tmp_path / "space.json")
    assert space == as_space(tmp_path / "mechanism.json") == discrete(COIN.rows)
    assert space_for(tmp_path / "mechanism.json") == space
    with pytest.raises(BadFile, match="holds a channel, where a space or a mechanism is needed"):
        as_space(tmp_path / "channel.json")
    with pytest.raises(BadFile, match="holds a space"):
        as_channel(tmp_path / "space.json")
    text = (tmp_path / "channel.json").read_text(encoding="utf-8")
    (tmp_path / "changed.json").write_text(text.replace("0x4", "0x8"), encoding="utf-8")
    with pytest.raises(BadFile, match="do not match their hash"):
        as_channel(tmp_path / "changed.json")


def test_the_space_of_a_question():
    assert space_for(COIN, "discrete") == discrete(COIN.rows)
    assert space_for(COIN, line(["1", "2"])) == line(["1", "2"])
    response = randomised_response(discrete(["a", "b"]), eps="ln 2")
    assert space_for(response) == response.guarantee.space
    assert space_for(response, "order").labels == ("a", "b")
    with pytest.raises(NotApplicable, match="say which space"):
        space_for(COIN)
    with pytest.raises(Malformed):
        space_for(COIN, ["yes", "no"])
