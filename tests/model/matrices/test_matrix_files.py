"""Channels and spaces from files: what is read exactly, and every way a file can be wrong."""

import json
from fractions import Fraction as Q

import pytest

from dprivacy.errors import (
    DPrivacyError,
    DuplicateLabel,
    Malformed,
    MixedArithmetic,
    NotAMetric,
    NotStochastic,
    SpaceMismatch,
)
from dprivacy.model import as_channel, as_space

GOOD = ",yes,no\nyes,3/4,0.25\nno,1/4,3/4\n"


@pytest.fixture
def write(tmp_path):
    def to(name: str, content: str | bytes):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return to


def test_csv_is_read_exactly(write) -> None:
    channel = as_channel(write("c.csv", GOOD))
    assert channel.exact
    assert channel.rows == channel.columns == ("yes", "no")
    assert channel["yes", "no"] == Q(1, 4)
    tenth = as_channel(write("d.csv", ",a,b\nx,0.1,0.9\n"))
    assert tenth["x", "a"] == Q(1, 10)
    assert as_channel(str(write("e.csv", "corner,a\nx,1\n")))["x", "a"] == 1


@pytest.mark.parametrize(
    "content",
    [
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.replace("\n", "\r\n").encode(),
        (GOOD + "\n\n").encode(),
        GOOD.replace(",", " , ").encode(),
        b',"yes","no"\n"yes","3/4","1/4"\n"no","1/4","3/4"',
    ],
    ids=["bom", "crlf", "blank lines", "spaces", "quotes"],
)
def test_csv_dialects(write, content) -> None:
    channel = as_channel(write("c.csv", content))
    assert channel.rows == ("yes", "no")
    assert channel["no", "yes"] == Q(1, 4)


def test_quoted_labels_and_unicode(write) -> None:
    path = write("c.csv", ',"a, b",ü\n"x ""1""",1/2,1/2\n')
    channel = as_channel(path)
    assert channel.columns == ("a, b", "ü")
    assert channel.rows == ('x "1"',)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "needs a line of output labels"),
        (",a,b\n", "at least one input line"),
        ("a\nb\n", "needs a line"),
        (",a,b\nx,1\n", "row 1 has 1 entry where the first line names 2"),
        (",a\nx,1,0\n", "row 1 has 2 entries where the first line names 1"),
        (",a,b\nx,1,\n", "row 1, column 2 is not a number"),
        (",a,b\nx,one,0\n", "row 1, column 1 is not a number"),
        (",a,b\nx,nan,0\n", "row 1, column 1 is not a number"),
        (",a,b\nx,inf,0\n", "row 1, column 1 is not a number"),
        (",a,b\nx,1/0,0\n", "row 1, column 1 is not a number"),
        (',a,b\nx,"1,0\n', "not a table"),
        (",a,b\nx,1e999999999,0\n", "row 1, column 1 is not a number that can be read"),
        (",a,b\nx,1e-999999999,1\n", "row 1, column 1 is not a number that can be read"),
        (",a,b\nx,1E+9_999_999,0\n", "row 1, column 1 is not a number that can be read"),
        (",a,b\nx," + "1" * 5000 + ",0\n", "row 1, column 1 is not a number that can be read"),
        (",a,b\nx,1/" + "3" * 4500 + ",0\n", "row 1, column 1 is not a number that can be read"),
    ],
)
def test_malformed_csv(write, content, words) -> None:
    with pytest.raises(Malformed) as refused:
        as_channel(write("c.csv", content))
    assert words in str(refused.value)
    assert len(str(refused.value)) < 600


def test_csv_that_is_no_channel(write) -> None:
    with pytest.raises(NotStochastic, match=r"'x'.*3/4.*less"):
        as_channel(write("c.csv", ",a,b\nx,1/2,1/4\n"))
    with pytest.raises(NotStochastic, match="row 1, column 1 is not between 0 and 1"):
        as_channel(write("c.csv", ",a,b\nx,3/2,-1/2\n"))
    with pytest.raises(DuplicateLabel, match="column 1 and column 2 have the same label"):
        as_channel(write("c.csv", ",a,a\nx,1/2,1/2\n"))
    with pytest.raises(DuplicateLabel, match="row 1 and row 2 have the same label"):
        as_channel(write("c.csv", ",a\nx,1\nx ,1\n"))


def test_unreadable_files(write, tmp_path) -> None:
    with pytest.raises(Malformed, match=r"nothing\.csv.*cannot be read"):
        as_channel(tmp_path / "nothing.csv")
    with pytest.raises(Malformed, match="cannot be read"):
        as_channel(tmp_path)
    for encoding in ("utf-16", "latin-1"):
        with pytest.raises(Malformed, match="UTF-8"):
            as_channel(write("c.csv", ",ä\nx,1\n".encode(encoding)))
    with pytest.raises(Malformed, match="UTF-8"):
        as_channel(write("c.json", b'{"matrix": [["\xff"]]}'))


def test_giant_files_are_refused_before_reading(tmp_path) -> None:
    path = tmp_path / "c.csv"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)
    with pytest.raises(Malformed, match="64 MiB"):
        as_channel(path)


# -- JSON ------------------------------------------------------------------------------------------


def test_json_is_read_exactly(write) -> None:
    data = {"rows": ["x", "z"], "columns": ["a", "b"], "matrix": [["1/3", "2/3"], [0.1, 0.9]]}
    channel = as_channel(write("c.json", json.dumps(data)))
    assert channel["z", "a"] == Q(1, 10)
    assert channel["x", "a"] == Q(1, 3)
    bare = as_channel(write("c.JSON", "[[1, 0], [0.5, 0.5]]"))
    assert bare.rows == (0, 1)
    assert bare[1, 0] == Q(1, 2)
    with_bom = as_channel(write("c.json", b"\xef\xbb\xbf[[1]]"))
    assert with_bom[0, 0] == 1
    assert as_channel(write("c.json", "[[1e-3, 999e-3]]"))[0, 0] == Q(1, 1000)


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "null",
        "3",
        '"text"',
        "{}",
        '{"matrix": 3}',
        '{"matrix": {}}',
        '{"matrix": []}',
        '{"matrix": [[]]}',
        '{"matrix": [1, 2]}',
        '{"matrix": [[1], 2]}',
        "[]",
        "[1]",
        "[[NaN, 1]]",
        "[[Infinity]]",
        "[[-Infinity]]",
        "[[null]]",
        "[[true]]",
        "[[[1]]]",
        '[[{"a": 1}]]',
        '[["one"]]',
        "[[1, 0], [1]]",
        '{"rows": "ab", "matrix": [[1], [1]]}',
        '{"rows": [["a"], "b"], "matrix": [[1], [1]]}',
        '{"rows": [{}, "b"], "matrix": [[1], [1]]}',
        '{"rows": ["a"], "matrix": [[1], [1]]}',
        '{"columns": ["a", "b"], "matrix": [[1], [1]]}',
        '{"rows": [], "matrix": [[1]]}',
        "[[1e999999999]]",
        "[[1e-999999999]]",
        '[["1e999999999"]]',
        "[[" + "1" * 5000 + "]]",
        "[[0." + "1" * 5000 + "]]",
        '[["' + "1" * 5000 + '"]]',
        "[" * 100_000,
        "[" * 100_000 + "]" * 100_000,
        '{"a":' * 50_000,
    ],
    ids=lambda content: content[:24] + str(len(content)),
)
def test_malformed_json(write, content) -> None:
    with pytest.raises(Malformed) as refused:
        as_channel(write("c.json", content))
    assert len(str(refused.value)) < 600


def test_json_that_is_no_channel(write) -> None:
    with pytest.raises(NotStochastic, match="'z'"):
        as_channel(write("c.json", '{"rows": ["x", "z"], "matrix": [[1], [0.9]]}'))
    with pytest.raises(DuplicateLabel, match="row 1 and row 2 have the same label"):
        as_channel(write("c.json", '{"rows": ["x", "x"], "matrix": [[1], [1]]}'))


# -- spaces ----------------------------------------------------------------------------------------


def test_distances_from_csv(write) -> None:
    space = as_space(write("d.csv", ",a,b,c\nb,1,0,sqrt(2)\na,0,1,3/2\nc,3/2,sqrt(2),0\n"))
    assert space.exact
    assert space.labels == ("b", "a", "c")
    assert space.distance("a", "c") == Q(3, 2)
    assert space.distance("b", "a") == 1
    assert float(space.distance("c", "b")) == pytest.approx(2**0.5)


def test_bad_distances(write) -> None:
    with pytest.raises(SpaceMismatch, match="labels down the side should be those across"):
        as_space(write("d.csv", ",a,b\na,0,1\nz,1,0\n"))
    with pytest.raises(NotAMetric, match=r"'a'.*'b'"):
        as_space(write("d.csv", ",a,b\na,0,1\nb,2,0\n"))
    with pytest.raises(NotAMetric, match="triangle"):
        as_space(write("d.csv", ",a,b,c\na,0,1,9\nb,1,0,1\nc,9,1,0\n"))
    for cell in ("x", "", "nan", "1e999999999"):
        with pytest.raises(DPrivacyError):
            as_space(write("d.csv", f",a,b\na,0,{cell}\nb,{cell},0\n"))
    assert not issubclass(MixedArithmetic, Malformed)
