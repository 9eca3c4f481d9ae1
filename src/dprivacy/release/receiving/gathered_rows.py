"""The rows of a released table, alike ones taken together, with the sums of their weights."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dprivacy.errors import NotApplicable, counted
from dprivacy.estimation import (
    ColumnScores,
    Known,
    Records,
    Survey,
    column_scores,
    read_weights,
    records,
)
from dprivacy.extras import arrow, compute
from dprivacy.mechanisms import GridNoise, HyperplaneReports
from dprivacy.model import Channel
from dprivacy.numbers import Floats
from dprivacy.release.plans.card_plan import plan_on
from dprivacy.release.plans.release_card import Card
from dprivacy.release.receiving.asked_functions import Columns, with_codes
from dprivacy.release.receiving.label_positions import positions_of

_MOST_SORTED = 100_000
_W, _SQUARE = "dprivacy: w", "dprivacy: w²"


class Rows(Protocol):
    """What a received table gives to read: its card, and batches of its columns."""

    @property
    def card(self) -> Card: ...  # noqa: D102
    @property
    def name(self) -> str: ...  # noqa: D102
    @property
    def columns(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def is_spark(self) -> bool: ...  # noqa: D102
    def counts(self, columns: Sequence[str]) -> dict[tuple[Any, ...], int]: ...  # noqa: D102
    def require_apart(self, columns: Sequence[str]) -> None: ...  # noqa: D102
    def opened(  # noqa: D102
        self,
    ) -> AbstractContextManager[tuple[Sequence[str], Callable[[list[str]], Iterator[Any]]]]: ...


@dataclass(frozen=True, eq=False)
class Gathered:
    """Records of a table: the codes of their values in some columns, and their design.

    Parameters
    ----------
    values
        The distinct values of every column, by name: for a protected one, the labels of its outputs.
    codes
        The number of each record's value, by name.
    design
        Rows, weights, strata and clusters.
    """

    values: dict[str, tuple[Any, ...]]
    codes: dict[str, NDArray[np.intp]]
    design: Records


def protected_scores(table: Rows, name: str) -> ColumnScores:
    """The scores of a protected column, those of the last few columns remembered.

    Of reports that are sets only those that the table holds are looked at, there being 2^k of them.
    """
    card = table.card
    entry = card.mechanisms[name]
    local = card.local(name)
    if local is not None and not isinstance(local.reports, HyperplaneReports):
        seen = sorted(str(cell) for (cell,) in table.counts(entry["columns"]))
        return column_scores(Known(local, seen=seen))
    kept, scores = _REMEMBERED.get(id(entry), (None, None))
    if kept is not entry or scores is None:
        scores = _scores(card, name, entry)
        while len(_REMEMBERED) >= _MOST_REMEMBERED:
            _REMEMBERED.pop(next(iter(_REMEMBERED)))
        _REMEMBERED[id(entry)] = (entry, scores)
    return scores


_REMEMBERED: dict[int, tuple[Any, ColumnScores]] = {}  # by an entry of a card, which is kept alive
_MOST_REMEMBERED = 16


def _scores(card: Card, name: str, entry: Any) -> ColumnScores:
    """The scores of a column, also of a number with too many points for a matrix.

    Such a number is made again from the plan on the card: its noise is known in closed form.
    """
    if entry["channel"] is not None and len(entry["columns"]) != 1:
        raise NotApplicable(
            f"{name!r} is released in {counted(len(entry['columns']), 'column')}, and what is true of "
            "one of them alone cannot be estimated"
        )
    local = card.local(name)
    if local is not None:
        return column_scores(local)
    if entry["channel"] is None and entry["type"] == "numbers":
        mechanism = plan_on(card.plan, only=name).columns[0].mechanism
        if isinstance(mechanism, GridNoise):
            return column_scores(mechanism)
    channel = card.channel(name)
    if entry["type"] in ("numbers", "dates"):
        inputs, outputs = (
            with_codes(side, entry["type"]) for side in (channel.rows, channel.columns)
        )
        channel = Channel(inputs, outputs, channel.matrix)
    return column_scores(channel)


def gathered(
    table: Rows,
    names: Sequence[str],
    scores: dict[str, ColumnScores],
    survey: Survey,
    fraction: float | None,
) -> Gathered:
    """Read a table once, and take rows together that are alike in the columns that matter.

    Parameters
    ----------
    table
        What was received.
    names
        The columns that matter, by the table's own names.
    scores
        Those of the protected ones among them.
    survey
        Whose columns, weights aside, matter as well.
    fraction
        The sampled share; that of the survey when None.
    """
    _require(table, names, survey)
    apart = [name for name in (survey.strata, survey.clusters) if name]
    keys = list(dict.fromkeys([*names, *apart])) or [table.columns[0]]  # something to count by
    sums = [name for name in (survey.weights, *survey.replicates) if name]
    whole = _grouped(table, keys, sums)
    if whole.num_rows <= _MOST_SORTED:  # so that sums do not depend on the order of rows
        plain = _plain_names(keys)
        order = [(name, "ascending") for name in plain]
        listed_keys = whole.select(list(keys)).rename_columns(plain)
        whole = whole.take(compute().sort_indices(listed_keys, sort_keys=order))
    values: dict[str, tuple[Any, ...]] = {}
    codes: dict[str, NDArray[np.intp]] = {}
    for name in names:
        listed, code = _coded(whole.column(name))
        if name in scores:
            outputs = scores[name].outputs
            at = positions_of([(value,) for value in listed], [outputs])
            code, listed = np.array([k for (k,) in at], dtype=np.intp)[code], list(outputs)
        values[name], codes[name] = tuple(listed), code
    count = whole.column("dprivacy: rows").to_numpy().astype(np.float64)
    design = records(
        whole.column(_W).to_numpy() if survey.weights else count,
        rows=count,
        squares=whole.column(_SQUARE).to_numpy() if survey.weights else count,
        strata=_coded(whole.column(survey.strata))[1] if survey.strata else None,
        clusters=_coded(whole.column(survey.clusters))[1] if survey.clusters else None,
        fraction=_shares(survey, whole) if fraction is None else fraction,
        replicates=_replicates(whole, survey),
        scale=survey.scale,
    )
    return Gathered(values, codes, design)


def _require(table: Rows, names: Sequence[str], survey: Survey) -> None:
    """Refuse columns that are not there, and a design that went through noise itself."""
    known = Columns(table.columns, table.card.dropped)
    for name in (*names, *survey.columns):
        known.require(name)
    noisy = [name for name in survey.columns if name not in table.card.pass_through]
    if noisy:
        raise NotApplicable(
            f"column {noisy[0]!r} is protected, so its values are noise and cannot weight or group "
            "rows; a survey's design must be passed through as it is"
        )


def _grouped(table: Rows, keys: Sequence[str], sums: Sequence[str]) -> Any:
    """An Arrow table of the distinct records: keys, how many rows, sums of weights and squares."""
    table.require_apart(keys)
    pa = arrow()
    if table.is_spark:
        return _counted_by_spark(table, keys, sums)
    parts = []
    with table.opened() as (_, batches):
        for batch in batches(list(dict.fromkeys([*keys, *sums]))):
            if batch.num_rows:
                parts.append(_summed(pa.Table.from_batches([batch]), keys, sums))
    if not parts:
        raise NotApplicable(f"{table.name}: has no rows to estimate from")
    whole = pa.concat_tables(parts)
    if len(parts) == 1:
        return whole
    added = whole.column_names[len(keys) :]
    plain = _plain_names(keys)
    again = whole.rename_columns([*plain, *added]).group_by(plain, use_threads=False)
    # Arrow names the sums after their columns, and an older one puts the keys last.
    ordered = again.aggregate([(name, "sum") for name in added]).select(
        [*plain, *(f"{name}_sum" for name in added)]
    )
    return ordered.rename_columns([*keys, *added])


def _plain_names(keys: Sequence[str]) -> list[str]:
    """Other names to group by: Arrow would read ".x" as a path."""
    return [str(k) for k in range(len(keys))]


def _counted_by_spark(table: Rows, keys: Sequence[str], sums: Sequence[str]) -> Any:
    """The distinct records of a frame that Spark holds, which it only counts."""
    if sums:
        raise NotApplicable(
            f"Spark counts rows, and column {sums[0]!r} would have to be summed; open the folder by "
            "its path, without a session"
        )
    found = table.counts(keys)
    if not found:
        raise NotApplicable(f"{table.name}: has no rows to estimate from")
    columns = zip(*found, strict=True)
    listed = {name: list(column) for name, column in zip(keys, columns, strict=True)}
    return arrow().table({**listed, "dprivacy: rows": list(found.values())})


def _summed(table: Any, keys: Sequence[str], sums: Sequence[str]) -> Any:
    pa, pc = arrow(), compute()
    plain = _plain_names(keys)
    weighed = table.select(list(keys)).rename_columns(plain)
    asked: list[Any] = [([], "count_all")]
    names = ["dprivacy: rows"]
    for k, name in enumerate(sums):
        column = pa.array(_numbers(table.column(name), name))
        target = _W if k == 0 else f"dprivacy: w{k}"
        weighed = weighed.append_column(target, column)
        asked.append((target, "sum"))
        names.append(target)
        if k == 0:
            weighed = weighed.append_column(_SQUARE, pc.multiply(column, column))
            asked.append((_SQUARE, "sum"))
            names.append(_SQUARE)
    try:
        found = weighed.group_by(plain, use_threads=False).aggregate(asked)
    except pa.ArrowException:
        raise NotApplicable(f"{', '.join(keys)}: values of this type cannot be counted") from None
    if keys and found.column_names[0] != plain[0]:  # older Arrow puts the keys last
        found = found.select([*plain, *(n for n in found.column_names if n not in plain)])
    return found.rename_columns([*keys, *names])


def _numbers(column: Any, name: str) -> Floats:
    """Weights as doubles; refused by how many rows have none, or a negative one."""
    pa = arrow()
    try:
        found = column.cast(pa.float64()).to_numpy()
    except pa.ArrowException:
        found = np.array([_number(value) for value in column.to_pylist()])
    return read_weights(found, f"weights in column {name!r}", some=False)


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        return float("nan")


def _coded(column: Any) -> tuple[list[Any], NDArray[np.intp]]:
    """The distinct values of a column, and the number of each row's."""
    pa = arrow()
    known = pa.chunked_array(column).combine_chunks().dictionary_encode()
    if isinstance(known, pa.ChunkedArray):
        known = known.combine_chunks()
    values = known.dictionary.to_pylist()
    codes = known.indices.fill_null(len(values)).to_numpy(zero_copy_only=False).astype(np.intp)
    return [*values, *([None] if known.null_count else [])], codes


def _replicates(whole: Any, survey: Survey) -> Floats | None:
    if not survey.replicates:
        return None
    first = 1 if survey.weights else 0
    names = [
        _W if k == 0 else f"dprivacy: w{k}" for k in range(first, first + len(survey.replicates))
    ]
    return np.stack([whole.column(name).to_numpy() for name in names], axis=1)


def _shares(survey: Survey, whole: Any) -> Any:
    """The sampled share, of each stratum by its number where the survey gives one for each."""
    if not isinstance(survey.fraction, dict):
        return survey.fraction
    names = _coded(whole.column(survey.strata))[0] if survey.strata else [None]
    listed = {str(name): share for name, share in survey.fraction.items()}
    missing = [name for name in names if str(name) not in listed]
    if missing:
        raise NotApplicable(
            f"fraction should have a share for every stratum, but {missing[0]!r} has none"
        )
    return {k: listed[str(name)] for k, name in enumerate(names)}
