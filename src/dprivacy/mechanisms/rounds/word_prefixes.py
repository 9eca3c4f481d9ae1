"""Words that cannot be listed, by their beginnings: alphabets, depths, and what extends a beginning.

At depth d a word of at most d letters is told whole, and a longer one by its first d letters and "…".
A lone "…" is any word that is not among those asked for.
"""

import unicodedata
from collections.abc import Collection, Iterable, Iterator
from itertools import chain, product

from dprivacy.errors import BadNumber, DuplicateLabel, TooLarge, WrongKind
from dprivacy.mechanisms.containers.python_values import listed

REST = "…"
LONGEST = 256


def read_alphabet(letters: Iterable[str]) -> tuple[str, ...]:
    """Distinct characters that stay what they are next to each other."""
    found = tuple(letters if isinstance(letters, str) else listed(letters))
    if any(not isinstance(letter, str) or len(letter) != 1 for letter in found):
        raise WrongKind(
            "the alphabet should be a text or a list of single characters, such as 'abc'"
        )
    if len(set(found)) != len(found):
        raise DuplicateLabel("every character of the alphabet should be there once")
    if len(found) < 2 or REST in found:
        raise BadNumber(
            f"the alphabet should have at least two characters, and not {REST!r}, which stands for "
            "what is left out"
        )
    followers = [letter for letter in found if _may_compose(letter)]
    pairs = map("".join, chain(zip(found, strict=True), product(found, followers)))
    joined = next((pair for pair in pairs if not unicodedata.is_normalized("NFC", pair)), None)
    if joined is not None:
        raise WrongKind(
            f"the alphabet has {joined!r}, which is another character in Unicode's composed form; list "
            "composed characters, and leave out those that combine with others"
        )
    return found


def _may_compose(letter: str) -> bool:
    """Whether a character may become one with a letter before it: marks and parts of syllables."""
    return unicodedata.category(letter)[0] == "M" or "\u1160" <= letter <= "\u11ff"


def branches(letters: int, step: int) -> int:
    """How many beginnings follow one beginning, this many letters further on.

    Examples
    --------
    >>> branches(26, 2)  # one or two more letters and the end, or two more and no end
    1378
    """
    return sum(int(letters**i) for i in (*range(1, step + 1), step))


def read_depths(letters: int, length: int, keep: int, most: int) -> tuple[int, ...]:
    """Where rounds end, as few as keep the number of answers of each within `most`."""
    if length > LONGEST:
        raise TooLarge(f"words are asked for up to their first {LONGEST} letters, not {length:,}")
    depths: list[int] = []
    while not depths or depths[-1] < length:
        start, known = (depths[-1], keep) if depths else (0, 1)
        step = 0
        while start + step < length and known * branches(letters, step + 1) < most:
            step += 1
        if not step:
            raise TooLarge(
                f"{known} beginnings of words have {known * branches(letters, 1):,} continuations by "
                f"one of {letters} letters, more than the {most:,} answers that a round may offer; "
                "keep fewer"
            )
        depths.append(start + step)
    return tuple(depths)


def continued(kept: Iterable[str], letters: tuple[str, ...], step: int) -> Iterator[str]:
    """What beginnings may go on as: finished words as they are, others by up to `step` letters.

    Examples
    --------
    >>> list(continued(["a", "b…"], ("a", "b"), 1))
    ['a', 'ba', 'bb', 'ba…', 'bb…']
    """
    for beginning in kept:
        if not beginning.endswith(REST):
            yield beginning
            continue
        start = beginning.removesuffix(REST)
        for size in range(1, step + 1):
            yield from (start + "".join(end) for end in product(letters, repeat=size))
        yield from (start + "".join(end) + REST for end in product(letters, repeat=step))


def continues(
    text: str, kept: Collection[str], letters: Collection[str], ends: tuple[int, int]
) -> bool:
    """Whether a text is among what `continued` gives, from the first of two depths to the second.

    Examples
    --------
    >>> [continues(text, {"a", "b…"}, {"a", "b"}, (1, 2)) for text in ("a", "ba…", "ab")]
    [True, True, False]
    """
    if text in kept and not text.endswith(REST):
        return True
    start, depth = ends
    known = text.removesuffix(REST)
    fits = len(known) == depth if text.endswith(REST) else start < len(known) <= depth
    return fits and known[:start] + REST in kept and all(letter in letters for letter in known)


def cut(word: str, depth: int) -> str:
    """A word as it is told at a depth.

    Examples
    --------
    >>> cut("tea", 3), cut("team", 3)
    ('tea', 'tea…')
    """
    whole = unicodedata.normalize("NFC", word)
    return whole if len(whole) <= depth else whole[:depth] + REST


def read_words(words: Iterable[str]) -> list[str]:
    """Texts; WrongKind, by row number, for anything else."""
    found = listed(words)
    for row, word in enumerate(found):
        if not isinstance(word, str):
            raise WrongKind(f"row {row} holds no text; words are needed, and each person has one")
    return found
