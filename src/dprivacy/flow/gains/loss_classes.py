"""Classes of losses: trivial, extended, non-trivial on every pair; with what shows it."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from dprivacy.errors import WrongKind
from dprivacy.flow.gains.gain_algebra import restrict
from dprivacy.flow.gains.loss_table import Loss
from dprivacy.model import Gain, Verdict, shown
from dprivacy.sources import result
from dprivacy.spaces import read_labels
from dprivacy.typing import Label

# Gains are judged by their mirror image: "at most" for a loss is "at least" for a gain.


@dataclass(frozen=True)
class LossVerdict(Verdict):
    """Whether a loss belongs to a class, with the action, the pair or the secret that shows it.

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> print(is_trivial(loss.identity(["a", "b"])))
    No: no single action is best for every secret (disproved exactly).
    No action is best for both a and b.
    """

    action: Any = None
    pair: tuple[Any, Any] | None = None
    secret: Any = None
    because: str = ""

    def explain(self) -> str:
        """The verdict in words, with what shows it."""
        return f"{super().explain()}\n{self.because}" if self.because else super().explain()


def costs(gain: Gain) -> Any:
    """The entries as costs: those of a loss, the opposite of a gain's."""
    if not isinstance(gain, Gain):
        raise WrongKind(f"a loss is needed, such as loss.metric(space), not {type(gain).__name__}")
    return gain.matrix.entries if isinstance(gain, Loss) else -gain.matrix.entries


def _best_everywhere(gain: Gain) -> Any:
    """An action that is best whatever the secret, if there is one."""
    entries = costs(gain)
    best = (entries <= entries.min(axis=0)).all(axis=1)
    return (gain.actions[int(np.argmax(best))],) if best.any() else None


@result("T", "Def 6.5.1")
def is_trivial(loss: Gain) -> LossVerdict:
    """Whether one action is best whatever the secret, so that no channel is of any use.

    Parameters
    ----------
    loss
        A loss, or a gain (judged by its mirror image).

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> is_trivial(loss.matrix(["stay", "go"], ["rain", "sun"], [[1, 1], [2, 3]])).action
    'stay'
    """
    claim = "one action is best whatever the secret"
    denial = "no single action is best for every secret"
    found = _best_everywhere(loss)
    if found is not None:
        words = f"It is {shown(found[0])}."
        return LossVerdict(claim, True, loss.exact, action=found[0], because=words, denial=denial)
    pair, words = _two_secrets(loss)
    return LossVerdict(claim, False, loss.exact, pair=pair, because=words, denial=denial)


def _two_secrets(loss: Gain) -> tuple[tuple[Any, Any] | None, str]:
    """Two secrets without a common best action, if two suffice to show it."""
    entries = costs(loss)
    best = entries <= entries.min(axis=0)
    apart = ~((best[:, :, None] & best[:, None, :]).any(axis=0))
    if not apart.any():
        return None, "No action is best for all secrets, although any two have one in common."
    i, j = (int(at) for at in np.argwhere(apart)[0])
    pair = (loss.secrets[i], loss.secrets[j])
    return pair, f"No action is best for both {shown(pair[0])} and {shown(pair[1])}."


@result("T", "Thm 6.33")
def is_pairwise_non_trivial(loss: Gain) -> LossVerdict:
    """Whether the loss is non-trivial on every two secrets.

    On the discrete metric with three or more secrets no mechanism is universally optimal for such a
    loss.

    Parameters
    ----------
    loss
        As in `is_trivial`.

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> bool(is_pairwise_non_trivial(loss.identity(range(3))))
    True
    """
    claim = "no two secrets have a common best action"
    denial = "some two secrets have a common best action"
    for x, z in combinations(loss.secrets, 2):
        found = _best_everywhere(restrict(loss, [x, z]))
        if found is not None:
            w, pair = found[0], (x, z)
            words = f"For both {shown(x)} and {shown(z)}, {shown(w)} is best."
            return LossVerdict(
                claim, False, loss.exact, action=w, pair=pair, because=words, denial=denial
            )
    return LossVerdict(claim, True, loss.exact, denial=denial)


@result("T", "Def 6.5.3")
def is_extended(loss: Gain, secrets: Iterable[Label]) -> LossVerdict:
    """Whether the loss is 0 outside some secrets: (ℓ↓X)↑𝒳 = ℓ.

    Parameters
    ----------
    loss, secrets
        A loss or a gain, and the set X from which it might be extended.

    Examples
    --------
    >>> from dprivacy.flow import loss
    >>> bool(is_extended(loss.lift(loss.identity(["a", "b"]), ["a", "b", "c"]), ["a", "b"]))
    True
    """
    inside = read_labels(secrets, "secrets")
    kept = {loss.column_position(x) for x in inside}
    claim = f"the loss is 0 outside of {shown(tuple(inside))}"
    denial = f"the loss is not 0 outside of {shown(tuple(inside))}"
    entries = loss.matrix.entries
    for j, x in enumerate(loss.secrets):
        if j not in kept and (entries[:, j] != 0).any():
            w = loss.actions[int(np.argmax(entries[:, j] != 0))]
            words = f"Action {shown(w)} on {shown(x)} is not 0."
            return LossVerdict(
                claim, False, loss.exact, action=w, secret=x, because=words, denial=denial
            )
    return LossVerdict(claim, True, loss.exact, denial=denial)
