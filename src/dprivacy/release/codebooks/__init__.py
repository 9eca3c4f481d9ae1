"""Codebooks: what institutions publish of their variables, from the files they have."""
