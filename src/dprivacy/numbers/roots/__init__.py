"""Real roots of integer polynomials, each in an interval of its own."""
