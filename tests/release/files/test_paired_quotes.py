"""A quote too many never turns people's rows into the text of a cell that is passed through."""

import csv
import io

import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import BadFile
from dprivacy.release import received, sanitise, sanitise_file
from dprivacy.release.files import paired_quotes
from dprivacy.release.files.table_files import batches_of
from dprivacy.release.intake.table_settings import Intake, TableSettings
from support.made_spreadsheets import xlsx

PLAN = {
    "columns": {"h": {"type": "categories", "values": ["a", "b"], "epsilon": "ln 3"}},
    "pass_through": ["n", "x"],
}
BROKEN = {
    "never closed": 'n,h,x\n1,a,"one\n2,b,two\n3,a,three\n',
    "closed by a later cell": 'n,h,x\n1,a,"one\n2,b,"two"\n3,a,"three"\n',
    "closed rows later": 'n,h,x\n1,a,"one\n2,b,two\n3,a,"three"\n4,b,four\n',
    "never closed, no last line break": 'n,h,x\n1,a,"one\n2,b,two',
    "returns alone": 'n,h,x\r1,a,"one\r2,b,two\r',
}


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
def test_rows_are_not_taken_for_the_text_of_a_cell(tmp_path, text):
    (tmp_path / "in.csv").write_bytes(text.encode())
    with pytest.raises(BadFile, match=r"quotes \(\"\) should stand around whole cells"):
        sanitise_file(tmp_path / "in.csv", PLAN, tmp_path / "out.csv", discard=True)
    assert not (tmp_path / "out.csv").exists()


TWICE_READABLE = {
    "ditto marks": 'n,h,x\n1,a,"\n2,b,"\n3,a,three\n',
    "speech over two rows": 'n,h,x\n1,a,"one\n2,b,two"\n3,a,"three, or so"\n',
    "in the first column": 'n,h,x\r\n"1,a,one\r\n2",b,two\r\n\r\n3,a,three\r\n',
    "in the header": 'n,h,"x\n1,a,one\n2,b,two"\n3,a,three\n',
}


@pytest.mark.parametrize("text", TWICE_READABLE.values(), ids=TWICE_READABLE)
def test_quotes_that_pair_up_by_chance_are_refused_too(tmp_path, text):
    """Each line is a row of its own, and so the quotes may stand for themselves."""
    (tmp_path / "in.csv").write_bytes(text.encode())
    with pytest.raises(BadFile, match="every line by itself has as many cells as the header"):
        sanitise_file(tmp_path / "in.csv", PLAN, tmp_path / "out.csv", discard=True)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    "text",
    ['n,h,"x\nSECRET,a,one\n2,b,two\n', 'n,h,"x\nSECRET,a,"one"\n2,b,two\n'],
    ids=["never closed", "closed by a later cell"],
)
def test_no_row_is_shown_as_the_name_of_a_column(tmp_path, text):
    (tmp_path / "in.csv").write_text(text)
    with pytest.raises(BadFile) as told:
        sanitise_file(tmp_path / "in.csv", PLAN, tmp_path / "out.csv")
    assert "SECRET" not in str(told.value)


def test_cells_and_names_of_several_lines_are_read(tmp_path):
    (tmp_path / "in.csv").write_text('n,"h\n(a, b)",x\n1,a,"one,\ntwo"\n2,b,"\n"\n')
    assert cells_in(tmp_path / "in.csv") == {
        "n": ["1", "2"],
        "h\n(a, b)": ["a", "b"],
        "x": ["one,\ntwo", "\n"],
    }


def test_what_a_sheet_or_a_release_holds_is_written_by_the_rules(tmp_path):
    rows = pa.table({"n": ["1"], "h": ["a"], "x": ["one\n2,b,two"]})
    (tmp_path / "in.xlsx").write_bytes(xlsx({"one": [["n", "h", "x"], ["1", "a", "one\n2,b,two"]]}))
    assert cells_in(tmp_path / "in.xlsx") == rows.to_pydict()
    sanitise(rows, PLAN, output=tmp_path / "out.csv")
    assert received(tmp_path / "out.csv").total().value == 1


def test_the_line_is_named_and_nothing_is_quoted(tmp_path):
    (tmp_path / "in.csv").write_text('n,h,x\n1,a,"one\nSECRET,b,"two"\n')
    with pytest.raises(BadFile, match="line 3 has one that stands elsewhere") as told:
        cells_in(tmp_path / "in.csv")
    assert "SECRET" not in str(told.value)


@pytest.mark.parametrize(
    "text",
    [
        'n,h,"x\nSECRET,b,two\n3,a,three"\n4,b,"a text\nof two lines"\n',
        'n,"h\nSECRET,b"\n3,a\n4,b\n',
    ],
    ids=["beside a text of several lines", "two columns"],
)
def test_rows_are_no_name_of_a_column_even_where_quotes_are_clear(tmp_path, text):
    """The refusal of a plan lists the names that the table has."""
    (tmp_path / "in.csv").write_text(text)
    with pytest.raises(BadFile, match=r"the name of column \d goes on") as told:
        sanitise_file(tmp_path / "in.csv", PLAN, tmp_path / "out.csv")
    assert "SECRET" not in str(told.value)


def cells_in(path):
    said = TableSettings(header=True, delimiter=",", encoding="utf-8", decimal=".")
    with batches_of(path, Intake(said)) as (batches, _):
        return pa.Table.from_batches(list(batches)).to_pydict()


@given(
    st.lists(st.text('a,"\n é', min_size=1, max_size=8), min_size=1, max_size=12),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    st.integers(1, 40),
    st.booleans(),
)
def test_what_is_written_by_the_rules_is_read(tmp_path_factory, texts, end, quoting, piece, mark):
    """Whatever the pieces, in which the file is looked at, cut apart."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator=end, quoting=quoting)
    writer.writerows([["key", "text"], *([k, text] for k, text in enumerate(texts))])
    path = tmp_path_factory.mktemp("rules") / "in.csv"
    path.write_bytes(b"\xef\xbb\xbf" * mark + file.getvalue().encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paired_quotes, "_PIECE", max(piece, 3))
        assert cells_in(path)["text"] == texts


def test_a_quote_inside_a_cell_of_one_line_does_no_harm(tmp_path):
    (tmp_path / "in.csv").write_text('key,text\n1,5" pipe\n2,6" pipe and 7"\n')
    assert cells_in(tmp_path / "in.csv")["text"] == ['5" pipe', '6" pipe and 7"']
