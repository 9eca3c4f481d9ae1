"""Dictionaries that are tables: a row for each value or variable, with columns found by name."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dprivacy.errors import BadFile, UnclearTable
from dprivacy.release.codebooks.codebook_model import (
    End,
    Measure,
    Value,
    Variable,
    end_of,
    words_of,
)
from dprivacy.release.intake.cell_splitting import Splitting, splitting_of
from dprivacy.release.intake.spreadsheet_files import is_spreadsheet, sheet_text
from dprivacy.release.intake.text_encoding import encoding_of

_SAMPLE, _MOST_ROWS = 1 << 18, 500_000
# Names of columns in small letters, without what is not a letter or a digit.
_COLUMNS = {
    "variable": "variable variablename varname var name field fieldname column columnname "
    "variablefieldname",
    "label": "label description question variablelabel variabledescription fieldlabel questiontext "
    "definition",
    "code": "code value valuecode categorycode codevalue answercode option",
    "meaning": "meaning valuelabel codelabel category answer valuedescription codedescription "
    "categorylabel valuemeaning answerlabel",
    "choices": "values codes choices categories valuelabels allowedvalues permittedvalues options "
    "levels choicescalculationsorsliderlabels responseoptions",
    "low": "min low minimum lower rangemin lowerbound from textvalidationmin",
    "high": "max high maximum upper rangemax upperbound to textvalidationmax",
    "missing": "missing ismissing missingvalue",
    "parent": "parent parentcode broader above",
    "role": "role",
    "measure": "measure measurement scale measurementlevel",
    "unit": "unit units",
    "identifier": "identifier",
}
_YES = frozenset({"y", "yes", "true", "1", "x"})
_MEASURES: dict[str, Measure] = {
    "nominal": "nominal",
    "categorical": "nominal",
    "ordinal": "ordinal",
    "ordered": "ordinal",
    "scale": "scale",
    "continuous": "scale",
    "numeric": "scale",
}
_CHOICE = re.compile(r"\s*(.+?)\s*(?:=|:|,|\s[-–—]\s)\s*(.*?)\s*", re.DOTALL)


def row_variables(path: Path, data: bytes) -> list[Variable]:
    """The variables of a dictionary: a column names them, others give codes, choices or a range."""
    rows, where = _rows(path, data)
    if "variable" not in where or not {"code", "choices", "low", "high", "label"} & set(where):
        raise BadFile(
            f"{path}: a dictionary should have a column called variable, and others called label, code "
            "and meaning, or min and max; a list of codes alone is passed as --codes NAME=FILE"
        )
    found: dict[str, _Gathered] = {}
    for row in rows:
        if name := row.get("variable", ""):
            found.setdefault(name, _Gathered()).add(row)
    return [gathered.variable(name) for name, gathered in found.items()]


def row_codes(path: Path, data: bytes) -> tuple[Value, ...]:
    """The codes of a list: a column of codes, and perhaps of labels and of the code above."""
    rows, where = _rows(path, data)
    if "code" not in where:
        raise BadFile(f"{path}: a list of codes should have a column called code")
    return tuple(
        _value(row, row.get("meaning") or row.get("label", "")) for row in rows if row.get("code")
    )


@dataclass
class _Gathered:
    """What the rows of one variable say together."""

    labels: list[str] = field(default_factory=list)
    values: list[Value] = field(default_factory=list)
    meant: bool = False
    ends: tuple[End | None, End | None] = (None, None)
    words: dict[str, str] = field(default_factory=dict)

    def add(self, row: dict[str, str]) -> None:
        self.labels.append(row.get("label", ""))
        low, high = self.ends
        self.ends = (
            end_of(row.get("low", "")) if low is None else low,
            end_of(row.get("high", "")) if high is None else high,
        )
        if row.get("code"):
            self.meant = self.meant or "meaning" in row
            self.values.append(_value(row, row.get("meaning", row.get("label", ""))))
        self.values += choices_of(row.get("choices", ""))
        for key in ("role", "measure", "unit", "identifier"):
            self.words[key] = self.words.get(key, "") or row.get(key, "").lower()

    def variable(self, name: str) -> Variable:
        # A column of labels speaks of the codes where they differ from row to row.
        label = next(filter(None, self.labels), "") if len({*self.labels} - {""}) == 1 else ""
        if label and not self.meant:
            self.values = [
                replace(value, label="") if value.label == label else value for value in self.values
            ]
        marked = self.words["identifier"] in _YES
        return Variable(
            name,
            label,
            tuple(self.values),
            low=self.ends[0],
            high=self.ends[1],
            unit=self.words["unit"],
            measure=_MEASURES.get(self.words["measure"], ""),
            role=self.words["role"] or ("identifier" if marked else ""),
        )


def choices_of(cell: str) -> list[Value]:
    """The codes in one cell, such as "1=male; 2=female" or "1, Male | 2, Female".

    Examples
    --------
    >>> [(value.code, value.label) for value in choices_of("1, yes | 2, no, never")]
    [('1', 'yes'), ('2', 'no, never')]
    """
    if not cell.strip():
        return []
    mark = next((mark for mark in ("|", ";", "\n") if mark in cell), None)
    parts = [cell] if mark is None else cell.split(mark)
    if mark is None and not _CHOICE.fullmatch(cell):
        return []  # words about the values rather than the values
    found = []
    for part in filter(str.strip, parts):
        told = _CHOICE.fullmatch(part)
        found.append(Value(words_of(told[1]), words_of(told[2])) if told else Value(words_of(part)))
    return found


def _value(row: dict[str, str], label: str) -> Value:
    missing = row.get("missing", "").lower() in _YES
    return Value(row["code"], label, missing, row.get("parent", ""))


def _rows(path: Path, data: bytes) -> tuple[Iterator[dict[str, str]], dict[str, int]]:
    """The rows by what their cells mean, and which column means what."""
    table = _cells(path, data)
    heads = [re.sub(r"[^a-z0-9]", "", head.lower()) for head in table[0]] if table else []
    where: dict[str, int] = {}
    for meaning, names in _COLUMNS.items():
        at = [k for name in names.split() for k, head in enumerate(heads) if head == name]
        if at:
            where[meaning] = at[0]

    def rows() -> Iterator[dict[str, str]]:
        for row in table[1:]:
            yield {
                meaning: row[k].strip() if meaning == "choices" else words_of(row[k])
                for meaning, k in where.items()
                if k < len(row)
            }

    return rows(), where


def _cells(path: Path, data: bytes) -> Sequence[Sequence[str]]:
    if is_spreadsheet(path):
        return Splitting(",", True).rows(sheet_text(path, None).decode(), _MOST_ROWS)
    encoding, reason = encoding_of(data[:_SAMPLE])
    if encoding is None:
        raise UnclearTable(path, reason, "encoding")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        raise BadFile(f"{path}: cannot be read as {encoding}; save it as UTF-8") from None
    found, reason = splitting_of(text[:_SAMPLE])
    if found is None:
        raise BadFile(f"{path}: {reason}; save it with commas between its cells")
    if text.count("\n") > _MOST_ROWS:
        raise BadFile(f"{path}: has more than {_MOST_ROWS:,} rows, as no dictionary does")
    return replace(found, delimiter=found.delimiter or ",").rows(text, _MOST_ROWS)
