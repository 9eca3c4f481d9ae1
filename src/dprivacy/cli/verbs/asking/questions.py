"""``dprivacy design``: a sensitive question on paper, how many must answer, and the sheet."""

from fractions import Fraction
from pathlib import Path
from typing import Any, get_args

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.errors import BadNumber, WrongKind
from dprivacy.mechanisms import Device, plan_question
from dprivacy.numbers import as_rational
from dprivacy.viz import question_sheet

_EPILOG = shared.examples(
    'dprivacy design --question "Do you gamble?" --epsilon 1 --precision 3',
    'dprivacy design --question "Do you gamble?" --epsilon 1 --precision 3 -o a.svg',
)
_PAGE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
    "<style>@page{{size:A5;margin:0}}body{{margin:0}}svg{{display:block}}</style>{sheet}</html>\n"
)


@click.command(epilog=_EPILOG)
@click.option("--question", required=True, help="The question, to be answered by yes or no.")
@shared.epsilon(required=True)
@click.option(
    "--precision",
    required=True,
    help="Standard error of the share that is wanted, in percentage points.",
)
@click.option(
    "--share", help="Expected share, in per cent; without it, numbers hold for any share."
)
@click.option(
    "--device",
    type=click.Choice(get_args(Device)),
    default="die",
    show_default=True,
    help="What decides when the truth is told.",
)
@shared.output("Sheet for respondents, A5, as .svg or .html")
@shared.REPLACE
@shared.JSON
def design(
    question: str,
    epsilon: str,
    precision: str,
    share: str | None,
    device: Any,
    output: Path | None,
    replace: bool,
    as_json: bool,
) -> None:
    """Ask a sensitive question with dice or a spinner: how many people, and their sheet."""
    shared.refuse_existing(output, replace=replace)
    if output is not None and output.suffix.lower() not in (".svg", ".html"):
        raise WrongKind(f"{output}: a sheet is written as .svg or .html")
    found = plan_question(
        question,
        eps=epsilon,
        error=_per_cent(precision, "precision"),
        share=None if share is None else _per_cent(share, "share"),
        device=device,
    )
    written = ""
    if output is not None:
        sheet = question_sheet(found)
        if output.suffix.lower() == ".html":
            sheet = _PAGE.format(title="Instructions", sheet=sheet)
        shared.write(output, sheet)
        written = f"\n{shared.wrote(output)}"
    answer = {**found.to_dict(), "output": None if output is None else str(output)}
    shared.say(answer, as_json, f"{found.explain()}{written}")


def _per_cent(text: str, name: str) -> Fraction:
    number = as_rational(text.removesuffix("%").strip(), name) / 100
    if not 0 < number < 1:
        raise BadNumber(f"--{name} should be between 0 and 100 per cent, not {text}")
    return number
