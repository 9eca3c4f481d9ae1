"""What all families stand on: finite mechanisms, exact weights, codes of labels, stored files."""
