"""What the engine holds: released rows with the types of the card, and exact tables beside them."""

import pandas
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dprivacy.errors import BadFile, NotApplicable, UnknownName
from dprivacy.release import Plan, query, received, sanitise_file
from support.queried_tables import JOBS, people, received_with, untouched
from support.release_tables import LETTERS, seeded_file

SQL = "SELECT kind, count(*) AS n FROM data JOIN kinds USING (job) GROUP BY kind ORDER BY kind"
KINDS = pandas.DataFrame({"job": ["a", "b", "c"], "kind": ["x", "x", "y"]})


@pytest.fixture
def clean():
    return received_with(people(), {"job": untouched(JOBS)})


@pytest.mark.parametrize("ending", ["csv", "parquet", "tsv", "frame", "arrow"])
def test_exact_tables_of_any_kind(clean, tmp_path, ending):
    given = tmp_path / f"kinds.{ending}"
    if ending == "parquet":
        KINDS.to_parquet(given)
    elif ending in ("csv", "tsv"):
        KINDS.to_csv(given, index=False, sep="\t" if ending == "tsv" else ",")
    else:
        given = KINDS if ending == "frame" else pa.Table.from_pandas(KINDS)
    answer = query(clean, SQL, tables={"kinds": given})
    jobs = people()["job"].to_pandas()
    assert answer.rows == (("x", jobs.isin(["a", "b"]).sum()), ("y", (jobs == "c").sum()))


def test_a_protected_table_is_not_an_exact_one(clean, tmp_path):
    (tmp_path / "in.csv").write_text("h\n" + "a\nb\n" * 20)
    seeded_file(tmp_path / "in.csv", Plan.read({"columns": {"h": LETTERS}}), tmp_path / "out.csv")
    with pytest.raises(NotApplicable, match="two of them would pair noisy rows"):
        query(clean, SQL, tables={"kinds": tmp_path / "out.csv"})


@pytest.mark.parametrize("name", ["data", "Data", "two words", "", 'x"; DROP'])
def test_names_that_no_exact_table_may_have(clean, name):
    with pytest.raises(UnknownName, match="needs a name of letters"):
        query(clean, "SELECT count(*) FROM data", tables={name: KINDS})


def test_a_file_that_is_not_there(clean, tmp_path):
    with pytest.raises(BadFile, match="does not exist"):
        query(clean, SQL, tables={"kinds": tmp_path / "nowhere.csv"})
    (tmp_path / "kinds.docx").write_text("job,kind")
    with pytest.raises(BadFile, match="an exact table is a"):
        query(clean, SQL, tables={"kinds": tmp_path / "kinds.docx"})


def test_whole_numbers_stay_whole_in_csv(tmp_path):
    spec = {"type": "ordered", "values": [1, 2, 3], "epsilon": "ln 9"}
    (tmp_path / "in.csv").write_text("code\n" + "1\n2\n3\n" * 50)
    seeded_file(tmp_path / "in.csv", Plan.read({"columns": {"code": spec}}), tmp_path / "out.csv")
    found = query(received(tmp_path / "out.csv"), "SELECT code, count(*) FROM data GROUP BY code")
    assert sorted(row[0] for row in found.rows) == [1, 2, 3]
    assert all(type(row[0]) is int for row in found.rows)


def test_dictionaries_hold_text(tmp_path):
    """A candidate need not be among the words that occur in the rows."""
    words = pa.array(["a", "a", "b"] * 30).dictionary_encode()
    table = pa.table({"h": words, "g": words})
    channel = untouched(("a", "b", "never"))
    for release in (table, pa.table({"h": words.cast(pa.string()), "g": words})):
        found = query(
            received_with(release, {"h": channel}), "SELECT h, count(*) FROM data GROUP BY h"
        )
        assert dict(found.rows) == {"a": 60, "b": 30}
    pq.write_table(table, tmp_path / "out.parquet")
    kept = received_with(table, {"h": channel})
    again = type(kept)(tmp_path / "out.parquet", kept.card)
    assert dict(query(again, "SELECT h, count(*) FROM data GROUP BY h").rows) == {"a": 60, "b": 30}


def test_whole_division_of_numbers_has_whole_answers(tmp_path):
    source = tmp_path / "ages.csv"
    source.write_text("age\n" + "".join(f"{20 + k * 17 % 41}\n" for k in range(400)))
    plan = {
        "columns": {"age": {"type": "numbers", "low": 0, "high": 99, "grid": 1, "epsilon": "1/50"}}
    }
    sanitise_file(source, Plan.read(plan), tmp_path / "released.csv")
    found = query(tmp_path / "released.csv", "SELECT age // 10, count(*) FROM data GROUP BY 1")
    decades = [row[0] for row in found.rows]
    assert set(decades) == set(range(10))


def test_a_column_that_was_left_out_is_named(tmp_path):
    source = tmp_path / "people.csv"
    source.write_text("job,name\n" + "cook,ann\nmate,bob\n" * 20)
    plan = {"columns": {"job": {"type": "categories", "values": ["cook", "mate"], "epsilon": 1}}}
    plan["drop"] = ["name"]
    sanitise_file(source, Plan.read(plan), tmp_path / "released.csv")
    with pytest.raises(NotApplicable, match="Column 'name' was left out of this release"):
        query(tmp_path / "released.csv", "SELECT name, count(*) FROM data GROUP BY name")
