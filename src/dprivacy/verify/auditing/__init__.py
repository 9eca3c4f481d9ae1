"""Lower bounds on the ε of a black box, from samples."""
