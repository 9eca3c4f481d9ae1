"""Small .xlsx files, made by hand, that would take gigabytes or minutes to read."""

import io
import zipfile
from collections.abc import Callable, Mapping

from support.made_spreadsheets import column_name, xlsx

FAR = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>'
_SHEET, _BOOK, _SHARED = "xl/worksheets/sheet0.xml", "xl/workbook.xml", "xl/sharedStrings.xml"
_FIRST = b'<row><c t="s"><v>0</v></c></row>'  # a cell with the first text of the list
_MAIN = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def plain() -> bytes:
    """What the bombs are made of: a sheet of a header and nine rows."""
    return xlsx({"one": [["town", "age"], *([f"t{k}", k] for k in range(9))]})


def repacked(data: bytes, change: Callable[[str, bytes], bytes]) -> bytes:
    """An archive with its parts changed: what becomes of each, by its name and its content."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as old,
        zipfile.ZipFile(out, "w") as new,
    ):
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name), change(name, old.read(name)), zipfile.ZIP_DEFLATED)
    return out.getvalue()


def in_sheet(old: bytes, new: bytes) -> bytes:
    """The plain sheet with something replaced in it."""
    return repacked(plain(), lambda name, text: text.replace(old, new) if name == _SHEET else text)


def with_shared(shared: bytes, cells: bytes) -> bytes:
    """A sheet of texts that are kept in a list of their own."""
    links = (
        b'<Relationship Id="shared" Type="http://schemas.openxmlformats.org/officeDocument/2006/'
        b'relationships/sharedStrings" Target="sharedStrings.xml"/></Relationships>'
    )
    linked = repacked(
        in_sheet(b"</sheetData>", cells + b"</sheetData>"),
        lambda name, text: (
            text.replace(b"</Relationships>", links) if "workbook.xml.rels" in name else text
        ),
    )
    return with_parts(linked, {_SHARED: shared})


def with_parts(data: bytes, parts: Mapping[str, bytes]) -> bytes:
    """An archive with more parts."""
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def unpacks_to_too_much() -> bytes:
    """Three hundred megabytes of the same byte; the directory says so."""
    return with_parts(plain(), {f"xl/media/{k}.bin": bytes(1 << 26) for k in range(5)})


def shrinks_too_well() -> bytes:
    """Twenty-five megabytes of rows, all of them the same."""
    return in_sheet(b"</sheetData>", b"<row><c><v>1</v></c></row>" * (1 << 20) + b"</sheetData>")


def lies_about_its_size(mebibytes: int = 512) -> bytes:
    """A sheet of half a gigabyte of spaces, and a directory that says it has a thousand bytes."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(plain())) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            with new.open(name, "w") as part:
                before, end, after = old.read(name).partition(b"</sheetData>")
                part.write(before)
                for _ in range(mebibytes if end else 0):
                    part.write(b" " * (1 << 20))
                part.write(end + after)
        told = new.getinfo(_SHEET).file_size.to_bytes(4, "little")
    return out.getvalue().replace(told, (1000).to_bytes(4, "little"))


def far_corners() -> bytes:
    """Two cells at opposite corners of the largest sheet: 17 thousand million cells between them."""
    return in_sheet(b"</sheetData>", FAR + b"</sheetData>")


def claimed_dimensions() -> bytes:
    """A sheet that says it is as large as can be, and is not."""
    said = b'<dimension ref="A1:XFD1048576"/><sheetData>'
    return in_sheet(b"<sheetData>", said)


def repeated_text(length: int = 30_000, cells: int = 100_000) -> bytes:
    """One long text in the list, and cells that say: that one."""
    shared = b"<sst %s><si><t>%s</t></si></sst>" % (_MAIN, b"a" * length)
    return with_shared(shared, _FIRST * cells)


def claimed_texts() -> bytes:
    """A list that says it has four thousand million texts."""
    shared = b'<sst %s count="4294967295" uniqueCount="4294967295"><si><t>a</t></si></sst>' % _MAIN
    return with_shared(shared, _FIRST)


def many_empty_texts(many: int = 700_000) -> bytes:
    """A list of texts that are all empty."""
    return with_shared(b"<sst %s>%s</sst>" % (_MAIN, b"<si/>" * many), b"")


def deep_elements(deep: int = 300_000) -> bytes:
    """Elements inside elements."""
    return in_sheet(b"</sheetData>", b"<r>" * deep + b"</r>" * deep + b"</sheetData>")


def deep_rich_text(deep: int = 100_000) -> bytes:
    """Runs of text inside runs of text."""
    inner = b"<r><t>" * deep + b"a" + b"</t></r>" * deep
    return with_shared(b"<sst %s><si>%s</si></sst>" % (_MAIN, inner), _FIRST)


def entities() -> bytes:
    """Names that stand for ten of the name before, nine times over."""
    lines = [b'<!ENTITY e0 "aaaaaaaaaa">']
    lines += [b'<!ENTITY e%d "%s">' % (k, b"&e%d;" % (k - 1) * 10) for k in range(1, 10)]
    shared = b"<!DOCTYPE sst [%s]><sst %s><si><t>&e9;</t></si></sst>" % (b"".join(lines), _MAIN)
    return with_shared(shared, _FIRST)


def one_sheet_a_thousand_times(rows: int = 100_000) -> bytes:
    """Sheets of many names, and all of them are the same part."""
    large = in_sheet(b"</sheetData>", b"<row><c><v>1</v></c></row>" * rows + b"</sheetData>")
    more = b"".join(b'<sheet name="s%d" sheetId="%d" r:id="s0"/>' % (k, k) for k in range(2, 1000))
    return repacked(
        large,
        lambda name, text: (
            text.replace(b"</sheets>", more + b"</sheets>") if name == _BOOK else text
        ),
    )


def many_parts(many: int = 40_000) -> bytes:
    """More parts than any spreadsheet has, all of them empty."""
    return with_parts(plain(), {f"{k}": b"" for k in range(many)})


def merged_cells(many: int = 100_000) -> bytes:
    """The same cells merged again and again."""
    merged = b'<mergeCell ref="A1:XFD1048576"/>' * many
    return in_sheet(b"</sheetData>", b"</sheetData><mergeCells>" + merged + b"</mergeCells>")


def wide_rows(rows: int = 60) -> bytes:
    """Rows of which only the last cell of sixteen thousand is filled."""
    last = column_name(16383).encode()
    cells = b"".join(
        b'<row r="%d"><c r="%s%d"><v>1</v></c></row>' % (k, last, k) for k in range(20, 20 + rows)
    )
    return in_sheet(b"</sheetData>", cells + b"</sheetData>")


def long_formula(length: int = 3_000_000) -> bytes:
    """A formula that has no end."""
    return in_sheet(
        b"</sheetData>", b"<row><c><f>" + b"(" * length + b"</f><v>1</v></c></row></sheetData>"
    )


BOMBS: dict[str, Callable[[], bytes]] = {
    one.__name__: one
    for one in (
        unpacks_to_too_much, shrinks_too_well, lies_about_its_size, far_corners, repeated_text,
        entities, one_sheet_a_thousand_times, many_parts,
    )
}  # fmt: skip
ODD: dict[str, Callable[[], bytes]] = {  # these may be read, if that is cheap
    one.__name__: one
    for one in (
        claimed_dimensions, claimed_texts, many_empty_texts, deep_elements, deep_rich_text,
        merged_cells, wide_rows, long_formula,
    )
}  # fmt: skip
