"""The room Receive: tables as texts, means where there is one, and what is too large to show."""

import csv
import io

import numpy as np
import pyarrow as pa
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.release import Plan, Released, received, sanitise
from dprivacy.web.pages.receive_page import columns_of
from dprivacy.web.received.corrected_tables import corrected, mean_words
from support.release_tables import weak_rows

pytestmark = weak_rows
N = 3000


@pytest.fixture(scope="module")
def release():
    rng = np.random.default_rng(1)
    plan = Plan.read({
        "columns": {
            "job": {"type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 9"},
            "age": {"type": "numbers", "low": 0, "high": 80, "grid": 1, "epsilon": "1"},
            "spent": {"type": "numbers", "low": 0, "high": 99, "grid": 1, "epsilon": "1"},
        },
        "pass_through": ["region"],
    })  # fmt: skip
    table = pa.table({
        "job": rng.choice(["a", "b", "c"], N),
        "age": rng.integers(20, 60, N),
        "spent": rng.integers(0, 100, N),
        "region": rng.choice(["north", "south"], N),
    })  # fmt: skip
    made = sanitise(table, plan)
    return received(Released(made.data, made.card))


def test_a_column_alone_has_what_was_released_beside_what_is_corrected(release):
    found = corrected(release, "job")
    assert found.head[0] == "job"
    assert [row[0] for row in found.rows] == ["a", "b", "c"]
    assert sum(seen for _, seen, *_ in found.drawn) == N
    assert sum(value for _, _, value, *_ in found.drawn) == pytest.approx(N)


def test_means_are_told_of_numbers_alone(release):
    assert "Mean of age" in mean_words(release, "age")
    assert mean_words(release, "job") == ""


def test_a_saved_table_holds_numbers_that_programs_read(release):
    for by in ("", "region"):
        found = corrected(release, "job", by)
        head, *rows = csv.reader(io.StringIO(found.csv()))
        names = ["job", "region"] if by else ["job"]
        assert head == [*names, "corrected rows", "standard error", "95 % from", "95 % to"]
        assert len(rows) == len(found.rows)
        for row, figures in zip(rows, found.figures, strict=True):
            assert [float(cell) for cell in row[len(names) :]] == pytest.approx(figures, rel=1e-5)


def test_a_table_that_is_mostly_noise_says_so():
    columns = {n: {"type": "categories", "values": [1, 2], "epsilon": "ln 1.3"} for n in ("a", "b")}
    rng = np.random.default_rng(3)
    data = pa.table({name: rng.integers(1, 3, 2000) for name in columns})
    doubts = []
    for level in ("ln 1.3", "ln 99"):
        plan = {"columns": {name: {**s, "epsilon": level} for name, s in columns.items()}}
        made = sanitise(data, Plan.read(plan))
        doubts.append(corrected(received(Released(made.data, made.card)), "a", "b").doubt)
    assert doubts[0].startswith(
        "This release is too noisy to say how a and b go together: a cell of"
    )
    assert doubts[1] == ""


@pytest.mark.parametrize("kind", ["ordered", "categories"])
def test_counts_of_one_column_that_are_mostly_noise_are_not_drawn_and_say_so(kind):
    data = pa.table({"a": np.arange(1, 1001) % 2})
    found = []
    for level in ("1/100", "4"):
        plan = {"columns": {"a": {"type": kind, "values": [0, 1], "epsilon": level}}}
        made = sanitise(data, Plan.read(plan))
        found.append(corrected(received(Released(made.data, made.card)), "a"))
    # twice 1.96 standard errors: 200 times the standard deviation of a coin's 1,000 tosses, and more
    assert found[0].doubt == (
        "This release is too noisy to say how many rows have each value of a: a count may be off by "
        "half of the 1,000 rows, or more."
    )
    assert found[0].drawn == ()
    assert found[1].doubt == ""
    assert len(found[1].drawn) == 2


@pytest.mark.parametrize("by", ["region", "job"])
def test_tables_of_two_columns(release, by):
    found = corrected(release, "age", by)
    assert len(found.rows) == 81 * (2 if by == "region" else 3)


def test_a_table_that_nobody_reads_is_not_shown(release):
    with pytest.raises(NotApplicable, match="8,100 cells is too large to show"):
        corrected(release, "age", "spent")


def test_reports_have_beside_them_how_many_hold_each_answer():
    plan = Plan.read({
        "columns": {
            "job": {
                "type": "categories", "values": ["a", "b", "c"], "epsilon": "ln 9",
                "mechanism": "subset_response", "size": 2,
            },
        },
        "pass_through": ["region"],
    })  # fmt: skip
    jobs = np.random.default_rng(2).permutation(["a"] * 400 + ["b"] * 200)
    rows = pa.table({"job": jobs, "region": ["n", "s"] * 300})
    made = sanitise(rows, plan)
    reports = received(Released(made.data, made.card))
    assert columns_of(reports) == {"job": "job (categories)"}
    found = corrected(reports, "job")
    assert found.head[1] == "reports that hold it"
    assert sum(seen for _, seen, *_ in found.drawn) == 2 * 600
    assert sum(value for _, _, value, *_ in found.drawn) == pytest.approx(600)
    assert found.csv().startswith("job,corrected rows,standard error,95 % from,95 % to\na,")
    assert len(corrected(reports, "job", "region").rows) == 6


def test_columns_that_were_drawn_together_are_crossed_by_their_one_draw():
    plan = {
        "columns": {
            "sex": {"type": "categories", "values": ["f", "m"]},
            "mood": {"type": "ordered", "values": [1, 2, 3]},
            "tea": {"type": "categories", "values": ["no", "yes"], "epsilon": "ln 9"},
        },
        "joint": {"both": {"columns": ["sex", "mood"], "epsilon": "ln 9"}},
    }
    rng = np.random.default_rng(5)
    data = pa.table({
        "sex": rng.choice(["f", "m"], N),
        "mood": rng.integers(1, 4, N),
        "tea": rng.choice(["no", "yes"], N),
    })  # fmt: skip
    made = sanitise(data, Plan.read(plan))
    one = received(Released(made.data, made.card))
    for asked in (("sex", "mood"), ("mood", "sex")):
        found = corrected(one, *asked)
        assert found.head[:2] == ("sex", "mood")  # in the order of the draw
        assert [row[:2] for row in found.rows] == [(s, m) for s in "fm" for m in "123"]
        for (sex, mood), (value, error, *_) in zip(
            [row[:2] for row in found.rows], found.figures, strict=True
        ):
            rows = zip(data["sex"].to_pylist(), data["mood"].to_pylist(), strict=True)
            truth = sum((s, str(m)) == (sex, mood) for s, m in rows)
            assert abs(value - truth) < 6 * error
    assert [row[:2] for row in corrected(one, "mood", "tea").rows][:2] == [
        ("1", "no"),
        ("1", "yes"),
    ]
