"""``dprivacy kernels`` and ``dprivacy extreme``: the geometry of private mechanisms."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import rich_click as click

import dprivacy.cli.shared_options as shared
from dprivacy.cli.progress_line import counting
from dprivacy.errors import TooLarge, UnknownName
from dprivacy.model import Channel, as_space, shown
from dprivacy.polytope import (
    ExtremePointCount,
    KernelCount,
    count_extreme_points,
    count_kernels,
    delta_breaks,
    extreme_points,
    kernel_breaks,
    kernels as every_kernel,
)
from dprivacy.spaces import FiniteSpace, discrete, space_in_words
from dprivacy.typing import Label

_Progress = Callable[[int, int | None], None]
_DRAWN = 12
_ONE_PICTURE = 4  # inputs
_LISTING = shared.together(
    click.option("--count", "only_count", is_flag=True, help="Only count them."),
    click.option("--classes", is_flag=True, help="List one of each class under symmetries."),
    click.option("--limit", type=click.IntRange(min=1), help="List at most this many."),
    shared.picture(f"Draw them instead, a simplex each (at most {_DRAWN})"),
    click.option("--corners", help="Inputs that the picture shows, such as 0,1,2."),
    shared.FORCE,
    shared.PROGRESS,
    shared.JSON,
)


@dataclass(frozen=True)
class Listing:
    """What both verbs are asked: how many channels to list, or to count, or to draw."""

    only_count: bool
    classes: bool
    limit: int | None
    picture: Path | None
    corners: str | None
    force: bool
    progress: bool
    as_json: bool

    def __post_init__(self) -> None:
        """Refuse at once what would only be refused after the enumeration."""
        if self.picture is not None and self.only_count:
            raise click.UsageError("--count draws nothing: leave out --count or --picture")
        if self.corners is not None and self.picture is None:
            raise click.UsageError("--corners chooses what --picture shows: give --picture as well")
        shared.require_picture(self.picture)

    def count(
        self, find: Callable[[_Progress], KernelCount | ExtremePointCount], name: str
    ) -> None:
        """Say how many there are, on the space of this name."""
        with counting("pairs", asked=self.progress) as moved:
            found = find(moved)
        words = f"space: {space_in_words(name)}\n{found.explain()}"
        shared.say({"space": name, **found.to_dict()}, self.as_json, words)

    def show(
        self,
        channels: Iterator[Channel],
        called: str,
        space: FiniteSpace,
        epsilon: str,
        name: str,
    ) -> None:
        """One channel after the other, as they are found; as JSON, a list with one on each line."""
        if self.picture is not None:
            self._draw(self.picture, channels, called, space, epsilon)
            return
        listed = islice(channels, self.limit)
        if not self.as_json:
            click.echo(f"space: {space_in_words(name)}\n")
            for at, channel in enumerate(listed, 1):
                click.echo(f"{at}. {channel!r}\n")
            return
        before = "["
        for channel in listed:
            click.echo(before + json.dumps(channel.to_dict(), ensure_ascii=False), nl=False)
            before = ",\n"
        click.echo("[]" if before == "[" else "]")

    def tell_breaks(self, n: int, outputs: int | None, epsilon: str | None) -> None:
        """Say, or draw, how many extreme points there are at every δ."""
        with counting("parts", asked=self.progress) as moved:
            found = delta_breaks(n, eps=epsilon, outputs=outputs, force=self.force, progress=moved)
        if self.picture is None:
            shared.say(found.to_dict(), self.as_json, found.explain())
            return
        from dprivacy.viz import save

        place = save(found.plot(), self.picture)
        shared.say({"picture": str(place)}, self.as_json, shared.wrote(place))

    def _draw(
        self,
        picture: Path,
        channels: Iterator[Channel],
        called: str,
        space: FiniteSpace,
        epsilon: str,
    ) -> None:
        """The channels, one small simplex each, into a file."""
        from dprivacy.viz import plot_kernels, save

        if self.corners is None and len(space) > _ONE_PICTURE:
            some = ",".join(shown(label) for label in space.labels[:3])
            raise TooLarge(
                f"one picture shows up to {_ONE_PICTURE} inputs, not {len(space)}; choose some, such "
                f'as --corners "{some}"'
            )
        figure = plot_kernels(
            space,
            eps=epsilon,
            channels=channels,
            called=called,
            corners=None if self.corners is None else _labels(self.corners, space),
            limit=self.limit or _DRAWN,
        )
        place = save(figure, picture)
        shared.say({"picture": str(place)}, self.as_json, shared.wrote(place))


@click.command(
    epilog=shared.examples(
        'dprivacy kernels --space line:4 --epsilon "ln 2" --count',
        "dprivacy kernels --space line:5 --breaks",
    )
)
@shared.space("Space", required=True)
@shared.epsilon(default="ln 2")
@click.option("--breaks", is_flag=True, help="The levels at which the number of kernels changes.")
@_LISTING
def kernels(space: str, epsilon: str, breaks: bool, **given: Any) -> None:
    """List or count the kernels of a space: what all its private mechanisms are made of."""
    listing, points = Listing(**given), as_space(space)
    if breaks:
        _breaks(points, listing, space)
        return
    if listing.only_count:
        listing.count(
            lambda moved: count_kernels(points, eps=epsilon, force=listing.force, progress=moved),
            space,
        )
        return
    found = every_kernel(points, eps=epsilon, up_to_symmetry=listing.classes, force=listing.force)
    listing.show(found, "kernel", points, epsilon, space)


@click.command(
    epilog=shared.examples(
        "dprivacy extreme --n 4 --count",
        "dprivacy extreme --n 3 --delta 1/10 --count",
        "dprivacy extreme --n 3 --breaks",
    )
)
@click.option("--n", type=click.IntRange(min=1), required=True, help="Number of inputs.")
@click.option("--outputs", type=click.IntRange(min=1), help="Number of outputs; n by default.")
@shared.epsilon(more=" By default ln 2, or with --breaks every level.")
@shared.DELTA
@click.option(
    "--breaks",
    is_flag=True,
    help="Say at which δ their number changes.",
)
@_LISTING
def extreme(
    n: int, outputs: int | None, epsilon: str | None, delta: str, breaks: bool, **given: Any
) -> None:
    """List or count the extreme points of the polytope of locally private matrices with N rows."""
    listing = Listing(**given)
    if breaks:
        if delta != "0" or listing.only_count:
            raise click.UsageError("--breaks counts at every δ: leave out --delta and --count")
        listing.tell_breaks(n, outputs, epsilon)
        return
    epsilon = epsilon or "ln 2"
    if listing.only_count:
        listing.count(
            lambda moved: count_extreme_points(
                n, eps=epsilon, delta=delta, outputs=outputs, force=listing.force, progress=moved
            ),
            f"discrete:{n}",
        )
        return
    found = extreme_points(
        n,
        eps=epsilon,
        delta=delta,
        outputs=outputs,
        up_to_permutation=listing.classes,
        force=listing.force,
    )
    listing.show(found, "extreme point", discrete(range(n)), epsilon, f"discrete:{n}")


def _breaks(points: FiniteSpace, listing: Listing, name: str) -> None:
    """Where the number of kernels changes, in words or as a picture."""
    if listing.only_count or listing.classes or listing.limit or listing.corners:
        raise click.UsageError(
            "--breaks counts the kernels at every level: leave out --count, --classes, --limit and "
            "--corners"
        )
    found = kernel_breaks(points, force=listing.force)
    if listing.picture is not None:
        from dprivacy.viz import save

        place = save(found.plot(title=f"Kernels of {name}"), listing.picture)
        shared.say({"picture": str(place)}, listing.as_json, shared.wrote(place))
        return
    words = f"space: {space_in_words(name)}\n{found.explain()}"
    shared.say({"space": name, **found.to_dict()}, listing.as_json, words)


def _labels(text: str, space: FiniteSpace) -> list[Label]:
    """The labels of a space that are written so."""
    named = {shown(label).replace(" ", ""): label for label in space.labels}
    parts = [part.replace(" ", "") for part in re.split(r",(?![^(]*\))", text)]
    for part in parts:
        if part not in named:
            raise UnknownName.among("--corners", part, named)
    return [named[part] for part in parts]
