"""Pictures from result objects, as matplotlib figures.

Every ``plot_…`` function gives a matplotlib figure (extra ``[plot]``), and leaves pyplot and the
person's settings alone; all take a `title`. Results have `.plot()`, which asks `picture`.
"""

from dprivacy.viz.breaks.kernel_staircase import plot_kernel_breaks as plot_kernel_breaks
from dprivacy.viz.breaks.verdict_bands import plot_refinement_breaks as plot_refinement_breaks
from dprivacy.viz.charts.bar_charts import plot_bars as plot_bars, plot_spending as plot_spending
from dprivacy.viz.charts.channel_heat import plot_channel as plot_channel, plot_table as plot_table
from dprivacy.viz.charts.day_charts import (
    plot_days as plot_days,
    plot_mean_profile as plot_mean_profile,
)
from dprivacy.viz.charts.estimate_charts import (
    plot_convergence as plot_convergence,
    plot_estimate as plot_estimate,
    plot_forecast as plot_forecast,
    plot_reconstruction as plot_reconstruction,
)
from dprivacy.viz.charts.frontier_charts import (
    plot_refinement_frontier as plot_refinement_frontier,
    refinement_frontier as refinement_frontier,
)
from dprivacy.viz.charts.interval_charts import (
    plot_coefficients as plot_coefficients,
    plot_intervals as plot_intervals,
)
from dprivacy.viz.charts.leakage_charts import plot_leakage as plot_leakage
from dprivacy.viz.charts.line_charts import plot_curves as plot_curves
from dprivacy.viz.charts.matching_charts import (
    plot_loss_experiment as plot_loss_experiment,
    plot_nearest_distances as plot_nearest_distances,
)
from dprivacy.viz.charts.noise_charts import plot_noise as plot_noise
from dprivacy.viz.charts.order_charts import plot_order as plot_order
from dprivacy.viz.charts.profile_charts import plot_profile as plot_profile
from dprivacy.viz.charts.text_charts import (
    plot_attacks as plot_attacks,
    plot_forms as plot_forms,
)
from dprivacy.viz.charts.verdict_charts import plot_refinement as plot_refinement
from dprivacy.viz.maps.map_drawing import place_map as place_map, save_map as save_map
from dprivacy.viz.maps.place_charts import (
    plot_averaging as plot_averaging,
    plot_places as plot_places,
)
from dprivacy.viz.picture_registry import picture as picture
from dprivacy.viz.protocol_picture import plot_local_plan as plot_local_plan
from dprivacy.viz.respondent_page import question_sheet as question_sheet
from dprivacy.viz.shuffle_pictures import (
    plot_shuffled_distances as plot_shuffled_distances,
    plot_shuffled_sizes as plot_shuffled_sizes,
)
from dprivacy.viz.simplexes.kernel_pictures import plot_kernels as plot_kernels
from dprivacy.viz.simplexes.simplex_picture import plot_simplex as plot_simplex
from dprivacy.viz.simplexes.vulnerability_surface import plot_vulnerability as plot_vulnerability
from dprivacy.viz.slack_pictures import plot_delta_breaks as plot_delta_breaks
from dprivacy.viz.style.picture_files import save as save
from dprivacy.viz.style.picture_style import svg as svg

# isort: split
# For other rooms; not part of the surface.
from dprivacy.viz.charts.bar_charts import bars_spec as bars_spec
from dprivacy.viz.charts.channel_heat import channel_spec as channel_spec
from dprivacy.viz.charts.line_charts import curves_spec as curves_spec
from dprivacy.viz.maps.map_drawing import require_html as require_html
from dprivacy.viz.maps.map_page import MAP_STYLE as MAP_STYLE
from dprivacy.viz.maps.one_place_map import TrialMap as TrialMap, trial_map as trial_map
from dprivacy.viz.simplexes.simplex_data import simplex_spec as simplex_spec
from dprivacy.viz.style.picture_files import require_ending as require_ending
