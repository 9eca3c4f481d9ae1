"""Max-case refinement: every posterior of B lies in the convex hull of A's."""

from functools import partial

from dprivacy.model import Channel, Dist
from dprivacy.numbers import Mat
from dprivacy.refine.deciding.channel_pairs import Pair, merged_labels
from dprivacy.refine.deciding.float_columns import by_measuring, same_columns
from dprivacy.refine.deciding.hull_membership import place_in_hull
from dprivacy.refine.deciding.independent_columns import by_inversion
from dprivacy.refine.deciding.refinement_verdicts import MaxRefinement
from dprivacy.refine.deciding.separating_gains import Bet, Number, rounding_of
from dprivacy.sources import result


@result("T", "Def 4.3.1", "Def 4.3.2", "Def 4.3.3", "Thm 4.1", "Thm 4.2")
def refined_in_worst_case(pair: Pair, names: tuple[str, str]) -> MaxRefinement:
    """Whether the posteriors of B, under a prior of full support, lie in the convex hull of A's.

    Equivalently max_y Q(δ^y) is no larger for B, for every quasi-convex Q.

    Notes
    -----
    1. If A has independent columns the answer is that of the average case: a mixture is unique, and
       all of them together make the post-processing.
    2. Otherwise each output of B is placed by itself (`place_in_hull`): nearest mixture in floats, then
       an exact mixture of the columns it uses, or its residual as the separating function.
    """
    rounding = 0.0 if pair.exact else rounding_of(pair.first.matrix, pair.second.matrix)
    claim = f"{names[1]} is at least as safe as {names[0]} in the max case, for every observation"
    denial = f"some observation of {names[1]} tells more than any observation of {names[0]}"
    holds, bet, mixtures, residual = _settled(pair, rounding)
    error = 0.0 if pair.exact else max(rounding, residual)
    answer = partial(
        MaxRefinement, claim, exact=pair.exact, error=error, names=names, denial=denial
    )
    if bet is None:
        table = None if mixtures is None else _coefficients(pair, mixtures)
        return answer(holds=holds, coefficients=table, residual=residual)
    column = pair.b.take(columns=[bet.at]).transposed.row(0)
    return answer(
        holds=False,
        output=pair.second.columns[pair.b_groups[bet.at][0]],
        posterior=Dist(pair.secrets, [value / sum(column) for value in column]),
        worth=dict(zip(pair.secrets, bet.worth, strict=True)),
        before=bet.refused,
        after=bet.accepted,
    )


Settled = tuple[bool | None, Bet | None, list[list[Number]] | None, float]


def _settled(pair: Pair, rounding: float) -> Settled:
    """(holds, bet, mixtures with one row for each output of B, residual) on the reduced matrices."""
    a, b = pair.a, pair.b
    if pair.exact:
        found = by_inversion(a, b)
    else:
        same = same_columns(a, b)
        if same is not None:
            return True, None, same.transposed.rows(), 0.0
        found = by_measuring(a, b, rounding)
    if found is not None:
        mixtures = None if found.r is None else found.r.transposed.rows()
        return found.holds, found.bet, mixtures, found.residual
    placed = []
    for j in range(b.shape[1]):
        place = place_in_hull(a, b, j, rounding=rounding)
        if place.inside is False:
            return False, place.bet, None, place.gap
        placed.append(place)
    holds = True if all(place.inside for place in placed) else None
    rows = [place.mixture for place in placed if place.mixture is not None]
    gap = max(place.gap for place in placed)
    if holds is None and pair.exact:  # some mixtures are floats: there is no exact table to show
        return None, None, None, gap
    return holds, None, rows, gap


def _coefficients(pair: Pair, mixtures: list[list[Number]]) -> Channel:
    """Shares of A's posteriors: the mixture of columns, weighted by how likely each column is."""
    likely = Mat(pair.a.entries.sum(axis=0)[None, :], pair.a.den).row(0)
    rows = []
    for mixture in mixtures:
        weights = [value * chance for value, chance in zip(mixture, likely, strict=True)]
        total = sum(weights)
        rows.append([weight / total for weight in weights])
    names_a = merged_labels(pair.first, pair.a_groups)
    names_b = merged_labels(pair.second, pair.b_groups)
    return Channel(names_b, names_a, pair.table(rows))
