"""The verb report: a page for the board that decides on a release."""

from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.standard_input import Input
from dprivacy.errors import NotApplicable
from dprivacy.release import card_ddi, report as report_on


@click.command(
    epilog=shared.examples(
        "dprivacy report plan.toml --rows 1200 -o sheet.html",
        "dprivacy report released.csv.card.json -o archive.html --archive",
        "dprivacy report released.csv.card.json -o codebook.xml --ddi",
    )
)
@click.argument("source", metavar="PLAN|CARD", type=Input())
@shared.output("Page to write, an .html file; with --ddi, an .xml file", required=True)
@click.option("--rows", type=int, help="For a plan: rows that the table will have (1,000).")
@click.option("--archive", is_flag=True, help="Write the second sheet, which holds everything.")
@click.option("--ddi", is_flag=True, help="Write the CARD as a DDI codebook for an archive.")
@shared.REPLACE
@shared.JSON
def report(
    source: Path,
    output: Path,
    rows: int | None,
    archive: bool,
    ddi: bool,
    replace: bool,
    as_json: bool,
) -> None:
    """Write the page on which a board decides, from a PLAN, or from the CARD of a released table.

    It is one A4 page of HTML; print it, or save it as PDF, from any browser. No table is read.
    """
    shared.refuse_existing(output, replace=replace)
    if ddi:
        if archive or rows is not None:
            raise NotApplicable(
                "a codebook is made from a card alone; leave --archive and --rows out"
            )
        output.write_text(card_ddi(source), encoding="utf-8")
        shared.say({"output": str(output)}, as_json, shared.wrote(output))
        return
    found = report_on(source, rows=rows, archive=archive)
    found.save(output, replace=replace)
    answer: dict[str, Any] = {"output": str(output), **found.to_dict()}
    shared.say(answer, as_json, f"{found.explain()}\n\n{shared.wrote(output)}")
