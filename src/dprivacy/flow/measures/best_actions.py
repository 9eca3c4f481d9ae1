"""What the adversary does: the best action on every output, in the person's labels."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dprivacy.flow.gains.gain_input import as_gain
from dprivacy.flow.gains.loss_table import Loss, aligned, expected, joint_matrix
from dprivacy.flow.measures.leaks import _quotient
from dprivacy.flow.measures.vulnerabilities import best_of, outers
from dprivacy.model import Answer, Channel, Pictured, about, plain, prior_for, shown
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, GainLike, Label, LossLike, Number, PriorLike

_LISTED = 40


@dataclass(frozen=True)
class Move:
    """What to do on one output: how likely it is, the action, and what the action is then worth.

    Examples
    --------
    >>> print(strategy([["3/4", "1/4"], ["1/4", "3/4"]]).moves[0].worth)
    3/4
    >>> strategy([["3/4", "1/4"], ["1/4", "3/4"]]).moves[0].to_dict()
    {'output': 0, 'chance': '1/2', 'action': 0, 'worth': '3/4'}
    """

    output: Label
    chance: Number
    action: Label
    worth: Number

    def to_dict(self) -> dict[str, Any]:
        """The move as plain data."""
        return {name: plain(value) for name, value in vars(self).items()}


@dataclass(frozen=True)
class Strategy(Pictured, Answer):
    """The best an adversary can do, with and without the output.

    Attributes
    ----------
    first
        The best action without an output.
    before, after
        What it is worth (or costs) without the output, and on average with it.
    moves
        For every possible output, the best action. Of equally good actions the first is taken.
    loss
        Whether the numbers are costs.
    exact
        Whether they are exact.

    Examples
    --------
    >>> found = strategy([["3/4", "1/4"], ["1/4", "3/4"]])
    >>> print(found)
    Without the output the best action is 0; it is worth 1/2.
    With the output the best actions are worth 3/4 on average, a factor of 3/2.
      0 (probability 1/2): 0, which is then worth 3/4
      1 (probability 1/2): 1, which is then worth 3/4
    >>> print(found.multiplicative, found.additive)
    3/2 1/4
    >>> found.channel()
    Channel(2×2, exact)
       0  1
    0  1  0
    1  0  1
    """

    first: Label
    before: Number
    after: Number
    moves: tuple[Move, ...]
    loss: bool
    exact: bool

    def __getitem__(self, output: Label) -> Label:
        """The action on an output."""
        return {move.output: move.action for move in self.moves}[output]

    @property
    def multiplicative(self) -> Any:
        """The multiplicative leakage."""
        more, less = (self.before, self.after) if self.loss else (self.after, self.before)
        return _quotient(more, less)

    @property
    def additive(self) -> Any:
        """The additive leakage."""
        return self.before - self.after if self.loss else self.after - self.before

    def channel(self) -> Channel:
        """The remap: a channel that turns every output into the action taken on it."""
        actions = list(dict.fromkeys(move.action for move in self.moves))
        table = [[int(move.action == w) for w in actions] for move in self.moves]
        return Channel([move.output for move in self.moves], actions, table)

    def explain(self) -> str:
        """The strategy in words."""
        verb = "costs" if self.loss else "is worth"
        lines = [
            f"Without the output the best action is {shown(self.first)}; it {verb} "
            f"{about(self.before)}.",
            f"With the output the best actions {'cost' if self.loss else 'are worth'} "
            f"{about(self.after)} on average, a factor of {about(self.multiplicative)}.",
        ]
        lines += [
            f"  {shown(m.output)} (probability {about(m.chance)}): {shown(m.action)}, "
            f"which {'then costs' if self.loss else 'is then worth'} {about(m.worth)}"
            for m in self.moves[:_LISTED]
        ]
        if len(self.moves) > _LISTED:
            lines.append(f"  and {len(self.moves) - _LISTED} more outputs")
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The strategy as plain data."""
        names = "first before after multiplicative additive moves loss exact"
        return self._told(*names.split())


@result("T", "Thm 2.1")
def strategy(
    C: ChannelLike, *, prior: PriorLike = None, gain: GainLike | LossLike = "bayes"
) -> Strategy:
    """The action that is best on each output, and what that makes of the secret.

    Parameters
    ----------
    C, prior, gain
        As in `leakage`, but for functions of a distribution, which have no actions.

    Examples
    --------
    >>> from dprivacy.flow import gain
    >>> from dprivacy.model import Dist
    >>> test = {"ill": {"+": "9/10", "-": "1/10"}, "well": {"+": "1/10", "-": "9/10"}}
    >>> rare = Dist(["ill", "well"], ["1/100", "99/100"])
    >>> found = strategy(test, prior=rare, gain=gain.identity(["ill", "well"]))
    >>> print(found["+"], found.multiplicative)
    well 1
    """
    channel, joint = joint_matrix(C, prior)
    belief = prior_for(channel, prior)
    gain = as_gain(gain, channel.rows, C)
    less = isinstance(gain, Loss)
    first, at = best_of(
        expected(aligned(gain, belief.labels), belief.matrix.transposed), least=less
    )
    values, chosen = best_of(expected(aligned(gain, channel.rows), joint), least=less)
    exact = joint.exact and gain.exact
    zero: Number = Fraction(0) if exact else 0.0
    moves = tuple(
        Move(y, chance, gain.actions[w], value / chance)
        for y, chance, w, value in zip(channel.columns, outers(joint), chosen, values, strict=True)
        if chance
    )
    return Strategy(gain.actions[at[0]], first[0], sum(values, zero), moves, less, exact)
