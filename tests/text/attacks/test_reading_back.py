"""Reading words back: the shares against counts by hand, and on newsgroups those of the page."""

import hashlib

import numpy as np
import pytest

from dprivacy.errors import NotApplicable
from dprivacy.text import Embedding, read_embedding, reconstruct, text_cells
from dprivacy.text.attacks.word_model import WordModel
from support.real_data import real

TINY = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])


def test_almost_no_noise_is_read_as_it_is():
    cells = text_cells(TINY, eps=50, length=3, find=(), keep="text")
    found = reconstruct(["tea moon", "coffee", "moon moon tea"], cells, public=["tea"])
    assert (found.texts, found.words) == (3, 6)
    assert found.read == found.unigram == found.bigram == found.content == 1


def test_a_reader_of_pure_noise_guesses_the_commonest_word():
    cells = text_cells(TINY, eps="1/1000", length=4, find=())
    texts = ["tea tea tea moon"] * 50
    found = reconstruct(texts, cells, public=["tea tea tea moon"] * 9)
    assert found.unigram == 0.75


def test_the_guess_is_the_largest_of_prior_times_channel():
    cells = text_cells(TINY, eps="1/5", length=1, find=())
    public = ["tea"] * 3 + ["coffee"] * 5 + ["moon"]
    prior = np.array([3.5, 5.5, 1.5, 0.5]) / 11
    table = cells.words.rows(np.arange(4)) / 2.0**62
    guess = (prior[:3, None] * table[:3]).argmax(axis=0)
    expected = float(sum(table[0, y] for y in range(3) if guess[y] == 0))
    found = reconstruct(["tea"] * 20_000, cells, public=public)
    assert found.unigram == pytest.approx(expected, abs=0.02)


def test_pairs_are_counted_as_witten_and_bell_do():
    model = WordModel([[0, 1, 0, 1, 0, 2]], 3)
    trust = 3 / (3 + 3 * 2)
    mixed = trust * 2 / 3 + (1 - trust) * model.single[1]
    expected = model.single[1] * (mixed / model.single[1]) ** 0.6
    assert model.following(np.array([0]), np.array([1]))[0, 0] == pytest.approx(expected)


def test_what_cannot_be_attacked():
    cells = text_cells(TINY, eps=1, length=2, find=())
    with pytest.raises(NotApplicable, match="to learn from"):
        reconstruct(["tea"], cells)
    with pytest.raises(NotApplicable, match="knows none of the words"):
        reconstruct(["xyzzy"], cells, public=["tea"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("eps", "read", "best"), [("3/2", 1.5, 7.0), (2, 5.5, 9.2), (3, 49.0, 49.9)]
)
def test_newsgroups_are_read_back_as_on_the_page(eps, read, best):
    pandas = pytest.importorskip("pandas")
    news = pandas.read_parquet(real("text_20news/news_authors_topics.parquet"))
    glove = read_embedding(real("glove/glove6b_100d_top30k.npz"), most_words=10_000)
    hidden = news.author.map(lambda a: hashlib.sha256(a.encode()).digest()[0] % 5 < 2)
    texts = list(news[hidden].sample(frac=1, random_state=7).head(160).text)
    words = [text.split() for text in news[~hidden].text]
    public = [" ".join(w[k : k + 60]) for w in words for k in range(0, len(w), 60)]
    cells = text_cells(glove, eps=eps, length=60, keep="text", find=())
    found = reconstruct(texts, cells, public=public)
    assert 100 * found.read == pytest.approx(read, abs=2)
    assert 100 * found.best == pytest.approx(best, abs=2)
    assert found.predicted > found.read - 0.01
