"""T chapter 9: Earth Mover's privacy, its arithmetic and bounds; what is left of author and topic."""

import itertools
import math
import warnings
from fractions import Fraction as Q

import numpy as np
import pytest
from scipy import stats

from dprivacy.flow import is_hiding, is_revealing
from dprivacy.mechanisms import vector_laplace
from dprivacy.model import Channel, Guarantee, uniform
from dprivacy.numbers.levels import Level
from dprivacy.sampling import InsecureSource
from dprivacy.spaces import bags, from_table
from dprivacy.text import (
    Embedding,
    author_topic_experiment,
    chance_within,
    eps_for_radius,
    radius_within,
    read_embedding,
    text_mechanism,
    word_movers_distance,
    words_of,
)
from dprivacy.text.embeddings.word_distances import WordBags, WordSpace
from support.real_data import real

B1 = ["president", "greet", "press", "chicago"]
B2 = ["chief", "speaks", "media", "illinois"]
B3 = ["chef", "breaks", "cooking", "record"]


def quiet(seed=1):
    with warnings.catch_warnings(action="ignore"):
        return InsecureSource(seed)


# -------------------------------------------------------------------------- the running example


@pytest.mark.statement("T", "Eq 9.3")
def test_the_printed_arithmetic():
    """E(b1, b2) = 2.816: at ε = 1/16 and 1/32 the chances differ by at most 2.02 and 1.42."""
    total = Q("2.816") * 4
    shares = [Q(total, 4)] * 4  # four pairs of words, whatever their single distances
    words = [*B1, *B2]
    table = [[Q(0)] * 8 for _ in range(8)]
    for i, j in itertools.combinations(range(8), 2):
        table[i][j] = table[j][i] = shares[i] if j == i + 4 else Q(3)
    ground = from_table(words, table)
    space = bags([B1, B2], ground)
    b1, b2 = space.labels
    assert space.distance(b1, b2) == Q("2.816")
    for eps, printed in ((Q(1, 16), 2.02), (Q(1, 32), 1.42)):
        factor = Guarantee(Level(4 * eps), space).odds_factor(b1, b2)
        assert factor == pytest.approx(printed, abs=0.005)


@pytest.mark.statement("T", "Eq 9.3", "Def 9.2.3")
def test_the_order_of_the_three_documents_in_other_vectors():
    """The two reports are nearer to each other than either is to the cook, in GloVe as in word2vec."""
    e = read_embedding(real("glove", "glove6b_100d_top30k.npz"))
    assert all(word in e for word in (*B1, *B2, *B3))
    near, one, two = (word_movers_distance(x, z, e) for x, z in ((B1, B2), (B1, B3), (B2, B3)))
    assert near < two
    assert near < one
    matched = sum(e.distance(x, z) for x, z in zip(B1, B2, strict=True)) / 4
    assert near == pytest.approx(matched)  # each word goes to the one printed beside it
    assert words_of("The President greets the press in Chicago", stops=False)[0] == "president"


@pytest.mark.statement("T", "Eq 9.3")
def test_a_distance_of_the_printed_vectors():
    """Chicago is not in the extract of word2vec, but its lengths are those of the printed figures."""
    e = read_embedding(real("glove", "googlenews_257w_300d.npz"))
    assert e.dimension == 300
    assert 2 < e.distance("king", "queen") < e.distance("king", "cat") < 6


# ---------------------------------------------------------------------------- density and utility


@pytest.mark.statement("T", "Thm 9.7", "Def 9.4.1")
@pytest.mark.parametrize("dimension", [1, 2, 3, 100, 300])
def test_the_density_ratio(dimension):
    """ln of the ratio of densities never exceeds ε·‖x − z‖, and comes as near as one likes."""
    mechanism = vector_laplace(dimension, eps="3/2", numerics="idealised")
    rng = np.random.default_rng(dimension)
    x, z = rng.normal(size=(2, dimension))
    y = x + mechanism.noise(2000, quiet())
    loss = 1.5 * (np.linalg.norm(y - z, axis=1) - np.linalg.norm(y - x, axis=1))
    allowed = 1.5 * mechanism.guarantee.space.distance(x, z)
    assert (np.abs(loss) <= allowed * (1 + 1e-12)).all()
    beyond = x + 1e3 * (x - z)
    reached = 1.5 * (np.linalg.norm(beyond - z) - np.linalg.norm(beyond - x))
    assert reached == pytest.approx(allowed)


@pytest.mark.statement("T", "Thm 9.9")
def test_the_corrected_bound():
    """n = 3, N = 2, ε = 1, Δ = 1/2: 0.000594; the printed e_(n−1) would say 0.0803."""
    assert chance_within(3, 2, eps=1, radius=0.5) == pytest.approx(0.000594, abs=5e-7)
    printed = 1 - math.exp(-1) * sum(1 / math.factorial(i) for i in range(3))
    assert printed == pytest.approx(0.0803, abs=5e-5)


@pytest.mark.statement("T", "Thm 9.9")
@pytest.mark.parametrize(("n", "N"), [(1, 1), (2, 3), (5, 2)])
def test_the_bound_against_simulated_bags(n, N):
    """Never more than the share of noisy bags that stay within Δ; exactly it for N = 1."""
    e = Embedding(tuple(f"w{k}" for k in range(N)), 3 * np.eye(max(n, N))[:N, :n])
    true = e.vectors.astype(float)
    runs, eps = 4000, 2.0
    noise = vector_laplace(n, eps=eps, numerics="idealised").noise(runs * N, quiet(n))
    from scipy.optimize import linear_sum_assignment

    moved = []
    for noisy in (np.tile(true, (runs, 1)) + noise).reshape(runs, N, n):
        table = np.linalg.norm(true[:, None] - noisy[None], axis=2)
        moved.append(table[linear_sum_assignment(table)].mean())
    for radius in (0.5 * n / eps, n / eps, 1.5 * n / eps):
        bound = chance_within(n, N, eps=eps, radius=radius)
        seen = np.mean(np.array(moved) <= radius)
        assert seen >= bound - 4 * math.sqrt(0.25 / runs)
        if N == 1:
            assert seen == pytest.approx(bound, abs=4 * math.sqrt(0.25 / runs))


def test_epsilon_for_a_wanted_radius():
    for n, N, chance in ((3, 2, 0.9), (100, 1000, 0.95), (300, 50, 0.5)):
        eps = eps_for_radius(n, N, radius=2.5, chance=chance)
        assert chance_within(n, N, eps=eps, radius=2.5) == pytest.approx(chance)
        assert radius_within(n, N, eps=eps, chance=chance) == pytest.approx(2.5)
    assert eps_for_radius(100, 10**6, radius=1.0) == pytest.approx(100, rel=0.01)  # the mean is n/ε


@pytest.mark.parametrize(
    "call",
    [
        lambda: chance_within(0, 2, eps=1, radius=1),
        lambda: chance_within(2, 2.5, eps=1, radius=1),
        lambda: chance_within(2, 2, eps=0, radius=1),
        lambda: chance_within(2, 2, eps=1, radius=-1),
        lambda: chance_within(2, 2, eps=1, radius=math.nan),
        lambda: eps_for_radius(2, 2, radius=0),
        lambda: eps_for_radius(2, 2, radius=1, chance=1),
        lambda: radius_within(2, 2, eps=1, chance=math.nan),
    ],
)
def test_bounds_that_are_refused(call):
    with pytest.raises(ValueError, match=r"should|needed|ε|eps|level"):
        call()


# ------------------------------------------------------------------------- hiding and revealing


@pytest.mark.statement("T", "Def 9.5.1", "Def 9.5.2", "Thm 9.13")
def test_authors_hidden_and_topics_revealed_on_tiny_documents():
    """Four one-word documents by two authors on two topics, through the exact mechanism.

    Authors and topics cross, so that topics can be revealed while authors stay hidden; where each
    author has a single topic, they cannot.
    """
    words = ("star", "planet", "psalm", "prayer")
    e = Embedding(words, np.array([[0.0, 0], [0, 0.5], [6, 0], [6, 0.5]]))
    C = text_mechanism(e, eps=2).words.channel
    prior = uniform(words)
    topics = [("star", "planet"), ("psalm", "prayer")]
    authors = [("star", "psalm"), ("planet", "prayer")]
    assert is_revealing(C, topics, delta=Q(9, 10), prior=prior)
    assert is_hiding(C, authors, eps=Q(1, 2), prior=prior)
    assert not is_hiding(C, topics, eps=Q(1, 2), prior=prior)
    found = is_revealing(C, topics, delta=Q(9, 10), prior=prior).leakage
    # the same partition: Δ ≤ ε with equality
    assert is_hiding(C, topics, eps=found - 1, prior=prior)


def test_a_channel_of_bags_reads_as_a_scenario():
    """N·E_d on bags of words agrees with the exact space of bags."""
    e = Embedding(("a", "b", "c"), np.array([[0.0], [1.0], [3.0]]))
    words = WordBags(WordSpace(e))
    listed = list(itertools.combinations_with_replacement("abc", 2))
    exact = bags(listed, e.space())
    for x, z in itertools.product(listed, repeat=2):
        assert words.distance(x, z) == pytest.approx(2 * float(exact.distance(x, z)))
    assert isinstance(text_mechanism(e, eps=1).words.channel, Channel)


# ------------------------------------------------------------------------------------- Table 9.1


def share(table, row, attack):
    return table.rows[row].mean(attack)


@pytest.mark.slow
@pytest.mark.statement("T", "Table 9.1", "Alg 2")
@pytest.mark.parametrize("per_topic", [10, 25])
def test_authorship_falls_while_topic_holds(per_topic):
    """20 and 50 authors of two newsgroups, Algorithm 2, GloVe: the source's shape.

    The source has 15/20 and 27/50 authors, 18/20 and 43/50 topics in plain texts; topics hold while
    authors fall towards chance.
    """
    pq = pytest.importorskip("pyarrow.parquet")
    rows = pq.read_table(real("text_20news", "news_authors_topics.parquet")).to_pylist()
    two = ("sci.space", "soc.religion.christian")
    texts = [(row["author"], row["topic"], row["text"]) for row in rows if row["topic"] in two]
    found = author_topic_experiment(
        texts,
        embedding=read_embedding(real("glove", "glove6b_100d_top30k.npz")),
        noise="laplace",
        eps=[15, 10, 7, 3],
        authors_per_topic=per_topic,
        repetitions=2,
        source=quiet(),
    )
    assert found.authors == 2 * per_topic
    kept = [row.kept for row in found.rows]
    assert kept == sorted(kept, reverse=True)
    assert 0.7 < kept[1] < 0.95
    assert kept[4] < 0.02
    chance = found.chance("author, n-grams")
    assert share(found, 0, "author, n-grams") > 8 * chance
    assert share(found, 0, "topic, linear") > 0.9
    # ε = 7: most of the authorship is gone, most of the topic is there
    assert share(found, 3, "author, n-grams") < share(found, 0, "author, n-grams") / 2
    assert share(found, 3, "topic, linear") > 0.7
    # ε = 3: nothing is left of either
    assert share(found, 4, "author, n-grams") < 3 * chance
    assert share(found, 4, "author, embedding") <= 2 * chance
    assert abs(share(found, 4, "topic, linear") - 0.5) < 0.25


@pytest.mark.slow
@pytest.mark.statement("T", "Table 9.1")
def test_authorship_falls_while_topic_holds_in_a_newspaper():
    """Reuters C50: ten authors who mostly write on China, ten who hardly do."""
    pq = pytest.importorskip("pyarrow.parquet")
    rows = pq.read_table(real("text_c50", "c50.parquet")).to_pylist()
    seen: dict[str, list[bool]] = {}
    for row in rows:
        seen.setdefault(row["author"], []).append(row["china_terms"] >= 3)
    topic = {
        author: "China" if np.mean(flags) >= 0.6 else "other"
        for author, flags in seen.items()
        if np.mean(flags) >= 0.6 or np.mean(flags) <= 0.1
    }
    texts = [
        (row["author"], topic[row["author"]], row["text"])
        for row in rows
        if row["author"] in topic and row["split"] == "train"
    ]
    found = author_topic_experiment(
        texts,
        embedding=read_embedding(real("glove", "glove6b_100d_top30k.npz")),
        noise="laplace",
        eps=[10, 7],
        authors_per_topic=10,
        repetitions=1,
        source=quiet(),
    )
    authors = [share(found, k, "author, n-grams") for k in range(3)]
    assert authors[0] > 0.6
    assert authors[2] < 0.6 * authors[0]
    assert share(found, 2, "topic, linear") > 0.7


@pytest.mark.slow
@pytest.mark.statement("T", "Table 9.1")
def test_the_exact_mechanism_needs_a_third_of_epsilon():
    """Where as many words stay, the ε of the exponential mechanism is a third of Laplace noise's."""
    e = read_embedding(real("glove", "glove6b_100d_top30k.npz"))
    text = " ".join(e.words[:600])
    kept = {
        (noise, eps): text_mechanism(e, eps=eps, noise=noise).using(quiet()).protect(text).unchanged
        for noise, eps in (("laplace", 9), ("laplace", 3), ("exponential", 3))
    }
    assert kept["laplace", 3] < 30
    assert kept["exponential", 3] > 0.5 * kept["laplace", 9]


def test_uniform_noise_at_small_levels():
    """ε → 0: the exact mechanism draws from the whole vocabulary evenly, so that nothing is learned."""
    e = Embedding(tuple("abcdefgh"), np.random.default_rng(0).normal(size=(8, 4)))
    drawn = text_mechanism(e, eps="1/1000").using(quiet(3)).protect("a " * 4000).words
    seen = [drawn.count(word) for word in e.words]
    assert stats.chisquare(seen).pvalue > 1e-3
