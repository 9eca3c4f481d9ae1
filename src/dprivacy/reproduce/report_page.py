"""The report: one HTML page that needs nothing else (no script, no request), and JSON beside it."""

import json
import re
from html import escape
from itertools import groupby
from os import PathLike
from pathlib import Path

from dprivacy.errors import MissingExtra
from dprivacy.reproduce.items.catalogue_items import SOURCES
from dprivacy.reproduce.items.compared_lines import Drawing, Line
from dprivacy.reproduce.running_items import Outcome, Reproduction

PAGE, DATA = "report.html", "report.json"
_FOLD = 14  # lines of a table beyond which it starts folded
# A status, the class of its label, and what it means.
_STATUSES = {
    "as printed": ("same", "our value is the printed one, to the printed digits"),
    "in part": ("more", "some printed values are met, the others only about, on other data"),
    "differs": ("differs", "it is not, and the erratum named beside it says why"),
    "extended": ("more", "computed beyond what is printed, or on other data"),
    "skipped": ("skipped", "not computed: it says what is needed and how to get it"),
    "unexplained": ("wrong", "a difference that nobody has explained; there should be none"),
}

_STYLE = """
:root { --ink: #1c1e21; --pale: #5b6067; --rule: #d9dce0; --paper: #fff; --tint: #f5f6f8; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1.5rem; color: var(--ink); background: var(--paper);
  font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .3rem; }
h2 { font-size: 1.3rem; margin: 2.5rem 0 .5rem; border-bottom: 2px solid var(--ink); }
h3 { font-size: 1.05rem; margin: 0; }
a { color: #0b57a4; }
p { margin: .4rem 0; }
.pale { color: var(--pale); }
code { font-size: .92em; overflow-wrap: anywhere; }
article { margin: 1.2rem 0; padding: 1rem; border: 1px solid var(--rule); border-radius: 6px; }
article > header { display: flex; flex-wrap: wrap; gap: .3rem .8rem; align-items: baseline; }
article > header .place { color: var(--pale); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; margin: .6rem 0; font-size: .92rem; }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0;
  border-top: 1px solid var(--rule); overflow-wrap: anywhere; }
thead th { border-top: 0; color: var(--pale); font-weight: 600; }
td.value { font-variant-numeric: tabular-nums; }
td.mark { min-width: 7.5rem; }
.index td { padding-top: .15rem; padding-bottom: .15rem; }
.legend td:first-child { white-space: nowrap; width: 1%; }
.tag { display: inline-block; padding: 0 .45rem; border: 1px solid; border-radius: 3px;
  font-size: .85rem; overflow-wrap: normal; }
.same { color: #0a5c36; } .differs { color: #8a4500; } .more { color: #234e8f; }
.skipped { color: #5b6067; } .wrong { color: #fff; background: #a80f2b; }
summary { cursor: pointer; color: var(--pale); padding: .3rem 0; }
figure { margin: 1rem 0 0; } figure svg { max-width: 100%; height: auto; }
figcaption { color: var(--pale); font-size: .92rem; }
nav ul { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; padding: 0; list-style: none; }
.back { font-size: .85rem; margin-left: auto; }
@media (max-width: 40rem) {
  body { padding: .9rem; }
  article { padding: .7rem; }
  .lines thead { display: none; }
  .lines tr, .index tr { display: block; border-top: 1px solid var(--rule); padding: .35rem 0; }
  .lines td, .index td { display: block; border: 0; padding: 0; }
  .place { flex-basis: 100%; }
  .lines td[data-side]:not(:empty)::before { content: attr(data-side) ": "; color: var(--pale); }
}
@media print {
  body { max-width: none; padding: 0; font-size: 10pt; }
  .back, nav { display: none; }
  article { border: 0; border-top: 1px solid var(--rule); border-radius: 0; padding: .5rem 0; }
  figure, tr { break-inside: avoid; }
  a { color: inherit; text-decoration: none; }
}
"""


def page(run: Reproduction, *, pictures: bool = True) -> str:
    """The report of a run.

    Parameters
    ----------
    run
        What `reproduce` gave.
    pictures
        Whether to draw; without the extra ``[plot]`` pictures are left out, and the page says so.

    Returns
    -------
    str
        A whole HTML page.
    """
    groups = [(key, list(some)) for key, some in groupby(run.outcomes, lambda one: one.item.source)]
    body = [*_head(run, [key for key, _ in groups]), *_index(run)]
    for key, some in groups:
        title = "Errata" if key == "erratum" else f"{key}: {SOURCES[key]}"
        body.append(f'<section id="source-{key}"><h2>{escape(title)}</h2>')
        if key == "erratum":
            body.append(f"<p>{escape(SOURCES[key][0].upper() + SOURCES[key][1:])}.</p>")
        body += [_article(one, pictures) for one in some]
        body.append("</section>")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta http-equiv="Content-Security-Policy" '
            "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">",
            "<title>The sources of dprivacy, computed again</title>",
            f"<style>{_STYLE}</style></head><body>",
            *body,
            "</body></html>\n",
        ]
    )


def _head(run: Reproduction, sources: list[str]) -> list[str]:
    counts, values = run.counts, run.line_counts
    said = ", ".join(f"{count} {status}" for status, count in counts.items())
    every = sum(values.values())
    parts = ", ".join(f"{count} {mark}" for mark, count in values.items())
    lines = [
        '<header id="top"><h1>The sources of dprivacy, computed again</h1>',
        f"<p>{len(run.outcomes)} items: {escape(said)}. {every} values: {escape(parts)}.</p>",
        '<table class="legend"><tbody>',
    ]
    for status, (_, meaning) in _STATUSES.items():
        if status in counts or status in values:
            lines.append(f"<tr><td>{_tag(status)}</td><td>{escape(meaning)}</td></tr>")
    links = [
        f'<li><a href="#source-{key}">{"Errata" if key == "erratum" else key}</a></li>'
        for key in sources
    ]
    return [*lines, "</tbody></table>", f"<nav><ul>{''.join(links)}</ul></nav></header>"]


def _index(run: Reproduction) -> list[str]:
    lines = ['<section class="index"><h2>Contents</h2><div class="wide"><table><tbody>']
    for one in run.outcomes:
        key = escape(one.item.key)
        lines.append(
            f'<tr><td><a href="#{_anchor(one)}"><code>{key}</code></a></td>'
            f"<td>{escape(one.item.title)}</td><td>{_tag(one.status)}</td></tr>"
        )
    return [*lines, "</tbody></table></div></section>"]


def _article(one: Outcome, pictures: bool) -> str:
    item = one.item
    lines = [
        f'<article id="{_anchor(one)}"><header><h3>{escape(item.title)}</h3>'
        f'<span class="place">{escape(item.place)}</span>{_tag(one.status)}'
        '<a class="back" href="#top">top</a></header>',
        f'<p class="pale"><code>{escape(item.key)}</code></p>',
    ]
    if one.skipped:
        lines.append(f"<p>Skipped: {escape(one.skipped)}.</p>")
    if one.found.lines:
        lines.append(_table(one.found.lines))
    lines += [f"<p>{escape(note)}</p>" for note in one.found.notes]
    if pictures:
        lines += [_figure(drawing) for drawing in one.found.drawings]
    return "\n".join([*lines, "</article>"])


def _table(rows: tuple[Line, ...]) -> str:
    cells = [
        f'<tr><td>{escape(line.what)}</td><td class="value" data-side="printed">'
        f'{escape(line.printed)}</td><td class="value" data-side="ours">{escape(line.ours)}</td>'
        f'<td class="mark">{_tag(line.verdict)}</td></tr>'
        for line in rows
    ]
    table = (
        '<table class="lines"><thead><tr><th>value</th><th>printed</th><th>ours</th><th></th></tr>'
        f"</thead><tbody>{''.join(cells)}</tbody></table>"
    )
    if len(rows) > _FOLD:
        return f"<details><summary>{len(rows)} values</summary>{table}</details>"
    return table


def _figure(drawing: Drawing) -> str:
    from dprivacy.viz import svg

    try:
        drawn = svg(drawing.draw(), words=drawing.caption)
    except MissingExtra as refusal:
        drawn = f"<p>{escape(str(refusal))}</p>"
    return f"<figure>{drawn}<figcaption>{escape(drawing.caption)}</figcaption></figure>"


def _tag(status: str) -> str:
    """The status as a small label; its errata are links to their items."""
    kind = status.partition(":")[0]
    text = re.sub(r"\bE\d+\b", lambda m: f'<a href="#erratum-{m[0]}">{m[0]}</a>', escape(status))
    return f'<span class="tag {_STATUSES[kind][0]}">{text}</span>'


def _anchor(one: Outcome) -> str:
    return re.sub(r"[^A-Za-z0-9.-]", "-", one.item.key)


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

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> from dprivacy.reproduce import reproduce
    >>> written = write_report(reproduce("T:table-5.1"), mkdtemp(), pictures=False)
    >>> [path.name for path in written]
    ['report.html', 'report.json']
    """
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    html, data = target / PAGE, target / DATA
    html.write_text(page(run, pictures=pictures), encoding="utf-8")
    data.write_text(
        json.dumps(run.to_dict(), ensure_ascii=False, indent=2) + "\n", encoding="utf-8"
    )
    return html, data
