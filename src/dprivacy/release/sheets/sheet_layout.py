"""The board's sheet as one HTML file: self-contained, without script, one A4 page when printed."""

import math
from collections.abc import Iterable, Sequence
from html import escape

from dprivacy.release.sheets.sheet_contents import (
    GuessedAnswer,
    Learned,
    Sentence,
    SheetContents,
)
from dprivacy.release.sheets.sheet_style import CSS, INKS

_GREY, _BLACK, _EMPTY = "#5b6875", "#1a2430", "#77838f"
_HOLDS = (
    "every figure here follows from the plan, without a look at the data, and anybody who has it can "
    "compute it again · probabilities, definitions and reasons are on the archive sheet"
)
_ROOMY = 18  # lines beyond which a sheet is printed smaller, so that wide letters fit as well
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def page(title: str, body: str, *, dense: bool = False) -> str:
    """A whole HTML page; `body` is markup, printed smaller where it is `dense`."""
    main = '<main class="dense">' if dense else "<main>"
    return (
        '<!doctype html>\n<html lang="en-GB"><head><meta charset="utf-8">'
        f"<title>{escape(title)}</title>"
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<style>{CSS}</style></head>\n<body>{main}\n{body}\n</main></body></html>\n"
    )


def sheet_page(told: SheetContents) -> str:
    """The sheet that a board signs."""
    body = "\n".join(
        (
            "<h1>What this release tells about one person</h1>",
            f'<p class="about">{escape(f"{told.title} · {told.about}")}</p>',
            _band(told),
            _picture(told),
            "<h2>Guessing one answer of a person: how many guesses in 100 are right</h2>",
            guess_table(told.guesses),
            f'<p class="about">{escape(told.basis)}</p>',
            '<div class="two">',
            f"<section><h2>Not protected</h2>{bullets(told.open)}</section>",
            f"<section><h2>The limit holds as long as</h2>{bullets(told.conditions)}</section>",
            "</div>",
            "<h2>What can still be learned about everybody together</h2>",
            learned_table((*told.learned, *told.crossed)),
            f'<p class="about">{escape(told.learned_note)}</p>',
            _decision(),
            f'<p class="foot">{escape(told.foot)} · {_HOLDS}</p>',
        )
    )
    return page(f"{told.title}: what it tells about one person", body, dense=_dense(told))


def _dense(told: SheetContents) -> bool:
    lists = max(len(told.open), len(told.conditions))
    return len(told.guesses) + len(told.learned) + len(told.crossed) + lists > _ROOMY


def _band(told: SheetContents) -> str:
    first, *rest = map(_sentence, told.band.sentences)
    lines = [f'<strong class="word">{escape(told.band.word)}.</strong> {first}', *rest]
    told_all = "".join(f"<p>{line}</p>" for line in lines)
    return f'<section class="band {told.band.tone}" aria-label="The whole row">{told_all}</section>'


def _sentence(pieces: Sentence) -> str:
    return "".join(
        f"<b>{escape(piece)}</b>" if at % 2 else escape(piece) for at, piece in enumerate(pieces)
    )


def _picture(told: SheetContents) -> str:
    return (
        '<section class="picture" aria-label="Guesses that are right, of 100">'
        + _square(0.5, "without this release", "tossing a coin", _GREY)
        + _square(
            told.right,
            "with the person's row",
            "between the two most different sets of answers",
            INKS[told.band.tone],
        )
        + _square(1, "had the answers been published", "as they are", _BLACK)
        + "</section>"
    )


def _square(share: float, label: str, more: str, ink: str) -> str:
    """A hundred dots, of which those are filled that are right; 100 only where it is certain."""
    right = 100 if share >= 1 else min(99, math.ceil(round(share * 100, 6)))
    beyond = "+" if 0.99 < share < 1 else ""
    dots = "".join(
        f'<circle cx="{6 + 11 * (at % 10)}" cy="{6 + 11 * (at // 10)}" r="4.2" '
        + (f'fill="{ink}"' if at < right else f'fill="none" stroke="{_EMPTY}"')
        + "/>"
        for at in range(100)
    )
    name = escape(f"{right}{beyond} of 100 guesses are right {label}", quote=True)
    return (
        f'<figure><svg viewBox="0 0 111 111" role="img" aria-label="{name}">{dots}</svg>'
        f"<figcaption><b>{right}{beyond} of 100</b><br>{escape(label)}<br>"
        f"<span>{escape(more)}</span></figcaption></figure>"
    )


def guess_table(rows: Sequence[GuessedAnswer]) -> str:
    """How many guesses in 100 are right, a line for each answer."""
    head = (
        '<tr><th scope="col" rowspan="2" class="answer">answer</th>'
        '<th scope="colgroup" colspan="2" class="over">knowing nothing</th>'
        '<th scope="colgroup" colspan="3" class="over">knowing all their other answers:<br>'
        "right before → with the row, at most</th></tr>"
        '<tr><th scope="col">blind</th><th scope="col">with the row</th><th scope="col">50 →</th>'
        '<th scope="col">75 →</th><th scope="col">95 →</th></tr>'
    )
    return _table(
        "guesses", head, ((row.answer, row.blind, row.with_row, *row.limits) for row in rows)
    )


def learned_table(rows: Sequence[Learned]) -> str:
    """What the receiver can learn, and how well."""
    head = (
        '<tr><th scope="col" class="answer">from the release, corrected for the noise</th>'
        '<th scope="col">off by at most, 19 times in 20<br>(noise and sampling)</th>'
        '<th scope="col">without protection<br>(sampling alone)</th></tr>'
    )
    return _table("learned", head, ((row.statistic, row.error, row.without_noise) for row in rows))


def plain_table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table with a heading for each column."""
    cells = "".join(f'<th scope="col">{escape(words)}</th>' for words in heads)
    return _table("plain", f"<tr>{cells}</tr>", rows)


def _table(name: str, head: str, rows: Iterable[Sequence[str]]) -> str:
    body = "".join(
        f'<tr><th scope="row">{escape(first)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in rest)
        + "</tr>"
        for first, *rest in rows
    )
    table = f"<table class={name}><thead>{head}</thead><tbody>{body}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def bullets(items: Iterable[str]) -> str:
    """A list."""
    return "<ul>" + "".join(f"<li>{escape(item)}</li>" for item in items) + "</ul>"


def _decision() -> str:
    choices = ("release as described", "release with these conditions:", "do not release")
    boxes = " ".join(f'<span class="box"></span>{words}' for words in choices)
    lines = "".join(
        f"<div>{words}</div>" for words in ("for the board", "date", "for the data holder")
    )
    return f'<p class="choice"><b>Decision</b> {boxes}</p><div class="sign">{lines}</div>'
