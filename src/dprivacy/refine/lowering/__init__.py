"""What becomes of the exponential mechanism when its ε is lowered."""
