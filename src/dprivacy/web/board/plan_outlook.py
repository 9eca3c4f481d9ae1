"""What a plan promises and costs, found before any data is touched, for the page to show."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from dprivacy.errors import DPrivacyError
from dprivacy.release import (
    AnswerFigures,
    BuiltColumns,
    Forecast,
    Plan,
    RowBand,
    RowFigures,
    answer_figures,
    coded,
    forecast,
    hundredths,
    hundredths_down,
    learned,
    plan_with,
    row_band,
)
from dprivacy.typing import PlanLike
from dprivacy.web.shell.number_words import percent

_CODED = "share of numbers among codes: "


@dataclass(frozen=True)
class Outlook:
    """What a plan promises: the whole row first, then each answer, then what estimates are worth."""

    plan: Plan
    ahead: Forecast
    row: RowFigures
    answers: tuple[AnswerFigures, ...]
    errors: Mapping[str, str]  # of what a column is usually wanted for
    unsorted: str = ""

    @property
    def band(self) -> RowBand:
        """The first lines, as on the sheet for a board."""
        return row_band(self.row)

    @property
    def unordered(self) -> str:
        """What rows without order add, in words, or why they add nothing; empty where nobody asked."""
        shuffled = self.ahead.shuffled
        return self.unsorted if shuffled is None else shuffled.in_odds()


def usual_delta(rows: int) -> str:
    """The largest power of ten that is at most 1/n²."""
    return f"1e-{max(len(str(rows * rows - 1)), 1)}"


class Outlooks:
    """The outlook of a plan that is being edited: what did not change since the last is not found anew.

    It holds what the cards of a room say, and no longer than the room does.
    """

    def __init__(self) -> None:
        self.built = BuiltColumns()
        self.last: tuple[str, Outlook | None] = "", None

    def ask(self, raw: Mapping[str, Any], rows: int, *, unordered: bool = False) -> Outlook:
        """What a plan promises and costs; that a list was compared changes neither."""
        plan = plan_with(raw, self.built)
        asked = json.dumps([_unsourced(raw), rows, unordered], default=str)  # dates of TOML
        before, found = self.last
        if found is not None and before == asked:
            return replace(found, plan=plan)
        found = outlook(plan, rows, unordered=unordered)
        self.last = asked, found
        return found


def _unsourced(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A plan without a word on where its lists came from."""
    columns = {
        name: {key: value for key, value in spec.items() if key != "source"}
        for name, spec in raw["columns"].items()
    }
    return {**raw, "columns": columns}


def outlook(source: PlanLike, rows: int, *, unordered: bool = False) -> Outlook:
    """What a plan promises and costs, before any data is touched; also without order, where asked."""
    plan = Plan.read(source)
    why, ahead = "", None
    if unordered:
        try:
            ahead = forecast(plan, rows=rows, delta=usual_delta(rows))
        except DPrivacyError as reason:
            why = f"Without order nothing more can be said here: {reason}."
    ahead = ahead or forecast(plan, rows=rows)
    errors = {
        name: (_CODED if coded(column) else "") + learned(column, rows, name=column.name).error
        for column in plan.columns
        for name in (column.name, *column.columns)
    }
    return Outlook(plan, ahead, ahead.row, answer_figures(plan), errors, why)


HEAD = (
    "answer",
    "right by a blind guess",
    "right with the row",
    "right 75\u00a0% before: at most",
    "values kept on average (worst)",
    "shares and means off by at most, 19 times in 20 (noise and sampling)",
)


def worth(found: Outlook) -> list[list[str]]:
    """For each answer what a guesser gains and what estimates are worth, as texts under `HEAD`."""
    rows = []
    for answer in found.answers:
        kept, worst = answer.kept, answer.kept_worst
        alike = kept is None or worst is None or percent(kept) == percent(worst)
        rows.append(
            [
                answer.name,
                "–" if answer.blind is None else f"{hundredths_down(answer.blind)} %",
                "–" if answer.seen is None else f"{hundredths(answer.seen)} %",
                f"{hundredths(answer.after('3/4'))} %",
                "–" if kept is None else percent(kept) + ("" if alike else f" ({percent(worst)})"),
                found.errors[answer.name],
            ]
        )
    return rows
