"""DDI Codebook 1.2 to 2.5, as archives publish it: variables with categories, ranges and groups."""

from dprivacy.errors import BadFile
from dprivacy.release.codebooks.bounded_xml import Element
from dprivacy.release.codebooks.codebook_model import (
    End,
    Measure,
    Value,
    Variable,
    end_of,
    whole_of,
)

# What archives add by the thousand and says nothing of the codes.
WITHOUT = frozenset({
    "sumStat", "catStat", "stdyDscr", "docDscr", "fileDscr", "otherMat", "qstn", "txt", "notes",
})  # fmt: skip
_MOST_MISSING = 30  # codes in a range of missing ones
_MEASURES: dict[str, Measure] = {
    "nominal": "nominal",
    "ordinal": "ordinal",
    "interval": "scale",
    "ratio": "scale",
    "percent": "scale",
}


def is_ddi(root: Element) -> bool:
    """Whether a document is a DDI codebook."""
    return root.tag.lower() == "codebook"


def ddi_variables(root: Element, name: str) -> list[Variable]:
    """The variables that a codebook describes."""
    found = [_variable(element) for element in root.inside("var")]
    if not found:
        raise BadFile(f"{name}: is a DDI codebook that describes no variable (dataDscr/var)")
    return found


def _variable(var: Element) -> Variable:
    gone = {
        code
        for invalid in var.all("invalrng")
        for item in invalid.children
        for code in _codes(item)
    }
    groups, group_of = _groups(var)
    values = tuple(
        Value(
            code,
            category.words("labl"),
            category.get("missing").upper() == "Y" or code in gone,
            group_of.get(category.get("ID"), ""),
        )
        for category in var.all("catgry")
        if (code := category.words("catValu"))
    )
    low, high, unit = _range(var)
    return Variable(
        var.get("name") or var.get("ID"),
        var.words("labl"),
        _with_gone(values, gone),
        groups,
        low,
        high,
        unit,
        _measure(var),
        "weight" if var.get("wgt") in ("wgt", "true", "1") else "",
    )


def _codes(item: Element) -> set[str]:
    """The missing codes of an item or a short range."""
    low, high = whole_of(item.get("min")), whole_of(item.get("max"))
    if low is not None and high is not None and 0 <= high - low < _MOST_MISSING:
        return {str(code) for code in range(low, high + 1)}
    return {item.get(key) for key in ("VALUE", "min", "max")} - {""}


def _with_gone(values: tuple[Value, ...], gone: set[str]) -> tuple[Value, ...]:
    """The categories, and missing codes that have none."""
    listed = {value.code for value in values}
    return (*values, *(Value(code, missing=True) for code in sorted(gone - listed)))


def _measure(var: Element) -> Measure:
    said = _MEASURES.get(var.get("nature").lower(), "")
    return said or ("scale" if var.get("intrvl") == "contin" else "")


def _range(var: Element) -> tuple[End | None, End | None, str]:
    for valid in var.all("valrng"):
        for part in valid.all("range"):
            return end_of(part.get("min")), end_of(part.get("max")), part.get("UNITS")
    return None, None, ""


def _groups(var: Element) -> tuple[tuple[Value, ...], dict[str, str]]:
    """The groups of categories, and in which group each category is, by its ID."""
    above: dict[str, str] = {}
    group_of: dict[str, str] = {}
    named = [(group, group.get("ID")) for group in var.all("catgryGrp") if group.get("ID")]
    for group, name in named:
        above |= dict.fromkeys(group.get("catGrp").split(), name)
        group_of |= dict.fromkeys(group.get("catgry").split(), name)
    groups = tuple(
        Value(name, group.words("labl"), parent=above.get(name, "")) for group, name in named
    )
    return groups, group_of
