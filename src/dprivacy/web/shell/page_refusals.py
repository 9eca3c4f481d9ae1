"""Refusals for people who see buttons and fields, and no plan file."""

import re

_INSTEAD = (
    (
        r'set nulls = "category" or \{ replace = … \} in the plan',
        "open the column, and choose “one more category” under “A missing value means”",
    ),
    (
        r'values = \["…", "…"\] with at least two values is needed, not .*',
        "at least two possible answers are needed; open the column, and add them to its list",
    ),
    (r'mechanism = "(\w+)" is recommended', r"“Its noise: \1” is recommended"),
    (
        r"the place of a row gives its value away, whatever ε is; shuffle the rows first",
        "the place of a row gives its value away, however much noise there is. Keep this copy to "
        "yourself: tick “Release the rows sorted, without order and names”, and protect the table "
        "once more",
    ),
    (
        r"for decimal commas, pass --decimal ,",
        "for decimal commas, choose “Numbers are written as” under “How the table is written”",
    ),
    (
        r"if a code list names them all, write them here as categories, with mechanism = "
        r'"projective_response"',
        "if a code list names them all, open the column, choose categories, paste the list, and "
        "choose “Its noise: projective response”",
    ),
    (
        r"give each its level, or release without shuffling",
        "take away their ticks “It will be crossed with others”, or put the rows of the table in "
        "random order before you choose it, and leave “Release the rows sorted” without a tick",
    ),
    (r"rows_per_person = ", "the “Most rows of one person”, "),
    (r"\bunit = the column\b", "“Column that identifies a person”, the column"),
    (r"^the plan, column '([^']*)'", r"column '\1'"),
    (
        r"^the plan: needs at least one \[columns\.NAME\] to protect",
        "a plan needs at least one column to protect; press “Add a column”, or open one and choose "
        "what it holds",
    ),
)


def on_the_page(words: str) -> str:
    """A refusal that names the buttons and fields of the page where it spoke of a plan file.

    Examples
    --------
    >>> told = 'row 3 is missing; set nulls = "category" or { replace = … } in the plan'
    >>> print(on_the_page(told))
    row 3 is missing; open the column, and choose “one more category” under “A missing value means”
    """
    for pattern, instead in _INSTEAD:
        words = re.sub(pattern, instead, words)
    return words
