"""How often one answer of a person is guessed by those who know how answers go together."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dprivacy.errors import NotApplicable, TooLarge, UnknownName, WrongShape
from dprivacy.model import Answer, Channel, Dist, about, as_channel, as_prior, counted
from dprivacy.typing import ChannelLike, Label, Number, NumberLike

_MOST = 1_000_000  # records times released rows


@dataclass(frozen=True)
class RowGuesses(Answer):
    """How often the best guess of one answer is right, by what the guesser has.

    Attributes
    ----------
    blind
        Nothing but the population.
    own
        The released cell of this answer.
    reading
        All released cells of the row.
    knowing
        The person's other answers, truly, and no release.
    both
        The person's other answers, truly, and the released cell of this one.

    Examples
    --------
    >>> coin = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> alike = {(0, 0): "1/2", (1, 1): "1/2"}
    >>> found = row_guesses(alike, [coin, coin], secret=0)
    >>> str(found.blind), str(found.own), str(found.reading), str(found.knowing)
    ('1/2', '3/4', '3/4', '1')
    """

    blind: Number
    own: Number
    reading: Number
    knowing: Number
    both: Number
    exact: bool

    def explain(self) -> str:
        """The five numbers in words."""
        return (
            f"The best guess is right with probability {about(self.blind)} from the population alone, "
            f"{about(self.own)} with the released answer, {about(self.reading)} with the whole "
            f"released row; {about(self.knowing)} knowing the other answers truly, and "
            f"{about(self.both)} with the released answer besides."
        )


def row_guesses(
    population: Dist | Mapping[tuple[Label, ...], NumberLike],
    channels: Sequence[ChannelLike | None],
    *,
    secret: int,
) -> RowGuesses:
    """How often one answer is guessed from a row whose answers were randomised independently.

    Parameters
    ----------
    population
        A distribution on tuples, an entry for each answer; or the mapping ``{tuple: probability}``.
    channels
        The channel of each answer, whose inputs are its values; None for one that is not released.
    secret
        Which answer is guessed, by position.

    Notes
    -----
    For every released row the guess is the value with the largest sum of P(record)·P(row | record);
    the probability of being right is the sum of these maxima over all rows.

    Examples
    --------
    >>> coin = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> apart = {(0, 0): "1/4", (0, 1): "1/4", (1, 0): "1/4", (1, 1): "1/4"}
    >>> print(row_guesses(apart, [coin, coin], secret=0).both)
    3/4
    """
    prior = as_prior(population)
    records = {key if isinstance(key, tuple) else (key,): p for key, p in prior.items()}
    read = [None if given is None else as_channel(given) for given in channels]
    if any(len(record) != len(read) for record in records):
        raise WrongShape(
            f"the population should be a distribution on tuples of {counted(len(read), 'value')}, one "
            "for each channel"
        )
    if not 0 <= secret < len(read) or read[secret] is None:
        raise NotApplicable(f"the answer {secret} has no channel, so nothing of it is released")
    for k, channel in enumerate(read):
        if channel is None:
            continue
        for record in records:
            if record[k] not in channel.rows:
                raise UnknownName(f"the channel of answer {k} has no input {record[k]!r}")
    rows = math.prod(len(channel.columns) for channel in read if channel is not None)
    if rows * len(records) > _MOST:
        raise TooLarge(
            f"{len(records):,} records and {rows:,} released rows are too many to weigh them all; give "
            "None for some of the channels"
        )
    own = [channel if k == secret else None for k, channel in enumerate(read)]
    nothing: list[Channel | None] = [None] * len(read)
    exact = prior.exact and all(channel is None or channel.exact for channel in read)
    return RowGuesses(
        _right(records, nothing, secret, known=False),
        _right(records, own, secret, known=False),
        _right(records, read, secret, known=False),
        _right(records, nothing, secret, known=True),
        _right(records, own, secret, known=True),
        exact,
    )


def _right(
    records: dict[tuple[Label, ...], Number],
    channels: Sequence[Channel | None],
    secret: int,
    *,
    known: bool,
) -> Number:
    """The probability of a right guess: for all that is seen, the largest weight of a value."""
    weights: dict[tuple[Label, ...], dict[Label, Number]] = {}
    for record, chance in records.items():
        others = (*record[:secret], *record[secret + 1 :]) if known else ()
        seen: dict[tuple[Label, ...], Number] = {others: chance}
        for value, channel in zip(record, channels, strict=True):
            if channel is not None:
                row = [(y, p) for y, p in channel.row(value).items() if p]
                seen = {(*key, y): weight * p for key, weight in seen.items() for y, p in row}
        for key, weight in seen.items():
            by = weights.setdefault(key, {})
            by[record[secret]] = by.get(record[secret], 0) + weight
    return sum(max(by.values()) for by in weights.values())
