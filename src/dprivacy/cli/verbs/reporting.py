"""The verbs report and schema: what a board decides on, and what an archive keeps."""

import json
from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.standard_input import Input
from dprivacy.errors import NotApplicable
from dprivacy.release import card_ddi, card_sdmx, report as report_on
from dprivacy.store import schema as schema_of


@click.command(
    epilog=shared.examples(
        "dprivacy report plan.toml --rows 1200 -o sheet.html",
        "dprivacy report released.csv -o archive.html --archive",
        "dprivacy report released.csv.card.json -o codebook.xml --ddi",
        "dprivacy report released.csv.card.json -o structure.xml --sdmx",
    )
)
@click.argument("source", metavar="PLAN|CARD|TABLE", type=Input())
@shared.output("Page to write, .html; with --ddi or --sdmx, an .xml file", required=True)
@click.option("--rows", type=int, help="For a plan: rows that the table will have (1,000).")
@click.option("--archive", is_flag=True, help="Write the second sheet, which holds everything.")
@click.option("--ddi", is_flag=True, help="Write the CARD as a DDI codebook for an archive.")
@click.option("--sdmx", is_flag=True, help="Write the CARD as an SDMX data structure.")
@shared.REPLACE
@shared.JSON
def report(
    source: Path,
    output: Path,
    rows: int | None,
    archive: bool,
    ddi: bool,
    sdmx: bool,
    replace: bool,
    as_json: bool,
) -> None:
    """Write the page on which a board decides, from a PLAN, a released TABLE or its CARD.

    It is one A4 page of HTML; print it, or save it as PDF, from any browser. The archive sheet of a
    released TABLE adds what the table says, corrected for the noise. The true table is never read.
    """
    shared.refuse_existing(output, replace=replace)
    if ddi or sdmx:
        if archive or rows is not None or (ddi and sdmx):
            raise NotApplicable(
                "one description is made from a card alone; leave --archive and --rows out, and pass "
                "--ddi or --sdmx"
            )
        written = card_ddi(source) if ddi else card_sdmx(source)
        shared.write(output, written)
        shared.say({"output": str(output)}, as_json, shared.wrote(output))
        return
    found = report_on(source, rows=rows, archive=archive)
    found.save(output, replace=replace)
    answer: dict[str, Any] = {"output": str(output), **found.to_dict()}
    shared.say(answer, as_json, f"{found.explain()}\n\n{shared.wrote(output)}")


@click.command(
    epilog=shared.examples("dprivacy schema card", "dprivacy schema mechanism --version 2")
)
@click.argument("noun", metavar="NOUN")
@click.option("--version", type=int, help="Version, for a noun that is written in several.")
@shared.JSON
def schema(noun: str, version: int | None, as_json: bool) -> None:
    """Print the JSON Schema of a kind of file, for whoever checks files without this program.

    NOUN is channel, space, mechanism, rounds, plan, card or receipt; or a part of other files: ledger
    (an entry), journal (a record), collection, answer (estimates as JSON).
    """
    found = schema_of(noun, version=version)
    shared.say(found, as_json, json.dumps(found, indent=1, ensure_ascii=False))
