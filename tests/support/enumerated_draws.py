"""The exact law of a sampler that tosses coins and draws uniform numbers: every way it can go."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any
from unittest.mock import patch

import numpy as np

from dprivacy.mechanisms import LocalMechanism
from dprivacy.mechanisms.local import geometry_reports, set_reports
from support.raw_laws import Law, Row


class Choices:
    """Answers every draw by a script, and turns the script to the next one after each run."""

    def __init__(self) -> None:
        self.script: list[int] = []
        self._restart()

    def _restart(self) -> None:
        self._at, self._counts, self.weight = 0, [], Fraction(1)

    def _choose(self, chances: Sequence[Fraction]) -> int:
        if self._at == len(self.script):
            self.script.append(0)
        choice = self.script[self._at]
        self._counts.append(len(chances))
        self._at += 1
        self.weight *= chances[choice]
        return choice

    def toss(self, chance: Fraction, n: int, source: Any) -> Any:
        return np.array([self._choose([1 - chance, chance]) == 1 for _ in range(n)], dtype=bool)

    def uniform_array(self, bound: int, n: int, source: Any) -> Any:
        even = [Fraction(1, bound)] * bound
        return np.array([self._choose(even) for _ in range(n)], dtype=np.int64)

    def turn(self) -> bool:
        """The next script; False when all were gone through."""
        counts = self._counts
        while self.script and self.script[-1] + 1 == counts[len(self.script) - 1]:
            self.script.pop()
        if not self.script:
            return False
        self.script[-1] += 1
        self._restart()
        return True


def law_of(draw: Callable[[], Any]) -> dict[Any, Fraction]:
    """What a sampler gives, with the probability of each, by running it on everything it can draw."""
    choices, law = Choices(), {}
    with (
        patch.object(geometry_reports, "toss", choices.toss),
        patch.object(set_reports, "toss", choices.toss),
        patch.object(geometry_reports, "uniform_array", choices.uniform_array),
        patch.object(set_reports, "uniform_array", choices.uniform_array),
    ):
        while True:
            found = draw()
            law[found] = law.get(found, Fraction(0)) + choices.weight
            if not choices.turn():
                return law


def local_laws(mechanism: LocalMechanism, values: Sequence[Any]) -> list[Law]:
    """The law of the report of every value, as the sampler draws it, over one list of reports."""
    laws = [law_of(lambda value=value: mechanism.randomise([value])[0]) for value in values]
    reports = list(dict.fromkeys(report for law in laws for report in law))
    rows = []
    for law in laws:
        assert sum(law.values()) == 1
        scale = lcm(*(chance.denominator for chance in law.values()))
        rows.append((Row(tuple(int(law.get(report, 0) * scale) for report in reports)),))
    return rows
