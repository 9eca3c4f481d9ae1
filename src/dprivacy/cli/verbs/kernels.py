"""``dprivacy kernels`` and ``dprivacy extreme``: the geometry of private mechanisms."""

import json
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import rich_click as click

from dprivacy.cli.progress_line import counted
from dprivacy.cli.shared_options import (
    FORCE,
    JSON,
    PROGRESS,
    epsilon as epsilon_option,
    examples,
    picture as picture_option,
    require_picture,
    say,
)
from dprivacy.errors import Malformed
from dprivacy.model import Channel, as_space, shown
from dprivacy.polytope import (
    count_extreme_points,
    count_kernels,
    extreme_points,
    kernels as every_kernel,
)
from dprivacy.spaces import GRAMMAR, FiniteSpace, discrete

PICTURE = "Draw instead of list, a simplex for each (at most 12)"
_DRAWN = 12


@click.command(epilog=examples('dprivacy kernels --space line:4 --epsilon "ln 2" --count'))
@click.option("--space", "name", required=True, help=f"The space: {GRAMMAR}.")
@epsilon_option(default="ln 2")
@click.option("--count", "only_count", is_flag=True, help="Only how many there are.")
@click.option("--classes", is_flag=True, help="List one of each class under symmetries.")
@click.option("--limit", type=click.IntRange(min=1), help="List at most so many.")
@FORCE
@PROGRESS
@picture_option(PICTURE)
@click.option("--corners", help="With --picture: the inputs to show, such as 0,1,2.")
@JSON
def kernels(
    name: str,
    epsilon: str,
    only_count: bool,
    classes: bool,
    limit: int | None,
    force: bool,
    progress: bool,
    picture: Path | None,
    corners: str | None,
    as_json: bool,
) -> None:
    """List or count the kernel mechanisms of a space: what all its private mechanisms are made of."""
    _check_picture(picture, only_count, corners)
    space = as_space(name)
    if only_count:
        with counted("pairs", asked=progress) as moved:
            found = count_kernels(space, eps=epsilon, force=force, progress=moved)
        say({"space": name, **found.to_dict()}, as_json, found.explain())
        return
    listed = every_kernel(space, eps=epsilon, up_to_symmetry=classes, force=force)
    if picture is None:
        _show(listed, limit, as_json)
    else:
        _draw(listed, "kernel", space, epsilon, limit, picture, corners, as_json)


@click.command(epilog=examples("dprivacy extreme --n 4 --count"))
@click.option("--n", type=click.IntRange(min=1), required=True, help="The number of inputs.")
@click.option("--outputs", type=click.IntRange(min=1), help="The number of outputs; n by default.")
@epsilon_option(default="ln 2")
@click.option("--count", "only_count", is_flag=True, help="Only how many there are.")
@click.option("--classes", is_flag=True, help="List one of each class under permutations.")
@click.option("--limit", type=click.IntRange(min=1), help="List at most so many.")
@FORCE
@PROGRESS
@picture_option(PICTURE)
@click.option("--corners", help="With --picture: the inputs to show, such as 0,1,2.")
@JSON
def extreme(
    n: int,
    outputs: int | None,
    epsilon: str,
    only_count: bool,
    classes: bool,
    limit: int | None,
    force: bool,
    progress: bool,
    picture: Path | None,
    corners: str | None,
    as_json: bool,
) -> None:
    """List or count the extreme points of the polytope of locally private N×N matrices."""
    _check_picture(picture, only_count, corners)
    if only_count:
        with counted("pairs", asked=progress) as moved:
            found = count_extreme_points(
                n, eps=epsilon, outputs=outputs, force=force, progress=moved
            )
        say(found.to_dict(), as_json, found.explain())
        return
    points = extreme_points(n, eps=epsilon, outputs=outputs, up_to_permutation=classes, force=force)
    if picture is None:
        _show(points, limit, as_json)
    else:
        _draw(
            points, "extreme point", discrete(range(n)), epsilon, limit, picture, corners, as_json
        )


def _check_picture(picture: Path | None, only_count: bool, corners: str | None) -> None:
    """Refuse at once what would only be refused after the enumeration."""
    if picture is not None and only_count:
        raise click.UsageError("--count has no picture of kernels: leave out --count or --picture")
    if corners is not None and picture is None:
        raise click.UsageError("--corners says what --picture shows: give --picture as well")
    require_picture(picture)


def _draw(
    channels: Iterator[Channel],
    called: str,
    space: FiniteSpace,
    epsilon: str,
    limit: int | None,
    picture: Path,
    corners: str | None,
    as_json: bool,
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
    place = save(figure, picture)
    say({"picture": str(place)}, as_json, f"drawn in {place}")


def _labels(text: str, space: FiniteSpace) -> list[Any]:
    """The labels of a space that are written so."""
    named = {shown(label).replace(" ", ""): label for label in space.labels}
    parts = [part.replace(" ", "") for part in re.split(r",(?![^(]*\))", text)]
    unknown = [part for part in parts if part not in named]
    if unknown:
        raise Malformed(f"no input is called {', '.join(unknown)}; there are {', '.join(named)}")
    return [named[part] for part in parts]


def _show(channels: Iterator[Channel], limit: int | None, as_json: bool) -> None:
    """One channel after the other, as they are found; as JSON, a list with one on each line."""
    listed = islice(channels, limit)
    if not as_json:
        for at, channel in enumerate(listed, 1):
            click.echo(f"{at}. {channel!r}\n")
        return
    before = "["
    for channel in listed:
        click.echo(before + json.dumps(channel.to_dict(), ensure_ascii=False), nl=False)
        before = ",\n"
    click.echo("[]" if before == "[" else "]")
