"""One table, written in every way that people have: the same cells come back."""

import random
import re
from fractions import Fraction

import pytest

from dprivacy.errors import BadFile, DPrivacyError, DuplicateLabel, NotStochastic
from dprivacy.model import as_channel, exact_channel, matrix_in_text
from dprivacy.model.matrices.table_texts import cells_of_text
from support.written_tables import WAYS


@pytest.mark.parametrize("way", WAYS)
def test_a_table_is_read_however_it_is_written(way):
    found = cells_of_text(WAYS[way], "it")
    assert list(found.rows) == list(found.columns) == ["a", "b c"]
    assert [list(line) for line in found.entries] == [["0.75", "0.25"], ["0.125", "0.875"]]


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("3/4,1/4\n1/8,7/8\n", [0, 1]),
        ("3/4 1/4\n1/8 7/8\n", [0, 1]),
        (r"\begin{pmatrix} \frac{3}{4} & \tfrac14 \\ 1/8 & 7/8 \end{pmatrix}", [0, 1]),
        (r"\begin{bmatrix} \frac{3}{4} & \frac{1}{4} \\ \frac18 & 7/8 \end{bmatrix}", [0, 1]),
        (r"\begin{pmatrix} \frac{3}{4} & 1/4 \\ 1/8 & \frac{7}{8} \end{pmatrix}", [0, 1]),
        ("     [,1] [,2]\n[1,]  3/4  1/4\n[2,]  1/8  7/8\n", [1, 2]),
        ("structure(c(0.75, 0.125, 0.25, 0.875), dim = c(2L, 2L))", [1, 2]),
        (
            "structure(list(V1 = c(0.75, 0.125), V2 = c(0.25, 0.875)), row.names = c(NA, -2L))",
            [1, 2],
        ),
    ],
)
def test_tables_without_labels_are_counted(text, labels):
    found = cells_of_text(text, "it")
    assert list(found.rows) == labels
    assert found.probabilities == [
        [Fraction(3, 4), Fraction(1, 4)],
        [Fraction(1, 8), Fraction(7, 8)],
    ]


def test_numbers_may_be_labels():
    for text in (",0,1\n0,1/2,1/2\n1,1/4,3/4\n", "0 1\n0 1/2 1/2\n1 1/4 3/4\n"):
        found = cells_of_text(text, "it")
        assert list(found.rows) == list(found.columns) == ["0", "1"]


PEOPLE = {
    "texts": "name,city,age\nBob Jones,Exeter,41\nAnn Black,Truro,39\n",
    "numbers": "id,age,income\n7341,41,52000\n7342,39,48000\n",
    "answers": "name,smokes,drinks\nBob Jones,1,1\nAnn Black,0,1\n",
    "twice": "name,smokes,drinks\nBob Jones,1,0\nBob Jones,0,1\n",
    "ragged": "name,smokes\nBob Jones,1,0,1,1\n",
    "spaces": "name smokes\nBob Jones 1\nAnn Black 0 1\n",
    "semicolons": "name;note\nBob Jones;7341\n",
}


@pytest.mark.parametrize("kind", PEOPLE)
def test_nothing_of_a_table_of_people_is_repeated(kind):
    with pytest.raises(DPrivacyError) as refused:
        exact_channel(matrix_in_text(PEOPLE[kind], "it"))
    said = str(refused.value)
    words = re.split(r"[,; \n]", PEOPLE[kind].partition("\n")[2])
    assert [word for word in words if len(word) > 1 and word in said] == []


def test_a_refusal_says_where():
    with pytest.raises(NotStochastic, match="it: row 2, column 1 is not between 0 and 1"):
        _ = cells_of_text(",a,b\na,1/2,1/2\nb,3/2,-1/2\n", "it").probabilities
    with pytest.raises(DuplicateLabel, match="row 1 and row 3"):
        _ = cells_of_text(",a,b\na,1/2,1/2\nb,1,0\na,0,1\n", "it").probabilities


@pytest.mark.parametrize(
    "text",
    [
        "structure(",
        "structure()",
        "structure(c(1, 2), dim = c(2L, 2L))",
        "structure(c(1), dim = c(1000000000L, 1000000000L))",
        "structure(c(0.5, 0.5), dim = c(1L, -2L))",
        "structure(list(a = c(1), b = c(1, 0)))",
        "structure(" * 5000,
        "structure(c(1:99999), dim = 3L)",
        'structure(system("true"), dim = c(1L, 1L))',
        r"\begin{tabular}{ll} a & b",
        r"\begin{tabular}{ll" + r"\end{tabular}",
        r"\begin{pmatrix}\end{pmatrix}",
        "\x00\x01",
        "",
    ],
)
def test_what_is_no_table_is_refused(text):
    with pytest.raises(DPrivacyError):
        _ = cells_of_text(text, "it").probabilities


STRANGE = [
    *';,"$-\\{}&()L:=`%eE٣²½\n\0\ud800',
    *("", "NA", "1e999", "1/0", "9" * 50, "c(", "1:9", "list(", "[,1]", "inf", "$Rs\n"),
    *("\\\\", "\\frac", "\\begin{tabular}", "\\textbf{"),
]


def test_mutated_tables_are_read_or_refused():
    rng = random.Random(3)
    read = 0
    for _ in range(3000):
        text = rng.choice(list(WAYS.values()))
        for _ in range(rng.randint(1, 4)):
            cut = rng.randint(0, len(text))
            text = text[:cut] + rng.choice(STRANGE) + text[cut + rng.randint(0, 4) :]
        try:
            channel = exact_channel(matrix_in_text(text, "it"))
        except DPrivacyError:
            continue
        read += 1
        assert all(sum(channel.row(x).values()) == 1 for x in channel.rows)
    assert 0 < read < 3000


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{tabular}{l}" + "\\textbf{" * 30_000 + "a" + "}" * 30_000 + "\\end{tabular}",
        "\\begin{tabular}" + "{" * 100_000 + "\\end{tabular}",
        "\\begin{tabular}{l}" + "\\\\[" * 20_000 + "\\end{tabular}",
        "\\begin{tabular}{l}" + "\\cline(" * 100_000 + "\\end{tabular}",
        "structure(" * 100_000,
        'structure("' + '\\"' * 100_000,
    ],
)
def test_long_texts_are_settled_in_one_pass(text):
    with pytest.raises(DPrivacyError):
        exact_channel(matrix_in_text(text, "it"))


def test_names_that_are_no_list_are_no_names():
    text = "structure(c(0.5, 0.5), dim = c(1L, 2L), dimnames = l)"
    assert exact_channel(matrix_in_text(text, "it")).columns == (1, 2)


@pytest.mark.parametrize(
    "text",
    [
        ";",
        ";\n",
        '{"rows": ["x"], "columns": ["a", "b"], "matrix": [["1/2", "1/2"], ["1/4", "1/2"]]}',
    ],
)
def test_no_table_and_rows_without_labels(tmp_path, text):
    for ending in ("csv", "json"):
        (tmp_path / f"m.{ending}").write_text(text)
        with pytest.raises(BadFile):
            as_channel(tmp_path / f"m.{ending}")
