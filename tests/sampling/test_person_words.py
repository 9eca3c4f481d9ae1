"""Tags of people and lanes of questions: byte for byte from the definition, and no two alike."""

import numpy as np
import pytest

from dprivacy.errors import BadNumber
from dprivacy.sampling import FirstWords, PersonTags, lanes_of
from dprivacy.sampling.lane_words import PIECE
from support.plain_aes import lane_of, tag_of, words_of

KEY = bytes(range(32))
QUESTION = bytes(range(32, 64))
NUMBERS = [0, 1, -1, 7, 2**63 - 1, -(2**63), 10**15]
TEXTS = [
    b"a",
    b"ann",
    b"0" * 15,
    b"0" * 16,
    b"0" * 17,
    b"x" * 32,
    b"x" * 33,
    bytes(range(1, 101)),
    "dé".encode(),
]


def texts_of(tags, texts):
    ends = np.concatenate([[0], np.cumsum([len(text) for text in texts])])
    return tags.of_texts(np.frombuffer(b"".join(texts), np.uint8), ends)


def test_tags_are_those_of_the_definition():
    tags = PersonTags(KEY)
    found = tags.of_whole(np.array(NUMBERS))
    assert [row.tobytes() for row in found] == [tag_of(KEY, number) for number in NUMBERS]
    found = texts_of(tags, TEXTS)
    assert [row.tobytes() for row in found] == [tag_of(KEY, text) for text in TEXTS]


def test_long_texts_are_chained_like_short_ones():
    texts = [b"y" * n for n in (1023, 1024, 1025, 1040, 5, 4000)]
    found = texts_of(PersonTags(KEY), texts)
    assert [row.tobytes() for row in found] == [tag_of(KEY, text) for text in texts]


def test_company_makes_no_difference():
    n = PIECE + 7
    texts = [b"p%d" % k + b"-" * (k % 40) for k in range(n)]
    found = texts_of(PersonTags(KEY), texts)
    for k in (0, 1, 39, PIECE - 1, PIECE, n - 1):
        assert (texts_of(PersonTags(KEY), [texts[k]])[0] == found[k]).all()
    assert len(np.unique(found, axis=0)) == n


def test_no_writing_is_the_beginning_of_another():
    """Numbers, texts, texts with zeros behind them: all have tags of their own."""
    tags = PersonTags(KEY)
    texts = [
        b"a",
        b"a\0",
        b"a\0\0",
        b"\0",
        b"\0" * 16,
        b"\0" * 17,
        (7).to_bytes(8, "little"),
        b"a" * 16,
    ]
    texts += [(7).to_bytes(8, "little") + (1).to_bytes(8, "little")]
    every = np.concatenate([tags.of_whole(np.arange(-50, 50)), texts_of(tags, texts)])
    assert len(np.unique(every, axis=0)) == len(every)


def test_other_keys_have_other_tags():
    found = {PersonTags(key).of_whole(np.array([7])).tobytes() for key in (KEY, KEY[::-1], KEY * 2)}
    assert len(found) == 3
    assert PersonTags(KEY).mark == PersonTags(KEY).mark != PersonTags(KEY[::-1]).mark
    assert KEY.hex() not in repr(PersonTags(KEY))
    with pytest.raises(BadNumber, match="at least 16 bytes"):
        PersonTags(b"short")


@pytest.mark.parametrize("values", [(3,), (-3,), (3, 4), (3, 4, 5), (-1, 2**62, 0)])
def test_lanes_are_those_of_the_definition(values):
    tags = PersonTags(KEY).of_whole(np.array([7, 8]))
    lanes = lanes_of(QUESTION, tags, *(np.array([value, value]) for value in values))
    for i, person in enumerate((7, 8)):
        expected = words_of(QUESTION, lane_of(QUESTION, tag_of(KEY, person), *values))
        assert lanes.lane(i).words(5).tolist() == [next(expected) for _ in range(5)]


def test_every_part_of_a_lane_counts():
    people = PersonTags(KEY).of_whole(np.arange(40))
    asked = {
        values for k in range(-3, 10) for values in ((k,), (k, 0), (0, k), (k, 0, 0), (0, 0, k))
    }
    words = [
        lanes_of(QUESTION, people, *(np.full(40, value) for value in values)).words(40)
        for values in sorted(asked)
    ]
    assert len(np.unique(words)) == 40 * len(asked)


def test_first_words_are_the_lanes_first_words():
    people = PersonTags(KEY).of_whole(np.arange(50))
    codes = np.arange(50) % 7
    lanes, firsts = lanes_of(QUESTION, people, codes), FirstWords(QUESTION, people, codes)
    assert [*firsts.words(20), *firsts.words(30)] == lanes.words(50).tolist()
    seconds = lanes.words(50)
    assert [int(firsts.lane(i).words(1)[0]) for i in range(50)] == seconds.tolist()


def test_words_are_uniform_bits():
    """Each of 64 bits of 20,000 words of one person's values is set half of the time."""
    person = np.repeat(PersonTags(KEY).of_whole(np.array([7])), 20_000, axis=0)
    words = lanes_of(QUESTION, person, np.arange(20_000)).words(20_000)
    ones = [(words >> np.uint64(bit) & np.uint64(1)).sum() for bit in range(64)]
    assert max(abs(int(n) - 10_000) for n in ones) < 5 * 71
