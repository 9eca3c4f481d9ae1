"""Every verb that reads a table of records takes the same words for how it is written."""

import pytest

from support.command_runs import command

RATINGS = "ann;tea;4,5\nann;rum;1\nbob;tea;2,5\nbob;rum;5\n"
VERBS = {
    "geo": (
        ["geo", "in.csv", "--region", "47,8,200 km", "--lat", "column 1", "--lon", "column 2"],
        "47,1;8,25\n46,9;7,5\n47,3;8,5\n",
    ),
    "curves": (["curves", "in.csv", "--epsilon", "1", "--grid", "0.25"], "0,5;1\n1,25;0\n0,75;2\n"),
    "match": (
        ["match", "in.csv", "--epsilon", "1", "-k", "1", "--user", "column 1", "--item", "column 2",
         "--rating", "column 3"],
        RATINGS,
    ),
}  # fmt: skip
SAID = ["--delimiter", ";", "--encoding", "utf-16", "--no-header", "--decimal", ","]


@pytest.mark.parametrize("verb", VERBS)
def test_it_is_read_as_is_said(tmp_path, verb):
    how, text = VERBS[verb]
    (tmp_path / "in.csv").write_bytes(text.encode("utf-16"))
    done = command(*how, "-o", "out.csv", *SAID, folder=tmp_path)
    assert done.code == 0, done
    assert (tmp_path / "out.csv").exists()


@pytest.mark.parametrize("verb", VERBS)
def test_what_is_unclear_is_asked_for_by_its_option(tmp_path, verb):
    how, text = VERBS[verb]
    (tmp_path / "in.csv").write_bytes(b"\xff\x00\x81" * 50 + text.encode())
    done = command(*how, "-o", "out.csv", folder=tmp_path)
    assert done.code == 1
    assert "--encoding" in done.err
    assert done.err.count("\n") == 1


def test_another_table_is_not_what_the_options_speak_of(tmp_path):
    """A file of public places must be as usual: --delimiter is about the true ones."""
    (tmp_path / "in.csv").write_text("lat;lon\n47,1;8,25\n")
    (tmp_path / "shops.csv").write_text("47.1;8.2;x\n46.9;7.4;y\n")
    asked = ["geo", "in.csv", "--prior", "shops.csv", "--region", "47,8,9 km", "-o", "out.csv"]
    done = command(*asked, "--delimiter", ";", "--decimal", ",", folder=tmp_path)
    assert done.code == 1
    assert "shops.csv" in done.err
    assert "save it as UTF-8 with commas, and names in its first line" in done.err
