"""A plan as a form: one column a card, with the level of the slider unless it has its own."""

import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from dprivacy.errors import BadPlan
from dprivacy.mechanisms import FAMILIES
from dprivacy.numbers import read_number
from dprivacy.release import (
    SETTINGS,
    Plan,
    draft_from,
    draft_of,
    names_file,
    parsed_toml,
    read_codebook,
)
from dprivacy.web.board.crossed_columns import importance_in, tables_in, with_crossed

KINDS = {
    "categories": "categories",
    "ordered": "classes in order",
    "numbers": "numbers",
    "through": "publish as it is",
    "drop": "leave out",
}
NULLS = {
    "refuse": "refuse the table",
    "category": "one more category",
}
WRITTEN = "as the plan file says"
_TOP = {"title", "unit", "rows_per_person", "row", "drop", "pass_through", "columns", "joint"}


@dataclass(frozen=True)
class ColumnForm:
    """What a person says of one column.

    `level` is empty where the slider decides: per step between values, for numbers per tenth of the
    range. `rest` keeps what a plan file says and the form has no field for.
    """

    name: str
    kind: str = "categories"
    values: str = ""
    low: str = "0"
    high: str = "100"
    grid: str = "10"
    level: str = ""
    source: str = "declared"
    nulls: str = "refuse"
    mechanism: str = ""  # the usual one for its kind
    importance: str = ""  # where the columns share the level of the row; empty for 1
    crossed: str = ""  # the table for which it is drawn together with others
    compared: tuple[str, ...] = ()  # values from data that somebody has found in the questionnaire
    about: str = ""  # what a codebook says that it is
    why: str = ""  # why it is planned like this, where a codebook was followed
    labels: Mapping[str, str] = field(default_factory=dict)  # what a codebook says of its values
    rest: Mapping[str, Any] = field(default_factory=dict)

    @property
    def waits(self) -> bool:
        """Whether what it may hold was read off a table, and somebody has to confirm it."""
        return self.source == "data" and self.kind not in ("drop", "through")

    @property
    def codes(self) -> list[str]:
        """The codes beside its numbers or classes, but for those that its list has."""
        own = self.values.splitlines() if self.kind == "ordered" else []
        return [code for code in self.rest.get("codes", []) if str(code) not in own]

    @property
    def is_crossed(self) -> bool:
        """Whether it is drawn together with others, where there are others."""
        return bool(self.crossed) and self.kind in ("categories", "ordered")

    @property
    def listed(self) -> list[str | int]:
        """The values, a line each (or separated by commas on one line)."""
        parts = self.values.splitlines()
        if len(parts) == 1:
            parts = parts[0].split(",")
        texts = [part.strip() for part in parts if part.strip()]
        whole = all(_is_whole(words) for words in texts)
        return [int(words) for words in texts] if whole else list(texts)


FIRST = (
    ColumnForm("hobby", values="sports\ncars\ntelevision\ncomputer games\nreading"),
    ColumnForm("health", kind="ordered", values="bad\nfair\ngood\nvery good"),
)


@dataclass(frozen=True)
class Whole:
    """What a plan says of the table as a whole: its title, and whose the rows are.

    `unit` is "row" when every row is another person, or the column that identifies a person, who may
    have up to `most` rows. `shared` says that the slider is for the whole row, whose level the columns
    share. `tables` is what a plan file says of columns that are drawn together, and `rest` what it says
    and the page has no field for.
    """

    title: str = ""
    unit: str = "row"
    most: int = 1
    shared: bool = False
    tables: Mapping[str, Any] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> "Whole":
        """What a plan that was read says."""
        rest = {key: value for key, value in raw.items() if key not in _TOP}
        unit, most = raw.get("unit", "row"), raw.get("rows_per_person", 1)
        return cls(raw.get("title", ""), unit, most, "row" in raw, tables_in(raw), rest)

    def under_slider(self, level: str) -> "Whole":
        """The same, where tables that say what the slider would say leave it to the slider."""
        tables = {
            name: {k: v for k, v in told.items() if (k, v) != ("epsilon", level)}
            for name, told in self.tables.items()
        }
        return replace(self, tables=tables)


def plan_mapping(
    forms: Sequence[ColumnForm], level: str, whole: Whole | None = None
) -> dict[str, Any]:
    """The plan that forms describe, as the mapping that a plan file gives.

    Examples
    --------
    >>> plan_mapping([ColumnForm("sex", values="f, m")], "ln 3")["columns"]
    {'sex': {'type': 'categories', 'values': ['f', 'm'], 'epsilon': 'ln 3'}}
    """
    names = [form.name.strip() for form in forms]
    for at, name in enumerate(names, 1):
        if not name:
            raise BadPlan(f"column {at} has no name; give it the one that it has in the table")
        if names.count(name) > 1:
            raise BadPlan(f"two columns are called {name!r}; give each a name of its own")
    plan: dict[str, Any] = {}
    if whole is not None and whole.title:
        plan["title"] = whole.title
    if whole is not None and (whole.unit, whole.most) != ("row", 1):
        plan |= {"unit": whole.unit, "rows_per_person": whole.most}
    shared = whole is not None and whole.shared
    if shared:
        plan["row"] = level
    plan |= {} if whole is None else whole.rest
    plan["drop"] = [form.name.strip() for form in forms if form.kind == "drop"]
    plan["pass_through"] = [form.name.strip() for form in forms if form.kind == "through"]
    plan["columns"] = {
        form.name.strip(): _settings(form, level)
        for form in forms
        if form.kind not in ("drop", "through")
    }
    for form in forms:
        settings = plan["columns"].get(form.name.strip(), {})
        if shared:
            settings.pop("epsilon", None)
            if form.importance and form.kind != WRITTEN:
                settings["importance"] = importance_in(form.importance)
    crossed = {form.name.strip(): form.crossed for form in forms if form.is_crossed}
    return with_crossed(plan, crossed, {} if whole is None else whole.tables, level)


def _settings(form: ColumnForm, level: str) -> dict[str, Any]:
    if form.kind == WRITTEN:
        return dict(form.rest)
    found: dict[str, Any] = {"type": form.kind}
    if form.kind == "numbers":
        found |= {"low": form.low.strip(), "high": form.high.strip(), "grid": form.grid.strip()}
        found["epsilon"] = form.level or _per_unit(form, level)
    else:
        found |= {"values": form.listed, "epsilon": form.level or level}
    if form.source != "declared":
        found["source"] = form.source
    if form.nulls != "refuse":
        found["nulls"] = form.nulls
    if form.mechanism:
        found["mechanism"] = form.mechanism
    fitting = {key: value for key, value in form.rest.items() if key in SETTINGS[form.kind]}
    if "codes" in fitting:
        fitting["codes"] = form.codes
        if "values" in found and any(isinstance(code, str) for code in form.codes):
            found["values"] = [str(value) for value in form.listed]  # texts, as the codes are
    return {**found, **{key: value for key, value in fitting.items() if value != []}}


def _per_unit(form: ColumnForm, level: str) -> str:
    """The slider's level per tenth of the range."""
    low, high = (
        Fraction(read_number(side, f"column {form.name!r}")) for side in (form.low, form.high)
    )
    if high <= low:
        raise BadPlan(
            f"column {form.name!r}: the range begins at {form.low}, so it should end above it, not "
            f"at {form.high}"
        )
    return f"({10 / (high - low)}) * ({level})"


def mechanisms_for(kind: str) -> dict[str, str]:
    """The families that fit a kind of column, in words; the usual one under the empty name.

    Examples
    --------
    >>> list(mechanisms_for("categories").values())[:3]
    ['randomised response (usual)', 'exponential', 'subset response']
    """
    fitting = [family for family in FAMILIES if kind in family.fits and "codes" not in family.needs]
    words = {family.name: family.name.replace("_", " ") for family in fitting}
    usual = next((family.name for family in FAMILIES if kind in family.usual_for), None)
    if usual is None:
        return {"": WRITTEN}
    return {"": f"{words.pop(usual)} (usual)", **words}


def forms_of(raw: Mapping[str, Any]) -> list[ColumnForm]:
    """The forms of a plan that was read, each column with its own level."""
    forms = []
    tables = tables_in(raw)
    for name, spec in dict(raw.get("columns", {})).items():
        crossed = next((key for key, told in tables.items() if name in told["columns"]), "")
        weight = spec.get("importance", tables.get(crossed, {}).get("importance", ""))
        kind = spec.get("type", "")
        fields = {"type", "values", "epsilon", "source", "low", "high", "grid"}
        nulls = spec.get("nulls", "refuse")
        mechanism = spec.get("mechanism", "")
        fields |= {"nulls", "mechanism", "importance"}
        rest = {key: value for key, value in spec.items() if key not in fields}
        if kind not in ("categories", "ordered", "numbers"):
            forms.append(
                ColumnForm(name, WRITTEN, rest=dict(spec), source=spec.get("source", "declared"))
            )
            continue
        if nulls not in NULLS:
            rest["nulls"], nulls = nulls, "refuse"
        forms.append(
            ColumnForm(
                name,
                kind,
                "\n".join(str(value) for value in spec.get("values", [])),
                str(spec.get("low", "0")),
                str(spec.get("high", "100")),
                str(spec.get("grid", "10")),
                str(spec.get("epsilon", "")),
                spec.get("source", "declared"),
                nulls,
                mechanism if mechanism in mechanisms_for(kind) else "",
                str(weight),
                crossed,
                rest=rest,
            )
        )
    forms += [ColumnForm(name, "through") for name in raw.get("pass_through", [])]
    forms += [ColumnForm(name, "drop") for name in raw.get("drop", [])]
    return forms


def require_alone(raw: Mapping[str, Any]) -> None:
    """BadPlan where it names other files: one that came by a link must not open any."""
    columns = raw.get("columns")
    for name, spec in columns.items() if isinstance(columns, Mapping) else ():
        if isinstance(spec, Mapping) and names_file(spec):
            raise BadPlan(
                f"column {name!r} names a file, which the page does not open; use dprivacy sanitise"
            )


def read_plan(words: str) -> dict[str, Any]:
    """The mapping of a plan in TOML text, checked."""
    raw = parsed_toml(words, "the plan")
    require_alone(raw)
    Plan.read(raw)
    return dict(raw)


def under_slider(forms: Sequence[ColumnForm], level: str) -> list[ColumnForm]:
    """The forms, where those that say what the slider would say leave it to the slider."""
    return [
        replace(form, level="")
        if form.kind not in ("drop", "through", WRITTEN)
        and form.level == _settings(replace(form, level=""), level)["epsilon"]
        else form
        for form in forms
    ]


def common_level(forms: Sequence[ColumnForm], *tables: Mapping[str, Any]) -> str | None:
    """The level that most lists have, and tables of columns; None where there are none."""
    levels = [form.level for form in forms if form.kind in ("categories", "ordered") and form.level]
    levels += [str(told["epsilon"]) for told in tables if "epsilon" in told]
    return max(levels, key=levels.count) if levels else None


@dataclass(frozen=True)
class Description:
    """The columns of a table or a codebook as forms, why some are left out, and the rows if known."""

    forms: list[ColumnForm]
    left_out: Mapping[str, str]
    rows: int | None = None


def proposed(path: Path, **written: Any) -> Description:
    """The columns of a table under the slider, with values that occur in it marked as such."""
    draft = draft_of(path, **written)
    return Description(_under_slider_anew(draft.toml), draft.undecided, draft.rows)


def declared_by(codebook: Path, path: Path | None, **written: Any) -> Description:
    """The columns that a codebook declares, of a table if there is one."""
    book = read_codebook(codebook)
    draft = draft_from(book, path, **written)
    told = {variable.name: variable for variable in book.variables}
    forms = [
        replace(
            form,
            about=told[form.name].label,
            why=draft.reasons.get(form.name, ""),
            labels={str(value.code): value.label for value in told[form.name].values},
        )
        if form.name in told
        else form
        for form in _under_slider_anew(draft.toml)
    ]
    open_ones = [ColumnForm(name, "drop") for name in draft.undecided]
    return Description([*forms, *open_ones], draft.undecided, draft.rows)


def _under_slider_anew(toml: str) -> list[ColumnForm]:
    raw = tomllib.loads(toml)
    forms = [replace(form, level="") if form.kind != WRITTEN else form for form in forms_of(raw)]
    # A column that always says the same has nothing to protect, and its one value is not a domain.
    return [
        ColumnForm(form.name, "drop")
        if form.kind == "categories" and len(form.listed) < 2
        else form
        for form in forms
    ]


def confirmed(forms: Sequence[ColumnForm]) -> list[ColumnForm]:
    """The forms with every list that came from data taken as declared."""
    return [replace(form, source="declared") if form.source == "data" else form for form in forms]


def plan_text(raw: Mapping[str, Any]) -> str:
    """A plan as TOML text that `Plan.read` reads back.

    Examples
    --------
    >>> print(plan_text({"drop": [], "columns": {"sex": {"type": "categories", "values": ["f", "m"]}}}))
    drop = []
    <BLANKLINE>
    [columns."sex"]
    type = "categories"
    values = ["f", "m"]
    <BLANKLINE>
    """
    tables = ("columns", "joint")
    lines = [f"{key} = {_toml(value)}" for key, value in raw.items() if key not in tables]
    for table in tables:
        for name, spec in dict(raw.get(table, {})).items():
            lines += ["", f"[{table}.{_toml(name)}]"]
            lines += [f"{key} = {_toml(value)}" for key, value in spec.items()]
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(str(k))} = {_toml(v)}" for k, v in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(item) for item in value) + "]"
    return str(value)


def _is_whole(words: str) -> bool:
    """Whether a text is a whole number as one would write it: not 01, which is a code."""
    digits = words.removeprefix("-")
    return digits.isdecimal() and digits.isascii() and len(digits) < 19 and words == str(int(words))
