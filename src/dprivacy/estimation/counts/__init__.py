"""Counts and means behind the noise: by maximum likelihood or inversion, with standard errors."""
