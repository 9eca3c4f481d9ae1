"""What a picture of hypers shows: posteriors with their chances, the private region, the prior."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from dprivacy.errors import NotApplicable, UnknownName, WrongShape
from dprivacy.model import Hyper, as_channel, as_prior, as_space, push, shown
from dprivacy.numbers import Floats, Mat
from dprivacy.spaces import require_same_labels
from dprivacy.typing import ChannelLike, Label, LevelLike, PriorLike, SpaceLike
from dprivacy.viz.simplexes.private_region import MOST_SECRETS, Region, region
from dprivacy.viz.style.figure_words import named

Drawable: TypeAlias = Hyper | ChannelLike  # a channel is pushed a prior


@dataclass(frozen=True)
class Cloud:
    """The posteriors of one hyper: a row each, how likely each is, and what was observed."""

    name: str
    points: Floats
    masses: Floats
    observations: tuple[str, ...]


@dataclass(frozen=True)
class Scene:
    """Everything on one simplex, in the order of its corners."""

    corners: tuple[Label, ...]
    clouds: tuple[Cloud, ...]
    priors: Floats
    region: Region | None
    title: str
    magnified: float = 1.0


def magnified(scene: Scene) -> Scene:
    """The scene stretched around the prior until everything just fits into the simplex.

    A point c + t·(q − c) of the smaller simplex around the prior c is shown at q.
    """
    centre = scene.priors.mean(axis=0)
    drawn = [cloud.points for cloud in scene.clouds]
    drawn += [scene.priors] + ([] if scene.region is None else [scene.region.corners])
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = (centre - np.concatenate(drawn)) / centre
    share = float(min(1.0, 1.08 * np.nan_to_num(needed, nan=1.0, posinf=1.0).max()))
    if share <= 0:
        return scene

    def stretched(points: Floats) -> Floats:
        moved: Floats = centre + (points - centre) / share
        return moved

    return replace(
        scene,
        clouds=tuple(replace(c, points=stretched(c.points)) for c in scene.clouds),
        priors=stretched(scene.priors),
        region=None
        if scene.region is None
        else replace(scene.region, corners=stretched(scene.region.corners)),
        magnified=1 / share,
    )


def make_scene(
    hypers: Drawable | Mapping[str, Drawable] | None,
    *,
    space: SpaceLike | None,
    eps: LevelLike | None,
    prior: PriorLike,
    corners: Sequence[Label] | None,
    title: str,
) -> Scene:
    """Read what is to be drawn.

    With `corners` only those secrets are looked at: the adversary knows that the secret is one of
    them. Channels are restricted, priors and posteriors conditioned, and the private region is that of
    the smaller space (every private column on it extends to the whole).
    """
    sources = {} if hypers is None else named(hypers)
    read = {name: _hyper(source, prior) for name, source in sources.items()}
    secrets = next(iter(read.values())).secrets if read else None
    around = None if space is None else as_space(space, labels=secrets)
    if secrets is None:
        if around is None:
            raise NotApplicable(f"nothing to draw: give hypers, or a space and eps, not {hypers!r}")
        secrets = around.labels
    if around is not None and eps is None:
        raise NotApplicable(
            f"the private region of {len(around)} secrets needs a level: give eps= with space="
        )
    chosen = _chosen(secrets, corners)
    clouds, priors = [], []
    for name, hyper in read.items():
        require_same_labels(secrets, hyper.secrets, f"the secrets of {name or 'the hypers'}")
        seen = _among(hyper, chosen)
        clouds.append(
            Cloud(
                name,
                np.array([inner.matrix.floats[0] for inner in seen.inners]),
                seen.outer.matrix.floats[0],
                tuple(shown(y) for y in seen.observations),
            )
        )
        priors.append(seen.prior().matrix.floats[0])
    if not priors:
        priors = [np.full(len(chosen), 1 / len(chosen))]
    allowed = None
    if around is not None and eps is not None:
        require_same_labels(secrets, around.labels, "the secrets and the space")
        allowed = region(around.restrict(chosen), eps)
    distinct = np.unique(np.round(np.array(priors), 12), axis=0)
    return Scene(chosen, tuple(clouds), distinct, allowed, title)


def _hyper(source: Drawable, prior: PriorLike) -> Hyper:
    if isinstance(source, Hyper):
        return source
    channel = as_channel(source)
    return push(channel, prior=as_prior(prior, channel.rows, exact=channel.exact))


def _chosen(secrets: Sequence[Label], corners: Sequence[Label] | None) -> tuple[Label, ...]:
    if corners is None:
        if not 2 <= len(secrets) <= MOST_SECRETS:
            raise WrongShape(
                f"a simplex is drawn for 2, 3 or 4 secrets, and there are {len(secrets)}; choose some "
                "with corners=[...]: the picture is then that of an adversary who knows that the "
                "secret is one of them"
            )
        return tuple(secrets)
    chosen = tuple(corners)
    if not 2 <= len(set(chosen)) == len(chosen) <= MOST_SECRETS:
        raise WrongShape(
            f"corners should be 2, 3 or 4 different secrets, not {', '.join(map(shown, chosen))}"
        )
    for label in chosen:
        if label not in secrets:
            raise UnknownName.among("a corner", shown(label), map(shown, secrets))
    return chosen


def _among(hyper: Hyper, chosen: Sequence[Label]) -> Hyper:
    """The hyper of an adversary who knows that the secret is one of the chosen."""
    if tuple(chosen) == hyper.secrets:
        return hyper
    joint = hyper.joint.take(rows=[hyper.secrets.index(x) for x in chosen])
    total = joint.entries.sum()
    if not total:
        raise NotApplicable(
            f"under the prior the secrets chosen as corners ({', '.join(map(shown, chosen))}) have "
            "probability 0; choose others"
        )
    scaled: Any
    if joint.exact:
        scaled = Mat.of([[Fraction(v, int(total)) for v in row] for row in joint.entries.tolist()])
    else:
        scaled = Mat(joint.entries / total)
    return Hyper(tuple(chosen), hyper.observations, scaled)
