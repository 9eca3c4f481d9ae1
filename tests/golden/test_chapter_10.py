"""T chapter 10 beside our numbers: Example 10.1, Table 10.1, Figures 10.2 to 10.5."""

import json
import math
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy import hashing
from dprivacy.errors import InsecureSeedWarning, Malformed
from dprivacy.flow import capacity
from dprivacy.numbers import ln
from dprivacy.sampling import InsecureSource
from dprivacy.verify import privacy_loss
from support.real_data import real


def seeded():
    with pytest.warns(InsecureSeedWarning):
        return InsecureSource(10)


# -- Example 10.1 ----------------------------------------------------------------------------------


@pytest.mark.statement("T", "Ex 10.1")
def test_the_six_functions_of_the_example():
    lesson = hashing.bare_hash()
    assert lesson.points == ((0, 1), (1, 0), (1, 1))
    assert dict(lesson.functions) == {
        (1, 0, 0): Q(1, 8),
        (0, 1, 1): Q(1, 8),
        (1, 0, 1): Q(1, 8),
        (0, 1, 0): Q(1, 8),
        (1, 1, 1): Q(1, 4),
        (0, 0, 0): Q(1, 4),
    }
    # Hidden: the bit says nothing. Known: with probability 1/2 it does, and it may prove a point.
    assert lesson.hidden_level == 0
    assert all(lesson.hidden[x, y] == Q(1, 2) for x in lesson.points for y in (0, 1))
    assert lesson.known_level == math.inf
    assert lesson.parting == Q(1, 2)
    assert lesson.singling_out == {(0, 1): Q(1, 4), (1, 0): Q(1, 4), (1, 1): 0}
    assert capacity(lesson.hidden) == 1
    assert capacity(lesson.known) == Q(3, 2)  # and half of the time one bit is told
    assert privacy_loss(lesson.known, (0, 1), (1, 0)).escape == Q(1, 2)
    assert "prove a point outright: (0, 1) with probability 1/4" in lesson.explain()
    assert json.loads(json.dumps(lesson.to_dict()))["known_level"] == "inf"


def test_the_functions_are_those_of_random_lines():
    points = [(0, 1), (1, 0), (1, 1), (-1, 1)]
    turns = (np.arange(8000) + 0.5) * math.pi / 4000
    projected = np.array(points) @ np.stack([np.cos(turns), np.sin(turns)])
    patterns, counts = np.unique((projected >= 0).astype(int), axis=1, return_counts=True)
    drawn = {tuple(p): Q(int(c), 8000) for p, c in zip(patterns.T.tolist(), counts, strict=True)}
    assert dict(hashing.bare_hash(points).functions) == drawn


def test_a_response_repairs_it():
    lesson = hashing.bare_hash(eps="ln 3")
    assert lesson.known_level == ln(3)
    assert lesson.hidden_level == 0
    assert "level is ln(3)" in lesson.explain()
    with pytest.raises(Malformed, match="rational"):
        hashing.bare_hash(eps=1).known_level
    for bad in ([(0, 0), (1, 0)], [(2, 1)], [1, 2]):
        with pytest.raises(Malformed, match="−1, 0 and 1"):
            hashing.bare_hash(bad)


# -- the data --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def films():
    """Ratings of the films of the four most rated genres, most rated films first."""
    folder = real("movielens100k")
    lines = np.loadtxt(folder / "u.data", dtype=int)
    items = (folder / "u.item").read_text(encoding="latin-1").splitlines()
    genres = np.array([[int(mark) for mark in line.split("|")[5:]] for line in items])
    table = np.zeros((943, 1682))
    table[lines[:, 0] - 1, lines[:, 1] - 1] = lines[:, 2]
    often = (table > 0).sum(axis=0)
    most_rated = np.argsort(-(often @ genres), kind="stable")[:4]
    inside = genres[:, most_rated].any(axis=1)
    return table[:, np.argsort(-np.where(inside, often, -1), kind="stable")]


@pytest.fixture(scope="module")
def visits():
    """Visits of a thousand people to places in New York, most visited places first."""
    path = real("foursquare_nyc", "checkins.parquet")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(path)
    people, places = (table.column(name).to_numpy() for name in ("user", "poi"))
    counts = np.zeros((people.max() + 1, places.max() + 1))
    np.add.at(counts, (people, places), 1)
    most_visited = np.argsort(-counts.sum(axis=0), kind="stable")
    first = np.unique(people)[:1000]
    return counts[first][:, most_visited]


def top(table, n):
    """The first n columns, of the people who have anything there."""
    vectors = table[:, :n]
    return vectors[vectors.any(axis=1)]


# -- Table 10.1 ------------------------------------------------------------------------------------

BITS, K = (10, 20, 30, 50), (1, 5, 10)
PRINTED = {
    100: {
        1: (0.139, 0.097, 0.074, 0.053),
        5: (0.119, 0.087, 0.068, 0.048),
        10: (0.109, 0.082, 0.065, 0.046),
    },
    500: {
        1: (0.117, 0.096, 0.081, 0.063),
        5: (0.101, 0.084, 0.071, 0.056),
        10: (0.092, 0.076, 0.065, 0.052),
    },
    1000: {
        1: (0.096, 0.083, 0.073, 0.060),
        5: (0.084, 0.073, 0.065, 0.053),
        10: (0.079, 0.068, 0.060, 0.049),
    },
}


def table_of(vectors, repetitions=30):
    found = hashing.hashing_loss(vectors, bits=BITS, k=K, repetitions=repetitions, source=seeded())
    return np.array([[found.at(bits=bits, k=k).loss for bits in BITS] for k in K])


@pytest.mark.statement("T", "Table 10.1")
def test_a_thousand_films_within_five_thousandths_of_print(films):
    losses = table_of(top(films, 1000), repetitions=15)
    assert np.abs(losses - np.array(list(PRINTED[1000].values()))).max() < 0.005


@pytest.mark.slow
@pytest.mark.statement("T", "Table 10.1")
@pytest.mark.parametrize("n", [100, 500])
def test_fewer_films_have_the_printed_shape(films, n):
    losses = table_of(top(films, n))
    printed = np.array(list(PRINTED[n].values()))
    assert (np.diff(losses, axis=1) < 0).all()  # more bits, less loss
    assert (np.diff(losses, axis=0) < 0).all()  # more matches, less loss
    assert (np.abs(losses / printed - 1) < 0.2).all()


# -- Figure 10.2 -----------------------------------------------------------------------------------


def nearest_others(vectors):
    function = hashing.random_projection(len(vectors[0]), bits=1, key="any")
    return hashing.nearest_distances(function.table(vectors)).ravel()


@pytest.mark.statement("T", "Fig 10.2")
def test_films_have_far_neighbours(films):
    for n in (100, 500, 1000):
        apart = nearest_others(top(films, n))
        assert len(apart) == 943
        assert (apart < 0.1).mean() < 0.01
        assert 0.2 < np.median(apart) < 0.35


@pytest.mark.statement("T", "Fig 10.2")
def test_places_have_near_ones(visits):
    apart = nearest_others(top(visits, 100))
    assert (apart < 0.1).mean() > 0.25


# -- Figures 10.3 to 10.5 --------------------------------------------------------------------------


def test_the_flips_that_the_text_mentions():
    eps = float(hashing.eps_for(xi=5, bits=20, distance="0.05"))
    assert 1 / (1 + math.exp(eps)) == pytest.approx(0.27, abs=0.005)


@pytest.fixture(scope="module")
def curves(films):
    with pytest.warns(InsecureSeedWarning):
        source = InsecureSource(10)
    return {
        n: hashing.utility_loss_experiment(
            top(films, n),
            bits=[10, 20],
            distances=["0.05", "0.25"],
            budgets=[0.5, 2, 5, 10, 15],
            repetitions=2,
            source=source,
        )
        for n in (100, 1000)
    }


@pytest.mark.statement("T", "Fig 10.4", "Fig 10.5")
@pytest.mark.parametrize("n", [100, 1000])
def test_flipping_beats_noise_first(curves, n):
    found = curves[n]
    for bits in (10, 20):
        for d in ("0.05", "0.25"):
            flips = [loss for _, loss in found.curve("LSHRR", bits=bits, distance=d)]
            noise = [loss for _, loss in found.curve("LapLSH", bits=bits, distance=d)]
            assert abs(flips[0] - noise[0]) < 0.003  # alike at small budgets
            assert all(a < b + 0.001 for a, b in zip(flips, noise, strict=True))
            assert flips[-1] < noise[-1] - 0.005
            assert flips[-1] < flips[2] < flips[0]
    # The advantage is greater for close people.
    gaps = {
        d: found.at(mechanism="LapLSH", bits=20, distance=d, xi=15.0).loss
        - found.at(mechanism="LSHRR", bits=20, distance=d, xi=15.0).loss
        for d in ("0.05", "0.25")
    }
    assert gaps["0.05"] > gaps["0.25"]


@pytest.mark.statement("T", "Fig 10.5")
def test_in_a_thousand_dimensions_noise_first_is_random_choice(curves):
    found = curves[1000]
    for bits in (10, 20):
        for d in ("0.05", "0.25"):
            for _, loss in found.curve("LapLSH", bits=bits, distance=d):
                assert abs(loss - found.chance[10]) < 0.002
        # LSHRR is better than that at a budget of about 2, and much better at 5.
        at = dict(found.curve("LSHRR", bits=bits, distance="0.05"))
        assert at[2] < found.chance[10] - 0.0005
        assert at[5] < found.chance[10] - 0.004


@pytest.mark.statement("T", "Fig 10.3")
def test_shorter_hashes_come_closer_to_plain_ones(curves):
    found = curves[1000]
    plain = {bits: found.at(mechanism="LSH", bits=bits).loss for bits in (10, 20)}
    flipped = {bits: dict(found.curve("LSHRR", bits=bits, distance="0.05")) for bits in (10, 20)}
    for xi in (5, 10, 15):
        assert abs(flipped[10][xi] - flipped[20][xi]) < 0.01  # length hardly matters
        assert flipped[10][xi] - plain[10] < flipped[20][xi] - plain[20]
        assert min(flipped[bits][xi] - plain[bits] for bits in (10, 20)) > 0


@pytest.mark.slow
def test_places_tell_the_same(visits):
    for n in (100, 1000):
        losses = table_of(top(visits, n), repetitions=10)
        assert (np.diff(losses, axis=1) < 0).all()
        found = hashing.utility_loss_experiment(
            top(visits, n), distances=["0.05"], budgets=[5, 15], repetitions=6, source=seeded()
        )
        for bits in (10, 20):
            for xi in (5.0, 15.0):
                flips, noise = (
                    found.at(mechanism=m, bits=bits, xi=xi).loss for m in ("LSHRR", "LapLSH")
                )
                assert flips < noise - 0.001
