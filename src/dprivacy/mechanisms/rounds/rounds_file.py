"""Rounds that ask for words as stored data: between two of them days may pass.

What is stored is counts; shares and errors are computed again, and the mechanism of the open round
follows from the beginnings that go on.
"""

from itertools import pairwise
from typing import Any

from dprivacy.errors import BadFile
from dprivacy.mechanisms.local.local_mechanism import MOST_REPORTS
from dprivacy.mechanisms.rounds.asking_in_rounds import LARGEST_ROUND, PrefixRounds
from dprivacy.mechanisms.rounds.word_prefixes import LONGEST, branches, continues, read_alphabet
from dprivacy.model import level_body, require_keys
from dprivacy.numbers import as_eps


def rounds_body(rounds: PrefixRounds) -> dict[str, Any]:
    """Rounds as plain data."""
    return {
        "letters": list(rounds.letters),
        "depths": list(rounds.depths),
        "keep": rounds.keep,
        "alarm": rounds.alarm.hex(),
        "eps": level_body(rounds.eps, "ε"),
        "closed": [
            {"n": each.n, "kept": [[word.text, word.held] for word in each.kept]}
            for each in rounds.closed
        ],
    }


def rounds_from(body: dict[str, Any], *, name: str = "the rounds") -> PrefixRounds:
    """The rounds of a body, every part of it checked.

    Raises
    ------
    BadFile
        For a body that is not that of rounds, or whose beginnings no round could have kept.
    """
    kinds: dict[str, type] = {"letters": list, "depths": list, "keep": int, "alarm": str}
    require_keys(body, {**kinds, "eps": str, "closed": list}, {}, name)
    letters, depths = read_alphabet(body["letters"]), _depths(body["depths"], name)
    keep, alarm = body["keep"], float.fromhex(body["alarm"])
    known = (1, *[keep] * len(depths))
    steps = zip(known, pairwise((0, *depths)), strict=False)
    widest = max(many * branches(len(letters), high - low) for many, (low, high) in steps)
    if keep < 1 or widest >= LARGEST_ROUND or not 0 < alarm < 1 or alarm.hex() != body["alarm"]:
        raise BadFile(f"{name}: no rounds have such numbers of answers, or such an alarm")
    if len(body["closed"]) > len(depths):
        raise BadFile(f"{name}: more rounds are closed than there are")
    rounds = PrefixRounds(letters, depths, keep, as_eps(body["eps"]), alarm)
    for part in body["closed"]:
        rounds = _closed(rounds, part, name)
    return rounds


def _depths(given: list[Any], name: str) -> tuple[int, ...]:
    whole = all(isinstance(depth, int) and not isinstance(depth, bool) for depth in given)
    rising = whole and all(low < high for low, high in pairwise((0, *given)))
    if not given or not rising or given[-1] > LONGEST:
        raise BadFile(f"{name}: depths should rise from 1 to at most {LONGEST}")
    return tuple(given)


def _closed(rounds: PrefixRounds, part: Any, name: str) -> PrefixRounds:
    """One more round closed."""
    if not isinstance(part, dict):
        raise BadFile(f"{name}: a closed round should be an object")
    require_keys(part, {"n": int, "kept": list}, {}, name)
    n, kept = part["n"], part["kept"]
    if not 1 <= n <= MOST_REPORTS or any(not _is_pair(pair) for pair in kept):
        raise BadFile(f"{name}: a closed round has its number of reports, and texts with counts")
    last = len(rounds.closed) + 1 == len(rounds.depths)
    most = rounds.offered - 1
    many = len(kept) <= most if last else len(kept) == min(rounds.keep, most)
    counts = [n, *(held for _, held in kept), 0]
    texts, known, letters = {text for text, _ in kept}, set(rounds.known), set(rounds.letters)
    fit = all(continues(text, known, letters, rounds.ends) for text in texts)
    falls = all(first >= then for first, then in pairwise(counts))
    if not (many and falls and fit and len(texts) == len(kept)):
        raise BadFile(f"{name}: no round could have kept these beginnings, by these counts")
    return rounds.closed_with(n, [(text, held) for text, held in kept])


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, list) and [type(part) for part in pair] == [str, int]
