"""From files to a plan on the command line, without an editor: a codebook, a table, some choices."""

import gzip
import json
import tomllib

import pytest

from support.command_runs import CANARY, command, good, refused
from support.made_codebooks import CSV, SDMX_21, TESTDATA
from support.real_data import real


def test_the_nist_excerpt_with_its_dictionary(tmp_path):
    table = real("nist_acs_excerpts", "national2019.csv.gz")
    book = real("nist_acs_excerpts", "data_dictionary.json")
    first = good("inspect", table, "--codebook", book, "-o", tmp_path / "first.toml")
    assert "3 columns left to decide" in first
    for name, why in {
        "PWGTP": "its name reads as a weight",
        "WGTP": "its name reads as a weight",
        "INDP": "the codebook lists neither values nor a range",
    }.items():
        assert f"  {name}: {why}" in first
    answer = json.loads(good("inspect", table, "--codebook", book, "--json"))
    assert sorted(answer["undecided"]) == ["INDP", "PWGTP", "WGTP"]
    columns = answer["plan"]["columns"]
    coded = {name for name, spec in columns.items() if "codes" in spec}
    assert coded == {"NOC", "NPF", "PINCP", "POVPIP", "EDU", "PINCP_DECILE", "DVET"}
    ranked = {name for name, spec in columns.items() if spec["type"] == "ordered"}
    assert ranked == {"EDU", "PINCP_DECILE", "DVET"}
    assert (columns["DVET"]["values"], columns["DVET"]["codes"]) == (list("12345"), ["N", "6"])
    assert (columns["NOC"]["low"], columns["POVPIP"]["codes"]) == (0, ["N"])
    assert answer["toml"].count("it reads as computed from ") == 3  # DENSITY and two more
    chosen = [f"--as={name}=drop" for name in ("PWGTP", "WGTP", "INDP", "DENSITY", "PINCP_DECILE")]
    words = ("inspect", table, "--codebook", book, *chosen, "-o", tmp_path / "plan.toml")
    assert "Every column is decided." in good(*words)
    done = command("sanitise", table, "-p", tmp_path / "plan.toml", "-o", tmp_path / "out.csv")
    assert done.code == 0, done.err
    assert len((tmp_path / "out.csv").read_text().splitlines()) == 27_254


def test_the_testdata_of_sdcmicro(tmp_path):
    table = real("sdcmicro", "testdata.csv.gz")
    (tmp_path / "book.csv").write_text(TESTDATA)
    words = ("inspect", table, "--codebook", tmp_path / "book.csv", "-o", tmp_path / "plan.toml")
    told = good(*words)
    assert "2 columns left to decide" in told
    assert "sampling_weight: its name reads as a weight" in told
    assert good(
        *words, "--as", "sampling_weight=publish", "--as=household_weights=drop", "--replace"
    )
    plan = tomllib.loads((tmp_path / "plan.toml").read_text())
    assert plan["drop"] == ["ori_hid", "household_weights"]
    assert plan["pass_through"] == ["sampling_weight"]
    assert {spec["source"] for spec in plan["columns"].values()} == {"declared"}
    assert plan["columns"]["roof"]["values"] == list(range(1, 10))  # also what does not occur
    done = command("sanitise", table, "-p", tmp_path / "plan.toml", "-o", tmp_path / "out.csv")
    assert done.code == 0, done.err
    # One value that the codebook lacks, in the last row: the column is named, the value is not.
    text = gzip.decompress(table.read_bytes()).decode().rstrip("\n")
    rows, _, last = text.rpartition("\n")
    (tmp_path / "in.csv").write_text(f"{rows}\n{CANARY},{last.partition(',')[2]}\n")
    words = ("inspect", tmp_path / "in.csv", "--codebook", tmp_path / "book.csv")
    assert "'urbrur': the table holds values there that the codebook does not list" in refused(
        *words
    )


def test_a_codebook_alone_and_a_list_of_codes(tmp_path):
    (tmp_path / "book.csv").write_text(CSV)
    (tmp_path / "cl.xml").write_text(SDMX_21)
    out = good("inspect", "--codebook", "book.csv", "--codes", "region=cl.xml", folder=tmp_path)
    assert tomllib.loads(out)["columns"]["region"]["hierarchy"] == {
        "CH01": "CH", "CH02": "CH", "FR01": "FR", "CH": "", "FR": "",
    }  # fmt: skip
    alone = good("inspect", "--codes", "region=cl.xml", folder=tmp_path)
    assert list(tomllib.loads(alone)["columns"]) == ["region"]


def test_a_codebook_from_standard_input(tmp_path):
    done = command("inspect", "--codebook", "-", stdin=CSV)
    assert done.code == 0, done.err
    assert set(tomllib.loads(done.out)["columns"]) == {"sex", "income", "health", "region"}
    assert "/tmp" not in done.out


@pytest.mark.parametrize(
    "words",
    [
        ("inspect",),
        ("inspect", "in.csv", "--as", "sex=drop"),
        ("inspect", "--codebook", "book.csv", "--as", "sex"),
        ("inspect", "--codebook", "book.csv", "--as", "sex=drop", "--as", "sex=publish"),
        ("inspect", "--codebook", "book.csv", "--codes", "=x"),
    ],
)
def test_wrong_usage(tmp_path, words):
    (tmp_path / "book.csv").write_text(CSV)
    assert command(*words, folder=tmp_path).code == 2


def test_records_given_as_a_codebook_are_not_quoted(tmp_path):
    (tmp_path / "in.csv").write_text(f"who,age\n{CANARY},33\nbob,44\n")
    assert "a dictionary should have a column called variable" in refused(
        "inspect", "--codebook", tmp_path / "in.csv"
    )
