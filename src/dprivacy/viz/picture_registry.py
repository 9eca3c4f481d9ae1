"""Which function draws which kind of object: what `.plot()` asks."""

from functools import singledispatch
from typing import Any

from dprivacy.curves import Profile, ProtectedCurves
from dprivacy.errors import WrongKind
from dprivacy.estimation import Estimate, Regression, Statistics, TableEstimate
from dprivacy.flow import Inference, Scenario, Strategy
from dprivacy.hashing import LossExperiment
from dprivacy.mechanisms import LocalPlan
from dprivacy.model import Channel, Dist, Gain, Guarantee, Hyper, Labelled
from dprivacy.polytope import (
    Decomposition,
    DeltaBreaks,
    ExtremePointCount,
    KernelBreaks,
    KernelCount,
)
from dprivacy.refine import Order, Refinement, RefinementBreaks
from dprivacy.release import Forecast
from dprivacy.text import AuthorTopicTable
from dprivacy.verify import PrivacyProfile, ShuffledDistances, ShuffledSizes
from dprivacy.viz.breaks.kernel_staircase import plot_kernel_breaks
from dprivacy.viz.breaks.verdict_bands import plot_refinement_breaks
from dprivacy.viz.charts.bar_charts import plot_bars, plot_dist
from dprivacy.viz.charts.channel_heat import plot_channel, plot_table
from dprivacy.viz.charts.day_charts import plot_days, plot_mean_profile
from dprivacy.viz.charts.estimate_charts import plot_estimate, plot_forecast
from dprivacy.viz.charts.interval_charts import plot_coefficients, plot_intervals
from dprivacy.viz.charts.leakage_charts import plot_leakage
from dprivacy.viz.charts.matching_charts import plot_loss_experiment
from dprivacy.viz.charts.order_charts import plot_order
from dprivacy.viz.charts.profile_charts import plot_profile
from dprivacy.viz.charts.text_charts import plot_attacks
from dprivacy.viz.charts.verdict_charts import plot_refinement
from dprivacy.viz.protocol_picture import plot_local_plan
from dprivacy.viz.shuffle_pictures import plot_shuffled_distances, plot_shuffled_sizes
from dprivacy.viz.simplexes.simplex_picture import plot_simplex
from dprivacy.viz.slack_pictures import plot_delta_breaks


@singledispatch
def picture(thing: Any, **options: Any) -> Any:
    """The picture that is natural for an object, as a matplotlib figure.

    The picture. `picture.register` adds a kind of object.

    Parameters
    ----------
    thing
        A channel, hyper, distribution, gain, privacy profile, comparison, order, estimate, regression,
        forecast, inference or count; or anything with a channel, such as a mechanism.
    **options
        What its drawing function takes; all take `title`.

    Raises
    ------
    WrongKind
        For an object that no function draws.

    Examples
    --------
    >>> from dprivacy.mechanisms import randomised_response
    >>> figure = picture(randomised_response(["yes", "no"], eps="ln 3"))
    >>> print(figure.axes[0].get_title(loc="left"))
    randomised response, privacy level ε =
    ln(3) per unit of distance
    """
    if isinstance(getattr(thing, "channel", None), Channel):
        return _mechanism(thing, **options)
    raise WrongKind(
        f"no picture is known for an object of class {type(thing).__name__}; the functions plot_… of "
        "dprivacy.viz draw from plain data"
    )


picture.register(Channel, plot_channel)
picture.register(Dist, plot_dist)
picture.register(Hyper, plot_simplex)
picture.register(PrivacyProfile, plot_profile)
picture.register(ShuffledDistances, plot_shuffled_distances)
picture.register(ShuffledSizes, plot_shuffled_sizes)
picture.register(DeltaBreaks, plot_delta_breaks)
picture.register(Order, plot_order)
picture.register(Refinement, plot_refinement)
picture.register(Estimate, plot_estimate)
picture.register(Regression, plot_coefficients)
picture.register(Forecast, plot_forecast)
picture.register(Statistics, plot_intervals)
picture.register(KernelBreaks, plot_kernel_breaks)
picture.register(RefinementBreaks, plot_refinement_breaks)
picture.register(LocalPlan, plot_local_plan)
picture.register(ProtectedCurves, plot_days)
picture.register(AuthorTopicTable, plot_attacks)
picture.register(Profile, plot_mean_profile)
picture.register(LossExperiment, plot_loss_experiment)
for kind in (Inference, Scenario, Strategy):
    picture.register(kind, plot_leakage)


def _mechanism(mechanism: Any, *, title: str = "", **options: Any) -> Any:
    """The channel of a mechanism (or of anything that has one), under its name and level."""
    name = getattr(mechanism, "family", "").replace("_", " ")
    guarantee = getattr(mechanism, "guarantee", None)
    if isinstance(guarantee, Guarantee):
        level = str(guarantee.eps)
        level = level if len(level) <= 12 else f"{float(guarantee.eps):.4g}"
        name += f", privacy level ε = {level} per unit of distance"
    return plot_channel(mechanism.channel, title=title or name, **options)


@picture.register
def _gain(gain: Gain, *, title: str = "", **options: Any) -> Any:
    return plot_table(gain, sides=("action", "secret"), scale="worth", title=title, **options)


@picture.register
def _table(estimate: TableEstimate, *, title: str = "", **options: Any) -> Any:
    if len(estimate.labels) != 2:
        return plot_intervals(estimate, title=title, **options)
    counts = Labelled(*estimate.labels, estimate.counts)
    first, second = estimate.names or ("first column", "second column")
    return plot_table(
        counts, sides=(first, second), scale="estimated count", title=title, **options
    )


@picture.register
def _decomposition(found: Decomposition, *, title: str = "", **options: Any) -> Any:
    """The channel and the vertex mechanism that it refines, on one simplex."""
    both = {"vertex mechanism": found.vertex, "channel": found.channel}
    return plot_simplex(both, title=title, **options)


@picture.register
def _kernel_count(count: KernelCount, *, title: str = "") -> Any:
    words = title or f"{int(count):,} kernels on {count.points} points"
    bars = {"kernels": count.by_posteriors}
    return plot_bars(bars, x="number of posteriors", y="kernels", title=words)


@picture.register
def _extreme_count(count: ExtremePointCount, *, title: str = "") -> Any:
    words = title or f"{int(count):,} extreme points of the {count.n}×{count.outputs} matrices"
    bars = {"extreme points": count.by_columns}
    return plot_bars(bars, x="number of non-zero columns", y="extreme points", title=words)
