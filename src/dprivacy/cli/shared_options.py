"""The options that several verbs have, written once, and the way in which all of them answer."""

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.errors import BadFile, OutputExists, PrivacyLeakWarning, UnclearTable

Decorator = Callable[[Any], Any]  # of click, which types its decorators so loosely

PATH = click.Path(path_type=Path)

JSON = click.option("--json", "as_json", is_flag=True, help="Print only JSON on standard output.")
REPLACE = click.option("--replace", is_flag=True, help="Overwrite existing outputs.")
REPLACE_NOISE = click.option(
    "--replace", is_flag=True, help="Overwrite existing outputs; this draws new noise."
)
DELTA = click.option("--delta", default="0", help="Slack δ on top of the level, as 1/100 or 0.01.")
PRIOR = click.option(
    "--prior", type=PATH, help="CSV file of labels and weights; uniform by default."
)
CARD = click.option("--card", type=PATH, help="Release card; by default the one beside the table.")
FORCE = click.option(
    "--force", is_flag=True, help="Proceed even if the estimate of time or memory is high."
)
PROGRESS = click.option(
    "--progress", is_flag=True, help="Show progress even when output is not a terminal."
)
KEEP = click.option(
    "--keep",
    multiple=True,
    help="Column to publish unchanged, with --person; all others are dropped.",
)


def together(*options: Decorator) -> Decorator:
    """Several options as one decorator, in their order."""

    def decorated(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


# Of every verb that reads a table of records, under the names that its function has.
TABLE = together(
    click.option("--delimiter", help="What stands between cells: ; or tab, where it is unclear."),
    click.option(
        "--encoding", help="Encoding of a text table, such as cp1250, where it is unclear."
    ),
    click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line holds names, where it is unclear.",
    ),
    click.option("--sheet", help="Sheet of a spreadsheet that has several."),
    click.option("--decimal", help="Point or comma of decimals in a text table: . or ,"),
)
WRITTEN = ("delimiter", "encoding", "header", "sheet", "decimal")


def written(given: dict[str, Any]) -> dict[str, Any]:
    """What was said of how the table is written, among the options of a verb."""
    return {name: given[name] for name in WRITTEN}


@contextmanager
def another_table() -> Iterator[None]:
    """While a table is read that the options do not speak of: it is written as usual, or refused."""
    try:
        yield
    except UnclearTable as unclear:
        raise BadFile(
            f"{unclear.file}: {unclear.reason}; save it as UTF-8 with commas, and names in its first "
            "line"
        ) from None


# Of every verb that knows how the rows of a table were drawn, under the names of Survey.
SURVEY = together(
    click.option("--weights", default="", help="Column of survey weights."),
    click.option("--strata", default="", help="Column of strata."),
    click.option("--clusters", default="", help="Column of clusters (primary sampling units)."),
    click.option("--fraction", default=0.0, help="Share of all clusters that was drawn."),
    click.option("--replicates", multiple=True, help="Column of replicate weights; repeatable."),
    click.option("--scale", default=0.0, help="A of the replicates' variance A·Σ(θ_r − θ)²."),
)

# Of every verb that releases something.
LEDGER = together(
    click.option(
        "--ledger",
        "place",
        envvar="DPRIVACY_LEDGER",
        show_envvar=True,
        help="Ledger to charge before anything is drawn: a file, or postgresql://user@host/database.",
    ),
    click.option("--account", default="everyone", help="Account to charge, which has a budget."),
    click.option("--again", metavar="REASON", help="Why the same data is released once more."),
)


def epsilon(
    text: str = "Privacy level ε",
    *,
    required: bool = False,
    default: str | None = None,
    more: str = "",
) -> Decorator:
    """The privacy level, written as everywhere: "ln 2", "3/2", "0.5"."""
    # For click, None would be a default.
    usual: dict[str, Any] = {} if default is None else {"default": default}
    words = f'{text}: "ln 2", "3/2", "0.5".{more}'
    return click.option("--epsilon", required=required, help=words, **usual)


def space(text: str = "Distances between the inputs", *, required: bool = False) -> Decorator:
    """The space, in the one grammar."""
    from dprivacy.spaces import GRAMMAR  # not for verbs without a space: it loads numpy

    return click.option("--space", required=required, help=f"{text}: {GRAMMAR}.")


def one_of(name: str, *options: str, help: str) -> Decorator:
    """A choice, the first of the options by default."""
    kind = click.Choice(options)
    return click.option(name, type=kind, default=options[0], help=help)


def output(text: str, *, required: bool = False, dash: bool = False) -> Decorator:
    """The file that is written; - where it may be standard output."""
    more = "; - for standard output" if dash and "standard output" not in text else ""
    kind = click.Path(path_type=Path, allow_dash=dash)
    return click.option("-o", "--output", type=kind, required=required, help=f"{text}{more}.")


def person(what: str) -> Decorator:
    """Whose a row is."""
    return click.option(
        "--person",
        help=f"Column that identifies the person, whose {what} add up; or row: each is another person.",
    )


def permanent_key(what: str) -> Decorator:
    """The key with which the same value of the same person gets the same noise again."""
    return click.option(
        "--permanent-key",
        "key_file",
        type=PATH,
        help=f"File of a permanent key: the same person's same {what} gets the same noise.",
    )


def picture(text: str) -> Decorator:
    """A picture that is drawn besides (or instead); its ending says how."""
    return click.option("--picture", type=PATH, help=f"{text}: .svg, .png or .pdf.")


def examples(*lines: str) -> str:
    """The end of a help page: command lines that run as they are printed."""
    return "\n\n".join(["Example:" if len(lines) == 1 else "Examples:", *lines])


def say(answer: Any, as_json: bool, text: str = "") -> None:
    """The answer of a verb: JSON alone (whatever JSON can hold), or words.

    Names that come from somebody else's card or table may not steer the terminal: see CONTROL.
    """
    from dprivacy.model import CONTROL, shown  # not for help, which it would slow down

    if as_json:
        text = json.dumps(answer, ensure_ascii=False, indent=2)
        click.echo(CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text))
    else:
        click.echo(shown(text))


def show(found: Any, as_json: bool) -> None:
    """A result that has words and data of its own, by explain and to_dict."""
    say(found.to_dict(), as_json, "" if as_json else found.explain())


def write(output: Path, words: str) -> None:
    """Write a text to a file, or say which file cannot be written."""
    try:
        output.write_text(words, encoding="utf-8")
    except OSError as reason:
        raise BadFile(f"{output}: cannot be written ({reason.strerror})") from None


def wrote(*files: Path | str) -> str:
    """What was written, in a sentence.

    Examples
    --------
    >>> wrote("out.csv", "out.csv.card.json")
    'Wrote out.csv and out.csv.card.json.'
    """
    return f"Wrote {' and '.join(map(str, files))}."


ANSWER = together(
    output("File for the estimates: .csv, .parquet, .json, .tex, or a picture: .svg, .png, .pdf"),
    REPLACE,
)


def require_answer_file(path: Path | None, *, replace: bool) -> None:
    """Refuse an ending that no file of estimates has, or a file that is there, before any work."""
    from dprivacy.release import require_answer_ending

    refuse_existing(path, replace=replace)
    if path is not None and path.suffix.lower() not in (".svg", ".png", ".pdf"):
        require_answer_ending(path)
    else:
        require_picture(path)


def save_answer(found: Any, path: Path, *, replace: bool) -> None:
    """Estimates as a file of numbers, or as a picture where its ending says so."""
    if path.suffix.lower() in (".svg", ".png", ".pdf"):
        from dprivacy.viz import plot_intervals, save

        save(found.plot() if hasattr(found, "plot") else plot_intervals(found), path)
        return
    from dprivacy.release import write_answer

    write_answer(found, path, replace=replace)


def refuse_existing(*outputs: Path | None, replace: bool) -> None:
    """Refuse, before any work is done, to overwrite what nobody said may be overwritten."""
    for output in outputs:
        if output is not None and str(output) != "-" and output.exists() and not replace:
            raise OutputExists(
                f"{output} already exists; choose another name, or pass --replace to overwrite it"
            )


NO_CARD = (
    "What is printed has no card, so that no card remembers it: another run draws new noise, and both "
    "together say more. Write to a file (--output), or keep a ledger (--ledger)."
)


def refuse_two_texts(output: Path | None, as_json: bool) -> bool:
    """Whether the output is standard output, which --json would need as well."""
    to_stdout = output is not None and str(output) == "-"
    if to_stdout and as_json:
        raise click.UsageError("-o - and --json both need standard output: leave one out")
    return to_stdout


def require_picture(path: Path | None) -> None:
    """Refuse an ending that no picture has, and a missing library, before any work is done."""
    if path is not None:
        from dprivacy.viz import require_ending

        require_ending(path)


def read_key(path: Path | None) -> bytes | None:
    """The key of a file."""
    from dprivacy.release import read_permanent_key

    return None if path is None else read_permanent_key(path)


@contextmanager
def spoken_warnings() -> Iterator[None]:
    """What may reveal more than was promised is said in one line on the error stream."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", PrivacyLeakWarning)
        yield
    for warning in heard:
        click.echo(f"warning: {warning.message}", err=True)


@contextmanager
def open_account(place: str | None, account: str) -> Iterator[Any]:
    """The account that --ledger and --account name; None without a ledger."""
    if place is None:
        yield None
        return
    from dprivacy.release import Ledger

    with Ledger(place, create=False) as ledger:
        yield ledger.account(account)
