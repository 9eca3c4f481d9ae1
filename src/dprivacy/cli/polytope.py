"""``dprivacy kernels`` and ``dprivacy extreme``: the geometry of private mechanisms."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any

import rich_click as click

from dprivacy.errors import Malformed
from dprivacy.model import Channel
from dprivacy.model.plain import shown
from dprivacy.polytope import (
    count_extreme_points,
    count_kernels,
    extreme_points,
    kernels as every_kernel,
)
from dprivacy.spaces import FiniteSpace, discrete, grid, hamming_cube, line

SPACES = "line:N, discrete:N, grid:ROWSxCOLUMNS[:manhattan|:chebyshev|:euclidean], cube:BITS"
_SHORT = re.compile(r"(line|discrete|cube):(\d{1,4})")
_GRID = re.compile(r"grid:(\d{1,3})x(\d{1,3})(?::(manhattan|chebyshev|euclidean))?")

PICTURE = "Draw instead of list: a .svg, .png or .pdf file with a simplex for each (at most 12)."
_DRAWN = 12

Progress = Callable[[int, int], None]


def short_space(name: str) -> FiniteSpace:
    """A space by a short name that holds its size: line:4, discrete:4, grid:2x3, cube:3.

    A grid is measured by the Manhattan distance unless another is named: with Euclidean distances
    e^(ε·d) is not rational on diagonals.
    """
    found = _SHORT.fullmatch(name.strip())
    if found:
        size = int(found[2])
        if size < 1:
            raise Malformed(f"{name}: a space needs at least one point")
        kinds: dict[str, Callable[[int], FiniteSpace]] = {
            "line": line,
            "discrete": lambda n: discrete(range(n)),
            "cube": hamming_cube,
        }
        return kinds[found[1]](size)
    found = _GRID.fullmatch(name.strip())
    if found:
        return grid(int(found[1]), int(found[2]), metric=found[3] or "manhattan")
    raise Malformed(f"there is no space {name!r}; choose {SPACES}")


@click.command(epilog='Example:\n\ndprivacy kernels --space line:4 --epsilon "ln 2" --count')
@click.option("--space", "name", required=True, help=f"The space: {SPACES}.")
@click.option("--epsilon", default="ln 2", show_default=True, help="The level.")
@click.option("--count", "only_count", is_flag=True, help="Only how many there are.")
@click.option("--classes", is_flag=True, help="List one of each class under symmetries.")
@click.option("--limit", type=click.IntRange(min=1), help="List at most so many.")
@click.option("--force", is_flag=True, help="Go on although the estimate is long.")
@click.option("--picture", type=click.Path(dir_okay=False, writable=True), help=PICTURE)
@click.option("--corners", help="With --picture: the inputs to show, such as 0,1,2.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; a listing is one line a kernel.")
def kernels(
    name: str,
    epsilon: str,
    only_count: bool,
    classes: bool,
    limit: int | None,
    force: bool,
    picture: str | None,
    corners: str | None,
    as_json: bool,
) -> None:
    """List or count the kernel mechanisms of a space: what all its private mechanisms are made of."""
    _check_picture(picture, only_count, corners)
    space = short_space(name)
    if only_count:
        with _bar() as moved:
            found = count_kernels(space, eps=epsilon, force=force, progress=moved)
        answer = {"space": name, **found.to_dict()}
        click.echo(json.dumps(answer, ensure_ascii=False, indent=2) if as_json else found.explain())
        return
    listed = every_kernel(space, eps=epsilon, up_to_symmetry=classes, force=force)
    if picture is None:
        _show(listed, limit, as_json)
    else:
        _draw(listed, "kernel", space, epsilon, limit, picture, corners)


@click.command(epilog="Example:\n\ndprivacy extreme --n 4 --count")
@click.option("--n", type=click.IntRange(min=1), required=True, help="The number of inputs.")
@click.option("--outputs", type=click.IntRange(min=1), help="The number of outputs; n by default.")
@click.option("--epsilon", default="ln 2", show_default=True, help="The level.")
@click.option("--count", "only_count", is_flag=True, help="Only how many there are.")
@click.option("--classes", is_flag=True, help="List one of each class under permutations.")
@click.option("--limit", type=click.IntRange(min=1), help="List at most so many.")
@click.option("--force", is_flag=True, help="Go on although the estimate is long.")
@click.option("--picture", type=click.Path(dir_okay=False, writable=True), help=PICTURE)
@click.option("--corners", help="With --picture: the inputs to show, such as 0,1,2.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON; a listing is one line a point.")
def extreme(
    n: int,
    outputs: int | None,
    epsilon: str,
    only_count: bool,
    classes: bool,
    limit: int | None,
    force: bool,
    picture: str | None,
    corners: str | None,
    as_json: bool,
) -> None:
    """List or count the extreme points of the polytope of locally private N×N matrices."""
    _check_picture(picture, only_count, corners)
    if only_count:
        with _bar() as moved:
            found = count_extreme_points(
                n, eps=epsilon, outputs=outputs, force=force, progress=moved
            )
        answer = found.to_dict()
        click.echo(json.dumps(answer, ensure_ascii=False, indent=2) if as_json else found.explain())
        return
    points = extreme_points(n, eps=epsilon, outputs=outputs, up_to_permutation=classes, force=force)
    if picture is None:
        _show(points, limit, as_json)
    else:
        _draw(points, "extreme point", discrete(range(n)), epsilon, limit, picture, corners)


def _check_picture(picture: str | None, only_count: bool, corners: str | None) -> None:
    """Refuse at once what would only be refused after the enumeration."""
    if picture is not None and only_count:
        raise click.UsageError("--count has no picture of kernels: leave out --count or --picture")
    if corners is not None and picture is None:
        raise click.UsageError("--corners says what --picture shows: give --picture as well")
    if picture is not None:
        from dprivacy.viz import require_ending

        require_ending(picture)


def _draw(
    channels: Iterator[Channel],
    called: str,
    space: FiniteSpace,
    epsilon: str,
    limit: int | None,
    picture: str,
    corners: str | None,
) -> None:
    """The channels, one small simplex each, into a file."""
    from dprivacy.viz import plot_kernels, save

    if corners is None and len(space) > 4:
        raise Malformed(
            f'{len(space)} inputs do not fit into one picture; choose up to 4, such as --corners "'
            + ",".join(shown(label) for label in space.labels[:3])
            + '"'
        )
    chosen = None if corners is None else _labels(corners, space)
    figure = plot_kernels(
        space,
        eps=epsilon,
        channels=channels,
        called=called,
        corners=chosen,
        limit=limit or _DRAWN,
    )
    click.echo(f"drawn in {save(figure, picture)}")


def _labels(text: str, space: FiniteSpace) -> list[Any]:
    """The labels of a space that are written so."""
    named = {shown(label).replace(" ", ""): label for label in space.labels}
    parts = [part.replace(" ", "") for part in re.split(r",(?![^(]*\))", text)]
    unknown = [part for part in parts if part not in named]
    if unknown:
        raise Malformed(f"no input is called {', '.join(unknown)}; there are {', '.join(named)}")
    return [named[part] for part in parts]


def _show(channels: Iterator[Channel], limit: int | None, as_json: bool) -> None:
    for at, channel in enumerate(islice(channels, limit), 1):
        if as_json:
            click.echo(json.dumps(channel.to_dict(), ensure_ascii=False))
        else:
            click.echo(f"{at}. {channel!r}\n")


@contextmanager
def _bar() -> Iterator[Progress]:
    """A progress bar on the error stream, where that is a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("combining"), BarColumn(), TimeRemainingColumn())
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task("pairs", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
