"""Posteriors, kernels and vulnerability on the simplex of priors of two to four secrets."""
