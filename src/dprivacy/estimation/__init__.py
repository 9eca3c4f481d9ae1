"""Estimation: statistics back out of noise, with their standard errors."""

from dprivacy.estimation.counts.estimate_result import Estimate as Estimate
from dprivacy.estimation.counts.likelihood import log_likelihood as log_likelihood
from dprivacy.estimation.counts.mean_estimate import (
    MeanEstimate as MeanEstimate,
    estimate_mean as estimate_mean,
)
from dprivacy.estimation.counts.noisy_answers import estimate as estimate
from dprivacy.estimation.counts.survey_planning import (
    count_error as count_error,
    sample_size as sample_size,
    smallest_eps_for as smallest_eps_for,
)
from dprivacy.estimation.counts.table_estimate import TableEstimate as TableEstimate
from dprivacy.estimation.regressions.regression import regress as regress
from dprivacy.estimation.regressions.regression_result import Regression as Regression
from dprivacy.estimation.scores.statistics_result import (
    Statistic as Statistic,
    Statistics as Statistics,
)
from dprivacy.estimation.scores.survey_design import Survey as Survey
from dprivacy.estimation.transport.distribution_distances import (
    kantorovich as kantorovich,
    total_variation as total_variation,
)

# isort: split
# For other rooms; not part of the surface.
from dprivacy.estimation.climbing.bayesian_update import climb as climb
from dprivacy.estimation.counts.channel_inversion import inverse_matrix as inverse_matrix
from dprivacy.estimation.counts.noisy_tables import weighted_table as weighted_table
from dprivacy.estimation.counts.standard_errors import Of as Of, read_chance as read_chance
from dprivacy.estimation.counts.tables_drawn_again import redrawn_tables as redrawn_tables
from dprivacy.estimation.operators.report_operators import HyperplaneOperator as HyperplaneOperator
from dprivacy.estimation.operators.structure_check import Known as Known
from dprivacy.estimation.operators.structured_operators import Axes as Axes
from dprivacy.estimation.regressions.cell_design import sampled_share as sampled_share
from dprivacy.estimation.regressions.model_columns import (
    ModelColumn as ModelColumn,
    clean_codes as clean_codes,
    missing_values as missing_values,
    noisy_codes as noisy_codes,
)
from dprivacy.estimation.regressions.model_fit import fitted as fitted
from dprivacy.estimation.regressions.model_formula import read_formula as read_formula
from dprivacy.estimation.regressions.outcome_families import (
    FAMILIES as FAMILIES,
    FamilyName as FamilyName,
)
from dprivacy.estimation.scores.estimator_choice import (
    LIKELY as LIKELY,
    ChosenShare as ChosenShare,
    Method as Method,
    chosen_share as chosen_share,
    require_method as require_method,
    spread_of as spread_of,
)
from dprivacy.estimation.scores.quantile_likelihood import likely_quantile as likely_quantile
from dprivacy.estimation.scores.range_likelihood import Likelihood as Likelihood
from dprivacy.estimation.scores.scored_records import ScoredRecords as ScoredRecords
from dprivacy.estimation.scores.signed_rows import (
    ColumnScores as ColumnScores,
    column_scores as column_scores,
    table_scores as table_scores,
)
from dprivacy.estimation.scores.smooth_functions import (
    Function as Function,
    Smooth as Smooth,
    correlation as correlation,
    covariance as covariance,
    ratio as ratio,
    reach as reach,
    smooth as smooth,
    total as total,
    variance as variance,
)
from dprivacy.estimation.scores.statistics_result import figure as figure
from dprivacy.estimation.scores.survey_design import (
    Records as Records,
    read_weights as read_weights,
    records as records,
)
from dprivacy.estimation.scores.total_variances import (
    Totals as Totals,
    score_totals as score_totals,
)
from dprivacy.estimation.scores.undetermined_shares import possible_range as possible_range
from dprivacy.estimation.tabular_answer import LongForm as LongForm
