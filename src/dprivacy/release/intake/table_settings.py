"""What somebody has said about how a table is written: delimiter, encoding, header, sheet, decimals."""

import codecs
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, TypedDict

from dprivacy.errors import BadPlan, UnknownName

_DECIMALS = (".", ",")
_WORDS = {"comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t", "bar": "|", "space": " "}


class Written(TypedDict, total=False):
    """The same as keywords, which everything takes that reads a table of records."""

    delimiter: str | None
    encoding: str | None
    header: bool | None
    sheet: str | None
    decimal: str | None


@dataclass(frozen=True)
class TableSettings:
    r"""How a table is written, as far as somebody has said; None leaves it to the file.

    Parameters
    ----------
    delimiter
        What stands between cells: one character, or one of the words comma, semicolon, tab, bar, space.
    encoding
        As Python calls it, such as "utf-8", "cp1252" or "utf-16".
    header
        Whether the first line holds the names of the columns.
    sheet
        The sheet of a spreadsheet.
    decimal
        What stands before the decimals of numbers in a text table: "." or ",".

    Examples
    --------
    >>> TableSettings(delimiter="tab", header=False)
    TableSettings(delimiter='\t', encoding=None, header=False, sheet=None, decimal=None)
    """

    delimiter: str | None = None
    encoding: str | None = None
    header: bool | None = None
    sheet: str | None = None
    decimal: str | None = None

    def __post_init__(self) -> None:
        """Refuse what no file can be read with."""
        if self.delimiter is not None:
            given: Any = self.delimiter  # of a file, so that it may be anything
            mark = _WORDS.get(given, given) if isinstance(given, str) else ""
            if len(mark) != 1 or not mark.isascii() or mark in '"\r\n':
                raise BadPlan(
                    f"the delimiter should be one character such as ; or one of {', '.join(_WORDS)}, "
                    f"not {str(self.delimiter)[:20]!r}"
                )
            object.__setattr__(self, "delimiter", mark)
        if self.encoding is not None:
            object.__setattr__(self, "encoding", _known(self.encoding))
        if self.header not in (None, True, False):
            raise BadPlan(f"header should be true or false, not {str(self.header)[:20]!r}")
        if self.sheet is not None and not isinstance(self.sheet, str):
            raise BadPlan(f"sheet should be the name of a sheet, not {str(self.sheet)[:20]!r}")
        if self.decimal is not None and self.decimal not in _DECIMALS:
            raise BadPlan(f"decimal should be . or , and not {str(self.decimal)[:20]!r}")

    @classmethod
    def read(cls, given: Any, where: str) -> "TableSettings":
        """The settings of a plan's [table]."""
        known = [field.name for field in fields(cls)]
        if not isinstance(given, Mapping) or not set(given) <= set(known):
            raise BadPlan(f"{where}: [table] may have {', '.join(known)}, and no more")
        return cls(**given)

    def updated(self, **said: Any) -> "TableSettings":
        """These settings, with what is said now in place of what was said before."""
        return replace(self, **{key: value for key, value in said.items() if value is not None})

    def to_dict(self) -> dict[str, Any]:
        """What was said."""
        return {f.name: v for f in fields(self) if (v := getattr(self, f.name)) is not None}


NOTHING_SAID = TableSettings()


@dataclass(frozen=True)
class Intake:
    """What is known of a table before its file is opened: settings, and names of its columns."""

    settings: TableSettings = NOTHING_SAID
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, settings: TableSettings, names: Iterable[str]) -> "Intake":
        """Settings and names together."""
        return cls(settings, frozenset(names))


def _known(encoding: Any) -> str:
    """The name of an encoding of text, as Python writes it."""
    try:
        found = codecs.lookup(encoding)
        "".encode(found.name)  # not one that turns bytes into bytes
    except (LookupError, TypeError, ValueError):
        raise UnknownName(
            f"the encoding {str(encoding)[:20]!r} is not known; usual ones are utf-8, utf-16, cp1252 "
            "(Western European), cp1250 (Central European), shift_jis, gb18030"
        ) from None
    return found.name


AS_RELEASED = Intake(TableSettings(",", "utf-8", header=True, decimal="."))
