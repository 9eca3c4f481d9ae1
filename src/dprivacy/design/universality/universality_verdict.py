"""The answer to the question for whom a mechanism is the best: a verdict, and its reasons."""

from dataclasses import dataclass
from typing import ClassVar

from dprivacy.design.universality.consumer_preference import Preference
from dprivacy.design.universality.pair_optimality import PairVerdict
from dprivacy.design.universality.tight_paths import GeometricPath
from dprivacy.errors import UnknownName
from dprivacy.model import Answer, Verdict


@dataclass(frozen=True)
class LossClass(Answer):
    """Whether a channel is universally optimal for all losses of a class, and by which statements.

    Examples
    --------
    >>> from dprivacy.design import universally_optimal
    >>> from dprivacy.mechanisms import geometric
    >>> found = universally_optimal(geometric(3, eps="ln 2"), eps="ln 2")
    >>> print(found.of("monotonic"))
    monotonic: yes. The space is a line, and on it the channel is the geometric mechanism.
    """

    name: str
    holds: bool | None
    because: str
    keys: tuple[str, ...] = ()
    exact: ClassVar[bool] = True

    def __bool__(self) -> bool:
        return self.holds is True

    def explain(self) -> str:
        """The answer in words."""
        word = {True: "yes", False: "no", None: "undecided"}[self.holds]
        return f"{self.name}: {word}. {self.because}"


@dataclass(frozen=True)
class Universality(Verdict):
    """Whether a channel is best under every prior, for every loss or for one; and where it is, if not.

    `preference` is a prior and a loss for which another private channel is strictly better.

    For every loss, `pairs` tell for every two secrets whether it is best for the losses extended from
    them; `paths` are the longest paths on which it is geometric; `classes` are classes of losses with
    the reasons. For one loss, `because` says why, and `priors` counts the priors that were compared to
    decide it (0 where a theorem does).

    Examples
    --------
    >>> from dprivacy.design import universally_optimal
    >>> from dprivacy.mechanisms import randomised_response
    >>> found = universally_optimal(randomised_response(["yes", "no"], eps="ln 2"), eps="ln 2")
    >>> found.holds, [found.of(name).holds for name in ("all", "monotonic")]
    (True, [True, True])
    >>> response = randomised_response(range(3), eps="ln 2")
    >>> found = universally_optimal(response, eps="ln 2", loss="bayes")
    >>> found.holds, found.preference.here > found.preference.there
    (False, True)
    """

    pairs: tuple[PairVerdict, ...] = ()
    paths: tuple[GeometricPath, ...] = ()
    classes: tuple[LossClass, ...] = ()
    because: str = ""
    priors: int = 0
    preference: Preference | None = None

    def of(self, name: str) -> LossClass:
        """The answer for a class by its name, such as "monotonic"."""
        named = {found.name: found for found in self.classes}
        if name not in named:
            raise UnknownName.among("a class of losses", name, named)
        return named[name]

    def explain(self) -> str:
        """The verdict in words: the reason, class by class, and the consumer who dissents."""
        undecided = f"Undecided: it is not known whether {self.claim}."
        lines = [undecided if self.holds is None else super().explain()]
        if self.because:
            lines.append(self.because)
        if self.classes:
            lines += ["Losses for which it is best under every prior:"]
            lines += [f"  {found}" for found in self.classes]
        if self.preference is not None:
            lines += ["A case in which another channel is better:", self.preference.explain()]
        return "\n".join(lines)
