"""Displayed formulas of the pages, from the notation in which they are written to MathML.

A page says

    ```formula
    C[x, y] ≤ e^(ε·d(x, z)) · C[z, y].
    ```

which reads as it stands wherever pages are not built. `_` and `^` take what follows them: a letter, a
number, or a group in (…) or {…}, whose brackets are left out. `/` between things that touch it is a
fraction, except in an exponent. Words of two letters or more are words, but for the names of functions.
A line of the fence is a line of the formula.
"""

import logging
import re
import unicodedata
from html import escape
from typing import Any

FUNCTIONS = {"ln", "exp", "tanh", "max", "min", "diag", "Cov", "Var"}
_LIMITS = {"Σ", "max", "min"}  # what stands below these in a formula of its own
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ᵀⁿ", "0123456789+−Tn", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True))
_CLOSING = {"(": ")", "[": "]", "{": "}", "|": "|", "‖": "‖"}
_TOKEN = re.compile(
    r"(?P<space>\s+)"
    r"|(?P<number>\d+(?:[.,]\d+)*)"
    r"|(?P<word>[A-Z]?[a-z]{2,})"
    rf"|(?P<raised>[{''.join(_RAISED)}]+)"
    rf"|(?P<lowered>[{''.join(_LOWERED)}]+)"
    r"|(?P<letter>[^\W\d_][\u0300-\u036f]?['′*]*)"
    r"|(?P<sign>.)"
)
_BAR = '<mo lspace="0.25em" rspace="0.25em">{}</mo>'  # between two things, as in E[g | truth]


class BadFormula(ValueError):
    """A formula that cannot be read."""


def mathml(text: str) -> str:
    """A formula as one ``<math>`` element; BadFormula where brackets or scripts do not add up."""
    reader = _Reader(" ".join(text.split()))
    row = reader.row(())
    return f'<math display="block">{row}</math>'


def fence(source: str, *_: Any, **__: Any) -> str:
    """What a fence becomes on its page; a line that is too long scrolls."""
    try:
        lines = "".join(mathml(line) for line in source.splitlines() if line.strip())
    except BadFormula as reason:  # superfences would swallow it; a warning fails the build
        logging.getLogger(__name__).warning("formula: %s", reason)
        raise
    return f'<div class="formula" role="group" aria-label="formula" tabindex="0">{lines}</div>'


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [(str(m.lastgroup), m.group()) for m in _TOKEN.finditer(text)]
        self.at = 0
        self.depth = 0  # of brackets

    def peek(self, ahead: int = 0) -> tuple[str, str]:
        k = self.at + ahead
        return self.tokens[k] if 0 <= k < len(self.tokens) else ("end", "")

    def take(self) -> tuple[str, str]:
        found = self.peek()
        if found[0] == "end":
            raise BadFormula(f"the formula ends too early: {self.text}")
        self.at += 1
        return found

    def row(self, closing: tuple[str, ...], *, small: bool = False) -> str:
        """Everything up to a closing sign, which is not taken."""
        parts: list[str] = []
        self.depth += 1
        while self.peek()[0] != "end" and self.peek()[1] not in closing:
            if self.peek()[0] == "space":
                self._space(parts)
            elif self.peek()[1] in _CLOSING.values() and not self._opens():
                if self.peek()[1] not in "|‖":
                    raise BadFormula(f"“{self.peek()[1]}” closes nothing: {self.text}")
                parts.append(_BAR.format(self.take()[1]))
            elif not self._is_thing():
                parts.append(_operator(self.take()[1]))
            else:
                parts.append(self._fraction(small=small))
        self.depth -= 1
        if closing and self.peek()[0] == "end":
            raise BadFormula(f"“{closing[0]}” is missing: {self.text}")
        return f"<mrow>{''.join(parts)}</mrow>"

    def _is_thing(self) -> bool:
        kind, text = self.peek()
        return kind in ("number", "word", "letter") or text in {*_CLOSING, "√", "∞"}

    def _opens(self) -> bool:
        sign = self.peek()[1]
        return sign in _CLOSING and (sign not in "|‖" or self.peek(1)[0] not in ("space", "end"))

    def _space(self, parts: list[str]) -> None:
        """A space is seen between two things, and beside words; operators have their own."""
        self.take()
        before, after = self.peek(-2), self.peek()
        worded = "word" in (before[0], after[0])
        if before[1] == ",":  # within brackets the comma has room enough of its own
            parts.append("" if self.depth > 1 else '<mspace width="0.5em"/>')
            return
        if "|" in (before[1], after[1]) and not self._opens():
            return
        if (before[0] != "sign" or before[1] in ")]}|‖,.") and (
            after[0] not in ("sign", "end") or self._opens() or after[1] in "√∞"
        ):
            parts.append(f'<mspace width="{"0.3em" if worded else "0.17em"}"/>')

    def _fraction(self, *, small: bool) -> str:
        whole, bare = self._thing(small=small)
        while self.peek()[1] == "/" and self.peek(1)[0] != "space" and self.peek(-1)[0] != "space":
            self.take()
            below, bare_below = self._thing(small=small)
            if small:
                whole = f"<mrow>{whole}<mo>/</mo>{below}</mrow>"
            else:
                whole = f"<mfrac>{bare}{bare_below}</mfrac>"
            bare = whole
        return whole

    def _thing(self, *, small: bool) -> tuple[str, str]:
        """A letter, number, function or group with its scripts, as it stands and without brackets."""
        name = self.peek()[1]
        if name == "√":
            self.take()
            _, bare = self._thing(small=small)
            return (f"<msqrt>{bare}</msqrt>",) * 2
        core, bare = self._core(small=small)
        scripted = self._scripts(core, limits=name in _LIMITS and not small)
        touches = self.peek()[1] in ("(", "[") and (name in FUNCTIONS or name[:1].isalpha())
        if touches and name not in ("Σ",):
            group, _ = self._core(small=small)
            scripted = f"<mrow>{scripted}{self._scripts(group, limits=False)}</mrow>"
        while self.peek()[1] == "!":
            scripted = f"<mrow>{scripted}<mo>{self.take()[1]}</mo></mrow>"
        return scripted, bare if scripted == core else scripted

    def _core(self, *, small: bool) -> tuple[str, str]:
        kind, text = self.take()
        if kind == "number":
            return (f"<mn>{text}</mn>",) * 2
        if kind == "word":
            tag = "mi" if text in FUNCTIONS else "mtext"
            return (f"<{tag}>{text}</{tag}>",) * 2
        if kind == "letter" and text != "Σ":
            return (_letter(text),) * 2
        if text in _CLOSING:
            inside = self.row((_CLOSING[text],), small=small)
            end = self.take()[1]
            left, right = (f'<mo fence="true">{sign}</mo>' for sign in (text, end))
            return (
                f"<mrow>{left}{inside}{right}</mrow>",
                inside if text == "(" else f"<mrow>{left}{inside}{right}</mrow>",
            )
        return (_operator(text),) * 2

    def _scripts(self, core: str, *, limits: bool) -> str:
        below = above = ""
        while True:
            kind, text = self.peek()
            if kind == "lowered":
                below += f"<mn>{''.join(_LOWERED[c] for c in self.take()[1])}</mn>"
            elif kind == "raised":
                above += _raised(self.take()[1])
            elif text == "_" and not below:
                self.take()
                below = self._script()
            elif text == "^" and not above:
                self.take()
                above = self._script()
            else:
                break
        if not below and not above:
            return core
        if below and above:
            return f"<msubsup>{core}{_one(below)}{_one(above)}</msubsup>"
        if below:
            tag = "munder" if limits else "msub"
            return f"<{tag}>{core}{_one(below)}</{tag}>"
        return f"<msup>{core}{_one(above)}</msup>"

    def _script(self) -> str:
        kind, text = self.peek()
        if text in ("(", "{"):
            self.take()
            inside = self.row((_CLOSING[text],), small=True)
            self.take()
            return inside
        if kind in ("letter", "number", "word"):
            return self._core(small=True)[0]
        raise BadFormula(f"“{text}” cannot be a script; put it in brackets: {self.text}")


def _one(parts: str) -> str:
    return f"<mrow>{parts}</mrow>"


def _letter(text: str) -> str:
    base = unicodedata.normalize("NFD", text.rstrip("'′*"))
    shown = f"<mi>{base[0]}</mi>"
    if len(base) > 1:
        accent = {"\u0302": "^", "\u0304": "¯", "\u0303": "~"}[base[1]]
        shown = f'<mover accent="true">{shown}<mo>{accent}</mo></mover>'
    marks = text[len(text.rstrip("'′*")) :].replace("'", "′")
    return f"<msup>{shown}<mo>{marks}</mo></msup>" if marks else shown


def _raised(text: str) -> str:
    def tag(sign: str) -> str:
        return "mn" if sign.isdigit() else "mi" if sign.isalpha() else "mo"

    plain = "".join(_RAISED[c] for c in text)
    return "".join(f"<{tag(c)}>{c}</{tag(c)}>" for c in plain)


def _operator(sign: str) -> str:
    if sign == ".":
        return "<mtext>.</mtext>"
    if sign == "Σ":
        return '<mo largeop="true" movablelimits="false">∑</mo>'
    if sign in "_^":
        raise BadFormula(f"“{sign}” follows nothing")
    return f"<mo>{escape(sign)}</mo>"
