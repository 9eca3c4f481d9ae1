"""Refinement as ε varies: verdicts for every level at once, between algebraic numbers."""
