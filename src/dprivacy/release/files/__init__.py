"""Tables and cards in files: reading, the one writer, and where a job works."""
