"""How far long work is: on the error stream, where that is a terminal or where it was asked for."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import rich_click as click

_EVERY = 1.0  # seconds between two lines where there is no terminal


@contextmanager
def counting(what: str, *, asked: bool = False) -> Iterator[Callable[[int, int | None], None]]:
    """A bar for work that counts: call it with how much is done, and of how much (or None)."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        said = _paced(asked)

        def line(done: int, total: int | None) -> None:
            said(f"{done:,} {what}" if total is None else f"{done:,} of {total:,} {what}")

        yield line
        return
    columns = (TextColumn(f"{{task.completed:,.0f}} {what}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def closing(*, asked: bool = False) -> Iterator[Callable[[float, float, float], None]]:
    """The gap between a loss and the bound below it as it closes."""
    with spoken("looking for the best mechanism", asked=asked) as told:

        def moved(loss: float, bound: float, seconds: float) -> None:
            gap = (loss - bound) / loss if loss else 0.0
            told(f"loss {loss:.6g}, at least {bound:.6g}, gap {gap:.1e} ({seconds:.0f} s)")

        yield moved


@contextmanager
def spoken(first: str, *, asked: bool = False) -> Iterator[Callable[[str], None]]:
    """Steps in words: one line that changes on a terminal, a line at a time elsewhere."""
    from rich.console import Console

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _paced(asked)
        return
    with console.status(first) as status:
        yield status.update


def _paced(asked: bool) -> Callable[[str], None]:
    """Lines on the error stream, at most one a second; none unless asked for."""
    last = [-_EVERY]

    def line(text: str) -> None:
        if asked and monotonic() - last[0] >= _EVERY:
            last[0] = monotonic()
            click.echo(text, err=True)

    return line
