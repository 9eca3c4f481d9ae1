"""The room Places: a radius in metres, what it costs, and who can undo it."""
