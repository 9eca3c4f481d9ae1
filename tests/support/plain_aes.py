"""AES-256 and permanent noise by their definitions (FIPS 197), one block at a time, in plain Python."""

import hmac
from collections.abc import Iterator
from functools import lru_cache

Block = bytes


def _double(b: int) -> int:
    return (b << 1) ^ (0x11B if b & 0x80 else 0)


def _times(a: int, b: int) -> int:
    found = 0
    while b:
        found, a, b = found ^ (a if b & 1 else 0), _double(a), b >> 1
    return found


def _substitutes() -> list[int]:
    """Inverses in GF(256), then the affine map."""
    inverse = [0] * 256
    for a in range(1, 256):
        power = a
        for _ in range(253):
            power = _times(power, a)
        inverse[a] = power
    out = []
    for b in inverse:
        turned = [((b << k) | (b >> (8 - k))) & 255 for k in range(5)]
        out.append(turned[0] ^ turned[1] ^ turned[2] ^ turned[3] ^ turned[4] ^ 0x63)
    return out


_BOX = _substitutes()


@lru_cache
def _round_keys(key: bytes) -> list[bytes]:
    words = [key[at : at + 4] for at in range(0, 32, 4)]
    constant = 1
    for k in range(8, 60):
        word = words[-1]
        if k % 8 == 0:
            word = bytes(_BOX[b] for b in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = _double(constant)
        elif k % 8 == 4:
            word = bytes(_BOX[b] for b in word)
        words.append(xor(words[-8], word))
    return [b"".join(words[at : at + 4]) for at in range(0, 60, 4)]


def xor(one: bytes, other: bytes) -> bytes:
    return bytes(a ^ b for a, b in zip(one, other, strict=True))


def aes_256(key: bytes, block: Block) -> Block:
    keys = _round_keys(key)
    state = xor(block, keys[0])
    for number in range(1, 15):
        state = bytes(_BOX[b] for b in state)
        state = bytes(state[(k + 4 * (k % 4)) % 16] for k in range(16))
        if number < 14:
            mixed = []
            for at in range(0, 16, 4):
                a = state[at : at + 4]
                for k in range(4):
                    mixed.append(
                        _double(a[k]) ^ _double(a[(k + 1) % 4]) ^ a[(k + 1) % 4]
                        ^ a[(k + 2) % 4] ^ a[(k + 3) % 4]
                    )  # fmt: skip
            state = bytes(mixed)
        state = xor(state, keys[number])
    return state


def number(value: int) -> bytes:
    """Eight bytes, the lowest first."""
    return (value % (1 << 64)).to_bytes(8, "little")


def tag_of(key: bytes, person: int | bytes) -> Block:
    """The tag of a person, a whole number or the bytes of a text."""
    person_key = hmac.digest(key, b"dprivacy permanent 3 person", "sha256")
    if isinstance(person, int):
        return aes_256(person_key, number(person) + number(1))
    state = aes_256(person_key, number(len(person)) + number(2))
    for at in range(0, len(person), 16):
        state = aes_256(person_key, xor(state, person[at : at + 16].ljust(16, b"\0")))
    return state


def lane_of(key: bytes, tag: Block, *values: int) -> Block:
    """Where the words of a person and a value begin, under the key of a question."""
    if len(values) == 1:
        return xor(tag, number(0) + number(values[0]))
    chain = hmac.digest(key, b"dprivacy several numbers", "sha256")
    for k in range(0, len(values), 2):
        pair = (*values[k : k + 2], 0)[:2]
        tag = aes_256(chain, xor(tag, number(pair[0]) + number(pair[1])))
    return tag


def words_of(key: bytes, lane: Block) -> Iterator[int]:
    """The words of a lane, one after the other."""
    j = 0
    while True:
        block = aes_256(key, xor(lane, number(j) + number(0)))
        yield int.from_bytes(block[:8], "little")
        yield int.from_bytes(block[8:], "little")
        j += 1
