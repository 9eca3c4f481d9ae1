"""First plans: everything that came from the data is marked, and nothing is guessed away."""

import datetime
import tomllib

import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import BadLevel, Malformed
from dprivacy.release import Plan, propose, sanitise_file
from support.release_tables import weak_rows

N = 240


def table():
    return pa.table({
        "person_id": [f"p{k}" for k in range(N)],
        "E-Mail": [f"p{k}@example.org" for k in range(N)],
        "hobby": ["sports", "cars", "it's \"new\""] * (N // 3),
        "code": [1, 2, 30] * (N // 3),
        "zip": ["01", "1", "12"] * (N // 3),
        "age": [k * 34 % 91 for k in range(N)],
        "share": [k * 149 % N / 1000 for k in range(N)],
        "big": [k * 149 % N * 10**12 for k in range(N)],
        "debt": [-5 - k * 149 % N for k in range(N)],
        "free text": [f"text {k}" for k in range(N)],
        "member": [True, False] * (N // 2),
        "day": [datetime.date(2020, 1, 1 + k % 2) for k in range(N)],
        "gone": pa.nulls(N),
        "some": ["x", "y", None] * (N // 3),
        "odd\x7f \n\"mark": ["a", "b\x7f"] * (N // 2),
    })  # fmt: skip


@pytest.fixture(params=["parquet", "csv"])
def source(request, tmp_path):
    path = tmp_path / f"in.{request.param}"
    if request.param == "csv":
        pacsv.write_csv(table(), path)
    else:
        pq.write_table(table(), path)
    return path


def test_what_is_proposed(source):
    plan = tomllib.loads(propose(source))
    columns = plan["columns"]
    assert set(plan["drop"]) == {"person_id", "free text", "gone", "E-Mail"} - (
        {"E-Mail"} & set(columns)
    )
    assert columns["hobby"]["values"] == ["cars", 'it\'s "new"', "sports"]
    assert columns["code"]["values"] == [1, 2, 30]
    assert columns["zip"]["values"] == ["01", "1", "12"]
    assert columns["member"]["values"] == ["false", "true"]
    assert columns["day"]["values"] == ["2020-01-01", "2020-01-02"]
    assert columns["some"]["values"] == ["x", "y"]
    assert columns["some"]["nulls"] == "refuse"
    assert columns['odd\x7f \n"mark']["values"] == ["a", "b\x7f"]
    for name in ("age", "share", "big", "debt"):
        assert columns[name]["type"] == "numbers"


def test_every_domain_is_marked_and_the_plan_is_refused_as_it_is(source, tmp_path):
    text = propose(source)
    assert text.count('source = "data"       # confirm') == text.count("[columns.")
    plan = Plan.parse(text)
    assert len(plan.unconfirmed()) == len(plan.columns)
    with pytest.raises(Malformed, match="were read off the data"):
        sanitise_file(source, plan, tmp_path / "out.csv")


@weak_rows
def test_once_confirmed_it_works(source, tmp_path):
    text = propose(source).replace('source = "data" ', 'source = "declared" ')
    text = text.replace('nulls = "refuse"', 'nulls = "category"')
    plan = Plan.parse(text)
    card = sanitise_file(source, plan, tmp_path / "out.parquet").card
    assert card.count == N
    assert card.holds


def test_ranges_cover_the_data_with_a_useful_grid(source):
    for column in Plan.parse(propose(source)).columns:
        if column.kind != "numbers":
            continue
        grid = column.mechanism.grid
        values = [float(v) for v in table()[column.name].to_pylist()]
        assert float(grid.low) <= min(values)
        assert max(values) <= float(grid.high)
        assert 5 <= (grid.high - grid.low) / grid.step <= 200
        over_all = float(column.mechanism.guarantee.eps * (grid.high - grid.low))
        assert over_all == pytest.approx(4, rel=0.1)


def test_numbers_that_are_none(tmp_path):
    values = [float("nan"), float("inf"), *(float(k) for k in range(100))]
    pq.write_table(pa.table({"n": values, "m": [None, 1.5] * 51}), tmp_path / "in.parquet")
    plan = tomllib.loads(propose(tmp_path / "in.parquet"))
    assert (plan["columns"]["n"]["low"], plan["columns"]["n"]["high"]) == (0, 99)
    assert plan["drop"] == ["m"]  # the same for everyone


def test_words_for_missing_values_count_as_missing_in_text_files(tmp_path):
    (tmp_path / "in.csv").write_text("a,b\nx,NA\ny,1\nNone,2\nx,1\ny,2\n")
    text = propose(tmp_path / "in.csv", header=True)
    columns = tomllib.loads(text)["columns"]
    assert columns["a"]["values"] == ["x", "y"]
    assert columns["b"]["values"] == [1, 2]
    assert text.count("1 are missing") == 2


def test_types_that_cannot_be_listed_are_dropped(tmp_path):
    pq.write_table(
        pa.table({"l": [[1], [2]] * 2, "s": [{"x": 1}] * 4, "h": ["a", "b"] * 2}),
        tmp_path / "in.parquet",
    )
    assert tomllib.loads(propose(tmp_path / "in.parquet"))["drop"] == ["l", "s"]


def test_the_level_is_written_down_and_checked(source):
    plan = Plan.parse(propose(source, eps="ln 7"))
    assert str(plan.column("hobby").mechanism.guarantee.eps) == "ln(7)"
    for wrong in ("0", "-1", 'ln 2"\nx = 1', "nan"):
        with pytest.raises(BadLevel):
            propose(source, eps=wrong)


def test_refusals(tmp_path):
    with pytest.raises(Malformed, match="does not exist"):
        propose(tmp_path / "none.csv")
    (tmp_path / "in.csv").write_text("h\n")
    with pytest.raises(Malformed, match="holds no rows"):
        propose(tmp_path / "in.csv", header=True)


def test_only_the_first_rows_are_looked_at(tmp_path, monkeypatch):
    from dprivacy.release.files import table_files
    from dprivacy.release.proposals import table_glance as proposal

    monkeypatch.setattr(proposal, "_ROWS_LOOKED_AT", 100)
    monkeypatch.setattr(table_files, "_BATCH", 50)
    pq.write_table(pa.table({"h": ["a", "b"] * 100 + ["late"]}), tmp_path / "in.parquet")
    assert tomllib.loads(propose(tmp_path / "in.parquet"))["columns"]["h"]["values"] == ["a", "b"]


def test_constants_are_dropped_and_fractions_are_numbers(tmp_path):
    rows = "\n".join(f"{i % 3},7,{i % 4 + 0.5}" for i in range(40))
    (tmp_path / "in.csv").write_text(f"code,same,height\n{rows}\n")
    text = propose(tmp_path / "in.csv")
    plan = tomllib.loads(text)
    assert plan["drop"] == ["same"]
    assert "# same is dropped: it is the same for everyone." in text
    assert plan["columns"]["code"]["values"] == [0, 1, 2]
    assert plan["columns"]["height"]["type"] == "numbers"
    Plan.parse(text.replace('source = "data" ', 'source = "declared" '))


def written(folder, text, name="in.csv"):
    (folder / name).write_text(text)
    return folder / name


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ([f"Ann {k}" for k in range(50)], "nearly all its values are different"),
        (
            ["yes", "no"] * 10 + [f"Ann {k}" for k in range(30)],
            "nearly all its values are different",
        ),
        ([f"v{k}" for k in range(70)] * 3, "more than 60 different values"),
        (["Ann Miller of Baker Street 221b in London", "x"] * 20, "longer than 40 characters"),
        (["Ann;33;yes", "Bob;44;no"] * 20, "may be whole records"),
        (["Ann|33", "Bob|44"] * 20, "may be whole records"),
        (["Ann, 33, yes", "Bob, 44, no"] * 20, "may be whole records"),
        (["Ann\n33", "Bob\n44"] * 20, "may be whole records"),
    ],
)
def test_what_may_be_a_record_or_a_name_is_not_written_into_a_plan(tmp_path, cells, why):
    pq.write_table(
        pa.table({"x": cells, "y": ["a", "b"] * (len(cells) // 2)}), tmp_path / "t.parquet"
    )
    text = propose(tmp_path / "t.parquet")
    assert tomllib.loads(text)["drop"] == ["x"]
    assert f"# x is dropped: {why}" in text or why in text
    assert not any(cell in text for cell in cells if len(cell) > 3)


def test_names_do_not_break_out_of_comments(tmp_path):
    name = "x\nepsilon = 7"
    pq.write_table(pa.table({name: ["same"] * 4, "y": ["a", "b"] * 2}), tmp_path / "t.parquet")
    plan = tomllib.loads(propose(tmp_path / "t.parquet"))
    assert plan["drop"] == [name]
    assert "epsilon" not in plan


def test_how_the_file_is_written_goes_into_the_plan(tmp_path):
    rows = "".join(f"{town};{k % 7 * 11}\n" for k in range(6) for town in ("Zürich", "Genève"))
    source = tmp_path / "in.csv"
    source.write_bytes(rows.encode("cp1252"))
    text = propose(source)
    plan = tomllib.loads(text)
    assert plan["table"] == {"delimiter": ";", "encoding": "cp1252", "header": False}
    assert "# letters beyond a-z are è ü: if they look wrong" in text
    assert plan["columns"]["column 1"]["values"] == ["Genève", "Zürich"]
    confirmed = Plan.parse(text.replace('source = "data" ', 'source = "declared" '))
    card = sanitise_file(source, confirmed, tmp_path / "out.csv").card
    assert card.count == 12
    head, *body = (tmp_path / "out.csv").read_text(encoding="utf-8").splitlines()
    assert head == '"column 1","column 2"'
    assert len(body) == 12


def test_a_usual_table_needs_no_settings(tmp_path):
    assert "[table]" not in propose(written(tmp_path, "a,b\n" + "x,1\ny,2\n" * 9))


def test_decimal_commas_are_named_as_the_reason(tmp_path):
    rows = "".join(f"a;{k},5\nb;{k},25\n" for k in range(30))
    text = propose(written(tmp_path, f"group;income\n{rows}"))
    assert "# income is dropped: its numbers are not written as 1234.5 is" in text


@pytest.mark.parametrize("name", ["sampling_weight", "PWGTP", "strata", "psu"])
def test_what_serves_the_design_of_a_survey_gets_no_noise(tmp_path, name):
    rows = "\n".join(f"{k % 3},{k % 7 + 0.5}" for k in range(60))
    (tmp_path / "in.csv").write_text(f"code,{name}\n{rows}\n")
    text = propose(tmp_path / "in.csv")
    assert tomllib.loads(text)["drop"] == [name]
    assert f"# {name} is dropped: its name reads as a " in text
