"""How far long work is: on the error stream, where that is a terminal or where it was asked for."""

import math
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

import rich_click as click

_EVERY = 1.0  # seconds between two lines where there is no terminal
_EVERY_COUNT = 30.0  # the same for work that counts
_WINDOW = 5.0  # seconds over which a rate is taken
_FIRST = 1.0  # seconds before which nothing is shown on a terminal


class Pace:
    """How far work is, at what rate and how long it will take, in words.

    Parameters
    ----------
    what
        What is counted.

    Examples
    --------
    >>> pace = Pace("rows")
    >>> pace.told(0, 1000, 0.0, at=10.0)
    '0 of 1,000 rows, 0 %'
    >>> pace.told(400, 1000, 0.4, at=12.0)
    '400 of 1,000 rows, 40 %, 200 a second, 3 s left'
    """

    def __init__(self, what: str) -> None:
        self._what, self._seen = what, deque[tuple[float, int, float]]()

    def told(self, done: int, total: int | None, share: float | None, *, at: float) -> str:
        """What is to be said when so much is done, of so much, at a time in seconds."""
        self._seen.append((at, done, share or 0.0))
        while len(self._seen) > 2 and self._seen[1][0] <= at - _WINDOW:
            self._seen.popleft()
        before, start, behind = self._seen[0]
        words = [
            f"{done:,} {self._what}" if total is None else f"{done:,} of {total:,} {self._what}"
        ]
        if share is not None:
            words.append(f"{share:.0%}".replace("%", " %"))
        if at > before and done > start:
            words.append(f"{_short((done - start) / (at - before))} a second")
        if share is not None and share > behind:
            words.append(f"{_time((1 - share) * (at - before) / (share - behind))} left")
        return ", ".join(words)


class Counter:
    """Shows work that counts: call it with how much is done, and of how much (or None).

    Its `share` is for the screen alone, where how much is done is not told by a total.
    """

    def __init__(self, what: str, *, asked: bool) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True)
        self._pace, self._began, self._said = Pace(what), monotonic(), _paced(asked, _EVERY_COUNT)
        self._last = 0, None
        self.bar: Progress | None = None
        if console.is_terminal:
            columns = BarColumn(bar_width=24), TextColumn("{task.description}")
            self.bar = Progress(*columns, console=console, transient=True)
            self._task = self.bar.add_task("", total=None)

    _last: tuple[int, int | None]

    def __call__(self, done: int, total: int | None) -> None:
        """Say how much is done."""
        self._last = done, total
        share = None if not total else done / total
        if self.bar is None:
            self._said(self._pace.told(done, total, share, at=monotonic()))
        elif share is not None:
            self.share(share)

    def share(self, share: float | None) -> None:
        """Show how much is done, from 0 to 1, on a terminal."""
        now = monotonic()
        if self.bar is None:
            return
        told = self._pace.told(*self._last, share, at=now)
        self.bar.update(self._task, description=told, completed=share or 0, total=share and 1.0)
        if now - self._began >= _FIRST:
            self.bar.start()


@contextmanager
def counting(what: str, *, asked: bool = False) -> Iterator[Counter]:
    """A bar for work that counts, with its rate and the time that is left."""
    counter = Counter(what, asked=asked)
    try:
        yield counter
    finally:
        if counter.bar is not None:
            counter.bar.stop()


def _short(rate: float) -> str:
    """A rate in three figures."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if rate >= size:
            return f"{rate / size:.3g} {unit}"
    return f"{rate:.3g}"


def _time(seconds: float) -> str:
    """A time that is left, in its two largest units."""
    minutes, rest = divmod(math.ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


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


def _paced(asked: bool, every: float = _EVERY) -> Callable[[str], None]:
    """Lines on the error stream, at most one in this many seconds; none unless asked for."""
    last = [-every]

    def line(text: str) -> None:
        if asked and monotonic() - last[0] >= every:
            last[0] = monotonic()
            click.echo(text, err=True)

    return line
