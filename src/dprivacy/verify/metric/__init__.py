"""d-privacy of a channel: verdict, smallest ε, δ profile, rounding outward, mending, error bounds."""
