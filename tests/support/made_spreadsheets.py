"""Spreadsheets made by hand: the few parts of an .xlsx or .ods file that a reader needs."""

import datetime
import io
import zipfile
from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape, quoteattr

Rows = Sequence[Sequence[object]]
_MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_TYPES = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_MANIFEST = 'xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"'
_ZERO = datetime.datetime(1899, 12, 30)


def column_name(k: int) -> str:
    """0 is A, 26 is AA."""
    return (column_name(k // 26 - 1) if k >= 26 else "") + chr(ord("A") + k % 26)


def xlsx(
    sheets: Mapping[str, Rows],
    *,
    more: Mapping[str, bytes] | None = None,
    hidden: Mapping[str, str] | None = None,
) -> bytes:
    """An .xlsx file; None is an empty cell. Sheets may be "hidden" or "veryHidden"."""
    parts = {
        "[Content_Types].xml": _types(len(sheets)),
        "_rels/.rels": _relations({"rId1": ("officeDocument", "xl/workbook.xml")}),
        "xl/workbook.xml": _workbook(sheets, hidden or {}),
        "xl/_rels/workbook.xml.rels": _relations({
            **{f"s{k}": ("worksheet", f"worksheets/sheet{k}.xml") for k in range(len(sheets))},
            "styles": ("styles", "styles.xml"),
        }),
        "xl/styles.xml": f'<styleSheet {_MAIN}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/>'
        '<xf numFmtId="22"/></cellXfs></styleSheet>',
        **{f"xl/worksheets/sheet{k}.xml": _sheet(rows) for k, rows in enumerate(sheets.values())},
    }  # fmt: skip
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in {**parts, **(more or {})}.items():
            archive.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)  # at no time
    return out.getvalue()


def ods(rows: Rows) -> bytes:
    """An .ods file of one sheet of texts."""
    office = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
    table = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"
    words = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
    cells = "".join(
        "<table:table-row>" + "".join(
            f'<table:table-cell office:value-type="string"><text:p>{escape(str(cell))}</text:p>'
            "</table:table-cell>" for cell in row
        ) + "</table:table-row>" for row in rows
    )  # fmt: skip
    content = (
        f'<office:document-content xmlns:office="{office}" xmlns:table="{table}" xmlns:text="{words}">'
        f'<office:body><office:spreadsheet><table:table table:name="one">{cells}</table:table>'
        "</office:spreadsheet></office:body></office:document-content>"
    )
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in {
            "mimetype": "application/vnd.oasis.opendocument.spreadsheet",
            "content.xml": content,
            "META-INF/manifest.xml": f"<manifest:manifest {_MANIFEST}/>",
        }.items():
            archive.writestr(zipfile.ZipInfo(name), text)
    return out.getvalue()


def _types(count: int) -> str:
    kind = "http://schemas.openxmlformats.org/package/2006/content-types"
    sheets = "".join(
        f'<Override PartName="/xl/worksheets/sheet{k}.xml" ContentType="{_TYPES}.worksheet+xml"/>'
        for k in range(count)
    )
    return (
        f'<Types xmlns="{kind}"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPES}.sheet.main+xml"/>'
        f"{sheets}</Types>"
    )


def _relations(links: Mapping[str, tuple[str, str]]) -> str:
    kind = "http://schemas.openxmlformats.org/package/2006/relationships"
    listed = "".join(
        f'<Relationship Id="{key}" Type="{_LINKS}/{what}" Target="{target}"/>'
        for key, (what, target) in links.items()
    )
    return f'<Relationships xmlns="{kind}">{listed}</Relationships>'


def _workbook(names: Mapping[str, object], hidden: Mapping[str, str]) -> str:
    sheets = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{k + 1}" state="{hidden.get(name, "visible")}" '
        f'r:id="s{k}"/>'
        for k, name in enumerate(names)
    )
    return f'<workbook {_MAIN} xmlns:r="{_LINKS}"><sheets>{sheets}</sheets></workbook>'


def _sheet(rows: Rows) -> str:
    lines = "".join(
        f'<row r="{i}">{"".join(_cell(f"{column_name(j)}{i}", c) for j, c in enumerate(row))}</row>'
        for i, row in enumerate(rows, 1)
    )
    return f"<worksheet {_MAIN}><sheetData>{lines}</sheetData></worksheet>"


def _cell(place: str, value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
    if isinstance(value, datetime.datetime):
        days = (value - _ZERO) / datetime.timedelta(days=1)
        style = 1 if days == int(days) else 2
        return f'<c r="{place}" s="{style}"><v>{days}</v></c>'
    if isinstance(value, int | float):
        return f'<c r="{place}"><v>{value}</v></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'
