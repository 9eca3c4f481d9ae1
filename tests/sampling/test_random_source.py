"""Random sources: uniform, never repeated by accident, repeated exactly on purpose."""

import copy
import hashlib
import os
import pickle
import textwrap
import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st

from dprivacy.errors import InsecureSeedWarning, Malformed, PrivacyLeakWarning, RepeatedStream
from dprivacy.sampling import InsecureSource, KeyedSource, Source, SystemSource, choose_source
from dprivacy.sampling.random_source import uniform_below
from support.programs import printed

KEY = bytes(range(32))


def insecure(seed: int = 1) -> InsecureSource:
    with pytest.warns(InsecureSeedWarning):
        return InsecureSource(seed)


# -- uniform_below -------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", [*range(1, 70), 127, 128, 129, 255, 256, 257, 1000])
def test_below_is_uniform_over_every_first_candidate(bound: int) -> None:
    bits = (bound - 1).bit_length()
    counts = dict.fromkeys(range(bound), 0)
    for candidate in range(1 << bits):
        for above in (0, 1, (1 << (64 - bits)) - 1):  # bits that must not matter
            script = [candidate + (above << bits), bound // 2]

            def take(size: int, script: list[int] = script) -> bytes:
                return script.pop(0).to_bytes(size, "little")

            value = uniform_below(bound, take) if bits else uniform_below(bound, lambda n: b"")
            if candidate < bound:
                counts[value] += 1
            else:
                assert value == bound // 2  # rejected: the next candidate decides
    assert set(counts.values()) == {3}


def test_below_takes_whole_words() -> None:
    asked: list[int] = []

    def take(size: int) -> bytes:
        asked.append(size)
        return bytes(size)

    for bound, size in ((2, 8), (1 << 64, 8), ((1 << 64) + 1, 16), (1 << 200, 32)):
        asked.clear()
        assert uniform_below(bound, take) == 0
        assert asked == [size]
    asked.clear()
    assert uniform_below(1, take) == 0
    assert asked == []


@pytest.mark.parametrize("bound", [0, -1])
def test_below_needs_a_positive_bound(bound: int) -> None:
    with pytest.raises(Malformed, match=f"a bound must be at least 1, not {bound}"):
        SystemSource().below(bound)


def test_below_of_a_large_bound_reaches_everywhere() -> None:
    bound = 10**60
    values = [SystemSource().below(bound) for _ in range(400)]
    assert all(0 <= value < bound for value in values)
    assert min(values) < bound // 10
    assert max(values) > bound - bound // 10


# -- every source --------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [SystemSource, lambda: KeyedSource(KEY), insecure])
def test_words_are_words(make: object) -> None:
    source: Source = make()  # type: ignore[operator]
    for n in (0, 1, 5, 4096, 4097, 100_000):
        words = source.words(n)
        assert words.shape == (n,)
        assert words.dtype == np.uint64
    ones = sum(int(word).bit_count() for word in source.words(20_000))
    assert abs(ones - 640_000) < 6 * 566  # six standard deviations
    with pytest.raises(Malformed, match="at least 0, not -1"):
        source.words(-1)


def test_security_is_stated() -> None:
    assert SystemSource().secure
    assert KeyedSource(KEY).secure
    assert not insecure().secure


# -- the system's randomness ---------------------------------------------------------------------


def test_two_runs_of_the_system_differ() -> None:
    program = "from dprivacy.sampling import SystemSource as S; print(S().words(4).tolist())"
    runs = {printed(program) for _ in range(2)}
    assert len(runs) == 2
    source = SystemSource()
    assert not (source.words(4) == source.words(4)).any()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_children_never_repeat_the_systems_stream() -> None:
    program = textwrap.dedent("""
        import os
        from dprivacy.sampling import SystemSource
        source = SystemSource()
        source.words(1000)                      # warmed up before the fork
        pipes = []
        for _ in range(8):
            read, write = os.pipe()
            if os.fork() == 0:
                os.write(write, source.words(50).tobytes())
                os.write(write, source.below(1 << 64).to_bytes(8, "little"))
                os._exit(0)
            os.close(write)
            pipes.append(read)
        drawn = b"".join(open(pipe, "rb").read() for pipe in pipes) + source.words(50).tobytes()
        words = [drawn[i : i + 8] for i in range(0, len(drawn), 8)]
        print(len(words), len(set(words)))
    """)
    assert printed(program).split() == ["458", "458"]


def drawn_by_threads(source: Source) -> list[int]:
    drawn: list[list[int]] = [[] for _ in range(4)]

    def work(mine: list[int]) -> None:
        for _ in range(100):
            mine += source.words(37).tolist()

    threads = [threading.Thread(target=work, args=(mine,)) for mine in drawn]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [word for mine in drawn for word in mine]


def test_threads_never_repeat_the_systems_stream() -> None:
    words = drawn_by_threads(SystemSource())
    assert len(set(words)) == len(words) == 14_800


# -- keyed streams -------------------------------------------------------------------------------


def test_threads_share_a_keyed_stream_word_by_word() -> None:
    words = drawn_by_threads(KeyedSource(KEY))
    assert sorted(words) == sorted(KeyedSource(KEY).words(14_800).tolist())


@given(st.lists(st.integers(0, 9000), max_size=8))
def test_a_keyed_stream_does_not_depend_on_how_calls_divide_it(sizes: list[int]) -> None:
    source = KeyedSource(KEY, "part")
    pieces = [source.words(n) for n in sizes]
    whole = KeyedSource(KEY, "part").words(sum(sizes))
    assert np.concatenate([*pieces, whole[:0]]).tobytes() == whole.tobytes()


def test_below_takes_the_next_word_of_the_stream() -> None:
    plain = KeyedSource(KEY).words(4)
    source = KeyedSource(KEY)
    assert source.words(1)[0] == plain[0]
    assert source.below(1 << 64) == plain[1]
    assert source.below(1 << 3) == plain[2] % 8
    assert source.words(1)[0] == plain[3]


def test_the_keyed_stream_is_the_documented_one() -> None:
    parts = [b"dprivacy keyed stream 1", KEY, b"int", b"5"]
    prefix = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    blocks = [hashlib.shake_256(prefix + i.to_bytes(8, "little")).digest(1 << 15) for i in range(3)]
    assert KeyedSource(KEY, 5).words(3 * 4096).astype("<u8").tobytes() == b"".join(blocks)


def test_keyed_streams_differ_between_partitions_and_keys() -> None:
    long = KEY + b"0"
    streams = [
        KeyedSource(key, partition).words(4).tobytes()
        for key in (KEY, KEY[:31], KEY[:16], long, KEY + b"int")
        for partition in (0, 1, -1, 10, "0", "1", "", "é", "int0")
    ]
    assert len(set(streams)) == len(streams)


@pytest.mark.parametrize(
    ("key", "came"), [(b"", "0 bytes"), (bytes(15), "15 bytes"), ("x" * 32, "str")]
)
def test_weak_keys_are_refused(key: object, came: str) -> None:
    with pytest.raises(Malformed, match=f"at least 16 bytes, not {came}; make one with secrets"):
        KeyedSource(key)  # type: ignore[arg-type]


@pytest.mark.parametrize("partition", [True, 1.0, None, b"x"])
def test_odd_partitions_are_refused(partition: object) -> None:
    with pytest.raises(Malformed, match="a partition must be an int or a str"):
        KeyedSource(KEY, partition)  # type: ignore[arg-type]


def test_neither_key_nor_seed_is_printed() -> None:
    key = b"a very secret key, do not print"
    source = KeyedSource(key, "east")
    assert repr(source) == "KeyedSource(partition='east')"
    assert repr(insecure(987654321)) == "InsecureSource()"


def test_a_stream_is_not_copied() -> None:
    for again in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(RepeatedStream, match="cannot be copied or pickled"):
            again(KeyedSource(KEY))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_stream_is_refused_in_a_forked_child() -> None:
    program = textwrap.dedent("""
        import os
        from dprivacy.errors import RepeatedStream
        from dprivacy.sampling import KeyedSource
        source = KeyedSource(bytes(32))
        child = os.fork()
        if child == 0:
            try:
                source.words(1)
            except RepeatedStream as refusal:
                os._exit(7 if "made in another process" in str(refusal) else 1)
            os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), source.words(1).size)
    """)
    assert printed(program).split() == ["7", "1"]


# -- seeds ---------------------------------------------------------------------------------------


def test_a_seed_warns_and_repeats() -> None:
    assert issubclass(InsecureSeedWarning, PrivacyLeakWarning)
    with pytest.warns(PrivacyLeakWarning, match="anyone who knows or guesses the seed"):
        first = choose_source(insecure_seed=3)
    assert not first.secure
    assert first.words(9).tobytes() == insecure(3).words(9).tobytes()
    assert insecure(3).words(9).tobytes() != insecure(4).words(9).tobytes()
    assert insecure(0).words(9).tobytes() != KeyedSource(bytes(16)).words(9).tobytes()


def test_no_seed_means_the_systems_randomness() -> None:
    assert isinstance(choose_source(), SystemSource)


@pytest.mark.parametrize("seed", [True, 1.5, "1"])
def test_a_seed_is_an_integer(seed: object) -> None:
    with pytest.raises(Malformed, match="a seed must be an int"):
        InsecureSource(seed)  # type: ignore[arg-type]
