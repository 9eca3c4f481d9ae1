"""Computing items, and what came of them."""

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dprivacy.errors import MissingExtra
from dprivacy.model import Answer
from dprivacy.reproduce.items.catalogue_items import Item, Setting, chosen
from dprivacy.reproduce.items.compared_lines import Found
from dprivacy.reproduce.items.data_sets import missing

Telling = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Outcome(Answer):
    """An item and what came of it; `skipped` says why nothing did, and how that can be changed.

    Examples
    --------
    >>> one = reproduce("C:example-2").outcomes[0]
    >>> one.errata, one.status, bool(one)
    (['E1'], 'differs: see erratum E1', True)
    """

    item: Item
    found: Found
    seconds: float = 0.0
    skipped: str = ""
    exact = False  # some values are measured; a printed decimal is met to its digits

    @property
    def status(self) -> str:
        """The item in one phrase: the gravest of its lines."""
        if self.skipped:
            return "skipped"
        marks = [line.mark for line in self.found.lines]
        if "unexplained" in marks:
            return "unexplained"
        if "differs" in marks:
            return f"differs: see erratum {', '.join(self.errata)}"
        if "as printed" not in marks:
            return "extended"
        printed = sum(bool(line.printed) for line in self.found.lines)
        met = marks.count("as printed")
        return "as printed" if met == printed else f"in part: {met} of {printed} as printed"

    @property
    def errata(self) -> list[str]:
        """The errata that its lines name."""
        named = (line.erratum for line in self.found.lines if line.mark == "differs")
        return list(dict.fromkeys(named))

    def __bool__(self) -> bool:
        return self.status != "unexplained"

    def explain(self) -> str:
        """The item as text."""
        lines = [f"{self.item.key}: {self.item.title} ({self.item.place})", f"  {self.status}"]
        if self.skipped:
            lines.append(f"  {self.skipped}")
        for line in self.found.lines:
            printed = f"printed {line.printed}, " if line.printed else ""
            lines.append(f"  {line.what}: {printed}ours {line.ours} — {line.verdict}")
        return "\n".join(lines + [f"  {note}" for note in self.found.notes])

    def to_dict(self) -> dict[str, Any]:
        """The item and its lines as plain data."""
        return {
            **self.item.to_dict(),
            "status": self.status,
            "errata": self.errata,
            "lines": [line.to_dict() for line in self.found.lines],
            "notes": list(self.found.notes),
            "skipped": self.skipped or None,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class Reproduction(Answer):
    """The outcomes of a run; false if a value that should be as printed is not.

    Examples
    --------
    >>> found = reproduce(["C:example-2", "P:section-5"])
    >>> found.counts
    {'differs': 1, 'as printed': 1}
    >>> found.line_counts
    {'as printed': 8, 'differs': 3, 'extended': 2}
    """

    outcomes: tuple[Outcome, ...]
    exact = False  # some items are measured, on data or by drawing

    def __getitem__(self, key: str) -> Outcome:
        return next(one for one in self.outcomes if one.item.key == key)

    def __bool__(self) -> bool:
        return all(self.outcomes)

    @property
    def counts(self) -> dict[str, int]:
        """How many items came out how."""
        return dict(Counter(one.status.partition(":")[0] for one in self.outcomes))

    @property
    def line_counts(self) -> dict[str, int]:
        """How many printed or computed values came out how."""
        return dict(Counter(line.mark for one in self.outcomes for line in one.found.lines))

    def explain(self) -> str:
        """One line an item, then a sentence."""
        width = max((len(one.item.key) for one in self.outcomes), default=0)
        lines = [f"{one.item.key:<{width}}  {one.status}" for one in self.outcomes]
        said = ", ".join(f"{count} {status}" for status, count in self.counts.items())
        lines += ["", f"{len(self.outcomes)} items: {said}."]
        lines += [f"{one.item.key}: {one.skipped}" for one in self.outcomes if one.skipped]
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """Everything but the pictures as plain data."""
        return {
            "holds": bool(self),
            "items": self.counts,
            "values": self.line_counts,
            "outcomes": [one.to_dict() for one in self.outcomes],
        }


def reproduce(
    names: str | Iterable[str] = (),
    *,
    data: str | Path | None = None,
    everything: bool = False,
    progress: Telling | None = None,
) -> Reproduction:
    """Compute tables, examples, figures and errata of the sources, and compare with the print.

    Parameters
    ----------
    names
        Names of items, or patterns such as ``T:table-*``; none for all.
    data
        The folder with data sets (see `datasets`); items that need one are skipped without it.
    everything
        Whether to compute heavy items, which take minutes, although no name asks for them.
    progress
        Called with how many items are done, how many there are, and which comes next or how far it is.

    Returns
    -------
    Reproduction
        Outcomes; true if every value that should be as printed is.

    Examples
    --------
    >>> found = reproduce(["C:example-2"])
    >>> print(found["C:example-2"].status)
    differs: see erratum E1
    """
    wanted = [names] if isinstance(names, str) else list(names)
    items = chosen(wanted)
    patient = everything or bool(wanted)
    folder = None if data is None else Path(data)
    outcomes = []
    for done, one in enumerate(items):

        def tell(text: str, done: int = done, key: str = one.key) -> None:
            if progress is not None:
                progress(done, len(items), f"{key}: {text}" if text else key)

        tell("")
        outcomes.append(_outcome(one, Setting(folder, tell), patient))
    if progress is not None:
        progress(len(items), len(items), "")
    return Reproduction(tuple(outcomes))


def _outcome(one: Item, setting: Setting, patient: bool) -> Outcome:
    """One item: computed, or skipped with the reason."""
    lacking = missing(one.needs, setting.data)
    if one.heavy and not patient:
        slow = f"it takes minutes: ask for it by its name, {one.key}, or with --all"
        lacking = f"{slow}; {lacking}" if lacking else slow
    if lacking:
        return Outcome(one, Found(), skipped=lacking)
    start = time.perf_counter()
    try:
        result = one.compute(setting)
    except MissingExtra as refusal:
        return Outcome(one, Found(), skipped=str(refusal))
    return Outcome(one, result, time.perf_counter() - start)
