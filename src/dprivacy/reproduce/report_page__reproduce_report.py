"""Writing a run into a folder: a page for people, JSON for programs."""

import json
from os import PathLike
from pathlib import Path

from dprivacy.reproduce.report_page__reproduce_page import page
from dprivacy.reproduce.running_items import Reproduction

PAGE, DATA = "report.html", "report.json"


def write_report(
    run: Reproduction, folder: str | PathLike[str], *, pictures: bool = True
) -> tuple[Path, Path]:
    """Write a run as ``report.html`` and ``report.json``.

    Parameters
    ----------
    run
        What `reproduce` gave.
    folder
        Where to; it is made where it does not exist.
    pictures
        Whether to draw the figures.

    Returns
    -------
    (Path, Path)
        The page, which needs nothing else, and the data.
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    html, data = target / PAGE, target / DATA
    html.write_text(page(run, pictures=pictures), encoding="utf-8")
    data.write_text(
        json.dumps(run.to_dict(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    return html, data
