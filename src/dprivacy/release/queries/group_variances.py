"""Totals by group and their covariances, from the scores of cells: one formula, inside DuckDB."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from dprivacy.errors import BadNumber, NotApplicable, counted
from dprivacy.estimation import Survey
from dprivacy.release.queries.contained_engine import Engine
from dprivacy.release.queries.reading.query_printer import quoted

ANSWERS = "answers"
Of = Literal["table", "population"]
_PLACES = "strata"


def make_answers(
    engine: Engine,
    keys: int,
    totals: int,
    pairs: Sequence[tuple[int, int]],
    survey: Survey,
    of: Of,
) -> float:
    """Make the table of answers: by group the totals t, whether any row is seen, covariances v.

    Returns the degrees of freedom of intervals, infinite where only the noise errs.

    Notes
    -----
    Per stratum H, of which the share φ was drawn, with n_H clusters and their sums z,

        v = Σ_H [(1−φ)·n_H/(n_H−1)·(Σ_c z·z' − Σ_c z·Σ_c z'/n_H) + φ·Σ w²·(g·g' − h)],

    which is the formula of `dprivacy.estimation`. Clusters without a row in a group count with z = 0.
    """
    degrees = _make_strata(engine, survey, of)
    names = [f"k{i}" for i in range(keys)]
    place = ["stratum"] if survey.strata else []
    unit = ["cluster"] if survey.clusters else []
    first = [f"sum(u{a} * g{a}) AS z{a}, sum(abs(u{a} * g{a})) AS seen{a}" for a in range(totals)]
    noise = [f"sum(u{a}_{b} * (g{a} * g{b} - h{a}_{b})) AS n{a}_{b}" for a, b in pairs]
    spread = [f"sum(u{a}_{b} * g{a} * g{b}) AS q{a}_{b}" for a, b in pairs] if not unit else []
    inner = (
        f"SELECT {', '.join([*names, *place, *unit, *first, *noise, *spread])} "
        f"FROM scored JOIN cells USING (rid){_by([*names, *place, *unit])}"
    )
    if unit:
        first = [f"sum(z{a}) AS z{a}, sum(seen{a}) AS seen{a}" for a in range(totals)]
        second = [f"sum(z{a} * z{b}) AS q{a}_{b}, sum(n{a}_{b}) AS n{a}_{b}" for a, b in pairs]
        inner = (
            f"SELECT {', '.join([*names, *place, *first, *second])} FROM ({inner})"
            f"{_by([*names, *place])}"
        )
    last = [
        f"coalesce(sum(z{a}), 0) AS t{a}, coalesce(sum(seen{a}), 0) AS seen{a}"
        for a in range(totals)
    ]
    last += [
        f"coalesce(sum(factor * (q{a}_{b} - z{a} * z{b} / size) + share * n{a}_{b}), 0) AS v{a}_{b}, "
        f"coalesce(sum(abs(q{a}_{b})), 0) AS r{a}_{b}"
        for a, b in pairs
    ]
    joined = "stratum IS NOT DISTINCT FROM place" if place else "true"
    engine.execute(
        f"CREATE OR REPLACE TEMP TABLE {ANSWERS} AS SELECT {', '.join([*names, *last])} FROM ({inner}) "
        f"JOIN {_PLACES} ON {joined}{_by(names)}"
    )
    return degrees


def _by(names: Sequence[str]) -> str:
    return f" GROUP BY {', '.join(names)}" if names else ""


def _make_strata(engine: Engine, survey: Survey, of: Of) -> float:
    """How many clusters each stratum has, and which share of them was drawn."""
    if of == "table":
        engine.execute(
            f"CREATE OR REPLACE TEMP TABLE {_PLACES} AS "
            f"SELECT 1.0::DOUBLE AS size, 1.0::DOUBLE AS share, "
            "0.0::DOUBLE AS factor"
        )
        return float("inf")
    column = quoted(survey.strata) if survey.strata else "NULL"
    counts = f"count(DISTINCT {quoted(survey.clusters)})" if survey.clusters else "count(*)"
    engine.execute(
        f"CREATE OR REPLACE TEMP TABLE {_PLACES} AS "
        f"SELECT {column} AS place, CAST({counts} AS DOUBLE) AS size, "
        "0.0::DOUBLE AS share, 0.0::DOUBLE AS factor FROM data"
        + (" GROUP BY ALL" if survey.strata else "")
    )
    degrees = 0.0
    for name, size in engine.rows(f"SELECT place, size FROM {_PLACES}"):
        share = _share(name, survey)
        if share < 1 and size < 2:
            raise NotApplicable(
                "a stratum with a single cluster has no variance that could be estimated; merge it "
                "with another stratum, or give its sampled share as 1"
            )
        factor = 0.0 if share == 1 else (1 - share) * size / (size - 1)
        degrees += 0.0 if share == 1 else size - 1
        engine.execute(
            f"UPDATE {_PLACES} SET share = ?, factor = ? WHERE place IS NOT DISTINCT FROM ?",
            [share, factor, name],
        )
    return degrees or float("inf")


def _share(name: Any, survey: Survey) -> float:
    if not isinstance(survey.fraction, Mapping):
        return float(survey.fraction)
    if name not in survey.fraction:
        raise NotApplicable(
            f"fraction should have a share for every stratum, but {name!r} has none"
        )
    return float(survey.fraction[name])


def require_design(engine: Engine, survey: Survey) -> None:
    """Refuse a design whose columns are protected or not there, and weights that are none."""
    for name in survey.columns:
        if name not in engine.kinds:
            raise NotApplicable(f"the table has no column {name!r}")
        if name not in engine.release.card.pass_through:
            raise NotApplicable(
                f"the column {name!r} is protected, so it cannot be a weight, a stratum or a cluster"
            )
    if survey.weights:
        _require_weights(engine, survey.weights)


def _require_weights(engine: Engine, name: str) -> None:
    """Refuse weights that are text, missing or negative, by how many rows have such."""
    kind = engine.kinds[name]
    if kind in ("VARCHAR", "BOOLEAN", "DATE"):
        raise BadNumber(f"weights should be numbers, and the column {name!r} holds {kind.lower()}")
    held = f"CAST({quoted(name)} AS DOUBLE)"
    ((strange, negative, total),) = engine.rows(
        f"SELECT count(*) FILTER (WHERE {held} IS NULL OR NOT isfinite({held})), "
        f"count(*) FILTER (WHERE {held} < 0), sum({held}) FROM data"
    )
    if strange:
        raise BadNumber(
            f"weights should be numbers, but {counted(strange, 'row has', 'rows have')} none"
        )
    if negative:
        raise BadNumber(
            f"weights should be at least 0, but {counted(negative, 'row is', 'rows are')} negative"
        )
    if not total:
        raise BadNumber("weights should not all be 0, as they are here")
