"""Is a mechanism the best for telling two secrets apart, whoever asks?"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any, Literal

from dprivacy.design.universality.candidate import Candidate
from dprivacy.design.universality.private_answers import Corner, height, offered
from dprivacy.errors import NotApplicable
from dprivacy.model import Verdict, about, shown
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, Label, LevelLike, SpaceLike

Kind = Literal["T", "frontier", "below"]


@dataclass(frozen=True)
class PairVerdict(Verdict):
    """Whether a channel is best for every prior and every loss extended from two secrets.

    `kind` is "T" when the channel restricted to `pair` is the best response on two secrets,
    "frontier" when it is not but offers all that any private channel on the whole space does, and
    "below" when some private channel offers more. `reachable` says whether some private channel on
    the whole space restricts to T. `frontier` and `offered` are the corners of what is possible and of
    what the channel offers: chances of saying "the second" on the first and on the second secret.

    For "below", someone who holds the pair with the chances `prior` and guesses which it is errs with
    chance `risk` here, and with chance `least` at best.

    Examples
    --------
    >>> from dprivacy.design import best_on_pair
    >>> from dprivacy.spaces import line
    >>> blurred = [["3/5", "2/5"], ["1/2", "1/2"], ["2/5", "3/5"]]
    >>> found = best_on_pair(blurred, 0, 2, line(3), eps="ln 2")
    >>> print(found.kind, found.risk, found.least)
    below 2/5 7/30
    >>> print(found.gap)
    1/6
    >>> print(found.because.split(",")[0])
    If the prior is 3/5 for 0 and 2/5 for 2
    """

    pair: tuple[Any, Any] = ()  # type: ignore[assignment]
    kind: Kind = "T"
    reachable: bool = True
    frontier: tuple[Corner, ...] = ()
    offered: tuple[Corner, ...] = ()
    prior: tuple[Fraction, Fraction] | None = None
    risk: Fraction | None = None
    least: Fraction | None = None

    @property
    def gap(self) -> Fraction:
        """How much less a better channel errs; 0 when there is none."""
        return Fraction(0) if self.risk is None or self.least is None else self.risk - self.least

    @property
    def because(self) -> str:
        """The reason in words."""
        if self.kind == "T":
            return "Restricted to the two secrets it is T, the best response."
        if self.kind == "frontier":
            return (
                "Restricted to the two secrets it is not T, the best response; no private channel is, "
                "because of the points between them, and it offers everything that is possible."
            )
        assert self.prior is not None
        x, z = map(shown, self.pair)
        p, q = map(about, self.prior)
        return (
            f"If the prior is {p} for {x} and {q} for {z}, a guess between them is wrong with "
            f"probability {about(self.risk)}, and with {about(self.least)} after another private "
            "channel."
        )

    def explain(self) -> str:
        """The verdict in words, with the reason."""
        return f"{super().explain()}\n{self.because}"

    def to_dict(self) -> dict[str, Any]:
        """The verdict as plain data."""
        return super().to_dict() | self._told("because", "gap")


@result("T", "Lem 6.20", "Cor 6.23", "Lem 6.24")
def best_on_pair(
    C: ChannelLike, x: Label, z: Label, space: SpaceLike | None = None, *, eps: LevelLike
) -> PairVerdict:
    """Whether C is best, among ε·d-private channels, for every loss extended from {x, z}.

    That is: for every prior, every loss ℓ that is 0 on all other secrets and every ε·d-private channel
    K on the whole space, U_ℓ[π ▷ C] ≤ U_ℓ[π ▷ K]. Decided either way.

    Parameters
    ----------
    x, z
        Two secrets.
    C, space, eps
        As for `universally_optimal`.

    Notes
    -----
    1. On two secrets, one channel is refined by another exactly when it offers all the pairs of
       chances that the other does. So C is best exactly when it offers the whole frontier.
    2. Every corner of the frontier (`Answers.frontier`) is compared with what C offers there.
    3. Where C stays below, the slope of what it offers is the prior of a consumer who gains.

    If no point lies between x and z the frontier is what T offers. If some do, no private channel
    restricts to T, and Cor 6.23 as printed fails (E8).

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.spaces import line
    >>> G = geometric(3, eps="ln 2")
    >>> best_on_pair(G, 0, 1, line(3), eps="ln 2").kind
    'T'
    >>> best_on_pair(G, 0, 2, line(3), eps="ln 2").kind
    'frontier'
    """
    candidate = Candidate.of(C, space, eps)
    i, j = candidate.position(x), candidate.position(z)
    if candidate.space.position(x) == candidate.space.position(z):
        raise NotApplicable(f"x and z should be two different secrets, not {x!r} twice")
    return examined(candidate, i, j, (x, z))


def examined(candidate: Candidate, i: int, j: int, pair: tuple[Any, Any]) -> PairVerdict:
    """The verdict on two classes (one class: at distance 0 nothing tells them apart)."""
    x, z = map(shown, pair)
    claim = (
        f"no private channel is better for telling {x} and {z} apart, whatever the prior and loss"
    )
    denial = f"another private channel is better for telling {x} and {z} apart"
    verdict = partial(PairVerdict, claim, denial=denial, exact=True, pair=pair)
    if i == j:
        return verdict(holds=True)
    first, second = candidate.rows[i], candidate.rows[j]
    frontier = tuple(candidate.answers.frontier(i, j))
    here = tuple(offered(first, second))
    reachable = len(frontier) == 3
    if all(height(here, q) == top for q, top in frontier):
        kind: Kind = "T" if reachable else "frontier"
        return verdict(holds=True, kind=kind, reachable=reachable, frontier=frontier, offered=here)
    prior, risk, least = _gain(here, frontier)
    return verdict(
        holds=False,
        kind="below",
        reachable=reachable,
        frontier=frontier,
        offered=here,
        prior=prior,
        risk=risk,
        least=least,
    )


def _gain(
    here: tuple[Corner, ...], frontier: tuple[Corner, ...]
) -> tuple[tuple[Fraction, Fraction], Fraction, Fraction]:
    """The prior under which guessing gains most, and the chances of error here and at best."""
    found = []
    for (a, b), (c, d) in pairwise(here):
        slope = (d - b) / (c - a)
        weight = slope / (1 + slope), 1 / (1 + slope)
        risks = [
            min(weight[0] * q + weight[1] * (1 - top) for q, top in corners)
            for corners in (here, frontier)
        ]
        found.append((risks[0] - risks[1], weight, risks))
    _, prior, (risk, least) = max(found, key=lambda item: item[0])
    return prior, risk, least
