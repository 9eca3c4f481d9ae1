"""The options that several verbs have, said once, and the way in which all of them answer."""

import json
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.errors import Malformed, PrivacyLeakWarning

Decorator = Callable[[Any], Any]

PATH = click.Path(path_type=Path)
METRICS = (
    "discrete, line, order, hamming, grid:RxC[:manhattan|:chebyshev], or a CSV file of distances"
)

JSON = click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, and nothing else, on standard output."
)
REPLACE = click.option("--replace", is_flag=True, help="Replace existing outputs.")
REPLACE_NOISE = click.option(
    "--replace", is_flag=True, help="Replace existing outputs; this draws new noise."
)
CARD = click.option(
    "--card", type=PATH, help="The release card; the one beside the table by default."
)
FORCE = click.option("--force", is_flag=True, help="Go on although the estimate is high.")
_LEDGER = (
    click.option(
        "--ledger",
        "place",
        envvar="DPRIVACY_LEDGER",
        show_envvar=True,
        help="Charge it here before anything is drawn: a file, or postgresql://user@host/database.",
    ),
    click.option("--account", default="everyone", show_default=True, help="What is charged there."),
    click.option("--again", metavar="REASON", help="Why something is released once more."),
)
PROGRESS = click.option(
    "--progress", is_flag=True, help="Say how far it is also where nobody watches a terminal."
)


def epsilon(
    text: str = "The level",
    *,
    required: bool = False,
    default: str | None = None,
    more: str = "",
) -> Decorator:
    """The privacy level, written as everywhere: "ln 2", "3/2", "0.5"."""
    usual: dict[str, Any] = {} if default is None else {"default": default, "show_default": True}
    words = f'{text}: "ln 2", "3/2", "0.5".{more}'
    return click.option("--epsilon", required=required, help=words, **usual)


def output(text: str, *, required: bool = False, dash: bool = False) -> Decorator:
    """The file that is written; - where it may be standard output."""
    more = "; - for standard output" if dash else ""
    kind = click.Path(path_type=Path, allow_dash=dash)
    return click.option("-o", "--output", type=kind, required=required, help=f"{text}{more}.")


def picture(text: str) -> Decorator:
    """A picture that is drawn besides (or instead); its ending says how."""
    return click.option("--picture", type=PATH, help=f"{text}: .svg, .png or .pdf.")


def examples(*lines: str) -> str:
    """The end of a help page: command lines that run as they are printed."""
    return "\n\n".join(["Example:" if len(lines) == 1 else "Examples:", *lines])


def say(answer: Any, as_json: bool, text: str = "") -> None:
    """The answer of a verb: JSON alone, or words."""
    click.echo(json.dumps(answer, ensure_ascii=False, indent=2) if as_json else text)


def show(found: Any, as_json: bool) -> None:
    """A result that has words and data of its own."""
    say(found.to_dict(), as_json, "" if as_json else found.explain())


def refuse_existing(*outputs: Path | None, replace: bool) -> None:
    """Refuse, before any work is done, to replace what nobody said may be replaced."""
    for output in outputs:
        if output is not None and str(output) != "-" and output.exists() and not replace:
            raise Malformed(f"{output} exists; choose another name, or say --replace")


def require_picture(path: Path | None) -> None:
    """Refuse an ending that no picture has, and a missing library, before any work is done."""
    if path is not None:
        from dprivacy.viz import require_ending

        require_ending(path)


def read_key(path: Path | None) -> bytes | None:
    """The bytes of a key's file."""
    if path is None:
        return None
    try:
        return path.read_bytes()
    except OSError as reason:
        raise Malformed(f"{path}: cannot be read ({reason.strerror})") from None


@contextmanager
def spoken_warnings() -> Iterator[None]:
    """What may reveal more than was promised is said in one line on the error stream."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always", PrivacyLeakWarning)
        yield
    for warning in heard:
        click.echo(f"warning: {warning.message}", err=True)


def ledger_options(command: Any) -> Any:
    """The options of every verb that releases something: --ledger, --account, --again."""
    for option in reversed(_LEDGER):
        command = option(command)
    return command


@contextmanager
def open_account(place: str | None, account: str) -> Iterator[Any]:
    """The account that --ledger and --account name; None without a ledger."""
    if place is None:
        yield None
        return
    from dprivacy.release import Ledger

    with Ledger(place, create=False) as ledger:
        yield ledger.account(account)
