"""Auditing a black box: a lower bound on its ε from samples, at a stated confidence."""

import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from dprivacy.errors import BadLevel, NotApplicable, UnknownName, WrongShape
from dprivacy.model import as_space
from dprivacy.numbers import as_delta, as_share, float_up, quotient_up, read_whole
from dprivacy.spaces import Distance, read_labels
from dprivacy.typing import Label, NumberLike, SpaceLike
from dprivacy.verify.auditing.audit_findings import AuditResult
from dprivacy.verify.auditing.command_samplers import (
    Sampler,
    SamplerLike,
    as_sampler,
    coincidence,
    drawn,
)
from dprivacy.verify.auditing.confidence_bounds import clopper_pearson, normal_quantile
from dprivacy.verify.auditing.event_search import Atoms, best_event
from dprivacy.verify.auditing.revealing_events import Event, Events, Outputs, Tally, read_events

Counts = Mapping[Label, Mapping[Label, int]]

_AGAIN = 256  # outputs drawn a second time to see whether runs repeat each other
_BY_CHANCE = 1e-12  # a repetition less likely than this is not an accident


def audit(
    sampler: SamplerLike,
    inputs: Iterable[Label],
    space: SpaceLike | None = None,
    *,
    delta: NumberLike = 0,
    outputs: Sequence[Label] | None = None,
    events: Events | None = None,
    samples: int = 100_000,
    confidence: float = 0.999,
) -> AuditResult:
    """A lower bound on the ε of a black box, from samples.

    Parameters
    ----------
    sampler
        A function ``sampler(value, n)`` that returns n independent outputs on an input; a mechanism; or
        a command (see `command_sampler`). The randomness is its own; the audit adds none.
    inputs
        The inputs to compare, at least two. Pick ones that should be hard to tell apart.
    space
        The metric on the inputs; the bound is then per unit of distance. Without it all inputs count
        as distance 1.
    delta
        The slack δ that the box is allowed.
    outputs
        The possible outputs, where they are few and known; otherwise they are taken as they come,
        numbers as points of a line.
    events
        Sets of outputs to test, as lists or as functions of an output (or a mapping from names to
        these). When omitted, events are learned from half of the samples.
    samples
        How many outputs to draw for each input.
    confidence
        The probability, over the box's randomness, that the bound is right.

    Returns
    -------
    AuditResult
        With the pair of inputs and the event that show it.

    Notes
    -----
    1. Draw all outputs of an input in one call, and deal them out: 1st, 3rd, … to test; the others, in
       turn, to put outputs in order of their ratio and to choose the pair and the event.
    2. On the outputs kept for testing, Clopper–Pearson bounds p ≥ p_low for x and q ≤ q_high for z,
       each wrong with half of the probability that the confidence leaves.
    3. (ε·d, δ)-privacy would give p ≤ e^(ε·d)·q + δ, so ε ≥ ln((p_low − δ)/q_high)/d.

    Given events are all tested on all samples instead, and the probability of error is shared out
    among all the bounds. One more call with few outputs tells whether runs repeat each other.

    Examples
    --------
    >>> leaky = lambda value, n: [value] * n
    >>> result = audit(leaky, ["yes", "no"], samples=2000)
    >>> result.refutes(4), round(result.eps_lower, 2)
    (True, 4.88)
    """
    draw = as_sampler(sampler)
    labels = read_labels(inputs, "inputs")
    _require_two(labels)
    samples = read_whole(samples, "samples", 16)
    known = None if outputs is None else read_labels(outputs, "outputs")
    drawings = [drawn(draw, x, samples) for x in labels]
    numeric = outputs is None and all(_numeric(found) for found in drawings)
    parts = [
        [Tally.of(found[k::step], numeric) for found in drawings]
        for k, step in ([(0, 1)] if events is not None else [(0, 2), (1, 4), (3, 4)])
    ]
    if known is not None:
        _require_known(known, [tally for part in parts for tally in part])
    result = _audited(labels, parts, known, events, confidence, space, delta)
    return replace(result, repeats=_repeats(draw, labels[0], drawings[0]))


def audit_counts(
    counts: Counts,
    space: SpaceLike | None = None,
    *,
    delta: NumberLike = 0,
    learned_from: Counts | None = None,
    events: Events | None = None,
    confidence: float = 0.999,
) -> AuditResult:
    """The audit of tables of counts: {input: {output: how often}}.

    Parameters
    ----------
    counts
        The outputs to test on.
    learned_from
        Other, independent outputs to choose the pair and the event from. Counts of the same outputs,
        or halves of one table of counts, are not independent and would void the confidence.
    events
        Or events that were fixed beforehand.
    confidence, space, delta
        As in `audit`.

    Examples
    --------
    >>> learn = {"yes": {"yes": 750, "no": 250}, "no": {"yes": 250, "no": 750}}
    >>> test = {"yes": {"yes": 7500, "no": 2500}, "no": {"yes": 2500, "no": 7500}}
    >>> result = audit_counts(test, learned_from=learn)
    >>> round(result.eps_lower, 3), result.refutes(1), result.refutes("ln 3")
    (1.023, True, False)
    """
    if (events is None) == (learned_from is None):
        raise NotApplicable(
            f"give one of events and learned_from, not {'both' if events is not None else 'neither'}: "
            "events that were fixed beforehand, or counts of other, independent outputs to choose one "
            "from"
        )
    labels = read_labels(counts, "inputs")
    _require_two(labels)
    test = [Tally.of_counts(counts[x]) for x in labels]
    parts = [test]
    if learned_from is not None:
        missing = [x for x in labels if x not in learned_from]
        if missing:
            raise WrongShape(f"learned_from should have counts for the input {missing[0]!r}")
        learn = [Tally.of_counts(learned_from[x]) for x in labels]
        parts = [test, learn, learn]
    return _audited(labels, parts, None, events, confidence, space, delta)


def _audited(
    labels: Sequence[Label],
    parts: list[list[Tally]],
    outputs: Sequence[Label] | None,
    events: Events | None,
    confidence: float,
    space: SpaceLike | None,
    delta: NumberLike,
) -> AuditResult:
    sure = float(as_share(confidence, "confidence"))
    if not 0 < sure < 1:
        raise BadLevel(f"confidence should lie strictly between 0 and 1, not {confidence}")
    metric = None if space is None else as_space(space, labels=labels)
    slack = float_up(as_delta(delta))
    apart = {
        (i, j): d
        for i, x in enumerate(labels)
        for j, z in enumerate(labels)
        if i != j and (d := Fraction(1) if metric is None else metric.distance(x, z)) != math.inf
    }
    if not apart:
        raise NotApplicable(
            f"the inputs {labels[0]!r}, {labels[1]!r}, … are all infinitely far apart, so that nothing "
            "is promised about them"
        )
    test = parts[0]
    chosen: list[tuple[int, int, Event]]
    if events is not None:
        fixed = read_events(events)
        used = 2 * len(labels) * len(fixed)
        chosen = [(i, j, event) for i, j in apart for event in fixed]
    else:
        used = 2
        z = normal_quantile((1 - sure) / 2)
        chosen = [_learned(parts, apart, outputs, slack, z)]
    found = []
    for i, j, event in chosen:
        hits = event.hits(test[i]), event.hits(test[j])
        miss = (1 - sure) / used
        low = clopper_pearson(hits[0], test[i].total, miss=miss)[0]
        high = clopper_pearson(hits[1], test[j].total, miss=miss)[1]
        found.append((_lower(low, high, slack, apart[i, j]), i, j, event, hits, low, high))
    eps, i, j, event, hits, low, high = max(found, key=lambda entry: entry[0])
    return AuditResult(
        eps,
        sure,
        slack,
        labels[i],
        labels[j],
        apart[i, j],
        event.words(),
        hits[0],
        test[i].total,
        hits[1],
        test[j].total,
        low,
        high,
        used,
    )


def _learned(
    parts: list[list[Tally]],
    apart: Mapping[tuple[int, int], Distance],
    outputs: Sequence[Any] | None,
    slack: float,
    z: float,
) -> tuple[int, int, Event]:
    """The pair and the event that promise the largest bound on the test."""
    test, ranks, scores = parts
    atoms = Atoms.of(ranks, outputs)
    ranked = [atoms.counts(tally) for tally in ranks]
    best: tuple[float, int, int, Event] | None = None
    for (i, j), d in apart.items():
        finding = best_event(
            atoms,
            (ranked[i], ranked[j]),
            (scores[i], scores[j]),
            tested=(test[i].total, test[j].total),
            delta=slack,
            z=z,
        )
        far = float(d)  # which pair is tried is a choice: nothing rests on its rounding
        rate = finding.score / far if far else math.inf * max(finding.score, 0.0)
        rate = -math.inf if math.isnan(rate) else rate
        if best is None or rate > best[0]:
            best = (rate, i, j, finding.event)
    assert best is not None
    return best[1:]


def _lower(low: float, high: float, slack: float, distance: Distance) -> float:
    """ln((p_low − δ)/q_high)/d, rounded down and at least 0."""
    gap = (low - slack) * (1 - 2**-50) - 2**-60
    if gap <= high:
        return 0.0
    if distance == 0:
        return math.inf
    found = math.log(gap / high) / quotient_up(distance, 1) * (1 - 2**-50)
    return min(found, sys.float_info.max)


def _numeric(outputs: Any) -> bool:
    try:
        array = np.asarray(outputs)
    except ValueError:  # ragged outputs
        return False
    return array.ndim == 1 and array.dtype.kind in "iuf"


def _require_known(outputs: Sequence[Label], tallies: Sequence[Tally]) -> None:
    """UnknownName if something else came out: an event that it is in would never be tried."""
    total = sum(tally.total for tally in tallies)
    strange = total - sum(Outputs(tuple(outputs)).hits(tally) for tally in tallies)
    if strange:
        raise UnknownName(
            f"outputs should list everything that may come out, but {strange} of {total} draws gave "
            "something else; complete the list, or leave outputs out to take them as they come"
        )


def _require_two(labels: Sequence[Any]) -> None:
    if len(labels) < 2:
        raise WrongShape(f"an audit compares at least two inputs, not {len(labels)}")


def _repeats(draw: Sampler, value: Any, before: Any) -> bool:
    """Whether a second run gives the same outputs as the first, when chance would not."""
    n = min(_AGAIN, len(before))
    again = drawn(draw, value, n)
    if not all(_same(a, b) for a, b in zip(before[:n], again, strict=True)):
        return False
    tally = Tally.of(before, _numeric(before))
    return coincidence(tally.counts / tally.total, n) < _BY_CHANCE


def _same(a: Any, b: Any) -> bool:
    return bool(np.all(np.equal(a, b))) if isinstance(a, np.ndarray) else bool(a == b)
