"""Every key of a plan file: which kinds of value it takes, what it means, and what holds without it."""

from typing import Any, NamedTuple


class Key(NamedTuple):
    """A key: the JSON types of its value, what it means, its default, and the values it may have."""

    kinds: tuple[str, ...]
    words: str
    default: Any = None
    choices: tuple[str, ...] = ()


SCHEMA_LINE = (
    "#:schema ./plan.schema.json"  # which editors read; `dprivacy plan --schema` prints it
)
_TEXT, _NUMBER = ("string",), ("string", "number")
_LIST, _TABLE, _WHOLE = ("array",), ("object",), ("integer",)

TOP_KEYS = {
    "title": Key(_TEXT, "A name for the release, for people.", ""),
    "unit": Key(
        _TEXT,
        'Whom a row is of: "row" for one person a row, or the column that names the person.',
        "row",
    ),
    "rows_per_person": Key(
        _WHOLE, "The most rows that one person may have; levels count as often.", 1
    ),
    "values_per_person": Key(
        _WHOLE,
        "For permanent answers: the most values that one person may have in a column over time.",
        1,
    ),
    "drop": Key(_LIST, "Columns that are left out of the release.", []),
    "pass_through": Key(_LIST, "Columns that are published as they are, without protection.", []),
    "row": Key(
        _NUMBER,
        'A budget for the row: the level of all columns together, such as "ln 9" for a factor of 9. '
        "Columns share it, and have no epsilon of their own.",
    ),
    "split": Key(
        _TEXT,
        "How the columns share the budget: by the smallest sum of squared errors, or so that the "
        "largest error is smallest.",
        "least squares",
        ("least squares", "evenest"),
    ),
    "rows": Key(_WHOLE, "How many rows the table will have, for wanted errors."),
    "table": Key(_TABLE, "How the table's file is written, where that cannot be seen."),
    "joint": Key(
        _TABLE,
        "Columns that are drawn together, for their cross-table: [joint.NAME] with columns, and "
        "epsilon unless there is row. Their own tables give the values, and no epsilon.",
    ),
    "columns": Key(_TABLE, "The columns to protect, a table of settings for each."),
    "budget": Key(
        _TABLE, "Written by dprivacy: the budget that the levels of the columns came from."
    ),
}

TABLE_KEYS = {
    "delimiter": Key(
        _TEXT, "What stands between cells: a character, or comma, semicolon, tab, bar, space."
    ),
    "encoding": Key(_TEXT, 'The encoding of the text, such as "utf-8" or "cp1252".'),
    "header": Key(("boolean",), "Whether the first line holds the names of the columns."),
    "sheet": Key(_TEXT, "The sheet of a spreadsheet."),
    "decimal": Key(_TEXT, "What stands before decimals.", None, (".", ",")),
}

COLUMN_KEYS = {
    "type": Key(_TEXT, "What the column holds."),
    "epsilon": Key(
        _NUMBER, 'The level per unit of distance: "ln 3", 1.5, "3/2", "1/2 ln 3". Not beside row.'
    ),
    "importance": Key(("number",), "With row: how much the column's squared error counts.", 1),
    "wanted": Key(
        _NUMBER,
        'With row and rows: the standard error that is wanted, "2 points" for shares, a number in the '
        "column's own unit for the mean of numbers and dates.",
    ),
    "delta": Key(
        _NUMBER, "A slack: the probability that the level may fail. 0 unless you know why.", 0
    ),
    "mechanism": Key(_TEXT, "How noise is drawn; the usual mechanism of the type when omitted."),
    "columns": Key(
        _LIST, "The column of the table, where it has another name; both columns of a place."
    ),
    "nulls": Key(
        ("string", "object"),
        'Missing values: "refuse", "category" (one more value), { replace = … }; "empty" for texts.',
        "refuse",
    ),
    "source": Key(
        _TEXT,
        "Where the values come from. Values from the data are refused until a person has compared them "
        'with a questionnaire; with "data, acknowledged" they are released, and the card is void.',
        "declared",
        ("declared", "data", "data, acknowledged"),
    ),
    "note": Key(_TEXT, "For readers; nothing follows from it."),
    "values": Key(
        _LIST,
        "Every possible answer, from the questionnaire and not from the data; in order where ordered.",
    ),
    "blocks": Key(
        ("array", "string"),
        "Groups of values that never change into each other: which group a value is in is published. "
        '"codes" where numbers or dates have codes.',
    ),
    "tree": Key(("object", "array"), "Values as leaves of a tree; siblings are at distance 1."),
    "hierarchy": Key(
        ("string", "object"), "A file of codes with their parents, or a table of parents."
    ),
    "edges": Key(_LIST, 'Neighbouring values, with their distance: [["a", "b"], ["b", "c", "2"]].'),
    "distances": Key(_LIST, "A table of distances between the values, a row for each."),
    "file": Key(_TEXT, "A stored mechanism, relative to the plan."),
    "stored": Key(("string", "object"), "Written by dprivacy: the mechanism of that file."),
    "low": Key(_NUMBER, "The public lower end; values below it count as this. A date for dates."),
    "high": Key(_NUMBER, "The public upper end; values above it count as this. A date for dates."),
    "grid": Key(_NUMBER, 'The step of the public grid, such as 1, "1/2" or, for dates, "7 days".'),
    "format": Key(
        _TEXT, "How dates are written in the table, such as %d.%m.%Y; ISO 8601 when omitted."
    ),
    "codes": Key(
        _LIST, 'Special codes beside numbers, dates or ordered values, such as ["N", "999"].'
    ),
    "anchor": Key(
        _NUMBER, "The number from which codes are code_distance away; the middle when omitted."
    ),
    "code_distance": Key(
        _NUMBER,
        "How far codes are from the anchor and from each other; about half the range when omitted.",
    ),
    "members": Key(
        _TABLE, "Written by dprivacy: the columns that are drawn together, with their values."
    ),
    "bits": Key(_WHOLE, "The length of the strings of zeros and ones."),
    "size": Key(_WHOLE, "subset_response: how many values a report names; the best when omitted."),
    "kind": Key(
        _TEXT,
        "unary_response: which probabilities of bits.",
        "optimised",
        ("optimised", "symmetric"),
    ),
    "q": Key(
        _WHOLE, "hashed_response, projective_response: the size of the hash, or of the field."
    ),
    "t": Key(_WHOLE, "projective_response: the dimension."),
    "keep": Key(
        _TEXT,
        "What is kept of a text: its words sorted, its words in order, or its topic.",
        "bag",
        ("bag", "text", "topic"),
    ),
    "length": Key(_WHOLE, "The public number of words of every text."),
    "level": Key(_NUMBER, "The level of a whole text, in place of epsilon."),
    "long": Key(_TEXT, "What happens to longer texts.", "cut", ("cut", "refuse")),
    "find": Key(_LIST, "Which kinds of names and numbers become one word each; all when omitted."),
    "names": Key(_TEXT, "A file with more names to find."),
    "unknown": Key(
        _TEXT, "What happens to words that the vocabulary lacks.", "replace", ("replace", "drop")
    ),
    "stop_words": Key(
        _TEXT, "What happens to words such as the, of, and.", "protect", ("protect", "drop")
    ),
    "accept_readable": Key(
        ("boolean",), "Release texts whose words mostly stay as they are.", False
    ),
    "topics": Key(("object", "array"), "The topics, with words that are typical of each."),
    "classifier": Key(_TEXT, "A file of weights of words for topics."),
    "weights": Key(_TABLE, "Written by dprivacy: the weights of that file."),
    "vocabulary": Key(_TEXT, "A file of word vectors; the small one of the package when omitted."),
    "most_words": Key(_WHOLE, "How many words of that file are read.", 10_000),
    "sha256": Key(_TEXT, "The hash of the vocabulary's file."),
    "measured": Key(_TABLE, "Written by dprivacy: what was measured of the vocabulary."),
    "names_sha256": Key(_TEXT, "Written by dprivacy: the hash of the file of names."),
}

TYPE_WORDS = {
    "categories": "Values without order: any two are at distance 1.",
    "ordered": "Values in order: neighbours are at distance 1.",
    "tree": "Values in a hierarchy: the distance counts levels to climb.",
    "graph": "Values with neighbours: the distance is the shortest path.",
    "distances": "Values with a table of distances.",
    "stored": "Values with a mechanism of one's own, stored in a file.",
    "numbers": "Numbers on a public grid: the distance is their difference.",
    "dates": "Dates on a public grid: the distance is in days.",
    "place": "Two columns with coordinates: the distance is Euclidean.",
    "bits": "Strings of zeros and ones: the distance counts places that differ.",
    "text": "Free text: words are noised in a public vocabulary.",
    "joint": "Written by dprivacy for [joint.NAME]: columns that are drawn together.",
}

NEEDED = {
    "categories": ("values",),
    "ordered": ("values",),
    "graph": ("edges",),
    "distances": ("values", "distances"),
    "place": ("columns",),
    "joint": ("members",),
}
