"""Attack one's own release: how well the best guess about a person does, before and after it."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, TooLarge, WrongShape
from dprivacy.estimation import HyperplaneOperator, Known
from dprivacy.flow import capacity
from dprivacy.model import Channel, Dist, counted, factor_up
from dprivacy.numbers import Floats, Level, as_level
from dprivacy.release.files.released_data import Released
from dprivacy.release.receiving.attack_findings import Attack, Group, both_of
from dprivacy.release.receiving.label_positions import positions_of
from dprivacy.release.receiving.noisy_axes import Axis, corrected_table
from dprivacy.release.receiving.own_statistics import own_statistics
from dprivacy.release.receiving.table_receiver import ReceivedTable, column_list, received
from dprivacy.sources import result
from dprivacy.typing import Number, PathArg

_MOST_CELLS = 20_000_000


@result("T", "Def 5.3.1")
def attack(
    release: Released[Any] | ReceivedTable | PathArg,
    *,
    secret: str,
    known: Sequence[str] = (),
    also: Sequence[str] = (),
    population: Dist | None = None,
) -> Attack:
    """What an attacker who knows some columns of a person learns about another from their released row.

    Parameters
    ----------
    release, secret
        A protected table (its path, what `sanitise` gave, or what `received` gave), and a protected
        column of it with a channel.
    known
        Columns whose true values the attacker knows from elsewhere.
    also
        Other columns whose released values are read in the person's row. Their noisy values say
        something of the secret where the columns are related.
    population
        What the attacker believes beforehand: a distribution on tuples (secret, *known, *also). By
        default the joint distribution that the release itself lets one estimate.

    Returns
    -------
    Attack
        In doubles.

    Notes
    -----
    1. P(s, k, o), the joint distribution of the true values, is estimated from the noisy table.
    2. Before: Σ_k max_s P(s, k). The known values' own noise adds nothing: their truth is known.
    3. After: Σ_{k, y} max_s Σ_o P(s, k, o)·C[s, y]·C'[o, y'], by the channels on the card.
    4. For the guesses that this makes, `after` is linear in P, and P is linear in the noisy counts
       where the channels can be inverted: that gives the standard error.

    Examples
    --------
    >>> import pandas
    >>> from dprivacy.release import sanitise
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> people = pandas.DataFrame({"tea": ["yes", "no", "no"] * 3000})
    >>> release = sanitise(people, {"columns": {"tea": tea}})
    >>> print(attack(release, secret="tea").explain().splitlines()[0])
    Probability of guessing a person's tea:
    """
    source = received(release)
    columns = (secret, *column_list(known, "known"), *column_list(also, "also"))
    if len(set(columns)) < len(columns):
        raise NotApplicable(
            f"a column is named twice among secret, known and also: {', '.join(columns)}"
        )
    if secret in source.card.pass_through:
        raise NotApplicable(f"{secret!r} was published as it is: anyone can read it off the table")
    found = source.counts(columns)
    axes = [_listed(source, source.axis(name, k, found)) for k, name in enumerate(columns)]
    matrices = [_chances(axis) for axis in axes]
    outputs = [len(axis.labels) for axis in axes]
    cells = (
        math.prod(m.shape[0] for m in matrices) * outputs[0] * math.prod(outputs[1 + len(known) :])
    )
    if cells > _MOST_CELLS or math.prod(outputs) > _MOST_CELLS:
        raise TooLarge(
            f"{both_of(columns)} have too many combinations ({cells:,}) to weigh them all; name fewer "
            "columns"
        )
    noisy: Floats | None = None
    if population is None:
        table = corrected_table(found, axes, estimator="ibu", confidence=0.95)
        shares, noisy = table.shares, table.observed / table.n
    else:
        shares = _believed(population, axes)
    return _weighed(source, columns, len(known), axes, matrices, shares, noisy, sum(found.values()))


def _listed(source: ReceivedTable, axis: Axis) -> Axis:
    """An axis with every released value there may be: an attacker weighs also what did not come."""
    known = axis.channel
    if not isinstance(known, Known):
        return axis
    size = known.operator.inputs * known.operator.outputs
    if isinstance(known.operator, HyperplaneOperator) and size <= _MOST_CELLS:
        return axis
    return replace(axis, channel=source.card.channel(source.entry_of(axis.name)))


def _chances(axis: Axis) -> Floats:
    """The chances of the released values, a row for each true one."""
    if axis.channel is None:
        return np.eye(len(axis.values))
    if isinstance(axis.channel, Channel):
        return axis.channel.matrix.floats
    operator = axis.channel.operator
    return np.asarray(operator.forward(np.eye(operator.inputs)) * np.exp(operator.column_logs))


def _believed(population: Dist, axes: Sequence[Axis]) -> Floats:
    shares = np.zeros([len(axis.inputs) for axis in axes])
    keys = [x if isinstance(x, tuple) else (x,) for x in population.labels]
    if any(len(key) != len(axes) for key in keys):
        raise WrongShape(
            "the population should be a distribution on tuples of "
            f"{counted(len(axes), 'value')} (secret, known, also), but has {len(keys[0])}"
        )
    places = positions_of(keys, [axis.inputs for axis in axes])
    for place, weight in zip(places, population.weights, strict=True):
        shares[tuple(place)] += float(weight)
    return shares


def _weighed(
    source: ReceivedTable,
    columns: Sequence[str],
    known: int,
    axes: Sequence[Axis],
    matrices: Sequence[Floats],
    shares: Floats,
    noisy: Floats | None,
    people: int,
) -> Attack:
    read: Floats = np.ones((1, 1))
    for matrix in matrices[1 + known :]:
        read = np.asarray(np.kron(read, matrix), dtype=np.float64)
    joint, together = _seen(shares, known, matrices[0], read)
    seen = joint.reshape(*together.shape, -1)
    best = seen.max(axis=0)
    chance = seen.sum(axis=0)
    sure = np.divide(best, chance, out=np.zeros_like(best), where=chance > 1e-12)
    surest = float(sure.max())
    error, own = None, None
    if noisy is not None:
        error = _error(
            seen.argmax(axis=0), joint.shape, matrices, read, shares.shape, noisy, people
        )
        own = own_statistics(
            matrices,
            shares,
            people,
            lambda found: float(_seen(found, known, matrices[0], read)[0].max(axis=0).sum()),
        )
    names = columns[1 : 1 + known]
    return Attack(
        columns[0],
        tuple(names),
        (columns[0], *columns[1 + known :]),
        float(people),
        float(together.sum(axis=1).max()),
        float(together.max(axis=0).sum()),
        float(best.sum()),
        surest,
        float(chance[sure >= surest - 1e-9].sum()),
        _bound((axes[0], *axes[1 + known :])),
        error,
        _groups(names, axes, together, best.sum(axis=1)),
        _assumptions(source, columns, known, noisy is None),
        _factor(source, (columns[0], *columns[1 + known :])),
        own,
    )


def _seen(shares: Floats, known: int, own: Floats, read: Floats) -> tuple[Floats, Floats]:
    """The joint distribution of secret, known values and released cells; and that of the first two."""
    combinations = math.prod(shares.shape[1 : 1 + known])
    flat = shares.reshape(shares.shape[0], combinations, -1)
    through = flat @ read  # secret, known, released others
    return through[:, :, None, :] * own[:, None, :, None], flat.sum(axis=2)


def _factor(source: ReceivedTable, columns: Sequence[str]) -> Number:
    """The most that the released cells of these columns change odds by; inf without limit."""
    total = Level(0)
    for name in columns:
        entry = source.card.mechanisms.get(source.entry_of(name), {"most": ""})
        if not entry["most"]:
            return math.inf
        total = total + as_level(entry["most"])
    return factor_up(total)


def _bound(axes: Sequence[Axis]) -> float:
    """The product of the channels' capacities; what is published as it is has no bound."""
    if any(axis.channel is None for axis in axes):
        return math.inf
    return math.prod(
        float(capacity(axis.channel))
        if isinstance(axis.channel, Channel)
        else float(_chances(axis).max(axis=0).sum())
        for axis in axes
    )


def _groups(
    names: Sequence[str], axes: Sequence[Axis], together: Floats, best: Floats
) -> tuple[Group, ...]:
    sides = [axis.inputs for axis in axes[1 : 1 + len(names)]]
    shape = tuple(len(side) for side in sides)
    groups = []
    for k in range(together.shape[1]):
        share = float(together[:, k].sum())
        if share <= 1e-9:
            continue
        at = np.unravel_index(k, shape) if shape else ()
        values = {name: side[int(i)] for name, side, i in zip(names, sides, at, strict=True)}
        guess = axes[0].inputs[int(together[:, k].argmax())]
        first = float(together[:, k].max()) / share
        groups.append(Group(values, share, guess, first, float(best[k]) / share))
    return tuple(sorted(groups, key=lambda group: -group.after))


def _error(
    guesses: NDArray[np.intp],
    joint_shape: tuple[int, ...],
    matrices: Sequence[Floats],
    read: Floats,
    shape: tuple[int, ...],
    noisy: Floats,
    people: int,
) -> float | None:
    """The standard error of the success of these guesses, as a linear function of the noisy counts."""
    secrets, combinations, answers, others = joint_shape
    right = guesses.reshape(combinations, answers, others)
    worth = np.empty((secrets, combinations, read.shape[0]))
    for s in range(secrets):
        hit = np.einsum("y,kyo->ko", matrices[0][s], (right == s).astype(np.float64))
        worth[s] = hit @ read.T
    weights = worth.reshape(shape)
    for axis, matrix in enumerate(matrices):
        inverse = np.linalg.pinv(matrix)
        if not np.allclose(matrix @ inverse, np.eye(len(matrix)), atol=1e-8):
            return None
        weights = np.moveaxis(np.tensordot(inverse, weights, axes=(1, axis)), 0, axis)
    mean = float((weights * noisy).sum())
    variance = float((weights**2 * noisy).sum()) - mean**2
    return math.sqrt(max(variance, 0.0) / people)


def _assumptions(
    source: ReceivedTable, columns: Sequence[str], known: int, believed: bool
) -> tuple[str, ...]:
    card = source.card
    lines = [
        "the attacker knows which row is the person's; any other attacker learns less",
        "the attacker knows how the noise was drawn, and guesses as well as anyone can",
    ]
    if believed:
        lines.append("the attacker's beliefs beforehand are those given as the population")
    else:
        lines.append(
            "the statistics are the ones that this release itself lets one estimate, from "
            f"{counted(card.count, 'row')}; combinations with few rows look more revealing than they "
            "are"
        )
    if known:
        lines.append(
            f"the attacker knows {both_of(columns[1 : 1 + known])} truly, not from the release"
        )
    rest = [name for name in source.columns if name not in columns]
    if rest:
        lines.append(
            f"nothing is learned from {both_of(rest)}; name them with `also` to include them"
        )
    if card.plan.get("rows_per_person", 1) > 1:
        lines.append("one row is read; a person with several rows is exposed several times")
    lines += [f"ATTENTION, the release has no guarantee: {reason}" for reason in card.void]
    return tuple(lines)
