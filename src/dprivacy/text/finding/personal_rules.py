"""What has a form of its own: addresses of all kinds, numbers with check digits, dates, links, codes.

No rule repeats a repetition, so that each takes time in proportion to the text.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_STREET = (
    r"(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|court|ct|boulevard|blvd|way|square|place"
    r"|terrace|crescent|close|row)"
)
_TOP = r"(?:com|org|net|edu|gov|io|co|info|uk|de|fr|it|eu)"
_DAY = r"(?:[0-2]?\d|3[01])"
_REST = r"[^\s<>\"')\]]"
_LOCAL = r"[\w.+%'-]{1,64}"
_DOT = r"(?:\.| ?[\[(] ?dot ?[\])] ?| dot )"
# In this order: what an earlier rule took, a later one does not look at. One of the second entry must
# be in the text, in small letters, for the rule to be tried at all; "0" stands for any digit.
_RULES = (
    ("email", "@", rf"{_LOCAL}@(?:[\w-]{{1,63}}\.){{1,6}}[a-z]{{2,24}}\b"),
    (
        "email",
        ("at)", "at]", "at )", "at ]", " dot "),
        rf"{_LOCAL} ?[\[(] ?at ?[\])] ?(?:[\w-]{{1,63}}{_DOT}){{1,6}}[a-z]{{2,24}}\b"
        rf"|{_LOCAL} at (?:[\w-]{{1,63}} dot ){{1,6}}{_TOP}\b",
    ),
    (
        "link",
        ".",
        rf"\b(?:https?|ftp)://{_REST}+|\bwww\.{_REST}+"
        rf"|\b(?:[a-z0-9-]{{2,63}}\.){{1,4}}{_TOP}(?:/{_REST}*)?\b",
    ),
    ("handle", "@", r"(?<![\w@.])@[a-z_][\w.]{1,38}\w"),
    ("iban", "0", r"(?a:\b[a-z]{2}\d{2}(?:[\s-]?[a-z0-9]{4}){2,7}(?:[\s-]?[a-z0-9]{1,4})?\b)"),
    (
        "ip",
        "0",
        r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?\b|\b(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}){0,6}\b",
    ),
    (
        "date",
        "0",
        rf"\b(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}}\b)?"
        rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?|\b{_MONTH} (?:19|20)\d\d\b"
        rf"|\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.]{_DAY}\b"
        rf"|\b{_DAY}[-/.]{_DAY}[-/.](?:(?:19|20)\d\d|\d\d)\b",
    ),
    ("card", "0", r"\b\d(?:[\s-]?\d){12,18}\b"),
    ("id", "-", r"\b\d{3}-\d{2}-\d{4}\b"),
    (
        "phone",
        "0",
        r"(?<![\w.,:/-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,4}\)[ .-]?)?\d{1,5}"
        r"(?:(?:[ .-]| {2,3}| ?/ ?)\d{2,8}){1,5}(?![\w/]|[.,:]\d)"
        r"|(?<![\w.,:/-])\+?\d(?: \d){6,14}(?![\w/]| \d|[.,:]\d)"
        r"|(?<![\w.,:/-])\+?\d{8,15}(?![\w/]|[.,:]\d)",
    ),
    (
        "address",
        "0",
        rf"\b(?:flat \d{{1,4}}[a-z]?, )?\d{{1,5}}[a-z]? (?:[a-z'-]+ ){{1,3}}{_STREET}\b\.?"
        r"(?: [NS]?[EW]?\b)?|\bP\.? ?O\.? ?Box \d{1,6}"
        r"|\b[a-zäöüß-]{2,40}(?:stra(?:ß|ss)e|weg|platz|gasse) \d{1,4}[a-z]?\b",
    ),
    (
        "id",
        "0",
        r"#\d{4,}|\b[a-z]{2}\d\d [a-z]{3}\b|\b[a-z]{2} ?(?:\d\d ?){3}[a-d]\b"
        r"|\b[a-z0-9]+(?:[-/][a-z0-9]+)*\b",
    ),
)
_COMPILED = tuple((kind, needs, re.compile(rule, re.I)) for kind, needs, rule in _RULES)
_GROUP = re.compile(r"[A-Za-z0-9]+")
_CHECKED = ("card", "iban")
_SHORTEST_CARD = 13
_DOUBLED = str.maketrans("0123456789", "0246813579")  # twice a digit, as the sum of its digits
_MOST_GROUPS = 10  # of a number that is looked for at the start of a longer one
_DIGIT, _DIGITS = re.compile(r"\d"), re.compile(r"[0-9]+")
_MEASURE = re.compile(r"[a-z]?\d[\d.:/-]*(?:st|nd|rd|th|am|pm|k|m|mb|gb|x|s)?", re.I)


def by_rules(text: str, taken: bytearray) -> Iterator[tuple[str, int, int]]:
    """What the rules find, as kind, start and end; it is marked in `taken`, one byte a character."""
    text = plainly_written(text)
    digits, small = _DIGIT.search(text) is not None, text.lower()
    for kind, needs, rule in _COMPILED:
        if not digits if needs == "0" else not any(part in small for part in needs):
            continue
        at = 0
        while found := rule.search(text, at):
            start, at = found.span()
            end = at
            while end > start and text[end - 1] in " .,;:'":
                end -= 1
            if kind in _CHECKED:
                end = _checked(kind, text[start:end]) + start
                if end == start:  # another number may begin where a group of this one does
                    following = _GROUP.search(text, _GROUP.match(text, start).end())  # type: ignore[union-attr]
                    at = len(text) if following is None else following.start()
                else:
                    at = end
            elif not _holds(kind, text[start:end]):
                continue
            if end <= start or taken.count(1, start, end):
                continue
            taken[start:end] = b"\1" * (end - start)
            yield kind, start, end


def plainly_written(text: str) -> str:
    """The text with spaces, hyphens, digits and signs of all kinds as ASCII has them, place by place.

    Examples
    --------
    >>> plainly_written("4111\u00a01111–1111\uff0d\uff11\u0661\u06f1\u0967 a\uff20b")
    '4111 1111-1111-1111 a@b'
    """
    return text if text.isascii() else text.translate(_alike())


@cache
def _alike() -> dict[int, str]:
    """Signs that look or mean the same as one of ASCII."""
    signs = {"＠": "@", "﹫": "@", "．": ".", "＋": "+", "：": ":", "／": "/", "（": "(", "）": ")"}
    made = {ord(sign): plain for sign, plain in signs.items()}
    for code in range(128, 0x1_FBFA):
        kind = unicodedata.category(chr(code))
        if kind == "Nd":
            made[code] = str(unicodedata.decimal(chr(code)))
        elif kind in ("Zs", "Pd"):
            made[code] = " " if kind == "Zs" else "-"
    return made


def _checked(kind: str, piece: str) -> int:
    """Where a number with check digits ends that a piece begins with; 0 where it begins with none."""
    groups = [group.end() for group in _GROUP.finditer(piece)]
    if len(groups) > _MOST_GROUPS:
        groups = groups[-1:]  # digits one by one: all of them, or none
    return next((end for end in reversed(groups) if _holds(kind, piece[:end])), 0)


def _holds(kind: str, piece: str) -> bool:
    """Whether the digits are right: check sums, numbers of digits."""
    digits = "".join(_DIGITS.findall(piece))
    if kind == "card":
        return len(digits) >= _SHORTEST_CARD and luhn(digits)
    if kind == "iban":
        return remainder_97("".join(_GROUP.findall(piece)))
    if kind == "phone":
        return 7 <= len(digits) <= 15
    if kind == "ip" and "." in piece:
        return all(int(part) < 256 for part in piece.partition(":")[0].split("."))
    if kind != "id" or piece.startswith("#"):
        return True
    if " " not in piece and len(digits) < (6 if piece.isdigit() else 3):
        return False
    return len(digits) >= 5 or not _MEASURE.fullmatch(piece)


def luhn(digits: str) -> bool:
    """Whether the last digit is that of Luhn's check sum, as on payment cards.

    Examples
    --------
    >>> luhn("4111111111111111"), luhn("4111111111111112")
    (True, False)
    """
    turned = digits[::-1]
    return sum(map(int, turned[::2] + turned[1::2].translate(_DOUBLED))) % 10 == 0


def remainder_97(code: str) -> bool:
    """Whether the check digits of an IBAN (ISO 7064, mod 97) are right.

    Examples
    --------
    >>> remainder_97("GB29NWBK60161331926819"), remainder_97("GB29NWBK60161331926818")
    (True, False)
    """
    turned = code[4:] + code[:4]
    return len(code) >= 15 and int("".join(str(int(c, 36)) for c in turned)) % 97 == 1
