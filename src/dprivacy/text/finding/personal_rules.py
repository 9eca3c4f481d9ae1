"""What has a form of its own: addresses of all kinds, numbers with check digits, dates, links, codes.

No rule repeats a repetition, so that each takes time in proportion to the text.
"""

import re
from collections.abc import Iterator

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
# In this order: what an earlier rule took, a later one does not look at. The second entry must be in
# the text for the rule to be tried at all; "0" stands for any digit.
_RULES = (
    ("email", "@", r"[\w.+%'-]{1,64}@(?:[\w-]{1,63}\.){1,6}[a-z]{2,24}\b"),
    (
        "link",
        ".",
        rf"\b(?:https?|ftp)://{_REST}+|\bwww\.{_REST}+"
        rf"|\b(?:[a-z0-9-]{{2,63}}\.){{1,4}}{_TOP}(?:/{_REST}*)?\b",
    ),
    ("handle", "@", r"(?<![\w@.])@[a-z_][\w.]{1,38}\w"),
    ("iban", "0", r"\b[a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,4})?\b"),
    (
        "ip",
        "0",
        r"\b(?:\d{1,3}\.){3}\d{1,3}\b|\b(?:[0-9a-f]{1,4}:){2,7}(?::?[0-9a-f]{1,4}){0,6}\b",
    ),
    (
        "date",
        "0",
        rf"\b(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH}(?:,? \d{{4}}\b)?"
        rf"|\b{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?\b(?:,? \d{{4}}\b)?|\b{_MONTH} (?:19|20)\d\d\b"
        rf"|\b(?:19|20)\d\d[-/.](?:0?[1-9]|1[0-2])[-/.]{_DAY}\b"
        rf"|\b{_DAY}[-/.]{_DAY}[-/.](?:(?:19|20)\d\d|\d\d)\b",
    ),
    ("card", "0", r"\b\d(?:[ -]?\d){12,18}\b"),
    ("id", "-", r"\b\d{3}-\d{2}-\d{4}\b"),
    (
        "phone",
        "0",
        r"(?<![\w.,:/-])(?:\+\d{1,3}[ .-]?)?(?:\(\d{1,4}\)[ .-]?)?\d{1,5}(?:[ .-]\d{2,8}){1,5}"
        r"(?![\w/]|[.,:]\d)|(?<![\w.,:/-])\+?\d{8,15}(?![\w/]|[.,:]\d)",
    ),
    (
        "address",
        "0",
        rf"\b(?:flat \d{{1,4}}[a-z]?, )?\d{{1,5}}[a-z]? (?:[a-z'-]+ ){{1,3}}{_STREET}\b\.?"
        r"(?: [NS]?[EW]?\b)?|\bP\.? ?O\.? ?Box \d{1,6}"
        r"|\b[a-zäöüß-]{2,40}(?:stra(?:ß|ss)e|weg|platz|gasse) \d{1,4}[a-z]?\b",
    ),
    ("id", "0", r"#\d{4,}|\b[a-z]{2}\d\d [a-z]{3}\b|\b[a-z0-9]+(?:[-/][a-z0-9]+)*\b"),
)
_COMPILED = tuple((kind, needs, re.compile(rule, re.I)) for kind, needs, rule in _RULES)
_DIGIT = re.compile(r"\d")
_MEASURE = re.compile(r"[a-z]?\d[\d.:/-]*(?:st|nd|rd|th|am|pm|k|m|mb|gb|x|s)?", re.I)


def by_rules(text: str, taken: bytearray) -> Iterator[tuple[str, int, int]]:
    """What the rules find, as kind, start and end; it is marked in `taken`, one byte a character."""
    digits = _DIGIT.search(text) is not None
    for kind, needs, rule in _COMPILED:
        if not digits if needs == "0" else needs not in text:
            continue
        for found in rule.finditer(text):
            start, end = found.span()
            while end > start and text[end - 1] in " .,;:'":
                end -= 1
            if end <= start or taken.count(1, start, end) or not _holds(kind, text[start:end]):
                continue
            taken[start:end] = b"\1" * (end - start)
            yield kind, start, end


def _holds(kind: str, piece: str) -> bool:
    """Whether the digits are right: check sums, numbers of digits."""
    digits = "".join(c for c in piece if c in "0123456789")
    if kind == "card":
        return luhn(digits)
    if kind == "iban":
        return remainder_97(piece.replace(" ", ""))
    if kind == "phone":
        return 7 <= len(digits) <= 15
    if kind == "ip" and "." in piece:
        return all(int(part) < 256 for part in piece.split("."))
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
    given = [int(c) for c in reversed(digits)]
    return sum(given[::2] + [sum(divmod(2 * d, 10)) for d in given[1::2]]) % 10 == 0


def remainder_97(code: str) -> bool:
    """Whether the check digits of an IBAN (ISO 7064, mod 97) are right.

    Examples
    --------
    >>> remainder_97("GB29NWBK60161331926819"), remainder_97("GB29NWBK60161331926818")
    (True, False)
    """
    turned = code[4:] + code[:4]
    return len(code) >= 15 and int("".join(str(int(c, 36)) for c in turned)) % 97 == 1
