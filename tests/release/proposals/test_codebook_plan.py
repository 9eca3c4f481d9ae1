"""Plans from codebooks: every column has a proposal with a reason, and the plan can be used."""

import tomllib
from datetime import date
from decimal import Decimal

import pytest

from dprivacy.errors import BadLevel, BadPlan, UnknownCategory, UnknownName, WrongKind, WrongShape
from dprivacy.numbers import as_eps
from dprivacy.release import (
    Plan,
    Value,
    draft_from,
    joint_guarantee,
    propose,
    read_codebook,
    sanitise_file,
)
from dprivacy.release.proposals.codebook_plan import date_grid, grid_of
from support.command_runs import CANARY
from support.made_codebooks import CODES_CSV, CSV, GROUPED, SDMX_21
from support.release_tables import weak_rows

HEAD = "sex,income,health,region,wt,caseid\n"
ROWS = "".join(
    f"{1 + k % 2},{k * 400 if k % 5 else 'N'},{1 + k % 3},0{1 + k % 2},1.5,{k}\n" for k in range(50)
)


@pytest.fixture
def book(tmp_path):
    (tmp_path / "book.csv").write_text(CSV)
    return tmp_path / "book.csv"


@pytest.fixture
def table(tmp_path):
    (tmp_path / "in.csv").write_text(HEAD + ROWS)
    return tmp_path / "in.csv"


def test_what_is_proposed(book, table):
    draft = draft_from(book, table)
    assert draft.toml == propose(table, codebook=book)
    plan = tomllib.loads(draft.toml)
    columns = plan["columns"]
    assert columns["sex"]["values"] == [1, 2]
    assert columns["region"]["values"] == ["01", "02"]
    assert {key: columns["income"][key] for key in ("type", "low", "high", "grid", "codes")} == {
        "type": "numbers", "low": 0, "high": 20000, "grid": 100, "codes": ["99998", "N"],
    }  # fmt: skip
    # Classes in order with a code beside them: ln 3 between the ends.
    assert {key: columns["health"][key] for key in ("type", "values", "codes", "epsilon")} == {
        "type": "ordered", "values": [1, 2, 3], "codes": [8], "epsilon": "1/2*ln(3)",
    }  # fmt: skip
    assert plan["drop"] == ["caseid"]
    assert draft.undecided == {"wt": "its name reads as a weight, which noise would make useless"}
    note = f"codebook book.csv, sha256 {read_codebook(book).sha256}"
    assert {c["note"] for c in columns.values()} == {note}
    assert {c["source"] for c in columns.values()} == {"declared"}
    for told in ("caseid is dropped: ", "wt (Design weight): ", "#   publish: ", "#   coarsen: "):
        assert f"\n# {told}" in draft.toml or f"\n{told}" in draft.toml


@weak_rows
def test_once_decided_the_plan_is_used_as_it_is(book, table, tmp_path):
    plan = Plan.parse(propose(table, codebook=book, choices={"wt": "drop"}))
    assert plan.unconfirmed() == []
    assert sanitise_file(table, plan, tmp_path / "out.csv").card.count == 50


def test_what_is_open_keeps_the_table_from_being_released(book, table, tmp_path):
    plan = Plan.parse(propose(table, codebook=book))
    with pytest.raises(BadPlan, match="wt"):
        sanitise_file(table, plan, tmp_path / "out.csv")


def test_a_codebook_is_enough(book):
    alone = propose(None, codebook=book)
    assert set(tomllib.loads(alone)["columns"]) == {"sex", "income", "health", "region"}
    with pytest.raises(WrongKind, match="a table is needed, or a codebook"):
        propose(None)


@pytest.mark.parametrize(
    ("choice", "settings"),
    [
        ("drop", None),
        ("publish", None),
        ("categories", {"type": "categories", "values": [1, 2, 3, 8]}),
        ("ordered", {"type": "ordered", "values": [1, 2, 3], "codes": [8]}),
        ("0:5", {"type": "numbers", "low": 0, "high": 5, "codes": ["8"]}),
    ],
)
def test_choices(book, choice, settings):
    plan = tomllib.loads(propose(None, codebook=book, choices={"health": choice}))
    if settings is None:
        assert "health" in plan["drop" if choice == "drop" else "pass_through"]
    else:
        found = plan["columns"]["health"]
        assert {key: found[key] for key in settings} == settings


@pytest.mark.parametrize(
    ("name", "choice", "error", "fault"),
    [
        ("nobody", "drop", UnknownName, "the column should be one of"),
        ("sex", "noise", UnknownName, "the choice should be one of"),
        ("wt", "categories", BadPlan, "lists no codes"),
        ("wt", "numbers", BadPlan, "neither values nor a range"),
        ("sex", "numbers", BadPlan, "does not fit"),
        ("wt", "9:1", BadPlan, "LOW:HIGH"),
        ("wt", "a:b", BadPlan, "LOW:HIGH"),
    ],
)
def test_choices_that_do_not_fit(book, name, choice, error, fault):
    with pytest.raises(error, match=fault):
        propose(None, codebook=book, choices={name: choice})


@pytest.mark.parametrize(
    ("row", "column"),
    [
        (f"{CANARY},5,1,01,1,1", "sex"),
        (f"1,{CANARY},1,01,1,1", "income"),
        ("1,20001,1,01,1,1", "income"),
        ("1,-1,1,01,1,1", "income"),
        (f"1,5,1,{CANARY},1,1", "region"),
        ("1,5,4,01,1,1", "health"),
    ],
)
def test_values_that_the_codebook_lacks_are_refused_by_column(book, table, row, column):
    table.write_text(HEAD + ROWS + row + "\n")
    with pytest.raises(
        UnknownCategory, match=f"^'{column}': the table holds values there"
    ) as refused:
        propose(table, codebook=book)
    assert CANARY not in str(refused.value)
    assert row.split(",")[1] not in str(refused.value)
    assert (
        column
        not in tomllib.loads(propose(table, codebook=book, choices={column: "drop"}))["columns"]
    )


def test_what_other_programs_do_to_codes_is_said(book, table):
    table.write_text((HEAD + ROWS).replace(",01,", ",1,").replace(",02,", ",2,"))
    with pytest.raises(UnknownCategory, match="leading zeros, which spreadsheets drop"):
        propose(table, codebook=book)
    table.write_text((HEAD + ROWS).replace("\n1,", "\n1.0,").replace("\n2,", "\n2.0,"))
    with pytest.raises(UnknownCategory, match=r"with decimals, as 1\.0"):
        propose(table, codebook=book)


def test_missing_cells_are_said_and_do_not_extend_the_domain(book, table):
    table.write_text(HEAD + ROWS + ",5,NA,01,1,1\n")
    text = propose(table, codebook=book)
    columns = tomllib.loads(text)["columns"]
    assert (columns["sex"]["values"], columns["sex"]["nulls"]) == ([1, 2], "refuse")
    assert columns["health"]["nulls"] == "refuse"
    assert "nulls" not in columns["region"]
    assert text.count("cells are missing, and the codebook has no code for that") == 2


@weak_rows
def test_a_missing_cell_as_one_more_answer(book, table, tmp_path):
    table.write_text(HEAD + ROWS + ",,NA,01,1,1\n")
    text = propose(table, codebook=book, choices={"wt": "drop"}, missing=True)
    columns = tomllib.loads(text)["columns"]
    assert {spec["nulls"] for spec in columns.values()} == {"category"}  # whatever the table holds
    assert (
        text.partition("title")[2].partition("\n")[2]
        == propose(None, codebook=book, choices={"wt": "drop"}, missing=True)
        .partition("title")[2]
        .partition("\n")[2]
    )
    assert sanitise_file(table, Plan.parse(text), tmp_path / "out.csv").card.count == 51


@pytest.mark.parametrize("eps", ["ln 3\n", " ln 3"])
def test_levels_cannot_leave_their_line(book, eps):
    assert set(tomllib.loads(propose(None, codebook=book, eps=eps))["columns"]["health"])
    with pytest.raises(BadLevel):
        draft_from(book, eps='ln 3"\nx = 1')


def test_columns_on_one_side_alone(book, table):
    table.write_text("sex,shoe\n1,44\n2,39\n")
    draft = draft_from(book, table, header=True)
    assert draft.undecided == {"shoe": "the codebook does not describe it"}
    assert "also describes income, health, region, wt, caseid, which the table lacks" in draft.toml
    table.write_text("a,b\n1,2\n")
    with pytest.raises(WrongShape, match=r"no column is called as a variable of book\.csv"):
        propose(table, codebook=book, header=True)


def test_names_of_the_codebook_settle_the_header_and_the_layout_is_kept(book, table):
    table.write_text("sex;region\n1;01\n2;02\n")  # alone, this would be asked for
    plan = tomllib.loads(propose(table, codebook=book))
    assert plan["table"] == {"delimiter": ";"}
    assert set(plan["columns"]) == {"sex", "region"}


@pytest.mark.parametrize("kind", ["sdmx", "csv", "ddi"])
def test_hierarchies_are_trees_with_the_level_between_the_farthest(tmp_path, kind):
    if kind == "ddi":
        (tmp_path / "book.xml").write_text(GROUPED)
        plan = Plan.parse(propose(None, codebook=tmp_path / "book.xml"))
        name, near, far = "job", ("11", "12"), ("11", "21")
    else:
        text = SDMX_21 if kind == "sdmx" else CODES_CSV
        (tmp_path / f"cl.{kind}").write_text(text)
        book = read_codebook(None, codes={"region": tmp_path / f"cl.{kind}"})
        plan = Plan.parse(propose(None, codebook=book))
        name, near, far = "region", ("CH01", "CH02"), ("CH01", "FR01")
    column = plan.column(name)
    assert column.kind == "tree"
    assert (column.space.distance(*near), column.space.distance(*far)) == (1, 2)
    assert column.spec["epsilon"] == "1/2*ln(3)"


def test_a_level_that_all_codes_share_is_not_climbed(tmp_path):
    (tmp_path / "cl.csv").write_text("code,parent\n_T,\nA,_T\na1,A\na2,A\nB,_T\nb1,B\nc,_T\n")
    book = read_codebook(None, codes={"x": tmp_path / "cl.csv"})
    column = Plan.parse(propose(None, codebook=book)).column("x")
    assert list(column.values) == ["a1", "a2", "b1", "c"]
    assert (column.space.diameter, column.spec["epsilon"]) == (2, "1/2*ln(3)")


def test_all_codes_of_a_hierarchy_as_categories(tmp_path):
    (tmp_path / "cl.csv").write_text(CODES_CSV)
    book = read_codebook(None, codes={"region": tmp_path / "cl.csv"})
    plan = tomllib.loads(propose(None, codebook=book, choices={"region": "categories"}))
    assert plan["columns"]["region"]["values"] == ["CH", "FR", "CH01", "CH02", "FR01"]


@pytest.mark.parametrize(
    ("low", "high", "apart", "grid"),
    [
        ("0", "110", [], ("0", "110", "1")),
        ("-9000", "1341000", [], ("-10000", "1350000", "10000")),
        ("16.3", "52864.7", [], ("0", "53000", "500")),
        ("0", "998", ["999"], ("0", "995", "5")),  # rounded inward where a code stands
        ("0.5", "1.5", [], ("0.5", "1.5", "0.005")),
        ("0", "1", [], ("0", "1", "1")),
    ],
)
def test_grids(low, high, apart, grid):
    whole = "." not in low
    found = grid_of(Decimal(low), Decimal(high), [Decimal(code) for code in apart], whole=whole)
    assert found == tuple(map(Decimal, grid))


def test_dates_end_where_the_calendar_does():
    first, last, step = date_grid(date(1900, 1, 1), date.max)
    assert (first, step) == ("1900-01-01", "364 days")
    assert (date.fromisoformat(last) - date(1900, 1, 1)).days % 364 == 0
    assert (date.max - date.fromisoformat(last)).days < 364
    assert date_grid(date(2020, 1, 1), date(2020, 1, 2)) == ("2020-01-01", "2020-01-02", "1 day")


def test_labels_cannot_leave_their_comment(tmp_path):
    book = read_codebook_of(tmp_path, "x", "a\x1b[2J\n[columns.y]", "1\n2")
    text = propose(None, codebook=book)
    assert set(tomllib.loads(text)["columns"]) == {"x"}
    assert "\x1b" not in text


def read_codebook_of(folder, name, label, codes):
    (folder / "b.csv").write_text(f'variable,label,values\n{name},"{label}","{codes}"\n')
    book = read_codebook(folder / "b.csv")
    assert book.variable(name).values == (Value("1"), Value("2"))
    return book


def test_columns_share_what_the_row_may_tell(book, table, tmp_path):
    text = propose(table, codebook=book, row="ln 9", choices={"wt": "drop"})
    assert "epsilon" not in text
    raw = tomllib.loads(text)
    assert raw["row"] == "ln 9"
    assert joint_guarantee(Plan.parse(text)).total <= as_eps("ln 9")
    assert "epsilon" not in propose(table, row="ln 9")
    with pytest.raises(BadLevel):
        propose(table, codebook=book, row="-1")
    (tmp_path / "cl.xml").write_text(SDMX_21)
    regions = read_codebook(book, codes={"region": tmp_path / "cl.xml"})
    found = Plan.parse(propose(None, codebook=regions, row="ln 9")).column("region")
    assert (found.kind, list(found.values)) == ("categories", ["CH01", "CH02", "FR01"])


def test_an_order_does_not_take_the_row_unless_it_is_chosen(book, table):
    shared = Plan.parse(propose(table, codebook=book, row="ln 9", choices={"wt": "drop"}))
    assert shared.column("health").kind == "categories"
    assert set(shared.column("health").values) == {1, 2, 3, 8}
    choices = {"wt": "drop", "health": "ordered"}
    chosen = Plan.parse(propose(table, codebook=book, row="ln 9", choices=choices))
    assert chosen.column("health").kind == "ordered"
    # For the same row the sex of a person would be told less exactly.
    alone, beside = (float(p.column("sex").mechanism.guarantee.eps) for p in (shared, chosen))
    assert alone > 1.2 * beside


def test_dates_have_a_grid_of_days(tmp_path):
    book, table = tmp_path / "book.csv", tmp_path / "in.csv"
    book.write_text(
        "variable,code,meaning,min,max\n"
        "born,,,1930-01-01,2010-12-31\nborn,N,not stated,,\nvisit,,,2020-01-01,2020-05-31\n"
    )
    table.write_text("born,visit\n1987-05-01,2020-03-03\nN,2020-05-31\n")
    plan = Plan.parse(propose(table, codebook=book, header=True))
    born, visit = plan.columns
    assert (born.kind, born.values[0], born.values[-1]) == ("dates", "1930-01-01", "N")
    assert (visit.values[0], visit.values[-1]) == ("2020-01-01", "2020-05-31")
    chosen = propose(None, codebook=book, choices={"visit": "2020-01-01:2020-02-01"})
    assert tomllib.loads(chosen)["columns"]["visit"]["high"] == "2020-02-01"
    for cell in ("01.05.1987", "2011-01-01", "1987-05-01 12:00"):
        table.write_text(f"born,visit\n{cell},2020-03-03\n")
        with pytest.raises(UnknownCategory, match=r"^'born'"):
            propose(table, codebook=book, header=True)
