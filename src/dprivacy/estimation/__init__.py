"""Estimation: statistics back out of noise, with their standard errors."""

from dprivacy.estimation.distances import kantorovich, total_variation
from dprivacy.estimation.estimate import estimate
from dprivacy.estimation.likelihood import log_likelihood
from dprivacy.estimation.means import MeanEstimate, estimate_mean
from dprivacy.estimation.planning import count_error, sample_size, smallest_eps_for
from dprivacy.estimation.regression import regress
from dprivacy.estimation.regression_result import Regression
from dprivacy.estimation.result import Estimate
from dprivacy.estimation.table_result import TableEstimate
from dprivacy.estimation.tables import estimate_table

__all__ = [
    "Estimate",
    "MeanEstimate",
    "Regression",
    "TableEstimate",
    "count_error",
    "estimate",
    "estimate_mean",
    "estimate_table",
    "kantorovich",
    "log_likelihood",
    "regress",
    "sample_size",
    "smallest_eps_for",
    "total_variation",
]
