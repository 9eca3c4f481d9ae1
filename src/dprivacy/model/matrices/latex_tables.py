r"""Tables and matrices in LaTeX: tabular, array, pmatrix and their kin."""

import re

from dprivacy.errors import BadFile

_BEGIN = re.compile(r"\\begin\{(tabular[x*]?|array|[pbBvV]?matrix|smallmatrix|longtable)\}")
_RULES = re.compile(
    r"\\(hline|toprule|midrule|bottomrule|endhead)\b|\\c(line|midrule)(\([^)]{0,20}\))?\{[^}]{0,20}\}"
)
_FRACTION = re.compile(
    r"\\[tdc]?frac\s*(?:\{\s*([0-9]+)\s*\}|([0-9]))\s*(?:\{\s*([0-9]+)\s*\}|([0-9]))"
)
_LAYERS = 4  # of fonts around a number
_DRESSED = re.compile(r"\\(?:text|textbf|textit|emph|mathrm|mathbf|texttt|mbox)\{([^{}]{0,200})\}")


def is_latex(text: str) -> bool:
    """Whether a text holds a table of LaTeX."""
    return _BEGIN.search(text) is not None


def latex_lines(text: str, name: str) -> list[list[str]]:
    r"""The cells of the first table of a text, line by line.

    Examples
    --------
    >>> latex_lines(r"\begin{pmatrix} \frac{1}{3} & \frac{2}{3} \\ 1 & 0 \end{pmatrix}", "it")
    [['1/3', '2/3'], ['1', '0']]
    """
    text = re.sub(r"(?<!\\)%.*", "", text)
    begin = _BEGIN.search(text)
    if begin is None:
        raise BadFile(f"{name}: no table of LaTeX in it")
    body, end, _ = text[begin.end() :].partition(f"\\end{{{begin[1]}}}")
    if not end:
        raise BadFile(f"{name}: the {begin[1]} is not ended")
    if begin[1].startswith(("tabular", "array", "longtable")):  # how columns are set
        body = _without_settings(body, 2 if begin[1] in ("tabularx", "tabular*") else 1)
    body = _RULES.sub("", body)
    lines = [re.split(r"(?<!\\)&", line) for line in re.split(r"\\\\(?:\[[^]]{0,20}\])?", body)]
    table = [[_plain(cell) for cell in line] for line in lines]
    return [line for line in table if any(line)]


def _without_settings(body: str, groups: int) -> str:
    body = re.sub(r"^\s*\[[^]]*\]", "", body)
    for _ in range(groups):
        depth = 0
        start = body.lstrip()
        if not start.startswith("{"):
            break
        for k, letter in enumerate(start):
            depth += (letter == "{") - (letter == "}")
            if depth == 0:
                body = start[k + 1 :]
                break
    return body


def _plain(cell: str) -> str:
    """A cell without its dress: fractions as 1/3, no dollars, no fonts, no thin spaces."""
    cell = _FRACTION.sub(r"\1\2/\3\4", cell).replace("$", "")
    for _ in range(_LAYERS):
        cell = _DRESSED.sub(r"\1", cell)
    cell = re.sub(r"\\[,;:! ]|~", " ", cell)
    return re.sub(r"\\([&%_#{}])", r"\1", cell).strip()
