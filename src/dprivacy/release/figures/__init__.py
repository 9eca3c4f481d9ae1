"""Figures that a board reads: what a row tells, how often an answer is guessed. None needs the data."""
