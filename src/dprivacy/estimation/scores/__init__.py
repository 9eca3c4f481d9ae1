"""Corrected moments: unbiased scores of noisy rows, their totals, and what is made of totals."""
