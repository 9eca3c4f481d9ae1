"""No noise is ever used twice: not by threads, forks, copies or retries; a keyed retry repeats."""

import copy
import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dprivacy.errors import InsecureSeedWarning, RepeatedStream
from dprivacy.mechanisms import (
    bitwise_response,
    geometric,
    integer_geometric,
    laplace,
    oblivious,
    planar_laplace,
    randomised_response,
    sequential,
    vector_laplace,
)
from dprivacy.sampling import InsecureSource, KeyedSource
from dprivacy.spaces import hamming_cube
from support.programs import printed

MECHANISMS = {
    "response": (randomised_response(range(100), eps="1/10"), [7] * 64),
    "geometric": (geometric(20, eps="1/10"), np.full(64, 3)),
    "bits": (bitwise_response(64, eps="1/10"), np.zeros((4, 64), dtype=np.int8)),
    "laplace": (laplace(0, 50, eps="1/10", grid=1), [25.0] * 64),
    "integers": (integer_geometric(eps="1/100"), [0.0] * 64),
    "planar": (planar_laplace(eps="1/100"), np.zeros((64, 2))),
    "vector": (vector_laplace(3, eps=1, numerics="idealised"), np.zeros((64, 3))),
    "oblivious": (
        oblivious(geometric(4, eps="1/10"), sum, hamming_cube(3)),
        [(0, 1, 1)] * 200,
    ),
    "sequential": (sequential(*[geometric(9, eps="1/10")] * 3), [4] * 64),
}


def as_bytes(noisy) -> bytes:
    return noisy.tobytes() if isinstance(noisy, np.ndarray) else repr(noisy).encode()


@pytest.fixture(params=MECHANISMS)
def case(request):
    return MECHANISMS[request.param]


def test_runs_differ(case):
    mechanism, values = case
    assert len({as_bytes(mechanism.randomise(values)) for _ in range(20)}) == 20


def test_threads_never_repeat(case):
    mechanism, values = case
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda _: as_bytes(mechanism.randomise(values)), range(64)))
    assert len(set(runs)) == 64


def test_threads_that_share_a_key_never_repeat(case):
    mechanism, values = case
    keyed = mechanism.using(KeyedSource(bytes(32), "threads"))
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda _: as_bytes(keyed.randomise(values)), range(64)))
    assert len(set(runs)) == 64


def test_a_retry_with_the_key_is_byte_identical(case):
    mechanism, values = case
    key = b"a key of at least sixteen bytes."
    first = [
        as_bytes(mechanism.using(KeyedSource(key, part)).randomise(values)) for part in range(5)
    ]
    again = [
        as_bytes(mechanism.using(KeyedSource(key, part)).randomise(values)) for part in range(5)
    ]
    assert first == again
    assert len(set(first)) == 5
    other = as_bytes(mechanism.using(KeyedSource(key[::-1], 0)).randomise(values))
    assert other != first[0]
    named = as_bytes(mechanism.using(KeyedSource(key, "0")).randomise(values))
    assert named != first[0]


def test_one_keyed_source_goes_on(case):
    """Two runs from one source are two different stretches of its stream."""
    mechanism, values = case
    keyed = mechanism.using(KeyedSource(bytes(32)))
    assert as_bytes(keyed.randomise(values)) != as_bytes(keyed.randomise(values))


def test_the_key_is_never_shown(case):
    mechanism, _ = case
    key = b"canary-key-canary-key"
    keyed = mechanism.using(KeyedSource(key))
    assert "canary" not in repr(keyed)
    assert "canary" not in repr(vars(keyed))
    if hasattr(keyed, "to_dict"):
        assert "canary" not in json.dumps(keyed.to_dict())


def test_a_mechanism_with_a_stream_cannot_be_copied(case):
    mechanism, _ = case
    keyed = mechanism.using(KeyedSource(bytes(32)))
    with pytest.raises(RepeatedStream):
        pickle.dumps(keyed)
    with pytest.raises(RepeatedStream):
        copy.deepcopy(keyed)
    with pytest.warns(InsecureSeedWarning):
        seeded = mechanism.using(InsecureSource(1))
    with pytest.raises(RepeatedStream):
        pickle.dumps(seeded)


@pytest.mark.parametrize("name", ["response", "geometric", "bits", "laplace", "integers", "planar"])
def test_a_mechanism_without_one_travels_and_draws_its_own_noise(name):
    mechanism, values = MECHANISMS[name]
    mechanism.randomise(values)  # with its tables made
    again = pickle.loads(pickle.dumps(mechanism))
    assert again.guarantee.eps == mechanism.guarantee.eps
    assert as_bytes(again.randomise(values)) != as_bytes(mechanism.randomise(values))


FORKED = """
import os, sys
from dprivacy.errors import RepeatedStream
from dprivacy.mechanisms import geometric, integer_geometric, planar_laplace, randomised_response
from dprivacy.sampling import KeyedSource

made = [
    (randomised_response(range(100), eps="1/10"), [7] * 64),
    (geometric(20, eps="1/10"), [3] * 64),
    (integer_geometric(eps="1/100"), [0.0] * 64),
    (planar_laplace(eps="1/100"), [[0.0, 0.0]] * 64),
]
for mechanism, values in made:
    mechanism.randomise(values)
keyed = made[0][0].using(KeyedSource(bytes(32)))
for child in range(6):
    reader, writer = os.pipe()
    if os.fork() == 0:
        runs = [str(list(map(str, mechanism.randomise(values)))) for mechanism, values in made]
        try:
            keyed.randomise([1])
            runs.append("REPEATED")
        except RepeatedStream:
            runs.append("refused")
        os.write(writer, "|".join(runs).encode())
        os._exit(0)
    os.close(writer)
    print(os.read(reader, 1 << 20).decode().replace("\\n", " "))
    os.wait()
runs = [str(list(map(str, mechanism.randomise(values)))) for mechanism, values in made]
print("|".join(runs).replace("\\n", " "))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_forked_children_never_repeat():
    runs = [line.split("|") for line in printed(FORKED).splitlines()]
    assert len(runs) == 7
    for at in range(4):
        assert len({run[at] for run in runs}) == 7
    assert all(run[4] == "refused" for run in runs[:6])
