"""What an attack on a release finds: how often a guess is right, and where that can be told at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from dprivacy.model import Answer, plain, shown
from dprivacy.release.figures.answer_guesses import guess_limit
from dprivacy.release.figures.plain_numbers import hundredths
from dprivacy.release.receiving.own_statistics import OwnStatistics
from dprivacy.typing import Number

_SHOWN = 5
_BEFORE = ("0.5", "0.75", "0.95")


@dataclass(frozen=True)
class Group:
    """People who agree in what the attacker knows: their share, the best guess, and its success."""

    known: dict[str, Any]
    share: float
    guess: Any
    before: float
    after: float

    def to_dict(self) -> dict[str, Any]:
        """The group as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


@dataclass(frozen=True)
class Attack(Answer):
    """How often the best guess of a secret is right, at each step of what the attacker has.

    Attributes
    ----------
    secret, known, seen
        The column that is guessed, those whose true values the attacker knows, and those whose released
        values are read in the person's row.
    blind
        With the statistics alone: the commonest value.
    before
        With the statistics and the known values.
    after
        With the person's released row besides.
    surest
        The chance of being right in the worst row: the combination of known and released values that
        gives most away. `surest_share` is how many people have such a row.
    bound
        No attacker, whatever they believe beforehand, has their chance multiplied by more.
    error
        The standard error of `after` for this way of guessing; None when it is not known.
    groups
        By known values, the most exposed first.
    factor
        The most that what is read in the row changes odds by; ``inf`` without limit.
    own
        Whether the statistics that the release lets one estimate can be trusted; None where a
        population was given.

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import attack, sanitise
    >>> plan = {"columns": {"tea": {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}}}
    >>> people = pandas.DataFrame({"tea": ["yes", "no", "no"] * 99})
    >>> found = attack(sanitise(people, plan), secret="tea")
    >>> found.bound, found.blind <= found.after <= found.bound * found.blind
    (1.5, True)
    >>> found.lift == found.after / found.blind
    True
    """

    secret: str
    known: tuple[str, ...]
    seen: tuple[str, ...]
    people: float
    blind: float
    before: float
    after: float
    surest: float
    surest_share: float
    bound: float
    error: float | None
    groups: tuple[Group, ...]
    assumptions: tuple[str, ...]
    factor: Number
    own: OwnStatistics | None
    exact: bool = False

    @property
    def lift(self) -> float:
        """How much the row multiplies the chance of a right guess."""
        return self.after / self.before

    def explain(self) -> str:
        """The attack in words, for people who decide about a release."""
        if self.own is not None and not self.own.trusted:
            lines = [self.own.explain(), *self._limits()]
        else:
            lines = [*self._rates(), *self._limits()]
        lines.append("This rests on:")
        lines += [f"  - {line}" for line in self.assumptions]
        return "\n".join(lines)

    def _limits(self) -> list[str]:
        """What holds for every attacker, without any statistics."""
        if self.factor == float("inf"):
            return []
        first, *rest = (
            (hundredths(float(before)), hundredths(guess_limit(before, self.factor)))
            for before in _BEFORE
        )
        others = ", ".join(f"{before} become {after}" for before, after in rest)
        return [
            f"Whatever else an attacker knows: {first[0]} right guesses in 100 without the row become "
            f"{first[1]} with it at most; {others}."
        ]

    def _rates(self) -> list[str]:
        """The rates, step by step."""
        about = "" if self.error is None else f" (± {_points(self.error)}, noise and sampling)"
        lines = [f"Probability of guessing a person's {self.secret}:"]
        lines.append(f"  {_percent(self.blind)}  from the published statistics alone")
        if self.known:
            who = both_of(self.known)
            lines.append(f"  {_percent(self.before)}  knowing the person's true {who} as well")
        lines.append(
            f"  {_percent(self.after)}  seeing the person's row of this release too{about}"
        )
        lines.append(f"  {_percent(1.0)}  if {self.secret} were released as it is")
        lines.append(
            f"The row multiplies the probability of a correct guess by {self.lift:.3g}; for every "
            f"attacker, by at most {self.bound:.3g}."
        )
        lines.append(
            f"For the {_percent(self.surest_share).strip()} of people with the most revealing rows, "
            f"the guess is correct {_percent(self.surest).strip()} of the time."
        )
        if self.known and len(self.groups) > 1:
            lines.append("Most exposed:")
            for group in self.groups[:_SHOWN]:
                who = ", ".join(f"{name} = {shown(value)}" for name, value in group.known.items())
                lines.append(
                    f"  {who} ({_percent(group.share).strip()} of the people): "
                    f"{_percent(group.before).strip()} before, {_percent(group.after).strip()} after"
                )
        return lines

    def to_dict(self) -> dict[str, Any]:
        """The attack as plain data."""
        own = None if self.own is None else self.own.to_dict()
        return {**super().to_dict(), "lift": self.lift, "own": own}


def _percent(share: float) -> str:
    return f"{100 * share:5.1f} %"


def _points(share: float) -> str:
    return f"{100 * share:.1f} points"


def both_of(names: Sequence[str]) -> str:
    """Names with commas, and "and" before the last."""
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) if names else ""
