"""Channels and spaces as people give them."""

from fractions import Fraction as Q
from types import SimpleNamespace

import numpy as np
import pytest

from dprivacy.errors import (
    BadFile,
    BadNumber,
    DPrivacyError,
    DuplicateLabel,
    Malformed,
    MixedArithmetic,
    NotApplicable,
    UnknownCategory,
    UnknownName,
    WrongKind,
    WrongShape,
)
from dprivacy.mechanisms import planar_laplace, randomised_response
from dprivacy.model import (
    Channel,
    as_channel,
    as_space,
    channel_body,
    mixture,
    space_body,
    space_for,
    uniform,
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


class Frame:
    """What as_channel needs of a data frame with an index, such as pandas'."""

    def __init__(self, table, columns, index=None) -> None:
        self._table, self.columns = table, columns
        if index is not None:
            self.index = index

    def to_numpy(self):
        return np.array(self._table, dtype=object if isinstance(self._table[0][0], str) else None)


def test_nested_lists_and_arrays() -> None:
    assert as_channel([["1/2", "1/2"]]).exact
    assert as_channel([[1, 0], [0, 1]]).exact
    assert not as_channel([[1, 0.0], [0, 1]]).exact
    assert as_channel(np.eye(2, dtype=int)) == as_channel([[1, 0], [0, 1]])
    assert as_channel(np.eye(2, dtype=np.uint8)).exact
    assert not as_channel(np.eye(2)).exact
    assert not as_channel(np.eye(2, dtype=np.float32)).exact
    objects = np.array([[Q(1, 3), Q(2, 3)]], dtype=object)
    assert as_channel(objects)[0, 0] == Q(1, 3)
    assert as_channel(row for row in [(1, 0), (0, 1)]).rows == (0, 1)
    assert as_channel([["0.1", "0.9"]])[0, 0] == Q(1, 10)


def test_labels_can_be_given() -> None:
    channel = as_channel([["1/2", "1/2"]], rows=["x"], columns=["u", "v"])
    assert channel["x", "v"] == Q(1, 2)
    renamed = as_channel(COIN, rows=[True, False])
    assert renamed[True, "yes"] == Q(3, 4)
    assert renamed.columns == COIN.columns
    assert as_channel(COIN) is COIN
    numpy_labels = as_channel([[1], [1]], rows=np.array([3, 5]))
    assert numpy_labels.rows == (3, 5)
    assert all(type(label) is int for label in numpy_labels.rows)


def test_mappings() -> None:
    channel = as_channel({"x": {"u": "1/2", "v": "1/2"}, "z": {"v": 1}})
    assert channel.row("z") == {"u": 0, "v": 1}
    assert channel.exact
    assert not as_channel({"x": {"u": 0.5, "v": 0.5}, "z": {"v": 1}}).exact
    for wrong in ({}, {"x": [1]}, {"x": 1}):
        with pytest.raises(Malformed, match="input"):
            as_channel(wrong)


def test_frames() -> None:
    with_index = Frame([[0.5, 0.5], [0.25, 0.75]], ["u", "v"], index=["x", "z"])
    assert as_channel(with_index)["z", "v"] == 0.75
    with_text = Frame([["x", "1/2", "1/2"], ["z", "1/4", "3/4"]], ["input", "u", "v"])
    assert as_channel(with_text)["z", "v"] == Q(3, 4)
    bare = Frame([[0.5, 0.5], [0.25, 0.75]], ["u", "v"])
    assert as_channel(bare).rows == (0, 1)
    with pytest.raises(DuplicateLabel, match="'u'"):
        as_channel(Frame([[0.5, 0.5]], ["u", "u"], index=["x"]))


def test_mechanisms_lend_their_channel() -> None:
    mechanism = SimpleNamespace(channel=COIN)
    assert as_channel(mechanism) is COIN
    assert as_channel(mechanism, rows=[1, 0]).rows == (1, 0)


@pytest.mark.parametrize(
    "wrong", [None, 7, "1/2", object(), [1, 2], [None], np.float64(1), iter([3])]
)
def test_what_as_channel_cannot_read(wrong) -> None:
    with pytest.raises(DPrivacyError):
        as_channel(wrong)


R = randomised_response(["a", "b"], eps="ln 3")
C = R.channel


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        (lambda: as_channel(["10", "01"]), WrongKind, "a list of numbers, not the text '10'"),
        (lambda: as_channel(3), WrongKind, "a channel is read from .* not from int"),
        (lambda: as_channel([]), WrongShape, "inputs: at least one is needed"),
        (lambda: as_channel([[]]), WrongShape, "outputs: at least one is needed"),
        (lambda: as_channel([["x"]], rows=["tea"]), BadNumber, "input 'tea', output 0"),
        (lambda: C.restrict("a"), WrongKind, "inputs: a list of labels is needed, not the single"),
        (lambda: C.over_rows("2"), BadNumber, "rows of a database: .* not '2'"),
        (lambda: C["z", "a"], UnknownCategory, "^'z' is not among the inputs; they are 'a', 'b'$"),
        (lambda: uniform(["a"])["z"], UnknownCategory, "^'z' is not among the labels of the dist"),
        (lambda: mixture(3, [R]), WrongKind, "weights: a list of numbers is needed, not 3"),
        (lambda: mixture(["1"], R), WrongKind, "channels: a list of channels is needed"),
        (lambda: mixture([1], []), WrongShape, "^1 weight for 0 channels$"),
        (lambda: Channel(["a"], ["x"], [[1, 0]]), WrongShape, "^1 input and 1 output were named"),
        (
            lambda: [0.5, 0.5] >> C,
            MixedArithmetic,
            "^the prior is in floats and the channel is exact; write .* such as '0.3' or '1/3'$",
        ),
        (
            lambda: ["1/2", "1/2"] >> Channel(["a", "b"], ["x"], [[1.0], [1.0]]),
            MixedArithmetic,
            "^the prior is exact and the channel is in floats; write .* as floats$",
        ),
    ],
)
def test_refusals(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_one_secret_is_one_secret():
    assert repr(uniform(["a"]) >> Channel(["a"], ["x"], [[1]])).startswith(
        "Hyper(1 secret, 1 posterior)"
    )
