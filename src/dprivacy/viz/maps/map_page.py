"""The page around a map: one HTML file with its style, its few lines of script, and its promise."""

import html
from dataclasses import dataclass

from dprivacy.geo import ProtectedPlaces, in_words
from dprivacy.release import Released
from dprivacy.viz.style.picture_style import FAINT, INK, STYLES

MOST = 4_000  # places that are drawn
REPORTED, TRUE = STYLES[0].colour, STYLES[1].colour
_SECRET = "This map shows TRUE places. They are secret: do not pass it on."
_SEEDED = "The noise came from a seed: nothing is guaranteed."


@dataclass(frozen=True)
class Paper:
    """A drawing inside a frame, and what stands around the frame."""

    edge: float
    wide: float
    high: float
    inside: str
    around: str


def legend(reported: ProtectedPlaces, *, true: bool, prior: bool, radius: bool) -> list[str]:
    """What the marks mean, as HTML.

    Parameters
    ----------
    reported
        What is drawn.
    true, prior, radius
        Whether these are.
    """
    marks = [f'<span style="color:{REPORTED}">●</span> reported']
    if true:
        marks.append(f'<span style="color:{TRUE}">○</span> true')
    if prior:
        marks.append("▨ prior: darker is likelier")
    if radius:
        marks.append(f"dashed: {in_words(reported.guarantee.radius)}, the radius of the guarantee")
    if len(reported) > MOST:
        marks.append(f"{MOST:,} of {len(reported):,} places are drawn")
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
    return _TEMPLATE.format(
        title=html.escape(title or "Reported places"),
        sentence=html.escape(reported.data.guarantee.brief()),
        warnings="".join(f'<p class="secret">{text}</p>' for text in warnings),
        legend=" &emsp; ".join(marks),
        box=f"0 {paper.edge - 8:.0f} {paper.wide + 2 * paper.edge:.0f} {paper.high + 36:.0f}",
        clip=f'<clipPath id="frame"><rect {frame}/></clipPath>',
        inside=paper.inside,
        around=f'{paper.around}<rect {frame} fill="none" stroke="{FAINT}"/>',
        ink=INK,
    )


# The policy forbids the page to fetch anything, and there is nothing in it to fetch.
_TEMPLATE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
body{{margin:1.2rem auto;max-width:62rem;padding:0 1rem;font:15px/1.45 sans-serif}}
body{{color:{ink};background:#fff}} h1{{font-size:1.25rem;margin:0 0 .3rem}} p{{margin:.3rem 0}}
.secret{{background:#b34700;color:#fff;padding:.4rem .7rem;font-weight:bold}}
svg{{width:100%;height:auto;font:12px sans-serif;touch-action:none;cursor:grab}}
svg *{{vector-effect:non-scaling-stroke}}
</style></head><body>
<h1>{title}</h1>{warnings}<p>{sentence}</p><p>{legend}</p>
<svg viewBox="{box}" role="img" aria-label="{title}">{clip}
<g clip-path="url(#frame)">{inside}</g>{around}</svg>
<p>The wheel zooms, dragging moves, a double click shows everything again.</p>
<script>
const map = document.querySelector("svg"), full = map.viewBox.baseVal;
const whole = [full.x, full.y, full.width, full.height];
const dots = map.querySelectorAll(".said circle, .true circle");
let box = [...whole], held = null;
function show() {{
  map.setAttribute("viewBox", box.join(" "));
  for (const dot of dots) dot.setAttribute("r", 3 * box[2] / whole[2]);
}}
function at(e) {{
  const r = map.getBoundingClientRect();
  const x = box[0] + (e.clientX - r.left) / r.width * box[2];
  return [x, box[1] + (e.clientY - r.top) / r.height * box[3]];
}}
map.addEventListener("wheel", e => {{
  e.preventDefault();
  const [x, y] = at(e), k = Math.min(e.deltaY > 0 ? 1.25 : 0.8, whole[2] / box[2]);
  box = [x - (x - box[0]) * k, y - (y - box[1]) * k, box[2] * k, box[3] * k];
  if (box[2] >= whole[2]) box = [...whole];
  show();
}}, {{passive: false}});
map.addEventListener("pointerdown", e => {{ held = at(e); map.setPointerCapture(e.pointerId); }});
map.addEventListener("pointermove", e => {{
  if (!held) return;
  const [x, y] = at(e);
  box[0] += held[0] - x;
  box[1] += held[1] - y;
  show();
}});
map.addEventListener("pointerup", () => {{ held = null; }});
map.addEventListener("dblclick", () => {{ box = [...whole]; show(); }});
</script></body></html>
"""
