"""Errors by replicate weights: the query is asked again with each of them."""

import math
from collections.abc import Mapping
from dataclasses import replace

from dprivacy.estimation import ColumnScores, Survey, reach
from dprivacy.release.queries.contained_engine import Engine
from dprivacy.release.queries.corrected_queries import Estimates, estimated
from dprivacy.release.queries.query_answer import Spread
from dprivacy.release.queries.reading.asked_question import Question


def replicated(
    engine: Engine,
    question: Question,
    hidden: Mapping[str, ColumnScores],
    survey: Survey,
    confidence: float,
) -> Estimates:
    """The answer with the variance A·Σ_r (θ_r − θ)²; every θ_r is corrected like θ.

    Groups are told apart by their keys, and nothing is chosen among the answers of a replicate.
    """
    keys = len(question.keys)
    whole = replace(question, items=(*question.keys, *question.items))
    every = replace(whole, having=None, orders=(), limit=None, offset=0)

    def asked(one: Question, weights: str) -> Estimates:
        return estimated(engine, one, hidden, Survey(weights=weights), "table", "score", confidence)

    found = asked(whole, survey.weights)
    again = [
        {row[:keys]: row[keys:] for row in asked(every, name).rows} for name in survey.replicates
    ]
    z = reach(confidence, len(again) - 1)
    spreads = []
    for row, line in zip(found.rows, found.spreads, strict=True):
        others = [one.get(row[:keys]) for one in again]
        made: list[Spread | None] = []
        for j, (value, spread) in enumerate(zip(row[keys:], line[keys:], strict=True)):
            each = [None if other is None else other[j] for other in others]
            if spread is None or value is None or None in each:
                made.append(spread and Spread())
                continue
            error = math.sqrt(
                survey.scale * sum((one - value) ** 2 for one in each if one is not None)
            )
            made.append(Spread(error, value - z * error, value + z * error))
        spreads.append(tuple(made))
    return Estimates(tuple(row[keys:] for row in found.rows), tuple(spreads), found.notes)
