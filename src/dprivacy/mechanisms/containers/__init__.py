"""Values in any kind of container, to positions of labels and back into the same kind."""
