"""Words in rounds: the law of all that is sent, by enumeration, and what is found."""

import string
from collections import Counter
from fractions import Fraction as Q
from itertools import product

import numpy as np
import pytest
from scipy.stats import binom

from dprivacy.errors import BadNumber, NotApplicable, UnknownCategory, WrongKind
from dprivacy.mechanisms import prefix_rounds
from dprivacy.model import Channel
from dprivacy.sampling import KeyedSource
from dprivacy.spaces import discrete
from dprivacy.verify import smallest_eps
from support.real_data import real

WORDS = ("a", "b", "aa", "ab", "ba", "bb", "aba", "c", "")
TINY = prefix_rounds("ab", length=2, eps="ln 3", keep=1, most=5)
NOISE = b"rounds of words, 32 bytes of key"


def law(state, word):
    """For each report its probability in the open round, from the definition of answers."""
    depth = state.depths[len(state.closed)]
    told = word if len(word) <= depth else word[:depth] + "…"
    channel = state.mechanism.channel
    row = told if told in state.answers else "…"
    return {report: channel[row, report] for report in channel.columns}


def transcripts(words):
    """Everything that is sent and told, with its probability."""
    for rounds in product((0, 1), repeat=len(words)):
        chance = Q(1, 2 ** len(words))
        early = [law(TINY, word) for word, at in zip(words, rounds, strict=True) if at == 0]
        for first in product(*early):
            sent = chance
            for reports, report in zip(early, first, strict=True):
                sent *= reports[report]
            if not first:  # nobody was asked, and it ends here
                yield (rounds, first, ()), sent
                continue
            state = TINY.after(list(first))
            late = [law(state, word) for word, at in zip(words, rounds, strict=True) if at == 1]
            for second in product(*late):
                told = sent
                for reports, report in zip(late, second, strict=True):
                    told *= reports[report]
                yield (rounds, first, second), told


@pytest.mark.statement("L", "Thm 5")
@pytest.mark.parametrize("other", ["a", "bb", "c"])
def test_all_rounds_together_have_exactly_the_level_of_one_answer(other):
    rows = [dict(transcripts((word, other))) for word in WORDS]
    columns = sorted(set().union(*rows))
    assert all(sum(row.values()) == 1 for row in rows)
    joint = Channel(WORDS, columns, [[row.get(y, Q(0)) for y in columns] for row in rows])
    assert smallest_eps(joint, discrete(WORDS)) == TINY.eps
    assert TINY.guarantee.eps == TINY.eps


@pytest.mark.statement("L", "Thm 5")
def test_every_round_keeps_the_level_whatever_was_reported_before():
    assert TINY.mechanism.verify()
    for report in TINY.mechanism.channel.columns:
        state = TINY.after([report])
        assert state.mechanism.verify()
        assert smallest_eps(state.mechanism.channel, discrete(state.answers)) == TINY.eps


def test_answers_hold_what_goes_on_and_any_other_word():
    assert TINY.answers == ("a", "b", "a…", "b…", "…")
    state = prefix_rounds("ab", length=2, eps=9, keep=2, most=9).after
    reports = prefix_rounds("ab", length=2, eps=9, keep=2, most=9).randomise(
        ["ab", "ba", "b"] * 400
    )
    kept = {beginning.text for beginning in state(reports).closed[0].kept}
    assert kept < {"b", "a…", "b…"}
    assert len(kept) == 2


def test_answers_are_those_of_the_words():
    asked = prefix_rounds("abc", length=2, eps=4)
    people = ["a"] * 4000 + ["abcab"] * 3000 + ["x", "", "…", "aé"] * 500
    counted = asked.mechanism.count(asked.randomise(people, source=KeyedSource(NOISE)))
    p, q = float(asked.mechanism.p), float(asked.mechanism.q)
    shares = (counted.supports / counted.n - q) / (p - q)
    truth = dict.fromkeys(asked.answers, 0.0) | {"a": 4 / 9, "ab…": 1 / 3, "…": 2 / 9}
    assert np.allclose(shares, list(truth.values()), atol=0.04)


def test_people_are_assigned_evenly():
    rounds = TINY.assign(10_000, source=KeyedSource(NOISE))
    assert abs(int(rounds.sum()) - 5000) < 300
    assert set(rounds.tolist()) == {0, 1}


@pytest.mark.statement("L", "Thm 6")
@pytest.mark.parametrize("n", [100, 5000, 10**6])
def test_the_threshold_is_that_of_the_binomial(n):
    asked = prefix_rounds("abcdef", length=3, eps=1)
    needed, words, q = asked._threshold(n), len(asked.answers) - 1, float(asked.mechanism.q)
    assert words * binom.sf(needed - 1, n, q) <= asked.alarm
    assert words * binom.sf(needed - 1 - max(3, n**0.5 / 50), n, q) > asked.alarm


def test_frequent_words_are_found_as_often_as_said_and_nothing_is_made_up():
    asked = prefix_rounds(string.ascii_lowercase[:8], length=4, eps=3, keep=60, most=5000)
    assert len(asked.depths) == 2
    n, source = 6_000, KeyedSource(NOISE)
    share = asked.smallest_share(n, chance=0.9)
    assert 0.02 < share < 0.2
    rare = ["".join(word) for word in product("abcdefgh", repeat=4)]
    heavy, many = "face", int(share * n) + 1
    found, made_up, strays = 0, 0, []
    for _ in range(20):
        people = [heavy] * many + [rare[i % len(rare)] for i in range(n - many)]
        rounds = asked.assign(n, source=source)
        late = Counter(word for word, at in zip(people, rounds, strict=True) if at == 1)
        state = asked
        for number in (0, 1):
            some = [word for word, at in zip(people, rounds, strict=True) if at == number]
            state = state.after(state.randomise(some, source=source))
        texts = {word.text: word for word in state.found}
        made_up += any(not late[text] for text in texts)
        if heavy in texts:
            found += 1
            strays.append((texts[heavy].share - many / n) / texts[heavy].error)
    assert found >= 13  # 18 are promised on average
    assert made_up <= 6  # 1 at most on average
    assert 0.6 < np.std(strays) < 1.4
    assert abs(np.mean(strays)) < 0.6


@pytest.mark.slow
def test_the_words_of_novels():
    table = pytest.importorskip("pyarrow.parquet").read_table(
        real("text_novels", "novel_snippets.parquet")
    )
    letters = set(string.ascii_lowercase)
    text = " ".join(table.column("text").to_pylist()).lower()
    people = "".join(c if c in letters else " " for c in text).split()
    asked, shares = prefix_rounds(string.ascii_lowercase, length=8, eps=4), Counter(people)
    done = asked.run(people, source=KeyedSource(NOISE))
    enough = asked.smallest_share(len(people))
    frequent = {word for word, many in shares.items() if many >= enough * len(people)}
    assert len(frequent) >= 4
    assert frequent <= {word.text for word in done.found}
    strays = [(each.share - shares[each.text] / len(people)) / each.error for each in done.found]
    assert max(map(abs, strays)) < 4
    assert np.mean(np.square(strays)) < 2


@pytest.mark.parametrize("eps", ["1e-300", "1e-12", 40, 1000])
def test_levels_at_the_edges(eps):
    asked = prefix_rounds("abc", length=4, eps=eps, keep=3, most=40)
    done = asked.run(["abca", "b", "cc"] * 200, source=KeyedSource(NOISE))
    assert all(np.isfinite(word.share) for word in done.found)
    assert 0 <= asked.chance(0.5, 10_000) <= 1
    assert bool(done.found) == (eps in (40, 1000))


def test_words_of_an_answer():
    asked = prefix_rounds(string.ascii_lowercase, length=6, eps=2)
    text = asked.explain()
    assert "known to 3, 5, 6 letters after each of 3 rounds" in text
    assert "all that is sent is 2-private for each person" in text
    assert "Round 1 is open, with 35,855 answers" in text
    done = asked.run(["tea"] * 20_000 + ["coffees"] * 20_000, source=KeyedSource(NOISE))
    assert [word.text for word in done.found] in (["tea", "coffee…"], ["coffee…", "tea"])
    assert "2 words were found" in done.explain()
    assert done.to_dict()["depths"] == [3, 5, 6]
    for name in ("mechanism", "answers", "ends", "offered"):
        with pytest.raises(NotApplicable, match="all rounds are closed"):
            getattr(done, name)
    with pytest.raises(NotApplicable, match="3 of 3 are still to come"):
        asked.found


def test_what_is_refused():
    with pytest.raises(WrongKind, match="row 1 holds no text") as caught:
        TINY.randomise(["a", 777333])
    assert "777333" not in str(caught.value)
    with pytest.raises(UnknownCategory, match="row 0 holds no report"):
        TINY.after([99])
    with pytest.raises(NotApplicable, match="their number is 0"):
        TINY.after([])
    with pytest.raises(NotApplicable, match="these are counts of"):
        TINY.after(prefix_rounds("abc", length=2, eps=1).mechanism.count([0]))
    for bad in (0, 1, -1, 2):
        with pytest.raises(BadNumber, match="alarm should be"):
            prefix_rounds("ab", length=2, eps=1, alarm=bad)
    for name in ("length", "keep", "most"):
        with pytest.raises(BadNumber, match=f"{name}: a whole number"):
            prefix_rounds("ab", **({"length": 2, "eps": 1} | {name: 0}))
    with pytest.raises(BadNumber, match="more digits"):
        prefix_rounds("ab", length=2, eps="1e6")
