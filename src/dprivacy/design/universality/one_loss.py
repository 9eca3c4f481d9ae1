"""Universal optimality for one loss: is the mechanism best for it under every prior?"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

from dprivacy.design.universality.candidate import Candidate
from dprivacy.design.universality.consumer_preference import Preference, chosen, consumer, listed
from dprivacy.design.universality.ordered_losses import is_ordered
from dprivacy.design.universality.pair_optimality import examined
from dprivacy.design.universality.tight_paths import found_paths
from dprivacy.design.universality.universality_verdict import Universality
from dprivacy.flow import Loss, is_trivial, posterior_uncertainty
from dprivacy.model import Dist, about, uniform
from dprivacy.numbers import Mat, null_space
from dprivacy.polytope import Column, primitive
from dprivacy.sources import result
from dprivacy.typing import LossLike

_MOST_SYSTEMS = 50_000
_MOST_PRIORS = 5_000


@result("T", "Def 6.2.5", "Thm 6.4", "§6.7.3", "Cor 6.34")
def optimal_for(candidate: Candidate, loss: LossLike) -> Universality:
    """Whether U_ℓ[π ▷ C] ≤ U_ℓ[π ▷ K] for every prior π and every ε·d-private K, for one loss ℓ.

    Notes
    -----
    1. A theorem may settle it: a trivial loss; a loss that depends on the action for two secrets only,
       on which C is best; an ordered loss (`is_ordered`) on a path on which C is geometric.
    2. Otherwise think of what a consumer may lose, secret by secret, as a vector. The vectors that C
       makes possible, and all larger ones, form a polyhedron. C is best under every prior exactly when
       no private channel leaves it, and that needs to be checked only for the normals of its facets.
    3. A normal is a prior at which the consumer is undecided in n − 1 independent ways: ties between
       two actions on an output, or secrets of chance 0. All such priors are listed, those on few
       secrets first, and the optimum for each is found exactly (`best_kernel`).
    """
    _, table = consumer(candidate.space, None, loss)
    reason = _theorem(candidate, table)
    return _verdict(holds=True, because=reason) if reason else _compared(candidate, table)


def _verdict(*, holds: bool | None, because: str, **found: Any) -> Universality:
    claim = "no private channel is better for this loss under any prior"
    denial = "another private channel is better for this loss under some prior"
    return Universality(claim, holds, True, denial=denial, because=because, **found)


def _theorem(candidate: Candidate, loss: Loss) -> str:
    """A statement of the source that settles it, in words; empty when there is none."""
    trivial = is_trivial(loss)
    if trivial:
        return f"One action is best whatever the secret. {trivial.because}"
    if candidate.cone.n == 1:
        return "No two secrets may be told apart, so no private channel says anything."
    entries = loss.matrix.entries
    asked = [k for k in range(len(loss.secrets)) if (entries[:, k] != entries[0, k]).any()]
    if len(asked) == 2:
        x, z = (loss.secrets[k] for k in asked)
        verdict = examined(candidate, candidate.position(x), candidate.position(z), (x, z))
        if verdict:
            return f"The action matters for two secrets only. {verdict.because}"
    for path in found_paths(candidate):
        inside = set(path.points)
        if all(loss.secrets[k] in inside for k in asked) and is_ordered(loss, path.points):
            return (
                f"On the path {path} the channel is the geometric mechanism, and the loss is ordered "
                "along it."
            )
    return ""


def _compared(candidate: Candidate, loss: Loss) -> Universality:
    cone = candidate.cone
    columns = listed(cone)
    if columns is None:
        return _verdict(holds=None, because="The space has too many vertices to compare.")
    seen = 0
    for prior in _priors(candidate, loss):
        if prior is None or seen >= _MOST_PRIORS:
            words = f"None of the {seen} priors compared decides it, and there are many more."
            return _verdict(holds=None, because=words, priors=seen)
        seen += 1
        here = Fraction(posterior_uncertainty(candidate.channel, prior=prior, loss=loss))
        best = chosen(cone, columns, prior, loss)
        assert best is not None
        if best.loss < here:
            found = Preference(prior, loss, best.channel, here, best.loss)
            words = f"For one prior its loss is {about(here)}, and {about(best.loss)} is possible."
            return _verdict(holds=False, because=words, preference=found, priors=seen)
    words = (
        f"Its loss is the smallest possible under each of the {seen} priors that could decide it: "
        "those at which a consumer is undecided in as many ways as there can be."
    )
    return _verdict(holds=True, because=words, priors=seen)


def _priors(candidate: Candidate, loss: Loss) -> Iterator[Dist | None]:
    """The uniform prior, then the normals of the facets (and more); None when there are too many."""
    labels = candidate.space.labels
    yield uniform(labels)
    left = _MOST_SYSTEMS
    ties = _ties(candidate, loss)
    # A prior on one secret tells nothing: every channel then has the loss of the best action.
    for size in range(2, len(labels) + 1):
        for held in combinations(range(len(labels)), size):
            seen: set[Column] = set()
            for system in combinations(_restricted(ties, held), size - 1):
                left -= 1
                if left < 0:
                    yield None
                    return
                ray = _positive_solution(system)
                if ray is not None and ray not in seen:
                    seen.add(ray)
                    chances = dict(zip(held, ray, strict=True))
                    weights = [chances.get(i, 0) for i in range(len(labels))]
                    yield Dist(labels, Mat.over(sum(ray), [weights]))


def _positive_solution(system: tuple[Column, ...]) -> Column | None:
    """The one direction that solves a system, if there is only one and it is positive."""
    basis = null_space(Mat.over(1, system))
    if basis.shape[0] != 1:
        return None
    ray = primitive(basis.entries[0].tolist())
    if max(ray) < 0:
        ray = tuple(-v for v in ray)
    return ray if min(ray) > 0 else None


def _restricted(ties: list[Column], held: tuple[int, ...]) -> list[Column]:
    """The ties that are left on some secrets, each once."""
    found = set()
    for tie in ties:
        part = [tie[i] for i in held]
        if min(part) < 0 < max(part):
            normal = primitive(part)
            lead = next(v for v in normal if v)
            found.add(normal if lead > 0 else tuple(-v for v in normal))
    return sorted(found)


def _ties(candidate: Candidate, loss: Loss) -> list[Column]:
    """The hyperplanes of priors with a tie between two actions on some output."""
    costs = loss.matrix.entries
    found = set()
    for column in candidate.columns:
        spread = candidate.cone.spread(column)
        for w, v in combinations(range(len(costs)), 2):
            found.add(tuple(int(c * d) for c, d in zip(spread, costs[w] - costs[v], strict=True)))
    return sorted(found)
