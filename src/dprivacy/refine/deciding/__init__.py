"""How a refinement is decided: hulls, programs and repairs, with the witness that settles it."""
