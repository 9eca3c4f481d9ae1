"""Pictures from result objects: matplotlib figures for files, Plotly figures as plain data for pages.

Every ``plot_…`` function gives a matplotlib figure (extra ``[plot]``), and leaves pyplot and the
person's settings alone. Every ``…_spec`` function gives what Plotly draws, as a dictionary, and needs
neither matplotlib nor Plotly. Results have `.plot()`, which asks `picture`.
"""

from dprivacy.viz.bars import bars_spec, plot_bars, plot_dist, plot_spending, spending_spec
from dprivacy.viz.curves import curves_spec, plot_curves
from dprivacy.viz.days import plot_days, plot_mean_profile
from dprivacy.viz.estimates import plot_convergence, plot_estimate, plot_reconstruction
from dprivacy.viz.forecasts import plot_forecast
from dprivacy.viz.frontier import (
    frontier_spec,
    plot_refinement_frontier,
    plot_tradeoff,
    plot_utility_loss,
    refinement_frontier,
)
from dprivacy.viz.hashing import plot_loss_experiment, plot_nearest_distances
from dprivacy.viz.hasse import plot_order
from dprivacy.viz.heat import channel_spec, plot_channel, plot_table
from dprivacy.viz.kernels import plot_kernels
from dprivacy.viz.leaks import plot_leakage
from dprivacy.viz.map import place_map, save_map
from dprivacy.viz.noise import noise_spec, plot_noise
from dprivacy.viz.places import plot_averaging, plot_places
from dprivacy.viz.profile import plot_profile, profile_spec
from dprivacy.viz.registry import picture
from dprivacy.viz.saving import require_ending, save, svg
from dprivacy.viz.simplex import plot_simplex
from dprivacy.viz.simplex_spec import simplex_spec
from dprivacy.viz.surface import plot_vulnerability
from dprivacy.viz.text import plot_attacks
from dprivacy.viz.verdicts import plot_refinement

__all__ = [
    "bars_spec",
    "channel_spec",
    "curves_spec",
    "frontier_spec",
    "noise_spec",
    "picture",
    "place_map",
    "plot_attacks",
    "plot_averaging",
    "plot_bars",
    "plot_channel",
    "plot_convergence",
    "plot_curves",
    "plot_days",
    "plot_dist",
    "plot_estimate",
    "plot_forecast",
    "plot_kernels",
    "plot_leakage",
    "plot_loss_experiment",
    "plot_mean_profile",
    "plot_nearest_distances",
    "plot_noise",
    "plot_order",
    "plot_places",
    "plot_profile",
    "plot_reconstruction",
    "plot_refinement",
    "plot_refinement_frontier",
    "plot_simplex",
    "plot_spending",
    "plot_table",
    "plot_tradeoff",
    "plot_utility_loss",
    "plot_vulnerability",
    "profile_spec",
    "refinement_frontier",
    "require_ending",
    "save",
    "save_map",
    "simplex_spec",
    "spending_spec",
    "svg",
]
