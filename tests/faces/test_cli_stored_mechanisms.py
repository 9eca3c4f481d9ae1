"""What ``dprivacy optimal -o`` writes is read by every verb that studies a channel."""

import json
from pathlib import Path

import pytest

from dprivacy.errors import BadFile
from dprivacy.mechanisms import projective_response, subset_response
from dprivacy.model import as_channel, read_document, write_document
from dprivacy.store import save
from support.command_runs import command, good, refused

CELLS = ("(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("stored")
    for name, space in (("m.json", "line:3"), ("map.json", "grid:2x2:manhattan")):
        good("optimal", "--space", space, "--epsilon", "ln 2", "-o", name, folder=place)
    flat = "".join(f'"{cell}",1/2,1/2\n' for cell in CELLS)
    (place / "flat.csv").write_text(f"cell,a,b\n{flat}")
    return place


def data(*words: str, folder: Path) -> dict:
    return json.loads(good(*words, "--json", folder=folder))


def test_verify_takes_the_space_of_the_mechanism_unless_another_is_named(folder: Path) -> None:
    own = data("verify", "m.json", folder=folder)
    assert (own["space"], own["smallest"]) == ("the mechanism's own", "ln(2)")
    other = data("verify", "m.json", "--space", "discrete", folder=folder)
    assert (other["space"], other["smallest"]) == ("discrete", "ln(4)")


@pytest.fixture(scope="module")
def forged(folder: Path) -> Path:
    """The mechanism for ln 2 with a smaller claim, and the hash repaired."""
    stored = read_document((folder / "m.json").read_text())
    claim = {**stored.body["guarantee"], "eps": "ln(3/2)"}
    text = write_document("mechanism", stored.version, {**stored.body, "guarantee": claim})
    (folder / "forged.json").write_text(text)
    return folder


@pytest.mark.parametrize(
    "asked",
    [(), ("--epsilon", "ln 2"), ("--epsilon", "9", "--delta", "1/9"), ("--space", "discrete")],
)
def test_verify_refutes_what_a_repaired_file_claims(forged: Path, asked: tuple[str, ...]) -> None:
    done = command("verify", "forged.json", *asked, folder=forged)
    assert done.code == 3
    told = done.out.partition("What the file claims:")[2]
    assert "No: the channel is not ε·d-private at ε = ln(3/2)" in told
    assert "the output 0 is 2 times as likely for 0 as for 1" in told
    found = json.loads(command("verify", "forged.json", *asked, "--json", folder=forged).out)
    assert found["claimed"]["holds"] is False
    assert (found["claimed"]["eps"], found["claimed"]["smallest"]) == ("ln(3/2)", "ln(2)")


def test_verify_confirms_what_an_honest_file_claims(folder: Path) -> None:
    told = good("verify", "m.json", folder=folder).partition("What the file claims:")[2].split()
    assert " ".join(told).startswith("Yes: the channel is ε·d-private at ε = ln(2)")
    assert data("verify", "m.json", folder=folder)["claimed"]["holds"] is True


def test_verify_refuses_a_mechanism_without_a_claim(folder: Path) -> None:
    stored = read_document((folder / "m.json").read_text())
    bare = {key: value for key, value in stored.body.items() if key != "guarantee"}
    (folder / "bare.json").write_text(write_document("mechanism", stored.version, bare))
    assert "'guarantee' should be stored as an object" in refused(
        "verify", "bare.json", folder=folder
    )


def test_leakage_measures_gains_on_its_space(folder: Path) -> None:
    found = data("leakage", "m.json", "--gain", "metric", folder=folder)
    # By hand: the middle is at 1/2 from both ends; the best guess before is the middle, 2/3.
    assert found["gains"]["metric"]["before"] == "2/3"


def test_compare_matches_texts_of_a_table_with_labels_of_a_mechanism(folder: Path) -> None:
    for pair in (("map.json", "flat.csv"), ("flat.csv", "map.json")):
        found = data("compare", *pair, folder=folder)
        key = "first_refined_by_second" if pair[1] == "flat.csv" else "second_refined_by_first"
        assert {order: verdict["holds"] for order, verdict in found[key].items()} == {
            "average": True,
            "max": True,
            "private": True,
            "space": True,
        }


def test_compare_reads_a_matrix_as_r_writes_it(folder: Path) -> None:
    third = "0.333333333333333"
    rows = f'"0",{third},{third},{third}\n"1",.25,.5,.25\n"2",.25,.25,.5\n'
    (folder / "pram.csv").write_text(f'"","0","1","2"\n{rows}')
    done = command("compare", "m.json", "pram.csv", "--normalise", "--json", folder=folder)
    assert done.code == 0
    assert "rows divided by their sums" in done.err
    assert json.loads(done.out)["space"] == "the mechanism's own"


def test_a_plan_draws_from_it_and_a_card_does_not_pass_for_one(folder: Path) -> None:
    (folder / "plan.toml").write_text('[columns.x]\ntype = "stored"\nfile = "m.json"\n')
    (folder / "t.csv").write_text("x\n" + "0\n1\n2\n" * 20)
    good("sanitise", "t.csv", "-p", "plan.toml", "-o", "out.csv", folder=folder)
    assert len((folder / "out.csv").read_text().splitlines()) == 61
    line = refused("leakage", "out.csv.card.json", folder=folder)
    assert "holds a card, where a channel or a mechanism is needed" in line


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Local mechanisms, which are stored by their law and not as a matrix."""
    place = tmp_path_factory.mktemp("asked")
    labels = ["tea", "milk", "rum"]
    save(subset_response(labels, eps="ln 2", size=1), place / "one.json")
    save(projective_response(labels, eps="ln 2", q=3), place / "plane.json")
    save(projective_response(range(2000), eps=1), place / "many.json")
    return place


def test_local_mechanisms_are_studied_by_their_matrix(asked: Path) -> None:
    own = data("verify", "one.json", folder=asked)
    assert (own["space"], own["smallest"]) == ("the mechanism's own", "ln(2)")
    assert own["claimed"]["holds"] is True
    assert command("verify", "one.json", "--epsilon", "ln(3/2)", folder=asked).code == 3
    assert "plane is the safer" in good("compare", "one.json", "plane.json", folder=asked)
    assert good("leakage", "plane.json", folder=asked)


def test_local_mechanisms_of_many_labels_are_verified_by_their_law(asked: Path) -> None:
    found = data("verify", "many.json", folder=asked)
    assert found["holds"] is True
    words = good("verify", "many.json", folder=asked)
    assert "projective_response(2000 labels" in words
    assert "2.718 times as likely for a label in its set" in words
    assert command("verify", "many.json", "--epsilon", "9/10", folder=asked).code == 3
    told = refused("compare", "many.json", "one.json", folder=asked)
    assert "more reports than can be listed" in told


def test_a_law_is_no_matrix(asked: Path) -> None:
    with pytest.raises(BadFile, match="holds a local mechanism, stored by its law"):
        as_channel(asked / "one.json")
