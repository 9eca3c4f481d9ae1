"""One test walks the mechanisms of every room: one protocol, whatever they randomise."""

import json
import warnings
from fractions import Fraction as Q

import numpy as np
import pytest

from dprivacy.curves import curve_mechanism, make_basis
from dprivacy.design import optimal
from dprivacy.errors import InsecureSeedWarning
from dprivacy.geo import city, optimal_places, place_mechanism
from dprivacy.hashing import laplsh, lshrr, minhash, random_projection, set_reports
from dprivacy.mechanisms import FAMILIES, oblivious, over_rows, randomised_response, sequential
from dprivacy.model import Channel, Guarantee, Mechanism
from dprivacy.numbers import ln
from dprivacy.release import Plan
from dprivacy.sampling import InsecureSource, KeyedSource
from dprivacy.text import Embedding, text_mechanism, word_mechanism

COIN = randomised_response(["yes", "no"], eps="ln 3")
WORDS = Embedding(["tea", "coffee", "moon"], [[0, 0], [3, 4], [0, 12]])
PLAN = {"type": "ordered", "values": [1, 2, 3, 4], "epsilon": "ln 2", "blocks": [[1, 2], [3, 4]]}
EARTH = [(40.7001, -74.0002), (40.6998, -73.9999)] * 40
VECTORS = [[5.0, 0.0, 3.0], [0.0, 4.0, 1.0]] * 40


def made():
    """(mechanism, values that it takes) by name."""
    for family in FAMILIES:
        mechanism = family.build(eps="ln 2", **family.cases[0])
        width = getattr(mechanism.guarantee.space, "dimension", None)
        listed = [[0.0] * width] * 80 if width else [0.0] * 80
        yield family.name, mechanism, mechanism.channel.rows * 40 if mechanism.channel else listed
    yield "sequential", sequential(COIN, COIN), ["yes", "no"] * 40
    yield "oblivious", oblivious(COIN, lambda x: "yes" if x else "no", "discrete:2"), [0, 1] * 40
    yield "over rows", over_rows(COIN, 2), [("yes", "no")] * 80
    yield "optimal", optimal("line:3", eps="ln 2").mechanism(), [0, 1, 2] * 40
    yield "blocks", Plan.read({"columns": {"x": PLAN}}).columns[0].mechanism, [1, 2, 3, 4] * 40
    yield "places", place_mechanism(region="40.7, -74.0, 50 km"), EARTH
    found = optimal_places(city("40.7, -74, 1 km", cell="500 m"), radius="1 km", eps="ln 4")
    yield "city", found, EARTH
    for noise in ("exponential", "laplace"):
        yield f"words, {noise}", word_mechanism(WORDS, eps=1, noise=noise), ["tea", "moon"] * 40
    yield "text", text_mechanism(WORDS, eps=1), ["tea and moon"] * 40
    yield (
        "curves",
        curve_mechanism(make_basis("cosine", 4), eps=ln(2), grid=Q(1, 10)),
        np.ones((40, 4)),
    )
    yield "sets", set_reports(bits=64, key="demo", eps="ln 3"), [{"tea"}, set()] * 40
    yield "minhash", lshrr(minhash(bits=20, key="demo"), eps=1), [{"tea"}, {"rum"}] * 40
    projection = random_projection(3, bits=20, key="demo")
    yield "lshrr", lshrr(projection, eps=1), VECTORS
    yield "laplsh", laplsh(projection, eps=10, numerics="idealised"), VECTORS


MADE = {name: (mechanism, values) for name, mechanism, values in made()}


def drawn(mechanism, values, **options):
    """What comes out, as something that compares."""
    noisy = mechanism.randomise(values, **options)
    return noisy.tolist() if isinstance(noisy, np.ndarray) else noisy


@pytest.mark.parametrize("name", MADE)
def test_every_mechanism_keeps_the_protocol(name):
    mechanism, _ = MADE[name]
    assert isinstance(mechanism, Mechanism)
    assert isinstance(mechanism.family, str)
    assert isinstance(mechanism.guarantee, Guarantee)
    assert mechanism.channel is None or isinstance(mechanism.channel, Channel)
    assert json.loads(json.dumps(mechanism.to_dict()))["family"] == mechanism.family
    assert "object at 0x" not in repr(mechanism)


@pytest.mark.parametrize("name", MADE)
def test_every_mechanism_draws_from_the_source_it_is_given(name):
    mechanism, values = MADE[name]
    assert mechanism.secure
    assert len(mechanism.randomise(values)) == len(values)
    keyed = [drawn(mechanism.using(KeyedSource(b"k" * 16)), values) for _ in range(2)]
    assert keyed[0] == keyed[1]
    assert keyed[0] != drawn(mechanism.using(KeyedSource(b"l" * 16)), values)
    assert mechanism.using(KeyedSource(b"k" * 16)).secure
    with pytest.warns(InsecureSeedWarning):
        seeded = drawn(mechanism, values, insecure_seed=5)
    with pytest.warns(InsecureSeedWarning):
        assert drawn(mechanism, values, insecure_seed=5) == seeded
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tainted = mechanism.using(InsecureSource(1))
    assert not tainted.secure
    assert tainted.to_dict()["secure"] is False
    assert mechanism.secure
