"""Refinement: whether one channel is at least as safe as another, in one of three orders."""

from collections.abc import Iterable, Sequence
from typing import Literal, overload

from dprivacy.errors import NotApplicable, UnknownName, WrongKind, WrongShape
from dprivacy.flow import as_gain
from dprivacy.model import BlockLaw, Gain, space_for
from dprivacy.refine.average_order import refined_on_average
from dprivacy.refine.block_order import BlockRefinement, refined_by_blocks
from dprivacy.refine.deciding.channel_pairs import read_pair
from dprivacy.refine.deciding.refinement_verdicts import (
    AverageRefinement,
    MaxRefinement,
    PrivateRefinement,
    Refinement,
)
from dprivacy.refine.max_order import refined_in_worst_case
from dprivacy.refine.privacy_order import refined_for_privacy
from dprivacy.refine.restricted_order import RestrictedRefinement, refined_for_gains
from dprivacy.typing import ChannelLike, GainLike, Order, PriorLike, SpaceLike

Names = tuple[str, str]
ORDERS = ("average", "max", "private")


@overload
def refines(
    A: ChannelLike, B: ChannelLike, *, by: Literal["average"] = ..., names: Names = ...
) -> AverageRefinement: ...
@overload
def refines(
    A: ChannelLike, B: ChannelLike, *, by: Literal["max"], names: Names = ...
) -> MaxRefinement: ...
@overload
def refines(
    A: ChannelLike,
    B: ChannelLike,
    space: SpaceLike | None = ...,
    *,
    by: Literal["private"],
    names: Names = ...,
) -> PrivateRefinement: ...
@overload
def refines(
    A: ChannelLike,
    B: ChannelLike,
    *,
    gains: Sequence[GainLike],
    by: Literal["average"] = ...,
    prior: PriorLike = ...,
    names: Names = ...,
) -> RestrictedRefinement: ...
@overload
def refines(
    A: ChannelLike,
    B: ChannelLike,
    space: SpaceLike | None = ...,
    *,
    names: Names = ...,
    gains: Sequence[GainLike] | None = ...,
    prior: PriorLike = ...,
    by: Order = ...,
) -> Refinement: ...
def refines(
    A: ChannelLike,
    B: ChannelLike,
    space: SpaceLike | None = None,
    *,
    by: Order = "average",
    prior: PriorLike = None,
    gains: Sequence[GainLike] | None = None,
    names: tuple[str, str] = ("A", "B"),
) -> Refinement:
    """Whether A ⊑ B: B is at least as safe as A.

    On average, A ⊑ B holds exactly when A·R = B for some channel R, and exactly when
    V_g[π ▷ A] ≥ V_g[π ▷ B] for every gain g and prior π. In the max case it holds exactly when every
    posterior of B lies in the convex hull of A's. For privacy it holds when B tells no two secrets
    apart better than A does.

    Parameters
    ----------
    A, B
        Channels on the same inputs, or anything `as_channel` reads; both exact or both float. Two
        local mechanisms on the same labels and at the same ε are compared set by set, however many
        labels there are; give their channels for the post-processing itself.
    space
        With by="private": the one metric on which the smallest ε is compared; every metric when
        omitted.
    by
        "average", "max" or "private".
    prior
        With `gains`: what those adversaries believe; uniform when omitted.
    gains
        With by="average": the adversaries asked about, instead of all of them, each as `as_gain` reads
        it ("metric" takes the distances of A). A loss ℓ is the gain c − ℓ for any constant c.
    names
        What the two are called in the answer.

    Returns
    -------
    Refinement
        With what shows it: R or the gain that prefers B; the mixtures or the posterior outside; the
        pair of secrets and the metric; the gains that prefer B. Exact channels are proved or refuted.
        Float channels stand for all channels within a few units in the last place: the answer is
        measured when it is the same for all of them, and undecided otherwise.

    Raises
    ------
    SpaceMismatch
        The inputs differ.
    MixedArithmetic
        One channel is exact and the other is float.

    Examples
    --------
    >>> coin = [["3/4", "1/4"], ["1/4", "3/4"]]
    >>> fair = [["5/8", "3/8"], ["3/8", "5/8"]]
    >>> print(refines(coin, fair).R[0, 0])
    3/4
    >>> refines(fair, coin).status
    'refuted'
    >>> A = [["4/5", "1/5"], ["2/5", "3/5"]]
    >>> refines(A, A[::-1], by="max").output
    1
    >>> G = [["2/3", "1/6", "1/6"], ["1/3", "1/3", "1/3"], ["1/6", "1/6", "2/3"]]
    >>> R = [["3/5", "1/5", "1/5"], ["1/5", "3/5", "1/5"], ["1/5", "1/5", "3/5"]]
    >>> refines(G, R, by="private").pair
    (0, 1)
    >>> [str(v) for v in refines(coin, fair, gains=["bayes"]).values[0]]
    ['3/4', '5/8']
    """
    require_order(by)
    if space is not None and by != "private":
        raise NotApplicable(f'a space is compared on with by="private", not with by={by!r}')
    if gains is not None and by != "average":
        raise NotApplicable(f'gains are compared with by="average", not with by={by!r}')
    if prior is not None and gains is None:
        raise NotApplicable(
            f"refinement holds for every prior, so that prior={prior!r} says nothing; a prior goes "
            "with gains=[…]"
        )
    _require_two(names)
    if by == "average" and gains is None and (found := _by_blocks(A, B, names)) is not None:
        return found
    pair = read_pair(A, B)
    if gains is not None:
        if isinstance(gains, str | Gain) or not isinstance(gains, Iterable):
            raise WrongKind(f"gains should be a list of gains, not {gains!r}; put it in a list")
        adversaries = [as_gain(each, pair.secrets, A) for each in gains]
        return refined_for_gains(pair, adversaries, prior, names)
    if by == "private":
        metric = None if space is None else space_for(pair.first, space)
        return refined_for_privacy(pair, metric, names)
    return (
        refined_on_average(pair, names) if by == "average" else refined_in_worst_case(pair, names)
    )


def _require_two(names: object) -> None:
    if not isinstance(names, tuple | list) or len(names) != 2:
        raise WrongShape(f"names should be two names, such as ('A', 'B'), not {names!r}")


def require_order(by: str, among: Sequence[str] = ORDERS) -> None:
    """Refuse the name of an order that does not exist."""
    if by not in among:
        raise UnknownName.among("by", by, among)


def _by_blocks(A: ChannelLike, B: ChannelLike, names: Names) -> BlockRefinement | None:
    """The closed criterion for two local mechanisms whose reports have the same odds; else None."""
    first, second = getattr(A, "reports", None), getattr(B, "reports", None)
    if not isinstance(first, BlockLaw) or not isinstance(second, BlockLaw):
        return None
    labels = getattr(A, "labels", ())
    if labels != getattr(B, "labels", ()) or first.factor != second.factor:
        return None
    return refined_by_blocks(first, second, labels, names)
