"""A name means one space, in Python, in every verb, in plans and on the page; the metric is said."""

import json
import math

import pytest

import dprivacy as dp
from dprivacy.polytope import count_kernels
from dprivacy.release import forecast
from support.command_runs import command

ROWS = ("3/4,1/4", "1/2,1/2", "1/2,1/2", "1/4,3/4")
CORNERS = ("00", "01", "10", "11")  # also the cells of a grid of 2×2, row by row

# name: (distance from the first point to the last, smallest ε of the rows above, words), by hand: the
# first and the last row differ by a factor of 3, the middle ones from the last by 2
MEANT = {
    "discrete:4": (1, math.log(3), "discrete, any two at distance 1"),
    "line:4": (3, math.log(2), "line, numbers at their difference"),
    "order:4": (3, math.log(2), "order, neighbours at distance 1"),
    "grid:2x2": (math.sqrt(2), math.log(3) / math.sqrt(2), "grid of 2×2, Euclidean"),
    "grid:2x2:euclidean": (math.sqrt(2), math.log(3) / math.sqrt(2), "grid of 2×2, Euclidean"),
    "grid:2x2:manhattan": (2, math.log(2), "grid of 2×2, Manhattan"),
    "grid:2x2:chebyshev": (1, math.log(3), "grid of 2×2, Chebyshev"),
    "cube:2": (2, math.log(2), "cube of 2 bits, Hamming"),
    "hamming": (2, math.log(2), "hamming, differing characters count"),
}
SIZED = [name for name in MEANT if name != "hamming"]


def apart(space):
    return float(space.distance(space.labels[0], space.labels[-1]))


@pytest.mark.parametrize("name", SIZED)
def test_in_python(name):
    assert apart(dp.as_space(name)) == pytest.approx(MEANT[name][0], rel=1e-15)


def labels_for(name):
    return CORNERS if name == "hamming" else [str(label) for label in dp.as_space(name).labels]


@pytest.mark.parametrize("name", [name for name in MEANT if name != "cube:2"])  # own labels
@pytest.mark.parametrize("verb", ["verify", "leakage", "compare"])
def test_in_verbs_that_study_a_matrix(name, verb, tmp_path):
    lines = [f'"{x}",{row}' for x, row in zip(labels_for(name), ROWS, strict=True)]
    (tmp_path / "m.csv").write_text("\n".join([",yes,no", *lines]) + "\n")
    files = ["m.csv"] * (2 if verb == "compare" else 1)
    told = command(verb, *files, "--space", name, folder=tmp_path)
    assert f"space: {MEANT[name][2]}\n" in told.out
    found = json.loads(command(verb, *files, "--space", name, "--json", folder=tmp_path).out)
    assert (found["space"], found["metric"]) == (name, MEANT[name][2])
    if verb == "verify":
        assert found["smallest_float"] == pytest.approx(MEANT[name][1], rel=1e-15)


@pytest.mark.parametrize("name", SIZED)
def test_what_optimal_finds_verify_proves(name, tmp_path):
    told = command("optimal", "--space", name, "--epsilon", "ln 2", "-o", "m.json", folder=tmp_path)
    assert told.out.startswith(f"space: {MEANT[name][2]}\n")
    assert apart(dp.as_space(tmp_path / "m.json")) == pytest.approx(MEANT[name][0], rel=1e-15)
    level = ["--epsilon", "ln 2"]
    assert command("verify", "m.json", *level, folder=tmp_path).code == 0
    if name != "cube:2":
        assert command("verify", "m.json", "--space", name, *level, folder=tmp_path).code == 0


@pytest.mark.parametrize("name", [name for name in SIZED if "Euclidean" not in MEANT[name][2]])
def test_kernels_are_those_of_the_space(name):
    told = command("kernels", "--space", name, "--count")
    assert told.out.startswith(f"space: {MEANT[name][2]}\n")
    found = json.loads(command("kernels", "--space", name, "--count", "--json").out)
    assert found["kernels"] == int(count_kernels(dp.as_space(name), eps="ln 2"))
    assert command("kernels", "--space", name, "--limit", "1").out.startswith("space: ")


def test_extreme_points_are_of_the_discrete_space():
    told = command("extreme", "--n", "3", "--count")
    assert told.out.startswith("space: discrete, any two at distance 1\n")


def test_in_plans():
    values = ["a", "b", "c", "d"]
    for kind, name in (("categories", "discrete"), ("ordered", "order")):
        spec = {"type": kind, "values": values, "epsilon": "ln 2"}
        plan = dp.Plan.read({"columns": {"x": spec}})
        space = dp.as_space(name, labels=values)
        assert plan.column("x").space == space
        words = MEANT[f"{name}:4"][2].partition(", ")[2]
        assert words in forecast(plan, rows=100).columns[0].distances


def test_on_the_page():
    pytest.importorskip("nicegui", reason="the page needs the extra [web]")
    from dprivacy.web.pages.space_choice import KINDS, chosen_space, kind_and_size

    said = {"grid": "Euclidean", "city": "Manhattan", "line": "difference", "discrete": "equally"}
    for name in SIZED:
        kind, _ = kind_and_size(name)
        if KINDS[kind].written.partition(":")[0] == name.partition(":")[0]:
            assert apart(chosen_space(name, most=50)) == pytest.approx(MEANT[name][0], rel=1e-15)
    assert all(words in KINDS[kind].words for kind, words in said.items())
