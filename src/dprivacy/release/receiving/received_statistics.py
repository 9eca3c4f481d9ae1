"""Corrected statistics of a released table: totals, means, shares, variances, quantiles."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from dprivacy.errors import NotApplicable, NotInvertible
from dprivacy.estimation import (
    LIKELY,
    ChosenShare,
    Function,
    Likelihood,
    ScoredRecords,
    Smooth,
    Statistic,
    Statistics,
    chosen_share,
    likely_quantile,
    possible_range,
    reach,
    smooth,
    spread_of,
)
from dprivacy.numbers import Floats
from dprivacy.release.receiving.asked_functions import Code, as_number
from dprivacy.release.receiving.question_desk import Desk

BOUNDED = (
    "different truths look the same after this noise, so that no point can be estimated: every value "
    "in the range fits equally well, noise and sampling not counted"
)


def smooth_statistic(
    desk: Desk, functions: Sequence[Floats], combined: Function, words: str
) -> Statistics:
    """A smooth function of totals, in every group."""
    entries = []
    for label, held in desk.labels():
        totals = desk.records.totals([desk.full(f * held) for f in functions])
        found = smooth(totals, combined, confidence=desk.question.confidence)
        entries += [
            _entry(desk.keyed(group, label), each)
            for group, each in zip(desk.groups, found[: len(desk.groups)], strict=True)
        ]
    return desk.answer(words, entries)


def _entry(keys: tuple[Any, ...], found: Smooth) -> Statistic:
    return Statistic(
        keys, found.value, found.standard_error, found.low, found.high, note=found.note
    )


def counted_statistic(desk: Desk, words: str, *, share: bool) -> Statistics:
    """How many people, or which share of each public group, meet the conditions.

    The estimator is chosen for each: see `chosen_share`.
    """
    held = desk.condition()
    likely: dict[int, Likelihood] = {}
    entries = []
    for label, inside in desk.labels():
        f = held * inside
        try:
            totals = desk.records.totals([desk.full(f), np.ones(desk.records.shape)])
        except NotInvertible:
            if len(desk.hidden) != 1 or desk.open:
                raise
            entries += _bounded(desk, f, label, share=share)
            continue
        for k, group in enumerate(desk.groups):
            keys = desk.keyed(group, label)
            sizes, spread = totals.values[k], totals.covariance[k]
            whole = float(sizes[1])
            if whole == 0:
                entries.append(Statistic(keys, 0.0, 0.0, 0.0, 0.0, note="all weights are 0"))
                continue
            rate = float(sizes[0]) / whole
            tilt = np.array([1.0, -rate if share else 0.0])
            error = math.sqrt(max(float(tilt @ spread @ tilt), 0.0)) / whole
            found = _chosen(desk, k, f, (rate, error), likely)
            if found.method != "score" and not share:
                found = _with_size(found, float(spread[1, 1]) / whole**2, desk)
            if found.method == "score":
                far = reach(desk.question.confidence, totals.degrees) * error
                found = replace(found, low=rate - far, high=rate + far)
            unit = 1.0 if share else whole
            entries.append(
                Statistic(
                    keys,
                    unit * found.value,
                    unit * found.standard_error,
                    unit * found.low,
                    unit * found.high,
                    found.method,
                    found.spread,
                    found.note(unit),
                )
            )
    return desk.answer(words, entries)


def _bounded(desk: Desk, f: Floats, label: tuple[Any, ...], *, share: bool) -> list[Statistic]:
    """Of what the channel does not determine: the range over all truths that fit equally well."""
    operator = desk.records.columns[0].known.operator
    entries = []
    for k, group in enumerate(desk.groups):
        shares, whole, _ = desk.records.within(k)
        low, high = possible_range(operator, desk.full(f)[0].ravel(), shares)
        unit = 1.0 if share else whole
        keys = desk.keyed(group, label)
        ends = (unit * low, unit * high)
        entries.append(Statistic(keys, math.nan, math.nan, *ends, "possible range", note=BOUNDED))
    return entries


def _with_size(found: ChosenShare, relative: float, desk: Desk) -> ChosenShare:
    """A count by likelihood: what drawing the group's size errs by is added to the share's error."""
    more = found.value**2 * relative
    if desk.question.asked_of == "table" or more == 0:
        return found
    z = reach(desk.question.confidence)

    def end(at: float) -> float:
        return math.copysign(math.hypot(at - found.value, z * math.sqrt(more)), at - found.value)

    error = math.hypot(found.standard_error, math.sqrt(more))
    low, high = found.value + min(end(found.low), 0), found.value + max(end(found.high), 0)
    return replace(found, standard_error=error, low=low, high=high)


def _chosen(
    desk: Desk,
    group: int,
    f: Floats,
    score: tuple[float, float],
    likely: dict[int, Likelihood],
) -> ChosenShare:
    """The share in one group, by the estimator that is forecast to err less."""
    question, records = desk.question, desk.records
    plain = ChosenShare(*score, math.nan, math.nan, "score", math.nan)
    if not desk.hidden or desk.open or records.design.replicates is not None:
        if question.method == "likelihood":
            raise NotApplicable(
                "the likelihood is climbed for conditions on protected columns alone, without "
                'replicate weights; take method="score"'
            )
        return plain
    shares, _, size = records.within(group)
    table = desk.full(f)[0]
    spread = spread_of(_cell_scores(records, table), shares)
    clustered = question.asked_of == "population" and records.design.clusters is not None
    if clustered and spread > 0:
        effect = score[1] ** 2 * size / spread  # of drawing clusters in place of rows
        size = size / max(effect, 1.0)
    operator = records.operator if len(records.columns) > 1 else records.columns[0].known.operator

    def climbed() -> Likelihood:
        if group not in likely or clustered:
            likely[group] = Likelihood(operator, shares, size)
        return likely[group]

    return chosen_share(
        operator,
        table.ravel(),
        size,
        score=(*score, spread),
        likelihood=climbed,
        method=question.method,
        confidence=question.confidence,
        whole=question.asked_of == "table",
    )


def _cell_scores(records: ScoredRecords, table: Floats) -> Floats:
    """The score of a function at every released cell."""
    scores = table
    for axis, column in enumerate(records.columns):
        scores = column.apply(scores, axis)
    return scores.ravel()


def quantile_statistic(desk: Desk, column: str, level: float) -> Statistics:
    """A quantile of a protected number in every public group, by maximum likelihood."""
    labels = desk.scores[column].inputs
    if desk.hidden != [column] or desk.open or desk.conditions:
        raise NotApplicable(
            f"a quantile of {column!r} is estimated in groups and under conditions of public columns; "
            "for others, ask for shares below a value instead"
        )
    sized = [label for label in labels if label is not None and not isinstance(label, Code)]
    numbers = [float(as_number(label)) for label in sized]
    if len(numbers) < len(labels) or numbers != sorted(numbers):
        raise NotApplicable(
            f"column {column!r} has labels that are not numbers in ascending order, codes or missing "
            "values; ask for shares below a value instead"
        )
    z = reach(desk.question.confidence)
    entries = []
    for k, group in enumerate(desk.groups):
        shares, whole, size = desk.records.within(k)
        if whole == 0:
            continue
        operator = desk.scores[column].known.operator
        likelihood = Likelihood(operator, shares, size)
        if desk.records.design.clusters is not None and desk.question.asked_of == "population":
            size = size / _design_effect(desk, column, k, likelihood, level)
            likelihood = Likelihood(operator, shares, size)
        found = likely_quantile(likelihood, level, z)
        low, high = numbers[found.low], numbers[found.high]
        error = (high - low) / 2 / z
        entries.append(
            Statistic(desk.keyed(group, ()), numbers[found.at], error, low, high, LIKELY)
        )
    return desk.answer(f"{level:g} quantile of {column}", entries)


def _design_effect(
    desk: Desk, column: str, group: int, likelihood: Likelihood, level: float
) -> float:
    """How much more the clusters let the score of "up to the quantile" spread than single rows do."""
    at = int(np.searchsorted(np.cumsum(likelihood.p), level))
    below = (np.arange(len(likelihood.p)) <= at).astype(np.float64)[None]
    functions = [below, np.ones_like(below)]
    alone = replace(desk.records, design=replace(desk.design, clusters=None))
    tilt = np.array([1.0, -level])
    both = [each.totals(functions).covariance[group] for each in (desk.records, alone)]
    clustered, single = (float(tilt @ spread @ tilt) for spread in both)
    return max(clustered / single, 1.0) if single > 0 else 1.0
