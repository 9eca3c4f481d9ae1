"""The page around a map: one HTML file with its style, its few lines of script, and its promise."""

import html
import json
from dataclasses import dataclass

from dprivacy.geo import City, PlaceList, ProtectedPlaces, in_words
from dprivacy.release import Released
from dprivacy.viz.maps.clustered_dots import MOST_COUNTS, SIZES, Spots
from dprivacy.viz.maps.map_script import SCRIPT
from dprivacy.viz.style.picture_style import FAINT, INK, PALE, STYLES

REPORTED, TRUE = STYLES[0].colour, STYLES[1].colour
_SECRET = "This map shows TRUE places. They are secret: do not pass it on."
_SEEDED = "The noise came from a seed: nothing is guaranteed."


@dataclass(frozen=True, eq=False)
class Paper:
    """A drawing inside a frame, the names of degrees, the dots, and the units of a metre (or None)."""

    edge: float
    wide: float
    high: float
    inside: str
    around: str
    spots: dict[str, Spots]
    metre: float | None


def legend(
    reported: ProtectedPlaces, *, true: bool, public: City | PlaceList | None, radius: bool
) -> list[str]:
    """What the marks mean, as HTML.

    Parameters
    ----------
    reported
        What is drawn.
    true, radius
        Whether these are.
    public
        The prior or the list that is.
    """
    marks = [f'<span class="said">●</span> {len(reported):,} reported']
    if true:
        marks.append('<span class="true">○</span> true')
    marks.append("a number says how many lie there")
    if isinstance(public, PlaceList):
        marks.append(f"▫ {len(public):,} listed places")
    elif public is not None:
        marks.append("▨ prior: darker is likelier")
    if radius:
        marks.append(f"dashed: {in_words(reported.guarantee.radius)}, the radius of the guarantee")
    return marks


def page(
    reported: Released[ProtectedPlaces],
    paper: Paper,
    marks: list[str],
    *,
    secret: bool,
    title: str,
) -> str:
    """The whole page.

    Parameters
    ----------
    reported
        Whose guarantee stands above the map.
    paper
        The map.
    marks
        The legend.
    secret
        Whether true places are drawn.
    title
        A title.
    """
    warnings = [_SECRET] * secret + [_SEEDED] * (not reported.card.secure)
    frame = f'x="{paper.edge}" y="{paper.edge}" width="{paper.wide:.1f}" height="{paper.high:.1f}"'
    given = {
        "spots": {kind: spots.triples() for kind, spots in paper.spots.items()},
        "sizes": SIZES,
        "most": MOST_COUNTS,
        "metre": paper.metre,
    }
    return _TEMPLATE % {
        "title": html.escape(title or "Reported places"),
        "sentence": html.escape(reported.data.guarantee.brief()),
        "warnings": "".join(f'<p class="secret">{text}</p>' for text in warnings),
        "legend": " &emsp; ".join(f"<span>{mark}</span>" for mark in marks),
        "box": f"0 0 {paper.wide + 2 * paper.edge:.1f} {paper.high + 2 * paper.edge:.1f}",
        "clip": f'<clipPath id="frame"><rect {frame}/></clipPath>',
        "sea": f'<rect class="sea" {frame}/>',
        "inside": paper.inside,
        "around": f'{paper.around}<rect class="frame" {frame}/>',
        "style": MAP_STYLE,
        "given": json.dumps(given),
        "script": SCRIPT,
    }


MAP_STYLE = f"""
:root{{color-scheme:light dark;--ink:{INK};--faint:{FAINT};--pale:{PALE};--paper:#fff;--land:#efece4;
 --water:#fff;--coast:#b9b4a6;--said:{REPORTED};--true:{TRUE};--prior:#555}}
@media (prefers-color-scheme:dark){{:root{{--ink:#e6e6e6;--faint:#9a9a9a;--pale:#3a3f45;--paper:#15191d;
 --land:#262b2e;--water:#15191d;--coast:#5b6165;--said:#56b4e9;--true:#ff9a4d;--prior:#ccc}}}}
.map text{{fill:var(--ink)}} .map .degrees{{fill:var(--faint);font-size:12px}}
.map .degree{{fill:none;stroke:var(--pale)}} .map .frame{{fill:none;stroke:var(--faint)}}
.map .sea{{fill:var(--paper)}}
.map .land{{fill:var(--land);stroke:var(--coast);stroke-width:.8;fill-rule:evenodd}}
.map .water{{fill:var(--water);stroke:var(--coast);stroke-width:.8}}
.map .way{{fill:none;stroke:var(--coast);stroke-width:1}} .map .prior{{fill:var(--prior)}}
.map .listed{{fill:none;stroke:var(--faint);stroke-width:1}}
.map .radius{{fill:none;stroke:var(--ink);stroke-width:1.2;stroke-dasharray:4 3}}
.map .pair{{fill:none;stroke:var(--faint);stroke-width:.7}}
.map .said circle{{fill:var(--said);fill-opacity:.65}} .map .said .many{{fill-opacity:1}}
.map .true circle{{fill:none;stroke:var(--true);stroke-width:1.5}} .map .true .many{{fill:var(--paper)}}
.map g text{{font:bold 9px sans-serif;text-anchor:middle;dominant-baseline:central}}
.map .said text{{fill:var(--paper)}} .map .true text{{fill:var(--true)}}
.map .home,.map .bar{{fill:none;stroke:var(--true);stroke-width:3}}
.map .bar{{stroke:var(--ink);stroke-width:1.5}} .map .length{{text-anchor:end;font-size:17px}}
.map *{{vector-effect:non-scaling-stroke}}"""

# The policy forbids the page to fetch anything, and there is nothing in it to fetch.
_TEMPLATE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>%(title)s</title>
<style>%(style)s
body{margin:1.2rem auto;max-width:62rem;padding:0 1rem;font:15px/1.45 sans-serif}
body{color:var(--ink);background:var(--paper)} h1{font-size:1.25rem;margin:0 0 .3rem} p{margin:.3rem 0}
.secret{background:#b34700;color:#fff;padding:.4rem .7rem;font-weight:bold}
span.said{color:var(--said)} span.true{color:var(--true)} p span{white-space:nowrap}
.sheet{position:relative} svg{width:100%%;height:auto;display:block;touch-action:none;cursor:grab}
svg:focus-visible{outline:3px solid #f0a202}
.buttons{position:absolute;top:14px;right:14px;display:flex;flex-direction:column;gap:4px}
.buttons button{width:34px;height:34px;font-size:18px;border:1px solid var(--faint);border-radius:5px}
.buttons button{background:var(--paper);color:var(--ink)}
.bar{position:absolute;bottom:28px;right:14px;border:1px solid var(--ink);border-top:0;height:7px}
.bar span{position:absolute;bottom:3px;right:0;white-space:nowrap;font-size:12px}
.bar span{text-shadow:0 0 3px var(--paper),0 0 3px var(--paper)}
</style></head><body>
<h1>%(title)s</h1>%(warnings)s<p>%(sentence)s</p><p>%(legend)s</p>
<div class="sheet">
<svg class="map" viewBox="%(box)s" role="img" aria-label="%(title)s" tabindex="0">%(clip)s
%(sea)s<g clip-path="url(#frame)">%(inside)s</g>%(around)s</svg>
<div class="buttons"><button aria-label="zoom in">+</button><button aria-label="zoom out">−</button>
<button aria-label="show everything">⤢</button></div>
<div class="bar" hidden><span></span></div></div>
<p>The wheel, the buttons and the keys + and − zoom; dragging and arrows move; a double click or 0 shows
everything again.</p>
<script>
const given = %(given)s;
%(script)s</script></body></html>
"""
