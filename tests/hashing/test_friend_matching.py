"""Matching, its utility loss, the experiment, and ratings from a table."""

import json
import math

import numpy as np
import pytest

from dprivacy.errors import (
    BadFile,
    BadNumber,
    DPrivacyError,
    DuplicateLabel,
    InsecureSeedWarning,
    Malformed,
    UnknownCategory,
    UnknownName,
    WrongShape,
)
from dprivacy.hashing import (
    hashing_loss,
    lshrr,
    match,
    minhash,
    nearest_distances,
    random_projection,
    read_ratings,
    utility_loss,
    utility_loss_experiment,
)
from dprivacy.release.plans.release_card import read_card
from dprivacy.sampling import InsecureSource

PEOPLE = ["ann", "bob", "cleo", "dan"]
REPORTS = [[0, 0, 0, 0], [0, 0, 0, 1], [1, 1, 1, 1], [1, 1, 1, 0]]


def seeded(seed=1):
    with pytest.warns(InsecureSeedWarning):
        return InsecureSource(seed)


def some_vectors(people=60, dimension=8, seed=0):
    return np.random.default_rng(seed).integers(0, 6, (people, dimension)).astype(float) + 0.1


def test_people_get_their_labels_back():
    found = match(REPORTS, k=2, labels=PEOPLE).data
    assert found.of("ann")[0] == ("bob", 1)
    assert found.of("cleo")[0] == ("dan", 1)
    assert (found.k, found.bits) == (2, 4)
    rows = list(found.rows())
    assert len(rows) == 8
    assert rows[0] == ("ann", 1, "bob", 1)
    assert "ann: bob (1)" in found.explain()
    data = json.loads(json.dumps(found.to_dict()))
    assert data["matches"][0]["person"] == "ann"
    assert data["matches"][0]["matches"][0] == ["bob", 1]
    assert match(REPORTS, k=1).data.of(3) == [(2, 1)]


def test_matches_have_a_card_with_the_guarantee_of_their_reports(tmp_path):
    mechanism = lshrr(minhash(bits=8, key="a"), eps="ln 3")
    reports = mechanism.randomise([{"tea"}, {"rum"}, {"tea", "milk"}])
    released = match(reports, k=1, labels=["ann", "bob", "cleo"], mechanism=mechanism)
    assert released.card.guarantee.eps == "ln(3)"
    assert "reveal no more than the reports do" in released.explain()
    assert "ln(3)" not in match(reports, k=1).explain()
    released.save(tmp_path / "m.csv")
    assert (tmp_path / "m.csv").read_text().startswith("person,rank,match,bits_that_differ\nann,1,")
    assert read_card(tmp_path / "m.csv.card.json").count == 3
    with pytest.raises(BadFile, match=r"should end in \.csv"):
        released.save(tmp_path / "m.txt")


def test_matching_input_that_is_refused():
    with pytest.raises(UnknownCategory, match="eve"):
        match(REPORTS, k=1, labels=PEOPLE).data.of("eve")
    with pytest.raises(WrongShape, match="one person for each report: 4, not 2"):
        match(REPORTS, k=1, labels=["a", "b"])
    with pytest.raises(DuplicateLabel):
        match(REPORTS, k=1, labels=["a", "a", "b", "c"])
    with pytest.raises(BadNumber, match="k should be at most 3"):
        match(REPORTS, k=4)
    for bad in ([0, 1, 1], [[0, 2], [1, 1]], [[0, 1], [1]], []):
        with pytest.raises(DPrivacyError):
            match(bad, k=1)


@pytest.mark.statement("T", "Eq 10.1")
def test_utility_loss_by_hand():
    rng = np.random.default_rng(2)
    vectors = rng.integers(1, 6, (15, 4)).astype(float)
    function = random_projection(4, bits=6, key="loss")
    found = match(function.hash(vectors), k=3).data
    table = function.table(vectors)
    loss = utility_loss(found, table)
    by_hand = []
    for x in range(15):
        true = sorted(table[x, z] for z in range(15) if z != x)[:3]
        got = [table[x, z] for z, _ in found.of(x)]
        by_hand.append(sum(got) / 3 - sum(true) / 3)
    assert np.allclose(loss.losses, by_hand)
    assert loss.mean == pytest.approx(np.mean(by_hand))
    assert (loss.losses >= -1e-12).all()
    assert loss.found - loss.true == pytest.approx(loss.mean)
    assert "not protected" in loss.explain()
    assert json.loads(json.dumps(loss.to_dict()))["loss"] == loss.mean
    for wrong in (table[:3], table[0], [[0]]):
        with pytest.raises(WrongShape, match="15 × 15"):
            utility_loss(found, wrong)
    assert (nearest_distances(table, 3) == np.sort(table + 9 * np.eye(15), axis=1)[:, :3]).all()
    for k in (0, 15, 20):
        with pytest.raises(WrongShape, match="should be square"):
            nearest_distances(table, k)


def test_perfect_reports_lose_nothing_and_noise_loses_as_much_as_chance():
    vectors = some_vectors()
    function = random_projection(8, bits=4096, key="many bits")
    table = function.table(vectors)
    long = utility_loss(match(function.hash(vectors), k=5).data, table).mean
    assert long < 0.01
    noise = lshrr(random_projection(8, bits=16, key="noise"), eps="1/10000")
    losses = [
        utility_loss(match(noise.randomise(vectors), k=5, source=seeded()).data, table).mean
        for _ in range(40)
    ]
    chance = hashing_loss(vectors, bits=[8], k=[5], repetitions=1).chance[5]
    others = table.sum(axis=1) / 59 - nearest_distances(table, 5).mean(axis=1)
    assert chance == pytest.approx(others.mean())
    assert abs(np.mean(losses) - chance) < 6 * np.std(losses) / math.sqrt(40)
    assert long < chance / 4


def test_the_experiment_agrees_with_matching_step_by_step():
    vectors = some_vectors()
    found = hashing_loss(vectors, bits=[12], k=[1, 4], repetitions=3, key="steps", source=seeded())
    table = random_projection(8, bits=12, key="any").table(vectors)
    hashed = [random_projection(8, bits=12, key=f"steps, {r}").hash(vectors) for r in range(3)]
    for k in (1, 4):
        losses = [  # over many choices among the equally near
            utility_loss(match(strings, k=k).data, table).mean
            for strings in hashed
            for _ in range(100)
        ]
        assert found.at(bits=12, k=k).loss == pytest.approx(np.mean(losses), abs=0.01)


def test_the_experiment_of_the_figures():
    found = utility_loss_experiment(
        some_vectors(),
        bits=[8, 16],
        k=3,
        distances=["0.05", "1/4"],
        budgets=[1, 30],
        repetitions=6,
        source=seeded(),
    )
    assert len(found.points) == 2 * (1 + 2 * 2 * 2)
    for bits in (8, 16):
        plain = found.at(mechanism="LSH", bits=bits).loss
        for mechanism in ("LSHRR", "LapLSH"):
            for d in ("0.05", "0.25"):
                (_, noisy), (_, clear) = found.curve(mechanism, bits=bits, distance=d)
                assert clear < noisy <= found.chance[3] * 1.1
                assert clear > plain * 0.8
        one = found.at(mechanism="LSHRR", bits=bits, distance="0.05", xi=30.0)
        assert float(one.eps) > 3
        # The budget of noise first: ε times the chord of the angle.
        other = found.at(mechanism="LapLSH", bits=bits, distance="0.25", xi=1.0)
        assert float(other.eps) * math.sqrt(2 - 2 * math.cos(math.pi / 4)) == pytest.approx(1)
    text = found.explain()
    assert "LSHRR, 8 bits, k = 3, ξ = 30 at distance 0.05" in text
    assert "random others, k = 3" in text
    data = json.loads(json.dumps(found.to_dict()))
    assert data["points"][0]["mechanism"] == "LSH"
    with pytest.raises(UnknownName, match="mechanism='LSH' fit 2 points"):
        found.at(mechanism="LSH")


def test_noise_first_is_what_laplsh_does():
    # The experiment shares one noise vector among levels; its law must be that of the mechanism.
    from dprivacy.hashing import laplsh

    vectors = some_vectors(40, 3)
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    found = utility_loss_experiment(
        vectors, bits=[8], k=2, distances=["0.25"], budgets=[8], repetitions=150, source=seeded()
    ).at(mechanism="LapLSH")
    table = random_projection(3, bits=8, key="any").table(vectors)
    losses = []
    for r in range(150):
        function = random_projection(3, bits=8, key=f"dprivacy experiment, {r}")
        noisy = laplsh(function, eps=found.eps, numerics="idealised").randomise(units)
        losses.append(utility_loss(match(noisy, k=2).data, table).mean)
    spread = 5 * math.hypot(found.error, np.std(losses) / math.sqrt(150))
    assert abs(found.loss - np.mean(losses)) < spread


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"vectors": [[1, 2], [0, 0], [3, 4]]}, "row 1 is the zero vector"),
        ({"vectors": [[1, 2], [1, math.nan], [3, 4]]}, "row 1 has a number"),
        ({"vectors": [1, 2]}, "rows of"),
        ({"vectors": [[1, 2], [3]]}, "should be numbers"),
        ({"k": 0}, "k: a whole number"),
        ({"k": 9}, "more than 9 people"),
        ({"repetitions": 0}, "repetitions"),
        ({"distances": [0]}, "distance 0"),
        ({"distances": ["2"]}, "distance"),
        ({"budgets": [0]}, "greater than 0"),
        ({"bits": [0]}, "bits"),
        ({"delta": 0}, "δ"),
        ({"key": ""}, "everybody knows"),
    ],
)
def test_experiments_that_are_refused(change, words):
    settings = {"vectors": [[1, 2], [2, 1], [3, 4]], "k": 1, "bits": [4], "repetitions": 1}
    settings |= change
    with pytest.raises(DPrivacyError, match=words):
        utility_loss_experiment(settings.pop("vectors"), **settings)


# -- ratings ---------------------------------------------------------------------------------------

TABLE = "who,film,stars\nann,Alien,5\nbob,Alien,4.5\nann,Brazil,-1\n"


def written(folder, text, name="ratings.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_ratings_become_one_vector_a_person(tmp_path):
    names = {"user": "who", "item": "film", "rating": "stars"}
    found = read_ratings(written(tmp_path, TABLE), **names)
    assert found.people == ("ann", "bob")
    assert found.vectors == ({"Alien": 5.0, "Brazil": -1.0}, {"Alien": 4.5})
    assert found.array().tolist() == [[5, -1], [4.5, 0]]
    visits = read_ratings(
        written(tmp_path, "user,item\na,x\na,x\nb,y\n", "visits.csv"), rating=None
    )
    assert visits.vectors == ({"x": 2.0}, {"y": 1.0})


def test_ratings_from_parquet(tmp_path):
    arrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    table = arrow.table({"user": [7, 7, 8], "item": [1, 2, 1], "rating": [5, 3, 4]})
    parquet.write_table(table, tmp_path / "ratings.parquet")
    found = read_ratings(tmp_path / "ratings.parquet")
    assert found.people == (7, 8)
    assert found.vectors == ({1: 5.0, 2: 3.0}, {1: 4.0})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("user,film,rating\na,x,1\n", "should be one of 'user', 'film', 'rating', not 'item'"),
        ("user,item,rating\na,x,canary\n", "line 1 .*not a number"),
        ("user,item,rating\na,x,1\nb,y,\n", "line 2 .*not a number"),
        ("user,item,rating\na,x,nan\n", "line 1 .*not finite"),
        ("user,item,rating\na,,1\n", "line 1 .*no person or no item"),
        ("user,item,rating\na,x,1\na,x,2\n", "line 2 .*rated before"),
        ("user,item,rating\n", "no rows"),
    ],
)
def test_tables_that_are_refused(tmp_path, text, words):
    with pytest.raises((BadFile, UnknownName), match=words) as caught:
        read_ratings(written(tmp_path, text))
    assert "canary" not in str(caught.value)


def test_files_that_are_refused(tmp_path):
    with pytest.raises(Malformed, match="does not exist"):
        read_ratings(tmp_path / "nothing.csv")
    with pytest.raises(Malformed, match=r"only \.csv"):
        read_ratings(written(tmp_path, "x", "ratings.doc"))


def test_the_order_of_lines_does_not_show_in_the_order_of_people(tmp_path):
    """A table that is sorted by ratings would tell who gave the highest."""
    lines = ["cleo,tea,5\n", "ann,tea,3\n", "bob,tea,1\n"]
    found = [
        read_ratings(written(tmp_path, "user,item,rating\n" + "".join(order))).people
        for order in (lines, lines[::-1])
    ]
    assert found == [("ann", "bob", "cleo")] * 2
