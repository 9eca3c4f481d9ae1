"""Where random bits come from: the operating system, a run key, or (for tests) a seed."""

import hashlib
import os
import ssl
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import BadNumber, InsecureSeedWarning, RepeatedStream, WrongKind

_WORD = 8  # bytes
_MOST = 1 << 30  # bytes asked of OpenSSL in one call
_BLOCK = 1 << 15  # bytes of a keyed stream made at a time
_SHORTEST_KEY = 16  # bytes


class Source(Protocol):
    """A stream of independent, uniform random bits.

    Every sampler of this room takes its randomness from a source and from nothing else, so that its
    law can be checked by feeding it every stream there is.

    Examples
    --------
    >>> from dprivacy.sampling import DiscreteLaplace
    >>> class Zeros:
    ...     secure = False
    ...
    ...     def words(self, n):
    ...         return np.zeros(n, dtype=np.uint64)
    ...
    ...     def below(self, bound):
    ...         return 0
    >>> DiscreteLaplace("ln 2").draw(3, Zeros())
    array([0, 0, 0])
    >>> from dprivacy.sampling import SystemSource
    >>> source: Source = SystemSource()
    >>> source.secure, source.words(2).dtype, 0 <= source.below(6) < 6
    (True, dtype('uint64'), True)
    """

    @property
    def secure(self) -> bool:
        """Whether the stream is unpredictable to everyone who does not hold its key."""
        ...

    def words(self, n: int) -> NDArray[np.uint64]:
        """The next n words, uniform on 0 … 2^64 − 1."""
        ...

    def below(self, bound: int) -> int:
        """A number that is exactly uniform on 0 … bound − 1, however large the bound."""
        ...


def uniform_below(bound: int, take: Callable[[int], bytes]) -> int:
    """A number exactly uniform on 0 … bound − 1, from a function that gives n random bytes.

    Parameters
    ----------
    bound
        A positive integer of any size.
    take
        Gives as many independent, uniform bytes as it is asked for.

    Notes
    -----
    1. Take the fewest whole words that hold bound − 1, and keep as many low bits as it has.
    2. A number below the bound is the answer; otherwise start again. Every number below the bound
       has the same chance, and fewer than two rounds are needed on average.

    Examples
    --------
    >>> uniform_below(6, lambda n: bytes([3] + [0] * (n - 1)))
    3
    """
    if bound < 1:
        raise BadNumber(f"a bound must be at least 1, not {bound}")
    bits = (bound - 1).bit_length()
    size = -(-bits // 64) * _WORD
    mask = (1 << bits) - 1
    while True:
        candidate = int.from_bytes(take(size), "little") & mask if size else 0
        if candidate < bound:
            return candidate


class SystemSource:
    """The operating system's randomness, stretched by OpenSSL's generator.

    Nothing is kept between calls: forked processes and threads never see the same bits, and there
    is no state to copy, restore or leak.

    Examples
    --------
    >>> source = SystemSource()
    >>> source.words(3).shape, 0 <= source.below(10**40) < 10**40
    ((3,), True)
    >>> source.secure
    True
    """

    __slots__ = ()

    @property
    def secure(self) -> bool:
        """True."""
        return True

    def words(self, n: int) -> NDArray[np.uint64]:
        """The next n words, uniform on 0 … 2^64 − 1."""
        size = read_count(n) * _WORD
        pieces = [ssl.RAND_bytes(min(_MOST, size - at)) for at in range(0, size, _MOST)]
        return np.frombuffer(pieces[0] if len(pieces) == 1 else b"".join(pieces), np.uint64)

    def below(self, bound: int) -> int:
        """A number exactly uniform on 0 … bound − 1."""
        return uniform_below(bound, ssl.RAND_bytes)

    def __repr__(self) -> str:
        return "SystemSource()"


class OneHolder:
    """A stream that can be neither copied nor carried into another process.

    Two holders of one position would use the same noise twice. Threads take turns.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process = os.getpid()

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if os.getpid() != self._process:
            raise RepeatedStream(
                f"{self!r} was made in another process, which would use the same noise again; "
                "make the source in the process that draws, with a partition of its own"
            )
        with self._lock:
            yield

    def __reduce__(self) -> NoReturn:
        raise RepeatedStream(
            f"{self!r} cannot be copied or pickled, because the copy would use the same noise again; "
            "make the source where it is used"
        )


class _Stream(OneHolder):
    """The words of SHAKE-256 over a prefix and a block counter, taken one after the other.

    The stream is one sequence of 64-bit words, little-endian; however calls divide it, the words
    are the same.
    """

    def __init__(self, *parts: bytes) -> None:
        super().__init__()
        self._state = hashlib.shake_256(
            b"".join(len(part).to_bytes(8, "little") + part for part in parts)
        )
        self._block = 0
        self._left = b""

    def _take(self, size: int) -> bytes:
        with self._alone():
            pieces, have = [self._left], len(self._left)
            while have < size:
                state = self._state.copy()
                state.update(self._block.to_bytes(8, "little"))
                pieces.append(state.digest(_BLOCK))
                self._block += 1
                have += _BLOCK
            ready = b"".join(pieces)
            self._left = ready[size:]
            return ready[:size]

    def words(self, n: int) -> NDArray[np.uint64]:
        """The next n words of the stream."""
        return np.frombuffer(self._take(read_count(n) * _WORD), "<u8").astype(np.uint64, copy=False)

    def below(self, bound: int) -> int:
        """A number exactly uniform on 0 … bound − 1, from the next words of the stream."""
        return uniform_below(bound, self._take)


class KeyedSource(_Stream):
    """A secure stream that can be repeated: by whoever holds the key, and nobody else.

    A job that fails half-way and is started again must not release a second randomisation of the
    same rows. With one secret key for the run and one partition for each part of it, a part that is
    repeated gives the same bytes.

    Parameters
    ----------
    key
        At least 16 bytes, unpredictable (``secrets.token_bytes(32)``), destroyed when the run is
        committed. It is never printed.
    partition
        Which part of the run: a number or a name. Streams of different partitions are independent.

    Raises
    ------
    BadNumber, WrongKind
        For a key that is too short or not bytes, or a partition that is neither int nor str.
    RepeatedStream
        On drawing in another process than the one that made the source, on copying and on pickling.

    Notes
    -----
    1. Key, kind of partition and partition are written one after the other, each with its length,
       behind the name of this construction: no two different pairs have the same encoding.
    2. Block number i of the stream is SHAKE-256 of that encoding and i, 32 KiB at a time.
    3. Threads may share a source: each word is handed out once.

    Examples
    --------
    >>> key = bytes(range(32))
    >>> bool((KeyedSource(key, 7).words(5) == KeyedSource(key, 7).words(5)).all())
    True
    >>> KeyedSource(key, 7).secure, 0 <= KeyedSource(key, 7).below(6) < 6
    (True, True)
    """

    def __init__(self, key: bytes, partition: int | str = 0) -> None:
        super().__init__(b"dprivacy keyed stream 1", read_key(key), *_read_partition(partition))
        self._partition = partition

    @property
    def secure(self) -> bool:
        """True."""
        return True

    def __repr__(self) -> str:
        return f"KeyedSource(partition={self._partition!r})"


class InsecureSource(_Stream):
    """A stream that a seed repeats, for tests, examples and benches; never for a release.

    Parameters
    ----------
    seed
        Any integer.

    Warns
    -----
    InsecureSeedWarning
        Always: whoever knows or guesses the seed can take the noise off again.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(action="ignore"):
    ...     source = InsecureSource(1)
    >>> source.secure
    False
    >>> source.words(2).shape, 0 <= source.below(6) < 6
    ((2,), True)
    """

    def __init__(self, seed: int) -> None:
        if not _is_int(seed):
            raise WrongKind(f"a seed must be an int, not {type(seed).__name__}")
        super().__init__(b"dprivacy insecure stream 1", str(seed).encode())
        warnings.warn(
            "noise from insecure_seed can be taken off by anyone who knows or guesses the seed; "
            "leave it out for data that matter",
            InsecureSeedWarning,
            stacklevel=2,
        )

    @property
    def secure(self) -> bool:
        """False."""
        return False

    def __repr__(self) -> str:
        return "InsecureSource()"


def choose_source(insecure_seed: int | None = None) -> Source:
    """The operating system's randomness, unless a seed is forced by its insecure name.

    Parameters
    ----------
    insecure_seed
        For tests and examples only; warns.

    Examples
    --------
    >>> choose_source()
    SystemSource()
    """
    return SystemSource() if insecure_seed is None else InsecureSource(insecure_seed)


def read_count(n: int) -> int:
    """How many are to be drawn: an integer, at least 0."""
    if not _is_int(n) or n < 0:
        raise BadNumber(f"how many to draw must be an integer of at least 0, not {n!r}")
    return int(n)


def _is_int(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def read_key(key: object) -> bytes:
    """A key of at least 16 bytes."""
    if not isinstance(key, bytes) or len(key) < _SHORTEST_KEY:
        came = f"{len(key)} bytes" if isinstance(key, bytes) else type(key).__name__
        raise BadNumber(
            f"a key must be at least {_SHORTEST_KEY} bytes, not {came}; "
            "make one with secrets.token_bytes(32)"
        )
    return key


def _read_partition(partition: object) -> tuple[bytes, bytes]:
    """Its kind and its name, so that partition 1 is not partition "1"."""
    if isinstance(partition, str):
        return b"str", partition.encode("utf-8", "surrogatepass")
    if not _is_int(partition):
        raise WrongKind(f"a partition must be an int or a str, not {type(partition).__name__}")
    return b"int", str(partition).encode()
