"""Mechanisms on words: the exact one proved on its integers, and noise with the nearest word."""

import math
import warnings
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy import stats

from dprivacy.errors import BadLevel, InsecureSeedWarning, Malformed, NotApplicable, UnknownName
from dprivacy.flow import capacity
from dprivacy.model import Mechanism
from dprivacy.numbers.enclosures import exp_bounds
from dprivacy.release import protect_text
from dprivacy.sampling import InsecureSource
from dprivacy.text import (
    Embedding,
    neighbours_of,
    word_mechanism,
    word_movers_distance,
)
from dprivacy.text.documents.word_noise import TOTAL_BITS
from support.text_corpora import TINY, glove, random_embedding

WHOLE = 1 << TOTAL_BITS


def quiet(seed=1):
    with warnings.catch_warnings(action="ignore"):
        return InsecureSource(seed)


def worst_ratio(weights):
    """For each pair of rows the largest quotient of entries, exactly."""
    rows = [[int(w) for w in row] for row in weights]
    return {
        (i, j): max(Q(a, b) for a, b in zip(rows[i], rows[j], strict=True))
        for i in range(len(rows))
        for j in range(len(rows))
        if i != j
    }


EMBEDDINGS = {
    "tiny": TINY,
    "random": random_embedding(25, 6),
    "long": random_embedding(20, 60, scale=40),
    "short": random_embedding(20, 3, scale=1e-3),
    "twins": Embedding(tuple("abcd"), np.array([[0.0, 0], [1e-7, 0], [0, 1], [0, 1]])),
    "edge": Embedding(tuple("abc"), np.array([[2.0 - 2**-40], [0.0], [2.0**-30 - 2]])),
    "far": Embedding(tuple("abc"), np.array([[1e6], [1e6 + 1], [1e6 + 3.0]])),
}


@pytest.mark.statement("T", "Alg 2")
@pytest.mark.parametrize("name", EMBEDDINGS)
@pytest.mark.parametrize("eps", ["ln 2", "1/100", 3, 40])
def test_every_pair_of_rows_obeys_the_guarantee_in_integers(name, eps):
    """Exactly: the largest quotient of two rows against e^(ε·d) from below; unknown words included."""
    e = EMBEDDINGS[name]
    m = word_mechanism(e, eps=eps)
    words = [*e.words, "not a word"]
    weights = m.weights(words)
    assert (weights >= 1 << 22).all()
    assert (weights.sum(axis=1) == WHOLE).all()
    for (i, j), ratio in worst_ratio(weights).items():
        d = Q(m.guarantee.space.distance(words[i], words[j]))
        low, _ = (m.guarantee.eps * d).bounds(200)
        assert ratio <= exp_bounds(low, low, 200)[0], (words[i], words[j])


def test_it_is_not_looser_than_it_says():
    """One word against many at one place: the sums differ by nearly e^(ε·d/2), as do the weights."""
    places = np.array([0.0, *([6.0] * 400)])[:, None]
    e = Embedding(tuple(f"w{k}" for k in range(401)), places)
    rows = word_mechanism(e, eps=1).weights(["w0", "w1"])
    found = max(math.log(ratio) for ratio in worst_ratio(rows).values())
    assert 0.9 * 6 < found <= 6


def test_far_words_are_all_equally_unlikely_and_rare():
    e = Embedding(
        ("here", *(f"far{k}" for k in range(50))),
        np.vstack([[[0.0]], 1e5 + np.arange(50.0)[:, None]]),
    )
    row = word_mechanism(e, eps=10).weights(["here"])[0]
    assert len(set(row[1:].tolist())) == 1
    assert row[1:].sum() / WHOLE < 1e-8


def test_the_row_is_the_exponential_one():
    m = word_mechanism(TINY, eps=Q(1, 3))
    d = TINY.space().distances.floats
    ideal = np.exp(-d / 6)
    ideal /= ideal.sum(axis=1, keepdims=True)
    assert np.allclose(m.weights(TINY.words) / WHOLE, ideal, rtol=1e-2)
    assert np.allclose(m.channel.matrix.floats, m.weights(TINY.words) / WHOLE)
    assert m.channel.exact
    assert 1 < capacity(m.channel) < 3


def test_what_is_drawn_is_what_was_proved():
    """The two ends of each output's stretch of the 62-bit line give that output, and no other."""
    m = word_mechanism(random_embedding(7, 2), eps=1)

    class Given:
        secure = True

        def __init__(self, numbers):
            self.numbers = numbers

        def words(self, n):
            assert n == len(self.numbers)
            return np.array([(x << 2) + 3 for x in self.numbers], dtype=np.uint64)

        def below(self, n):
            raise AssertionError

    for word in ["w0", "w5", "unknown"]:
        ends = np.cumsum([int(w) for w in m.weights([word])[0]]).tolist()
        first = [0, *ends[:-1]]
        asked = [*first, *(end - 1 for end in ends)]
        drawn = m.using(Given(asked)).randomise([word] * 14)
        assert drawn == [*m.embedding.words, *m.embedding.words]


@pytest.mark.parametrize("n", [5000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_frequencies(n):
    e = random_embedding(6, 2)
    m = word_mechanism(e, eps=2).using(quiet())
    drawn = m.randomise(["w2"] * n + ["nothing"] * n)
    for part, word in ((drawn[:n], "w2"), (drawn[n:], "nothing")):
        seen = [part.count(w) for w in e.words]
        expected = m.weights([word])[0] / WHOLE * n
        assert stats.chisquare(seen, expected).pvalue > 1e-3


def test_blocks_do_not_change_the_law(monkeypatch):
    e = random_embedding(30, 2)
    words = [f"w{k % 17}" for k in range(200)]
    whole = word_mechanism(e, eps=1).using(quiet(3)).randomise(words)
    monkeypatch.setattr("dprivacy.text.documents.word_noise._BLOCK", 60)
    assert word_mechanism(e, eps=1).using(quiet(3)).randomise(words) == whole


@pytest.mark.parametrize("name", EMBEDDINGS)
def test_distances_on_the_grid_are_exact(name):
    """Squared distances in whole steps, against integers of any size."""
    m = word_mechanism(EMBEDDINGS[name], eps=1)
    (rows, squares), step = m._whole, m.step
    whole = [[int(x) for x in row] for row in rows.tolist()]
    assert (rows == np.rint(rows)).all()
    assert math.frexp(step)[0] == 0.5
    table = squares[:, None] + squares - 2 * (rows @ rows.T)
    for i, x in enumerate(whole):
        for j, z in enumerate(whole):
            assert int(table[i, j]) == sum((a - b) ** 2 for a, b in zip(x, z, strict=True)) < 2**53
    moved = np.abs(m.embedding.vectors - EMBEDDINGS[name].vectors).max()
    size = np.abs(EMBEDDINGS[name].vectors - EMBEDDINGS[name].centre).max()
    assert moved <= step / 2 <= 1e-5 * size


def test_a_row_depends_on_its_word_alone():
    """Whatever other words a document has: else equal words would differ a little between documents."""
    e = glove("4k")
    m = word_mechanism(e, eps=3)
    words = [*e.words[:37], "not a word"]
    together = m.weights(words)
    for k in (0, 5, 36, 37):
        assert (m.weights([words[k]])[0] == together[k]).all()
        assert (m.weights(words[k:])[0] == together[k]).all()


@pytest.mark.statement("T", "Thm 9.7")
@pytest.mark.parametrize("eps", [0.3, 1.0, 4.0])
def test_noise_and_the_nearest_word_on_a_line(eps):
    """In one dimension the nearest-word cells are intervals, and their chances are known exactly."""
    places = np.array([-2.0, 0.0, 0.5, 3.0])
    e = Embedding(tuple("abcd"), places[:, None])
    edges = [-math.inf, *((places[1:] + places[:-1]) / 2), math.inf]
    chance = np.array([np.diff(stats.laplace(x, 1 / eps).cdf(edges)) for x in places])
    d = np.abs(places[:, None] - places)
    for i in range(4):
        for j in range(4):
            assert (chance[i] <= np.exp(eps * d[i, j]) * chance[j] + 1e-12).all()
    m = word_mechanism(e, eps=eps, noise="laplace").using(quiet(7))
    assert m.guarantee.because == "T Thm 9.7"
    for i, word in enumerate("abcd"):
        drawn = m.randomise([word] * 20_000)
        seen = [drawn.count(w) for w in "abcd"]
        assert stats.chisquare(seen, chance[i] * 20_000).pvalue > 1e-4


def test_frequencies_of_noise_and_nearest_word_obey_the_bound():
    e = random_embedding(5, 3)
    m = word_mechanism(e, eps=1, noise="laplace").using(quiet(2))
    runs = 40_000
    outputs = [m.randomise([x] * runs) for x in e.words]
    seen = np.array([[drawn.count(w) for w in e.words] for drawn in outputs])
    for i, x in enumerate(e.words):
        for j, z in enumerate(e.words):
            bound = math.exp(e.distance(x, z))
            slack = 5 * np.sqrt(seen[i] + bound**2 * seen[j])
            assert (seen[i] <= bound * seen[j] + slack).all()


@pytest.mark.parametrize("noise", ["exponential", "laplace"])
def test_more_privacy_keeps_fewer_words(noise):
    e = random_embedding(200, 10)
    kept = []
    for eps in (1, 5, 30):
        drawn = word_mechanism(e, eps=eps, noise=noise).using(quiet(eps)).randomise(e.words)
        kept.append(sum(a == b for a, b in zip(drawn, e.words, strict=True)))
    assert kept[0] < kept[1] < kept[2]
    assert kept[2] > 150


def test_the_exact_mechanism_keeps_more_words_at_the_same_level():
    e = glove("4k")
    words = e.words[:400]
    kept = {}
    for noise in ("exponential", "laplace"):
        drawn = word_mechanism(e, eps=5, noise=noise).using(quiet()).randomise(words)
        kept[noise] = sum(a == b for a, b in zip(drawn, words, strict=True)) / len(words)
    assert kept["exponential"] > 0.9
    assert kept["laplace"] < 0.3


def test_both_are_mechanisms():
    for noise in ("exponential", "laplace"):
        m = word_mechanism(TINY, eps=1, noise=noise)
        assert isinstance(m, Mechanism)
        assert m.secure
        with pytest.warns(InsecureSeedWarning):
            first = m.randomise(["tea"] * 9, insecure_seed=4)
        with pytest.warns(InsecureSeedWarning):
            assert m.randomise(["tea"] * 9, insecure_seed=4) == first
        assert not m.using(quiet()).secure
        assert "ε = 1" in repr(m)
        assert m.randomise([]) == []


@pytest.mark.parametrize("eps", [0, -1, math.nan, math.inf, True, "x", None])
def test_levels_that_are_refused(eps):
    for noise in ("exponential", "laplace"):
        with pytest.raises(BadLevel):
            word_mechanism(TINY, eps=eps, noise=noise)


def test_what_else_is_refused():
    with pytest.raises(UnknownName, match="noise should be"):
        word_mechanism(TINY, eps=1, noise="gauss")
    with pytest.raises(NotApplicable, match="at least two words"):
        word_mechanism(Embedding(("a",), [[1.0]]), eps=1)
    for ask in (
        lambda: word_mechanism("glove.txt", eps=1),
        lambda: protect_text("tea", eps=1, embedding="glove.txt"),
        lambda: word_movers_distance(["tea"], ["moon"], "glove.txt"),
        lambda: neighbours_of(["tea"], ["ann"], "glove.txt"),
    ):
        with pytest.raises(Malformed, match=r"should be an Embedding, .*read_embedding\(path\)"):
            ask()
    m = word_mechanism(TINY, eps=1)
    with pytest.raises(Malformed, match="single text"):
        m.randomise("tea")
    with pytest.raises(Malformed, match="word 1 should be text"):
        m.randomise(["tea", 3])
    assert word_mechanism(random_embedding(1001, 2), eps=1).channel is None
