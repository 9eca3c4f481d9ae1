"""``dprivacy reproduce``: the sources' tables, examples, figures and errata, computed again."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import rich_click as click

from dprivacy.cli.exit_codes import GUARANTEE_FAILED
from dprivacy.cli.shared_options import JSON, PROGRESS, examples, say
from dprivacy.errors import Malformed

_EPILOG = examples(
    "dprivacy reproduce --list",
    "dprivacy reproduce T:table-5.1 --json",
    'dprivacy reproduce "C:*" --no-pictures -o report',
)
FOLDER = "reproduction"
T = TypeVar("T")


@click.command(epilog=_EPILOG)
@click.argument("items", nargs=-1, metavar="[ITEM]…")
@click.option("--list", "only_list", is_flag=True, help="Show the items there are.")
@click.option(
    "-o", "--output", "--out", "out", type=click.Path(file_okay=False),
    help=f"The report's folder; {FOLDER} by default, none with --json.",
)  # fmt: skip
@click.option(
    "--data", type=click.Path(file_okay=False, exists=True), help="A folder with data sets."
)
@click.option("--all", "everything", is_flag=True, help="Heavy items too: many minutes.")
@click.option("--no-pictures", is_flag=True, help="Leave the pictures out of the report.")
@click.option(
    "--fetch", "wanted", metavar="NAME", help="Download a data set into --data, then stop."
)
@PROGRESS
@JSON
def reproduce(
    items: tuple[str, ...],
    only_list: bool,
    out: str | None,
    data: str | None,
    everything: bool,
    no_pictures: bool,
    wanted: str | None,
    progress: bool,
    as_json: bool,
) -> None:
    """Compute the sources' tables, examples, figures and errata again, beside the printed values.

    ITEM is a name such as T:table-5.1, C:example-2, T:figure-6.3, P:counts or erratum:E1, or a pattern
    such as "T:table-*". Without one, all are computed but those that take minutes. Exits with 3 if a
    value that should be as printed is not.
    """
    from dprivacy.reproduce import chosen, fetch, reproduce as computed, write_report

    if wanted is not None:
        if data is None:
            raise click.UsageError("--fetch needs a folder: give --data as well")
        places = [str(place) for place in fetch(wanted, data)]
        say(places, as_json, "\n".join(f"{place}: as it should be" for place in places))
        return
    if only_list:
        _show_list(items, as_json)
        return
    chosen(items)  # refuses unknown names before the bar appears
    with _bar(progress) as moved:
        run = computed(items, data=data, everything=everything, progress=moved)
    if out is not None or not as_json:
        written = _written(lambda: write_report(run, out or FOLDER, pictures=not no_pictures))
    if as_json:
        one = run.outcomes[0] if len(run.outcomes) == 1 else run
        say(one.to_dict(), as_json)
    elif len(run.outcomes) == 1:
        click.echo(run.outcomes[0].explain())
    else:
        click.echo(run.explain())
    if not as_json:
        click.echo(f"\nreport: {written[0]}")
    if not run:
        sys.exit(GUARANTEE_FAILED)


def _show_list(items: tuple[str, ...], as_json: bool) -> None:
    from dprivacy.reproduce import chosen

    listed = chosen(items)
    if as_json:
        say([one.to_dict() for one in listed], as_json)
        return
    width = max(len(one.key) for one in listed)
    for one in listed:
        more = ["takes minutes"] * one.heavy + [f"needs {name}" for name in one.needs]
        click.echo(f"{one.key:<{width}}  {one.title}" + (f" ({', '.join(more)})" if more else ""))


def _written(write: Callable[[], T]) -> T:
    try:
        return write()
    except OSError as trouble:
        raise Malformed(
            f"the report cannot be written: {trouble.strerror}; choose another folder with --out"
        ) from None


@contextmanager
def _bar(asked: bool) -> Iterator[Callable[[int, int, str], None]]:
    """Progress on the error stream: a bar on a terminal, elsewhere a line an item, if asked for."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    if not console.is_terminal:

        def line(done: int, total: int, text: str) -> None:
            if asked and text and ": " not in text:  # items, not their steps
                click.echo(f"{done + 1}/{total} {text}", err=True)

        yield line
        return
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda done, total, text: bar.update(
            task, completed=done, total=total, description=text
        )
