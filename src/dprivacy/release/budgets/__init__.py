"""A budget for the row: what it may tell is said once, and columns share it by their errors."""
