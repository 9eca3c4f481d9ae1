"""Guessing one answer of a row: exact Bayes against every strategy there is."""

import itertools
import random
from fractions import Fraction as Q

import pytest

from dprivacy.errors import NotApplicable, TooLarge, UnknownName, WrongShape
from dprivacy.flow import row_guesses
from dprivacy.mechanisms import randomised_response
from dprivacy.model import Channel
from dprivacy.release import guess_limit
from dprivacy.spaces import discrete


def response(k, factor):
    return randomised_response(discrete(range(k)), eps=f"ln {factor}").channel


def population(sizes, seed):
    drawn = random.Random(seed)
    records = list(itertools.product(*map(range, sizes)))
    weights = [drawn.choice([0, 1, 1, 2, 9]) for _ in records]
    weights[0] += 1
    return {r: Q(w, sum(weights)) for r, w in zip(records, weights, strict=True)}


def brute(joint, channels, secret, *, known):
    """The best of all functions from what is seen to a guess."""
    outputs = [channel.columns for channel in channels]
    kinds = {}
    for record, p in joint.items():
        others = tuple(v for k, v in enumerate(record) if k != secret) if known else ()
        for row in itertools.product(*outputs):
            chance = p
            for channel, x, y in zip(channels, record, row, strict=True):
                chance *= channel[x, y]
            seen = (others, row[secret]) if known else row
            kinds.setdefault(seen, {}).setdefault(record[secret], Q(0))
            kinds[seen][record[secret]] += chance
    return sum(max(by.values()) for by in kinds.values())


@pytest.mark.parametrize("seed", range(12))
def test_bayes_is_brute_force_and_the_limit_holds(seed):
    drawn = random.Random(seed)
    sizes = [drawn.choice([2, 3]) for _ in range(3)]
    factors = [drawn.choice(["1.2", "2", "3", "6"]) for _ in sizes]
    channels = [response(k, f) for k, f in zip(sizes, factors, strict=True)]
    joint = population(sizes, seed)
    secret = drawn.randrange(3)
    found = row_guesses(joint, channels, secret=secret)
    assert found.exact
    assert found.reading == brute(joint, channels, secret, known=False)
    assert found.both == brute(joint, channels, secret, known=True)
    assert found.blind <= found.own <= found.reading
    assert found.knowing <= found.both <= guess_limit(found.knowing, Q(factors[secret]))
    whole = Q(factors[0]) * Q(factors[1]) * Q(factors[2])
    assert found.reading <= guess_limit(found.blind, whole)


def test_the_limit_is_reached():
    """A value of probability b against very many others, each as likely as the noise makes it."""
    rest = 400
    b = Q(1, 2)
    joint = {(0,): b, **{(k,): (1 - b) / rest for k in range(1, rest + 1)}}
    aside = Channel(range(rest + 1), ["a", "b"], [["3/4", "1/4"], *[["1/4", "3/4"]] * rest])
    found = row_guesses(joint, [aside], secret=0)
    assert guess_limit(b, Q(3)) == Q(3, 4)
    assert found.own == b * Q(3, 4) + max(b * Q(1, 4), (1 - b) / rest * Q(3, 4))


def test_what_does_not_fit_is_refused():
    coin = response(2, 3)
    with pytest.raises(WrongShape, match="tuples of 2 values"):
        row_guesses({(0,): 1}, [coin, coin], secret=0)
    with pytest.raises(NotApplicable, match="nothing of it is released"):
        row_guesses({(0, 0): 1}, [coin, None], secret=1)
    with pytest.raises(UnknownName, match="no input 7"):
        row_guesses({(0, 7): 1}, [coin, coin], secret=0)
    large = response(60, 3)
    with pytest.raises(TooLarge, match="too many"):
        row_guesses({(0,) * 4: 1}, [large] * 4, secret=0)
