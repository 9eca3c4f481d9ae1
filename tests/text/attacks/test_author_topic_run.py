"""Attacks on authors and topics: on invented writers, and what noise does to them."""

import json
import warnings

import numpy as np
import pytest

from dprivacy.errors import BadLevel, Malformed
from dprivacy.sampling import InsecureSource
from dprivacy.text import (
    author_profiles,
    author_topic_experiment,
    neighbours_of,
    ngrams,
    small_embedding,
    train_topics,
)
from support.text_corpora import invented, news

TEXTS = invented(texts=4, length=15)


def quiet(seed=1):
    with warnings.catch_warnings(action="ignore"):
        return InsecureSource(seed)


def split():
    """The last text of each author as unknown."""
    known, held = {}, {}
    for author, _, text in TEXTS:
        if author in held:
            known[author] = f"{known.get(author, '')} {held[author]}"
        held[author] = text
    return known, held


@pytest.mark.statement("T", "Table 9.1")
def test_ngrams_as_printed():
    """The source's example: color and colour."""
    assert sorted(ngrams("color", 3)) == sorted(["col", "olo", "lor"])
    assert sorted(ngrams("colour", 3)) == sorted(["col", "olo", "lou", "our"])
    assert ngrams("to be to", 3) == {"to": 2, "be": 1}
    assert ngrams("", 3) == {}


def test_authors_are_found_in_plain_texts():
    known, held = split()
    found = author_profiles(known).attribute(held.values())
    assert [one.author for one in found] == list(held)
    assert all(one.score > 0.9 for one in found)
    assert neighbours_of(list(known.values()), list(known), small_embedding()).vote(
        held.values()
    ) == list(held)
    assert found[0].to_dict() == {"author": "ann", "score": found[0].score}


def test_the_same_key_is_the_same_attack():
    known, held = split()
    mixed = [" ".join(held.values())]
    first = author_profiles(known).attribute(mixed, rounds=50, key=1)
    assert author_profiles(known).attribute(mixed, rounds=50, key=1) == first
    others = {author_profiles(known).attribute(mixed, rounds=50, key=k)[0].score for k in range(6)}
    assert len(others) > 1


def test_one_round_of_everything_is_the_largest_cosine():
    """share = 1 makes every round the same: plain nearest neighbour by cosine."""
    known, held = split()
    found = author_profiles(known).attribute(held.values(), rounds=3, share=1.0)
    assert {one.score for one in found} == {1.0}
    grams = {author: ngrams(text) for author, text in known.items()}
    for one, text in zip(found, held.values(), strict=True):
        mine = ngrams(text)
        cosine = {
            author: sum(mine[g] * theirs[g] for g in mine)
            / np.sqrt(sum(v * v for v in theirs.values()))
            for author, theirs in grams.items()
        }
        assert one.author == max(cosine, key=cosine.__getitem__)


def test_topics():
    texts, topics = [t for _, _, t in TEXTS], [p for _, p, _ in TEXTS]
    unknown = ["the flower and the tree", "a judge and a thief"]
    assert train_topics(texts, topics).predict(unknown) == ["garden", "court"]
    assert neighbours_of(texts, topics, small_embedding()).vote(unknown, 5) == ["garden", "court"]
    three = train_topics(["sun moon", "law court", "tea cup"], ["a", "b", "c"])
    assert three.predict(["cup", "moon", "court", "nothing known"])[:3] == ["c", "a", "b"]


def test_the_linear_model_is_the_ridge_regression():
    """Against the normal equations written down in full."""
    texts = ["sun moon", "moon star sun sun", "law court", "court sun"]
    topics = ["a", "a", "b", "b"]
    model = train_topics(texts, topics, smoothing=0.7)
    from dprivacy.text.attacks.topic_model import _features

    rows = _features(texts, model.rarity).toarray()
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    goals = np.array([[1, -1], [1, -1], [-1, 1], [-1, 1.0]])
    offset = goals.mean(axis=0)
    left = rows.T @ rows + 0.7 * np.eye(rows.shape[1])
    assert np.allclose(model.weights[:-1], np.linalg.solve(left, rows.T @ (goals - offset)))
    assert np.allclose(model.weights[-1], offset)


@pytest.mark.parametrize(
    "attack",
    [
        lambda: author_profiles({"a": "x"}).attribute(["x"]),
        lambda: author_profiles({"a": "", "b": ""}).attribute(["x"]),
        lambda: author_profiles({"a": "x", "b": "y"}).attribute(["x"], share=0),
        lambda: author_profiles({"a": "x", "b": "y"}).attribute(["x"], rounds=0),
        lambda: author_profiles({"a": "x", "b": "y"}, n=2.5),
        lambda: train_topics(["a"], ["x"]),
        lambda: train_topics(["a", "b"], ["x"]),
        lambda: train_topics(["a", "b"], ["x", "y"], smoothing=0),
        lambda: neighbours_of([], [], small_embedding()),
        lambda: author_topic_experiment([("a", "t", "x")], eps=[1]),
        lambda: author_topic_experiment(TEXTS, eps=[1], authors_per_topic=3),
        lambda: author_topic_experiment(TEXTS, eps=[1], repetitions=0),
        lambda: author_topic_experiment([("a", "x")], eps=[1]),
        lambda: author_topic_experiment([("a", "t", 3)], eps=[1]),
    ],
)
def test_attacks_that_are_refused(attack):
    with pytest.raises(Malformed):
        attack()


def test_levels_that_are_refused():
    with pytest.raises(BadLevel):
        author_topic_experiment(TEXTS, eps=[0])


@pytest.fixture(scope="module")
def table():
    steps = []
    found = author_topic_experiment(
        TEXTS, eps=[14, 7, 2], repetitions=4, source=quiet(), progress=steps.append
    )
    assert len(steps) == 16
    return found


def test_noise_hides_authors_before_topics(table):
    plain, some, more, most = table.rows
    assert plain.eps is None
    assert plain.kept == 1
    assert plain.mean("author, n-grams") == plain.mean("topic, linear") == 1
    assert 0 < most.kept < more.kept < some.kept < 1
    assert more.mean("author, n-grams") < 1
    assert more.mean("topic, linear") > more.mean("author, n-grams")
    assert most.mean("author, n-grams") < 0.7


def test_the_table_in_words_and_data(table):
    assert (table.authors, table.topics, table.repetitions) == (4, 2, 4)
    assert table.chance("author, n-grams") == 1 / 4
    assert table.chance("topic, linear") == 1 / 2
    assert table.leakage(table.rows[0], "author, n-grams") == 4
    text = table.explain()
    for phrase in (
        "4 authors, 2 topics",
        "author, n-grams",
        "none",
        "chance",
        "ε-hiding",
        "Δ-revealing",
    ):
        assert phrase in text
    answer = json.loads(json.dumps(table.to_dict()))
    assert [row["epsilon"] for row in answer["rows"]] == [None, "14", "7", "2"]
    assert answer["rows"][0]["right"]["author, n-grams"] == {"mean": 1.0, "error": 0.0}


def test_errors_over_repetitions(table):
    row = table.rows[2]
    runs = row.right["author, n-grams"]
    assert row.error("author, n-grams") == pytest.approx(np.std(runs, ddof=1) / 2)
    single = author_topic_experiment(TEXTS, eps=[5], repetitions=1, source=quiet())
    assert single.rows[1].error("author, n-grams") == 0


def test_an_attacker_who_noises_the_known_texts_too():
    found = author_topic_experiment(TEXTS, eps=[8], repetitions=2, adaptive=True, source=quiet())
    assert found.adaptive
    assert "noises the known texts" in found.explain()


def test_without_topics_only_authors_are_attacked():
    found = author_topic_experiment(
        [(a, None, t) for a, _, t in TEXTS], eps=[5], repetitions=1, source=quiet()
    )
    assert found.attacks == ("author, n-grams", "author, embedding")


def test_by_chance_the_commonest_topic_is_named():
    three = [text for text in TEXTS if text[0] != "dan"] + [("dan", "court", "?!")]
    found = author_topic_experiment(three, eps=[5], repetitions=1, source=quiet())
    assert found.authors == 3
    assert found.chance("topic, linear") == 2 / 3


def test_authors_with_one_text_are_left_out():
    more = [*TEXTS, ("eve", "court", "a single text"), ("fay", "garden", "another one")]
    found = author_topic_experiment(more, eps=[5], repetitions=1, source=quiet())
    assert found.authors == 4
    two = author_topic_experiment(
        TEXTS, eps=[5], repetitions=1, authors_per_topic=1, source=quiet()
    )
    assert two.authors == 2


def test_real_authors_are_found():
    """Ten and ten authors of two newsgroups: far above chance, as in the source (15 of 20)."""
    texts = news("sci.space", "soc.religion.christian")
    found = author_topic_experiment(
        texts, eps=[1], authors_per_topic=10, repetitions=1, rounds=30, source=quiet()
    )
    plain = found.rows[0]
    assert plain.mean("author, n-grams") >= 0.5
    assert plain.mean("topic, linear") >= 0.8
