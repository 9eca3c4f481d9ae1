"""Permanent answers: the same again, exactly the channel's law, and nothing to average away."""

import math
from collections import Counter
from itertools import permutations, product

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from dprivacy.errors import Malformed, NotApplicable, UnknownCategory, WrongShape
from dprivacy.mechanisms import geometric, laplace, planar_laplace, randomised_response
from dprivacy.model import Channel
from dprivacy.numbers import Level
from dprivacy.release import PermanentAnswers, TaggedPeople, joint_guarantee
from dprivacy.release.columns.permanent_answers import question_key
from dprivacy.sampling import CategoricalSampler
from dprivacy.spaces import line
from support.permanent_laws import joint_law
from support.plain_aes import lane_of, tag_of, words_of

KEY = bytes(range(32))
SMOKES = randomised_response(["yes", "no"], eps="ln 3")
WIDE = geometric(line(6), eps="1/3")


def answers(mechanism=SMOKES, key=KEY, context="smokes"):
    return PermanentAnswers(mechanism, key, context)


def many(found, value, n):
    return found.randomise([value] * n, people=[f"person {k}" for k in range(n)])


class TestTheSameAgain:
    def test_person_value_key_and_context(self):
        once = many(answers(), "yes", 500)
        assert once == many(answers(), "yes", 500)
        assert len(set(once)) == 2

    @pytest.mark.parametrize(
        "other",
        [
            answers(key=b"k" * 32),
            answers(context="drinks"),
            answers(context=""),
            answers(randomised_response(["yes", "no"], eps="ln 4")),
        ],
        ids=["key", "context", "no context", "mechanism"],
    )
    def test_others_differ(self, other):
        first, second = many(answers(), "yes", 2000), many(other, "yes", 2000)
        same = np.mean([a == b for a, b in zip(first, second, strict=True)])
        assert 0.5 < same < 0.75  # independent draws agree by chance alone

    def test_other_people_differ(self):
        n = 2000
        found = answers()
        other = found.randomise(["yes"] * n, people=[f"somebody {k}" for k in range(n)])
        assert np.mean([a == b for a, b in zip(many(found, "yes", n), other, strict=True)]) > 0.55
        assert many(found, "yes", n) != other

    def test_another_value_of_the_same_person_is_drawn_anew(self):
        n = 4000
        yes, no = many(answers(), "yes", n), many(answers(), "no", n)
        both = Counter(zip(yes, no, strict=True))
        assert both["yes", "yes"] / n == pytest.approx(3 / 16, abs=0.04)

    def test_order_and_company_do_not_matter(self):
        people = [f"p{k}" for k in range(300)]
        values = ["yes", "no", "yes"] * 100
        together = dict(zip(people, answers().randomise(values, people=people), strict=True))
        order = np.random.default_rng(0).permutation(300)
        turned = answers().randomise([values[i] for i in order], people=[people[i] for i in order])
        assert [together[people[i]] for i in order] == turned
        assert answers().randomise(["no"], people=["p1"]) == [together["p1"]]

    @pytest.mark.parametrize(
        "people",
        [
            np.arange(50),
            pd.Series(range(50)),
            np.arange(50).astype("int32"),
            tuple(range(50)),
        ],
        ids=["numpy", "pandas", "int32", "tuple"],
    )
    def test_the_container_does_not_matter(self, people):
        values = ["yes"] * 50
        expected = answers().randomise(values, people=list(range(50)))
        assert answers().randomise(values, people=people) == expected
        names = np.array([f"p{k}" for k in range(50)])
        assert answers().randomise(values, people=names) == answers().randomise(
            values, people=names.tolist()
        )


DRINK = randomised_response(["tea", "coffee"], eps="ln 3")
STATUS = randomised_response(["positive", "negative"], eps="ln 3")


class TestTwoQuestions:
    """Questions under one key are independent: knowing one tells nothing of the other."""

    @pytest.mark.parametrize(
        "others",
        [
            answers(STATUS, context="q1"),
            answers(DRINK, context="q2"),
            answers(randomised_response(["coffee", "tea"], eps="ln 3"), context="q1"),
            answers(randomised_response(["tea", "coffee", "water", "milk", "none"], eps="ln 4"),
                    context="q1"),
            answers(DRINK, context="q1", key=KEY[::-1]),
        ],
        ids=["labels", "column", "order", "weights", "key"],
    )  # fmt: skip
    def test_the_joint_law_is_the_product(self, others):
        drinks = answers(DRINK, context="q1")
        first, second = drinks.mechanism.channel, others.mechanism.channel
        for x, z in product(first.rows, second.rows):
            law = joint_law([(drinks, "ann", x), (others, "ann", z)], bits=5)
            assert sum(law.values()) == 1
            for y, w in product(first.columns, second.columns):
                assert law.get((y, w), 0) == first[x, y] * second[z, w]

    def test_one_question_asked_twice_is_one_answer(self):
        drinks = answers(DRINK, context="q1")
        law = joint_law([(drinks, "ann", "tea")] * 2, bits=5)
        assert law == {(y, y): DRINK.channel["tea", y] for y in ("tea", "coffee")}

    def test_outputs_count_too(self):
        """The same inputs, weights and name, and other words for what comes out."""
        channel = DRINK.channel
        renamed = Channel(channel.rows, ["T", "C"], channel.matrix)
        assert question_key(KEY, "answers", channel, "q") != question_key(
            KEY, "answers", renamed, "q"
        )

    def test_purposes_have_keys_of_their_own(self):
        """A ledger keeps a mark of the question, which must not give its noise away."""
        keys = {question_key(KEY, purpose, DRINK.channel, "q") for purpose in ("answers", "mark")}
        assert len(keys) == 2


DRINKS = randomised_response(["tea", "coffee", "water"], eps="ln 2")


def law_of(mechanism, history):
    return joint_law([(answers(mechanism), "ann", value) for value in history], bits=4)


def pattern(history):
    """When the values of a history change, and when an earlier one returns."""
    return tuple(history.index(value) for value in history)


def worst(first, second):
    """The largest factor between two laws; infinite where one of them rules an outcome out."""
    if first.keys() != second.keys():
        return math.inf
    return max(first[y] / second[y] for y in first)


def promised(mechanism, values):
    """What a plan promises that allows a person so many values, over all releases."""
    labels, eps = list(mechanism.channel.rows), str(mechanism.guarantee.eps)
    spec = {"type": "categories", "values": labels, "epsilon": eps}
    plan = {"columns": {"q": spec}, "unit": "who", "values_per_person": values}
    return joint_guarantee(plan).total


class TestWaves:
    """All answers of a person together, against the level that the plan states for all time."""

    def test_three_waves(self):
        laws = {h: law_of(DRINKS, h) for h in product(DRINKS.channel.rows, repeat=3)}
        for (x, of_x), (z, of_z) in permutations(laws.items(), 2):
            factor = worst(of_x, of_z)
            if pattern(x) != pattern(z):
                assert factor == math.inf
            else:
                moved = sum(a != b for a, b in {*zip(x, z, strict=True)})
                assert factor == 2**moved
                assert Level(f"ln {factor}") <= promised(DRINKS, len({*x}))

    @pytest.mark.parametrize("values", [1, 2, 3])
    def test_the_level_is_reached(self, values):
        """Nothing less than ε for each value would do."""
        histories = list(permutations(DRINKS.channel.rows, values))
        factor = max(
            worst(law_of(DRINKS, x), law_of(DRINKS, z)) for x, z in permutations(histories, 2)
        )
        assert Level(f"ln {factor}") == promised(DRINKS, values)

    @pytest.mark.parametrize("course", ["y" * 12, "ynynynynynyn", "y" * 11 + "n", "yynyyynnynyy"])
    def test_twelve_waves(self, course):
        history = [{"y": "yes", "n": "no"}[letter] for letter in course]
        other = [{"y": "no", "n": "yes"}[letter] for letter in course]
        factor = worst(law_of(SMOKES, history), law_of(SMOKES, other))
        assert Level(f"ln {factor}") == promised(SMOKES, len({*history}))


class TestLaw:
    @pytest.mark.parametrize(("mechanism", "x"), [(SMOKES, "yes"), (WIDE, 0), (WIDE, 3)])
    def test_over_many_people(self, mechanism, x):
        n = 40_000
        seen = Counter(many(answers(mechanism), x, n))
        law = {y: float(p) for y, p in mechanism.channel.row(x).items()}
        statistic = sum((seen[y] - n * p) ** 2 / (n * p) for y, p in law.items())
        assert statistic < chi2.ppf(1 - 1e-6, len(law) - 1)

    def test_every_word_of_a_small_twin(self):
        """With 16 bits every word can be tried: frequencies plus the residual are exact."""
        entries = WIDE.channel.matrix.entries.tolist()
        twin = CategoricalSampler(entries, bits=16)
        words = np.arange(1 << 16, dtype=np.uint64)
        total = sum(entries[0])
        for code, row in enumerate(entries):
            drawn = Counter(twin.from_words(np.full(1 << 16, code), words).tolist())
            left = drawn.pop(-1, 0)
            remainders = [(a << 16) % total for a in row]
            assert sum(remainders) == left * total
            for j, a in enumerate(row):
                assert drawn[j] * total + remainders[j] == a << 16

    def test_an_answer_is_drawn_from_the_words_of_its_lane(self):
        """Person, value and question, from the definition of AES on."""
        found, sampler = answers(WIDE), CategoricalSampler(WIDE.channel.matrix.entries.tolist())
        drawn = found.draw(np.array([2, 2, 5]), ["ann", "7.0", -12])
        for k, (code, person) in enumerate(((2, b"ann"), (2, 7), (5, -12))):
            word = next(words_of(found._key, lane_of(found._key, tag_of(KEY, person), code)))
            assert sampler.from_words(np.array([code]), np.array([word], np.uint64))[0] == drawn[k]

    def test_the_residual_path_is_permanent_and_has_its_law(self):
        """With words of 4 bits most draws are left to the residual, and the law stays the channel's."""
        found = answers(WIDE)
        entries = WIDE.channel.matrix.entries.tolist()
        found._set(_sampler=CategoricalSampler(entries, bits=4))
        n = 6000
        once = many(found, 2, n)
        assert once == many(found, 2, n)
        seen = Counter(once)
        for label, a in zip(WIDE.channel.columns, entries[2], strict=True):
            assert seen[label] / n == pytest.approx(a / sum(entries[2]), abs=0.04)


class TestTagged:
    """People who are read once for several questions."""

    def test_they_answer_as_their_names_do(self):
        people, values = ["ann", 7, "x " * 40], ["yes", "no", "yes"]
        tagged = TaggedPeople(people, KEY)
        for found in (answers(), answers(context="drinks")):
            assert found.randomise(values, people=tagged) == found.randomise(values, people=people)

    def test_another_key_and_another_number_are_refused(self):
        tagged = TaggedPeople(["ann"], KEY)
        with pytest.raises(NotApplicable, match="tagged with another key"):
            answers(key=b"k" * 32).randomise(["yes"], people=tagged)
        with pytest.raises(WrongShape, match="one person for each value: 2, not 1"):
            answers().randomise(["yes", "no"], people=tagged)


def test_averaging_recovers_fresh_answers_and_not_permanent_ones():
    """Asked 400 times: fresh noise averages out, a permanent answer says what the first one said."""
    n, times = 60, 400
    truth = np.array(["yes", "no"] * (n // 2))
    people = [f"p{k}" for k in range(n)]
    fresh = np.zeros(n)
    permanent = np.zeros(n)
    found = answers()
    for _ in range(times):
        fresh += np.array(SMOKES.randomise(truth)) == "yes"
        permanent += np.array(found.randomise(truth, people=people)) == "yes"
    guess_fresh = np.where(fresh > times / 2, "yes", "no")
    guess_permanent = np.where(permanent > times / 2, "yes", "no")
    assert (guess_fresh == truth).all()
    assert set(permanent) <= {0.0, float(times)}
    right = np.mean(guess_permanent == truth)
    assert 0.5 < right < 0.95


class TestRefusals:
    @pytest.mark.parametrize("key", [b"short", "a text key of some length", None, bytearray(32)])
    def test_keys(self, key):
        with pytest.raises(Malformed, match="at least 16 secret bytes"):
            PermanentAnswers(SMOKES, key, "x")

    def test_contexts_and_mechanisms(self):
        with pytest.raises(Malformed, match="the context is a text"):
            PermanentAnswers(SMOKES, KEY, None)
        with pytest.raises(Malformed, match="finite mechanism"):
            PermanentAnswers(planar_laplace(eps=1), KEY, "home")

    def test_values_and_people(self):
        with pytest.raises(UnknownCategory, match="row 1") as refusal:
            answers().randomise(["yes", "CANARY"], people=["ann", "bob"])
        assert "CANARY" not in str(refusal.value)
        with pytest.raises(Malformed, match="one person for each value: 2, not 1"):
            answers().randomise(["yes", "no"], people=["ann"])
        for nobody in (None, float("nan"), np.nan):
            with pytest.raises(Malformed, match="row 0 belongs to nobody"):
                answers().randomise(["yes"], people=[nobody])

    def test_the_key_is_not_shown(self):
        shown = repr(answers()) + str(vars(answers()).keys())
        assert KEY.hex() not in shown
        assert "x00" not in repr(answers())

    def test_strange_names(self):
        assert answers().randomise(["yes"], people=["\udcff"]) in (["yes"], ["no"])


def test_numbers_on_a_grid():
    found = answers(laplace(0, 3, eps=1, grid=1))
    once = many(found, 2, 500)
    assert once == many(found, 2, 500)
    assert set(once) <= {0, 1, 2, 3}


def test_the_guarantee_is_the_mechanisms():
    assert answers().guarantee == SMOKES.guarantee
