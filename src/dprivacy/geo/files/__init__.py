"""Files of places: what is read from them, what is written, and how they are protected."""
