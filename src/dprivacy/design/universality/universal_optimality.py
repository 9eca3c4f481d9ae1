"""Is a mechanism universally optimal, and for which losses?"""

from collections.abc import Iterator
from itertools import combinations

from dprivacy.design.universality.candidate import Candidate
from dprivacy.design.universality.dissenting_consumer import who_bets, who_guesses
from dprivacy.design.universality.one_loss import optimal_for
from dprivacy.design.universality.pair_optimality import PairVerdict, examined
from dprivacy.design.universality.tight_paths import GeometricPath, found_paths
from dprivacy.design.universality.universality_verdict import LossClass, Universality
from dprivacy.model import shown
from dprivacy.sources import result
from dprivacy.typing import ChannelLike, LevelLike, LossLike, SpaceLike

_SHOWN = 6


@result("T", "Def 6.2.4", "Lem 6.2", "Lem 6.19", "Thm 6.6", "Thm 7.1", "Cor 6.32", "Thm 6.33")
def universally_optimal(
    C: ChannelLike,
    space: SpaceLike | None = None,
    *,
    eps: LevelLike,
    loss: LossLike | None = None,
) -> Universality:
    """Whether C is best among ε·d-private channels for every prior and every loss; if not, for which.

    That is, whether U_ℓ[π ▷ C] ≤ U_ℓ[π ▷ K] for every prior π, loss ℓ and ε·d-private channel K.

    Parameters
    ----------
    C
        An exact ε·d-private channel, or anything `as_channel` reads.
    space
        The metric on its inputs: at most 64 points, exact and finite distances. A mechanism's own
        when omitted.
    eps
        The level; e^(ε·d) must be rational.
    loss
        One exact loss ("metric", "bayes", a table; a gain stands for the loss behind it); every loss
        when omitted.

    Returns
    -------
    Universality
        With the answer for every pair of secrets, the paths on which C is geometric, the classes of
        losses for which it is best, and a consumer whom another kernel serves strictly better. For one
        loss: proved, or refuted with a prior and a better kernel, or undecided where the space is too
        large; with the reason.

    Raises
    ------
    NotPrivate
        C is not ε·d-private; the message names the inputs and the output that show it.

    Notes
    -----
    1. On two secrets the best response T is universally optimal (T Thm 6.14); on more, nothing is (Thm
       6.15), and a consumer who dissents is made.
    2. Every pair of secrets is decided (`best_on_pair`), and all geometric paths are looked for.
    3. A pair on which C is not best refutes every class that holds the losses extended from it, the
       monotonic ones among them, since a loss lifted from two secrets is monotonic (Property 12).
    4. On a line C is best for monotonic losses exactly when it is geometric (Thm 6.4, 7.1). On the
       discrete metric with three secrets or more nothing is (Thm 6.6, E20), nor for any loss that is
       non-trivial on every pair (Thm 6.33).

    What holds for two losses also holds for their multiples, for their sum over paired actions, and
    with a function of the secret added (Properties 4 to 8).

    Examples
    --------
    >>> from dprivacy.mechanisms import geometric
    >>> from dprivacy.spaces import line
    >>> found = universally_optimal(geometric(3, eps="ln 2"), line(3), eps="ln 2")
    >>> bool(found), bool(found.of("monotonic"))
    (False, True)
    >>> from dprivacy.flow import loss
    >>> H = [["2/3", "1/3"], ["1/3", "2/3"], ["2/3", "1/3"]]
    >>> middle = loss.matrix(["ends", "middle"], [0, 1, 2], [[0, 1, 0], [1, 0, 1]])
    >>> universally_optimal(H, line(3), eps="ln 2", loss=middle).status
    'proved'
    """
    candidate = Candidate.of(C, space, eps)
    if loss is not None:
        return optimal_for(candidate, loss)
    # Points at distance 0 have equal rows, and every loss sees them as one.
    pairs = tuple(
        examined(candidate, i, j, (candidate.cone.label(i), candidate.cone.label(j)))
        for i, j in combinations(range(candidate.cone.n), 2)
    )
    paths = tuple(found_paths(candidate))
    holds = candidate.cone.n <= 2 and all(pairs)
    classes = tuple(_classes(candidate, pairs, paths))
    worst = max(pairs, key=lambda verdict: verdict.gap, default=None)
    preference = None
    if not holds and worst is not None:
        preference = who_guesses(candidate, worst) if worst.gap else who_bets(candidate)
    return Universality(
        "the channel is universally optimal: no private channel is better for any prior and loss",
        holds,
        True,
        denial="the channel is not universally optimal: for some prior and loss another is better",
        pairs=pairs,
        paths=paths,
        classes=classes,
        preference=preference,
    )


def _classes(
    candidate: Candidate, pairs: tuple[PairVerdict, ...], paths: tuple[GeometricPath, ...]
) -> Iterator[LossClass]:
    n = candidate.cone.n
    below = [verdict for verdict in pairs if not verdict]
    yield _everything(n, below)
    yield LossClass("trivial", True, "For them all channels are equally good.", ("T Lem 6.19",))
    yield _extended(pairs, below)
    yield _monotonic(candidate, below, paths)
    if paths:
        words = f"The channel is geometric on {_some(list(map(str, paths)))}."
        keys = ("T Thm 6.4", "T Lem 6.21", "E21")
        yield LossClass("ordered along such a path", True, words, keys)
    yield _non_trivial(candidate, below)


def _everything(n: int, below: list[PairVerdict]) -> LossClass:
    if n == 1:
        return LossClass(
            "all", True, "No two secrets may be told apart, so no private channel says anything."
        )
    if n == 2:
        words = f"It is {'not ' if below else ''}T, the one kernel on two secrets."
        return LossClass("all", not below, words, ("T Thm 6.14",))
    words = "With three secrets or more there are several kernels, and none refines another."
    return LossClass("all", False, words, ("T Thm 6.15",))


def _extended(pairs: tuple[PairVerdict, ...], below: list[PairVerdict]) -> LossClass:
    name = "extended from two secrets"
    best = [verdict for verdict in pairs if verdict]
    keys: tuple[str, ...] = ("T Lem 6.20",) if any(verdict.kind == "T" for verdict in best) else ()
    if any(verdict.kind == "frontier" for verdict in best):
        keys += ("T Remark 6.5.2", "E8")
    if not below:
        return LossClass(name, True, "Nothing is better on any pair.", keys)
    if not best:
        return LossClass(name, False, "Something is better on every pair.")
    words = f"Only for those from {_listed(best)}; something is better on {_listed(below)}."
    return LossClass(name, False, words, keys)


def _monotonic(
    candidate: Candidate, below: list[PairVerdict], paths: tuple[GeometricPath, ...]
) -> LossClass:
    name, n = "monotonic", candidate.cone.n
    if n > 2 and _is_discrete(candidate):
        words = "On the discrete metric with three secrets or more, no private channel is."
        return LossClass(name, False, words, ("T Thm 6.6", "E20"))
    if below:
        words = f"Something is better for guessing between the secrets of {_listed(below)}."
        keys = ("T Thm 7.1", "T Property 12") if _is_line(candidate) else ("T Property 12",)
        return LossClass(name, False, words, keys)
    if n <= 2:
        return LossClass(name, True, "It is best for all losses.", ("T Thm 6.14",))
    whole = next((path for path in paths if len(path) == n), None)
    if whole is not None:
        words = "The space is a line, and on it the channel is the geometric mechanism."
        if not whole.even:
            words += " (Its steps are uneven.)"
        return LossClass(name, True, words, ("T Thm 6.4",))
    words = "No pair of secrets disproves it, and no theorem covers this space."
    return LossClass(name, None, words)


def _non_trivial(candidate: Candidate, below: list[PairVerdict]) -> LossClass:
    name, n = "non-trivial on every two secrets", candidate.cone.n
    if n <= 2:
        words = "On two secrets these are all losses that are not trivial."
        return LossClass(name, not below, words, ("T Thm 6.14",))
    if _is_discrete(candidate):
        words = (
            "No private channel is best for any of them, because none restricts to T on every pair. "
            "Bayes risk and all strictly monotonic losses are among them."
        )
        return LossClass(name, False, words, ("T Thm 6.33", "T Cor 6.34", "T Cor 6.36"))
    missed = [verdict for verdict in below if verdict.reachable]
    if missed:
        words = f"For none of them: on {_listed(missed)} it is not T, and another channel is."
        return LossClass(name, False, words, ("T Cor 6.32",))
    words = (
        "Not for all of them: with a little of such a loss added to that of the case below, the other "
        "channel is still better. For a single loss, pass loss=…."
    )
    return LossClass(name, False, words, ("T Thm 6.15", "T Property 7"))


def _listed(verdicts: list[PairVerdict]) -> str:
    return _some([f"{{{shown(v.pair[0])}, {shown(v.pair[1])}}}" for v in verdicts])


def _some(names: list[str]) -> str:
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _is_discrete(candidate: Candidate) -> bool:
    n = candidate.cone.n
    return len({candidate.factors[i][j] for i in range(n) for j in range(n) if i != j}) == 1


def _is_line(candidate: Candidate) -> bool:
    factors, n = candidate.factors, candidate.cone.n
    end = max(range(n), key=lambda j: factors[0][j])
    order = sorted(range(n), key=lambda j: factors[end][j])
    return all(
        factors[end][i] * factors[i][j] == factors[end][j] for i, j in combinations(order, 2)
    )
