"""The verb that corrects counts, means, totals and quantiles of a released table for its noise."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.errors import NotApplicable
from dprivacy.estimation import LongForm, Survey
from dprivacy.release import ReceivedTable, received


@click.command(
    epilog=shared.examples(
        "dprivacy estimate released.csv --column hobby --by region",
        "dprivacy estimate released.csv --where smokes=yes --by region -o out.csv",
    )
)
@click.argument("table", type=shared.PATH)
@shared.CARD
@click.option("--column", "columns", multiple=True, help="Column; all protected ones by default.")
@click.option("--by", default="", help="Columns to tabulate against, separated by commas.")
@click.option(
    "--where",
    multiple=True,
    help='Condition on true values, such as "age>=40", "age=40..49" or "hobby=sports"; repeatable.',
)
@click.option("--mean", is_flag=True, help="Means of numeric columns instead of counts.")
@click.option("--total", is_flag=True, help="Totals of numeric columns instead of counts.")
@click.option("--variance", is_flag=True, help="Variances of numeric columns instead of counts.")
@click.option("--share", is_flag=True, help="Shares of the rows that meet --where.")
@click.option("--quantile", type=float, help="Quantile of numeric columns: 0.5 for the median.")
@shared.SURVEY
@click.option(
    "--of",
    type=click.Choice(("table", "population")),
    help="What to estimate; the table, unless strata, clusters or replicates are given.",
)
@shared.one_of(
    "--method", "auto", "score", "likelihood", help="Estimator of conditions; auto errs least."
)
@shared.one_of(
    "--estimator", "ibu", "inverse", "projected", help="Method of correcting tables of counts."
)
@click.option("--confidence", default=0.95, help="Confidence level of the intervals.")
@shared.ANSWER
@shared.JSON
def estimate(
    table: Path,
    card: Path | None,
    columns: tuple[str, ...],
    by: str,
    where: tuple[str, ...],
    quantile: float | None,
    of: Literal["table", "population"] | None,
    method: Literal["auto", "score", "likelihood"],
    estimator: Literal["ibu", "inverse", "projected"],
    confidence: float,
    output: Path | None,
    replace: bool,
    as_json: bool,
    **flags: Any,  # mean, total, variance, share, and what Survey takes
) -> None:
    """Correct counts, cross-tables, means, totals or quantiles of a released TABLE for its noise.

    The table and its card are all that is needed.
    """
    shared.require_answer_file(output, replace=replace)
    release = received(table, card=card)
    wanted = [name for name in ("mean", "total", "variance", "share") if flags.pop(name)]
    wanted += ["quantile"] if quantile is not None else []
    survey = Survey(**flags)
    groups = [part.strip() for part in by.split(",") if part.strip()]
    if len(wanted) > 1:
        raise click.UsageError(f"--{wanted[0]} and --{wanted[1]} ask for different things")
    if "share" in wanted and not where:
        raise click.UsageError('--share needs --where, such as --where "age>=40"')
    asked: dict[str, Any] = {
        "where": where or None,
        "survey": survey,
        "of": of,
        "method": method,
        "confidence": confidence,
    }
    answers: dict[str, Any] = {}
    left: list[str] = []
    if "share" in wanted or (where and not columns and not wanted):
        question = release.share if "share" in wanted else release.total
        answers[" and ".join(where)] = question(by=groups, **asked)
    elif wanted:
        names, left = (columns, []) if columns else _numeric(release)
        for name in names:
            answers[name] = _of_numbers(release, wanted[0], quantile)(name, by=groups, **asked)
    else:
        plain = not (where or of == "population" or survey.draws)
        for name in columns or _protected(release):
            if plain and groups:
                answers[name] = release.cross_table(
                    [name, *groups],
                    weights=survey.weights,
                    estimator=estimator,
                    confidence=confidence,
                )
            elif plain and not survey.weights:
                answers[name] = release.estimate(name, estimator=estimator, confidence=confidence)
            else:
                answers[name] = release.total(by=[name, *groups], **asked)
    _tell(answers, left, groups, output, replace=replace, as_json=as_json)


def _tell(
    answers: dict[str, Any],
    left: Sequence[str],
    groups: Sequence[str],
    output: Path | None,
    *,
    replace: bool,
    as_json: bool,
) -> None:
    lines: list[str] = []
    for name, found in answers.items():
        titled = hasattr(found, "statistic")  # which prints its own title
        if not titled:
            lines.append(f"{name} by {', '.join(groups)}" if groups else name)
        lines += [str(found), *(found.long_form().notes if titled else ()), ""]
    if left:
        lines.append(f"Not numbers, and left out: {', '.join(left)}.")
    if output is not None:
        parts = {name: found.long_form() for name, found in answers.items()}
        only = next(iter(answers.values())) if len(answers) == 1 else LongForm.joined(parts)
        shared.save_answer(only, output, replace=replace)
        lines.append(shared.wrote(output))
    told = {name: found.to_dict() for name, found in answers.items()}
    shared.say(told, as_json, "\n".join(lines).rstrip())


def _of_numbers(release: ReceivedTable, what: str, level: float | None) -> Callable[..., Any]:
    if level is not None:
        return lambda name, **asked: release.quantile(name, level, **asked)
    found: Callable[..., Any] = getattr(release, what)
    return found


def _protected(release: ReceivedTable) -> list[str]:
    """The protected columns whose labels can be counted."""
    entries = release.card.mechanisms.items()
    return [name for name, entry in entries if entry["channel"] is not None or "reports" in entry]


def _numeric(release: ReceivedTable) -> tuple[list[str], list[str]]:
    """The protected columns that hold numbers, and the others."""
    numbers: list[str] = []
    others: list[str] = []
    for entry in release.card.mechanisms.values():
        for name in entry["columns"]:
            try:
                release.require_numbers(name)
            except NotApplicable:
                others.append(name)
            else:
                numbers.append(name)
    if not numbers:
        raise NotApplicable(
            f"no protected column holds numbers; {', '.join(others)} can be counted instead"
        )
    return numbers, others
