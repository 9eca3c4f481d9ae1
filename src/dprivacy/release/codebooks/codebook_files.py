"""`read_codebook`: a codebook from a file, whichever of the known formats its contents are in."""

import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from dprivacy.errors import BadFile
from dprivacy.model import as_path, digest, file_bytes
from dprivacy.release.codebooks.bounded_xml import Element, xml_tree
from dprivacy.release.codebooks.codebook_model import (
    Codebook,
    Value,
    Variable,
    require_codes,
    require_sound,
)
from dprivacy.release.codebooks.ddi_codebook import WITHOUT, ddi_variables, is_ddi
from dprivacy.release.codebooks.dictionary_rows import row_codes, row_variables
from dprivacy.release.codebooks.json_dictionary import json_variables
from dprivacy.release.codebooks.labelled_variables import labelled_variables
from dprivacy.release.codebooks.sdmx_lists import is_sdmx, sdmx_codes
from dprivacy.release.intake.labelled_files import is_labelled
from dprivacy.release.intake.spreadsheet_files import is_spreadsheet
from dprivacy.typing import PathArg

_LARGEST = 64 << 20  # bytes


def read_codebook(path: PathArg | None, *, codes: Mapping[str, PathArg] | None = None) -> Codebook:
    r"""Read what a codebook declares of the variables of a table.

    Read are dictionaries in JSON (as NIST writes them, lists of variables, Table Schema), tables with a
    row for each value or variable (CSV, or a spreadsheet with the extra `files`), DDI Codebook 1.2 to
    2.5, and with the extra `files` the labels in SPSS and Stata files. The format is seen from the
    contents.

    Parameters
    ----------
    path
        The file, of at most 64 MiB; None where lists of codes are all there is.
    codes
        For some variables a file that lists their codes: SDMX 2.1 or 3.0, or a table with the columns
        code, label and parent.

    Raises
    ------
    BadFile
        For a file that is none of these. Nothing of it is quoted: it may be a table of records.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "codes.csv")
    ...     _ = file.write_text("variable,code,meaning\nsex,1,male\nsex,2,female\n")
    ...     print(read_codebook(file).variable("sex").values[1])
    Value(code='2', label='female', missing=False, parent='')
    """
    if path is None:
        book = Codebook("lists of codes", "", ())
    else:
        path = as_path(path, "a codebook")
        if is_labelled(path):
            # Such a file holds records, of which not even a hash is published.
            variables = labelled_variables(path)
            sha256 = digest([str(variable) for variable in variables])
        else:
            data = file_bytes(path, largest=_LARGEST)
            variables, sha256 = _variables(path, data), _hash(data)
        require_sound(variables, str(path))
        note = f"codebook {path.name}, sha256 {sha256}"
        noted = tuple(replace(variable, note=note) for variable in variables)
        book = Codebook(path.name, sha256, noted)
    for name, file in (codes or {}).items():
        file = as_path(file, "a list of codes")
        data = file_bytes(file, largest=_LARGEST)
        values = _codes(file, data)
        require_codes(values, str(file))
        book = book.with_values(name, values, f"codes {file.name}, sha256 {_hash(data)}")
    return book


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _variables(path: Path, data: bytes) -> list[Variable]:
    start = "" if is_spreadsheet(path) else _start(data)
    if start in ("{", "["):
        return json_variables(data, str(path))
    if start != "<":
        return row_variables(path, data)
    root = _root(path, data)
    if is_ddi(root):
        return ddi_variables(root, str(path))
    if is_sdmx(root):
        raise BadFile(
            f"{path}: is a list of codes, which does not say of which variable; pass it as --codes "
            f"NAME={path.name} (codes=)"
        )
    raise BadFile(f"{path}: is XML, but neither a DDI codebook (1.2 to 2.5) nor an SDMX code list")


def _codes(path: Path, data: bytes) -> tuple[Value, ...]:
    if _start(data) != "<":
        return row_codes(path, data)
    root = _root(path, data)
    if not is_sdmx(root):
        raise BadFile(f"{path}: is XML, but not an SDMX code list (2.1 or 3.0)")
    return sdmx_codes(root, str(path))


def _root(path: Path, data: bytes) -> Element:
    return xml_tree(data, str(path), without=WITHOUT)


def _start(data: bytes) -> str:
    """The first character that is not a mark of an encoding, an empty byte or a space."""
    return data[:1024].lstrip(b"\xef\xbb\xbf\xff\xfe\0 \t\r\n")[:1].decode("ascii", "replace")
