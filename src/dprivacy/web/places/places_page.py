"""The room Places: a map, a radius in metres, what it costs, and the averaging attack."""

from pathlib import Path
from typing import Any

from nicegui import run, ui

from dprivacy.errors import DPrivacyError
from dprivacy.geo import AveragingAttack, City, city, in_words, metres, read_place_file
from dprivacy.viz import curves_spec
from dprivacy.web.places.place_trial import (
    REPORTS,
    TRIED,
    Trial,
    attack_rows,
    attacked,
    command,
    tried,
)
from dprivacy.web.shell.controls import (
    Choice,
    chooser,
    details,
    figure,
    formula,
    level_control,
    table,
)
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import choice, small, text

USUAL = {"eps": "ln 4", "radius": "200 m", "home": "52.0035, 5.004", "known": "town"}
_KNOWN = {
    "town": "an invented town, with its shops",
    "region": "only the region",
    "file": "public places of a file",
}
_STOPS = (20, 50, 100, 200, 500, 1000, 2000, 5000)  # metres that the slider stops at
_FILES = (".csv", ".parquet", ".geojson", ".json", ".gpx")
_LIMITS = {"known": lambda given: choice(given, {"town": 1, "region": 1}, "town")}


class PlacesRoom(OpenRoom):
    """The room, open: a promise, what everyone knows, and a place to try it on."""

    name = "places"
    title = "Where somebody was, and not quite"
    lead = (
        "Say within how many metres a place shall be hidden, and see on a map what reports look like, "
        "how far they lie from the truth, and what an attacker makes of many."
    )
    usual = USUAL
    limits = _LIMITS

    def build(self) -> None:
        """Lay out the panels."""
        self.own: City | None = None
        self.read: Path | None = None  # the last file that was chosen
        with self.panel("The promise, and a place to try it on"):
            self._radius_control()
            level_control(
                self.state["eps"],
                self._leveled,
                unit="within the radius",
                says="report",
                between="places",
            )
            self.home = ui.input("A place: latitude, longitude", value=self.state["home"])
            self.home.props('outlined dense debounce=500 hint="or click on the map"')
            self.home.on_value_change(self.changed)
            self._known_fields()
            with side_by_side():
                self.share_button()
        self.answer_panel("What that means")

    def _radius_control(self) -> None:
        at = _nearest_stop(self.state["radius"])
        with ui.element("div").classes("dp-field"):
            name = text("label", "Within which distance shall places be hidden?")
            self.slide = ui.element("input").classes("dp-range")
            self.slide.props(f"type=range min=0 max={len(_STOPS) - 1} step=1 value={at}")
            name.props(f"for={self.slide.html_id}")
            with ui.element("div").classes("dp-ends").props("aria-hidden=true"):
                text("span", "a house")
                text("span", "a town")
        self.radius = ui.input("Radius", value=self.state["radius"]).classes("dp-mono")
        self.radius.props('outlined dense debounce=400 hint="such as 200 m or 1.5 km"')
        self.slide.on("input", self._slid, js_handler="(e) => emit(e.target.value)", throttle=0.15)
        self.radius.on_value_change(self.changed)

    def _known_fields(self) -> None:
        self.known = Choice("What does everyone know?", _KNOWN, self.state["known"])
        self.known.on_change(self.changed)
        with ui.element("div").classes("dp-stack") as self.file:
            small(
                "Public places, such as shops or old check-ins: a table with latitudes and longitudes, "
                "GeoJSON or GPX. Never the places to protect. It stays on this machine."
            )
            chooser("Choose public places", self._taken, self, _FILES, self.largest)

    def _slid(self, event: Any) -> None:
        stop = _STOPS[min(max(int(event.args), 0), len(_STOPS) - 1)]
        self.radius.value = in_words(float(stop))

    async def _leveled(self, level: str) -> None:
        self.state["eps"] = level
        await self.changed()

    async def _taken(self, path: Path) -> None:
        """Take the places of the last file; what is typed while it is read stays."""
        self.read, home = path, self.home.value
        own = None
        try:
            own = await run.io_bound(_city, path)
        except DPrivacyError as reason:
            if self.read is path:
                self.refuse(reason)
        finally:
            if self.read is path or self.read != path:  # a later one may have its name
                path.unlink(missing_ok=True)
        if self.read is not path:
            return
        self.own = own
        if own is None:
            return
        if self.home.value == home and self.known.value == "file":
            self.home.value = f"{own.region.plane.lat:.5f}, {own.region.plane.lon:.5f}"
        await self.changed()

    def settings(self) -> dict[str, str]:
        """What a link to this page says; places of a file are in none."""
        own = self.known.value == "file"
        return self.state | ({"known": "", "home": ""} if own else {})

    async def changed(self) -> None:
        """Read the fields, and try anew."""
        own = self.own if self.known.value == "file" else None
        self.file.visible = self.known.value == "file"
        self.state |= {
            "radius": str(self.radius.value or "").strip(),
            "home": str(self.home.value or "").strip(),
            "known": self.known.value,
        }
        self.slide.props(f"value={_nearest_stop(self.state['radius'])}")
        self.slide.props["aria-valuetext"] = self.state["radius"]
        self.follow()
        if self.known.value == "file" and own is None:
            with self.answers.instead():
                text("p", "Choose a file of public places.")
            return
        now = dict(self.state)
        turn = await self.answers.ask(lambda: tried(now, own), lambda found: self._show(found, now))
        await self.answers.add(
            turn, lambda: attacked(now, own), lambda found: _show_attack(found, now["eps"])
        )

    def _show(self, found: Trial, now: dict[str, str]) -> str:
        text("p", found.headline, "dp-headline")
        text("p", found.promise, "dp-said")
        picture = ui.html(found.drawn.svg, sanitize=False).classes("dp-map")

        def clicked(event: Any) -> None:
            lat, lon = found.drawn.place(*(float(share) for share in event.args))
            self.home.value = f"{lat:.5f}, {lon:.5f}"

        picture.on("click", clicked, js_handler=_WHERE)
        small(
            f"The cross is the true place, the circle has the radius. {TRIED} invented people there "
            "report the dots; a number says how many lie there. Small grey squares are public places. "
            "Click to move the cross."
        )
        table(
            "How far reports lie from public places, at this one promise",
            ["", "mean", "95 % within", "mean at the worst place"],
            found.rows(),
        )
        details("What was counted in", found.steps)
        formula(
            "For true places D metres apart every report changes the odds by at most "
            "e^(rate·D + overhead), and rate·radius + overhead = ε.",
            "The noise v has the density C·e^(−rate·‖v‖): 2/rate metres on average.",
            "The best guess is the place with the least expected distance, for someone who sees the "
            "noisy place and knows the public ones. It looks at no true place, and so costs nothing.",
        )
        text("h3", "The same for a file")
        text("div", command(now, found.city), "dp-formula dp-code")
        return found.headline


def _show_attack(found: AveragingAttack, eps: str) -> None:
    text("h3", "People who report from home many times")
    text(
        "p",
        "An attacker takes the middle of all reports of a person. With fresh noise in each the middle "
        "comes ever closer to home, and levels add up. Permanent noise says the same again near a "
        "place where it spoke before, and counts once for each. It does show that somebody is back. "
        f"Receivers err by {in_words(found.jitter)} along each axis.",
    )
    table(
        "How far the attacker's estimate is from home (median), and how much the odds may change",
        ["reports", "fresh noise", "permanent noise"],
        attack_rows(found, eps),
    )
    curves = {
        "fresh noise": list(zip(REPORTS, found.fresh, strict=True)),
        "permanent noise": list(zip(REPORTS, found.permanent, strict=True)),
    }
    spec = curves_spec(curves, x="reports from home", y="median error (m)")
    ticks = {"tickvals": list(REPORTS), "ticktext": [f"{n:,}" for n in REPORTS]}
    spec["layout"]["xaxis"] |= {"type": "log", **ticks}
    spec["layout"]["yaxis"] |= {"rangemode": "tozero"}
    figure(spec, "The attacker's error falls with fresh noise and stays with permanent noise.")


def _city(path: Path) -> City:
    found = read_place_file(path)
    return city(places=(found.lat, found.lon))


def _nearest_stop(radius: str) -> int:
    try:
        wanted = float(metres(radius, what="the radius"))
    except DPrivacyError:
        return _STOPS.index(200)
    return min(range(len(_STOPS)), key=lambda k: abs(_STOPS[k] / wanted - 1))


_WHERE = """(e) => {
    const r = e.currentTarget.querySelector("svg").getBoundingClientRect();
    emit([(e.clientX - r.left) / r.width, (e.clientY - r.top) / r.height]);
}"""
