"""``dprivacy geo``, by its command object."""

import json
import stat

import pytest
from click.testing import CliRunner

from dprivacy.cli.verbs.geo import geo
from dprivacy.cli.verbs.verify import verify
from dprivacy.errors import Malformed
from dprivacy.numbers import Level
from dprivacy.release import Ledger, write_permanent_key

PLACES = """lat,lon,who,diagnosis
40.735,-73.99,ann,CANARY
40.74,-73.98,bob,CANARY
40.735,-73.99,ann,CANARY
"""
PUBLIC = "latitude,longitude\n40.735,-73.99\n40.74,-73.98\n40.745,-73.985\n"
REGION = "40.74, -73.985, 2 km"
LINE = [[-73.99, 40.735], [-73.98, 40.74]]
STATE = ["--permanent-key", "key", "--state", "m.html"]
PRIOR = ["--prior", "public.csv", "--region", REGION]


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "places.csv").write_text(PLACES)
    (tmp_path / "public.csv").write_text(PUBLIC)
    write_permanent_key("key")

    def go(*arguments, ok=True):
        done = CliRunner().invoke(geo, list(arguments))
        if ok and done.exception is not None:
            raise done.exception
        return done

    return go


def test_the_command_of_the_first_page(run, tmp_path):
    done = run("places.csv", "--radius", "200m", "--epsilon", "ln 4", "-o", "out.csv")
    assert (
        "Within 200 m, the odds between two true places change by at most a factor of 4."
        in done.output
    )
    assert "Wrote out.csv and out.csv.card.json." in done.output
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == '"lat","lon"'
    assert len(lines) == 4
    assert "CANARY" not in done.output


def test_a_state_repeats_what_was_reported_before(run, tmp_path):
    """Two weeks of files: 30 m beside home it is home again, and the second pays nothing."""
    ledger = Ledger(tmp_path / "ledger.db")
    ledger.budget("everyone", 100, column="places", unit="person")
    ledger.close()
    moved = PLACES.replace("40.735,", "40.7352,")
    assert moved != PLACES
    (tmp_path / "next.csv").write_text(moved)
    told = ["--person", "who", "--permanent-key", "key", "--state", "leaders", "--near", "60 m"]
    told += ["--region", REGION, "--keep", "who", "--ledger", "ledger.db"]
    for week, name in (("one", "places.csv"), ("two", "next.csv")):
        done = run(name, "-o", f"{week}.csv", *told)
        assert "between two tracks with different patterns the ratio has no bound" in done.output
        with Ledger(tmp_path / "ledger.db") as opened:
            assert opened.spent(column="places").eps == 5 * Level("ln 4")
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()
    assert "paid for then" in done.output
    assert stat.S_IMODE((tmp_path / "leaders").stat().st_mode) == 0o600
    proved = CliRunner().invoke(verify, ["two.csv.card.json", "two.csv", "--ledger", "ledger.db"])
    assert proved.exit_code == 0, proved.output
    whole = run("places.csv", "-o", "whole.csv", *told[:4], *told[6:-2], "--whole-history")
    assert (tmp_path / "whole.csv").read_text() == (tmp_path / "one.csv").read_text()
    assert "within 60 m of an earlier one" in whole.output


def test_json_region_clamp_person_and_permanent_key(run, tmp_path):
    done = run(
        "places.csv", "-o", "out.geojson", "--region", REGION, "--clamp", "--person", "who",
        "--permanent-key", "key", "--json",
    )  # fmt: skip
    told = json.loads(done.output)
    assert told["mechanisms"][""]["cell_m"] == "50"
    assert told["mechanisms"][""]["guarantee"]["reports"] == 1
    features = json.loads((tmp_path / "out.geojson").read_text())["features"]
    assert features[0]["geometry"] == features[2]["geometry"] != features[1]["geometry"]
    shared = run(
        "places.csv",
        "-o",
        "o2.csv",
        "--region",
        REGION,
        "--person",
        "who",
        "--reports",
        "2",
        "--again",
        "a test",
        "--json",
    )
    assert json.loads(shared.output)["mechanisms"][""]["guarantee"]["total_level"] == "ln(4)"


def test_a_map_shows_true_places_only_when_asked(run, tmp_path):
    kept = ["--keep", "who", "--person", "who"]
    done = run("places.csv", "-o", "a.csv", "--region", REGION, "--map", "a.html", *kept)
    assert "TRUE" not in (tmp_path / "a.html").read_text()
    assert "Wrote a.html." in done.output
    again = ["--again", "a test"]
    done = run(
        "places.csv", "-o", "b.csv", "--region", REGION, "--map", "b.html", "--map-true", *again
    )
    assert "TRUE places" in (tmp_path / "b.html").read_text()
    assert "keep it to yourself" in done.output
    assert not (tmp_path / "b.html").stat().st_mode & 0o077
    (tmp_path / "base.geojson").write_text(json.dumps({"type": "LineString", "coordinates": LINE}))
    how = ["places.csv", "-o", "d.csv", "--region", REGION, *again]
    run(*how, "--map", "d.html", "--base", "base.geojson")
    assert '<path class="way" d="M' in (tmp_path / "d.html").read_text()
    how[2] = "e.csv"
    (tmp_path / "base.geojson").write_text("{}")
    with pytest.raises(Malformed, match="is not GeoJSON"):
        run(*how, "--map", "e.html", "--base", "base.geojson")
    assert not (tmp_path / "e.csv").exists()
    with pytest.raises(Malformed, match=r"b\.html already exists"):
        run("places.csv", "-o", "c.csv", "--map", "b.html")
    assert not (tmp_path / "c.csv").exists()


def test_priors_the_optimal_mechanism_and_the_frontier(run, tmp_path):
    given = ["--prior", "public.csv", "--region", REGION, "--cell", "1 km", "--radius", "500 m"]
    done = run("places.csv", "-o", "guessed.csv", *given)
    assert "The best guess under the prior is used: it moves public places by" in done.output
    optimal = [*given, "--optimal", "--again", "a test"]
    done = run("places.csv", "-o", "best.csv", *optimal)
    assert "The best guess under the prior is used: it moves public places by" in done.output
    assert "the optimal mechanism on cells of 1 km by" in done.output
    done = run("places.csv", "-o", "forced.csv", *optimal, "--force", "--person", "who")
    assert "The optimal mechanism on cells of 1 km is used" in done.output
    assert "two tracks of 2 reports" in done.output
    done = run(*given, "--frontier", "ln 2, ln 4", "--picture", "f.svg")
    assert done.output.count("optimal") == 2
    assert (tmp_path / "f.svg").read_text().count("<svg")
    told = json.loads(run(*given, "--frontier", "ln 2", "--json").output)
    assert [p["mechanism"] for p in told["points"]] == ["planar Laplace", "remapped", "optimal"]


def test_places_of_a_public_list(run, tmp_path):
    given = ["--among", "public.csv", "--radius", "500 m"]
    people = ["--person", "who", "--reports", "2", "--map", "listed.html"]
    done = run("places.csv", "-o", "listed.csv", *given, *people)
    assert "▫ 3 listed places" in (tmp_path / "listed.html").read_text()
    assert "the odds change by at most a factor of 4. This is for all reports" in done.output
    assert "between two places of the list change by at most a factor of 2." in done.output
    listed = set(PUBLIC.splitlines()[1:])
    reported = (tmp_path / "listed.csv").read_text().splitlines()[1:]
    assert set(reported) <= listed
    done = run(*given, "--frontier", "ln 4")
    assert "for two places of the list" in done.output
    assert "read as places of the list, are off on average by at least" in done.output
    (tmp_path / "public.csv").write_text(PUBLIC.replace("40.735", "40.7351"))
    with pytest.raises(Malformed, match=r"row 0 lies more than 1 m .* \(and 1 more\)"):
        run("places.csv", "-o", "no.csv", *given)
    run("places.csv", "-o", "yes.csv", *given, "--tolerance", "20 m", "--again", "a test")


@pytest.mark.parametrize("another", ["hardlink_to", "symlink_to", "copy"])
def test_the_true_places_are_public_under_no_other_name(run, tmp_path, another):
    """A link or a copy was taken for a public list, and --base drew true tracks into the map."""
    track = {"type": "LineString", "coordinates": LINE}
    (tmp_path / "track.geojson").write_text(json.dumps(track))
    for name, options in (
        ("places.csv", ["--among"]),
        ("track.geojson", ["--map", "m.html", "--base"]),
    ):
        true, other = tmp_path / name, tmp_path / f"other-{name}"
        if another == "copy":
            other.write_bytes(true.read_bytes())
        else:
            getattr(other, another)(true)
        done = run(name, "-o", "o.csv", *options, other.name, ok=False)
        assert done.exit_code == 2
        assert "name a public file" in done.output.replace("\n", " ").replace("│ ", "")
    assert not (tmp_path / "m.html").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "give PLACES and --output"),
        (["places.csv"], "give PLACES and --output"),
        (["places.csv", "-o", "o.csv", "--optimal"], "--optimal and --frontier need"),
        (["--frontier", "ln 2"], "--optimal and --frontier need"),
        (["places.csv", "-o", "o.csv", "--prior", "public.csv"], "--prior needs --region"),
        (["places.csv", "-o", "o.csv", "--among", "./places.csv"], "name a public file"),
        (
            ["places.csv", "-o", "o.csv", "--prior", "places.csv", "--region", REGION],
            "name a public file",
        ),
        (["places.csv", "-o", "o.csv", "--picture", "f.svg"], "--picture draws"),
        (["places.csv", "-o", "o.csv", "--map-true"], "--map-true and --base need --map"),
        (
            ["places.csv", "-o", "o.csv", *STATE, "--map", "./m.html"],
            "--state is secret",
        ),
        (
            ["places.csv", "--frontier", "ln 2", *PRIOR],
            "reads no places",
        ),
        (
            ["places.csv", "-o", "o.csv", *PRIOR, "--optimal", "--permanent-key", "key"],
            "cannot be combined with --permanent-key",
        ),
        (["places.csv", "-o", "o.csv", "--state", "s"], "go with --permanent-key"),
        (["places.csv", "-o", "o.csv", "--whole-history"], "go with --permanent-key"),
        (
            ["places.csv", "-o", "o.csv", "--permanent-key", "key", "--near", "9 m"],
            "--near goes with",
        ),
        (["places.csv", "-o", "o.csv", *PRIOR, "--force"], "--force goes with"),
        (["places.csv", "-o", "o.csv", *PRIOR, "--device", "gpu"], "--device goes with"),
        (["places.csv", "-o", "o.csv", *PRIOR, "--among", "public.csv"], "leave out --prior"),
    ],
)  # fmt: skip
def test_wrong_usage_is_named(run, tmp_path, arguments, words):
    done = run(*arguments, ok=False)
    assert done.exit_code == 2
    assert words in done.output.replace("\n", " ").replace("│ ", "").replace(" │", "")
    assert not (tmp_path / "o.csv").exists()


def test_refusals(run, tmp_path):
    for arguments, words in (
        (["nowhere.csv", "-o", "o.csv"], "does not exist"),
        (
            ["places.csv", "-o", "o.csv", "--permanent-key", "nowhere", "--person", "who"],
            "cannot be read",
        ),
        (["places.csv", "-o", "o.csv", "--region", "0,0,5 km"], "row 0 lies outside"),
        (["places.csv", "-o", "o.csv", "--map", "m.png"], "should be one of '.html'"),
    ):
        with pytest.raises(Malformed, match=words):
            run(*arguments)
    assert not (tmp_path / "o.csv").exists()
