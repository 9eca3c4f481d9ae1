"""A consumer whom a mechanism does not serve best: always to be found on three or more secrets."""

from fractions import Fraction
from itertools import combinations, islice

from dprivacy.design.universality.candidate import Candidate
from dprivacy.design.universality.consumer_preference import Preference, preferred
from dprivacy.design.universality.pair_optimality import PairVerdict
from dprivacy.errors import TooLarge, Uncertified
from dprivacy.flow import Loss, mirror
from dprivacy.model import Channel, Dist, uniform
from dprivacy.numbers import Mat, feasible
from dprivacy.polytope import Column, Cone, decompose, primitive, rays
from dprivacy.refine import refines

_MOST_TRIPLES = 500


def who_guesses(candidate: Candidate, verdict: PairVerdict) -> Preference | None:
    """The consumer who asks which of two secrets it is, where something tells them better apart."""
    assert verdict.prior is not None
    cone, labels = candidate.cone, candidate.space.labels
    chances = dict(zip(verdict.pair, verdict.prior, strict=True))
    prior = Dist(labels, [chances.get(x, Fraction(0)) for x in labels])
    table = [[int(x in chances and x != w) for x in labels] for w in verdict.pair]
    loss = Loss(verdict.pair, labels, Mat.over(1, table))
    # The corner of the frontier that this prior makes best, as an answer of two outputs.
    q, _ = min(
        verdict.frontier,
        key=lambda c: chances[verdict.pair[0]] * c[0] - chances[verdict.pair[1]] * c[1],
    )
    yes = [v for v, _ in candidate.answers.greatest(candidate.position(verdict.pair[0]), q)]
    return preferred(candidate.channel, cone, prior, loss, _two_outputs(cone, yes))


def who_bets(candidate: Candidate) -> Preference | None:
    """The consumer who bets on a vertex, among three secrets, that the channel does not have.

    Notes
    -----
    1. Restrict to three secrets. A vertex v of the private columns there that is not a column of C lies
       outside the cone of C's columns, since it is extreme. A hyperplane y separates them: y·c ≤ 0 for
       every column c and y·v > 0.
    2. Betting pays y(x), passing pays nothing. C gives no reason to bet; a private channel with v
       among its columns does, and v extends to a private column on all secrets.
    3. If C has every vertex on any three secrets, it is a sum of several kernels. It is refined by
       none of them, and the gain that shows it is such a consumer.
    """
    for chosen in islice(combinations(range(candidate.cone.n), 3), _MOST_TRIPLES):
        labels = candidate.labels(chosen)
        part = Cone.of(candidate.space.restrict(labels), candidate.cone.eps)
        columns = {primitive([c[i] for i in chosen]) for c in candidate.columns}
        bets = [_bet(candidate, chosen, columns, v) for v in rays(part) if v not in columns]
        found = [bet for bet in bets if bet is not None]
        if found:
            return max(found, key=lambda bet: bet.here - bet.there)
    try:
        return _against_kernels(candidate)
    except (TooLarge, Uncertified):
        return None


def _bet(
    candidate: Candidate, chosen: tuple[int, ...], columns: set[Column], vertex: Column
) -> Preference | None:
    cone, labels = candidate.cone, candidate.space.labels
    table = Mat.over(1, [list(row) for row in zip(*sorted(columns), strict=True)])
    outcome = feasible(table, [Fraction(v) for v in vertex])
    if outcome.status != "infeasible":
        return None
    top = max(abs(y) for y in outcome.y)
    pays = {cone.label(i): y / top for i, y in zip(chosen, outcome.y, strict=True)}
    prior = Dist(labels, [Fraction(int(x in pays), len(pays)) for x in labels])
    nothing = Fraction(0)
    costs = [[max(sign * pays.get(x, nothing), nothing) for x in labels] for sign in (-1, 1)]
    loss = Loss(["bet", "pass"], labels, Mat.of(costs))
    return preferred(candidate.channel, cone, prior, loss, _with_column(candidate, chosen, vertex))


def _with_column(candidate: Candidate, chosen: tuple[int, ...], vertex: Column) -> Channel:
    """A private channel of two outputs, the first with the given quotients on the chosen secrets."""
    cone, factors = candidate.cone, candidate.factors
    # The smallest private column that extends the vertex leaves the most room for the other output.
    column = [
        max(v / factors[i][k] for i, v in zip(chosen, vertex, strict=True)) for k in range(cone.n)
    ]
    scale = min(
        (a - 1) / (a * column[i] - column[j])
        for k, m, p, q in cone.rational
        for i, j, a in ((k, m, Fraction(p, q)), (m, k, Fraction(p, q)))
        if a * column[i] > column[j]
    )
    return _two_outputs(cone, [scale * v for v in column])


def _against_kernels(candidate: Candidate) -> Preference | None:
    cone = candidate.cone
    for kernel in decompose(candidate.channel, cone.space, eps=cone.eps).kernels:
        shown = refines(candidate.channel, kernel)
        if shown.gain is not None:
            loss = mirror(shown.gain)
            assert isinstance(loss, Loss)
            return preferred(candidate.channel, cone, uniform(cone.space), loss, kernel)
    return None


def _two_outputs(cone: Cone, yes: list[Fraction]) -> Channel:
    rows = [[v, 1 - v] for v in cone.spread(yes)]
    return Channel(cone.space.labels, ["yes", "no"], Mat.of(rows))
