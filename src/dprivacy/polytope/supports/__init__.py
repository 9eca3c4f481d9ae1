"""Minimal supports: the sets of vertices whose mean can be the prior, which are the kernels."""
