"""A whole run of the command line inside the test's process, and a folder with what examples name."""

import contextlib
import io
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from dprivacy.cli import commands
from dprivacy.cli.exit_codes import run as run_commands
from dprivacy.collecting import Collection, new_book
from support.patience import PATIENCE


@dataclass(frozen=True)
class Run:
    code: int
    out: str
    err: str


class _Bytes(io.TextIOWrapper):
    """A text stream over bytes, as standard streams are."""

    def __init__(self, content: bytes = b"") -> None:
        super().__init__(io.BytesIO(content), encoding="utf-8", newline="")

    def text(self) -> str:
        self.flush()
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined]


def command(*words: str | Path, stdin: str = "", folder: Path | None = None) -> Run:
    """What `dprivacy WORDS` prints, and its exit code."""
    out, err = _Bytes(), _Bytes()
    kept, where = (sys.argv, sys.stdin), Path.cwd()
    try:
        os.chdir(folder or where)
        sys.argv, sys.stdin = ["dprivacy", *map(str, words)], _Bytes(stdin.encode())
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                run_commands(commands)
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else 0
    finally:
        sys.argv, sys.stdin = kept
        os.chdir(where)
    return Run(code, out.text(), err.text())


CANARY = "CANARY-7f3a"
GROUPED = "SELECT hobby, count(*) AS k FROM data GROUP BY hobby ORDER BY hobby"
SURVEY_PLAN = """
title = "Survey"
drop = ["name"]
pass_through = ["region"]

[columns.hobby]
type = "categories"
values = ["sports", "cars", "reading"]
epsilon = "ln 5"

[columns.age]
type = "ordered"
values = [1, 2, 3, 4]
epsilon = "ln 2"
"""


def small_survey(folder: Path) -> Path:
    """A table of 800 people and a plan for it."""
    hobbies, regions = ["sports", "sports", "cars", "reading"], ["north", "south"]
    rows = [f"p{k},{regions[k % 2]},{hobbies[k % 4]},{1 + k % 4}" for k in range(800)]
    (folder / "survey.csv").write_text("name,region,hobby,age\n" + "\n".join(rows) + "\n")
    (folder / "plan.toml").write_text(SURVEY_PLAN)
    return folder


def good(*words: str | Path, folder: Path | None = None) -> str:
    """What a run prints that must go well and say nothing on the error stream."""
    done = command(*words, folder=folder)
    assert done.code == 0, done.err
    assert done.err == ""
    return done.out


def refused(*words: str | Path, folder: Path | None = None) -> str:
    """The one line on the error stream of a run that must be refused, and that quotes no record."""
    done = command(*words, folder=folder)
    assert (done.code, done.out) == (1, ""), done
    lines = done.err.strip().splitlines()
    assert len(lines) == 1, done.err
    assert lines[0].startswith("error: ")
    assert CANARY not in done.err
    return lines[0]


def process(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    """The same in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "dprivacy", *words], capture_output=True, text=True, check=False,
        timeout=PATIENCE, **options,
    )  # type: ignore[call-overload,no-any-return]  # fmt: skip


PRAM = """,single,married,divorced,widowed
single,0.70,0.10,0.10,0.10
married,0.10,0.70,0.10,0.10
divorced,0.10,0.10,0.70,0.10
widowed,0.05,0.15,0.10,0.70
"""
OLD = "x,0,1,2\n0,2/3,1/6,1/6\n1,1/3,1/3,1/3\n2,1/6,1/6,2/3\n"
NEW = "x,0,1,2\n0,1/2,1/4,1/4\n1,1/3,1/3,1/3\n2,1/4,1/4,1/2\n"
BOX = """#!{python}
import sys
value, n = sys.argv[1], int(sys.argv[2])
k = n * 3 // 5 if value == "yes" else n * 2 // 5
print("\\n".join(["1"] * k + ["0"] * (n - k)))
"""
CODES = """variable,label,code,meaning
name,Name of the respondent,,
region,Part of the country,,
hobby,Favourite hobby,sports,
hobby,Favourite hobby,cars,
hobby,Favourite hobby,television,
hobby,Favourite hobby,computer games,
hobby,Favourite hobby,reading,
smokes,Do you smoke?,yes,
smokes,Do you smoke?,no,
health,Health,bad,
health,Health,fair,
health,Health,good,
health,Health,very good,
"""
REGIONS = """<Structure><Codelists><Codelist id="CL_REGION">
<Code id="north"/><Code id="south"/><Code id="east"/><Code id="west"/>
</Codelist></Codelists></Structure>
"""
WORDS = ("river stone bridge water boat", "music song dance guitar piano")


def prepare(folder: Path) -> Path:
    """Everything that the examples of the help pages name."""
    assert command("demo", "-o", ".", folder=folder).code == 0
    files = {
        "pram.csv": PRAM,
        "codes.csv": CODES,
        "regions.xml": REGIONS,
        "old.csv": OLD,
        "new.csv": NEW,
        "prior.csv": "".join(f"{i},{j},{1 + i + j}\n" for i in range(3) for j in range(3)),
        "places.csv": "lat,lon\n40.735,-73.99\n40.74,-73.98\n",
        "walk.gpx": '<gpx><trk><trkseg><trkpt lat="40.73" lon="-73.99"/></trkseg></trk></gpx>',
        "shops.csv": "lat,lon\n40.730,-73.990\n40.733,-73.992\n",
        "venues.csv": "lat,lon\n40.730,-73.990\n40.733,-73.992\n40.735,-73.985\n",
        "visits.csv": "lat,lon\n40.733,-73.992\n40.730,-73.990\n",
        "week.csv": "who,lat,lon\nann,40.733,-73.992\nann,40.730,-73.990\nbob,40.7301,-73.990\n",
        "key": f"dprivacy permanent 3 {'5a' * 32}\n",
        "ratings.csv": "user,item,rating\n"
        + "".join(f"p{u},i{i},{(u * 7 + i * 3) % 5 + 1}\n" for u in range(9) for i in range(8)),
        "tickets.csv": "message\nmy money is gone\nthe river is old\n",
        "notes.txt": "The doctor wrote a short letter to the patient.\n",
        "days.csv": "home,"
        + ",".join(f"h{k:02d}" for k in range(48))
        + "\n"
        + "".join(f"{d}," + ",".join(["0.25"] * 48) + "\n" for d in range(4)),
        "meter.csv": "home,time,kwh\n"
        + "".join(f"a,2020-01-01 {k // 2:02d}:{30 * (k % 2):02d},0.2\n" for k in range(48)),
        "box": BOX.format(python=sys.executable),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    (folder / "box").chmod(0o755)
    for k, topic in enumerate(WORDS):
        for author in "ab":
            place = folder / "corpus" / f"topic{k}" / author
            place.mkdir(parents=True)
            for text in range(3):
                (place / f"{text}.txt").write_text(f"{topic} {topic} {author} said it")
    (folder / "released").mkdir()
    drinks = (
        "collect",
        "new",
        "tea,coffee,milk",
        "--epsilon",
        "1",
        "--n",
        "9",
        "-o",
        "drinks.json",
    )
    assert command(*drinks, folder=folder).code == 0
    asked = Collection.of((folder / "drinks.json").read_text(), question="Which drink?")
    book = new_book(str(folder / "drinks.db"), asked)
    book.add([bytes([at] * 16) for at in range(60)], [at % 3 for at in range(60)], 20_000)
    book.release()
    best = ("--space", "line:3", "--epsilon", "ln 2", "-o", "best.json")
    assert command("optimal", *best, folder=folder).code == 0
    ledger = ("--ledger", "ledger.db")
    assert command("ledger", "budget", "survey", "ln 9999", *ledger, folder=folder).code == 0
    charged = command(
        "sanitise", "survey.csv", "-p", "plan.toml", "-o", "released/a.csv", *ledger,
        "--account", "survey", "--again", "for the ledger", folder=folder,
    )  # fmt: skip
    assert charged.code == 0, charged.err
    return folder
