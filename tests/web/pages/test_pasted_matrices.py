"""Matrices as people paste them."""

from fractions import Fraction

import pytest

pytest.importorskip("nicegui", reason="the page needs the extra [web]")

from dprivacy.errors import Malformed, NotStochastic, TooLarge
from dprivacy.web.pages.pasted_matrices import EXAMPLES, matrix_text, read_matrix_text


@pytest.mark.parametrize(
    "text",
    [
        ",a,b\na,1/2,1/2\nb,1/4,3/4",
        "\ta\tb\na\t1/2\t1/2\nb\t1/4\t3/4",
        ";a;b\na;1/2;1/2\nb;1/4;3/4\n\n",
        "a b\na 1/2 1/2\nb 1/4 3/4",
        '"a","b"\n"a",0.5,0.5\n"b",0.25,0.75',
    ],
)
def test_matrices_are_read_however_they_are_written(text):
    channel = read_matrix_text(text)
    assert channel.rows == channel.columns == ("a", "b")
    assert channel["b", "b"] == Fraction(3, 4)


def test_bare_numbers_get_labels_and_labels_that_are_numbers_stay():
    assert read_matrix_text("0.5 0.5\n0.25 0.75").rows == (0, 1)
    assert read_matrix_text(EXAMPLES["geometric"][2]).rows == ("0", "1", "2")


def test_every_example_is_read_and_written_again():
    for _, _, text in EXAMPLES.values():
        channel = read_matrix_text(text)
        assert read_matrix_text(matrix_text(channel)) == channel


def test_json_is_read():
    text = '{"rows": ["a", "b"], "columns": ["x", "y"], "matrix": [["1/2", "1/2"], [0.25, 0.75]]}'
    assert read_matrix_text(text)["b", "y"] == Fraction(3, 4)
    with pytest.raises(Malformed, match="matrix B: not JSON"):
        read_matrix_text("[" * 100_000, name="matrix B")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("", Malformed),
        ("hello", Malformed),
        (",a,b\na,1/2", Malformed),
        (",a,b\na,9/10,9/10\nb,0,1", NotStochastic),
        ("," + ",".join(map(str, range(201))) + "\n0," + ",".join(["1", *["0"] * 200]), TooLarge),
        ("1" * (5 << 20), TooLarge),
        (",a,b\na,1e999999999,0\nb,0,1", Malformed),
    ],
)
def test_what_is_no_matrix_is_refused(text, kind):
    with pytest.raises(kind):
        read_matrix_text(text)
