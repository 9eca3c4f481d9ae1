"""What an audit found, in numbers and in words."""

from dataclasses import dataclass
from typing import ClassVar

from dprivacy.model import Answer, about, shown
from dprivacy.numbers import as_eps
from dprivacy.spaces import Distance
from dprivacy.typing import Label, LevelLike


@dataclass(frozen=True)
class AuditResult(Answer):
    """What samples prove about a black box.

    At the stated confidence it is not (ε·d, δ)-private for any ε below `eps_lower`. The event was
    seen `hits_x` times in `trials_x` outputs on input x, and `hits_z` times in `trials_z` on z;
    `p_low` and `q_high` bound its two probabilities. `repeats` says that two runs of the box gave the
    same outputs (None where that was not tried).

    Examples
    --------
    >>> from dprivacy.verify import audit
    >>> found = audit(lambda value, n: [value] * n, ["yes", "no"], samples=2000)
    >>> print(found.event, found.hits_x, found.hits_z)
    the output is yes 1000 0
    >>> found.refutes("ln 100")
    True
    """

    eps_lower: float
    confidence: float
    delta: float
    x: Label
    z: Label
    distance: Distance
    event: str
    hits_x: int
    trials_x: int
    hits_z: int
    trials_z: int
    p_low: float
    q_high: float
    bounds_used: int
    repeats: bool | None = None
    exact: ClassVar = False  # samples never prove anything exactly

    def refutes(self, eps: LevelLike) -> bool:
        """Whether a claim of ε is refuted, at the stated confidence."""
        return as_eps(eps, zero=True) < self.eps_lower

    def explain(self) -> str:
        """The result in words, and what it does not say."""
        sure = f"With confidence {100 * self.confidence:.6g} %"
        slack = f" with δ = {about(self.delta)}" if self.delta else ""
        per = " per unit of distance" if self.distance != 1 else ""
        lines = []
        if self.eps_lower > 0:
            lines.append(
                f"{sure} the black box is not private{slack} for any ε below {self.eps_lower:.6g}{per}."
            )
        else:
            lines.append("Nothing was found that refutes even ε = 0.")
        lines.append(
            f"Evidence: {self.event} in {self.hits_x:,} of {self.trials_x:,} outputs for "
            f"{shown(self.x)} and in {self.hits_z:,} of {self.trials_z:,} for {shown(self.z)}."
        )
        if self.repeats:
            lines.append(
                "Two runs gave the same outputs: whoever can run the box again knows its noise, and "
                "then it hides nothing."
            )
        lines.append(
            "This is a lower bound. A small one proves nothing: other inputs, other events or more "
            "samples may show more. Only a proof, such as `privacy` on the channel, bounds ε from "
            "above."
        )
        return "\n".join(lines)
