"""Climbing to the likeliest distribution: Bayesian updates, plain or in leaps, and inside steps."""
