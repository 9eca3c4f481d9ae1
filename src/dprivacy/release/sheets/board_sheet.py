"""The sheet of a plan or a release, for the board that decides on it."""

from dataclasses import dataclass, replace
from html import escape
from os import PathLike
from pathlib import Path
from typing import Any

from dprivacy.errors import BadFile, BadNumber, NotApplicable, OutputExists
from dprivacy.model import Answer, file_text, plain
from dprivacy.release.files.own_files import card_path
from dprivacy.release.files.released_data import Released
from dprivacy.release.plans.card_plan import plan_on
from dprivacy.release.plans.release_card import Card, card_of_text
from dprivacy.release.plans.table_plan import Plan
from dprivacy.release.receiving.table_receiver import received
from dprivacy.release.sheets.archive_sheet import archive_page
from dprivacy.release.sheets.sheet_contents import SheetContents
from dprivacy.release.sheets.sheet_layout import sheet_page
from dprivacy.release.sheets.sheet_words import Case, contents
from dprivacy.typing import PathArg, PlanLike

USUAL_ROWS = 1000
_CARD = '"dprivacy.card"'
_LARGEST = 64 << 20


@dataclass(frozen=True)
class BoardSheet(Answer):
    """A sheet: its contents, and the page of HTML that shows them.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 3"}
    >>> sheet = report({"title": "Tea", "columns": {"tea": tea}}, rows=500)
    >>> print(sheet.explain().splitlines()[0])
    LIMITED. One person's row tells something, within a limit that means something.
    >>> sheet.html.startswith("<!doctype html>")
    True
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     sheet.save(f"{folder}/board.html").name
    'board.html'
    """

    contents: SheetContents
    html: str
    archive: bool = False

    exact = False  # figures are rounded up

    def explain(self) -> str:
        """The first lines of the sheet."""
        return "\n".join(self.contents.band.lines())

    def to_dict(self) -> dict[str, Any]:
        """The contents as plain data, without the page."""
        return {"archive": self.archive, "exact": self.exact, **self._contents()}

    def _contents(self) -> dict[str, Any]:
        told = {name: plain(value) for name, value in vars(self.contents).items()}
        for name in ("guesses", "learned", "crossed"):
            told[name] = [plain(vars(line)) for line in getattr(self.contents, name)]
        band = self.contents.band
        return {**told, "band": {"word": band.word, "tone": band.tone, "lines": band.lines()}}

    def save(self, path: PathArg, *, replace: bool = False) -> Path:
        """Write the page to a file, which ends in .html.

        Raises
        ------
        OutputExists
            When the file is there, unless `replace` says that it may be overwritten.
        """
        target = Path(path)
        if target.suffix.lower() not in (".html", ".htm"):
            raise BadFile(
                f"{target}: a sheet is a file that ends in .html, not in {target.suffix!r}"
            )
        if target.exists() and not replace:
            raise OutputExists(
                f"{target} already exists; choose another name, or pass replace=True to overwrite it"
            )
        try:
            target.write_text(self.html, encoding="utf-8")
        except OSError as reason:
            raise BadFile(f"{target}: cannot be written ({reason.strerror})") from None
        return target

    def _repr_html_(self) -> str:
        """The page in a frame, for a notebook."""
        frame = "width: 100%; height: 1120px; border: 1px solid #c6cfd8"
        page = escape(self.html, quote=True)
        return f'<iframe title="sheet" style="{frame}" srcdoc="{page}"></iframe>'


def report(
    source: PlanLike | Card | Released[Any], *, rows: int | None = None, archive: bool = False
) -> BoardSheet:
    """The sheet of a plan or of a released table: one printed page for a board to read and sign.

    Its figures follow from the plan. The archive sheet of a released table adds what that table says,
    corrected for the noise; the true table is never read.

    Parameters
    ----------
    source
        A plan (also the path of its file, or its mapping), the card of a released table (also the path
        of its file), or the released table itself (also its path, with its card beside it).
    rows
        How many rows the table will have, for a plan: 1,000 unless said. A card knows it.
    archive
        Whether to make the second sheet, which holds everything: every column, probabilities,
        definitions, the exact guarantee and the plan; of a released table also its corrected shares,
        means and two-way tables.

    Raises
    ------
    NotApplicable
        For the card of places, curves, texts or matches, which has no columns.

    Examples
    --------
    >>> tea = {"type": "categories", "values": ["yes", "no"], "epsilon": "ln 9"}
    >>> print(report({"columns": {"tea": tea}}).contents.band.word)
    WEAK
    """
    case = _case(source, rows)
    told = contents(case)
    return BoardSheet(told, archive_page(case, told) if archive else sheet_page(told), archive)


def _case(source: PlanLike | Card | Released[Any], rows: int | None) -> Case:
    if isinstance(source, Released):
        return replace(_case(source.card, rows), table=received(source))
    if isinstance(source, str | PathLike) and card_path(Path(source)).is_file():
        return replace(_case(card_path(Path(source)), rows), table=received(source))
    found = _read(source)
    if isinstance(found, Plan):
        return Case(found, _rows(USUAL_ROWS if rows is None else rows))
    if found.what != "table" or not found.plan:
        raise NotApplicable(
            f"a sheet is made for a table and its columns, not for a card of {found.what}; the card "
            "says in words what it protects"
        )
    if rows is not None:
        raise NotApplicable(f"a card knows its rows: {found.count:,}; leave rows out")
    return Case(plan_on(found.plan), found.count, found)


def _rows(rows: int) -> int:
    if type(rows) is not int or rows < 1:
        raise BadNumber(f"a table has a whole number of rows, at least one row, not {rows!r}")
    return rows


def _read(source: PlanLike | Card) -> Plan | Card:
    """A plan or a card, whichever a file is."""
    if isinstance(source, Card):
        return source
    if not isinstance(source, str | PathLike):
        return Plan.read(source)
    text = file_text(source, largest=_LARGEST)
    if text.lstrip().startswith("{") and _CARD in text[:200]:
        return card_of_text(text, name=str(source))
    return Plan.parse(text, name=str(source), folder=Path(source).parent)
