"""Tables whose rows can be of few kinds only: counted first, and drawn from the counts."""
