"""The room Verify: the ε of a transition matrix, what decides it, what it leaks, and a repair."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from nicegui import ui

from dprivacy.flow import capacity, gain, posterior_vulnerability, vulnerability
from dprivacy.model import Channel, about, as_space, shown, uniform
from dprivacy.verify import Mending, PrivacyVerdict, mended, privacy, privacy_profile
from dprivacy.web.pages.pasted_matrices import (
    DISTANCES,
    EXAMPLES,
    LIMITS,
    matrix_box,
    matrix_text,
    read_matrix_text,
)
from dprivacy.web.shell.controls import Choice, details, formula, heat, save_button, table
from dprivacy.web.shell.number_words import percent
from dprivacy.web.shell.open_room import OpenRoom, side_by_side
from dprivacy.web.shell.page_frame import small, text

USUAL = {"matrix": EXAMPLES["pram"][2], "space": "discrete", "eps": "", "mend": ""}
_SHOWN = 8


@dataclass(frozen=True)
class Finding:
    """What is said of one matrix."""

    channel: Channel
    verdict: PrivacyVerdict
    before: Any
    after: Any
    most: Any
    escape: tuple[str, str] | None
    mending: Mending | None
    distances: str


def examined(state: Mapping[str, str]) -> Finding:
    """Everything that the room says of a matrix, found by the library."""
    given = read_matrix_text(state["matrix"])
    space = as_space(state["space"], labels=given.rows)
    verdict = privacy(given, space, eps=state["eps"].strip() or None)
    channel = given if isinstance(given, Channel) else given.normalised()
    guess = gain.identity(channel.rows)
    prior = uniform(channel.rows)
    escape = None
    if verdict.smallest == math.inf and verdict.at_least is None:
        profile = privacy_profile(channel)
        escape = (about(profile.floor), about(profile.eps(profile.floor)))
    wanted = state["mend"].strip()
    return Finding(
        channel,
        verdict,
        vulnerability(prior, gain=guess),
        posterior_vulnerability(channel, prior=prior, gain=guess),
        capacity(channel),
        escape,
        mended(channel, space, eps=wanted) if wanted else None,
        DISTANCES[state["space"]],
    )


def headline(finding: Finding) -> str:
    """The answer in one line."""
    verdict = finding.verdict
    if verdict.at_least is not None:
        return verdict.explain().splitlines()[0]
    if verdict.smallest == math.inf:
        return "No finite ε: some answers give the truth away"
    level = f"ε = {about(verdict.smallest)} per unit of distance"
    if verdict.holds is False:
        return f"No: that level does not hold. The matrix has {level}"
    if verdict.eps != verdict.smallest:
        return f"Yes: it holds. The matrix has {level}"
    return f"This matrix has {level}"


def leak(finding: Finding) -> str:
    """What a guesser gains from the answer."""
    return (
        f"The best guess is right {percent(finding.before)} of the time before the answer is seen and "
        f"{percent(finding.after)} after, when all true values are equally likely. Whatever a guesser "
        f"knows, the answer multiplies their chance of being right by at most {about(finding.most)}."
    )


class VerifyRoom(OpenRoom):
    """The room, open: a matrix, its distances, a level to verify and one to repair it to."""

    name = "verify"
    title = "What does a transition matrix promise?"
    lead = (
        "Paste the matrix of a randomised question or of a PRAM run: how likely each released value is "
        "for each true one. It is read exactly, and what is said of it is proved."
    )
    usual = USUAL
    limits = LIMITS

    def build(self) -> None:
        """Lay out the panels."""
        with self.panel():
            self._questions()
        self.answer_panel("What it promises")

    def _questions(self) -> None:
        self.box = matrix_box("The matrix", self.state["matrix"], self, rows=9, began=self._begun)
        small(
            "Commas, tabs, semicolons or spaces; fractions (1/3) or decimals; labels or bare numbers."
        )
        self.space = Choice("How far apart are the values?", DISTANCES, self.state["space"])
        self.level = _level("Does this ε hold?", self.state["eps"], "to find the smallest")
        self.wanted = _level("Repair it to this ε", self.state["mend"], "for none")
        with side_by_side():
            self.share_button()
        self.space.on_change(self.changed)
        for field in (self.box, self.level, self.wanted):
            field.on_value_change(self.changed)

    def _begun(self, space: str) -> None:
        self.space.value = space

    async def changed(self) -> None:
        """Read the fields, and examine the matrix anew."""
        self.state.update(
            matrix=str(self.box.value or ""),
            space=self.space.value,
            eps=str(self.level.value or ""),
            mend=str(self.wanted.value or ""),
        )
        self.follow()
        now = dict(self.state)
        await self.answers.ask(lambda: examined(now), _show)


def _level(label: str, value: str, empty: str) -> ui.input:
    box = ui.input(label, value=value).classes("dp-mono")
    return box.props(f'outlined dense debounce=500 hint="leave empty {empty}"')


def _show(found: Finding) -> str:
    verdict = found.verdict
    text("p", headline(found), "dp-headline")
    small(f"Distances: {found.distances}.")
    if verdict.at_least is not None:
        text("p", verdict.smallest_words)
        small("What stands below is said of the matrix with each row divided by its sum.")
    if verdict.case_words:
        text("p", f"Deciding case: {verdict.case_words}.")
    if found.escape is not None:
        text(
            "p",
            f"At ε = {found.escape[1]} the smallest possible slack is δ = {found.escape[0]} (discrete "
            "metric).",
        )
    if verdict.guarantee is not None and verdict.holds:
        text("p", f"In words: {verdict.guarantee.explain()}", "dp-said")
    text("p", leak(found))
    size = f"{len(found.channel.rows)} by {len(found.channel.columns)}"
    heat(found.channel, f"Heat map of the matrix, {size}.")
    if found.mending is not None:
        _show_mending(found.mending)
    _show_decisive(verdict)
    formula(
        "C is ε·d-private when for all true values x, z and answers y",
        "    C[x, y] ≤ e^(ε·d(x, z)) · C[z, y].",
        "The smallest ε is the largest ln(C[x, y] / C[z, y]) / d(x, z).",
        "A guesser is right with Σ_y max_x π(x)·C[x, y]; no prior and no gain multiplies "
        "what a guess is worth by more than Σ_y max_x C[x, y].",
    )
    details("All in words", verdict.explain())
    return headline(found)


def _show_decisive(verdict: PrivacyVerdict) -> None:
    """The first of the pairs that break the level, or that reach it."""
    listed = verdict.violated or verdict.tight
    if not listed:
        return
    title = "Where it breaks the level" if verdict.violated else "Where it is tight"
    with ui.expansion(f"{title} ({len(listed)})"):
        rows = [
            [shown(t.y), shown(t.x), shown(t.z), about(t.ratio), about(t.distance)]
            for t in listed[:_SHOWN]
        ]
        table(
            f"The first {len(rows)} of {len(listed)}",
            ["answer", "likelier for", "than for", "times as likely", "distance"],
            rows,
        )


def _show_mending(found: Mending) -> None:
    with ui.element("div").classes("dp-good dp-stack"):
        text("h3", "A repair")
        text("p", _mending_words(found))
        heat(found.channel, "Heat map of the repaired matrix.")
        save_button("Save the repaired matrix", lambda: matrix_text(found.channel), "repaired.csv")


def _mending_words(found: Mending) -> str:
    if not found.share:
        return "Nothing needs to change: it keeps this level as it is."
    share: Fraction = found.share
    level = found.verdict.eps
    return (
        f"Let {percent(share)} of the answers be drawn from the average row, whatever the truth is. "
        f"Then ε = {about(level)} per unit of distance holds, which is proved."
    )
