"""Kernels as ε varies: the minors that decide them are polynomials in e^ε, and change sign at roots."""
