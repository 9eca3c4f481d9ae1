"""A built-in survey, made by us: 1,200 invented people, so that a first run needs no data."""

from pathlib import Path

from dprivacy.errors import BadFile, OutputExists
from dprivacy.extras import arrow, arrow_csv

PLAN = """\
# What happens to every column of survey.csv
title = "Leisure survey (invented)"
unit = "row"
drop = ["name"]
pass_through = ["region"]

[columns.hobby]
type = "categories"
values = ["sports", "cars", "television", "computer games", "reading"]
epsilon = "ln 5"

[columns.smokes]
type = "categories"
values = ["yes", "no"]
epsilon = "ln 3"

[columns.health]
type = "ordered"
values = ["bad", "fair", "good", "very good"]
epsilon = "ln 2"       # per step between neighbouring classes
"""

ROWS = 1200


def survey() -> dict[str, list[str]]:
    """The invented people: fixed shares, spread over the rows by a fixed stride."""

    def column(shares: dict[str, int], stride: int) -> list[str]:
        listed = [value for value, count in shares.items() for _ in range(count)]
        return [listed[(k * stride) % ROWS] for k in range(ROWS)]

    hobbies = {"sports": 420, "cars": 120, "television": 300, "computer games": 240, "reading": 120}
    health = {"bad": 90, "fair": 270, "good": 540, "very good": 300}
    return {
        "name": [f"person {k + 1}" for k in range(ROWS)],
        "region": column({"north": 500, "south": 700}, 739),
        "hobby": column(hobbies, 497),
        "smokes": column({"yes": 264, "no": 936}, 877),
        "health": column(health, 283),
    }


def write_demo(folder: Path) -> tuple[Path, Path]:
    """Write survey.csv and plan.toml; returns their paths."""
    table, plan = folder / "survey.csv", folder / "plan.toml"
    sink = arrow().BufferOutputStream()
    arrow_csv().write_csv(arrow().table(survey()), sink)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, content in ((table, sink.getvalue().to_pybytes()), (plan, PLAN.encode())):
            if path.exists() and path.read_bytes() != content:
                raise OutputExists(
                    f"{path} already exists and is not the demo's; choose another folder"
                )
            path.write_bytes(content)
    except OSError as reason:
        raise BadFile(f"{folder}: cannot be written to ({reason.strerror})") from None
    return table, plan
