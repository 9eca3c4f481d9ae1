"""What a caller gives by mistake is answered by an error of the project that says what should be."""

import pandas
import pytest

from dprivacy.errors import BadNumber, WrongKind
from dprivacy.release import (
    Plan,
    attack,
    forecast,
    joint_guarantee,
    propose,
    query,
    read_pram,
    received,
    sanitise,
    sanitise_file,
)
from support.release_tables import LETTERS

PLAN = {"columns": {"h": LETTERS}}
FRAME = pandas.DataFrame({"h": ["a", "b", "c"] * 9})


@pytest.fixture(scope="module")
def released():
    return sanitise(FRAME, PLAN)


def refused(call, match, kind=WrongKind):
    with pytest.raises(kind, match=match):
        call()


@pytest.mark.parametrize("given", [None, 3, FRAME], ids=["None", "3", "frame"])
class TestPaths:
    """A file is named by a path, wherever one is read or written."""

    def test_a_release(self, given):
        refused(lambda: received(given), "a release is the path of a protected table, or what")
        refused(lambda: query(given, "SELECT 1"), "a release is the path of a protected table")

    def test_a_card(self, given, tmp_path):
        (tmp_path / "t.csv").write_text("h\na\n")
        if given is not None:
            refused(lambda: received(tmp_path / "t.csv", card=given), "a card is named by its path")

    def test_the_source_and_the_output_of_a_job(self, given, tmp_path):
        refused(
            lambda: sanitise_file(given, PLAN, tmp_path / "out.csv"), r"in hand goes to `sanitise`"
        )
        refused(lambda: sanitise_file(tmp_path / "t.csv", PLAN, given), "the output is named by")

    def test_an_output(self, given, released):
        refused(lambda: released.save(given), "the output is named by its path")

    def test_what_is_read(self, given):
        named = (
            "a table is needed, or a codebook" if given is None else "a table is named by its path"
        )
        refused(lambda: propose(given), named)
        refused(lambda: read_pram(given), "a file is named by its path")


@pytest.mark.parametrize("sql", [None, 3, ["SELECT 1"]])
def test_a_query_is_a_text(released, sql):
    refused(lambda: query(released, sql), "a query is a text of SQL")


@pytest.mark.parametrize("table", [None, 3, "t.csv"])
def test_a_table_comes_from_a_library_of_tables(table):
    refused(lambda: sanitise(table, PLAN), "a table must come from pandas, Polars")


@pytest.mark.parametrize("plan", [None, 3, ["h"]])
@pytest.mark.parametrize("use", [joint_guarantee, Plan.read, lambda plan: sanitise(FRAME, plan)])
def test_a_plan_is_a_file_or_a_mapping(plan, use):
    refused(lambda: use(plan), "a plan is a file or a mapping")


@pytest.mark.parametrize("names", [None, 3, "h"])
def test_columns_come_in_a_list(released, names):
    table = received(released)
    for use in (table.counts, table.cross_table):
        refused(lambda use=use: use(names), "columns should be a list of columns")
    refused(lambda: attack(table, secret="h", known=names), "known should be a list of columns")
    refused(lambda: attack(table, secret="h", also=names), "also should be a list of columns")


@pytest.mark.parametrize("rows", [None, "9", 0, 2.5])
def test_rows_are_counted(rows):
    refused(lambda: forecast(PLAN, rows=rows), "whole number of rows", BadNumber)
