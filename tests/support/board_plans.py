"""Three very different plans of one household survey, and plans of any width."""

VALUES = {
    "sex": ["1", "2"],
    "urbrur": ["1", "2"],
    "walls": ["2", "3", "9"],
    "electcon": ["1", "2", "3", "4"],
    "hhcivil": ["1", "2", "3", "4"],
    "roof": ["2", "4", "5", "6", "9"],
    "water": list("123456789"),
    "relat": list("123456789"),
}


def column(name, factor, **more):
    return {"type": "categories", "values": VALUES[name], "epsilon": f"ln {factor}", **more}


_FACTORS = {
    "sex": "1.44", "urbrur": "1.44", "walls": "1.57", "electcon": "1.66", "hhcivil": "1.66",
}  # fmt: skip
_NUMBER = {"type": "numbers", "low": "0", "high": "100", "grid": "1", "epsilon": "4/100"}

SOUND = {
    "title": "Household survey, five answers",
    "columns": {name: column(name, factor) for name, factor in _FACTORS.items()},
    "drop": ["roof", "water", "relat", "age", "income", "household"],
}
MEANINGLESS = {
    "title": "Household survey, twelve answers as first proposed",
    "columns": {
        **{name: column(name, "3") for name in VALUES},
        **dict.fromkeys(("age", "spending", "income", "savings"), _NUMBER),
    },
}
BLOCKS = {
    "title": "Household survey, with published groups",
    "pass_through": ["urbrur"],
    "columns": {
        "relat": column("relat", "2", blocks=[["1"], ["2"], list("3456789")]),
        "sex": column("sex", "2"),
        "hhcivil": column("hhcivil", "2.25"),
    },
}


def wide(columns, factor="1.5"):
    """A plan of many columns with long names, many of them published or left out."""
    name = "a question with a name that goes on and on, number {}"
    return {
        "title": "A survey whose title says at length what it was for, where and when it was made",
        "columns": {name.format(k): column("water", factor) for k in range(columns)},
        "pass_through": [f"published column {k}" for k in range(columns)],
        "drop": [f"a column that is left out {k}" for k in range(columns)],
    }
