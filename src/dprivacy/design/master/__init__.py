"""The master program of column generation: how columns are mixed so that every row sums to 1."""
